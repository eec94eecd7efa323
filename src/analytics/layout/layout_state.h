/* layout_state: the intermediate data of the steps that make a layout. Private to this folder.
 *
 *   layout_build  finds the columns of weights and chooses the type in which weights are stored
 *   arcs          collects the edges that lead to this rank's rows as arcs, by ranges of rows
 *   vertex_order  counts degrees, orders own vertices, finds ghosts and makes links
 *   layout_rows   turns arcs into rows of local vertices
 *   layout_lists  makes rows from the graph's rows by target, which needs no arcs
 *   list_weights  finds the weights of these rows
 *   list_device   makes these rows on the device
 *
 * If edges are cut by target, the graph's rows by target already are the arcs to this rank's rows, so no arc is made or
 * sent. Arcs are made on a grid of several columns, and for graphs in memory without rows by target. */

#ifndef GEMP_ANALYTICS_LAYOUT_LAYOUT_STATE_H
#define GEMP_ANALYTICS_LAYOUT_LAYOUT_STATE_H

#include "analytics/layout/layout.h"
#include "core/bitset.h"
#include "core/search.h"

/* An arc is an edge in one of its directions, stored as words of 32 bits. So the same loop moves arcs with any type of
 * weight. */
enum {
	ARC_TO,     /* the target: its id minus gemp_layout_state.first */
	ARC_FROM,   /* the source: its id */
	ARC_WEIGHT, /* the weight, 0, 1 or 2 words */
	ARC_MAX = 4,
};

/* Arcs in ranges of rows. A thread processes one range at a time, in its cache. */
typedef struct gemp_layout_arcs {
	unsigned words; /* number of words of an arc */
	uint64_t count;
	uint32_t *word; /* [count * words] */
	unsigned shift; /* row `to` belongs to range to >> shift */
	size_t ranges;
	uint64_t *begin; /* [ranges + 1] first arc of each range */
} gemp_layout_arcs;

/* An edge type, and the directions in which its edges lead. */
typedef struct gemp_layout_type {
	const gemp_relation *relation;
	const gemp_column *weight; /* NULL: unweighted */
	bool merged;               /* the rows of both directions are loaded merged, and alone (GEMP_LOAD_EITHER) */
	bool forward, backward;    /* an edge that leads both ways is two arcs, but a loop is one arc */
} gemp_layout_type;

typedef struct gemp_layout_state {
	const gemp_comm *comm;
	const gemp_shard *graph;
	gemp_layout *out;
	/* the rows by target of all types are here, and edges are cut by target: the layout is made from in_lists */
	bool listed;
	gemp_layout_type *types; /* [type_count] */
	size_t type_count;
	/* [list_count] rows of this rank, of ids: out_lists are the arcs that leave own vertices, and in_lists, if
	 * listed, the arcs that lead to them */
	gemp_id_rows *in_lists, *out_lists;
	void **in_weights; /* [list_count][entries] in the type layout->weights, if listed with weights; else NULL */
	size_t list_count;
	uint64_t first, targets; /* the ranks of this row of the grid own the ids [first, first + targets) */
	gemp_layout_arcs arcs;
	uint64_t *from_own, *from_ghost; /* [targets] number of arcs to each target from own vertices, and from ghosts */
	gemp_rank_bitmap ghosts;         /* with several ranks: ids of vertices that other ranks own and this rank knows */
	uint32_t *ghost_local;           /* [ghosts] local vertex of each ghost, by id */
	uint64_t *in_counts;             /* with several columns: [own] number of arcs to each row, on all ranks */
	/* with several columns: [targets] row among own rows or in in_other; GEMP_NO_VERTEX: no edge leads to the target */
	uint32_t *row;
	uint32_t others;
} gemp_layout_state;

static inline bool gemp_layout_is_own(const gemp_layout_state *state, uint64_t target)
{
	return state->first + target - state->graph->first_vertex < state->graph->rows;
}

/* The row of a target, among own rows or in in_other. */
static inline uint32_t gemp_layout_row_at(const gemp_layout_state *state, size_t target)
{
	return state->row ? state->row[target] : state->out->local[target];
}

/* The local vertex of an id that this rank knows. */
static inline uint32_t gemp_layout_local_of(const gemp_layout_state *state, gemp_vertex id)
{
	uint64_t row = id - state->graph->first_vertex;
	return row < state->graph->rows ? state->out->local[row]
	                                : state->ghost_local[gemp_rank_bitmap_rank(&state->ghosts, id)];
}

/* The own vertices in a list of ascending ids. */
static inline gemp_block_range gemp_layout_own_part(const gemp_layout_state *state, const gemp_vertex *ids,
                                                    size_t count)
{
	const uint64_t first = state->graph->first_vertex;
	return (gemp_block_range){ gemp_lower_bound_u32(ids, count, (uint32_t)first),
		                       gemp_lower_bound_u32(ids, count, (uint32_t)(first + state->graph->rows)) };
}

