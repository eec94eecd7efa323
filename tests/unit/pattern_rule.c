/* Tests rules as trees: the columns that a match needs, the updates in order, and the control. */
#include "core/memory.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "pattern/bind/bind.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/pattern.h"
#include "pattern/model/rule.h"
#include "pattern/model/source.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"

#include "harness/harness.h"

#include "core/text.h"
#include "pattern/model/expr.h"
#include "pattern/symmetry/permutation_group.h"

#include <stdio.h>
#include <string.h>

static gemp_rule_set *parsed(const char *text)
{
	gemp_rule_set *rules = NULL;
	assert_ok(gemp_rule_set_parse(&rules, text, "r.rules", NULL, 0));
	return rules;
}

static void print_element(const gemp_rule *rule, gemp_rule_element element, gemp_text *out)
{
	if (element.created)
		gemp_text_print(out, "new%s%zu", element.edge ? "-edge" : "", element.index);
	else
		gemp_text_print(out, "%s", rule->pattern->result.items[element.index].name);
}

static void print_value(const gemp_rule *rule, const gemp_update *update, gemp_text *out)
{
	const gemp_value *value = &update->literal;
	const gemp_pattern *pattern = rule->pattern;
	gemp_text_print(out, " = ");
	if (!update->constant) {
		const gemp_expr *expr = pattern->result.items[update->column].expr;
		char *text = pattern->with ? gemp_expr_text(expr, pattern, true) : gemp_expr_text(expr, pattern, false);
		gemp_text_print(out, "%s", text);
		gemp_free(text);
	} else if (value->type == GEMP_STRING) {
		gemp_text_print(out, "'%.*s'", (int)value->string.size, value->string.bytes);
	} else if (value->type == GEMP_INTEGER) {
		gemp_text_print(out, "%lld", (long long)value->integer);
	} else {
		gemp_text_print(out, "%s", value->type == GEMP_BOOLEAN ? value->truth ? "true" : "false" : "float");
	}
}

static void print_update(const gemp_rule *rule, const gemp_update *update, gemp_text *out)
{
	static const char *const kinds[] = { "create",  "create", "set",    "remove", "label",
		                                 "unlabel", "type",   "delete", "merge" };
	gemp_text_print(out, "%s%s%s ", out->size ? "; " : "", update->detach ? "detach " : "", kinds[update->kind]);
	print_element(rule, update->element, out);
	if (update->kind == GEMP_CREATE_EDGE) {
		gemp_text_print(out, " ");
		print_element(rule, update->from, out);
		gemp_text_print(out, "->");
	}
	if (update->kind == GEMP_CREATE_EDGE || update->kind == GEMP_MERGE)
		print_element(rule, update->to, out);
	for (size_t i = 0; i < update->name_count; i++)
		gemp_text_print(out, " %s", update->names[i]);
	if (update->kind == GEMP_SET_ATTRIBUTE)
		print_value(rule, update, out);
}

static void print_control(const gemp_rule_set *rules, const gemp_control *control, gemp_text *out)
{
	const char *between = control->kind == GEMP_RUN_CHOICE ? " | " : "; ";
	bool many = control->kind == GEMP_RUN_SEQUENCE || control->kind == GEMP_RUN_CHOICE;
	if (control->kind == GEMP_RUN_RULE)
		gemp_text_print(out, "%s%s", control->one ? "ONE " : "", rules->rules[control->rule].name);
	gemp_text_print(out, "%s%s", control->kind == GEMP_RUN_TRY ? "TRY " : "", many ? "(" : "");
	for (size_t i = 0; i < control->count; i++) {
		gemp_text_print(out, "%s", i ? between : "");
		print_control(rules, control->children[i], out);
	}
	gemp_text_print(out, "%s", many ? ")" : control->kind == GEMP_RUN_REPEAT ? "*" : "");
	if (control->kind == GEMP_RUN_TIMES)
		gemp_text_print(out, "{%llu}", (unsigned long long)control->times);
	if (control->limit)
		gemp_text_print(out, " LIMIT %llu", (unsigned long long)control->limit);
}

static void assert_rule(const gemp_rule *rule, const char *columns, const char *updates)
{
	gemp_text text = { 0 };
	for (size_t i = 0; i < rule->update_columns; i++)
		gemp_text_print(&text, "%s%s", i ? ", " : "", rule->pattern->result.items[i].name);
	assert_string_equal(text.size ? text.data : "", columns);
	gemp_text_clear(&text);
	for (size_t i = 0; i < rule->update_count; i++)
		print_update(rule, &rule->updates[i], &text);
	assert_string_equal(text.data, updates);
	gemp_text_free(&text);
}

