/* Tests which conditions are tested before the search with --attributes auto. All ranks must choose the same
 * conditions, by samples of the search. The candidates must be the vertices that pass the chosen conditions.
 * Only columns that the query names may be loaded. */
#include "match_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "harness/pattern_oracle.h"
#include "match/filter/candidates.h"
#include "match/filter/filter.h"
#include "match/filter/residual.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/planner/match_options.h"
#include "match/planner/phase_choice.h"
#include "pattern/condition/evaluate.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/symmetry/automorphism.h"

enum { VERTICES = 97, EDGES = 300 };

/* A query, and how many of its conditions are tested before and after the search. */
typedef struct search_case {
	const char *text;
	size_t before, after; /* expected numbers of conditions */
} search_case;

static const search_case table[] = {
	/* One vertex: there are as many matches as candidates, so testing all rows of a column pays. */
	{ "MATCH (a) WHERE a.number > 0 RETURN a", 1, 0 },
	/* The condition on a leaves so few matches that testing all values of ratio would take longer. */
	{ "MATCH (a:Person)-[:KNOWS]->(b) WHERE a.number > 0 AND b.ratio < 3 RETURN a", 2, 1 },
	/* Conditions on labels and ids are always tested before the search. */
	{ "MATCH (a:Person)-[:KNOWS]->(b:Film) RETURN a", 2, 0 },
	{ "MATCH (a)-[:KNOWS]->(b) WHERE id(a) = 7 RETURN a", 1, 0 },
	/* One candidate means few matches, whichever end of the edge it is. */
	{ "MATCH (a)-[:KNOWS]->(b) WHERE id(a) = -5000 AND b.name CONTAINS 'a' RETURN a", 1, 1 },
	{ "MATCH (a)<-[:KNOWS]-(b) WHERE id(a) = -5000 AND b.name CONTAINS 'a' RETURN a", 1, 1 },
	/* No vertex has this id, so no match is expected and the other conditions can wait. */
	{ "MATCH (a)-[:KNOWS]->(b) WHERE id(a) = 7 AND b.number > 0 AND b.name CONTAINS 'a' RETURN a", 1, 2 },
	{ "MATCH (a)-[:KNOWS]->(b) WHERE id(a) = 7 AND b:Film AND b.flag AND a.name <> b.name RETURN a", 2, 2 },
};
enum { SEARCH_CASES = sizeof table / sizeof *table };

static case_graph graph;
static bool on_host; /* threads of the host test the conditions */

static int setup(void **state)
{
	on_host = false;
	int code = open_context(state);
	TEST_LIMIT(phase_sampling, 0); /* the graph is so small that nothing would be sampled */
	graph_new(&graph, VERTICES, EDGES, false, 11);
	return code;
}

static int teardown(void **state)
{
	graph_free(&graph);
	return close_context(state);
}

/* Collective. The plan for samples has no tests that are pushed down. */
static gemp_code filter_graph(gemp_candidates *out, gemp_condition_phases *phases, gemp_filter *filter,
                              const gemp_pattern *pattern, const gemp_match_options *options)
{
	gemp_symmetry *symmetry = NULL;
	const gemp_plan_options plan = { .semantics = options->semantics };
	gemp_code code = gemp_comm_agree(&test_comm, gemp_automorphism_find(&symmetry, pattern, true));
	const gemp_phase_inputs inputs = { .context = context,
		                               .filter = filter,
		                               .graph = graph.distributed,
		                               .pattern = pattern,
		                               .symmetry = symmetry,
		                               .options = options,
		                               .plan = &plan };
	if (code == GEMP_OK)
		code = gemp_filter_candidates(out, phases, &inputs);
	gemp_symmetry_free(symmetry);
	return code;
}

static bool is_before(const gemp_condition_phases *phases, const gemp_condition *condition)
{
	for (size_t i = 0; i < phases->before_count; i++)
		if (phases->before[i] == condition)
			return true;
	return false;
}

