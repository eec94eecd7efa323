/* batch: batches of matches, the sinks that consume them, a store of rows, and a sink that counts. Host only.
 *
 * A batch is `rows` rows of vertices [rows * vertex_count] and edges [rows * edge_count], row by row, in the order of
 * the pattern's variables. An engine passes finished rows to the first sink of a chain: filter by attributes, distinct,
 * projection, writer. `consume` is local and may be called at any time. `end_round` is collective: every rank calls it
 * once per round. In it a sink may exchange rows, write together with other ranks, and pass on stored rows. `consume`
 * may return its errors at once; `end_round` returns the same code on all ranks. */

#ifndef GEMP_GRAPH_BATCH_H
#define GEMP_GRAPH_BATCH_H

#include "core/timer.h"
#include "core/types.h"
#include "graph/column.h"

#include <stdlib.h>

/* Rows of matches. Vertices are ids. Columns are in the order of the pattern's variables. */
typedef struct gemp_batch {
	size_t rows;
	size_t ahead; /* rows of the next batches, as far as the engine knows them: a sink may make room for them */
	int vertex_count, edge_count;
	const gemp_vertex *vertices; /* [rows * vertex_count], row by row */
	const gemp_edge *edges;      /* [rows * edge_count], row by row; edges are numbered across all relations */
	size_t value_count;
	/* [value_count] of `rows` rows: the results of the pattern's sub-patterns, by index; a boolean of EXISTS, an
	 * integer of COUNT */
	const gemp_column *values;
	/* number of rows that the device has left out of this batch, since their classes had been passed on before; only a
	 * sink that counts rows needs it */
	uint64_t left_out;
	const uint64_t *multiplicity; /* [rows] number of equal rows that each row stands for; NULL: 1 each */
} gemp_batch;

typedef struct gemp_sink {
	void *self;
	gemp_code (*consume)(void *self, const gemp_batch *batch);
	/* Collective. last: no more rows follow. A sink sets *enough, equally on all ranks, if it needs no more rows, and
	 * *again if the search must find the rows once more (distinct in passes). Otherwise it leaves both unchanged. */
	gemp_code (*end_round)(void *self, bool last, bool *enough, bool *again);
	void (*free)(void *self);
} gemp_sink;

/* Pass a batch to the sink, or end its round (collective). The time that the sinks of the chain do not measure
 * themselves counts to GEMP_PHASE_DELIVER. */
gemp_code gemp_sink_deliver(const gemp_sink *sink, const gemp_batch *batch, gemp_timers *timers);
gemp_code gemp_sink_end_round(const gemp_sink *sink, bool last, bool *enough, bool *again, gemp_timers *timers);

/* Frees a sink and sets it to {0}. The sink may already be {0}. */
static inline void gemp_sink_free(gemp_sink *sink)
{
	if (sink->free)
		sink->free(sink->self);
	*sink = (gemp_sink){ 0 };
}

/* A store of the rows of several batches, until the end of a round. */
typedef struct gemp_row_store {
	int vertex_count, edge_count; /* number of vertices and of edges of each row; the first batch sets both */
	size_t rows;
	size_t vertex_capacity, edge_capacity;
	gemp_vertex *vertices; /* [rows * vertex_count] */
	gemp_edge *edges;      /* [rows * edge_count] */
	size_t value_count;
	gemp_column *values; /* [value_count] of `rows` rows each: integers and booleans, never NULL */
	bool counted;        /* some batch had multiplicities */
	size_t multiplicity_capacity;
	uint64_t *multiplicity; /* [rows] if counted is true */
} gemp_row_store;

/* Copies the first `rows` rows of a batch. */
gemp_code gemp_row_store_add(gemp_row_store *store, const gemp_batch *batch, size_t rows);
/* Returns `count` rows from row `first` on, as a view without multiplicities. Values are not cut. */
gemp_row_store gemp_row_store_part(const gemp_row_store *store, size_t first, size_t count);
/* Removes the rows with keep[row] == 0. */
void gemp_row_store_keep(gemp_row_store *store, const uint8_t *keep);
gemp_batch gemp_row_store_batch(const gemp_row_store *store);
/* If there are rows, passes all of them to the sink as one batch. Then clears the store. */
gemp_code gemp_row_store_pass(gemp_row_store *store, const gemp_sink *next);
void gemp_row_store_clear(gemp_row_store *store); /* keeps the memory */
void gemp_row_store_free(gemp_row_store *store);

/* Returns a sink that adds all rows to the store. The caller keeps the store; freeing the sink frees nothing. */
gemp_sink gemp_row_store_sink(gemp_row_store *store);
/* The function end_round of sinks that only collect rows. */
gemp_code gemp_sink_keep_collecting(void *self, bool last, bool *enough, bool *again);

enum { GEMP_PART_STEPS = 7 }; /* 1, 2, 4, ..., 64 parts */

/* A sink that counts all matches, and the matches whose vertices are all in one of P parts of the graph. */

typedef struct gemp_count_sink {
	gemp_sink *next;                    /* NULL: this is the last sink */
	uint64_t vertices;                  /* number of vertices of the graph */
	bool parts;                         /* within[] is computed */
	bool first_pass_done;               /* later passes bring the same rows again */
	gemp_count rows;                    /* with those that a device has left out */
	gemp_count within[GEMP_PART_STEPS]; /* [i] number of matches within one of 2^i parts */
} gemp_count_sink;

/* Returns a sink that uses `tally`. The caller keeps `tally`; freeing the sink frees nothing. */
gemp_sink gemp_count_sink_of(gemp_count_sink *tally);

#endif
