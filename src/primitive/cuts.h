/* cuts: divides the sorted keys of all ranks among the ranks, exactly.
 *
 * Each rank has a sorted array, on the host or on its device. The cuts are found by multi-way bisection of the key
 * codes: each round counts 255 probes for every cut in one reduction, so 32-bit keys need at most 5 rounds and 64-bit
 * keys 9. On a device a kernel counts all probes of a round. */

#ifndef GEMP_PRIMITIVE_CUTS_H
#define GEMP_PRIMITIVE_CUTS_H

#include "comm/comm.h"
#include "primitive/key.h"

/* keys[count] of this rank, sorted by their codes. */
typedef struct gemp_sorted_keys {
	gemp_key_map map;
	size_t count;
	const void *host;  /* [count] */
	gemp_toolbox *box; /* not NULL: the keys are in `buffer` on its device instead */
	const gemp_buffer *buffer;
} gemp_sorted_keys;

/* Collective. Allocates (*cut)[ranks + 1], also after a failure of some rank; the caller frees it. The elements from
 * cut[r] to cut[r + 1] belong to rank r. With `together`, equal keys stay on one rank, and the parts are as equal as
 * that allows. Otherwise rank r gets exactly floor((r + 1) N / R) - floor(r N / R) of the N keys, and equal keys go to
 * ranks in the order of their sources. */
gemp_code gemp_cuts_find(const gemp_comm *comm, const gemp_sorted_keys *keys, bool together, size_t **cut);

#endif
