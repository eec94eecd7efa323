/* nested_abi: plain structs shared by nested kernels and host. Only 32-bit fields, so that both lay them out alike. */
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
	gemp_n32 first, tasks;   /* index of the first task; tasks from there on */
	gemp_n32 chunk;          /* entries, at most the lanes of a worker */
	gemp_n32 entries;        /* of all rows */
	gemp_n32 vertices;
	gemp_n32 limit;          /* slots from here on are never the last vertex: they have too few neighbours */
	gemp_n32 words;          /* of a worker's bitmap: limit / 32 + 1 */
	gemp_n32 room;           /* entries of each of a worker's lists */
	gemp_n32 queue;          /* places in the queue of parts; 0: none is given away */
	gemp_n32 budget;         /* rows after which a worker takes no more tasks in this launch */
} gemp_nested_params;

/* Words of the control buffer, all 0 before a launch. */
enum gemp_nested_control {
	GEMP_NESTED_NEXT,     /* tasks handed out (may pass `tasks`) */
	GEMP_NESTED_WAITING,  /* tickets of workers that had nothing to do */
	GEMP_NESTED_GIVEN,    /* parts given away (may pass `queue`) */
	GEMP_NESTED_ACTIVE,   /* workers at work, and parts on the way to one */
	GEMP_NESTED_OVERFLOW, /* not 0: more than 2^64 - 1 matches */
	GEMP_NESTED_PAD,
	GEMP_NESTED_FOUND,    /* 2 words: u64 */
	GEMP_NESTED_WORDS = GEMP_NESTED_FOUND + 2
};

/* A part of a task: candidates [low, high) of the third vertex, for one entry of the first step. */
typedef struct gemp_nested_part {
	gemp_n32 entry, low, high;
	gemp_n32 state; /* 0: empty, 1: filled, 2: nobody waits here any more */
} gemp_nested_part;

#endif
