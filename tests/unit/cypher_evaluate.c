/* Tests the evaluator: each expression stands behind a MATCH, and its value is compared as JSON. The graph is a
 * stand-in: node i has the label A if i is even, B always, and the property x = 10 i; relationship i has type T and x
 * = i. */
#include "harness/harness.h"

#include "core/memory.h"
#include "cypher/check/check.h"
#include "cypher/evaluate/evaluate.h"

static gemp_code labels(void *self, uint64_t node, gemp_arena *arena, gemp_datum *list)
{
	(void)self;
	gemp_datum names[2];
	GEMP_TRY(gemp_datum_string(&names[0], arena, "B", 1));
	GEMP_TRY(gemp_datum_string(&names[1], arena, "A", 1));
	return gemp_datum_list(list, arena, names, node % 2 == 0 ? 2 : 1);
}

static gemp_code property(void *self, gemp_datum element, const char *name, gemp_arena *arena, gemp_datum *out)
{
	(void)self;
	(void)arena;
	*out = gemp_datum_null();
	if (strcmp(name, "x") == 0)
		*out = gemp_datum_integer((int64_t)element.id * (element.kind == GEMP_DATUM_NODE ? 10 : 1));
	return GEMP_OK;
}

static gemp_code properties(void *self, gemp_datum element, gemp_arena *arena, gemp_datum *map)
{
	gemp_datum_entry entry = { .key = "x" };
	GEMP_TRY(property(self, element, "x", arena, &entry.value));
	return gemp_datum_map(map, arena, &entry, 1);
}

static gemp_code type(void *self, uint64_t relationship, gemp_arena *arena, gemp_datum *string)
{
	(void)self;
	(void)relationship;
	return gemp_datum_string(string, arena, "T", 1);
}

/* Answers COUNT { } by the x of the first variable of the row, and all other queries by true. */
static gemp_code inner(void *self, const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                       gemp_datum *out)
{
	(void)self;
	*out = expr->kind == GEMP_CY_COUNT ? gemp_datum_integer((int64_t)environment->row[0].id * 10)
	                                   : gemp_datum_boolean(true);
	return GEMP_OK;
}

static gemp_code write_id(void *self, uint64_t id, gemp_text *out)
{
	(void)self;
	gemp_text_print(out, "%d", (int)id);
	return GEMP_OK;
}

/* The value of `expression` for n = node 4, r = relationship 7, m = node 5, o = NULL, as JSON. */
static gemp_code evaluate(const char *expression, gemp_text *json)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text query = { 0 };
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena arena = { 0 };
	GEMP_OWNED_BY(gemp_cypher_regexes_free) gemp_cypher_regexes regexes = { 0 };
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	const gemp_cypher_graph graph = { .labels = labels, .property = property, .properties = properties, .type = type };
	const gemp_datum_writer writer = { NULL, write_id, write_id };
	gemp_datum row[32] = { { .kind = GEMP_DATUM_NODE, .id = 4 },
		                   { .kind = GEMP_DATUM_RELATIONSHIP, .id = 7 },
		                   { .kind = GEMP_DATUM_NODE, .id = 5 } };
	gemp_datum parameters[2] = { gemp_datum_integer(42), gemp_datum_null() }, value;
	gemp_text_print(&query, "MATCH (n)-[r]->(m) OPTIONAL MATCH (o) RETURN %s AS value", expression);
	GEMP_TRY(gemp_text_status(&query));
	const gemp_source source = { .text = query.data };
	GEMP_TRY(gemp_cypher_parse(&tree, &source));
	GEMP_TRY(gemp_cypher_check(&tree));
	const gemp_cypher_clause *clause = tree.query->first->last;
	assert_true(gemp_cypher_clause_slots(clause) <= 32);
	const gemp_cypher_environment environment = { .arena = &arena,
		                                          .source = &tree.source,
		                                          .graph = &graph,
		                                          .parameters = parameters,
		                                          .row = row,
		                                          .slots = 32,
		                                          .regexes = &regexes,
		                                          .inner = inner };
	GEMP_TRY(gemp_cypher_evaluate(&environment, clause->items->expr, &value));
	GEMP_TRY(gemp_datum_json(value, &writer, json));
	GEMP_TRY(gemp_text_status(json));
	char *end = json->data;
	for (const char *at = json->data; *at; at++) /* spaces between elements; no string of the tests has one */
		if (*at != ' ')
			*end++ = *at;
	*end = '\0';
	return GEMP_OK;
}

