/* sample_check: compares counts of a device with counts of the host. After a search on devices, the matches of a few
 * pivots are counted by the walker of the interpreter (match/interpret/walk.h), which shares the plan and the rows with
 * the search, but no kernel, and by a second launch on just these pivots.
 *
 * Half of the pivots are drawn uniformly and half in favour of high degrees. The host reads at most a fixed fraction of
 * the entries that the search was expected to read. Searches are not checked if a check would not be nearly free: rows
 * that come in rounds or lie on other ranks or only on the device, searches from given vertices, for the first row of
 * each pivot, in parts, with counts per vertex or with a profile. Of the runs of one match the first is checked, since
 * a check takes milliseconds and a later run may take less. */

#ifndef GEMP_MATCH_SAMPLE_CHECK_H
#define GEMP_MATCH_SAMPLE_CHECK_H

#include "match/match_state.h"

typedef struct gemp_checked_sample {
	uint64_t pivots, matches; /* of all ranks; matches as the plan counts them; pivots 0: nothing was checked */
} gemp_checked_sample;

/* Collective. The search of the match has run. Fails on all ranks if the counts differ. */
gemp_code gemp_sample_check_run(gemp_match *match, gemp_checked_sample *out);

#endif
