/* select: where sorted arrays of all ranks are to be cut, so that the parts are equal. */
#ifndef GEMP_PRIMITIVE_SELECT_H
#define GEMP_PRIMITIVE_SELECT_H

#include "comm/comm.h"
#include "primitive/key.h"

/* Collective. keys[count] of this rank are sorted by their codes. cut[ranks + 1]: those from cut[r] on, below cut[r + 1], belong
 * to rank r. With `together` all equal keys go to one rank, and the parts are as equal as that allows; else rank r gets
 * exactly floor((r + 1) N / R) - floor(r N / R) of the N keys, and of equal ones lower ranks' go first.
 *
 * The bounds are found by narrowing, for all of them at once, the range of codes in which each lies, to a 256th a round. */
gemp_code gemp_select_cuts(const gemp_comm *comm, const void *keys, size_t count, gemp_key_map map, bool together,
                           size_t *cut);

#endif
