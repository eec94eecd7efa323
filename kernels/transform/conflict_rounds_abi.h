/* choose_abi: what conflict_rounds.cl and its host agree on. */
#ifndef GEMP_KERNELS_CHOOSE_ABI_H
#define GEMP_KERNELS_CHOOSE_ABI_H

#define CHOOSE_READS 0   /* how a seat is touched: the lowest two bits of a token, and the seat's slot above */
#define CHOOSE_ADDS 1
#define CHOOSE_WRITES 2
#define CHOOSE_TOUCHES 3

#define CHOOSE_UNDECIDED 0 /* what becomes of a match */
#define CHOOSE_CHOSEN 1
#define CHOOSE_LEFT_OUT 2

#endif
