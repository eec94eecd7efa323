/* host_walk: lets walkers of the host (match/interpret/walk.h) search what a search on devices searches: the same plan
 * from the same pivots, over the same rows and bitmaps by slot. A pivot then has the same matches on the host and on a
 * device. The rows are borrowed from the search; a rank whose rows are only on a device cannot lend them. */

#ifndef GEMP_MATCH_HOST_WALK_H
#define GEMP_MATCH_HOST_WALK_H

#include "match/match_state.h"

typedef struct gemp_host_walk {
	gemp_host_rows rows;
	uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* candidates by slot; NULL: any vertex */
	gemp_walk walk;                            /* borrows rows and bits, so the struct must not move */
} gemp_host_walk;

/* True if a pivot has its matches for itself, whoever searches from it, and no option asks for more than its matches.
 * The match has a search. All ranks get the same answer. */
bool gemp_host_walk_suits(const gemp_match *match);
/* Collective. *there is false if some rank has no rows on the host; *out is then empty. */
gemp_code gemp_host_walk_new(gemp_host_walk *out, const gemp_match *match, bool *there);
void gemp_host_walk_free(gemp_host_walk *walk);

#endif
