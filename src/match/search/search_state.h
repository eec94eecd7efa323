/* search_state: the state of a search on a device, and its buffers there. The modules of match/search and
 * match/exchange share this state. search.h makes and frees a search, and search_launch.h launches its kernel. */

#ifndef GEMP_MATCH_SEARCH_SEARCH_STATE_H
#define GEMP_MATCH_SEARCH_SEARCH_STATE_H

#include "device/compilation.h"
#include "device/staging.h"
#include "graph/batch.h"
#include "match/codegen/kernel_text.h"
#include "match/distinct/device_set.h"
#include "match/filter/candidates.h"
#include "match/groups/device_groups.h"

/* A range of pivots (by their position in the list of pivots), of seeds, or of tasks. */
typedef struct gemp_task_range {
	size_t first, count;
} gemp_task_range;

typedef struct gemp_pivot_chunk {
	gemp_task_range range; /* a range of pivots, or of the slices of one pivot */
	/* if slices > 1: the sliced pivot and the number of its slices; slices 1: a range of whole pivots */
	size_t pivot, slices;
} gemp_pivot_chunk;

typedef struct gemp_balancer {
	gemp_comm *comm;
	size_t node_count, node;  /* number of nodes; number of this rank's node */
	uint64_t *devices;        /* [node_count] number of devices of each node */
	uint64_t device_count;    /* number of devices of all ranks */
	gemp_pivot_chunk *chunks; /* [count] the chunks of this node */
	size_t count, capacity;
	bool sliced;           /* some chunk of some node consists of slices */
	uint64_t digest;       /* hash of the chunks of all nodes */
	gemp_counter *counter; /* number of chunks taken on this node; NULL: the balancer is not open */
	/* number of pivots in the chunks that this rank has taken; a sliced pivot counts with its first slice */
	size_t done;
} gemp_balancer;

/* The work of one stage on this rank. */
typedef struct gemp_work {
	gemp_buffer state; /* states of parked workers; made when the stage first runs */
	gemp_buffer tasks; /* tasks on the device (pivots, seeds or items); tasks from `next` on have not been taken */
	size_t next, count;
	bool parked;  /* some worker has stopped within a task */
	bool blocked; /* the outbox was full, so the stage cannot run before the next exchange */
} gemp_work;

/* A launch between gemp_search_begin and gemp_search_end. */
typedef struct gemp_launching {
	bool under_way;
	size_t stage, tasks; /* unused by nested loops */
	int buffer;          /* index of the result buffer */
	double seconds;      /* seconds of the host in gemp_search_begin */
	double begun;        /* the time at the end of gemp_search_begin */
} gemp_launching;

/* The matches of a launch that the sink has not received yet. */
typedef struct gemp_pending {
	int buffer; /* index of the result buffer; -1: no matches are pending */
	size_t count;
	size_t left_out; /* matches of known classes, which the device has left out */
} gemp_pending;

typedef struct gemp_search_options {
	bool listed;
	int lanes;                /* 0: the device decides */
	uint64_t result_buffer;   /* rows; 0: chosen by memory */
	uint64_t outbox;          /* items of an area; 0: chosen by memory */
	double launch_factor;     /* C of the launch formula; 0: 0.8 */
	bool profile;             /* count the partial matches that pass each step */
	uint64_t per;             /* pattern vertices at whose images matches are counted (match/match_run.h) */
	bool first_only;          /* one result of each task is enough */
	bool by_formula;          /* only the number of matches is needed */
	const uint32_t *key_rank; /* [vertices] by id, if plan->keys; borrowed while the search is made */
	/* The search on the rank's first device, whose balancer this search uses. NULL: this search is on the first
	 * device. */
	const struct gemp_search *leader;
	/* 0: rows do not come in rounds. Otherwise gemp_search_rows sets the rows of each round, and a view of a round has
	 * at most this number of entries. */
	uint64_t round_entries;
} gemp_search_options;

