/* batch: batches of matches, and the sinks that consume them. Host only.
 *
 * A batch is `rows` rows of vertices [rows * vertex_count] and edges [rows * edge_count], row by row, in the order of the
 * pattern's variables. An engine passes finished rows to the first sink of a chain: filter by attributes, distinct,
 * projection, writer. `consume` is local and may be called at any time. `end_round` is collective, once a round on every
 * rank: there a sink may exchange rows, write together with other ranks, and pass on what it kept. `consume` may return its
 * errors at once; `end_round` returns the same code on all ranks.
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
	const gemp_column *values;    /* [value_count] of `rows` rows: the results of the pattern's sub-patterns, by index:
	                                  a boolean of EXISTS, an integer of COUNT */
	const uint64_t *multiplicity; /* [rows]; NULL: 1 each */
} gemp_batch;

typedef struct gemp_sink {
	void *self;
	gemp_code (*consume)(void *self, const gemp_batch *batch);
	/* Collective. last: no more rows come. A sink sets *enough, alike on all ranks, when it wants no more rows, and *again
	 * when the rows must be found once more (distinct in passes); it may leave both alone. */
	gemp_code (*end_round)(void *self, bool last, bool *enough, bool *again);
	void (*free)(void *self);
} gemp_sink;

/* Accepts {0}, too. */
static inline void gemp_sink_free(gemp_sink *sink)
{
	if (sink->free)
		sink->free(sink->self);
	*sink = (gemp_sink){ 0 };
}

#endif
