/* Tests which conditions are evaluated before, in, and after the search. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/log.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "match/planner/condition_phases.h"
#include "match/planner/match_options.h"
#include "pattern/bind/bind.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"

#include <stdio.h>

static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static char *labels[] = { "Film" };
	static uint32_t film[] = { 0 };
	static gemp_label_set sets[] = { { 0, NULL, 1 }, { 1, film, 1 } };
	static gemp_relation relations[] = { { .name = "KNOWS", .directed = true } };
	static gemp_column columns[] = { { .name = "born", .type = GEMP_INTEGER },
		                             { .name = "name", .type = GEMP_STRING } };
	graph = (gemp_shard){ .ranks = 1,
		                  .label_count = 1,
		                  .labels = labels,
		                  .label_set_count = 2,
		                  .label_sets = sets,
		                  .relation_count = 1,
		                  .relations = relations };
	graph.keys.type = GEMP_INTEGER;
	graph.attributes = (gemp_table){ .count = 2, .columns = columns };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

typedef struct expected {
	const char *where;
	size_t before, after, mentions; /* numbers without --attributes after */
	/* number of conditions that are evaluated after the search under --attributes after */
	size_t late;
	uint64_t apart; /* bits of the vertices that must differ from a */
	size_t open;    /* number of conditions whose phase depends on their cost under --attributes auto */
} expected;

static const expected cases[] = {
	{ "a:Film", 1, 0, 0, 0, 0, 0 }, /* labels need no values, so they are always tested before */
	{ "a.born > 3", 1, 0, 1, 1, 0, 1 },
	{ "a.born > 3 AND b.born > 3", 2, 0, 2, 2, 0, 2 },
	{ "a.born > 3 OR a.name = 'x'", 1, 0, 2, 1, 0, 1 }, /* one conjunct with one vertex */
	{ "a.born > 3 OR b.born > 3", 0, 1, 2, 1, 0, 0 },   /* one conjunct with two vertices */
	{ "a.born < b.born", 0, 1, 2, 1, 0, 0 },
	{ "a.born < 5 AND a.born < b.born", 1, 1, 3, 2, 0, 1 },
	{ "id(a) = 3", 1, 0, 1, 1, 0, 0 },
	{ "a.born > 3 AND a:Film AND id(b) < 9", 3, 0, 2, 2, 0, 1 },
	{ "a <> b", 0, 0, 0, 0, 2, 0 },
	{ "a <> b AND c <> a", 0, 0, 0, 0, 6, 0 },
	{ "a <> b OR a.born > 3", 0, 1, 1, 1, 0, 0 }, /* the inequality is no conjunct of its own */
	{ "NOT a = b", 0, 0, 0, 0, 2, 0 },
};

static gemp_pattern *pattern_of(const char *where)
{
	char text[256];
	gemp_pattern *pattern = NULL;
	snprintf(text, sizeof text, "MATCH (a)-[e:KNOWS]->(b)-[f:KNOWS]->(c) WHERE %s RETURN a", where);
	assert_ok(gemp_pattern_parse(&pattern, text, NULL));
	assert_ok(gemp_pattern_bind(pattern, &graph));
	return pattern;
}

static const gemp_phase_choice *choice_of(const gemp_condition_phases *phases, const gemp_condition *condition)
{
	for (size_t i = 0; i < phases->choice_count; i++)
		if (phases->choices[i].condition == condition)
			return &phases->choices[i];
	fail_msg("a condition on one vertex has no choice");
	return NULL;
}

static void conditions_find_their_phase(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int when = GEMP_CONDITIONS_AUTO; when <= GEMP_CONDITIONS_AFTER; when++) {
			const expected *x = &cases[i];
			gemp_condition_phases phases;
			gemp_pattern *pattern = pattern_of(x->where);
			gemp_match_options options = { .attributes = (gemp_condition_phase)when };
			assert_ok(gemp_phases_new(&phases, pattern, &options));
			print_message("%s, attributes %d\n", x->where, when);
			size_t late = when == GEMP_CONDITIONS_AFTER ? x->late : x->after;
			assert_int_equal(phases.after_count, late);
			assert_int_equal(phases.before_count, x->before + x->after - late);
			assert_int_equal(phases.mentions, x->mentions);
			assert_int_equal(phases.certain, phases.before_count - (when == GEMP_CONDITIONS_AUTO ? x->open : 0));
			for (size_t k = 0; k < phases.certain; k++)
				assert_false(choice_of(&phases, phases.before[k])->open);
			assert_int_equal(phases.unequal[0], x->apart);
			for (int v = 1; v < 3; v++) /* the relation is symmetric */
				assert_int_equal(phases.unequal[v] & 1, x->apart >> v & 1);
			for (size_t k = 0; k < phases.before_count; k++)
				assert_true(__builtin_popcountll(phases.before[k]->vertices) == 1 && !phases.before[k]->edges);
			gemp_phases_free(&phases);
			gemp_pattern_free(pattern);
		}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void open_conditions_can_wait(void **state)
{
	(void)state;
	gemp_pattern *pattern = pattern_of("a:Film AND a.born > 3 AND b.born > 3 AND c.name = 'x' AND b.born < c.born");
	gemp_condition_phases phases;
	assert_ok(gemp_phases_new(&phases, pattern, &(gemp_match_options){ .attributes = GEMP_CONDITIONS_AUTO }));
	assert_int_equal(phases.before_count, 4);
	assert_int_equal(phases.certain, 1);
	for (size_t i = 0; i < phases.choice_count; i++) {
		gemp_phase_choice *choice = &phases.choices[i];
		if (!choice->open || choice->condition->vertices == 2) /* the condition on b is not deferred */
			continue;
		gemp_phases_defer(&phases, choice);
		assert_false(choice->before);
		assert_ptr_equal(phases.after[phases.after_count - 1], choice->condition);
	}
	assert_int_equal(phases.before_count, 2);
	assert_int_equal(phases.after_count, 3);
	assert_int_equal(phases.before[0]->expr->kind, GEMP_HAS_LABEL);
	assert_int_equal(phases.before[1]->vertices, 2);
	gemp_phases_free(&phases);
	gemp_pattern_free(pattern);
}

static gemp_code phases_once(void *argument)
{
	gemp_condition_phases phases;
	gemp_code code = gemp_phases_new(&phases, argument, &(gemp_match_options){ 0 });
	gemp_phases_free(&phases);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	gemp_pattern *pattern = pattern_of("a.born < 5 AND a.born < b.born");
	assert_survives_no_memory(phases_once, pattern);
	gemp_pattern_free(pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(conditions_find_their_phase, make_graph),
		cmocka_unit_test_setup(open_conditions_can_wait, make_graph),
		cmocka_unit_test_setup(without_memory, make_graph),
	};
	return test_main(tests);
}
