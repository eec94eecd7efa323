/* Tests the distance from changes within which matches of rules are searched. It follows from the rules alone. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "pattern/bind/bind.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/model/rule.h"
#include "pattern/semantic/parse.h"
#include "transform/incremental/locality.h"

#include <string.h>

enum { GLOBAL = 99 };

/* A graph with label A, integer attribute x, and relations S and T. */
static gemp_column attribute = { .name = "x", .type = GEMP_INTEGER };
static char *labels[] = { "A" };
static uint32_t label = 0;
static gemp_label_set sets[] = { { 0, NULL, 5 }, { 1, &label, 5 } };
static gemp_relation relations[] = { { .name = "S", .directed = true }, { .name = "T", .directed = true } };
static gemp_shard graph = { .ranks = 1,
	                        .vertex_count = 10,
	                        .label_count = 1,
	                        .labels = labels,
	                        .label_set_count = 2,
	                        .label_sets = sets,
	                        .attributes = { .count = 1, .columns = &attribute },
	                        .relation_count = 2,
	                        .relations = relations };

static const struct {
	const char *rules; /* the locality of the first rule is tested, while all rules have been applied */
	gemp_semantics semantics;
	unsigned radius; /* GLOBAL: matches are searched in the whole graph */
	unsigned max_distance;
	const char *anchor; /* name of the anchor vertex */
	const char *starts; /* names of the pattern's vertices at which a change affects the match */
} cases[] = {
	{ "RULE r MATCH (a:A) SET a.x = 1", GEMP_ISO, 0, 0, "a", "" },
	{ "RULE r MATCH (a:A {x: 1}) SET a.x = 2", GEMP_ISO, 0, 0, "a", "a" },
	{ "RULE r MATCH (a:A) CREATE (:A)", GEMP_ISO, 0, 0, "a", "a" },
	{ "RULE r MATCH (a:A)-[:S]->(b) DETACH DELETE a", GEMP_ISO, 0, 1, "a", "a" },
	/* The anchor is the middle vertex, since it has both edges. The label of an end matters only if some rule changes
	 * it. */
	{ "RULE r MATCH (a)-[e:S]->(b)-[f:T]->(c:A) DELETE e, f", GEMP_ISO, 0, 1, "b", "b" },
	{ "RULE r MATCH (a)-[e:S]->(b)-[f:T]->(c:A) DELETE e, f RULE s MATCH (a) REMOVE a:A", GEMP_ISO, 1, 1, "b", "bc" },
	{ "RULE r MATCH (a)-[e:S]->(b)-[f:T]->(c:A) DELETE f", GEMP_ISO, 0, 1, "b", "b" },
	/* No rule changes anything that the pattern reads. */
	{ "RULE r MATCH (a)-[:S]->(b)-[:S]->(c)-[:S]->(d) SET d.x = 1", GEMP_ISO, 0, 2, "b", "" },
	{ "RULE r MATCH (a)-[:S]->(b)-[:S]->(c)-[:S]->(d) DETACH DELETE d", GEMP_ISO, 1, 2, "b", "bc" },
	{ "RULE r MATCH (a)-[:S]->(b)-[:S]->(c) WHERE b.x = a.x SET c.x = 2", GEMP_ISO, 1, 1, "b", "ab" },
	{ "RULE r MATCH (a)-[:S]->(b)-[:S]->(c) CREATE (c)-[:T]->(a)", GEMP_INDUCED, 1, 1, "b", "abc" },
	{ "RULE r MATCH (a)-[:S]->(b)-[:S]->(c) CREATE (c)-[:T]->(a)", GEMP_ISO, 0, 1, "b", "" },
	/* The rule also reads the value that it overwrites. */
	{ "RULE r MATCH (a)-[:S]->(b) SET a.x = b.x + a.x", GEMP_ISO, 1, 1, "a", "ab" },
	/* A subpattern is reached from matched vertices. The path from the anchor does not use edges of NOT EXISTS. */
	{ "RULE r MATCH (a:A) WHERE NOT EXISTS { (a)-[:T]->(:A) } CREATE (a)-[:T]->(:A)", GEMP_ISO, 0, 1, "a", "a" },
	{ "RULE r MATCH (a)-[:S]->(b) WHERE NOT EXISTS { (a)-[:T]->()-[:T]->(b) } CREATE (a)-[:T]->(b)", GEMP_ISO, 1, 1,
	  "a", "a" },
	{ "RULE r MATCH (a)-[:S]->(b)-[:S]->(c)-[:S]->(d) WHERE NOT EXISTS { (a)-[:T]->(d) } CREATE (a)-[:T]->(d)",
	  GEMP_ISO, 0, 3, "a", "a" },
	{ "RULE r MATCH (a)-[:S]->(b) WHERE COUNT { (b)-[:T]->() } < 2 CREATE (b)-[:T]->(a)", GEMP_ISO, 0, 1, "b", "b" },
	{ "RULE r MATCH (a) WHERE NOT EXISTS { (:A)-[:T]->() } SET a.x = 1", GEMP_ISO, GLOBAL, 0, NULL, NULL },
	{ "RULE r MATCH (a:A) OPTIONAL MATCH (a)-[e:S]->(b) DELETE e", GEMP_ISO, 0, 1, "a", "a" },
	{ "RULE r MATCH (a)-[:S*1..3]->(b) CREATE (a)-[:S]->(b)", GEMP_ISO, 2, 3, "a", "a" },
	{ "RULE r MATCH (a)-[:S*0..9]->(b) CREATE (a)-[:S]->(b)", GEMP_ISO, GLOBAL, 0, NULL, NULL },
	{ "RULE r MATCH (a)-[:S*0..9]->(b) CREATE (a)-[:T]->(b)", GEMP_ISO, 0, 9, "a", "" },
	{ "RULE r MATCH (a), (b:A) CREATE (a)-[:T]->(b)", GEMP_ISO, GLOBAL, 0, NULL, NULL },
	/* Rules with WITH. */
	{ "RULE r MATCH (a)-[:S]->(b) WITH b, a, a.x AS y WHERE y > b.x SET a.x = 1", GEMP_ISO, 1, 1, "a", "ab" },
	{ "RULE r MATCH (a)-[:S]->(b) WITH a, count(b) AS n WHERE n > 1 SET a.x = n", GEMP_ISO, GLOBAL, 0, NULL, NULL },
	{ "RULE r MATCH (a) WITH a ORDER BY a.x LIMIT 2 SET a.x = 1", GEMP_ISO, GLOBAL, 0, NULL, NULL },
};

