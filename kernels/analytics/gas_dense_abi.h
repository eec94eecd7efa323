/* gas_dense_abi: constants that the host shares with kernels that process all edges in each round. */
#ifndef GEMP_KERNELS_GAS_DENSE_ABI_H
#define GEMP_KERNELS_GAS_DENSE_ABI_H

/* A round adds up GAS_SUMS numbers over all vertices. Each number is the sum of GAS_BINS places, over which the atomic
 * additions of the groups are spread. */
#define GAS_SUMS 2
#define GAS_BINS 32
#define GAS_ROUND (GAS_SUMS * GAS_BINS)

/* Flags of a launch, which say what it does with the sums of rows. */
#define GAS_RESUME 1u /* adds to the sums that an earlier launch stored */
#define GAS_HOLD 2u   /* stores the sums for a later launch and does not apply them */
#define GAS_GIVEN 4u  /* the sums of the previous round are kernel arguments */

/* The number 1 in fixed point. Sums of fixed-point numbers are exact in any order. Signed 64-bit integers hold sums
 * below 8. */
#define GAS_ONE 0x1p60

/* Numbers of the sums of a PageRank round. */
#define PAGERANK_CHANGE 0
#define PAGERANK_DANGLING 1

#endif
