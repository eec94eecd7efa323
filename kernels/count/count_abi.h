/* count_abi: constants that count.clh and src/count share. */

#ifndef GEMP_KERNELS_COUNT_ABI_H
#define GEMP_KERNELS_COUNT_ABI_H

/* Sums in 64 bits are exact if no magnitude exceeds this. A kernel that computes a larger magnitude sets
 * GEMP_COUNT_OVERFLOW. */
#define GEMP_COUNT_LARGEST 4.0e18

/* Words of the control buffer of the summing kernels. All words are 0 before a launch. A launch resets all words except
 * GEMP_COUNT_OVERFLOW to 0. */
enum gemp_count_control {
	GEMP_COUNT_NEXT,     /* chunks that workers have taken */
	GEMP_COUNT_LEFT,     /* groups that have ended */
	GEMP_COUNT_OVERFLOW, /* not 0: some value may not fit into a long */
	GEMP_COUNT_CONTROL_WORDS
};

#endif