/* Does vertex `id` pass the conditions on v that are tested before the search? */
static bool passes_before(reference *r, const gemp_condition_phases *phases, size_t v, uint64_t id)
{
	gemp_scope scope = { r, reference_value, reference_element, reference_label_set };
	r->now.at[v] = id;
	for (size_t i = 0; i < phases->before_count; i++)
		if (phases->before[i]->vertices == UINT64_C(1) << v && !expr_is_true(phases->before[i]->expr, &scope))
			return false;
	return true;
}

static bool candidates_are_right(reference *r, const gemp_condition_phases *phases, const gemp_candidates *candidates)
{
	for (size_t v = 0; v < r->pattern->vertex_count; v++) {
		uint64_t count = 0;
		for (uint64_t id = 0; id < r->whole->vertex_count; id++) {
			bool right = passes_before(r, phases, v, id);
			count += right;
			if (candidates->bits[v] && (candidates->bits[v][id / 32] >> id % 32 & 1) != right)
				return false;
		}
		if (candidates->count[v] != count)
			return false;
	}
	return true;
}

static bool choices_are_reported(const gemp_pattern *pattern, const gemp_condition_phases *phases)
{
	bool right = phases->before_count + phases->after_count == pattern->condition_count;
	for (size_t i = 0; i < phases->choice_count; i++) {
		const gemp_phase_choice *choice = &phases->choices[i];
		right &= choice->before == is_before(phases, choice->condition) && choice->reason[0];
		right &= choice->open == (choice->before_cost > 0) && choice->open == choice->decided;
		right &= !choice->open || choice->before == (choice->after_cost >= choice->before_cost);
	}
	return right;
}

static void check(const search_case *q)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = q->text }, graph.distributed);
	gemp_condition_phases phases;
	gemp_filter *filter = NULL;
	gemp_candidates candidates;
	gemp_match_options options = plain_options;
	reference r = { .whole = graph.whole, .pattern = pattern };
	assert_non_null(pattern);
	reference_edges(&r);
	assert_all_ok(gemp_phases_new(&phases, pattern, &options));
	assert_all_ok(gemp_filter_new(&filter, context, on_host));
	assert_all_ok(filter_graph(&candidates, &phases, filter, pattern, &options));
	if (phases.before_count != q->before)
		print_message("%s: %zu before\n", q->text, phases.before_count);
	assert_all(phases.before_count == q->before && phases.after_count == q->after);
	assert_all(choices_are_reported(pattern, &phases));
	assert_all(candidates_are_right(&r, &phases, &candidates));
	gemp_candidates_free(&candidates);
	gemp_filter_free(filter);
	gemp_phases_free(&phases);
	gemp_pattern_free(pattern);
	reference_free(&r);
}

static void conditions_are_chosen_by_cost(void **state)
{
	(void)state;
	for (size_t i = 0; i < SEARCH_CASES; i++)
		check(&table[i]);
}

/* DEGREES. The tests replace the attribute a.number or b.number of the text by a degree, COUNT { (a)-[...]->() }. This
 * function is the reference for a degree. */
static int64_t reference_degree(const reference *r, uint64_t v, const gemp_expr *degree, bool loops)
{
	int64_t count = 0;
	for (size_t i = 0; i < r->edge_count; i++) {
		const reference_edge *e = &r->edges[i];
		bool out = e->source == v, in = e->target == v;
		if (degree->relations[e->relation] && (loops || e->source != e->target))
			count += (degree->direction != 1 && out) || (degree->direction != 0 && in);
	}
	return count;
}

static gemp_expr *make_degree(gemp_expr *attribute, int direction)
{
	assert_true(attribute->kind == GEMP_ATTRIBUTE);
	attribute->kind = GEMP_DEGREE;
	attribute->direction = direction;
	assert_all_ok(GEMP_NEW(attribute->relations, graph.distributed->relation_count));
	attribute->relation_count = graph.distributed->relation_count;
	for (size_t r = 0; r < graph.distributed->relation_count; r++)
		attribute->relations[r] = (r + (size_t)direction) % 2 == 0;
	return attribute;
}

