/* push_pull: chooses between pull, which fetches rows to the ranks that lack them, and push, which sends partial
 * matches to the owners of the rows. The choice compares the expected bytes of pull and push, as they are coded, and
 * considers that the kernels for push are slower.
 *
 * The rows that pull moves are estimated from the working set of all pivots (working_set.h): exactly for neighbours of
 * the pivots, and by expectation further away. Each row counts once. If not all rows fit, some rounds are tried in
 * advance to see how often a row is fetched again. The partial matches that push moves are estimated from samples of
 * the plan's steps (match/planner/sample.h) or, without samples, from the planner's estimates. */

#ifndef GEMP_MATCH_EXCHANGE_PUSH_PULL_H
#define GEMP_MATCH_EXCHANGE_PUSH_PULL_H

#include "match/exchange/pull.h"
#include "match/planner/sample.h"

/* An estimate for all ranks, which is the same on all of them. */
typedef struct gemp_push_pull_estimate {
	bool made; /* false: nothing was estimated */
	uint64_t pull_bytes, push_bytes;
	uint64_t push_reads; /* entries walked, lookups, and received partial matches */
} gemp_push_pull_estimate;

typedef struct gemp_push_pull_inputs {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_plan *plan; /* a plan without given vertices */
	const gemp_statistics *statistics;
	const gemp_resident *rows;
	const gemp_pull *pull;        /* not read by gemp_push_pull_needs_no_rows */
	const gemp_sample_work *work; /* [steps] by samples; if passed of the pivot's step is 0, there are no samples */
} gemp_push_pull_inputs;

/* Collective. True if push is expected to take less time than the preparation of pull, so that the rows need not be
 * estimated. */
bool gemp_push_pull_needs_no_rows(const gemp_push_pull_inputs *inputs);
/* Collective. Makes the estimate. */
gemp_code gemp_push_pull_weigh(gemp_push_pull_estimate *out, const gemp_push_pull_inputs *inputs);
/* True if push is expected to be faster. */
bool gemp_push_pull_favours_push(const gemp_push_pull_estimate *estimate, int ranks);

#endif
