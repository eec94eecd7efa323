/* euler_abi: constants that euler.cl shares with its host. */
#ifndef GEMP_KERNELS_EULER_ABI_H
#define GEMP_KERNELS_EULER_ABI_H

#define EULER_PIECE 8       /* slots that a walker writes at a time */
#define EULER_CHUNK 32      /* slots of a chunk of walked slots */
#define EULER_SAMPLED 256   /* adjacent slots in a block of the sample */
#define EULER_SAMPLE 16     /* one of this many blocks is in the sample */
#define EULER_POOLS 32      /* from which chunks are taken */
#define EULER_COARSE (1u << 17) /* bits of the table of rotated slots that a group keeps in local memory */

/* Words of the counter buffer. */
#define EULER_UNBALANCED 0  /* number of unbalanced vertices */
#define EULER_QUEUE 1       /* splitters taken after the first of each walker */
#define EULER_CIRCUITS 2    /* circuits with a splitter */
#define EULER_ORPHANS 3     /* circuits without a splitter */
#define EULER_JOINS 4
#define EULER_GIANT 5       /* node of the component of all slots without a label */
#define EULER_CUT 6         /* place of the closing slot */
#define EULER_ALONG 7       /* slots of all segments */
#define EULER_TAKEN 8       /* [2 * EULER_POOLS] chunks taken by the first walk, and by the second */
#define EULER_COUNTERS (EULER_TAKEN + 2 * EULER_POOLS)

#endif
