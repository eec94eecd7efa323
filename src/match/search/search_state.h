/* search_state: the state of a search, which its modules share, and its buffers on the device. A search is made and freed by
 * search.h, and launches are those of search_launch.h.
 */

#ifndef GEMP_MATCH_SEARCH_SEARCH_STATE_H
#define GEMP_MATCH_SEARCH_SEARCH_STATE_H

#include "device/staging.h"
#include "graph/batch.h"
#include "match/codegen/kernel_text.h"
#include "match/filter/candidates.h"

/* Of pivots, in their order; or of seeds, or tasks. */
typedef struct gemp_task_range {
	size_t first, count;
} gemp_task_range;

typedef struct gemp_pivot_chunk {
	gemp_task_range range; /* of pivots; or of the slices of one: */
	size_t pivot, slices;  /* that one, and how many it has; 1: the pivots are whole */
} gemp_pivot_chunk;

typedef struct gemp_balancer {
	gemp_comm *comm;
	size_t node_count, node;  /* this rank's */
	uint64_t *devices;        /* [node_count] of the ranks of each node */
	uint64_t device_count;    /* of all */
	gemp_pivot_chunk *chunks; /* [count] of the chunks that the ranks of this node take */
	size_t count, capacity;
	bool sliced;           /* some chunk of some node consists of slices */
	uint64_t digest;       /* of the chunks of all nodes: ranks compare it */
	gemp_counter *counter; /* NULL: it is not open */
	/* Pivots in the chunks that this rank has taken since the balancer was opened. A sliced pivot counts with its first
	 * slice. */
	size_t done;
} gemp_balancer;

/* Work of one stage on this rank. */
typedef struct gemp_work {
	gemp_buffer state; /* parked workers; made when the stage first runs */
	gemp_buffer tasks; /* items on the device, from `next` on still to be taken (pivots: stage 0) */
	size_t next, count;
	bool parked;  /* some worker holds a task */
	bool blocked; /* for want of room in the outbox: not before the next exchange */
} gemp_work;

/* A launch, from its begin to its end. */
typedef struct gemp_launching {
	bool under_way;
	size_t stage, tasks; /* not of nested loops */
	int buffer;          /* for results */
	double seconds;      /* that beginning it took */
} gemp_launching;

/* Matches of a launch on their way to the sink. */
typedef struct gemp_pending {
	int buffer; /* which of the two; -1: none */
	size_t count;
} gemp_pending;

typedef struct gemp_search_options {
	bool listed;
	int lanes;                /* 0: choose */
	uint64_t result_buffer;   /* entries; 0: choose */
	uint64_t outbox;          /* items an area; 0: choose */
	double launch_factor;     /* C of the launch formula; 0: 0.8 */
	bool profile;             /* count what passes each step */
	bool explained;           /* it will not run: no kernel is built */
	uint64_t per;             /* pattern vertices at whose images matches are counted (match/match_run.h) */
	bool first_only;          /* one result of each task is enough */
	bool by_formula;          /* matches need not be found one by one, only their number */
	const uint32_t *key_rank; /* [vertices] by id, if plan->keys; borrowed while the search is made */
	const struct gemp_search
		*leader; /* the same search on the rank's first device, whose balancer this one takes from; NULL: none */
	uint64_t
		round_entries; /* not 0: rows come in rounds (gemp_search_rows), at most so many entries of a view at a time */
} gemp_search_options;

/* Images of the given vertices, from where a search starts instead of from pivots. */
typedef struct gemp_seeds {
	const gemp_vertex *ids; /* [count * given] borrowed */
	size_t count, next;     /* next: the first that is not on the device yet */
} gemp_seeds;

/* What the host does while the device is at the next launch, once; collective, so that a rank with nothing to launch does it
 * all the same (gemp_search_overlap). */
typedef struct gemp_overlap_work {
	gemp_code (*work)(void *self); /* NULL: nothing, or done */
	void *self;
	double seconds; /* that it took */
} gemp_overlap_work;

typedef struct gemp_search_statistics {
	uint64_t launches, stage_launches; /* all; those of stages other than pivots */
	double fill;                       /* sum over listing launches of entries / capacity */
	uint64_t listing_launches;
	uint64_t taken; /* tasks */
	uint64_t found_local, found_crossed;
	double kernel_seconds;
	uint64_t sent[GEMP_MAX_STEPS];         /* bytes to other ranks on the way into each step */
	uint64_t item_bytes, item_words_bytes; /* of partial matches to other ranks: coded; in whole words */
} gemp_search_statistics;

typedef struct gemp_nested_search gemp_nested_search; /* match/search/nested_search.h */

