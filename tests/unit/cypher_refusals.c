/* Tests the messages and places of errors in the text of a query. */
#include "cypher_tree_text.h"

#include "core/memory.h"

/* Each query is refused at line:column with this message. */
static const struct {
	const char *query, *place, *message;
} refusals[] = {
	{ "", "1:1", "the query ends too early, expected a clause, such as MATCH" },
	{ "SELECT 1", "1:1", "SELECT is not supported; write MATCH (a) RETURN a" },
	{ "EXPLAIN MATCH (a) RETURN a", "1:1", "EXPLAIN is not supported; the option --explain prints the plan" },
	{ "RETURN 1; RETURN 2", "1:11", "a query ends at ;, and another one begins here" },
	/* brackets */
	{ "RETURN (1 + 2", "1:14", "the query ends too early, expected ')'" },
	{ "MATCH (a)\nWHERE (a.x = 1\nRETURN a", "3:1", "unexpected 'RETURN', expected ')'" },
	{ "RETURN f(1, 2", "1:14", "the query ends too early, expected ')' or ','" },
	{ "RETURN a[1", "1:11", "the query ends too early, expected ']'" },
	{ "RETURN [x IN l | x", "1:19", "the query ends too early, expected ']'" },
	{ "RETURN {k: {k: {}} AS literal", "1:20", "unexpected 'AS', expected '}' or ','" },
	{ "RETURN EXISTS { RETURN 1", "1:25", "the query ends too early, expected '}' or ','" },
	{ "RETURN EXISTS { (a)-->(b) ", "1:27", "the query ends too early, expected '}' or ','" },
	{ "MATCH (a RETURN a", "1:10", "unexpected 'RETURN', expected ')'" },
	{ "MATCH (a)-[r RETURN a", "1:14", "unexpected 'RETURN', expected ']'" },
	{ "MATCH (n {name: 'x') RETURN n", "1:20", "unexpected ')', expected '}' or ','" },
	{ "RETURN a)", "1:9", "')' closes a bracket, but none is open here" },
	{ "RETURN CASE WHEN a THEN 1", "1:26", "the query ends too early, expected WHEN, ELSE or END" },
	{ "RETURN CASE a END", "1:15", "unexpected 'END', expected WHEN" },
	/* commas */
	{ "RETURN 1 2", "1:10", "unexpected '2'; a comma may be missing here" },
	{ "RETURN [1 2]", "1:11", "unexpected '2', expected ',' or ']'; a comma may be missing here" },
	{ "RETURN f(a b)", "1:12", "unexpected 'b', expected ')' or ','; a comma may be missing here" },
	{ "RETURN {a: 1 b: 2}", "1:14", "unexpected 'b', expected '}' or ','; a comma may be missing here" },
	{ "MATCH (a) (b) RETURN a", "1:11", "unexpected '('; a comma may be missing here" },
	{ "MATCH (a)--(b), RETURN a", "1:17", "unexpected 'RETURN', expected a path, as in (a)-->(b)" },
	{ "RETURN 1,", "1:10", "the query ends too early, expected a value" },
	{ "RETURN [, ]", "1:9", "unexpected ',', expected a value" },
	{ "RETURN {, }", "1:9", "unexpected ',', expected a name or '}'" },
	/* signs of other languages */
	{ "RETURN a != 1", "1:10", "'!=' is not openCypher; write <>" },
	{ "RETURN a == 1", "1:10", "'==' is not openCypher; write =" },
	{ "RETURN a && b", "1:10", "'&&' is not openCypher; write AND" },
	{ "RETURN a || b", "1:10", "'||' is not openCypher; write OR, or + between strings and lists" },
	{ "RETURN !a", "1:8", "a negation by ! is not supported; write NOT" },
	{ "RETURN 42 \xE2\x80\x94 41", "1:11", "a dash of a word processor; write -" },
	{ "RETURN \xE2\x80\x9Cx\xE2\x80\x9D", "1:8", "a quote of a word processor; write ' or \"" },
	{ "RETURN a # b", "1:10", "this character has no meaning here" },
	{ "RETURN a ORDER BY a NULLS LAST", "1:21", "NULLS FIRST or LAST is not supported; NULL is last when ascending" },
	{ "RETURN 1 AS x OFFSET 2", "1:15", "OFFSET is not supported; write SKIP" },
	{ "RETURN filter(x IN l WHERE x)", "1:8",
	  "filter() is not openCypher; write [x IN list WHERE condition | result]" },
	/* words and names */
	{ "MATCH (match) RETURN 1", "1:8", "'match' is a reserved word; as a name it needs backquotes" },
	{ "RETURN WHERE", "1:8", "unexpected 'WHERE', expected a value" },
	{ "RETURN a STARTS b", "1:17", "unexpected 'b', expected WITH" },
	{ "RETURN 'a' AS 'b'", "1:15", "unexpected ''b'', expected a name" },
	{ "RETURN sum(*)", "1:8", "sum(*) has no meaning; only count(*) has" },
	{ "RETURN count(DISTINCT *)", "1:8",
	  "count(DISTINCT *) has no meaning; count(DISTINCT a) counts different values" },
	{ "MATCH (a:$p) RETURN a", "1:10",
	  "a parameter instead of a label, a type or a name is not supported; parameters are values" },
	{ "RETURN (1)(2)", "1:8", "a function has a name, as in date.truncate('month', d)" },
	{ "RETURN all(x IN l)", "1:18", "unexpected ')', expected WHERE" },
	{ "RETURN shortestPath((a)-->(b))", "1:8",
	  "shortestPath() in an expression is not supported; write MATCH p = shortestPath(...)" },
	/* literals */
	{ "RETURN 9223372036854775808", "1:8", "this integer is beyond the range of 64 bits" },
	{ "RETURN -(9223372036854775808)", "1:10", "this integer is beyond the range of 64 bits" },
	{ "RETURN 9223372036854775808.x", "1:8", "this integer is beyond the range of 64 bits" },
	{ "RETURN -9223372036854775809", "1:9", "this integer is beyond the range of 64 bits" },
	{ "RETURN 99999999999999999999", "1:8", "this integer is beyond the range of 64 bits" },
	{ "RETURN 0x8000000000000000", "1:8", "this integer is beyond the range of 64 bits" },
	{ "RETURN 1.34E999", "1:8", "this float is beyond the range of a double" },
	{ "RETURN 0x", "1:8",
	  "this is not a number; there are integers (12, 0x1F, 0o17) and floats (0.5, 1e6), and a name that "
	  "begins with a digit needs backquotes" },
	{ "RETURN 12ab", "1:8", "this is not a number;" },
	{ "RETURN 0o18", "1:8", "this is not a number;" },
	{ "RETURN 'ab\\uH'", "1:11", "this escape is not known; there are" },
	{ "RETURN '\\uD800'", "1:9", "this escape is not known; there are" },
	{ "RETURN 'abc", "1:8", "this string has no end; close it by '" },
	{ "RETURN \"abc", "1:8", "this string has no end; close it by \"" },
	{ "RETURN `abc", "1:8", "this name has no end; close it by `" },
	{ "RETURN 1 /* x", "1:10", "this comment has no end; close it by */" },
	/* patterns */
	{ "MATCH (a)-(b) RETURN a", "1:11", "unexpected '(', expected '-' or '['" },
	{ "MATCH (a)-[r]>(b) RETURN a", "1:14", "unexpected '>', expected '-'" },
	{ "MATCH (a)-->b RETURN a", "1:13", "unexpected 'b', expected a vertex, as in (a)" },
	{ "MATCH (a:A!B) RETURN a", "1:11",
	  "an expression over labels with ! or % is not supported; write it in WHERE, as in WHERE NOT a:A" },
	{ "MATCH (a) SET a:A|B", "1:15", "SET and REMOVE take a list of labels, as in a:A:B" },
	{ "MATCH (a)-[:T]->{1,2}(b) RETURN a", "1:17",
	  "a repeated path (+, *, {m,n}) is not supported; write -[:T*m..n]->" },
	{ "MATCH (a)-[:T..]->(b) RETURN a", "1:14", "a length without * is not supported; write *1..3" },
	{ "MATCH (a)-[:T*-2]->(b) RETURN a", "1:15", "unexpected '-', expected ']'" },
	{ "MATCH (a WHERE a.x = 1) RETURN a", "1:10",
	  "WHERE inside of a vertex is not supported; write it after all paths" },
	{ "MATCH (a $p) RETURN a", "1:10",
	  "a parameter instead of a map in MATCH and MERGE is not supported; write {key: $parameter.key}" },
	{ "MERGE (a)-[:T $p]->(b)", "1:15",
	  "a parameter instead of a map in MATCH and MERGE is not supported; write {key: $parameter.key}" },
	/* clauses */
	{ "MATCH (a)", "1:10", "RETURN is missing: after MATCH it says what the rows are" },
	{ "WITH 1 AS x", "1:12", "RETURN is missing: after WITH it says what the rows are" },
	{ "MATCH (a) RETURN a MATCH (b) RETURN b", "1:20",
	  "MATCH stands behind RETURN, which ends a query; write WITH instead of RETURN" },
	{ "CREATE (a) MATCH (b) RETURN b", "1:12",
	  "WITH is missing between CREATE and MATCH, as in CREATE ... WITH * MATCH" },
	{ "MATCH (a) WITH a, count(*) RETURN a", "1:27", "an expression in WITH needs a name; write AS and a name here" },
	{ "MATCH (a) ORDER BY a RETURN a", "1:11",
	  "ORDER BY stands behind the items of WITH or RETURN, before SKIP and LIMIT" },
	{ "RETURN a LIMIT 1 SKIP 2", "1:18", "SKIP stands in WITH or RETURN, behind ORDER BY and before LIMIT" },
	{ "RETURN a WHERE a", "1:10", "WHERE stands behind the paths of MATCH, behind the items of WITH, or behind YIELD" },
	{ "UNWIND [1] RETURN 1", "1:12", "unexpected 'RETURN', expected AS" },
	{ "RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a", "1:45",
	  "UNION and UNION ALL are mixed here; write one of them throughout" },
	{ "CALL a.b YIELD out RETURN out", "1:1", "a procedure within a query needs parentheses, as in CALL a.b()" },
	{ "CALL a.b() YIELD * RETURN 1", "1:1", "YIELD * within a query is not supported; name the columns" },
	{ "CALL (x) { RETURN 1 } RETURN 1", "1:6",
	  "CALL with a list of variables is not supported; write CALL { WITH ... } instead" },
	{ "MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 } RETURN n", "1:36",
	  "SET may not stand in EXISTS, COUNT or COLLECT, which only read" },
	{ "RETURN COLLECT { MATCH (a) }", "1:27", "RETURN is missing: after MATCH it says what the rows are" },
	{ "RETURN EXISTS { MATCH (a) WITH a }", "1:33", "RETURN is missing: after WITH it says what the rows are" },
	{ "MATCH (a) SET a", "1:16", "the query ends too early, expected =, += or a label" },
	{ "MATCH (a) SET a.x += 1", "1:15", "SET += takes a variable, as in SET a += {x: 1}" },
	{ "MATCH (a) SET f(a) = 1", "1:15", "SET takes a property, a variable or labels, as in SET a.x = 1, b:Label" },
	{ "MATCH (a) REMOVE a", "1:18", "REMOVE takes a property or labels, as in REMOVE a.x, b:Label" },
	{ "MERGE (a), (b)", "1:10", "unexpected ',', expected another clause" },
	{ "MERGE (a) ON SET a.x = 1", "1:14", "unexpected 'SET', expected MATCH or CREATE" },
	{ "FOREACH (x IN l | RETURN 1)", "1:19",
	  "unexpected 'RETURN', expected CREATE, MERGE, SET, REMOVE, DELETE or FOREACH" },
	/* characters are counted, not bytes */
	{ "RETURN '\xC3\xA4\xF0\x9F\x98\x80', \n\t\xC3\xA4 1", "2:4", "unexpected '1'; a comma may be missing here" },
};

