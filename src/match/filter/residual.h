/* residual: a sink that tests the conditions that the search has left, and passes on the matches for which all of them
 * are true.
 *
 * At the end of each round, the sink collects the distinct vertices and edges that the conditions read and fetches
 * their values from their owners, which is collective. The filter evaluates conditions on one vertex, once for each
 * distinct vertex, and the host evaluates conditions on several elements, once for each match. */

#ifndef GEMP_MATCH_FILTER_RESIDUAL_H
#define GEMP_MATCH_FILTER_RESIDUAL_H

#include "graph/batch.h"
#include "match/filter/computed_columns.h"
#include "match/filter/element_values.h"
#include "match/filter/filter.h"

/* The values that conditions read of the elements of a round's rows: the values of each distinct element, and for each
 * row the position of its element among the distinct elements. */

/* Pattern vertices of which conditions read the same columns. The images of these vertices are fetched together. */
typedef struct gemp_row_group {
	uint64_t members; /* the pattern vertices, as bits */
	size_t column_count;
	int *column;           /* [column_count] column numbers of gemp_fetch_computed, ascending */
	size_t distinct_count; /* this round: number of distinct images */
	gemp_column *values;   /* this round: [column_count], each of distinct_count rows */
	uint32_t *index;       /* this round: [members][rows] position of each image among the distinct images */
	size_t capacity;
} gemp_row_group;

typedef struct gemp_row_values {
	gemp_runtime *context;
	gemp_shard *graph;
	size_t group_count;
	gemp_row_group groups[GEMP_MAX_PATTERN_VERTICES];
	int group_of[GEMP_MAX_PATTERN_VERTICES]; /* -1: no column of the vertex is read */
	gemp_degree_columns degrees;
	bool count_loops; /* degrees count loops; set before the first round */
	uint64_t edges;   /* bit e is set if a condition reads pattern edge e */
	size_t name_count, name_capacity;
	const char **names;           /* [name_count] names of edge attributes, borrowed from the conditions */
	gemp_edge_values edge_values; /* this round: values of the distinct edges */
	gemp_column edge_types;       /* this round: [edge_values.count] names of relations; empty unless `types` */
	uint32_t *edge_index;         /* this round: [edges][rows] position of each edge among the distinct edges */
	size_t edge_capacity;
	bool types;        /* a condition reads type(r) */
	size_t rows;       /* this round: number of rows */
	uint64_t mentions; /* number of attributes and keys that the conditions mention */
	uint64_t copied;   /* number of values fetched so far */
} gemp_row_values;

/* Makes the sink. conditions[0..count), graph, filter and next are borrowed. If filter is NULL, the host evaluates all
 * conditions. `count_loops` says whether degrees count loops (gemp_degree_loops). Batches need edge columns if a
 * condition reads edges. The rounds of `next` end through this sink. */
gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next);

/* What this rank has fetched and read so far. */
typedef struct gemp_residual_figures {
	uint64_t copied;   /* attribute values that were fetched; each round fetches a value once */
	uint64_t referred; /* attribute values that the tested rows read; each mention in a condition counts */
} gemp_residual_figures;
gemp_residual_figures gemp_residual_figures_of(const gemp_sink *residual);

#endif
