/* Tests binding: names of a query are resolved against a graph's schema, and conditions that compare different types
 * are folded to constants. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/log.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "pattern/bind/bind.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/query_graph.h"

#include <stdio.h>
#include <string.h>

/* A graph with labels Film and Person; label sets {}, {Film}, {Person}, {Film, Person}; relations ACTED_IN and
 * KNOWS. */
static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static char *labels[] = { "Film", "Person" };
	static uint32_t both[] = { 0, 1 };
	static gemp_label_set sets[] = { { 0, NULL, 1 }, { 1, both, 1 }, { 1, both + 1, 1 }, { 2, both, 1 } };
	static gemp_relation relations[] = { { .name = "ACTED_IN", .directed = true },
		                                 { .name = "KNOWS", .directed = true } };
	static gemp_column columns[] = {
		{ .name = "name", .type = GEMP_STRING },
		{ .name = "born", .type = GEMP_INTEGER },
		{ .name = "height", .type = GEMP_FLOAT },
		{ .name = "alive", .type = GEMP_BOOLEAN },
	};
	static gemp_column props[] = { { .name = "since", .type = GEMP_INTEGER } };
	relations[1].props = (gemp_table){ .count = 1, .columns = props };
	graph = (gemp_shard){ .ranks = 1,
		                  .label_count = 2,
		                  .labels = labels,
		                  .label_set_count = 4,
		                  .label_sets = sets,
		                  .relation_count = 2,
		                  .relations = relations };
	graph.keys.type = GEMP_INTEGER;
	graph.attributes = (gemp_table){ .count = 4, .columns = columns };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

static gemp_pattern *bound(const char *text)
{
	gemp_pattern *p = NULL;
	assert_ok(gemp_pattern_parse(&p, text, NULL));
	assert_ok(gemp_pattern_bind(p, &graph));
	assert_int_equal(p->relation_count, 2);
	return p;
}

