/* search: a device at work on a plan: tasks in, matches and partial matches out. A rank with several devices has a search on
 * each (match/crew.h).
 *
 * Tasks of a stage are taken by workers until none is left, the result buffer is full, or an outbox area is. A worker that
 * cannot go on keeps its place (it is parked) and resumes with the next launch of its stage: nothing is lost or counted
 * twice. Each stage has its own parked workers, so that deeper stages can always be drained first.
 */
#ifndef GEMP_MATCH_SEARCH_H
#define GEMP_MATCH_SEARCH_H

#include "device/readback.h"
#include "graph/table.h"
#include "match/candidates.h"
#include "match/deal.h"
#include "match/emit.h"
#include "partition/view.h"

/* Work of one stage on this rank. */
typedef struct gemp_work {
	gemp_buffer state;     /* parked workers; made when the stage first runs */
	gemp_buffer tasks;     /* items on the device, from `next` on still to be taken (pivots: stage 0) */
	size_t next, count;
	bool parked;           /* some worker holds a task */
	bool blocked;          /* for want of room in the outbox: not before the next exchange */
} gemp_work;

/* A launch, from its begin to its end. */
typedef struct gemp_launching {
	bool under_way;
	size_t stage, tasks;   /* not of nested loops */
	int buffer;            /* for results */
	double seconds;        /* that beginning it took */
} gemp_launching;

/* Matches of a launch on their way to the sink. */
typedef struct gemp_pending {
	int buffer;            /* which of the two; -1: none */
	size_t count;
} gemp_pending;

typedef struct gemp_search_options {
	bool listed;
	int lanes;             /* 0: choose */
	uint64_t result_buffer;/* entries; 0: choose */
	uint64_t outbox;       /* items an area; 0: choose */
	double launch_factor;  /* C of the launch formula; 0: 0.8 */
	bool profile;          /* count what passes each step */
	bool explained;        /* it will not run: no kernel is built */
	uint64_t per;          /* pattern vertices at whose images matches are counted (match/vertex_counts.h) */
	bool first_only;       /* one result of each task is enough */
	bool by_formula;       /* matches need not be found one by one, only their number */
	const uint32_t *key_rank; /* [vertices] by id, if plan->keys; borrowed while the search is made */
	const struct gemp_search *like; /* the same search on the rank's first device, whose deal this one takes from; NULL: none */
	uint64_t round_entries;/* not 0: rows come in rounds (gemp_search_rows), at most so many entries of a view at a time */
} gemp_search_options;

/* Images of the given vertices, from where a search starts instead of from pivots. */
typedef struct gemp_seeds {
	const gemp_vertex *ids; /* [count * given] borrowed */
	size_t count, next;     /* next: the first that is not on the device yet */
} gemp_seeds;

/* What the host does while the device is at the next launch, once; collective, so that a rank with nothing to launch does it
 * all the same (gemp_search_beside). */
typedef struct gemp_beside {
	gemp_code (*work)(void *self); /* NULL: nothing, or done */
	void *self;
	double seconds;                /* that it took */
} gemp_beside;

typedef struct gemp_search_statistics {
	uint64_t launches, stage_launches; /* all; those of stages other than pivots */
	double fill;                       /* sum over listing launches of entries / capacity */
	uint64_t listing_launches;
	uint64_t taken;                    /* tasks */
	uint64_t found_local, found_crossed;
	double kernel_seconds;
	uint64_t sent[GEMP_MAX_STEPS];     /* bytes to other ranks on the way into each step */
	uint64_t item_bytes, item_words_bytes; /* of partial matches to other ranks: coded; in whole words */
} gemp_search_statistics;
void gemp_search_statistics_add(gemp_search_statistics *to, const gemp_search_statistics *from);

typedef struct gemp_nested_search gemp_nested_search; /* match/nested_search.h */

