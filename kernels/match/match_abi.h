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
	gemp_u32 stage;           /* the stage of the tasks; 0: pivots or seeds */
	gemp_u32 first;           /* index of the first task in the task buffer */
	gemp_u32 tasks;           /* number of tasks of this launch */
	gemp_u32 resume;          /* 1: some workers hold a task of this stage that they have not finished */
	gemp_u32 vertices;        /* number of vertices of the graph */
	gemp_u32 hot;             /* the rows of slots below this number are resident */
	gemp_u32 ranks;
	gemp_u32 result_capacity; /* number of matches that the result buffer holds */
	gemp_u32 slices;          /* number of slices of each pivot; 1: tasks are whole pivots */
	gemp_u32 pivot;           /* index of the pivot whose first slice is task 0 */
	gemp_u32 list_capacity;   /* number of two-paths that the lists of a worker hold */
	gemp_u32 split;           /* bit s: partial matches that enter step s become tasks of their own */
} gemp_match_params;

/* Words of the control buffer, all 0 before a launch. The number of items in each area of the outbox follows them. */
enum gemp_match_control {
	GEMP_CONTROL_NEXT,    /* number of tasks taken (may exceed `tasks`) */
	GEMP_CONTROL_RESULTS, /* number of result rows requested (may exceed the capacity) */
	GEMP_CONTROL_PARKED,  /* number of workers that stopped and keep a state */
	GEMP_CONTROL_ERROR,   /* 0, or a gemp_match_error */
	GEMP_CONTROL_PLACE,   /* the step of the error; the next word is its slot */
	GEMP_CONTROL_VALUE,
	GEMP_CONTROL_FOUND,   /* 4 words: u64 matches found without crossing ranks, u64 found after crossing */
	GEMP_CONTROL_WORDS = GEMP_CONTROL_FOUND + 4
};

enum gemp_match_error {
	GEMP_MATCH_BAD_SLOT = 1, /* a neighbour's slot is not a vertex: the graph on the device is damaged */
	GEMP_MATCH_BAD_ROW = 2,  /* a needed row is not resident: a bug */
};

#endif
