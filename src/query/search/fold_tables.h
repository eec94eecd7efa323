/* fold_tables: what becomes of an aggregate's argument by the image of the vertex by which rows are grouped.
 *
 * A pattern that is a tree needs a pass over the edges of each pattern edge between the two vertices
 * (count/vertex_tables.h). The number of distinct vertices in the matches of a group is not the sum over the images of
 * the group's vertex. Therefore each group has a bit, and the words of bits are united along the edges, from the images
 * of the group's vertex to the vertices that are counted: one pass for 64 groups.
 *
 * Tables have a number for each own vertex, [graph->rows]. Everything is collective. */

#ifndef GEMP_QUERY_SEARCH_FOLD_TABLES_H
#define GEMP_QUERY_SEARCH_FOLD_TABLES_H

#include "query/clause/fold_request.h"
#include "query/search/pattern_tree.h"

typedef struct gemp_fold_source {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern; /* a tree whose conditions are the candidates */
	gemp_candidates candidates;
	uint64_t implied; /* pattern vertices whose candidates passes need not test */
} gemp_fold_source;

/* The number of matches by the image of vertex `root`. GEMP_EDATA if a number exceeds 64 bits. */
gemp_code gemp_fold_matches(uint64_t **table, const gemp_fold_source *source, int root);

/* The values of an argument of all matches, by the image of `root`. A NULL table of times is that of matches. */
typedef struct gemp_fold_table {
	/* sum: modulo 2^64; max: gemp_order_bits; min: their complement, which becomes a maximum; count: NULL */
	uint64_t *values;
	uint64_t *times; /* values that are not NULL; max and min: NULL, since their values are not 0 then */
} gemp_fold_table;

void gemp_fold_table_free(gemp_fold_table *table);
/* `matches` is the number of all matches. *fits becomes false, on all ranks, if a sum may exceed 64 bits, or if a value
 * cannot be told from none. */
gemp_code gemp_fold_argument_table(gemp_fold_table *out, const gemp_fold_source *source, int root,
                                   const gemp_fold_argument *argument, uint64_t matches, bool *fits);

/* counts[units] become the numbers of images of `other` in matches with images of `key` of each unit, of all ranks.
 * unit[graph->rows] is the unit of an own vertex, and only those with numbers[v] > 0 are read. */
gemp_code gemp_fold_distinct_in_units(uint64_t **counts, const gemp_fold_source *source, int key, int other,
                                      const uint64_t *numbers, const uint32_t *unit, size_t units);
/* The number of images of `other` in the matches of each image of `key`. */
gemp_code gemp_fold_distinct_by_vertex(uint64_t **table, const gemp_fold_source *source, int key, int other,
                                       const uint64_t *numbers);
/* The number of passes along the path for so many units, and for the other function. */
uint64_t gemp_fold_unit_passes(uint64_t units);
uint64_t gemp_fold_vertex_passes(const gemp_fold_source *source, int key, int other);

#endif
