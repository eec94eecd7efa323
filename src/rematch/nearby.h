/* nearby: a rule's matches at some places. Where these and all that their matches can speak of are a small part of the
 * graph, that part is made a graph of its own and searched.
 */
#ifndef GEMP_REMATCH_NEARBY_H
#define GEMP_REMATCH_NEARBY_H

#include "match/match.h"
#include "query/frame.h"
#include "rematch/locality.h"

typedef struct gemp_nearby {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_rule *rule;         /* bound to it */
	const gemp_locality *locality;
	const uint32_t *places;        /* bits by id, the same on every rank */
	const gemp_match_options *options;
	uint64_t combinations;
} gemp_nearby;

/* Collective. As gemp_matches_rows. */
gemp_code gemp_nearby_rows(const gemp_nearby *nearby, gemp_frame *out);

#endif