static void degrees_before(gemp_semantics semantics, int direction)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = "MATCH (a)-[]->(b) WHERE a.number > 1 RETURN a" },
	                                       graph.distributed);
	gemp_match_options options = plain_options;
	gemp_condition_phases phases;
	gemp_filter *filter = NULL;
	gemp_candidates candidates;
	reference r = { .whole = graph.whole, .pattern = pattern };
	const gemp_expr *degree = make_degree(pattern->conditions[0].expr->children[0], direction);
	bool right = true;
	options.semantics = semantics;
	reference_edges(&r);
	assert_all_ok(gemp_phases_new(&phases, pattern, &options));
	assert_all(phases.certain == 1 && phases.before_count == 1);
	assert_all_ok(gemp_filter_new(&filter, context, on_host));
	assert_all_ok(filter_graph(&candidates, &phases, filter, pattern, &options));
	for (uint64_t id = 0; id < graph.whole->vertex_count; id++) {
		bool bit = candidates.bits[0][id / 32] >> id % 32 & 1;
		right &= bit == (reference_degree(&r, id, degree, semantics == GEMP_HOM) > 1);
	}
	assert_all(right && candidates.count[0] > 0 && candidates.count[0] < VERTICES);
	gemp_candidates_free(&candidates);
	gemp_filter_free(filter);
	gemp_phases_free(&phases);
	gemp_pattern_free(pattern);
	reference_free(&r);
}

static void degrees_before_the_search(void **state)
{
	(void)state;
	for (int direction = 0; direction < 3; direction++) {
		degrees_before(GEMP_ISO, direction);
		degrees_before(GEMP_HOM, direction);
	}
}

static gemp_expr *computed(gemp_expr_kind kind, const gemp_expr *left, const gemp_expr *right)
{
	gemp_expr *expr = NULL;
	assert_all_ok(gemp_expr_new(&expr, kind, 1, 1));
	assert_all_ok(gemp_expr_children(expr, 2));
	assert_all_ok(gemp_expr_copy(&expr->children[0], left));
	assert_all_ok(gemp_expr_copy(&expr->children[1], right));
	return expr;
}

/* fails: the condition becomes 1 / (a.number - a.number) > 1, which cannot be computed, so it must be tested after the
 * search. Otherwise it becomes a.number - 1 > 1, which is tested before. */
static void check_deferred(bool fails, gemp_condition_phase when)
{
	static const question people = { .text = "MATCH (a:Person)-[]->(b) WHERE a.number > 1 AND b.number > 1 RETURN a" };
	gemp_pattern *pattern = parse_question(&people, graph.distributed);
	gemp_match_options options = plain_options;
	gemp_condition_phases phases;
	gemp_filter *filter = NULL;
	gemp_candidates candidates;
	reference r = { .whole = graph.whole, .pattern = pattern };
	const gemp_condition *condition = pattern->conditions;
	while (condition->expr->kind == GEMP_HAS_LABEL || condition->vertices != 1)
		condition++;
	gemp_expr **slot = &condition->expr->children[0], *number = *slot, *one = condition->expr->children[1];
	*slot = computed(GEMP_SUBTRACT, number, fails ? number : one);
	if (fails) {
		gemp_expr *difference = *slot;
		*slot = computed(GEMP_DIVIDE, one, difference);
		gemp_expr_free(difference);
	}
	gemp_expr_free(number);
	options.attributes = when;
	reference_edges(&r);
	assert_all_ok(gemp_phases_new(&phases, pattern, &options));
	assert_all_ok(gemp_filter_new(&filter, context, on_host));
	assert_all_ok(filter_graph(&candidates, &phases, filter, pattern, &options));
	assert_all(is_before(&phases, condition) == !fails && phases.before_count == 3 - (size_t)fails);
	assert_all(!fails || phases.after[0] == condition);
	assert_all(choices_are_reported(pattern, &phases) || fails);
	assert_all(candidates_are_right(&r, &phases, &candidates));
	gemp_candidates_free(&candidates);
	gemp_filter_free(filter);
	gemp_phases_free(&phases);
	gemp_pattern_free(pattern);
	reference_free(&r);
}