static void assert_updates(const char *match, const char *columns, const char *updates)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "RULE r %s", match);
	gemp_rule_set *rules = parsed(text.data);
	assert_rule(&rules->rules[0], columns, updates);
	gemp_rule_set_free(rules);
	gemp_text_free(&text);
}

static void assert_control(const char *run, const char *expected)
{
	gemp_text text = { 0 };
	gemp_text_print(&text,
	                "RULE a MATCH (v) SET v.x = 1\nRULE b MATCH (v) SET v.x = 2\nRULE c MATCH (v) "
	                "DELETE v\n%s",
	                run);
	gemp_rule_set *rules = parsed(text.data);
	gemp_text_clear(&text);
	print_control(rules, rules->control, &text);
	assert_string_equal(text.data, expected);
	gemp_rule_set_free(rules);
	gemp_text_free(&text);
}

static const char example[] = "RULE couple\n"
							  "MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person) WHERE id(a) < id(b)\n"
							  "WITH a, b, count(m) AS films, avg(m.year) AS year WHERE films >= 3\n"
							  "CREATE (c:Couple {films: films, year: year}), (c)-[:P1]->(a), (c)-[:P2]->(b)\n"
							  "\n"
							  "RULE shorten\n"
							  "MATCH (s:Segment) WHERE s.length <= 0 SET s.length = -s.length + 1\n"
							  "\n"
							  "RULE left MATCH (a)-[:L]->(b) DELETE b\n"
							  "RULE right MATCH (a)-[r:R]->(b) DELETE r\n"
							  "RULE prune MATCH (a) WHERE NOT (a)--() DETACH DELETE a\n"
							  "\n"
							  "RUN couple; shorten*; (left | right)*; prune{3}\n";

