/* row_values: the values of vertices and edges that conditions on rows ask for, fetched from their owners once a round:
 * the values of each distinct element, and for each row the index of its element among them.
 */

#ifndef GEMP_MATCH_FILTER_ROW_VALUES_H
#define GEMP_MATCH_FILTER_ROW_VALUES_H

#include "match/distinct/row_sinks.h"
#include "match/filter/computed_columns.h"
#include "match/filter/edge_values.h"
#include "match/filter/row_test.h"

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

/* Local. All is borrowed. */
gemp_code gemp_row_values_new(gemp_row_values *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_condition *const *conditions, size_t count);
void gemp_row_values_free(gemp_row_values *values);

/* Collective. For the rows of this turn. */
gemp_code gemp_row_values_fetch(gemp_row_values *values, const gemp_row_store *rows);
void gemp_row_values_reset(gemp_row_values *values);

/* Where the value of an expression lies for each row, as gemp_row_view wants it. */
bool gemp_row_values_source(const gemp_row_values *values, const gemp_row_store *rows, const gemp_expr *expr,
                            gemp_row_source *out);
/* Label sets of a pattern vertex, as numbers. */
gemp_row_source gemp_row_values_label_set(const gemp_row_values *values, int vertex);

/* [rows]: where a pattern vertex of this group has its values. */
const uint32_t *gemp_row_group_place(const gemp_row_values *values, const gemp_row_group *group, int vertex);

#endif