static void failing_conditions_are_deferred(void **state)
{
	(void)state;
	check_deferred(true, GEMP_CONDITIONS_BEFORE);
	check_deferred(false, GEMP_CONDITIONS_BEFORE);
	check_deferred(true, GEMP_CONDITIONS_AUTO);
	check_deferred(false, GEMP_CONDITIONS_AUTO);
}

/* The vertices a whose row passed the condition. Each rank sends one row for each vertex a; b is the next vertex. */
typedef struct passed {
	bool vertex[VERTICES];
} passed;

static gemp_code note_rows(void *self, const gemp_batch *batch)
{
	passed *p = self;
	for (size_t row = 0; row < batch->rows; row++)
		p->vertex[batch->vertices[row * 2]] = true;
	return GEMP_OK;
}

static gemp_code ignore_round(void *self, bool last, bool *enough, bool *again)
{
	(void)self;
	(void)last;
	(void)enough;
	(void)again;
	return GEMP_OK;
}

static void degrees_after_the_search(void **state)
{
	(void)state;
	static const question between = { .text = "MATCH (a)-[]->(b) WHERE a.number < b.number RETURN a" };
	gemp_pattern *pattern = parse_question(&between, graph.distributed);
	reference r = { .whole = graph.whole, .pattern = pattern };
	const gemp_condition *condition = &pattern->conditions[0];
	const gemp_expr *a = make_degree(condition->expr->children[0], 0);
	const gemp_expr *b = make_degree(condition->expr->children[1], 2);
	reference_edges(&r);
	gemp_filter *filter = NULL;
	assert_all_ok(gemp_filter_new(&filter, context, on_host));
	for (int loops = 0; loops < 2; loops++) {
		passed p = { 0 };
		gemp_sink residual = { 0 }, next = { .self = &p, .consume = note_rows, .end_round = ignore_round };
		bool enough = false, again = false, right = true;
		gemp_filter_count_loops(filter, loops);
		assert_all_ok(gemp_residual_new(&residual, context, graph.distributed, &condition, 1, filter, loops, &next));
		for (gemp_vertex v = 0; v < VERTICES; v++) {
			gemp_vertex row[] = { v, (v + 1) % VERTICES };
			gemp_batch batch = { .rows = 1, .vertex_count = 2, .vertices = row };
			assert_true(residual.consume(residual.self, &batch) == GEMP_OK);
		}
		assert_all_ok(residual.end_round(residual.self, true, &enough, &again));
		for (uint64_t v = 0; v < VERTICES; v++)
			right &= p.vertex[v] ==
			         (reference_degree(&r, v, a, loops) < reference_degree(&r, (v + 1) % VERTICES, b, loops));
		assert_all(right);
		residual.free(residual.self);
	}
	gemp_filter_free(filter);
	gemp_pattern_free(pattern);
	reference_free(&r);
}

typedef struct trial {
	const gemp_pattern *pattern;
	gemp_filter *filter;
} trial;

static gemp_code filter_once(void *argument)
{
	const trial *t = argument;
	gemp_condition_phases phases = { 0 };
	gemp_candidates candidates;
	gemp_match_options options = plain_options;
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_phases_new(&phases, t->pattern, &options)));
	GEMP_TRY_DONE(filter_graph(&candidates, &phases, t->filter, t->pattern, &options));
	gemp_candidates_free(&candidates);
done:
	gemp_phases_free(&phases);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		return; /* takes long and tests nothing new on more ranks */
	trial t = { parse_question(&(question){ .text = "MATCH (a:Person)-[:KNOWS]->(b) WHERE a.number > 0 RETURN a" },
		                       graph.distributed),
		        NULL };
	assert_all_ok(gemp_filter_new(&t.filter, context, on_host));
	assert_all_ok(filter_once(&t)); /* from now on the columns stay on the device */
	assert_all_survive_no_memory(filter_once, &t);
	gemp_filter_free(t.filter);
	gemp_pattern_free((gemp_pattern *)(uintptr_t)t.pattern);
}