typedef struct expectation {
	const char *expression, *json;
} expectation;

static void expect_all(const expectation *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text json = { 0 };
		if (evaluate(list[i].expression, &json) != GEMP_OK)
			fail_msg("%s: %s", list[i].expression, gemp_message());
		if (strcmp(json.data, list[i].json) != 0)
			fail_msg("%s: expected %s, got %s", list[i].expression, list[i].json, json.data);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}
#define EXPECT(...)                                   \
	do {                                              \
		const expectation list[] = { __VA_ARGS__ };   \
		expect_all(list, sizeof list / sizeof *list); \
	} while (0)

/* The json of an expectation is here a part of the message. All are errors of the values, with a place. */
static void refuse_all(const expectation *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text json = { 0 };
		assert_code(evaluate(list[i].expression, &json), GEMP_EUSAGE);
		if (!strstr(gemp_message(), list[i].json) || !strstr(gemp_message(), ":1:"))
			fail_msg("%s: expected '%s' with a place, got '%s'", list[i].expression, list[i].json, gemp_message());
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}
#define REFUSE(...)                                   \
	do {                                              \
		const expectation list[] = { __VA_ARGS__ };   \
		refuse_all(list, sizeof list / sizeof *list); \
	} while (0)

/* All pairs of true, false and NULL, in this order, row by row. */
static void logic(void **state)
{
	(void)state;
	static const char *const words[] = { "true", "false", "null" };
	static const struct {
		const char *name, *truth; /* t, f, n for each pair */
	} tables[] = { { "AND", "tfnfffnfn" }, { "OR", "ttttfntnn" }, { "XOR", "ftntfnnnn" } };
	for (size_t i = 0; i < 3; i++)
		for (size_t pair = 0; pair < 9; pair++) {
			GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 }, json = { 0 };
			gemp_text_print(&text, "%s %s %s", words[pair / 3], tables[i].name, words[pair % 3]);
			assert_ok(evaluate(text.data, &json));
			if (json.data[0] != tables[i].truth[pair])
				fail_msg("%s: got %s", text.data, json.data);
		}
	EXPECT({ "NOT null", "null" }, { "NOT true", "false" }, { "NOT false = true", "true" },
	       { "true OR true AND false", "true" }, { "true XOR true OR true", "true" },
	       { "false AND n.x / 0 = 1", "false" });
}

static void comparisons(void **state)
{
	(void)state;
	EXPECT({ "1 = 1.0", "true" }, { "1 < 2 < 3", "true" }, { "1 < 3 < 2", "false" }, { "1 < null < 0", "null" },
	       { "3 < 2 < null", "false" }, { "'a' < 1", "null" }, { "'a' <> 1", "true" }, { "null = null", "null" },
	       { "null <> 1", "null" }, { "[1, null] = [1, 2]", "null" }, { "[1, null] = [2, 2]", "false" },
	       { "null IS NULL", "true" }, { "n.y IS NOT NULL", "false" }, { "n = n", "true" }, { "n = m", "false" });
	EXPECT({ "1 IN [1, null]", "true" }, { "2 IN [1, null]", "null" }, { "2 IN [1]", "false" },
	       { "null IN []", "false" }, { "null IN [1]", "null" }, { "1 IN null", "null" },
	       { "[1] IN [[1], 2]", "true" });
	REFUSE({ "1 IN n.x", "IN needs a list" }, { "n.x AND true", "a condition is true, false or NULL" });
}

static void strings(void **state)
{
	(void)state;
	EXPECT({ "'abc' STARTS WITH 'ab'", "true" }, { "'abc' ENDS WITH 'ab'", "false" }, { "'abc' CONTAINS ''", "true" },
	       { "'abc' CONTAINS null", "null" }, { "1 STARTS WITH '1'", "null" }, { "'abc' =~ 'a.*'", "true" },
	       { "'xabc' =~ 'a.*'", "false" }, { "null =~ 'a'", "null" },
	       { "[s IN ['ab', 'b', 'ab'] | s =~ 'a' + 'b']", "[true,false,true]" },
	       { "[p IN ['a', 'b', 'a'] | 'a' =~ p]", "[true,false,true]" }, { "'a' + 'b'", "\"ab\"" },
	       { "'a' + 1", "\"a1\"" }, { "'' + ''", "\"\"" });
	REFUSE({ "'a' =~ '('", "is not a regular expression" });
}