/* The seeds of a search: images of the given vertices, from which the search starts instead of pivots. */
typedef struct gemp_seeds {
	const gemp_vertex *ids; /* [count][given] borrowed */
	size_t count, next;     /* number of seeds; first seed that is not on the device yet */
} gemp_seeds;

/* Collective work that the host does once, during the next launch. A rank without a launch does it, too
 * (gemp_search_overlap). */
typedef struct gemp_overlap_work {
	gemp_code (*work)(void *self); /* NULL: there is no work, or it is done */
	void *self;
	double seconds; /* duration of the work */
} gemp_overlap_work;

typedef struct gemp_search_statistics {
	uint64_t launches, stage_launches; /* launches of all stages; launches of stages after stage 0 */
	double fill;                       /* sum, over listing launches, of rows / capacity */
	uint64_t listing_launches;
	uint64_t taken; /* number of tasks taken */
	uint64_t found_local, found_crossed;
	uint64_t left_out; /* matches that the device's set has left out as duplicates */
	double kernel_seconds;
	/* by step: bytes of partial matches sent to other ranks to enter the step or for its checks */
	uint64_t sent[GEMP_MAX_STEPS];
	uint64_t item_bytes, item_words_bytes; /* bytes of partial matches sent to other ranks: encoded; in whole words */
	uint64_t items_sent, items_received;   /* numbers of partial matches */
} gemp_search_statistics;

typedef struct gemp_nested_search gemp_nested_search; /* match/search/nested_search.h */

typedef struct gemp_search {
	gemp_runtime *context;
	/* the search on the rank's next device, freed with this search; NULL: this search is the last */
	struct gemp_search *next;
	const gemp_shard *graph;
	const gemp_plan *plan;
	const gemp_slot_order *order;
	gemp_item_layout layout;
	gemp_emit_options emit;
	gemp_search_options options;
	char *source;                  /* text of the kernel, until the program is built; NULL before and after */
	gemp_compilation *compilation; /* NULL: the program is built, or nobody builds it */
	gemp_program program;
	cl_kernel kernel;           /* NULL: the kernel is not built yet (match/search/search_build.h) */
	gemp_nested_search *nested; /* NULL: the kernel is not a nested kernel */
	bool stored;                /* the program's binary was stored after the first launch */
	size_t workers;
	uint32_t vertices, hot, ranks, split, list_capacity;
	gemp_buffer row_offsets[GEMP_MAX_VIEWS], column_indices[GEMP_MAX_VIEWS],
		edge[GEMP_MAX_VIEWS]; /* borrowed from the views */
	gemp_buffer own, id_of, bounds, key_rank, candidates, pivot_bits, control;
	gemp_device_set *device_set; /* borrowed; leaves out matches of known classes; NULL: all matches are delivered */
	gemp_device_groups *groups;  /* borrowed; takes all matches; NULL: matches are delivered */
	gemp_readback result[2];     /* vertex ids row by row; from byte result_edges on, edges row by row */
	gemp_buffer out, out_capacity, out_base, tables, lists, marks, passed, vertex_counts;
	uint32_t candidate_words;
	size_t areas;             /* stages * (ranks + 1) */
	uint32_t *control_words;  /* [GEMP_CONTROL_WORDS + areas] as read after the last launch */
	uint32_t *capacity;       /* [areas] number of items that an area accepts until the next exchange */
	uint64_t *base;           /* [areas] first word of each area */
	uint32_t slots;           /* greatest capacity of an area */
	gemp_work *work;          /* [stage_count] */
	size_t pivots;            /* number of pivots or seeds, summed over all rounds */
	size_t pivot_capacity;    /* number of pivots for which the buffers were made */
	gemp_vertex *pivot_slots; /* [pivots] ascending */
	/* [all_pivots] the pivots that gemp_multi_few_pivots has replaced, until they return; otherwise NULL */
	gemp_vertex *all_slots;
	size_t all_pivots;
	/* distributes pivot_slots, which are then all ranks' pivots; NULL: pivot_slots are this rank's own */
	gemp_balancer *balancer;
	/* the chunk that is being searched; slices 0: no chunk yet. Without a balancer: slices > 1 if each pivot has so
	 * many slices, and all slices of all pivots are tasks */
	gemp_pivot_chunk chunk;
	size_t min_piece;       /* least number of pivots or tasks in a chunk */
	uint64_t min_cost;      /* least cost of a chunk */
	const gemp_view *views; /* the resident rows, borrowed */
	gemp_task_range range;  /* the pivots or seeds of the next restart: all of them, or a round's */
	gemp_seeds seeds;
	uint32_t *seed_slots; /* [seed_capacity][given] scratch for the upload of seeds */
	size_t seed_capacity; /* maximum number of seeds on the device */
	double batch;         /* N of the launch formula: number of pivots of the next launch */
	int next_buffer;
	gemp_launching launch;
	gemp_pending pending;
	gemp_search_statistics statistics;
	gemp_sink *sink; /* the first sink of the chain; NULL: matches are only counted */
	gemp_overlap_work overlap;
	uint64_t result_capacity;         /* rows */
	size_t result_edges;              /* bytes before the edges in a result buffer */
	size_t graph_bytes, result_bytes; /* bytes on the device */
	size_t round_bytes;               /* bytes of the rows of the largest round; included in graph_bytes */
} gemp_search;

