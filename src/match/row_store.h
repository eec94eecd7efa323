/* row_store: the rows of matches that a sink holds from take to turn. */
#ifndef GEMP_MATCH_ROW_STORE_H
#define GEMP_MATCH_ROW_STORE_H

#include "graph/table.h"

typedef struct gemp_row_store {
	int vertex_count, edge_count;      /* of the batches taken; set by the first */
	size_t rows;
	size_t vertex_capacity, edge_capacity;
	gemp_vertex *vertices;             /* [rows * vertex_count] */
	gemp_edge *edges;                  /* [rows * edge_count] */
	size_t value_count;
	gemp_column *values;               /* [value_count] of `rows` rows each: numbers and truths, never NULL */
} gemp_row_store;

/* Copies the first `rows` rows of a batch. Rows carry no multiplicity at this point of a chain. */
gemp_code gemp_row_store_add(gemp_row_store *store, const gemp_batch *batch, size_t rows);
/* Keeps just the rows with keep[row] != 0. */
void gemp_row_store_keep(gemp_row_store *store, const uint8_t *keep);
gemp_batch gemp_row_store_batch(const gemp_row_store *store);
void gemp_row_store_clear(gemp_row_store *store); /* keeps its memory */
void gemp_row_store_free(gemp_row_store *store);

#endif
