/* match_abi: structs that match kernels and the host share. All fields have 32 bits, so both have the same layout. */
#ifndef GEMP_KERNELS_ABI_H
#define GEMP_KERNELS_ABI_H

#ifdef __OPENCL_VERSION__
typedef uint gemp_u32;
#else
#include <stdint.h>
typedef uint32_t gemp_u32;
#endif

/* One launch of a match kernel: the tasks of one stage. */
typedef struct gemp_match_params {
	gemp_u32 stage;           /* whose tasks these are; 0: pivots */
	gemp_u32 first;           /* index of the first task in the task buffer */
	gemp_u32 tasks;           /* tasks from there on */
	gemp_u32 resume;          /* 1: some workers hold a task of this stage that they could not finish */
	gemp_u32 vertices;        /* of the graph */
	gemp_u32 hot;             /* slots below it are resident */
	gemp_u32 ranks;
	gemp_u32 result_capacity; /* entries */
	gemp_u32 slices;          /* 1, or tasks are slices, of so many, of */
	gemp_u32 pivot;           /* the task of this index */
	gemp_u32 split;           /* bit s: partial matches that enter step s become tasks of their own */
} gemp_match_params;

/* Words of the control buffer, all 0 before a launch; behind them stands the number of items in each area of the
 * outbox. */
enum gemp_match_control {
	GEMP_CONTROL_NEXT,    /* tasks handed out (may pass `tasks`) */
	GEMP_CONTROL_RESULTS, /* entries asked for (may pass the capacity) */
	GEMP_CONTROL_PARKED,  /* workers that stopped in a task */
	GEMP_CONTROL_ERROR,   /* 0, or what went wrong (gemp_match_error) */
	GEMP_CONTROL_PLACE,   /* step */
	GEMP_CONTROL_VALUE,
	GEMP_CONTROL_FOUND,   /* 4 words: u64 found without crossing, u64 found after crossing */
	GEMP_CONTROL_WORDS = GEMP_CONTROL_FOUND + 4
};

enum gemp_match_error {
	GEMP_MATCH_BAD_SLOT = 1, /* a neighbour's slot is not a vertex: the graph on the device is damaged */
	GEMP_MATCH_BAD_ROW = 2,  /* a row is wanted that is not resident: a bug */
};

#endif
