/* state: what the steps of the engine (engine.h) share: arrays on the device, kernels, tables of the ranks. */

#ifndef GEMP_EULER_DEVICES_STATE_H
#define GEMP_EULER_DEVICES_STATE_H

#include "device/launch.h"
#include "device/program.h"
#include "euler/order_memory.h"
#include "kernels/euler/euler_abi.h"
#include "primitive/device_exchange.h"

/* In the order of the names in state.c. */
typedef enum gemp_euler_kernel {
	GEMP_EULER_COUNT,
	GEMP_EULER_GROUP,
	GEMP_EULER_CURSORS,
	GEMP_EULER_SLOTS,
	GEMP_EULER_PAIRS,
	GEMP_EULER_ANSWER,
	GEMP_EULER_LINK,
	GEMP_EULER_CHECK,
	GEMP_EULER_TALLY,
	GEMP_EULER_DIVIDE,
	GEMP_EULER_ASSIGN,
	GEMP_EULER_UNLABELLED_SLOTS,
	GEMP_EULER_CHOOSE,
	GEMP_EULER_WALKERS,
	GEMP_EULER_COPIES,
	GEMP_EULER_LINKS,
	GEMP_EULER_POSTS,
	GEMP_EULER_ALONE,
	GEMP_EULER_VALUES,
	GEMP_EULER_LEAST,
	GEMP_EULER_DOUBLE,
	GEMP_EULER_ROOTS_OF_CIRCUITS,
	GEMP_EULER_ROOTS,
	GEMP_EULER_JOIN,
	GEMP_EULER_MARKS,
	GEMP_EULER_UNITE,
	GEMP_EULER_REFUSE,
	GEMP_EULER_WORDS,
	GEMP_EULER_CHANGES,
	GEMP_EULER_STARTS_OF_WALKS,
	GEMP_EULER_PLACE,
	GEMP_EULER_ORDER,
	GEMP_EULER_KERNELS
} gemp_euler_kernel;

/* Arrays on the device, named as in euler_ranks.cl. */
typedef struct gemp_euler_arrays {
	gemp_buffer begin, target, cursor;            /* [rows + 1], [own] until edges are paired, [rows] */
	gemp_buffer slots;                            /* [own] of 16 bytes */
	gemp_buffer counters;                         /* [EULER_RANKS_COUNTERS] */
	gemp_buffer splitter, segments;               /* [splitters] slots, and pairs */
	gemp_buffer mark, some, full, coarse;         /* bitmaps of slots, and their summaries (euler_words) */
	gemp_buffer marked, changed, starts;          /* lists of slots and splitters (joining.h) */
	gemp_buffer all, links, values, parent, root; /* of the segments of all ranks */
	gemp_buffer lists[2];                         /* of the posts (euler_ranks_list.clh) */
	gemp_buffer order, source;                    /* [places of this rank] */
	gemp_buffer vertex_bounds, slot_bounds;       /* [ranks + 1] */
	gemp_buffer segment_bounds, place_bounds;     /* [ranks + 1] */
	gemp_buffer stage, grouped, tags, cursors;    /* of records.h */
	gemp_buffer inbox, answers;                   /* the elements of the last exchange, and its answers */
} gemp_euler_arrays;

typedef struct gemp_euler_state {
	const gemp_comm *comm;
	gemp_device *device;
	const gemp_euler_edges *edges;
	const gemp_euler_options *options;
	gemp_euler_result *out;
	gemp_device_exchange *exchange;
	gemp_euler_order_memory memory;
	gemp_program program;
	cl_kernel kernels[GEMP_EULER_KERNELS];
	gemp_euler_arrays on;
	uint64_t *slot_bounds;     /* [ranks + 1] the first slot of each rank */
	cl_uint *table;            /* [ranks + 1] scratch */
	uint64_t *send, *received; /* [ranks] records of the last exchange (records.h) */
	size_t sent, arrivals;     /* the sums of both */
	cl_uint rank, ranks, rows, own, first;
	cl_uint splitters, started; /* splitters of this rank, and those of them from which walks have begun */
	cl_uint segments;           /* splitters of all ranks */
	cl_uint words;              /* of a bitmap of slots */
	cl_uint joined;             /* 1: successors are rotated */
	cl_uint spacing, seed;
	bool packed;             /* a walker is sent in two words, if its numbers are expected to fit */
	cl_uint slot_bits;       /* of these words; 0: a walker has three words */
	bool overflow;           /* a walker did not fit: start again without `packed` */
	size_t in_flight;        /* records that a rank stages in a round, if fewer have arrived */
	size_t group, max_items; /* work-items of a group; maximum number of work-items of a launch */
	cl_uint counters[EULER_RANKS_COUNTERS];
} gemp_euler_state;

/* Local. Launches a kernel for `work` elements over which its work-items loop. */
gemp_code gemp_euler_launch(gemp_euler_state *e, gemp_euler_kernel kernel, uint64_t work,
                            const gemp_argument *arguments, size_t count);
#define GEMP_EULER_LAUNCH(kernel, work, ...)                                                  \
	gemp_euler_launch(e, GEMP_EULER_##kernel, (work), (const gemp_argument[]){ __VA_ARGS__ }, \
	                  sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
#define GEMP_EULER_MEM(name) GEMP_ARG(&e->on.name.mem)

/* Local. Makes the buffer at least `count` * `size` bytes long. Only gemp_euler_grow keeps the contents. */
gemp_code gemp_euler_reserve(gemp_euler_state *e, gemp_buffer *buffer, size_t count, size_t size);
gemp_code gemp_euler_grow(gemp_euler_state *e, gemp_buffer *buffer, size_t count, size_t size);
/* Local. Wait for the device. Copies counters, or the first ranks + 1 of e->table, to or from the device. */
gemp_code gemp_euler_read_counters(gemp_euler_state *e);
gemp_code gemp_euler_zero_counter(gemp_euler_state *e, size_t counter);
gemp_code gemp_euler_write_table(gemp_euler_state *e, gemp_buffer *buffer, const uint64_t *values);

/* Local. Builds the kernels and makes the arrays whose sizes are known. */
gemp_code gemp_euler_state_new(gemp_euler_state *e);
/* Local. Also after a failure of gemp_euler_state_new. */
void gemp_euler_state_free(gemp_euler_state *e);

#endif