static void check(size_t i)
{
	gemp_rule_set *rules = NULL;
	gemp_locality l;
	print_message("%s\n", cases[i].rules);
	assert_ok(gemp_rule_set_parse(&rules, cases[i].rules, "r.rules", NULL, 0));
	assert_ok(gemp_rule_set_bind(rules, &graph, true));
	assert_ok(gemp_locality_find(&l, &(gemp_influence){ rules, NULL }, 0, cases[i].semantics));
	assert_int_equal(l.global != NULL, cases[i].radius == GLOBAL);
	if (!l.global) {
		const gemp_pattern *p = rules->rules[0].pattern;
		assert_string_equal(p->vertices[l.anchor].name, cases[i].anchor);
		assert_int_equal(l.radius, cases[i].radius);
		assert_int_equal(l.max_distance, cases[i].max_distance);
		for (size_t v = 0; v < p->vertex_count; v++)
			assert_int_equal(l.roles[v].starts, strchr(cases[i].starts, *p->vertices[v].name) != NULL);
		assert_int_equal(p->result.items[l.column].expr->kind, GEMP_VERTEX);
	}
	gemp_locality_free(&l);
	gemp_rule_set_free(rules);
}

/* Only rules that were applied affect the locality. */
static void only_applied_rules_have_influence(void **state)
{
	(void)state;
	static const struct {
		bool applied[3];
		bool starts[2];
	} expected[] = {
		{ { false, false, false }, { false, false } },
		{ { true, false, false }, { true, false } },
		{ { false, true, false }, { false, true } },
		{ { true, true, true }, { false, true } },
	};
	gemp_rule_set *rules = NULL;
	assert_ok(gemp_rule_set_parse(&rules,
	                              "RULE r MATCH (a)-[e:S]->(b:A) DELETE e RULE s MATCH (c:A) REMOVE c:A\n"
	                              "RULE t MATCH (d)-[:T]->(e) SET d.x = 1 CREATE (d)-[:T]->(:A {x: 1})",
	                              "r.rules", NULL, 0));
	assert_ok(gemp_rule_set_bind(rules, &graph, true));
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		gemp_locality l;
		assert_ok(gemp_locality_find(&l, &(gemp_influence){ rules, expected[i].applied }, 0, GEMP_ISO));
		for (size_t v = 0; v < 2; v++)
			assert_int_equal(l.roles[v].starts, expected[i].starts[v]);
		gemp_locality_free(&l);
	}
	gemp_rule_set_free(rules);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code find_one(void *argument)
{
	gemp_code code = GEMP_OK;
	gemp_rule_set *rules = NULL;
	gemp_locality l = { 0 };
	GEMP_TRY_DONE(gemp_rule_set_parse(&rules, argument, "r.rules", NULL, 0));
	GEMP_TRY_DONE(gemp_rule_set_bind(rules, &graph, true));
	code = gemp_locality_find(&l, &(gemp_influence){ rules, NULL }, 0, GEMP_ISO);
done:
	gemp_locality_free(&l);
	gemp_rule_set_free(rules);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(
		find_one, "RULE r MATCH (a)-[:S]->(b) WHERE NOT EXISTS { (a)-[:T]->(:A) } OPTIONAL MATCH (b)-[:S]->(c) "
				  "WITH a, b, a.x AS y WHERE y > b.x SET a.x = 1");
}

static void localities_of_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(i);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(localities_of_rules),
		cmocka_unit_test(only_applied_rules_have_influence),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