static void example_rules(void **state)
{
	(void)state;
	gemp_rule_set *rules = parsed(example);
	gemp_text text = { 0 };
	assert_int_equal(rules->count, 5);
	assert_rule(&rules->rules[0], "films, year, a, b",
	            "create new0 Couple; set new0 films = films; set new0 year = year; "
	            "create new-edge0 new0->a P1; create new-edge1 new0->b P2");
	assert_rule(&rules->rules[1], "s, -s.length + 1", "set s length = -s.length + 1");
	assert_rule(&rules->rules[4], "a", "detach delete a");
	assert_int_equal(rules->rules[0].created_vertices, 1);
	assert_int_equal(rules->rules[0].created_edges, 2);
	assert_false(rules->rules[0].has_all_columns);
	assert_true(rules->rules[1].has_all_columns);
	assert_int_equal(rules->rules[1].line, 6);
	assert_int_equal(rules->rules[1].column, 6);
	assert_int_equal(rules->rules[1].updates[0].line, 7);
	print_control(rules, rules->control, &text);
	assert_string_equal(text.data, "((couple; shorten*; (left | right)*; prune{3}))");
	gemp_text_free(&text);
	gemp_rule_set_free(rules);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void updates(void **state)
{
	(void)state;
	assert_updates("MATCH (a) CREATE (a)-[:T {x: 1}]->(:B:A)<-[s:U]-(c {n: 's', m: null}) SET s.k = true, c:C", "a",
	               "create new0 A B; create new-edge0 a->new0 T; set new-edge0 x = 1; create new1 C; set new1 n = 's'; "
	               "remove new1 m; create new-edge1 new1->new0 U; set new-edge1 k = true");
	assert_updates("MATCH (a) CREATE (b:B:D) SET b:A:C, b:B REMOVE b:D", "", "create new0 A B C");
	assert_updates("MATCH (a)-[r:T]->(b) SET r:U, r.w = a.w + b.w, a.w = a.w + b.w REMOVE b.w, b:B:C DELETE r",
	               "r, a.w + b.w, a, b",
	               "type r U; set r w = a.w + b.w; set a w = a.w + b.w; remove b w; unlabel b B C; "
	               "delete r");
	assert_updates("MATCH (a)-[r]->(b) DELETE r DETACH DELETE a, b", "r, a, b",
	               "delete r; detach delete a; detach delete b");
	assert_updates("MATCH (a)-->(b) MERGE b INTO a SET a.x = b.x", "b, a, b.x", "merge ba; set a x = b.x");
	assert_updates("MATCH (a) CREATE (c) MERGE a INTO c", "a", "create new0; merge anew0");
	assert_updates("MATCH (a) OPTIONAL MATCH (a)-[r]->(b) SET b.x = 1 DELETE r", "b, r", "set b x = 1; delete r");
	assert_updates("MATCH (a:run {rule: 1, set: 2}) WHERE a.all = a.one SET a.try = a.into, a:CREATE:Delete",
	               "a, a.into", "set a try = a.into; label a CREATE Delete");
}

/* The other elements of a match follow the columns that updates need. */
static void reads(void **state)
{
	(void)state;
	gemp_rule_set *rules = parsed("RULE r MATCH (a)-[:T]->()-[:U*1..2]->(c) OPTIONAL MATCH (c)-[q]->(d) SET c.x = 1\n"
	                              "RULE s MATCH (a)-[:T]->(b) WITH b, a.x AS x ORDER BY a.y LIMIT 5 SET b.x = x\n"
	                              "RULE t MATCH (a)-[:T]->(b) WITH DISTINCT b CREATE (:N)\n"
	                              "RULE u MATCH (a) WITH count(*) AS n CREATE (:N)");
	const gemp_pattern *p = rules->rules[0].pattern;
	assert_int_equal(rules->rules[0].update_columns, 1);
	assert_int_equal(p->result.item_count, 4 + 2); /* all vertices, and all edges except the path */
	assert_int_equal(p->fixed_items, 1);
	p = rules->rules[1].pattern;
	assert_true(rules->rules[1].has_all_columns);
	assert_int_equal(p->fixed_items, 2);
	assert_int_equal(p->with->shown, 4); /* the shown columns are b, x, a and the edge */
	assert_int_equal(p->with->item_count, 5);
	assert_int_equal(p->with->orders[0].item, 4);
	assert_int_equal(p->result.item_count, 4);
	assert_false(rules->rules[2].has_all_columns);
	assert_int_equal(rules->rules[2].update_columns, 0);
	assert_int_equal(rules->rules[2].pattern->result.item_count, 1);
	assert_false(rules->rules[3].has_all_columns);
	assert_int_equal(rules->rules[3].pattern->result.item_count, 1);
	gemp_rule_set_free(rules);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Elements that updates name are not exchangeable, whatever the update is. The other elements keep their symmetry. */
static void symmetry(void **state)
{
	(void)state;
	static const struct {
		const char *rule;
		uint64_t order;
	} cases[] = {
		{ "RULE r MATCH (a)-[:T]-(b) SET a.x = 1", 1 },
		{ "RULE r MATCH (a)-[:T]-(b) SET a.x = 1, b.x = 1", 1 },
		{ "RULE r MATCH (a)-[:T]-(b) SET a.x = b.x, b.x = a.x", 1 },
		{ "RULE r MATCH (a)-[:T]-(b) CREATE (:N)", 2 },
		{ "RULE r MATCH (h)-[:T]->(a), (h)-[:T]->(b), (h)-[:T]->(c) SET h.x = 1", 6 },
		{ "RULE r MATCH (h)-[:T]->(a), (h)-[:T]->(b), (h)-[:T]->(c) DELETE a", 2 },
		{ "RULE r MATCH (h)-[:T]->(a), (h)-[:T]->(b) WITH h, h.y AS s SET h.x = s", 2 },
		{ "RULE r MATCH (h)-[:T]->(a), (h)-[:T]->(b) WITH h, a, b SET h.x = 1", 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_rule_set *rules = parsed(cases[i].rule);
		gemp_symmetry *found;
		bool overflow;
		assert_ok(gemp_automorphism_find(&found, rules->rules[0].pattern, true));
		if (gemp_symmetry_order(found, &overflow) != cases[i].order)
			fail_msg("%s: %llu symmetries", cases[i].rule, (unsigned long long)gemp_symmetry_order(found, &overflow));
		gemp_symmetry_free(found);
		gemp_rule_set_free(rules);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void control(void **state)
{
	(void)state;
	assert_control("", "(TRY a; TRY b; TRY c)");
	assert_control("RUN a; b; c", "((a; b; c))");
	assert_control("RUN a; b; c;", "((a; b; c))");
	assert_control("run a | b; c", "(((a | b); c))");
	assert_control("RUN (a; b) | c", "(((a; b) | c))");
	assert_control("RUN ((a)); (b; c)*", "((a; (b; c)*))");
	assert_control("RUN ONE a*; ALL b{2}; TRY c*{3} LIMIT 100", "((ONE a*; b{2}; TRY c*{3}) LIMIT 100)");
	assert_control("RUN (TRY a; b)*; TRY TRY c", "(((TRY a; b)*; TRY TRY c))");
	assert_control("RUN a LIMIT 3 RUN TRY b; RUN c", "(a LIMIT 3; TRY b; c)");
	assert_control("RUN (a | b)* LIMIT 5; RUN c", "((a | b)* LIMIT 5; c)");
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void parameters(void **state)
{
	(void)state;
	gemp_rule_set *rules = NULL;
	const gemp_query_parameter one[] = { { "n", { .type = GEMP_INTEGER, .integer = 3 } } };
	const char *text = "\xEF\xBB\xBFRULE r MATCH (a) WHERE a.x > $n SET a.x = $n";
	assert_ok(gemp_rule_set_parse(&rules, text, NULL, one, 1));
	assert_rule(&rules->rules[0], "a", "set a x = 3");
	assert_code(gemp_rule_set_fail(rules, 1, 6, "no"), GEMP_EUSAGE);
	assert_message("rules:1:6: no\n  RULE r MATCH");
	gemp_rule_set_free(rules);
	assert_code(gemp_rule_set_parse(&rules, "RULE r MATCH (a) SET a.x = 1", NULL, one, 1), GEMP_EUSAGE);
	assert_message("parameter n");
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A rule may match a name that another rule introduces although the graph lacks it. */
static void binds(void **state)
{
	(void)state;
	static gemp_column columns[] = { { .name = "x", .type = GEMP_INTEGER } };
	gemp_label_set none = { .vertex_count = 1 };
	const gemp_shard graph = { .ranks = 1,
		                       .label_set_count = 1,
		                       .label_sets = &none,
		                       .keys = { .type = GEMP_INTEGER },
		                       .attributes = { .count = 1, .columns = columns } };
	static const struct {
		const char *match, *refusal;
	} cases[] = {
		{ "MATCH (c:N) WHERE c.k > 1", NULL },
		{ "MATCH (c:M)", NULL },
		{ "MATCH (c)-[r:T]->() WHERE r.w = 1 WITH c, r.w AS w", NULL },
		{ "MATCH (c)-[:U]->(:N)", NULL },
		{ "MATCH (c:T)", "r.rules:3:17: unknown label 'T'" },
		{ "MATCH (c)-[:N]->()", "r.rules:3:20: unknown edge type 'N'" },
		{ "MATCH (c) WHERE c.w = 1", "r.rules:3:24: unknown attribute 'w'" },
		{ "MATCH (c)-[r:T]->() WHERE r.k = 1", "r.rules:3:34: unknown edge attribute 'k'" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[500];
		snprintf(text, sizeof text,
		         "RULE r MATCH (a) CREATE (a)-[:T {w: 1}]->(:N {k: a.x}) SET a:M\n"
		         "RULE s MATCH ()-[r]->() SET r:U\nRULE t %s SET c.x = 1.5",
		         cases[i].match);
		gemp_rule_set *rules = parsed(text);
		if (cases[i].refusal) {
			assert_code(gemp_rule_set_bind(rules, &graph, false), GEMP_EUSAGE);
			assert_message(cases[i].refusal);
		} else {
			assert_ok(gemp_rule_set_bind(rules, &graph, false));
			assert_int_equal(rules->rules[0].pattern->result.items[1].expr->type, GEMP_INTEGER);
		}
		gemp_rule_set_free(rules);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* SET to an attribute that no vertex and no edge has becomes REMOVE, also in CREATE. */
static void set_of_an_unknown_attribute_is_remove(void **state)
{
	(void)state;
	static gemp_column columns[] = { { .name = "x", .type = GEMP_INTEGER } };
	gemp_label_set none = { .vertex_count = 1 };
	const gemp_shard graph = { .ranks = 1,
		                       .label_set_count = 1,
		                       .label_sets = &none,
		                       .keys = { .type = GEMP_INTEGER },
		                       .attributes = { .count = 1, .columns = columns } };
	gemp_rule_set *rules = parsed("RULE r MATCH (a) WITH a, a.new AS n, max(a.x) AS x\n"
	                              "CREATE (c {k: n, x: x}) SET a.x = n, a.y = n + n, a.new = x, a.z = n + 1");
	assert_ok(gemp_rule_set_bind(rules, &graph, false));
	gemp_rule_drop_nulls(&rules->rules[0]);
	assert_rule(&rules->rules[0], "n, x, a, n + n, n + 1",
	            "create new0; remove new0 k; set new0 x = x; remove a x; remove a y; set a new = x; set a z = n + 1");
	gemp_rule_set_free(rules);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code read_example(void *argument)
{
	gemp_rule_set *rules = NULL;
	gemp_code code = gemp_rule_set_parse(&rules, argument, "r.rules", NULL, 0);
	gemp_rule_set_free(rules);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(read_example, (void *)(uintptr_t)example);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_rules), cmocka_unit_test(updates),
		cmocka_unit_test(reads),         cmocka_unit_test(symmetry),
		cmocka_unit_test(control),       cmocka_unit_test(parameters),
		cmocka_unit_test(binds),         cmocka_unit_test(set_of_an_unknown_attribute_is_remove),
		cmocka_unit_test(no_memory)
	};
	return test_main(tests);
}