/* True if the ranges, buffers and stages of the search are within their bounds; for asserts. */
bool gemp_search_is_valid(const gemp_search *search);
/* True if each rank can search from any pivot and a balancer distributes the pivots. All ranks get the same answer. */
bool gemp_search_balances(const gemp_search *search);

/* True if a pivot can be divided into slices of its candidates for the second vertex. All ranks get the same answer. */
bool gemp_search_sliceable(const gemp_search *search);
/* The number of slices of each pivot of a search without a balancer, so that a single device whose pivots are fewer
 * than its workers is busy: a pivot can be a hub with most matches of the graph. 1: tasks are whole pivots. */
size_t gemp_search_slices(const gemp_search *search);

void gemp_search_statistics_add(gemp_search_statistics *to, const gemp_search_statistics *from);

/* THE BUFFERS of a search on its device. */

/* Local. Uploads rows, bitmaps and pivots. If rows come in rounds, gemp_search_rows uploads them later. */
gemp_code gemp_search_upload(gemp_search *search, const gemp_residency *residency, gemp_view *views,
                             const gemp_candidates *candidates);
/* Collective, although only the caller makes the ranks agree on the code. Makes all other buffers that the plan and the
 * options need. */
gemp_code gemp_search_buffers_new(gemp_search *search);
/* Collective. Decides to use marks if they fit on every rank. */
void gemp_search_choose_marks(gemp_search *search);
/* Collective. Decides to use lists of two-paths if the kernel has marks, lists matches, and there is room for lists on
 * every rank. */
void gemp_search_choose_lists(gemp_search *search);

/* Local. Sets the rows of the next launches, and uploads the rows that are not on the device. *bytes becomes the size
 * of all these rows on the device. */
gemp_code gemp_search_views(gemp_search *search, gemp_view *views, size_t *bytes);
/* Local. Uploads the pivots of the range, as a list and as a bitmap. */
gemp_code gemp_search_tasks(gemp_search *search);
/* The capacity of an area before the first exchange; 0 if the plan cannot fill the area. */
uint32_t gemp_search_credits(const gemp_search *search, size_t stage, uint32_t destination);

/* Local. Replaces the pivots by these slots, which ascend. Their number must not exceed pivot_capacity. */
void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count);
/* Local. Replaces the bitmap of a pattern vertex that has one; bits are by slot. */
gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits);
/* Local. Sets the range [low, high) of slots of a vertex in plan->ranges, which has no bitmap. Not for nested loops. */
gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high);
/* Local. Sets the seeds of the next restart, for plans with given vertices. */
void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count);

#endif