typedef struct gemp_search {
	gemp_context *context;
	struct gemp_search *next;   /* on the rank's next device; freed with this one. NULL: this is the last */
	const gemp_graph *graph;
	const gemp_plan *plan;
	const gemp_order *order;
	gemp_layout layout;
	gemp_emit_options emit;
	gemp_search_options options;
	gemp_program program;
	cl_kernel kernel;
	gemp_nested_search *nested; /* NULL: the kernel is a state machine */
	bool stored;                /* the program's binary, after first launches */
	size_t workers;
	uint32_t vertices, hot, ranks, split;
	gemp_buffer begin[GEMP_MAX_VIEWS], near[GEMP_MAX_VIEWS], edge[GEMP_MAX_VIEWS]; /* borrowed from the views */
	gemp_buffer own, id_of, bounds, key_rank, candidates, pivot_bits, control;
	gemp_readback result[2];        /* ids, row by row; from word result_edges on edges, row by row */
	gemp_buffer out, out_capacity, out_base, tables, marks, passed, vertex_counts;
	uint32_t candidate_words;
	size_t areas;               /* stages * (ranks + 1) */
	uint32_t *control_words;    /* [GEMP_CONTROL_WORDS + areas] as read after the last launch */
	uint32_t *capacity;         /* [areas] items that may lie in an area until the next exchange */
	uint64_t *base;             /* [areas] word where an area begins */
	uint32_t slots;             /* items an area can hold at most */
	gemp_work *work;            /* [stage_count] */
	size_t pivots;              /* or seeds; of all rounds */
	size_t pivot_room;          /* pivots that it was made for */
	gemp_vertex *pivot_slots;   /* [pivots] ascending */
	gemp_deal *deal;            /* of all ranks' pivots, which are those above; NULL: these are this rank's own */
	gemp_piece piece;           /* of it that this search is at; slices 0: none yet */
	size_t least_piece;         /* pivots or tasks that a piece of it has at least, */
	uint64_t least_cost;        /* and what it costs at least */
	const gemp_view *views;     /* rows at hand, borrowed */
	gemp_part part;             /* the pivots or seeds that the next restart begins with: all, or those of a round */
	gemp_seeds seeds;
	uint32_t *seed_slots;       /* [seed_room * given] on their way to the device */
	size_t seed_room;           /* seeds on the device at a time */
	double batch;               /* N of the launch formula */
	int next_buffer;
	gemp_launching launch;
	gemp_pending pending;
	gemp_search_statistics statistics;
	gemp_sink *sink;            /* first of the chain; NULL: count only */
	gemp_beside beside;
	uint64_t result_capacity;   /* rows */
	size_t result_edges;        /* bytes in front of the edges */
	size_t graph_bytes, result_bytes; /* on the device */
	size_t round_bytes;         /* of the rows of the largest round; in graph_bytes */
} gemp_search;

/* Collective. Uploads rows, bitmaps and pivots, and builds the kernel. All is borrowed but the device's copies. Where rows
 * come in rounds, the views given here only tell how long rows are, and nothing of them is uploaded. */
gemp_code gemp_search_new(gemp_search **out, gemp_context *context, const gemp_graph *graph, const gemp_plan *plan,
                          const gemp_order *order, const gemp_residency *residency, gemp_view *views,
                          const gemp_candidates *candidates, const gemp_search_options *options);
void gemp_search_free(gemp_search *search);

/* Local. The rows of a round, in place of those of the round before, and the pivots (of pivot_slots) or seeds that restarts
 * begin with until the next. The views are borrowed. */
gemp_code gemp_search_rows(gemp_search *search, gemp_view *views, gemp_part part);
/* Local. Of the pivots only these, slots, ascending. The next part has them. */
void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count);
/* Local. A bitmap by slot in place of that of a pattern vertex which has one. */
gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits);

/* Local. Slots low .. high - 1, in place of the bitmap of one of plan->ranges; not of nested loops. */
gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high);

/* Where the plan has given vertices: what to start from at the next restart. */
void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count);
/* Local. From the part's first pivot or seed again, with nothing under way. anew: also what is counted at vertices. */
gemp_code gemp_search_restart(gemp_search *search, bool anew);

/* Local. Since the search was made, for each of the plan's steps: partial matches that passed it, entries of rows walked,
 * and vertices searched for in rows; for searches with options.profile. */
gemp_code gemp_search_profile(gemp_search *search, uint64_t *rows, uint64_t *entries, uint64_t *lookups);

/* Local. One launch of the deepest stage that can run; *ran is false if none can; or the one that is under way. Results of the
 * launch before are delivered while the device is busy. */
gemp_code gemp_search_launch(gemp_search *search, bool *ran);
/* Its parts, for devices that run side by side. Between both, what the launch before has left is to be delivered. */
gemp_code gemp_search_begin(gemp_search *search, bool *ran);
gemp_code gemp_search_end(gemp_search *search); /* waits */
/* Collective, as the work is. Unless a launch has done it. */
gemp_code gemp_search_beside(gemp_search *search);
/* Local. Hand the matches of the last launch to the sink. */
gemp_code gemp_search_deliver(gemp_search *search);

/* Candidates of the pivot that this rank answers for: in sum all, each once; and those that it is done with. */
uint64_t gemp_search_pivot_share(const gemp_search *search);
uint64_t gemp_search_pivots_done(const gemp_search *search);

/* Nothing left to do here: no pivots, seeds, tasks or parked workers. */
bool gemp_search_idle(const gemp_search *search);
/* Items of an area (stage, destination) so far. */
uint32_t gemp_search_items(const gemp_search *search, size_t stage, int destination);

#endif