static void arithmetic(void **state)
{
	(void)state;
	EXPECT({ "1 + 2 * 3", "7" }, { "7 / 2", "3" }, { "-7 / 2", "-3" }, { "7 / 2.0", "3.5" }, { "-7 % 3", "-1" },
	       { "5.5 % 2", "1.5" }, { "2 ^ 3 = 8.0", "true" }, { "4 ^ 3 ^ 2 = 4096.0", "true" }, { "1 + null", "null" },
	       { "-n.x", "-40" }, { "+ 1", "1" }, { "-9223372036854775808", "-9223372036854775808" },
	       { "1 / 0.0 > 1", "true" }, { "[1] + 2", "[1,2]" }, { "1 + [2, 3]", "[1,2,3]" }, { "[1] + [[2]]", "[1,[2]]" },
	       { "[] + []", "[]" }, { "$p + 1", "43" });
	REFUSE({ "1 / 0", "divides by zero" }, { "9223372036854775807 + n.x", "is beyond 64 bits" },
	       { "-9223372036854775808 - n.x", "is beyond 64 bits" }, { "n.x % (n.x - 40)", "divides by zero" },
	       { "n.x + (n.x = 1)", "+ is not defined for Integer and Boolean" },
	       { "n.x * head(['a'])", "* is not defined for Integer and String" });
}

static void access(void **state)
{
	(void)state;
	EXPECT({ "n.x", "40" }, { "n.y", "null" }, { "r.x", "7" }, { "o.x", "null" }, { "{a: 1}.a", "1" },
	       { "{a: 1}.b", "null" }, { "{a: {b: [3]}}.a.b[0]", "3" }, { "n['x']", "40" }, { "{a: 1}['a']", "1" },
	       { "{a: 1}[null]", "null" }, { "[1, 2, 3][0]", "1" }, { "[1, 2, 3][-1]", "3" }, { "[1, 2, 3][3]", "null" },
	       { "[1, 2, 3][-4]", "null" }, { "[1, 2][null]", "null" }, { "null[0]", "null" }, { "[1, 2, 3][1..2]", "[2]" },
	       { "[1, 2, 3][..-1]", "[1,2]" }, { "[1, 2, 3][-2..]", "[2,3]" }, { "[1, 2, 3][2..1]", "[]" },
	       { "[1, 2][0..9]", "[1,2]" }, { "[1, 2][-9..1]", "[1]" }, { "[1, 2][null..1]", "null" }, { "n:A", "true" },
	       { "n:A:B", "true" }, { "n:C|A&B", "true" }, { "n:C|A&D", "false" }, { "n:A|C:D|E", "false" },
	       { "r:S|T", "true" }, { "o:A|B", "null" }, { "m:A", "false" }, { "r:T", "true" }, { "r:A", "false" },
	       { "o:A", "null" }, { "n {.x, y: 2, .z}", "{\"x\":40,\"y\":2,\"z\":null}" },
	       { "n {.*, m}", "{\"m\":5,\"x\":40}" }, { "o {.x}", "null" }, { "{b: 1, a: 2}", "{\"a\":2,\"b\":1}" });
	REFUSE({ "n.x.y", "only nodes, relationships, maps and temporal values have properties" },
	       { "n.x[0]", "[ ] needs a list" }, { "[1][head(['a'])]", "an index of a list is an integer" },
	       { "{a: 1}[n.x]", "the name of a property is a string" },
	       { "[1][head(['a'])..2]", "a bound of a slice is an integer" });
}

