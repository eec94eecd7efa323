/* match_device: makes the rows, the exchange and the search by which a match runs on devices. */

#ifndef GEMP_MATCH_MATCH_DEVICE_H
#define GEMP_MATCH_MATCH_DEVICE_H

#include "match/match_state.h"

/* Collective. The match has a plan. A plan with a table of two-paths is made anew without a table if some rank cannot
 * hold all rows or the tables. */
gemp_code gemp_match_use_device(gemp_match *match);

#endif
