/* gas_dense_abi: what kernels that go over all edges and their hosts agree on. */
#ifndef GEMP_KERNELS_GAS_DENSE_ABI_H
#define GEMP_KERNELS_GAS_DENSE_ABI_H

/* Numbers that a round sums up over all vertices, each in GAS_BINS places, so that groups seldom meet in one. */
#define GAS_SUMS 2
#define GAS_BINS 32
#define GAS_ROUND (GAS_SUMS * GAS_BINS)

/* What a launch does with the sums of rows. */
#define GAS_RESUME 1u /* begins with those that an earlier launch has held */
#define GAS_HOLD 2u   /* holds them for a later one, instead of applying them */
#define GAS_GIVEN 4u  /* the host gives the sums of the round before */

/* Shares of 1 in fixed point: sums of them are exact, whatever the order. They stay below 8. */
#define GAS_ONE 0x1p60

/* Sums of a round of PageRank. */
#define PAGERANK_CHANGE 0
#define PAGERANK_DANGLING 1

#endif