static int setup_on_host(void **state)
{
	int code = setup(state);
	on_host = true;
	return code;
}

/* A loader that holds the columns until the graph requests them, and counts the requests. */
typedef struct hidden {
	gemp_column columns[FIXTURE_COLUMNS];
	int loads[FIXTURE_COLUMNS];
} hidden;

static gemp_code load(void *self, gemp_shard *g, size_t column)
{
	hidden *h = self;
	h->loads[column]++;
	g->attributes.columns[column] = h->columns[column];
	h->columns[column] = (gemp_column){ 0 };
	return GEMP_OK;
}

static gemp_code load_nothing(void *self, gemp_shard *g)
{
	(void)self;
	(void)g;
	return GEMP_OK;
}

static gemp_code load_no_relation(void *self, gemp_shard *g, size_t relation, unsigned parts)
{
	(void)self;
	(void)g;
	(void)relation;
	(void)parts;
	return GEMP_OK;
}

static void hide_columns(hidden *h, gemp_shard *g)
{
	*h = (hidden){ 0 };
	for (size_t c = 0; c < g->attributes.count; c++) {
		h->columns[c] = g->attributes.columns[c];
		g->attributes.columns[c] = (gemp_column){ .name = h->columns[c].name, .type = h->columns[c].type };
	}
	g->loader = (gemp_shard_loader){ h, load_nothing, load_nothing, load, load_no_relation, NULL, NULL, NULL };
}

static void restore_columns(hidden *h, gemp_shard *g)
{
	for (size_t c = 0; c < g->attributes.count; c++)
		if (!h->loads[c])
			g->attributes.columns[c] = h->columns[c];
	g->loader = (gemp_shard_loader){ 0 };
}

static void only_named_columns_are_read(void **state)
{
	static const char text[] = "MATCH (a)-[]-(b) WHERE a.number IS NOT NULL AND a.ratio <> b.ratio RETURN a";
	(void)state;
	for (int when = GEMP_CONDITIONS_AUTO; when <= GEMP_CONDITIONS_AFTER; when++) {
		gemp_match *match = NULL;
		gemp_match_result result;
		gemp_match_options options = plain_options;
		hidden h;
		options.attributes = (gemp_condition_phase)when;
		options.listed = false;
		options.place = on_host ? GEMP_PLACE_HOST : GEMP_PLACE_DEVICE;
		hide_columns(&h, graph.distributed);
		gemp_pattern *pattern = parse_question(&(question){ .text = text }, graph.distributed);
		assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &options));
		assert_all_ok(gemp_match_run(match, NULL, &result));
		gemp_match_free(match);
		restore_columns(&h, graph.distributed);
		assert_all(result.matches > 0);
		for (size_t c = 0; c < graph.distributed->attributes.count; c++) {
			const char *name = graph.distributed->attributes.columns[c].name;
			bool named = strcmp(name, "number") == 0 || strcmp(name, "ratio") == 0;
			assert_all(h.loads[c] == named);
		}
		gemp_pattern_free(pattern);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(conditions_are_chosen_by_cost, setup, teardown),
		cmocka_unit_test_setup_teardown(failing_conditions_are_deferred, setup, teardown),
		cmocka_unit_test_setup_teardown(degrees_before_the_search, setup, teardown),
		cmocka_unit_test_setup_teardown(degrees_after_the_search, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_may_run_out, setup, teardown),
		cmocka_unit_test_setup_teardown(only_named_columns_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(conditions_are_chosen_by_cost, setup_on_host, teardown),
		cmocka_unit_test_setup_teardown(failing_conditions_are_deferred, setup_on_host, teardown),
		cmocka_unit_test_setup_teardown(degrees_before_the_search, setup_on_host, teardown),
		cmocka_unit_test_setup_teardown(degrees_after_the_search, setup_on_host, teardown),
		cmocka_unit_test_setup_teardown(memory_may_run_out, setup_on_host, teardown),
		cmocka_unit_test_setup_teardown(only_named_columns_are_read, setup_on_host, teardown),
	};
	return test_main_all(argc, argv, tests);
}
