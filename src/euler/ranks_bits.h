/* ranks_bits: bits of bitmaps that teams own, set from afar. */
#ifndef GEMP_EULER_RANKS_BITS_H
#define GEMP_EULER_RANKS_BITS_H

#include "euler/ranks_team.h"

/* Collective. Sets the bit of each number in the bitmap of its owner: number x is bit x - bounds[t] of team t, where
 * bounds[t] <= x < bounds[t + 1]; without bounds it is bit x / teams of team x % teams. */
gemp_code gemp_euler_bits_deliver(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                                  uint64_t *bits);

#endif
