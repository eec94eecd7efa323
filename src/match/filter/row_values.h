/* row_values: the values that conditions read of the elements of a round's rows: the values of each distinct element,
 * and for each row the position of its element among the distinct elements. The values come from the elements'
 * owners. */

#ifndef GEMP_MATCH_FILTER_ROW_VALUES_H
#define GEMP_MATCH_FILTER_ROW_VALUES_H

#include "graph/batch.h"
#include "match/filter/computed_columns.h"
#include "match/filter/element_values.h"
#include "match/filter/row_test.h"

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
	bool copy_each;   /* each row has copies of its vertices' values; set before the first round */
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
	/* number of values fetched so far, and their bytes */
	uint64_t copied, copied_bytes;
} gemp_row_values;

/* Local. Notes which values the conditions read. After an error the caller frees *out. */
gemp_code gemp_row_values_new(gemp_row_values *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_condition *const *conditions, size_t count);
/* Drops the values of a round. The index arrays keep their memory for the next round. */
void gemp_row_values_reset(gemp_row_values *values);
void gemp_row_values_free(gemp_row_values *values);

/* Collective. Fetches the values that the conditions read of the round's rows. Degrees are computed in the first round
 * only. */
gemp_code gemp_row_values_fetch(gemp_row_values *values, const gemp_row_store *rows);

/* The bytes of the values of the present round, with offsets of strings and positions of rows. */
size_t gemp_row_values_bytes(const gemp_row_values *values);

/* Sets *column to the column that the expression reads of its vertex. Returns false if it reads no column. Columns of
 * degrees follow the columns of attributes. */
bool gemp_row_values_column(const gemp_row_values *values, const gemp_expr *expr, int *column);
/* [rows] the positions of one vertex's images among the distinct images of its group. */
uint32_t *gemp_row_values_places(const gemp_row_values *values, const gemp_row_group *group, int vertex);
/* A column of a vertex's values, and the position of each row's value in it. */
gemp_row_source gemp_row_values_of_vertex(const gemp_row_values *values, int vertex, int column);
/* A column of an edge's values, and the position of each row's value in it. */
gemp_row_source gemp_row_values_of_edge(const gemp_row_values *values, const gemp_expr *expr);

#endif