typedef struct gemp_search {
	gemp_runtime *context;
	struct gemp_search *next; /* on the rank's next device; freed with this one. NULL: this is the last */
	const gemp_shard *graph;
	const gemp_plan *plan;
	const gemp_slot_order *order;
	gemp_item_layout layout;
	gemp_emit_options emit;
	gemp_search_options options;
	gemp_program program;
	cl_kernel kernel;
	gemp_nested_search *nested; /* NULL: the kernel is a state machine */
	bool stored;                /* the program's binary, after first launches */
	size_t workers;
	uint32_t vertices, hot, ranks, split;
	gemp_buffer row_offsets[GEMP_MAX_VIEWS], column_indices[GEMP_MAX_VIEWS],
		edge[GEMP_MAX_VIEWS]; /* borrowed from the views */
	gemp_buffer own, id_of, bounds, key_rank, candidates, pivot_bits, control;
	gemp_readback result[2]; /* ids, row by row; from word result_edges on edges, row by row */
	gemp_buffer out, out_capacity, out_base, tables, marks, passed, vertex_counts;
	uint32_t candidate_words;
	size_t areas;             /* stages * (ranks + 1) */
	uint32_t *control_words;  /* [GEMP_CONTROL_WORDS + areas] as read after the last launch */
	uint32_t *capacity;       /* [areas] items that may lie in an area until the next exchange */
	uint64_t *base;           /* [areas] word where an area begins */
	uint32_t slots;           /* items an area can hold at most */
	gemp_work *work;          /* [stage_count] */
	size_t pivots;            /* or seeds; of all rounds */
	size_t pivot_capacity;    /* pivots that it was made for */
	gemp_vertex *pivot_slots; /* [pivots] ascending */
	gemp_balancer *balancer;  /* of all ranks' pivots, which are those above; NULL: these are this rank's own */
	gemp_pivot_chunk chunk;   /* of it that this search is at; slices 0: none yet */
	size_t min_piece;         /* pivots or tasks that a piece of it has at least, */
	uint64_t min_cost;        /* and what it costs at least */
	const gemp_view *views;   /* rows at hand, borrowed */
	gemp_task_range range;    /* the pivots or seeds that the next restart begins with: all, or those of a round */
	gemp_seeds seeds;
	uint32_t *seed_slots; /* [seed_room * given] on their way to the device */
	size_t seed_capacity; /* seeds on the device at a time */
	double batch;         /* N of the launch formula */
	int next_buffer;
	gemp_launching launch;
	gemp_pending pending;
	gemp_search_statistics statistics;
	gemp_sink *sink; /* first of the chain; NULL: count only */
	gemp_overlap_work overlap;
	uint64_t result_capacity;         /* rows */
	size_t result_edges;              /* bytes in front of the edges */
	size_t graph_bytes, result_bytes; /* on the device */
	size_t round_bytes;               /* of the rows of the largest round; in graph_bytes */
} gemp_search;

/* Are the search's ranges, buffers and stages within their bounds? For asserts. */
bool gemp_search_is_valid(const gemp_search *search);
/* Can each rank search from any pivot? The same on all ranks. */
bool gemp_search_balances(const gemp_search *search);

/* May a pivot's search be divided by what takes the second place? The same on all ranks. */
bool gemp_search_sliceable(const gemp_search *search);

void gemp_search_statistics_add(gemp_search_statistics *to, const gemp_search_statistics *from);

/* THE BUFFERS of a search on its device: rows, bitmaps, tasks, outbox, results, tables and marks. */

/* Local. Rows, bitmaps and pivots. Rows that come in rounds are uploaded by gemp_search_rows. */
gemp_code gemp_search_upload(gemp_search *search, const gemp_residency *residency, gemp_view *views,
                             const gemp_candidates *candidates);
/* Collective up to its end, on which ranks have to agree. Everything else that the plan and the options use. */
gemp_code gemp_search_buffers_new(gemp_search *search);
/* Collective. Marks are used if they fit on every rank. */
void gemp_search_choose_marks(gemp_search *search);

/* Local. The rows for the next launches, uploaded unless they are on the device; *bytes of them. */
gemp_code gemp_search_views(gemp_search *search, gemp_view *views, size_t *bytes);
/* Local. The pivots of the range, and their bits. */
gemp_code gemp_search_tasks(gemp_search *search);
/* Items that an area takes before the first exchange. */
uint32_t gemp_search_credits(const gemp_search *search, size_t stage, uint32_t destination);

/* Local. The pivots become these slots, which ascend. The next range has them. */
void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count);
/* Local. Replaces the bitmap of a pattern vertex that has one; bits are by slot. */
gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits);
/* Local. Slots low .. high - 1, in place of the bitmap of one of plan->ranges; not for nested loops. */
gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high);
/* Where the plan has given vertices: the seeds of the next restart. */
void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count);

#endif
