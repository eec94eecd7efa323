/* crossing_choice: do rows come to the ranks that lack them, or do partial matches travel to the rows? By the bytes that
 * either is expected to move, as they are coded, and by what the search is slowed down where partial matches may travel.
 *
 * Rows: those that the pivots can reach (match/closure): from the pivots' own rows exactly, further away as many as so many
 * entries are expected to name; each once, or, where they have no room together, as often as some rounds, tried in
 * advance, let expect. Partial matches: what samples of the plan's steps tell (match/sample), or else the planner's
 * estimates.
 */
#ifndef GEMP_MATCH_CROSSING_CHOICE_H
#define GEMP_MATCH_CROSSING_CHOICE_H

#include "match/pull.h"
#include "match/sample.h"

/* Of all ranks, the same on all of them. */
typedef struct gemp_crossing_estimate {
	bool made;
	uint64_t pull_bytes, push_bytes;
	uint64_t push_reads;             /* entries walked, vertices looked for, and partial matches met again */
} gemp_crossing_estimate;

typedef struct gemp_crossing_question {
	gemp_context *context;
	const gemp_graph *graph;
	const gemp_plan *plan;           /* with a pivot */
	const gemp_statistics *statistics;
	const gemp_resident *rows;
	const gemp_pull *pull;
	const gemp_sample_work *work;    /* [steps] by samples; nothing passed the pivot: there were none */
} gemp_crossing_question;

/* Collective. */
gemp_code gemp_crossing_weigh(gemp_crossing_estimate *out, const gemp_crossing_question *question);
/* Seconds of a rank that are worth it: kernels that partial matches can leave also take twice as long to compile (PoCL: 6
 * against 3 seconds). Tests make it 0, and then bytes alone decide. */
extern double gemp_crossing_gain;
/* Are partial matches to travel? */
bool gemp_crossing_by_push(const gemp_crossing_estimate *estimate, int ranks);

#endif
