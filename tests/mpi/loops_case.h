/* Patterns whose plans mark the neighbours of several vertices in bitmaps (adjacency marks), on graphs dense enough
 * that marks are set. */
#ifndef GEMP_TESTS_LOOPS_CASE_H
#define GEMP_TESTS_LOOPS_CASE_H

#include "match_case.h"

#include "match/codegen/adjacency_marks.h"
#include "match/match.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

/* Every rank has all rows, as the nest of loops requires. */
static inline gemp_match_options loops_options(gemp_semantics semantics, bool listed)
{
	gemp_match_options o = plain_options;
	o.semantics = semantics;
	o.distinct = semantics == GEMP_HOM ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
	o.replicate = GEMP_REPLICATE_ALL;
	o.listed = listed;
	return o;
}

/* Returns the number of adjacency marks in the plan of a pattern. */
static inline size_t marks_of(const case_graph *g, const question *q, const gemp_match_options *o)
{
	gemp_pattern *pattern = parse_question(q, g->distributed);
	gemp_match *match = NULL;
	gemp_adjacency_marks marks;
	assert_all_ok(gemp_match_prepare(&match, context, g->distributed, pattern, o));
	assert_true(match->search->emit.loops == !context->device->gpu);
	gemp_adjacency_marks_plan(&marks, match->plan);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return marks.count;
}

#endif
