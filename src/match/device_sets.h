/* device_sets: gives the searches of a run sets in which devices look up duplicates (match/distinct/device_set.h). */

#ifndef GEMP_MATCH_DEVICE_SETS_H
#define GEMP_MATCH_DEVICE_SETS_H

#include "match/match_state.h"

/* Collective. Makes a set on each device if rows go from the devices to `distinct` with nothing between that needs
 * every row: neither conditions that are left nor counts of parts. If one rank with one device only counts,
 * the set counts, and `distinct` takes classes from it. */
gemp_code gemp_device_sets_new(gemp_match *m, const gemp_sink *distinct);
/* Local. Frees the sets, also after a failure. */
void gemp_device_sets_free(gemp_match *m, const gemp_sink *distinct);

#endif
