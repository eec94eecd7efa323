/* pull: a search in rounds, for rows that are not all on this rank or do not all fit on its device.
 *
 * A round takes as many of the next tasks (pivots or seeds) as have a working set within the budget (working_set.h). It
 * requests the rows that this rank lacks from their owners (partition/fetch/fetch.h) and lays out all rows as if they
 * were a whole view (partition/fetch/partial_view.h). The kernels for resident rows then run the tasks. Every rank
 * makes the same number of rounds. The rows of the next round are fetched while the device works on the present round.
 * A task that alone exceeds a fraction of the budget is searched at the end, in cells (oversized_tasks.h). */

#ifndef GEMP_MATCH_EXCHANGE_PULL_H
#define GEMP_MATCH_EXCHANGE_PULL_H

#include "core/memory.h"
#include "match/filter/candidates.h"
#include "match/search/search_state.h"
#include "partition/fetch/fetch.h"
#include "partition/views/resident.h"

typedef struct gemp_pull_statistics {
	uint64_t rounds, oversized_tasks; /* rounds so far; tasks that were too large for a round */
	uint64_t reads, fetched;          /* rows read in all rounds; rows that other ranks sent */
	uint64_t bytes, raw_bytes;        /* bytes of the sent rows: encoded; in whole words */
} gemp_pull_statistics;

typedef struct gemp_pull gemp_pull;

/* Collective. All arguments are borrowed. `budget` is the maximum bytes of a round's rows on the device; 0: half of the
 * free memory. */
gemp_code gemp_pull_new(gemp_pull **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                        gemp_resident *rows, const gemp_candidates *candidates, uint64_t budget);
void gemp_pull_free(gemp_pull *pull);
GEMP_RELEASE(gemp_pull_free, gemp_pull *)

/* Collective. True if all rows are short enough for rounds. */
bool gemp_pull_fits(const gemp_pull *pull);
/* The maximum number of entries of a view in a round, for gemp_search_options. */
uint64_t gemp_pull_entries(const gemp_pull *pull);
/* The maximum bytes of a round's rows: the budget, or the bytes of all rows if these are fewer. */
uint64_t gemp_pull_round(const gemp_pull *pull);

/* The inputs of push_pull.h: the rows, the candidates by slot of each pattern vertex, and the budget of a round. */
const gemp_fetch *gemp_pull_fetch(const gemp_pull *pull);
uint32_t *const *gemp_pull_candidates(const gemp_pull *pull);
uint64_t gemp_pull_budget(const gemp_pull *pull);

/* Sets the search whose tasks are divided into rounds, and the options with which it was made. */
void gemp_pull_attach(gemp_pull *pull, gemp_search *search, const gemp_search_options *options);

/* Collective. Begins again with the first task. */
gemp_code gemp_pull_restart(gemp_pull *pull);
/* Collective. Prepares the next round. The caller then restarts and runs *search. *last is true if no round follows. */
gemp_code gemp_pull_next(gemp_pull *pull, gemp_search **search, bool *last);
/* Collective. Fetches the rows of the next round while the device works on the present round. `pull` points to a
 * gemp_pull. */
gemp_code gemp_pull_prefetch(void *pull);
/* Local. Call it after the last round. Adds the counters of the cells' search to the counters of the attached search,
 * and frees the cells' search and the rows on the device. */
gemp_code gemp_pull_end(gemp_pull *pull);

/* The statistics of this rank since the pull was made. */
gemp_pull_statistics gemp_pull_statistics_of(const gemp_pull *pull);

#endif
