/* pull_narrow: rows at hand without entries that a plan never looks at. */
#ifndef GEMP_MATCH_PULL_NARROW_H
#define GEMP_MATCH_PULL_NARROW_H

#include "match/closure.h"
#include "partition/resident.h"

/* Local. views: [plan->view_count] of rows, which are those of rows->views unless narrowed[view], and then to be freed one by
 * one. candidates: [pattern vertices] bits by slot, or NULL. After an error *views are as far as they came. */
gemp_code gemp_pull_narrow(gemp_view **views, bool narrowed[GEMP_MAX_VIEWS], const gemp_plan *plan,
                           const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates);

#endif
