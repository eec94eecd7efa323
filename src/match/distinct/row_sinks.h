/* row_sinks: sinks that matches pass on their way: a store for the rows of a round, and a sink that counts rows. */

#ifndef GEMP_MATCH_DISTINCT_ROW_SINKS_H
#define GEMP_MATCH_DISTINCT_ROW_SINKS_H

#include "graph/batch.h"

typedef struct gemp_row_store {
	int vertex_count, edge_count; /* of the batches taken; set by the first */
	size_t rows;
	size_t vertex_capacity, edge_capacity;
	gemp_vertex *vertices; /* [rows * vertex_count] */
	gemp_edge *edges;      /* [rows * edge_count] */
	size_t value_count;
	gemp_column *values; /* [value_count] of `rows` rows each: numbers and truths, never NULL */
} gemp_row_store;

/* Copies the first `rows` rows of a batch. Rows carry no multiplicity at this point of a chain. */
gemp_code gemp_row_store_add(gemp_row_store *store, const gemp_batch *batch, size_t rows);
/* Keeps just the rows with keep[row] != 0. */
void gemp_row_store_keep(gemp_row_store *store, const uint8_t *keep);
gemp_batch gemp_row_store_batch(const gemp_row_store *store);
void gemp_row_store_clear(gemp_row_store *store); /* keeps its memory */
void gemp_row_store_free(gemp_row_store *store);

/* A sink that adds all rows to the store, which the caller keeps; freeing it frees nothing. */
gemp_sink gemp_row_store_sink(gemp_row_store *store);
/* end_round of sinks that only collect. */
gemp_code gemp_sink_keep_collecting(void *self, bool last, bool *enough, bool *again);

enum { GEMP_PART_STEPS = 7 }; /* parts 1, 2, 4, ... 64 */

/* A sink that counts what passes, and how many matches lie within one of P parts of the graph. */

typedef struct gemp_count_sink {
	gemp_sink *next;      /* NULL: the end */
	uint64_t vertices;    /* of the graph */
	bool parts;           /* count within[] */
	bool first_pass_done; /* a first pass has ended: later ones bring the same rows again */
	gemp_count rows;
	gemp_count within[GEMP_PART_STEPS];
} gemp_count_sink;

/* sink works on `tally`, which the caller keeps; freeing the sink frees nothing. */
gemp_sink gemp_count_sink_of(gemp_count_sink *tally);

#endif