static void lists(void **state)
{
	(void)state;
	EXPECT({ "[x IN [1, 2, 3] WHERE x > 1 | x * 2]", "[4,6]" }, { "[x IN [1, null]]", "[1,null]" },
	       { "[x IN null | 1]", "null" }, { "[x IN [1, 2] | [y IN [x, 10] | x + y]]", "[[2,11],[4,12]]" },
	       { "[n IN [1] | n]", "[1]" }, { "reduce(s = 0, x IN [1, 2, 3] | s + x)", "6" },
	       { "reduce(s = 0, x IN [[1, 2], [3]] | s + reduce(t = 0, y IN x | t * 10 + y))", "15" },
	       { "reduce(s = 0, x IN null | s)", "null" }, { "reduce(s = 5, x IN [] | s + x)", "5" });
	EXPECT({ "all(x IN [] WHERE false)", "true" }, { "any(x IN [] WHERE true)", "false" },
	       { "none(x IN [] WHERE true)", "true" }, { "single(x IN [] WHERE true)", "false" },
	       { "all(x IN [1, null] WHERE x = 1)", "null" }, { "all(x IN [null, 2] WHERE x = 1)", "false" },
	       { "any(x IN [1, null] WHERE x = 1)", "true" }, { "any(x IN [2, null] WHERE x = 1)", "null" },
	       { "none(x IN [2, null] WHERE x = 1)", "null" }, { "none(x IN [1, null] WHERE x = 1)", "false" },
	       { "single(x IN [1, null] WHERE x = 1)", "null" }, { "single(x IN [1, 1, null] WHERE x = 1)", "false" },
	       { "single(x IN [1, 2] WHERE x = 1)", "true" }, { "any(x IN null WHERE x = 1)", "null" });
	REFUSE({ "reduce(l = 1, x IN range(1, 2000) | [l])", "nested" },
	       { "reduce(l = 1, x IN range(1, 2000) | {a: l})", "nested" },
	       { "reduce(l = [], x IN range(1, 2000) | [] + [l])", "nested" });
	REFUSE({ "[x IN n.x | x]", "IN needs a list" },
	       { "all(x IN [n.x] WHERE x)", "a condition is true, false or NULL" });
}

static void cases(void **state)
{
	(void)state;
	EXPECT({ "CASE n.x WHEN 1 THEN 'a' WHEN 40 THEN 'b' ELSE 'c' END", "\"b\"" },
	       { "CASE n.x WHEN 1 THEN 'a' END", "null" }, { "CASE null WHEN null THEN 1 ELSE 2 END", "2" },
	       { "CASE WHEN null THEN 1 WHEN n.x > 1 THEN 2 END", "2" },
	       { "CASE WHEN false THEN n.x / 0 ELSE 3 END", "3" });
	REFUSE({ "CASE WHEN n.x THEN 1 END", "a condition is true, false or NULL" });
}

static void calls_and_queries(void **state)
{
	(void)state;
	EXPECT({ "coalesce(null, n.y, 'a', 1 / 0.0)", "\"a\"" }, { "coalesce(null, null, null, null, n.x)", "40" },
	       { "size([1, 2])", "2" }, { "toUpper(null)", "null" }, { "COUNT { (n)-->() }", "40" },
	       { "EXISTS { (n)-->() } AND true", "true" });
	REFUSE({ "size(n.x)", "size()" });
	REFUSE({ "reduce(a = [], x IN range(1, 2000) | [a])", "nested more than 1000 levels" },
	       { "reduce(a = [], x IN range(1, 2000) | {k: a})", "nested more than 1000 levels" },
	       { "reduce(a = [], x IN range(1, 2000) | [y IN [1] | a])", "nested more than 1000 levels" });
}

static gemp_code evaluate_step(void *expression)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text json = { 0 };
	return evaluate(expression, &json);
}

static void no_memory(void **state)
{
	(void)state;
	static char expression[] =
		"[x IN [n.x, 1] + 2 WHERE 'a' + x =~ 'a.*' | {k: n {.x, .*}, l: labels(n), m: n:A, u: toUpper('a')}]";
	assert_survives_no_memory(evaluate_step, expression);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logic),     cmocka_unit_test(comparisons),
		cmocka_unit_test(strings),   cmocka_unit_test(arithmetic),
		cmocka_unit_test(access),    cmocka_unit_test(lists),
		cmocka_unit_test(cases),     cmocka_unit_test(calls_and_queries),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
