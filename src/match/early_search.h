/* early_search: threads of the host search from a part of the pivots while the kernel of a search on devices is
 * compiled (match/search/search_build.h). The device then searches from the pivots that are left. If none are left,
 * nobody waits for the compiler.
 *
 * The ranks that share pivots divide them in turn, and each rank's threads take them from the end of the list, where
 * the pivots with few neighbours are. A pivot is searched completely by one thread, or it is left to the device: its
 * rows go to the sink only when it is complete. Rounds last some hundredths of a second; after each one the rows go to
 * the sink, and the ranks agree whether all programs are compiled. Then the pivots that are under way are given up. */

#ifndef GEMP_MATCH_EARLY_SEARCH_H
#define GEMP_MATCH_EARLY_SEARCH_H

#include "match/exchange/rounds.h"
#include "match/match_state.h"

/* True if the options and the plan allow an early search of the match, whose search has no kernel yet. All ranks get
 * the same answer. */
bool gemp_early_search_suits(const gemp_match *match);

/* Collective. Call it before each run on devices. Returns with match->early set, and with the kernel built and the
 * search restricted to the pivots that are left, unless *done: then the sink has received all rows, or wants no more.
 * The result is added to *rounds. */
gemp_code gemp_early_search_run(gemp_match *match, gemp_sink *sink, gemp_rounds_result *rounds, bool *done);

#endif
