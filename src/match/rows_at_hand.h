/* rows_at_hand: the views of a plan on this rank: own rows and, within the budget, replicas of the hottest ones. */
#ifndef GEMP_MATCH_ROWS_AT_HAND_H
#define GEMP_MATCH_ROWS_AT_HAND_H

#include "partition/view.h"
#include "pattern/plan.h"

typedef struct gemp_rows_at_hand {
	gemp_order order;
	gemp_residency residency;
	size_t view_count;
	gemp_view views[GEMP_MAX_VIEWS];
	uint64_t bytes;         /* of resident rows on this rank */
	uint64_t replica_bytes; /* of those, rows of other ranks (and own hot ones) */
} gemp_rows_at_hand;

/* Collective. replicate: bytes a rank, or GEMP_REPLICATE_AUTO or GEMP_REPLICATE_ALL (match/match.h). */
gemp_code gemp_rows_at_hand_new(gemp_rows_at_hand *out, gemp_context *context, const gemp_graph *graph,
                                const gemp_plan *plan, int64_t replicate);
void gemp_rows_at_hand_free(gemp_rows_at_hand *rows);

#endif