/* The number of entries that are not taken from a row of a list, because they are loops. */
static inline uint64_t gemp_layout_dropped(const gemp_layout_state *state, const gemp_id_rows *list, size_t row)
{
	const uint64_t end = list->begin[row + 1], id = state->graph->first_vertex + row;
	uint64_t loops = 0;
	for (uint64_t e = list->begin[row]; list->drop_loops && e < end; e++)
		loops += list->ids[e] == id;
	return loops;
}

/* If the function is inlined with a constant number of words, the copy needs no loop. */
static inline void gemp_layout_arc_copy(uint32_t *to, const uint32_t *from, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		to[w] = from[w];
}

/* Converts a weight of any type to double. */
static inline double gemp_layout_weight_at(gemp_layout_weights weights, const void *weight, uint64_t edge)
{
	switch (weights) {
	case GEMP_LAYOUT_U8: return ((const uint8_t *)weight)[edge];
	case GEMP_LAYOUT_U16: return ((const uint16_t *)weight)[edge];
	case GEMP_LAYOUT_U32: return ((const uint32_t *)weight)[edge];
	case GEMP_LAYOUT_U64: return (double)((const uint64_t *)weight)[edge];
	case GEMP_LAYOUT_F32: return (double)((const float *)weight)[edge];
	default: return ((const double *)weight)[edge];
	}
}

/* The number of arcs of a chunk. It repays the start of a thread, and limits the memory of the chunks' counters, since
 * there are at most about 512 chunks. */
static inline uint64_t gemp_layout_chunk(uint64_t arcs)
{
	return arcs / 512 > 1 << 15 ? arcs / 512 : 1 << 15;
}

/* Collective. Makes all arcs that lead to this rank's rows, by ranges of rows. */
gemp_code gemp_layout_make_arcs(gemp_layout_state *state);
/* Prefix sums for a stable split into buckets by chunks. On entry count[chunks * buckets] is the number of arcs in each
 * bucket of each chunk. It becomes the place of the first of these arcs if the buckets lie one behind the other, and
 * begin[buckets + 1] becomes the places where buckets begin. */
void gemp_layout_bucket_places(uint64_t *count, size_t chunks, size_t buckets, uint64_t *begin);

/* Chooses the number of ranges of rows for `count` arcs. Both the number of ranges and the number of rows in a range, 1
 * << *shift, are powers of 2. */
void gemp_layout_choose_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift);

/* Collective. Sets degrees, the order of own vertices, ghosts and links. */
gemp_code gemp_layout_make_order(gemp_layout_state *state);

/* Local. Allocates ends and weights, which are 0. Offsets are set. */
gemp_code gemp_layout_allocate_ends(gemp_layout_rows *rows, gemp_layout_weights weights);
/* Local. The same, but on entry rows->begin[r + 1] is the number of edges of row r. Sets the offsets first. */
gemp_code gemp_layout_new_ends(gemp_layout_rows *rows, gemp_layout_weights weights);
/* Local. Sets in_lists and out_lists. */
gemp_code gemp_layout_list_types(gemp_layout_state *state);
/* Collective. Sets in_weights. */
gemp_code gemp_layout_list_weights(gemp_layout_state *state);

/* Does partition/views/renumber.h make the rows, by source as well as by target? It is for a single rank without
 * weights. */
static inline bool gemp_layout_renumbered(const gemp_layout_state *state)
{
	return state->listed && state->comm->size == 1 && state->out->weights == GEMP_LAYOUT_UNWEIGHTED;
}

/* Local; follows gemp_layout_make_order if state->listed. Makes the members `in` and `in_ghost`, and if
 * gemp_layout_renumbered or on the device also `out`. If the device, which may be NULL, can make the rows, the host
 * gets only offsets. */
gemp_code gemp_layout_make_lists(gemp_layout_state *state, gemp_device *device, unsigned parts);
/* Local. Makes the members `in`, `in_ghost` and `in_other`, and frees the arcs. */
gemp_code gemp_layout_make_in(gemp_layout_state *state);
/* Local. Makes `out` from `in`, `in_ghost` and `in_other`. */
gemp_code gemp_layout_make_out(gemp_layout *layout);
/* Can out_weight be made from the lists? The weights of edges that lead only backward are on other ranks. */
bool gemp_layout_sums_lists(const gemp_layout_state *state);
/* Local. Makes out_weight from the lists, after gemp_layout_make_order. */
gemp_code gemp_layout_sum_lists(gemp_layout_state *state);
/* Collective. Makes out_weight from `out`. */
gemp_code gemp_layout_make_out_weight(gemp_layout *layout);

#endif
