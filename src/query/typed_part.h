/* typed_part: one MATCH or OPTIONAL MATCH as a typed pattern (count/typed_terms.h) with candidates. It supports
 *
 * - conditions on one vertex, which become candidates. A label that the edges of a vertex imply needs none.
 * - a <> b, a = b, id(a) <> id(b), id(a) = id(b)
 * - id(a) < id(b), if the matches with id(a) > id(b) are equally many, because an automorphism exchanges a and b; the
 *   same for longer chains
 * - [NOT] EXISTS of an edge between two vertices, as in NOT (a)-[:KNOWS]-(b)
 *
 * under edge-iso and hom. The argument of an OPTIONAL MATCH is the root of its pattern. */

#ifndef GEMP_QUERY_TYPED_PART_H
#define GEMP_QUERY_TYPED_PART_H

#include "count/core_order.h"
#include "count/typed_terms.h"
#include "match/filter/candidates.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"

typedef struct gemp_typed_part {
	/* set by the caller, and borrowed */
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern; /* has at most one argument */
	const gemp_match_options *options;
	uint64_t extended; /* vertices that are arguments of an OPTIONAL MATCH */
	/* found */
	gemp_typed_pattern typed;
	gemp_candidate_classes classes; /* bitmaps of `candidates` */
	uint64_t divisor;               /* of the count of `typed`, which leaves out id(a) < id(b) */
	const char *reason;             /* why the pattern has no terms; NULL: it may have */
	/* while it is made */
	uint64_t less[GEMP_MAX_PATTERN_VERTICES]; /* bit b of less[a]: id(a) < id(b) */
	size_t tested;
	const gemp_condition **tests; /* [tested] conditions on one vertex that become candidates */
	gemp_candidates candidates;
} gemp_typed_part;

/* Collective. Finds the typed pattern and its candidates, or sets the reason. The options may narrow the candidates of
 * the first MATCH further. */
gemp_code gemp_typed_part_find(gemp_typed_part *part);
void gemp_typed_part_free(gemp_typed_part *part); /* collective over the ranks of a node; takes {0} */

#endif
