/* pull: a search in rounds, for rows that are not all on this rank or do not all fit on its device.
 *
 * A round takes as many of the next tasks (pivots, or seeds) as have a working set of at most the budget's bytes
 * (working_set.h), requests the rows that this rank lacks from their owners (partition/fetch/fetch.h), lays all of them
 * out as if they were a whole view (partition/fetch/partial_view.h), and runs the tasks with the kernels for resident
 * rows. Every rank makes the same number of rounds. The rows of the next round are fetched while the device works on
 * the present one. A task that alone exceeds a part of the budget is searched at the end, in cells (oversized_tasks.h).
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
	uint64_t reads, fetched;          /* rows of all rounds; rows of them that another rank sent */
	uint64_t bytes, raw_bytes;        /* of rows as sent, and in whole words */
} gemp_pull_statistics;

typedef struct gemp_pull gemp_pull;

/* Collective. All arguments are borrowed. budget: bytes of a round's rows on the device; 0: half of the free memory. */
gemp_code gemp_pull_new(gemp_pull **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                        gemp_resident *rows, const gemp_candidates *candidates, uint64_t budget);
void gemp_pull_free(gemp_pull *pull);
GEMP_RELEASE(gemp_pull_free, gemp_pull *)

/* Collective. True if all rows are short enough for rounds. */
bool gemp_pull_fits(const gemp_pull *pull);
/* The greatest number of entries of a view in a round, for gemp_search_options. */
uint64_t gemp_pull_entries(const gemp_pull *pull);
/* Bytes of a round's rows: the budget, or the bytes of all rows if these are fewer. */
uint64_t gemp_pull_round(const gemp_pull *pull);

/* The inputs of push_pull.h: rows, candidates by slot [pattern vertices], and bytes of a round. */
const gemp_fetch *gemp_pull_fetch(const gemp_pull *pull);
uint32_t *const *gemp_pull_candidates(const gemp_pull *pull);
uint64_t gemp_pull_budget(const gemp_pull *pull);

/* Sets the search whose tasks are divided into rounds, and the options with which it was made. */
void gemp_pull_attach(gemp_pull *pull, gemp_search *search, const gemp_search_options *options);

/* Collective. Begins again with the first task. */
gemp_code gemp_pull_restart(gemp_pull *pull);
/* Collective. Prepares the next round: *search is then restarted and run by the caller. *last: no round follows. */
gemp_code gemp_pull_next(gemp_pull *pull, gemp_search **search, bool *last);
/* Collective. Fetches the rows of the next round (of a gemp_pull *), while the device works on the present one. */
gemp_code gemp_pull_prefetch(void *pull);
/* Local. After the last round: adds the counters of cells to those of the attached search. */
gemp_code gemp_pull_end(gemp_pull *pull);

/* Figures of this rank since the pull was made. */
gemp_pull_statistics gemp_pull_statistics_of(const gemp_pull *pull);

#endif