static void resolves(void **state)
{
	(void)state;
	gemp_pattern *p = bound("MATCH (a:Person)-[:KNOWS]->(b:Person|Film)-[r]-(c) WHERE a.height > b.height "
	                        "RETURN a.alive, r, id(c)");
	assert_false(p->edges[0].relations[0]);
	assert_true(p->edges[0].relations[1]);
	assert_true(p->edges[1].relations[0] && p->edges[1].relations[1]);
	assert_int_equal(p->condition_count, 3);
	static const bool person[] = { false, false, true, true }, either[] = { false, true, true, true };
	assert_memory_equal(p->conditions[0].expr->label_sets, person, sizeof person);
	const gemp_expr *merged = p->conditions[1].expr; /* two label tests are merged into one */
	assert_int_equal(merged->kind, GEMP_HAS_LABEL);
	assert_int_equal(merged->name_count, 2);
	assert_memory_equal(merged->label_sets, either, sizeof either);
	assert_int_equal(p->conditions[2].expr->children[0]->attribute, 2);
	assert_int_equal(p->result.items[0].expr->attribute, 3);
	gemp_pattern_free(p);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void unknown_names(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int line, column;
		const char *part;
	} cases[] = {
		{ "MATCH (a:Persn)", 1, 10, "unknown label 'Persn'; did you mean 'Person'?" },
		{ "MATCH (a:Person|Flm)", 1, 17, "unknown label 'Flm'; did you mean 'Film'?" },
		{ "MATCH (a)\nWHERE a.born = 1 AND NOT a:Studio", 2, 28, "unknown label 'Studio'; the graph has Film, Person" },
		{ "MATCH (a)-[:acted_in]->(b)", 1, 13, "unknown edge type 'acted_in'; did you mean 'ACTED_IN'?" },
		{ "MATCH (a)-[:KNOWS|ACTED]->(b)", 1, 19, "unknown edge type 'ACTED'" },
		{ "MATCH (K)-[:KNOWS]->(b)-[:KNOWSX|KNOW]-(c)", 1, 34, "unknown edge type 'KNOW'" },
		{ "MATCH (a {nam: 'x'})", 1, 11, "unknown attribute 'nam'; did you mean 'name'?" },
		{ "MATCH (a) RETURN a.name, a.color", 1, 26,
		  "unknown attribute 'color'; the graph has name, born, height, alive" },
		{ "MATCH (a)-[r:KNOWS]->(b) RETURN r.sinc", 1, 33, "unknown edge attribute 'sinc'; did you mean 'since'?" },
		{ "MATCH (a)-[r:ACTED_IN]->(b) RETURN r.since", 1, 36,
		  "unknown edge attribute 'since'; the edges here have none" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p;
		char place[64];
		snprintf(place, sizeof place, "query:%d:%d: ", cases[i].line, cases[i].column);
		assert_ok(gemp_pattern_parse(&p, cases[i].text, NULL));
		assert_code(gemp_pattern_bind(p, &graph), GEMP_EUSAGE);
		if (strncmp(gemp_message(), place, strlen(place)) != 0 || !strstr(gemp_message(), cases[i].part))
			fail_msg("%s\nexpected %s%s\ngot %s", cases[i].text, place, cases[i].part, gemp_message());
		gemp_pattern_free(p);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void unlike_types(void **state)
{
	(void)state;
	static const struct {
		const char *written, *bound;
	} cases[] = {
		{ "a.born = 5", "a.born = 5" },
		{ "a.born = 5.5", "a.born = 5.5" },
		{ "a.born < a.height", "a.born < a.height" },
		{ "a.name = 5", "false" },
		{ "a.name <> 5", "a.name IS NOT NULL" },
		{ "NOT a.name = 5", "a.name IS NOT NULL" },
		{ "a.name < 5", "false" },
		{ "NOT a.name < 5", "false" },
		{ "a.name = a.born", "false" },
		{ "a.name <> a.born", "a.born IS NOT NULL AND a.name IS NOT NULL" },
		{ "id(a) = 'x'", "false" },
		{ "id(a) <> 'x'", "" },
		{ "a.name IN [1, 'x', true, 'y']", "a.name IN ['x', 'y']" },
		{ "a.name IN [1, 'x', true]", "a.name = 'x'" },
		{ "a.name IN [1, 2]", "false" },
		{ "NOT a.name IN [1, 'x', true]", "a.name <> 'x'" },
		{ "NOT a.name IN [1, 2]", "a.name IS NOT NULL" },
		{ "a.born IN [1, 2.5]", "a.born IN [1, 2.5]" },
		{ "a.born CONTAINS '5'", "false" },
		{ "NOT a.born CONTAINS '5'", "false" },
		{ "a.name CONTAINS 5", "false" },
		{ "a.name STARTS WITH a.name", "a.name STARTS WITH a.name" },
		{ "a.alive", "a.alive = true" },
		{ "a.name = true", "false" },
		{ "a.name = 5 OR a.born = 3", "a.born = 3" },
		{ "a.born = 3 OR id(a) <> 'x'", "" },
		{ "a:Film OR a:Person", "a:Film|Person" },
		{ "NOT (a:Film AND a:Person)", "(NOT a:Film OR NOT a:Person)" },
	};
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_text_clear(&text);
		gemp_text_print(&text, "MATCH (a) WHERE %s", cases[i].written);
		gemp_pattern *p = bound(text.data);
		gemp_text_clear(&text);
		gemp_text_print(&text, "%s", "");
		for (size_t c = 0; c < p->condition_count; c++) {
			char *one = gemp_expr_text(p->conditions[c].expr, p, false);
			bool or = p->conditions[c].expr->kind == GEMP_OR;
			gemp_text_print(&text, "%s%s%s%s", c ? " AND " : "", or ? "(" : "", one, or ? ")" : "");
			gemp_free(one);
			assert_int_equal(p->conditions[c].vertices, 1);
		}
		if (strcmp(text.data, cases[i].bound) != 0)
			fail_msg("%s: expected %s, got %s", cases[i].written, cases[i].bound, text.data);
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Whole queries are bound: types of columns, degrees, names of edge attributes. */
static void whole_queries(void **state)
{
	(void)state;
	gemp_pattern *p = bound("MATCH (a)-[r:KNOWS]->(b) WHERE r.since > 1990 AND EXISTS { (a)-[:KNOWS]-() } "
	                        "AND COUNT { (b)<-[:KNOWS]-(x:Film) } > 1 "
	                        "OPTIONAL MATCH (b)-[s:KNOWS]->(c) WHERE s.since > b.born + 1 "
	                        "WITH a, s, count(c) AS n, avg(b.born) AS m, collect(b.name) AS l, a.name + '!' AS t, "
	                        "COUNT { (a)<-[:KNOWS]-() } AS d "
	                        "WHERE n * 2 > m AND s.since = 3 AND d > 0 "
	                        "RETURN a.name, s.since AS y, n + m AS q, l, t, type(s)");
	static const gemp_type with[] = { 0, 0, GEMP_INTEGER, GEMP_FLOAT, GEMP_LIST, GEMP_STRING, GEMP_INTEGER };
	static const gemp_type result[] = { GEMP_STRING, GEMP_INTEGER, GEMP_FLOAT, GEMP_LIST, GEMP_STRING, GEMP_STRING };
	for (size_t i = 2; i < p->with->item_count; i++)
		assert_int_equal(p->with->items[i].expr->type, with[i]);
	for (size_t i = 0; i < p->result.item_count; i++)
		assert_int_equal(p->result.items[i].expr->type, result[i]);
	const gemp_expr *degree = p->with->items[6].expr;
	assert_int_equal(degree->kind, GEMP_DEGREE);
	assert_int_equal(degree->direction, 1);
	assert_int_equal(degree->relation_count, 2);
	assert_true(!degree->relations[0] && degree->relations[1]);
	size_t degrees = 0, counts = 0;
	for (size_t i = 0; i < p->condition_count; i++) {
		const gemp_expr *left = p->conditions[i].expr->children[0];
		degrees += left->kind == GEMP_DEGREE && left->direction == 2;
		counts += left->kind == GEMP_COUNT_OF; /* the neighbour needs a label, so a degree cannot replace the count */
	}
	assert_int_equal(degrees, 1);
	assert_int_equal(counts, 1);
	gemp_pattern_free(p);
	/* EXISTS is true or false even of a missing vertex, but the degree of a missing vertex is NULL. So a degree
	 * replaces EXISTS only of vertices that cannot be missing. */
	p = bound("MATCH (a) OPTIONAL MATCH (a)--(b) RETURN EXISTS { (a)--() } AS x, EXISTS { (b)--() } AS y");
	assert_int_equal(p->result.items[0].expr->kind, GEMP_GT);
	assert_int_equal(p->result.items[1].expr->kind, GEMP_EXISTS);
	gemp_pattern_free(p);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void whole_queries_refused(void **state)
{
	enum { MIXED = 3 }; /* the types of the first queries are those with which openCypher computes */
	(void)state;
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "MATCH (a) WITH a.name AS n RETURN n + 1 AS x",
		  "n + 1: this is an integer, and a string beside a string is needed" },
		{ "MATCH (a) WHERE a.name - NULL = 1 RETURN a", "a.name - NULL: this is a string" },
		{ "MATCH (a) WHERE EXISTS { (a)--(b) WHERE b.name > 1 + a.name } RETURN a", "1 + a.name: this is an integer" },
		{ "MATCH (a) WHERE a.name RETURN a", "a.name: this is a string, and a condition is needed" },
		{ "MATCH (a) WHERE a.alive OR NOT a.born RETURN a", "a.born: this is an integer, and a condition is needed" },
		{ "MATCH (a) WITH a AS v RETURN -v.name AS x", "-v.name: this is a string, and a number is needed" },
		{ "MATCH (a) WITH a, count(*) AS n WHERE toLower(n) = 'x' RETURN a", "toLower(n): this is an integer" },
		{ "MATCH (a) OPTIONAL MATCH (a)-[s:KNOWS]->() RETURN s.sinc",
		  "unknown edge attribute 'sinc'; did you mean 'since'?" },
		{ "MATCH (a)-[s:ACTED_IN]->() WITH s AS r RETURN r.since",
		  "unknown edge attribute 'since'; the edges here have none" },
		{ "MATCH (a) WHERE EXISTS { (a)-[:KNOW]->() } RETURN a", "unknown edge type 'KNOW'; did you mean 'KNOWS'?" },
		{ "MATCH (a) WHERE EXISTS { (a)--(b:Flm) } RETURN a", "unknown label 'Flm'" },
		{ "MATCH (a) OPTIONAL MATCH (a)--(b) WHERE b.nam = 1 RETURN a", "unknown attribute 'nam'" },
		{ "MATCH (a) WHERE a.name =~ '[' RETURN a", "this is no regular expression" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p = NULL;
		assert_ok(gemp_pattern_parse(&p, cases[i].text, NULL));
		gemp_code code = gemp_pattern_bind(p, &graph);
		if (code != GEMP_EUSAGE || !strstr(gemp_message(), cases[i].part) || !strstr(gemp_message(), "^"))
			fail_msg("%s: code %d, expected %s, got %s", cases[i].text, (int)code, cases[i].part, gemp_message());
		assert_int_equal(p->mixed_types, i < MIXED);
		gemp_pattern_free(p);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* With --lenient, a label or type that the graph lacks matches nothing, and an attribute that it lacks is NULL. */
static void lenient(void **state)
{
	(void)state;
	static const struct {
		const char *condition, *bound;
	} cases[] = {
		{ "a.nam = 5", "false" },
		{ "a.nam IS NULL", "" },
		{ "a.nam + 1 > 3", "false" },
		{ "NOT a.nam = 5", "false" },
		{ "a.nam = 5 OR a.born = 3", "a.born = 3" },
		{ "r.sinc > 1", "false" },
		{ "a.nam", "false" },
		{ "toLower(a.nam) CONTAINS 'x'", "false" },
		{ "a:Persn", "a:Persn" },
		{ "NOT a:Persn", "NOT a:Persn" },
	};
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p = NULL;
		gemp_text_clear(&text);
		gemp_text_print(&text, "MATCH (a)-[r:KNOWS|NOBODY]->() WHERE %s RETURN a.nam AS x", cases[i].condition);
		assert_ok(gemp_pattern_parse(&p, text.data, NULL));
		assert_ok(gemp_pattern_bind_with(p, &graph, true));
		char *one = p->condition_count ? gemp_expr_text(p->conditions[0].expr, p, false) : gemp_strdup("");
		if (p->condition_count > 1 || strcmp(one, cases[i].bound) != 0)
			fail_msg("%s: expected %s, got %s", cases[i].condition, cases[i].bound, one);
		gemp_free(one);
		assert_true(p->edges[0].relations[1] && !p->edges[0].relations[0]);
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* NULL fits every type, also after WITH. An operation on NULL and a value has a type. */
static void null_fits_every_type(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool nothing;
		gemp_type type;
	} cases[] = {
		{ "RETURN a.nam", true, GEMP_STRING },
		{ "RETURN a.nam + 1", true, GEMP_INTEGER },
		{ "RETURN a.nam + a.born", false, GEMP_INTEGER },
		{ "WITH a, a.nam AS n RETURN n", true, GEMP_STRING },
		{ "WITH a, a.nam AS n RETURN -n * n", true, GEMP_INTEGER },
		{ "WITH a, a.nam AS n RETURN n + 'x'", false, GEMP_STRING },
		{ "WITH a, a.nam AS n WHERE n > 1 AND n AND n STARTS WITH 'x' AND n <> 'x' RETURN n + a.born", false,
		  GEMP_INTEGER },
		{ "WITH min(a.nam) AS n RETURN n", true, GEMP_STRING },
		{ "WITH sum(a.nam) AS n RETURN n", false, GEMP_INTEGER },
		{ "WITH collect(a.nam) AS n RETURN n", false, GEMP_LIST },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[200];
		gemp_pattern *p = NULL;
		snprintf(text, sizeof text, "MATCH (a) %s", cases[i].text);
		assert_ok(gemp_pattern_parse(&p, text, NULL));
		assert_ok(gemp_pattern_bind_with(p, &graph, true));
		const gemp_expr *expr = p->result.items[0].expr;
		if (expr->always_null != cases[i].nothing || (!expr->always_null && expr->type != cases[i].type))
			fail_msg("%s: %s of type %s", cases[i].text, expr->always_null ? "nothing" : "a value",
			         gemp_type_name[expr->type]);
		gemp_pattern_free(p);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void query_graph_labels(void **state)
{
	(void)state;
	gemp_pattern *p;
	const char *path = test_file("q.graph", "t 2 1\nv 0 1 1\nv 1 12 1\ne 0 1\n");
	assert_ok(gemp_pattern_query_graph(&p, path, "L%d"));
	assert_code(gemp_pattern_bind(p, &graph), GEMP_EUSAGE);
	assert_message("q.graph:2:5: unknown label 'L1'");
	assert_message("\n  v 0 1 1\n      ^");
	gemp_pattern_free(p);
}

static gemp_code bind_once(void *text)
{
	gemp_pattern *p = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(gemp_pattern_parse(&p, text, NULL));
	GEMP_TRY_DONE(gemp_pattern_bind(p, &graph));
done:
	gemp_pattern_free(p);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(
		bind_once,
		"MATCH (a:Person|Film)-[:KNOWS]->(b) WHERE (a.name <> 5 OR NOT b.name IN [1]) "
		"AND NOT b:Film AND (b.born < a.height OR a.name = 3 OR b:Person OR b:Film) AND NOT b.born CONTAINS 'x' "
		"AND a.name IN [1, 'x', 'y'] RETURN a.name");
	assert_survives_no_memory(
		bind_once,
		"MATCH (a)-[r:KNOWS]->(b) WHERE r.since + 1 * 2 > 3 AND (EXISTS { (a)-[:KNOWS]->() } XOR "
		"COUNT { (a)--(x) WHERE x.born > a.born } > 1) OPTIONAL MATCH (b)--(c) WITH a, count(c) AS n WHERE n + 1 > a.born "
		"RETURN toUpper(a.name + 'x') AS t, n");
}

static gemp_code bind_wrong(void *text)
{
	gemp_code code = bind_once(text);
	return code == GEMP_EUSAGE ? GEMP_OK : code;
}

static void no_memory_for_an_error(void **state)
{
	(void)state;
	assert_survives_no_memory(bind_wrong, "MATCH (a:Persn)");
	assert_survives_no_memory(bind_wrong, "MATCH (a)-[:KNOW]-(b)");
	assert_survives_no_memory(bind_wrong, "MATCH (a)-[:KNOWS]-(b) WHERE a.x = 1");
	assert_survives_no_memory(bind_wrong, "MATCH (a), (b)");
	assert_survives_no_memory(bind_wrong, "MATCH (a) WHERE b.x = 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolves),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(unlike_types),
		cmocka_unit_test(whole_queries),
		cmocka_unit_test(whole_queries_refused),
		cmocka_unit_test(lenient),
		cmocka_unit_test(null_fits_every_type),
		cmocka_unit_test(query_graph_labels),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(no_memory_for_an_error),
	};
	return cmocka_run_group_tests(tests, make_graph, NULL);
}
