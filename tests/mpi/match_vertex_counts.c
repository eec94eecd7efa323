/* Tests counts at vertices against the reference. The count of a host vertex is the number of embeddings with it at the
 * pattern vertex. If matches are orbits, it is divided by the number of automorphisms that keep the pattern vertex. */
#include "match_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "match/vertex_counts.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

static case_graph graph;

static int setup(void **state)
{
	int code = open_context(state);
	graph_new(&graph, 30, 100, false, 11);
	return code;
}

static int teardown(void **state)
{
	graph_free(&graph);
	return close_context(state);
}

static bool counts_are_right(const reference *r, const gemp_match *match, int v, const uint64_t *counts, int members,
                             uint64_t *sum)
{
	bool broken = match->plan->broken && match->options.distinct != GEMP_BY_NOTHING, right = true;
	uint64_t order = broken ? match->plan->group_order : 1;
	for (size_t i = 0; i < graph.distributed->rows; i++) {
		uint64_t at = 0, id = graph.distributed->first_vertex + i;
		for (size_t k = 0; k < r->count; k++)
			at += r->list[k].at[v] == id;
		right &= counts[i] * order == at * (uint64_t)members;
		*sum += counts[i];
	}
	return right;
}

static void check(const question *q, gemp_semantics semantics, gemp_distinct distinct, int64_t replicate)
{
	gemp_pattern *pattern = parse_question(q, graph.distributed);
	gemp_match_options o = plain_options;
	uint64_t *counts = calloc(graph.distributed->rows + 1, sizeof *counts), sum = 0;
	reference r;
	assert_non_null(pattern);
	reference_new(&r, graph.whole, pattern, semantics);
	o.semantics = semantics;
	o.distinct = distinct;
	o.replicate = replicate;
	o.listed = false;
	for (int v = 0; v < (int)pattern->vertex_count; v++) {
		gemp_match *match = NULL;
		gemp_match_result result;
		int members;
		/* only the first and the last vertex, because each needs a kernel */
		if (v && v + 1 < (int)pattern->vertex_count)
			continue;
		o.count_per = 1 + v;
		assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
		for (int turn = 0; turn < 2; turn++) {
			assert_all_ok(gemp_match_run(match, NULL, &result));
			assert_all_ok(gemp_match_vertex_counts(match, counts, &members));
			sum = 0;
			assert_all(counts_are_right(&r, match, v, counts, members, &sum));
			assert_int_equal(gemp_comm_sum1(&test_comm, sum), result.matches * (uint64_t)members);
		}
		gemp_match_free(match);
	}
	reference_free(&r);
	gemp_pattern_free(pattern);
	free(counts);
}

static void counts_of_patterns(void **state)
{
	(void)state;
	check(&(question){ .shape = "edges:0-1,1-2,2-0,2-3" }, GEMP_ISO, GEMP_BY_ORBIT, GEMP_REPLICATE_ALL);
	check(&(question){ .shape = "cycle:4" }, GEMP_ISO, GEMP_BY_NOTHING, 0);
	check(&(question){ .text = "MATCH (a:Person)-[:KNOWS]->(b)<-[:KNOWS]-(c:Person) RETURN b" }, GEMP_ISO,
	      GEMP_BY_ORBIT, 0);
	check(&(question){ .text = "MATCH (a)-[:KNOWS]->(b)-[]->(c) RETURN a" }, GEMP_HOM, GEMP_BY_NOTHING,
	      GEMP_REPLICATE_ALL);
}

static void unsuitable_queries_are_rejected(void **state)
{
	(void)state;
	gemp_pattern *pattern = parse_question(
		&(question){ .text = "MATCH (a)-[:KNOWS]-(b) WHERE a.number < b.number RETURN a" }, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	o.listed = false;
	o.count_per = 1;
	assert_code(gemp_match_prepare(&match, context, graph.distributed, pattern, &o), GEMP_EUSAGE);
	assert_message("RETURN v, count(*)");
	gemp_pattern_free(pattern);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_of_patterns, setup, teardown),
		cmocka_unit_test_setup_teardown(unsuitable_queries_are_rejected, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
