/* count_abi: constants that counting kernels and the host share; included by count.clh and by src/count. */

#ifndef GEMP_KERNELS_COUNT_ABI_H
#define GEMP_KERNELS_COUNT_ABI_H

/* Sums in 64 bits are exact as long as no value is further from 0. A kernel that computes a greater value sets
 * GEMP_COUNT_OVERFLOW. */
#define GEMP_COUNT_LARGEST 4.0e18

/* Words of the control buffer of kernels that sum: 0 before a launch, and after it but for the last. */
enum gemp_count_control {
	GEMP_COUNT_NEXT,     /* chunks handed out */
	GEMP_COUNT_LEFT,     /* groups that have ended */
	GEMP_COUNT_OVERFLOW, /* not 0: some value may have passed what a long holds */
	GEMP_COUNT_CONTROL_WORDS
};

#endif
