/* What a layout is made of, from one step to the next: edges that lead here as arcs (layout_arcs), their order by
 * ranges of rows (layout_split), who is known (layout_order), rows of local vertices (layout_rows). Of this room
 * alone. */
#ifndef GEMP_GAS_LAYOUT_PARTS_H
#define GEMP_GAS_LAYOUT_PARTS_H

#include "gas/layout.h"
#include "gas/layout_weight.h"
#include "partition/bit_ranks.h"

/* An arc is an edge as it leads to a vertex: words of 32 bits, so that arcs of all weights are moved alike. */
enum {
	ARC_TO,      /* where it leads, in the making's range of targets */
	ARC_FROM,    /* where from: an id; alone, a local vertex */
	ARC_WEIGHT,  /* 0, 1 or 2 words */
	ARC_MOST = 4,
};

/* Arcs in ranges of rows, each of which a thread handles in its cache. */
typedef struct gemp_gas_arcs {
	unsigned words;  /* of an arc */
	uint64_t count;
	uint32_t *word;  /* [count * words] */
	unsigned shift;  /* of row `to`: range to >> shift */
	size_t ranges;
	uint64_t *begin; /* [ranges + 1] of each range */
} gemp_gas_arcs;

/* An edge type: which ways its edges lead. */
typedef struct gemp_gas_type {
	const gemp_relation *relation;
	const gemp_column *weight; /* NULL: unweighted */
	bool forward, backward;    /* an edge that leads both ways is one arc if it is a loop */
} gemp_gas_type;

typedef struct gemp_gas_making {
	const gemp_comm *comm;
	const gemp_graph *graph;
	gemp_gas_layout *out;
	bool alone;                  /* one rank, which has rows by target, too */
	gemp_gas_type *types;        /* [type_count] */
	size_t type_count;
	uint64_t first, targets;     /* ids [first, first + targets): what ranks of this row of the grid own */
	gemp_gas_arcs arcs;
	uint64_t *from_own, *from_ghost; /* [targets] arcs to each from own vertices, and from others */
	gemp_bit_ranks ghosts;       /* several ranks: ids that are known here, and own by others */
	uint32_t *ghost_local;       /* [ghosts] by id: local vertex */
	uint64_t *arriving;          /* several columns: [own] by row: arcs of all ranks that lead there */
	uint32_t *row;               /* the same: [targets] their rows, own or other; GEMP_NO_VERTEX: no edge leads there */
	uint32_t others;
} gemp_gas_making;

/* Collective. All arcs that lead to this rank's rows, by ranges. */
gemp_code gemp_gas_make_arcs(gemp_gas_making *m);
/* The same alone, once there is an order: in that of local vertices where they come from, so that nothing is left to
 * sort. */
gemp_code gemp_gas_make_arcs_alone(gemp_gas_making *m);
/* Collective. Degrees, the order of own vertices, ghosts, links. */
gemp_code gemp_gas_make_order(gemp_gas_making *m);
/* Collective, with several columns. arriving; then, when own vertices are in order, the rows of other ranks' targets, and
 * sums and in_sums. */
gemp_code gemp_gas_make_arriving(gemp_gas_making *m);
gemp_code gemp_gas_make_sums(gemp_gas_making *m);
/* Local. in, in_ghost and in_other; the arcs are forgotten. */
gemp_code gemp_gas_make_in(gemp_gas_making *m);
/* Local. out, of in, in_ghost and in_other. */
gemp_code gemp_gas_make_out(gemp_gas_layout *layout);
/* Collective. out_weight, of out. */
gemp_code gemp_gas_make_out_weight(gemp_gas_layout *layout);

/* SPLITS: arcs to buckets, stable, by pieces on all threads. count[pieces * buckets] is of arcs in each bucket of
 * each piece; it becomes the place of the first of them where buckets follow one another, and begin[buckets + 1]
 * those of buckets, from `first` on. */
void gemp_gas_places(uint64_t *count, size_t pieces, size_t buckets, uint64_t first, uint64_t *begin);

/* Local. arcs, of which only `words` is set, becomes word[count * arcs->words] by ranges of rows. */
gemp_code gemp_gas_split_arcs(gemp_gas_arcs *arcs, const uint32_t *word, uint64_t count, uint64_t rows);

/* As many ranges of rows as `count` arcs are worth, a power of 2, and their rows, a power of 2. */
void gemp_gas_ranges(uint64_t count, uint64_t rows, size_t *ranges, unsigned *shift);

static inline bool gemp_gas_is_own(const gemp_gas_making *m, uint64_t target)
{
	return m->first + target - m->graph->first < m->graph->rows;
}

/* The row of a target, among own or other ones. */
static inline uint32_t gemp_gas_row_at(const gemp_gas_making *m, size_t target)
{
	return m->row ? m->row[target] : m->out->local[target];
}

/* MEETING: vertices that other ranks own, and where they are. */
typedef struct gemp_gas_met {
	size_t count;
	uint32_t *id;          /* [count] ascending */
	uint32_t *key_rank;    /* [count] */
	uint32_t *order;       /* [count] numbers of them, by owner and then in the order that they have there */
	uint32_t *begin;       /* [ranks + 1] of each owner in order[] */
	uint64_t *asked_begin; /* [ranks + 1] */
	uint32_t *asked;       /* own vertices that rank r has met, ascending for each r */
} gemp_gas_met;

/* Collective. met->id and count are given, the rest is made. */
gemp_code gemp_gas_meet(gemp_gas_met *met, const gemp_gas_layout *layout);
void gemp_gas_met_free(gemp_gas_met *met);

/* The row of an edge, by its place. */
static inline size_t gemp_gas_row_of(const uint64_t *begin, size_t rows, uint64_t edge)
{
	size_t row = 0;
	while (rows > 1) { /* the last that begins at or before it */
		size_t half = rows / 2;
		if (begin[row + half] <= edge)
			row += half;
		rows -= half;
	}
	return row;
}

/* Copies of arcs are of constant size where `words` is. */
static inline void gemp_gas_arc_copy(uint32_t *to, const uint32_t *from, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		to[w] = from[w];
}

#endif
