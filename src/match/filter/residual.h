/* residual: conditions that are tested on finished matches (the second phase of attributes): a sink that hands on the
 * rows for which all of them are true.
 *
 * Once a round the distinct vertices and edges that conditions ask about are collected and their values fetched from
 * their owners, which is collective. Conditions on one vertex are evaluated on the device, those between several
 * elements on the host.
 */

#ifndef GEMP_MATCH_FILTER_RESIDUAL_H
#define GEMP_MATCH_FILTER_RESIDUAL_H

#include "graph/batch.h"
#include "match/filter/computed_columns.h"
#include "match/filter/element_values.h"
#include "match/filter/filter.h"

/* The values of vertices and edges that conditions on rows ask for, fetched from their owners once a round:
 * the values of each distinct element, and for each row the index of its element among them.
 */

/* Pattern vertices of which the same columns are asked: their images are fetched together. */
typedef struct gemp_row_group {
	uint64_t members; /* pattern vertices */
	size_t column_count;
	int *column;           /* [column_count] ascending, as gemp_fetch takes them */
	size_t distinct_count; /* distinct images; this turn, as what follows */
	gemp_column *values;   /* [column_count], of found_count rows each */
	uint32_t *index;       /* [members][rows]: of each image among the distinct ones */
	size_t capacity;
} gemp_row_group;

typedef struct gemp_row_values {
	gemp_runtime *context;
	gemp_shard *graph;
	size_t group_count;
	gemp_row_group groups[GEMP_MAX_PATTERN_VERTICES];
	int group_of[GEMP_MAX_PATTERN_VERTICES]; /* -1: nothing is asked of this vertex */
	gemp_degree_columns degrees;
	bool count_loops; /* in degrees; to be set before the first turn */
	uint64_t edges;   /* bit e: something is asked of pattern edge e */
	size_t name_count, name_capacity;
	const char **names;           /* [name_count] of edge attributes, borrowed from the conditions */
	gemp_edge_values edge_values; /* this turn, as what follows */
	gemp_column edge_types;       /* [edge_values.count]; no rows where nobody asks */
	uint32_t *edge_index;         /* [edges][rows] */
	size_t edge_capacity;
	bool types; /* type(r) is asked for */
	size_t rows;
	uint64_t mentions; /* attributes and keys that the conditions mention */
	uint64_t copied;   /* values fetched so far */
} gemp_row_values;

/* conditions[0..count), graph, filter and next are borrowed. filter NULL: all is evaluated on the host.
 * count_loops: in degrees, see gemp_degree_loops. Batches need edge columns if a condition uses edges. Turns of next come
 * through this sink. */
gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next);

/* Of this rank, so far: attribute values fetched, each distinct vertex (or edge) once a turn; and attribute values that the
 * tested rows refer to, each mention counted. */
uint64_t gemp_residual_copied(const gemp_sink *residual);
uint64_t gemp_residual_referred(const gemp_sink *residual);

#endif
