/* conflict_rounds_abi: constants that the kernels of conflict resolution share with their host. */
#ifndef GEMP_KERNELS_CONFLICT_ROUNDS_ABI_H
#define GEMP_KERNELS_CONFLICT_ROUNDS_ABI_H

#define CONFLICT_READS 0   /* the lowest two bits of a key are the access; the bits above are the slot */
#define CONFLICT_ADDS 1
#define CONFLICT_WRITES 2
#define CONFLICT_ACCESSES 3

#define CONFLICT_UNDECIDED 0 /* decisions about a match */
#define CONFLICT_SELECTED 1
#define CONFLICT_REJECTED 2

/* The state of a slot: a bit for each access, and these bits. The lowest CONFLICT_STATE_BITS travel to the owner. */
#define CONFLICT_TWICE 8    /* at least two keys access the slot */
#define CONFLICT_SEEN 16    /* a rank has keys of the slot */
#define CONFLICT_SHARED 32  /* at least two ranks have keys of the slot */
#define CONFLICT_STATE_BITS 4
#define CONFLICT_NONE 0xffffffffu /* the slot is not decided by its owner */

/* The word `selected` of a slot: a bit for each access of selected matches, then three more groups of such bits: those
 * of which the owner knows, the accesses whose undecided matches are rejected, and, within a round, the accesses with
 * which a match of the last priority is undecided, whose complement is 0. */
#define CONFLICT_TOLD 4
#define CONFLICT_BARRED 8
#define CONFLICT_LAST 12

/* A message is three words: the owner's number of the slot and the access, as a key, then the low and the high half of
 * the complement of the smallest priority. The access CONFLICT_EVENT stands for the bits of selected matches. An answer
 * is three words: the low and the high half of the largest complement among conflicting accesses, and whether a
 * conflicting match is selected. */
#define CONFLICT_EVENT 3
#define CONFLICT_WORDS 3

#endif
