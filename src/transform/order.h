/* order: the matches of all ranks in the order of their tuples, whichever rank has found them. */
#ifndef GEMP_TRANSFORM_ORDER_H
#define GEMP_TRANSFORM_ORDER_H

#include "comm/comm.h"

/* Collective. tuples[count * width], distinct over all ranks, compared number by number; the first numbers lie below
 * `bound`, which spreads them over the ranks (larger ones are allowed). place[i] becomes how many tuples of all ranks
 * are less than tuple i; *total (NULL: not wanted) how many there are. */
gemp_code gemp_order_find(const gemp_comm *comm, const uint64_t *tuples, size_t count, size_t width, uint64_t bound,
                          uint64_t *place, uint64_t *total);

/* Collective. Of the marked ones of all ranks in the order of place[], which are 0, 1, ... without gaps: number[i]
 * becomes how many stand before i, if that is marked. */
gemp_code gemp_order_number(const gemp_comm *comm, const uint64_t *place, const uint8_t *marked, size_t count,
                            uint64_t *number, uint64_t *total);

#endif
