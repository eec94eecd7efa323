/* euler_abi: constants that euler.cl and euler_ranks.cl share with their hosts. */
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

/* Further words of the counter buffer in euler_ranks.cl, for the slots of one rank. EULER_ORPHANS stays 0 there. */
#define EULER_UNLABELLED 8 /* slots that no walker has passed */
#define EULER_CHOSEN 9     /* slots of these that become splitters */
#define EULER_SPLITTERS 10
#define EULER_LISTED 11    /* marked slots that have been listed */
#define EULER_ACCEPTED 12  /* marked slots that all ranks together need */
#define EULER_STARTS 13    /* segments that change */
#define EULER_OVERFLOW 14    /* 1: a walker did not fit into two words */
#define EULER_RANKS_COUNTERS 15
#define EULER_DISTANCE_BITS 10 /* of a walker in two words */
#define EULER_STRIDE 32      /* segments of a block, of which one is a post (euler_ranks_list.clh) */

#endif
