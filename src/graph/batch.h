/* table: batches of matches and the sinks that take them. Host only.
 *
 * An engine hands finished rows to the first sink of a chain: filter by attributes, distinct, projection, writer.
 * `take` is local and may come at any time; `turn` is collective, once a round on every rank, and is where a sink may
 * exchange, write together with others, and hand on what it kept. Errors met in `take` may be returned at once; in
 * `turn` all ranks return the same code.
 */

#ifndef GEMP_GRAPH_BATCH_H
#define GEMP_GRAPH_BATCH_H

#include "core/types.h"
#include "graph/column.h"

#include <stdlib.h>

/* Rows of a typed slot table. Vertices are ids. Columns are in the order of the pattern's variables. */
typedef struct gemp_batch {
	size_t rows;
	int vertex_count, edge_count;
	const gemp_vertex *vertices; /* [rows * vertex_count], row by row */
	const gemp_edge *edges;      /* [rows * edge_count], row by row; edges of all relations numbered through */
	size_t value_count;
	const gemp_column *values;    /* [value_count], `rows` rows each: of the matcher's rows, what the pattern's
	                                  sub-patterns give, by index: EXISTS a truth, COUNT a number */
	const uint64_t *multiplicity; /* [rows]; NULL: 1 each */
} gemp_batch;

typedef struct gemp_sink {
	void *self;
	gemp_code (*consume)(void *self, const gemp_batch *batch);
	/* Collective. last: no more rows come. *enough is set, alike on all ranks, when no more rows are wanted; *again is
	 * set when the rows must be found once more (distinct in passes); both may be left alone. */
	gemp_code (*end_round)(void *self, bool last, bool *enough, bool *again);
	void (*free)(void *self);
} gemp_sink;

/* Takes a sink that was never made ({0}), too. */
static inline void gemp_sink_free(gemp_sink *sink)
{
	if (sink->free)
		sink->free(sink->self);
	*sink = (gemp_sink){ 0 };
}

#endif
