/* rows_at_hand: the resident rows that a plan's views ask for. */
#ifndef GEMP_MATCH_ROWS_AT_HAND_H
#define GEMP_MATCH_ROWS_AT_HAND_H

#include "partition/resident.h"
#include "pattern/plan.h"

/* Collective. replicate: bytes a rank, or GEMP_REPLICATE_AUTO or GEMP_REPLICATE_ALL. To be released (partition/resident.h). */
gemp_code gemp_rows_at_hand(gemp_resident **out, gemp_context *context, gemp_graph *graph, const gemp_plan *plan,
                            int64_t replicate);

#endif