static void errors_name_the_place_and_what_is_missing(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		char start[512];
		snprintf(start, sizeof start, "query:%s: %s", refusals[i].place, refusals[i].message);
		gemp_code code = tree_read(refusals[i].query, &text);
		if (code != GEMP_EUSAGE || strncmp(gemp_message(), start, strlen(start)) != 0)
			fail_msg("%s\n  gives code %d: %s\n  instead of: %s", refusals[i].query, (int)code,
			         code == GEMP_OK ? "" : gemp_message(), start);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Text that is not a query at all. */
static void texts_that_are_not_utf8_are_refused(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	assert_code(tree_read("RETURN '\xFF'", &text), GEMP_EUSAGE);
	assert_message("query:1:9: the byte 0xFF is not UTF-8");
	assert_code(tree_read("RETURN \x01", &text), GEMP_EUSAGE);
	assert_message("the control character 0x01 cannot stand in a query");
	gemp_text_free(&text);
}

static void too_many_parameters_are_refused(void **state)
{
	(void)state;
	gemp_text query = { 0 }, text = { 0 };
	gemp_text_print(&query, "RETURN [$p0");
	for (int i = 1; i < 1000; i++)
		gemp_text_print(&query, ", $p%d, $p%d", i, i / 2);
	gemp_text_print(&query, "] AS x");
	assert_ok(tree_read(query.data, &text));
	gemp_text_print(&query, ", $q AS y");
	assert_code(tree_read(query.data, &text), GEMP_EUSAGE);
	assert_message("a query has at most 1000 different parameters; pass a list or a map instead");
	gemp_text_free(&query);
	gemp_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_name_the_place_and_what_is_missing),
		cmocka_unit_test(texts_that_are_not_utf8_are_refused),
		cmocka_unit_test(too_many_parameters_are_refused),
	};
	return test_main(tests);
}
