/* gas_dense_abi: constants that the host shares with kernels that process all edges in each round. */
#ifndef GEMP_KERNELS_GAS_DENSE_ABI_H
#define GEMP_KERNELS_GAS_DENSE_ABI_H

/* A round adds up GAS_SUMS numbers over all vertices. Each has GAS_BINS places, which spreads the atomic additions of
 * the groups. */
#define GAS_SUMS 2
#define GAS_BINS 32
#define GAS_ROUND (GAS_SUMS * GAS_BINS)

/* What a launch does with the sums of rows. */
#define GAS_RESUME 1u /* adds to the sums that an earlier launch stored */
#define GAS_HOLD 2u   /* stores the sums for a later launch and does not apply them */
#define GAS_GIVEN 4u  /* the sums of the previous round are kernel arguments */

/* 1 in fixed point. Sums of fixed-point numbers are exact in any order; 64 bits with a sign hold sums below 8. */
#define GAS_ONE 0x1p60

/* Sums of a round of PageRank. */
#define PAGERANK_CHANGE 0
#define PAGERANK_DANGLING 1

#endif
