/* match_times: the time of a search in the seven parts that GEMP, the predecessor of this program, measured
 * (docs/plans.md has a table), and what has been added since. Each part is host time, and no time is in two parts, so
 * the parts of a rank add up to at most its elapsed time. */

#ifndef GEMP_API_MATCH_MATCH_TIMES_H
#define GEMP_API_MATCH_MATCH_TIMES_H

#include "api/match/query_job.h"

/* Collective. Sets the field `times`: for each part the minimum, mean and maximum over the ranks. With a profile the
 * text has the seconds of the slowest rank. */
void gemp_match_times_report(gemp_report *report, const gemp_match_report *found);
/* Local. With a profile, sets the field `launch_sizes`: the first launches of rank 0's first device. */
void gemp_match_launches_report(gemp_report *report, const gemp_match_report *found);
/* Local. Sets the field `residual`: the matches and values of conditions that are tested after the search. */
void gemp_match_residual_report(gemp_report *report, const gemp_match_report *found);

#endif
