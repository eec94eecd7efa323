/* pull: a search in rounds, where rows that it reads are not all on this rank or do not all fit on its device.
 *
 * A round takes as many of the next tasks (pivots, or seeds) as read rows of no more than the budget's bytes
 * (working_set.h), requests the rows that are not here from their owners (partition/fetch/fetch.h), lays all of them
 * out as if they were a whole view (partition/fetch/partial_view.h), and lets the kernels for resident rows do the
 * tasks. Every rank makes the same number of rounds. The rows of the next round are fetched while the device works on
 * the present one. Tasks of which one alone passes a share of the budget are left to the end, and searched in cells
 * (oversized_tasks.h).
 */

#ifndef GEMP_MATCH_EXCHANGE_PULL_H
#define GEMP_MATCH_EXCHANGE_PULL_H

#include "core/memory.h"
#include "match/filter/candidates.h"
#include "match/search/search_state.h"
#include "partition/fetch/fetch.h"
#include "partition/views/resident.h"

typedef struct gemp_pull_statistics {
	uint64_t rounds, oversized_tasks; /* tasks too large for a round */
	uint64_t reads, fetched;          /* rows that rounds held; rows that travelled for them */
	uint64_t bytes, raw_bytes;        /* as sent, and as they would be in whole words */
} gemp_pull_statistics;

typedef struct gemp_pull gemp_pull;

/* Collective. All is borrowed. budget: bytes of a round's rows on the device; 0: half of what the device has left. */
gemp_code gemp_pull_new(gemp_pull **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                        gemp_resident *rows, const gemp_candidates *candidates, uint64_t budget);
void gemp_pull_free(gemp_pull *pull);
GEMP_RELEASE(gemp_pull_free, gemp_pull *)

/* Collective. Are all rows short enough for rounds? */
bool gemp_pull_fits(const gemp_pull *pull);
/* Entries of a view in a round at most: for gemp_search_options. */
uint64_t gemp_pull_entries(const gemp_pull *pull);
/* Bytes of a round's rows: the budget, or all rows if they take less. */
uint64_t gemp_pull_round(const gemp_pull *pull);

/* What a choice before the first round goes by: rows, candidates by slot [pattern vertices], bytes of a round. */
const gemp_fetch *gemp_pull_fetch(const gemp_pull *pull);
uint32_t *const *gemp_pull_candidates(const gemp_pull *pull);
uint64_t gemp_pull_budget(const gemp_pull *pull);

/* The search whose tasks go in rounds; made with these options, round_entries aside. */
void gemp_pull_attach(gemp_pull *pull, gemp_search *search, const gemp_search_options *options);

/* Collective. From the first task again. */
gemp_code gemp_pull_restart(gemp_pull *pull);
/* Collective. The next round: afterwards *search is to be restarted and run. *last: there are no more. */
gemp_code gemp_pull_next(gemp_pull *pull, gemp_search **search, bool *last);
/* Collective. Fetches the rows of the round after that (of a gemp_pull), while a device is at the present one. */
gemp_code gemp_pull_prefetch(void *pull);
/* Local. After the last round has run: whatever was counted is the attached search's. */
gemp_code gemp_pull_end(gemp_pull *pull);

/* Of this rank, since the pull was made. */
gemp_pull_statistics gemp_pull_statistics_of(const gemp_pull *pull);

#endif
