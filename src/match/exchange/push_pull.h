/* push_pull: chooses between fetching rows to the ranks that lack them (pull) and sending partial matches to the owners
 * of the rows (push). The choice compares the bytes that either way is expected to move, as they are coded, and
 * considers that the kernels for push are slower.
 *
 * The rows that pull moves are estimated from the working set of all pivots (working_set.h): exactly for neighbours of
 * the pivots, and by expectation further away. Each row counts once; where the rows do not all fit, some rounds are
 * tried in advance to see how often a row is fetched again. The partial matches that push moves are estimated from
 * samples of the plan's steps (match/planner/sample.h), or else from the planner's estimates.
 */

#ifndef GEMP_MATCH_EXCHANGE_PUSH_PULL_H
#define GEMP_MATCH_EXCHANGE_PUSH_PULL_H

#include "match/exchange/pull.h"
#include "match/planner/sample.h"

/* The sums over all ranks, equal on all of them. */
typedef struct gemp_push_pull_estimate {
	bool made; /* false: nothing was estimated */
	uint64_t pull_bytes, push_bytes;
	uint64_t push_reads; /* entries walked, row searches, and partial matches that are received */
} gemp_push_pull_estimate;

typedef struct gemp_push_pull_inputs {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_plan *plan; /* without given vertices */
	const gemp_statistics *statistics;
	const gemp_resident *rows;
	const gemp_pull *pull;
	const gemp_sample_work *work; /* [steps] by samples; if nothing passed the pivot, there are no samples */
} gemp_push_pull_inputs;

/* Collective. Makes the estimate. */
gemp_code gemp_push_pull_weigh(gemp_push_pull_estimate *out, const gemp_push_pull_inputs *inputs);
/* True if partial matches should travel. */
bool gemp_push_pull_favours_push(const gemp_push_pull_estimate *estimate, int ranks);

#endif
