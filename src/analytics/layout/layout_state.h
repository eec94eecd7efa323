/* layout_state: the intermediate data of the steps that make a layout. Private to this folder.
 *
 *   layout_build  finds the columns of weights and decides how weights are kept
 *   arcs          collects the edges that lead to this rank's rows as arcs, by ranges of rows
 *   vertex_order  counts degrees, orders own vertices, finds ghosts and makes links
 *   layout_rows   turns arcs into rows of local vertices
 *
 * One rank knows both ends of all edges: it orders its vertices first, and then makes arcs that need no sort.
 */

#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_STATE_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_STATE_H

#include "analytics/layout/layout.h"
#include "core/bitset.h"

/* An arc is an edge in one of its directions. It consists of words of 32 bits, so one loop moves arcs of any kind of
 * weight. */
enum {
	ARC_TO,     /* the target: its id minus gemp_layout_state.first */
	ARC_FROM,   /* the source: its id; on one rank its local vertex */
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
	uint64_t first, targets; /* ranks of this row of the grid own the ids [first, first + targets) */
	gemp_layout_arcs arcs;
	uint64_t *from_own, *from_ghost; /* [targets] arcs to each from own vertices, and from others */
	gemp_rank_bitmap ghosts;         /* several ranks: ids that are known here and owned by other ranks */
	uint32_t *ghost_local;           /* [ghosts] by id: local vertex */
	uint64_t *in_counts;             /* several columns: [own] by row: arcs of all ranks that lead there */
	uint32_t *row; /* several columns: [targets] row of each, own or other; GEMP_NO_VERTEX: no edge leads there */
	uint32_t others;
} gemp_layout_state;

static inline bool gemp_layout_is_own(const gemp_layout_state *state, uint64_t target)
{
	return state->first + target - state->graph->first_vertex < state->graph->rows;
}

/* The row of a target, among own or other ones. */
static inline uint32_t gemp_layout_row_at(const gemp_layout_state *state, size_t target)
{
	return state->row ? state->row[target] : state->out->local[target];
}

/* Inlined with a constant number of words, the copy needs no loop. */
static inline void gemp_layout_arc_copy(uint32_t *to, const uint32_t *from, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		to[w] = from[w];
}

/* The arcs of a chunk: enough to be worth a thread, and so many that about 512 chunks suffice, which limits the memory
 * of their counters. */
static inline uint64_t gemp_layout_chunk(uint64_t arcs)
{
	return arcs / 512 > 1 << 15 ? arcs / 512 : 1 << 15;
}

/* Collective. All arcs that lead to this rank's rows, by ranges of rows. */
gemp_code gemp_layout_make_arcs(gemp_layout_state *state);
/* Local. Makes the arcs of a single rank after gemp_layout_make_order. Sources ascend in each range, so no sort
 * follows. */
gemp_code gemp_layout_make_arcs_alone(gemp_layout_state *state);

/* A stable split into buckets, by chunks on all threads. count[chunks * buckets] is of arcs in each bucket of each
 * chunk; it becomes the place of the first of them where buckets follow one another, and begin[buckets + 1] where
 * buckets begin. */
void gemp_layout_bucket_places(uint64_t *count, size_t chunks, size_t buckets, uint64_t *begin);

/* As many ranges of rows as `count` arcs are worth, a power of 2, and their rows, a power of 2. */
void gemp_layout_choose_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift);

/* Collective. Degrees, the order of own vertices, ghosts, links. */
gemp_code gemp_layout_make_order(gemp_layout_state *state);

/* Local. begin[rows + 1] has counts of edges behind each row: makes the rest of the rows, whose weights are 0. */
gemp_code gemp_layout_new_ends(gemp_layout_rows *rows, gemp_layout_weights weights);
/* Local. in, in_ghost and in_other; the arcs are freed. */
gemp_code gemp_layout_make_in(gemp_layout_state *state);
/* Local. out, of in, in_ghost and in_other. */
gemp_code gemp_layout_make_out(gemp_layout *layout);
/* Collective. out_weight, of out. */
gemp_code gemp_layout_make_out_weight(gemp_layout *layout);

#endif
