/* nested_abi: structs that nested kernels and the host share. All fields have 32 bits, so both have the same layout. */
#ifndef GEMP_KERNELS_NESTED_ABI_H
#define GEMP_KERNELS_NESTED_ABI_H

#ifdef __OPENCL_VERSION__
typedef uint gemp_n32;
#else
#include <stdint.h>
typedef uint32_t gemp_n32;
#endif

/* One launch of a nested kernel. A task is `chunk` neighbouring entries of the rows of the first step. */
typedef struct gemp_nested_params {
	gemp_n32 first, tasks;   /* index of the first task; tasks from there on, of those in these columns: */
	gemp_n32 column, width;
	gemp_n32 columns;        /* of a table in which all tasks stand, row by row */
	gemp_n32 chunk;          /* entries, at most the lanes of a worker */
	gemp_n32 entries;        /* of all rows */
	gemp_n32 vertices;
	gemp_n32 limit;          /* slots from here on are never the last vertex: they have too few neighbours */
	gemp_n32 words;          /* of a worker's bitmap: limit / 32 + 1 */
	gemp_n32 room;           /* entries of each of a worker's lists */
	gemp_n32 queue;          /* places in the ring of parts, a power of two; 0: none is given away */
	gemp_n32 budget;         /* rows after which a worker takes no more tasks in this launch */
} gemp_nested_params;

/* Words of the control buffer, all 0 before a launch. Words that different workers change are on cache lines of their own. */
enum gemp_nested_control {
	GEMP_NESTED_NEXT = 0,      /* tasks handed out (may pass `tasks`) */
	GEMP_NESTED_ACTIVE = 32,   /* workers at work, and parts on the way to one */
	GEMP_NESTED_WAITING = 64,  /* tickets of workers that had nothing to do */
	GEMP_NESTED_GIVEN,         /* tickets of parts */
	GEMP_NESTED_FOUND = 96,    /* 2 words: u64 */
	GEMP_NESTED_OVERFLOW = 98, /* not 0: more than 2^64 - 1 matches */
	GEMP_NESTED_WORDS = 128
};

/* How twins, the last vertices with the same candidates, take them. Under hom free twins may take the same vertex. */
typedef enum gemp_twin_ways {
	GEMP_TWINS_UNORDERED, /* a set of different vertices */
	GEMP_TWINS_ORDERED,   /* a sequence of different vertices */
	GEMP_TWINS_FREE       /* any sequence */
} gemp_twin_ways;

/* A part of a task with one entry of the first step: the candidates [low, high) of the third vertex. If it holds only one
 * candidate of the third vertex, it holds the candidates [low_next, high_next) of the fourth. */
typedef struct gemp_nested_part {
	gemp_n32 entry, low, high, low_next, high_next;
	gemp_n32 state; /* gemp_nested_state */
} gemp_nested_part;

enum gemp_nested_state {
	GEMP_PART_NONE,    /* free; a worker may wait for this place */
	GEMP_PART_FILLING,
	GEMP_PART_FILLED,
	GEMP_PART_LEFT     /* the worker that waited has left */
};

#endif
