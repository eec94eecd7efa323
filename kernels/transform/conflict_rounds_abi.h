/* conflict_rounds_abi: constants that conflict_rounds.cl shares with its host. */
#ifndef GEMP_KERNELS_CONFLICT_ROUNDS_ABI_H
#define GEMP_KERNELS_CONFLICT_ROUNDS_ABI_H

#define CONFLICT_READS 0   /* the lowest two bits of a key are the access; the bits above are the slot */
#define CONFLICT_ADDS 1
#define CONFLICT_WRITES 2
#define CONFLICT_ACCESSES 3

#define CONFLICT_UNDECIDED 0 /* decisions about a match */
#define CONFLICT_SELECTED 1
#define CONFLICT_REJECTED 2

#endif
