/* euler_abi: what euler.cl and its host agree on. */
#ifndef GEMP_KERNELS_EULER_ABI_H
#define GEMP_KERNELS_EULER_ABI_H

#define EULER_PIECE 8       /* slots that a walker writes at a time */
#define EULER_CHUNK 32      /* slots of a chunk of walked slots */
#define EULER_SAMPLED 256   /* neighbouring slots that are in the sample together */
#define EULER_SAMPLE 16     /* of so many such blocks one is */
#define EULER_POOLS 32      /* from which chunks are taken */
#define EULER_COARSE (1u << 17) /* bits of the table of rotated slots that a group keeps in local memory */

/* Words of the counter buffer. */
#define EULER_UNBALANCED 0  /* vertices */
#define EULER_QUEUE 1       /* splitters handed out beyond the first of each walker */
#define EULER_CIRCUITS 2    /* that have a splitter */
#define EULER_ORPHANS 3     /* circuits that have none */
#define EULER_JOINS 4
#define EULER_GIANT 5       /* node of the component that slots without a label belong to */
#define EULER_CUT 6         /* place of the closing slot */
#define EULER_ALONG 7       /* slots of all segments */
#define EULER_TAKEN 8       /* [2 * EULER_POOLS] chunks taken by the first walk, and by the second */
#define EULER_COUNTERS (EULER_TAKEN + 2 * EULER_POOLS)

#endif
