/* match_host: decides whether a match is small enough for the threads of the host, and runs it there.
 *
 * The estimate counts the row entries and lookups of the search: by samples if orders were sampled, otherwise by the
 * planner's estimates. If it is wrong, the interpreter gives up after its budget without having delivered a row, and
 * the match is searched on the devices from the start. */

#ifndef GEMP_MATCH_MATCH_HOST_H
#define GEMP_MATCH_MATCH_HOST_H

#include "match/match_state.h"

/* Local. True if an option says how devices search, or how ranks exchange rows or partial matches, so that a small
 * search runs there, too. */
bool gemp_match_asks_for_device(const gemp_match_options *options, const gemp_budgets *budgets);
/* The entries and lookups that the search is expected to need, of all ranks. The match has a plan. */
double gemp_match_expected_work(const gemp_match *match);
/* Collective. False if the search will surely run on devices, as far as its options and the planner's estimates tell.
 * The match has a plan. */
bool gemp_match_may_use_host(const gemp_match *match);
/* Collective. False if a search of a pattern without conditions on this graph will surely run on devices, as far as the
 * numbers of vertices and edges tell. */
bool gemp_match_may_be_small(const gemp_match *match);
/* Collective. True if conditions on one vertex are tested by threads of the host and not by kernels: options.place is
 * GEMP_PLACE_HOST, or it is GEMP_PLACE_AUTO, few values are to be tested, and no option concerns devices. The match has
 * no plan yet. */
bool gemp_match_filters_on_host(const gemp_match *match);
/* Collective. The match has a plan. Makes match->interpreter if options.place is GEMP_PLACE_HOST, or if it is
 * GEMP_PLACE_AUTO, the expected work is small, and no option concerns devices. */
gemp_code gemp_match_use_host(gemp_match *match);
/* Collective. Runs match->interpreter. *done is false if it gave up: nothing was delivered, and match->search replaces
 * the interpreter for this and all later runs. */
gemp_code gemp_match_run_on_host(gemp_match *match, gemp_sink *sink, gemp_interpreter_result *result, bool *done);

#endif
