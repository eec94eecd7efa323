/* residual: tests the conditions that the search has left on finished matches; a sink that passes on the rows for which
 * all of them are true.
 *
 * At the end of each round, the sink collects the distinct vertices and edges that the conditions read and fetches
 * their values from their owners, which is collective. The device evaluates conditions on one vertex, and the host
 * those between several elements.
 */

#ifndef GEMP_MATCH_FILTER_RESIDUAL_H
#define GEMP_MATCH_FILTER_RESIDUAL_H

#include "graph/batch.h"
#include "match/filter/computed_columns.h"
#include "match/filter/element_values.h"
#include "match/filter/filter.h"

/* The values that conditions read of the vertices and edges of a round's rows: the values of each distinct element, and
 * for each row the place of its element among the distinct ones.
 */

/* Pattern vertices of which the same columns are read; their images are fetched together. */
typedef struct gemp_row_group {
	uint64_t members; /* pattern vertices, as bits */
	size_t column_count;
	int *column;           /* [column_count] ascending, as gemp_fetch_values takes them */
	size_t distinct_count; /* distinct images in this round */
	gemp_column *values;   /* [column_count], of distinct_count rows each, in this round */
	uint32_t *index;       /* [members][rows] place of each image among the distinct ones, in this round */
	size_t capacity;
} gemp_row_group;

typedef struct gemp_row_values {
	gemp_runtime *context;
	gemp_shard *graph;
	size_t group_count;
	gemp_row_group groups[GEMP_MAX_PATTERN_VERTICES];
	int group_of[GEMP_MAX_PATTERN_VERTICES]; /* -1: no column of this vertex is read */
	gemp_degree_columns degrees;
	bool count_loops; /* in degrees; set before the first round */
	uint64_t edges;   /* bit e: a condition reads pattern edge e */
	size_t name_count, name_capacity;
	const char **names;           /* [name_count] of edge attributes, borrowed from the conditions */
	gemp_edge_values edge_values; /* of the distinct edges of this round */
	gemp_column edge_types;       /* [edge_values.count] names of relations, in this round; no rows unless `types` */
	uint32_t *edge_index;         /* [edges][rows] place of each edge among the distinct ones, in this round */
	size_t edge_capacity;
	bool types;        /* a condition reads type(r) */
	size_t rows;       /* of this round */
	uint64_t mentions; /* attributes and keys that the conditions mention */
	uint64_t copied;   /* values fetched so far */
} gemp_row_values;

/* Borrows conditions[0..count), graph, filter and next. With filter NULL the host evaluates all conditions.
 * count_loops: degrees count loops, see gemp_degree_loops. Batches need edge columns if a condition reads edges. Rounds
 * of `next` end through this sink. */
gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next);

/* Figures of this rank so far. */
typedef struct gemp_residual_figures {
	uint64_t copied;   /* attribute values that were fetched, those of each distinct element once a round */
	uint64_t referred; /* attribute values that the tested rows refer to, each mention counted */
} gemp_residual_figures;
gemp_residual_figures gemp_residual_figures_of(const gemp_sink *residual);

#endif
