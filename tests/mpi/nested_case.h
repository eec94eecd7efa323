/* Shared by tests of counting by nested loops. The variable GEMP_SHAPE makes CPU devices use nested loops as GPUs
 * do. */
#ifndef GEMP_TESTS_NESTED_CASE_H
#define GEMP_TESTS_NESTED_CASE_H

#include "match_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "match/match.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

#include <stdlib.h>

static int open_nested(void **state)
{
	setenv("GEMP_SHAPE", "nested", 1);
	return open_context(state);
}

static int close_nested(void **state)
{
	unsetenv("GEMP_SHAPE");
	return close_context(state);
}

/* A graph whose first three vertices are hubs. Two vertices are joined at most once, so edges need no slots. */
static inline gemp_shard *nested_graph(const gemp_comm *comm, size_t vertices, double share, bool undirected,
                                       uint64_t seed)
{
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = seed, .undirected = undirected };
	assert_all_ok(gemp_builder_new(&builder, comm, &options));
	gemp_code code = GEMP_OK;
	for (int64_t a = 0; a < (int64_t)vertices && comm->rank == 0; a++) {
		gemp_value from = { .type = GEMP_INTEGER, .integer = a };
		code |= gemp_builder_vertex(builder, &from, a % 3 ? "A" : "B", 1, (gemp_place){ 0 });
	}
	for (int64_t a = 0; a < (int64_t)vertices; a++)
		for (int64_t b = a; b < (int64_t)vertices; b++) {
			bool back = gemp_random_unit(&seed) < 0.5;
			gemp_value from = { .type = GEMP_INTEGER, .integer = back ? b : a };
			gemp_value to = { .type = GEMP_INTEGER, .integer = back ? a : b };
			double chance = gemp_random_unit(&seed), here = a == b ? 0.2 : a < 3 ? 4 * share : share;
			if (comm->rank == 0 && chance < here)
				code |= gemp_builder_edge(builder, &from, &to, "L", 1, (gemp_place){ 0 });
		}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	return graph;
}

static inline bool is_nested(const case_graph *g, const question *q, const gemp_match_options *o)
{
	gemp_pattern *pattern = parse_question(q, g->distributed);
	gemp_match *match = NULL;
	assert_all_ok(gemp_match_prepare(&match, context, g->distributed, pattern, o));
	bool nested = match->search->nested != NULL;
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return nested;
}

static const gemp_match_options nested_options = { .replicate = GEMP_REPLICATE_ALL, .limit = UINT64_MAX };

#endif
