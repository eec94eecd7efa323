/* pull_aside: which tasks are not worth rounds, since each reads so much that many cells (match/split.h) together read less. */
#ifndef GEMP_MATCH_PULL_ASIDE_H
#define GEMP_MATCH_PULL_ASIDE_H

#include "match/reach.h"

/* Collective. So many of this rank's tasks, from the first on. total: bytes of all rows; budget: bytes of a round's. */
gemp_code gemp_pull_aside(size_t *aside, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                          uint32_t *const *candidates, const gemp_reach_tasks *tasks, uint64_t total, uint64_t budget);

#endif
