/* nested_abi: structs that nested kernels and the host share. All fields have 32 bits, so both have the same layout. */
#ifndef GEMP_KERNELS_NESTED_ABI_H
#define GEMP_KERNELS_NESTED_ABI_H

#ifdef __OPENCL_VERSION__
typedef uint gemp_n32;
#else
#include <stdint.h>
typedef uint32_t gemp_n32;
#endif

/* One launch of a nested kernel. A task is `chunk` neighbouring entries of the second step's view. All tasks stand row
 * by row in a table, and a launch takes tasks of some columns of this table. */
typedef struct gemp_nested_params {
	gemp_n32 first, tasks;   /* index, within the columns, of the first task; number of tasks */
	gemp_n32 column, width;
	gemp_n32 columns;        /* number of columns of the table */
	gemp_n32 chunk;          /* entries of a task, at most the lanes of a worker */
	gemp_n32 entries;        /* number of entries of the view */
	gemp_n32 vertices;
	gemp_n32 limit;          /* vertices from this slot on have too few neighbours to be the last vertex */
	gemp_n32 words;          /* words of a worker's bitmap: limit / 32 + 1, or fewer if it is folded */
	gemp_n32 room;           /* capacity of each of a worker's lists */
	gemp_n32 queue;          /* places in the ring, a power of two; 0: workers give away no parts */
	gemp_n32 budget;         /* a worker that has searched this number of rows takes no more tasks in this launch */
} gemp_nested_params;

/* Words of the control buffer, all 0 before a launch. Words that different workers change at the same time lie on
 * different cache lines. */
enum gemp_nested_control {
	GEMP_NESTED_NEXT = 0,      /* number of tasks taken (may exceed `tasks`) */
	GEMP_NESTED_ACTIVE = 32,   /* number of active workers, plus parts that waiting workers have not taken yet */
	GEMP_NESTED_WAITING = 64,  /* number of tickets taken by workers that had no task */
	GEMP_NESTED_GIVEN,         /* number of tickets served with a part */
	GEMP_NESTED_FOUND = 96,    /* 2 words: u64 matches found */
	GEMP_NESTED_OVERFLOW = 98, /* not 0: more than 2^64 - 1 matches */
	GEMP_NESTED_WORDS = 128
};

/* How twins (last vertices with the same candidates) choose among the candidates. Free twins may take the same vertex,
 * which only --semantics hom allows. */
typedef enum gemp_twin_ways {
	GEMP_TWINS_UNORDERED, /* a set of different vertices */
	GEMP_TWINS_ORDERED,   /* a sequence of different vertices */
	GEMP_TWINS_FREE       /* any sequence */
} gemp_twin_ways;

/* A part of a task, with one entry of the second step's view and the candidates [low, high) of the third vertex. If
 * this range has one candidate, the part has only the candidates [low_next, high_next) of the fourth vertex. */
typedef struct gemp_nested_part {
	gemp_n32 entry, low, high, low_next, high_next;
	gemp_n32 state; /* a gemp_nested_state */
} gemp_nested_part;

enum gemp_nested_state {
	GEMP_PART_NONE,    /* the place is free; a worker may wait at it */
	GEMP_PART_FILLING,
	GEMP_PART_FILLED,
	GEMP_PART_LEFT     /* the worker that waited here has given up */
};

#endif
