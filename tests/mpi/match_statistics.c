/* Tests the candidates and the planner's statistics of a graph against counts over the whole graph. */
#include "match_case.h"

#include "harness/pattern_oracle.h"
#include "match/filter/filter.h"
#include "match/filter/statistics.h"
#include "match/planner/condition_phases.h"
#include "pattern/condition/evaluate.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"

static const char *const texts[] = {
	"MATCH (a:Person)-[:KNOWS]->(b:Film|Actor) RETURN a",
	"MATCH (a)-[:KNOWS|ACTS_IN]-(b:Person), (b)-[]->(c) WHERE a.number > 0 AND id(c) < 60000000 RETURN a",
	"MATCH (a)-[:KNOWS]->(b)<-[:KNOWS]-(c), (a)-[:ACTS_IN]-(c) WHERE NOT c:Film RETURN a",
	"MATCH (a)-[]-(b)-[]-(c), (a)-[]->(c) WHERE a.number IS NULL AND a:Film RETURN a",
};

/* Does vertex `id` pass all conditions that contain only v? */
static bool passes_conditions(reference *r, size_t v, uint64_t id)
{
	gemp_scope scope = { r, reference_value, reference_element, reference_label_set };
	r->now.at[v] = id;
	for (size_t i = 0; i < r->pattern->condition_count; i++)
		if (r->pattern->conditions[i].vertices == UINT64_C(1) << v &&
		    !expr_is_true(r->pattern->conditions[i].expr, &scope))
			return false;
	return true;
}

static bool has_condition(const gemp_pattern *pattern, size_t v)
{
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (pattern->conditions[i].vertices == UINT64_C(1) << v)
			return true;
	return false;
}

static bool candidates_are_right(reference *r, const gemp_candidates *candidates)
{
	for (size_t v = 0; v < r->pattern->vertex_count; v++) {
		uint64_t count = 0;
		if ((candidates->bits[v] != NULL) != has_condition(r->pattern, v))
			return false;
		for (uint64_t id = 0; id < r->whole->vertex_count; id++) {
			bool expected = passes_conditions(r, v, id);
			count += expected;
			if (candidates->bits[v] && (candidates->bits[v][id / 32] >> id % 32 & 1) != expected)
				return false;
		}
		if (candidates->count[v] != count)
			return false;
	}
	return true;
}

/* Counts the entries of the row of `id` for pattern edge e from vertex `at` to candidates of vertex `other`. A loop
 * that may go either way counts twice. */
static uint64_t row_length(reference *r, size_t e, size_t at, size_t other, bool out, bool in, uint64_t id)
{
	uint64_t length = 0;
	for (size_t i = 0; i < r->edge_count; i++) {
		const reference_edge *h = &r->edges[i];
		if (!r->pattern->edges[e].relations[h->relation])
			continue;
		length += out && h->source == id && passes_conditions(r, other, h->target);
		length += in && h->target == id && passes_conditions(r, other, h->source);
	}
	return passes_conditions(r, at, id) ? length : 0;
}

static bool pairs_are_parallel(const reference *r, size_t e)
{
	reference probe = *r;
	const gemp_pattern_edge *edge = &r->pattern->edges[e];
	for (uint64_t a = 0; a < r->whole->vertex_count; a++)
		for (uint64_t b = 0; b < r->whole->vertex_count; b++) {
			size_t joined = 0;
			probe.now.at[edge->from] = a;
			probe.now.at[edge->to] = b;
			for (size_t i = 0; i < r->edge_count; i++)
				joined += reference_fits(&probe, e, i);
			if (joined > 1)
				return true;
		}
	return false;
}

static bool statistics_are_right(reference *r, const gemp_statistics *s)
{
	bool right = s->vertices == (double)r->whole->vertex_count;
	for (size_t e = 0; right && e < r->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &r->pattern->edges[e];
		bool either = edge->direction == GEMP_EITHER;
		size_t from = (size_t)edge->from, to = (size_t)edge->to;
		double edges = 0, from_squares = 0, to_squares = 0;
		for (uint64_t id = 0; id < r->whole->vertex_count; id++) {
			double out = (double)row_length(r, e, from, to, true, either, id);
			double in = (double)row_length(r, e, to, from, either, true, id);
			edges += out;
			from_squares += out * out;
			to_squares += in * in;
		}
		right = s->edges[e] == edges && s->paths_from[e] == from_squares && s->paths_to[e] == to_squares &&
		        s->parallel[e] == pairs_are_parallel(r, e);
	}
	for (size_t v = 0; right && v < r->pattern->vertex_count; v++)
		right = s->filtered[v] == has_condition(r->pattern, v);
	return right;
}

static void check(const case_graph *g, const char *text)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = text }, g->distributed);
	gemp_condition_phases phases;
	gemp_filter *filter = NULL;
	gemp_candidates candidates;
	gemp_statistics statistics;
	reference r = { .whole = g->whole, .pattern = pattern };
	assert_non_null(pattern);
	reference_edges(&r);
	assert_all_ok(gemp_phases_new(&phases, pattern, &plain_options));
	assert_all_ok(gemp_filter_new(&filter, context, false));
	assert_all_ok(
		gemp_candidates_new(&candidates, context, filter, g->distributed, pattern, phases.before, phases.before_count));
	assert_all(candidates_are_right(&r, &candidates));
	assert_all_ok(gemp_statistics_new(&statistics, context, g->distributed, pattern, &candidates));
	assert_all(statistics_are_right(&r, &statistics));
	gemp_candidates_free(&candidates);
	gemp_filter_free(filter);
	gemp_phases_free(&phases);
	gemp_pattern_free(pattern);
	reference_free(&r);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static const size_t vertices[] = { 67, 97, 32 }; /* the ranks' shares of the bitmap begin and end within words */
	for (size_t i = 0; i < 3; i++) {
		case_graph g;
		graph_new(&g, vertices[i], 60 + 100 * i, i == 1, gemp_random(&random));
		for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
			check(&g, texts[t]);
		graph_free(&g);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_graphs, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
