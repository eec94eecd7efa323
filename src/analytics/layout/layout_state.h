/* What a layout is made of, from one step to the next: edges that lead here as arcs (layout_arcs), their order by
 * ranges of rows (layout_split), who is known (layout_order), rows of local vertices (layout_rows). Of this room
 * alone. */

#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_STATE_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_STATE_H

#include "analytics/layout/layout.h"
#include "partition/base/rank_bitmap.h"

/* An arc is an edge as it leads to a vertex: words of 32 bits, so that arcs of all weights are moved alike. */
enum {
	ARC_TO,     /* where it leads, in the making's range of targets */
	ARC_FROM,   /* where from: an id; alone, a local vertex */
	ARC_WEIGHT, /* 0, 1 or 2 words */
	ARC_MAX = 4,
};

/* Arcs in ranges of rows, each of which a thread handles in its cache. */
typedef struct gemp_layout_arcs {
	unsigned words; /* of an arc */
	uint64_t count;
	uint32_t *word; /* [count * words] */
	unsigned shift; /* of row `to`: range to >> shift */
	size_t ranges;
	uint64_t *begin; /* [ranges + 1] of each range */
} gemp_layout_arcs;

/* An edge type: which ways its edges lead. */
typedef struct gemp_layout_type {
	const gemp_relation *relation;
	const gemp_column *weight; /* NULL: unweighted */
	bool forward, backward;    /* an edge that leads both ways is one arc if it is a loop */
} gemp_layout_type;

typedef struct gemp_layout_state {
	const gemp_comm *comm;
	const gemp_shard *graph;
	gemp_layout *out;
	bool one_rank;           /* one rank, which has rows by target, too */
	gemp_layout_type *types; /* [type_count] */
	size_t type_count;
	uint64_t first, targets; /* ids [first, first + targets): what ranks of this row of the grid own */
	gemp_layout_arcs arcs;
	uint64_t *from_own, *from_ghost; /* [targets] arcs to each from own vertices, and from others */
	gemp_rank_bitmap ghosts;         /* several ranks: ids that are known here, and own by others */
	uint32_t *ghost_local;           /* [ghosts] by id: local vertex */
	uint64_t *in_counts;             /* several columns: [own] by row: arcs of all ranks that lead there */
	uint32_t *row; /* the same: [targets] their rows, own or other; GEMP_NO_VERTEX: no edge leads there */
	uint32_t others;
} gemp_layout_state;

static inline bool gemp_layout_is_own(const gemp_layout_state *m, uint64_t target)
{
	return m->first + target - m->graph->first_vertex < m->graph->rows;
}

/* The row of a target, among own or other ones. */
static inline uint32_t gemp_layout_row_at(const gemp_layout_state *m, size_t target)
{
	return m->row ? m->row[target] : m->out->local[target];
}

/* Copies of arcs are of constant size where `words` is. */
static inline void gemp_layout_arc_copy(uint32_t *to, const uint32_t *from, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		to[w] = from[w];
}

#endif
