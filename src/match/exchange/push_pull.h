/* push_pull: shall rows come to the ranks that lack them (pull), or partial matches travel to the rows (push)? The
 * choice goes by the bytes that either is expected to move, as they are coded, and by how much the kernels that partial
 * matches can leave are slower.
 *
 * Rows: those that the pivots can reach (working_set.h); from the pivots' own rows exactly, further away as many as
 * their entries are expected to name; each row once, or, where all together do not fit, as often as some rounds, tried
 * in advance, suggest. Partial matches: what samples of the plan's steps say (match/planner/sample.h), or else the
 * planner's estimates.
 */

#ifndef GEMP_MATCH_EXCHANGE_PUSH_PULL_H
#define GEMP_MATCH_EXCHANGE_PUSH_PULL_H

#include "match/exchange/pull.h"
#include "match/planner/sample.h"

/* Of all ranks, the same on all of them. */
typedef struct gemp_push_pull_estimate {
	bool made;
	uint64_t pull_bytes, push_bytes;
	uint64_t push_reads; /* entries walked, vertices looked for, and partial matches met again */
} gemp_push_pull_estimate;

typedef struct gemp_push_pull_inputs {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_plan *plan; /* with a pivot */
	const gemp_statistics *statistics;
	const gemp_resident *rows;
	const gemp_pull *pull;
	const gemp_sample_work *work; /* [steps] by samples; nothing passed the pivot: there were none */
} gemp_push_pull_inputs;

/* Collective. */
gemp_code gemp_push_pull_weigh(gemp_push_pull_estimate *out, const gemp_push_pull_inputs *question);
/* Are partial matches to travel? */
bool gemp_push_pull_favours_push(const gemp_push_pull_estimate *estimate, int ranks);

#endif
