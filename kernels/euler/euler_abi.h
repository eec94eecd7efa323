/* euler_abi: constants that euler.cl shares with its host. */
#ifndef GEMP_KERNELS_EULER_ABI_H
#define GEMP_KERNELS_EULER_ABI_H

#define EULER_PIECE 8       /* slots that a walker writes at the same time */
#define EULER_CHUNK 32      /* slots of a chunk */
#define EULER_SAMPLED 256   /* adjacent slots in a block of the sample */
#define EULER_SAMPLE 16     /* one of EULER_SAMPLE blocks is in the sample */
#define EULER_POOLS 32      /* pools from which walkers take chunks */
#define EULER_COARSE (1u << 17) /* bits of the table coarse[], which a group keeps in local memory */

/* Words of the counter buffer. A circuit is a circuit before joining. */
#define EULER_UNBALANCED 0  /* number of unbalanced vertices */
#define EULER_QUEUE 1       /* splitters that walkers took after their first */
#define EULER_CIRCUITS 2    /* number of circuits with a splitter */
#define EULER_ORPHANS 3     /* number of circuits without a splitter */
#define EULER_JOINS 4
#define EULER_GIANT 5       /* root of the giant component, to which all slots without a label belong */
#define EULER_CUT 6         /* place of the closing slot in the order */
#define EULER_ALONG 7       /* number of slots that belong to segments */
#define EULER_TAKEN 8       /* [2 * EULER_POOLS] chunks taken by the first walk, then by the second walk */
#define EULER_COUNTERS (EULER_TAKEN + 2 * EULER_POOLS)

#endif
