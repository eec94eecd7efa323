/* Query text becomes a pattern: structure, names, literals, and every error at its place. */
#include "harness/harness.h"

#include "core/text.h"
#include "pattern/pattern.h"

#include <stdio.h>
#include <string.h>

static gemp_pattern *parsed(const char *text)
{
	gemp_pattern *pattern = NULL;
	assert_ok(gemp_pattern_parse(&pattern, text, NULL));
	return pattern;
}

static void assert_edge(const gemp_pattern *p, size_t e, int from, int to, gemp_direction direction, size_t types)
{
	assert_true(e < p->edge_count);
	assert_int_equal(p->edges[e].from, from);
	assert_int_equal(p->edges[e].to, to);
	assert_int_equal(p->edges[e].direction, direction);
	assert_int_equal(p->edges[e].type_count, types);
}

static void assert_condition(const gemp_pattern *p, size_t index, const char *text)
{
	assert_true(index < p->condition_count);
	char *found = gemp_expr_text(p->conditions[index].expr, p);
	assert_string_equal(found, text);
	gemp_free(found);
}

static void paths(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a)-[:T]->(b)<-[r:U|V]-(c), (c)--(a)-->()<--(:L), (a)<-[]->(a)");
	assert_int_equal(p->vertex_count, 5);
	assert_string_equal(p->vertices[0].name, "a");
	assert_string_equal(p->vertices[2].name, "c");
	assert_null(p->vertices[3].name);
	assert_int_equal(p->edge_count, 6);
	assert_edge(p, 0, 0, 1, GEMP_OUT, 1);
	assert_edge(p, 1, 2, 1, GEMP_OUT, 2);
	assert_string_equal(p->edges[1].name, "r");
	assert_string_equal(p->edges[1].types[0], "U");
	assert_string_equal(p->edges[1].types[1], "V");
	assert_edge(p, 2, 2, 0, GEMP_EITHER, 0);
	assert_edge(p, 3, 0, 3, GEMP_OUT, 0);
	assert_edge(p, 4, 4, 3, GEMP_OUT, 0);
	assert_edge(p, 5, 0, 0, GEMP_EITHER, 0);
	assert_int_equal(p->condition_count, 1);
	assert_condition(p, 0, "v4:L");
	assert_int_equal(p->conditions[0].vertices, 1 << 4);
	assert_int_equal(p->result.item_count, 3); /* the named vertices, not the edge */
	assert_false(p->result.has_limit);
	gemp_pattern_free(p);
}

static void one_vertex(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("match () ;");
	assert_int_equal(p->vertex_count, 1);
	assert_int_equal(p->result.item_count, 1);
	assert_string_equal(p->result.items[0].name, "v0");
	gemp_pattern_free(p);
}

static void labels(void **state)
{
	(void)state;
	static const struct { const char *written, *first, *second; } cases[] = {
		{ "(a:A)", "a:A", NULL },
		{ "(a:A|B)", "a:A OR a:B", NULL },
		{ "(a:A|:B)", "a:A OR a:B", NULL },
		{ "(a:B|A|B)", "a:A OR a:B", NULL },
		{ "(a:A:B)", "a:A", "a:B" },
		{ "(a:B&A)", "a:A", "a:B" },
		{ "(a:A&B|C)", "a:C OR (a:A AND a:B)", NULL },
		{ "(a:A|B:C)", "a:C", "a:A OR a:B" },
		{ "(a:`A b`)", "a:`A b`", NULL },
		{ "(a:Match:RETURN)", "a:Match", "a:RETURN" },
		{ "(a:\xC3\x84pfel)", "a:\xC3\x84pfel", NULL },
		{ "(a:\xE6\x98\xA0\xE7\x94\xBB|\xF0\x9F\x8E\xAC)", "a:\xE6\x98\xA0\xE7\x94\xBB OR a:\xF0\x9F\x8E\xAC", NULL },
		{ "(a:`\xE2\x80\x93`)", "a:`\xE2\x80\x93`", NULL },
		{ "(a) WHERE a:A|B", "a:A OR a:B", NULL },
		{ "(a) WHERE NOT a:A|B", "NOT a:A", "NOT a:B" },
		{ "(a:A) WHERE a:A", "a:A", NULL },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[200];
		snprintf(text, sizeof text, "MATCH %s", cases[i].written);
		gemp_pattern *p = parsed(text);
		assert_int_equal(p->condition_count, cases[i].second ? 2 : 1);
		assert_condition(p, 0, cases[i].first);
		if (cases[i].second)
			assert_condition(p, 1, cases[i].second);
		gemp_pattern_free(p);
	}
}

static void types(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a)-[:T|U]->(b)-[:U|:T]->(c)-[`x y`:`a|b`|order]-(d) RETURN *");
	assert_int_equal(p->edges[0].type_count, 2);
	for (int i = 0; i < 2; i++)
		assert_string_equal(p->edges[0].types[i], p->edges[1].types[i]);
	assert_string_equal(p->edges[2].name, "x y");
	assert_string_equal(p->edges[2].types[0], "a|b");
	assert_string_equal(p->edges[2].types[1], "order");
	assert_int_equal(p->result.item_count, 5);
	assert_string_equal(p->result.items[4].name, "x y"); /* after d: the vertex at its end is read first */
	assert_int_equal(p->result.items[4].expr->kind, GEMP_EDGE);
	gemp_pattern_free(p);
}

static void literals(void **state)
{
	(void)state;
	static const struct { const char *written, *text; } cases[] = {
		{ "1", "1" }, { "-1", "-1" }, { "- 1", "-1" }, { "0007", "7" }, { "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" }, { "1.5", "1.5" }, { ".5", "0.5" }, { "1e3", "1000.0" },
		{ "-2.5E-3", "-0.0025" }, { "1.0", "1.0" }, { "true", "true" }, { "FALSE", "false" }, { "'x'", "'x'" },
		{ "\"x\"", "'x'" }, { "''", "''" }, { "'it\\'s'", "'it\\'s'" }, { "\"it's\"", "'it\\'s'" },
		{ "'a\\tb\\n\\\\'", "'a\\tb\\n\\\\'" }, { "'\\u00e4'", "'\xC3\xA4'" }, { "'\\U0001F600'", "'\xF0\x9F\x98\x80'" },
		{ "'\\uD83D\\uDE00'", "'\xF0\x9F\x98\x80'" }, { "'a // b'", "'a // b'" }, { "'\xE2\x82\xAC'", "'\xE2\x82\xAC'" },
		{ "'two\nlines'", "'two\\nlines'" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[200], expected[200];
		snprintf(text, sizeof text, "MATCH (a) WHERE a.x = %s", cases[i].written);
		snprintf(expected, sizeof expected, "a.x = %s", cases[i].text);
		gemp_pattern *p = parsed(text);
		assert_int_equal(p->condition_count, 1);
		assert_condition(p, 0, expected);
		gemp_pattern_free(p);
	}
}

static void maps_and_comments(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH /* two ** of them */ (a:P {name: 'x', age: 3}) // the rest\n"
	                         "  -[r {since: 1990}]-> (b {})\n  WhErE a.order < 3");
	assert_int_equal(p->condition_count, 5);
	assert_condition(p, 0, "a:P");
	assert_condition(p, 1, "a.age = 3");
	assert_condition(p, 2, "a.name = 'x'");
	assert_condition(p, 3, "r.since = 1990");
	assert_int_equal(p->conditions[3].edges, 1);
	assert_int_equal(p->conditions[3].vertices, 0);
	assert_condition(p, 4, "a.order < 3");
	gemp_pattern_free(p);
}

static void returns(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a)-[r]->(b) RETURN a, a . name, id( b ) AS key, r AS `the edge`, b.x AS count "
	                         "LIMIT 10");
	static const char *const names[] = { "a", "a . name", "key", "the edge", "count" };
	static const gemp_expr_kind kinds[] = { GEMP_VERTEX, GEMP_ATTRIBUTE, GEMP_KEY, GEMP_EDGE, GEMP_ATTRIBUTE };
	assert_int_equal(p->result.item_count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(p->result.items[i].name, names[i]);
		assert_int_equal(p->result.items[i].expr->kind, kinds[i]);
	}
	assert_true(p->result.items[3].expr->of_edge);
	assert_true(p->result.has_limit);
	assert_int_equal(p->result.limit, 10);
	gemp_pattern_free(p);
	p = parsed("MATCH (a) RETURN COUNT ( * ) AS n LIMIT 18446744073709551615");
	assert_int_equal(p->result.items[0].expr->kind, GEMP_COUNT_STAR);
	assert_string_equal(p->result.items[0].name, "n");
	assert_true(p->result.limit == UINT64_MAX);
	gemp_pattern_free(p);
}

static const struct wrong { const char *text; int line, column; const char *part; } wrongs[] = {
	{ "", 1, 1, "begins with MATCH" },
	{ "  // nothing\n", 2, 1, "begins with MATCH" },
	{ "(a)-->(b)", 1, 1, "begins with MATCH" },
	{ "MATCH", 1, 6, "ends too early, expected a name or '('" },
	{ "MATCH (a", 1, 9, "ends too early" },
	{ "MATCH (a)-", 1, 11, "expected '-' or '['" },
	{ "MATCH (a:)", 1, 10, "unexpected ')', expected a name" },
	{ "MATCH (a)-[:]-(b)", 1, 13, "expected a name" },
	{ "MATCH (a)->(b)", 1, 11, "unexpected '>'" },
	{ "MATCH (a {x 1})", 1, 13, "expected ':'" },
	{ "MATCH (a {x: b})", 1, 14, "expected a value" },
	{ "MATCH (a)\nWHERE a.x = \n", 3, 1, "ends too early, expected a value" },
	{ "MATCH (a) WHERE a.x = 'b' foo", 1, 27, "unexpected 'foo'" },
	{ "MATCH (a) WHERE a.\xC3\xA4\xC3\xB6 = = 1", 1, 24, "unexpected '='" },
	{ "MATCH (a) WHERE a.x STARTS 'b'", 1, 28, "expected WITH" },
	{ "MATCH (a) WHERE a.x IS 5", 1, 24, "expected NOT or NULL" },
	{ "MATCH (a) WHERE a.x IN b.y", 1, 24, "expected '['" },
	{ "MATCH (a) LIMIT 'x'", 1, 17, "expected an integer" },
	{ "MATCH (a) LIMIT -1", 1, 17, "arithmetic" },
	{ "MATCH (order)", 1, 8, "'order' is a reserved word" },
	{ "MATCH (a)-[in]->(b)", 1, 12, "'in' is a reserved word" },
	{ "MATCH (a) WHERE a.x = 'b", 1, 23, "this string has no end; close it by '" },
	{ "MATCH (a) WHERE a.x = \"b", 1, 23, "this string has no end; close it by \"" },
	{ "MATCH (a) WHERE a.x = 'ab\\q'", 1, 26, "escape" },
	{ "MATCH (a) WHERE a.x = '\\uD800'", 1, 24, "escape" },
	{ "MATCH (a) WHERE a.x = '\\u12'", 1, 24, "escape" },
	{ "MATCH (a) WHERE a.x = '\\u0000'", 1, 24, "escape" },
	{ "MATCH (`a)", 1, 8, "this name has no end" },
	{ "MATCH (``)", 1, 8, "an empty name" },
	{ "MATCH (a) /* b", 1, 11, "this comment has no end" },
	{ "MATCH (a) WHERE a.x = 12ab", 1, 23, "not a number" },
	{ "MATCH (a) WHERE a.x = 0x1F", 1, 23, "not a number" },
	{ "MATCH (a) WHERE a.x = 9223372036854775808", 1, 23, "beyond the range of 64 bits" },
	{ "MATCH (a) WHERE a.x = -9223372036854775809", 1, 23, "beyond the range of 64 bits" },
	{ "MATCH (a) WHERE a.x = 99999999999999999999999", 1, 23, "beyond the range of 64 bits" },
	{ "MATCH (a) WHERE a.x = 1e999", 1, 23, "beyond the range of a double" },
	{ "MATCH (a) WHERE a.x != 1", 1, 21, "write <>" },
	{ "MATCH (a) WHERE a.x == 1", 1, 21, "write =" },
	{ "MATCH (a) WHERE a.x = 1 && a.y = 2", 1, 25, "write AND" },
	{ "MATCH (a) WHERE a.x = 1 || a.y = 2", 1, 25, "write OR" },
	{ "MATCH (a) WHERE a.x = #", 1, 23, "no meaning" },
	{ "MATCH (a) WHERE a.x = \xE2\x80\x98q\xE2\x80\x99", 1, 23, "a quote of a word processor" },
	{ "MATCH (a)\xE2\x80\x93>(b)", 1, 10, "a dash of a word processor" },
	{ "\xEF\xBB\xBFMATCH (a) x", 1, 11, "unexpected 'x'" },
	{ "MATCH\xC2\xA0(a)\xE3\x80\x80x", 1, 11, "unexpected 'x'" },
	{ "MATCH (a\xFF)", 1, 9, "the byte 0xFF is not UTF-8" },
	{ "MATCH (a\xC0\x80)", 1, 9, "not UTF-8" },
	{ "MATCH (a\xED\xA0\x80)", 1, 9, "not UTF-8" },
	{ "MATCH (a)\x01", 1, 10, "control character 0x01" },
	/* variables */
	{ "MATCH (a)-->(b) WHERE c.x = 1", 1, 23, "the variable 'c' is not in MATCH" },
	{ "MATCH (person)-->(b) RETURN persn", 1, 29, "did you mean 'person'?" },
	{ "MATCH (a)-[r]->(b)-[r]->(c)", 1, 21, "'r' is an edge already" },
	{ "MATCH (a)-[a]->(b)", 1, 12, "'a' is a vertex already" },
	{ "MATCH (a)-[r]->(b), (r)-->(a)", 1, 22, "'r' is an edge already" },
	{ "MATCH (a)-->(b),\n      (c)-->(d), (e)", 2, 7, "3 parts that no edge joins: (a, b), (c, d) and (e)" },
	{ "MATCH (a)-->(b) RETURN a, b.x AS a", 1, 34, "two columns are called 'a'" },
	{ "MATCH () RETURN *", 1, 17, "there are none" },
	/* conditions that are none */
	{ "MATCH (a) WHERE a", 1, 17, "'a' alone is no condition" },
	{ "MATCH (a) WHERE a.x = 1 AND 5", 1, 29, "a literal of type integer is no condition" },
	{ "MATCH (a) WHERE id(a)", 1, 17, "id() alone is no condition" },
	{ "MATCH (a) WHERE a.x = a", 1, 23, "a vertex has no value" },
	{ "MATCH (a) WHERE a < 5", 1, 17, "a vertex has no value" },
	{ "MATCH (a)-->(b) WHERE a < b", 1, 23, "a vertex has no value" },
	{ "MATCH (a) WHERE count(*) > 5", 1, 17, "count(*) stands in RETURN only" },
	{ "MATCH (a) WHERE id(a.x) = 5", 1, 17, "id() takes a variable" },
	{ "MATCH (a) WHERE id(*) = 5", 1, 17, "id() takes a variable" },
	/* what openCypher has and this language not yet */
	{ "OPTIONAL MATCH (a)", 1, 1, "OPTIONAL MATCH is not supported yet" },
	{ "CREATE (a)", 1, 1, "CREATE is not supported yet" },
	{ "UNWIND [1] AS x", 1, 1, "UNWIND is not supported yet" },
	{ "CALL db.labels()", 1, 1, "CALL is not supported yet" },
	{ "MATCH (a) OPTIONAL MATCH (a)-->(b)", 1, 11, "OPTIONAL MATCH is not supported yet" },
	{ "MATCH (a) MATCH (b)", 1, 11, "a second MATCH is not supported yet" },
	{ "MATCH (a) RETURN a; MATCH (b)", 1, 21, "a second MATCH is not supported yet" },
	{ "MATCH (a) WITH a RETURN a", 1, 11, "WITH is not supported yet" },
	{ "MATCH (a) SET a.x = 1", 1, 11, "SET is not supported yet" },
	{ "MATCH (a) DETACH DELETE a", 1, 11, "DETACH DELETE is not supported yet" },
	{ "MATCH (a) DELETE a", 1, 11, "DELETE is not supported yet" },
	{ "MATCH (a) REMOVE a.x", 1, 11, "REMOVE is not supported yet" },
	{ "MATCH (a) MERGE (b)", 1, 11, "MERGE is not supported yet" },
	{ "MATCH (a) FOREACH (x IN [1] | SET a.x = 1)", 1, 11, "FOREACH is not supported yet" },
	{ "MATCH (a) RETURN a UNION MATCH (b) RETURN b", 1, 20, "UNION is not supported yet" },
	{ "MATCH (a) RETURN DISTINCT a", 1, 18, "DISTINCT is not supported yet; the option --distinct" },
	{ "MATCH (a) RETURN count(DISTINCT a)", 1, 24, "DISTINCT is not supported yet" },
	{ "MATCH (a) RETURN a ORDER BY a.x", 1, 20, "ORDER BY is not supported yet" },
	{ "MATCH (a) RETURN a SKIP 5", 1, 20, "SKIP is not supported yet" },
	{ "MATCH (a) RETURN count(a)", 1, 18, "count() of an expression is not supported yet" },
	{ "MATCH (a) RETURN a, count(*)", 1, 21, "grouping" },
	{ "MATCH (a) RETURN sum(a.x)", 1, 18, "the aggregate sum() is not supported yet" },
	{ "MATCH (a) RETURN toUpper(a.x)", 1, 18, "the function toUpper() is not supported yet" },
	{ "MATCH (a) RETURN 1", 1, 18, "an expression in RETURN is not supported yet" },
	{ "MATCH (a) RETURN a.x = 1", 1, 18, "an expression in RETURN is not supported yet" },
	{ "MATCH (a) RETURN CASE a.x WHEN 1 THEN 2 END", 1, 18, "CASE is not supported yet" },
	{ "MATCH (a) RETURN [a]", 1, 18, "a list outside of IN" },
	{ "MATCH (a) RETURN a {.x}", 1, 20, "a map is not supported yet" },
	{ "MATCH (a)-[*]->(b)", 1, 12, "a path of variable length (*) is not supported yet" },
	{ "MATCH (a)-[r:T|U*1..3]->(b)", 1, 17, "a path of variable length (*) is not supported yet" },
	{ "MATCH (a)-->+(b)", 1, 13, "a repeated path" },
	{ "MATCH ((a)-->(b))", 1, 7, "a path in parentheses is not supported yet" },
	{ "MATCH p = (a)-->(b)", 1, 7, "a name for a whole path" },
	{ "MATCH shortestPath((a)-->(b))", 1, 7, "shortestPath() over a path is not supported yet" },
	{ "MATCH (a WHERE a.x = 1)", 1, 10, "WHERE inside of a vertex is not supported yet" },
	{ "MATCH (a)-[r WHERE r.x = 1]->(b)", 1, 14, "WHERE inside of an edge is not supported yet" },
	{ "MATCH (a:!B)", 1, 10, "an expression over labels" },
	{ "MATCH (a)-[:!T]->(b)", 1, 13, "an expression over labels" },
	{ "MATCH (a $p)", 1, 10, "a parameter ($) is not supported yet" },
	{ "MATCH (a) WHERE a.x = $p", 1, 23, "a parameter ($) is not supported yet" },
	{ "MATCH (a) WHERE a.x = 1 XOR a.y = 2", 1, 25, "XOR is not supported yet" },
	{ "MATCH (a) WHERE a.x + 1 = 2", 1, 21, "arithmetic is not supported yet" },
	{ "MATCH (a) WHERE a.x = 2 * 3", 1, 25, "arithmetic is not supported yet" },
	{ "MATCH (a) WHERE a.x = -a.y", 1, 24, "arithmetic is not supported yet" },
	{ "MATCH (a) WHERE a.x =~ 'b.*'", 1, 21, "a regular expression (=~) is not supported yet" },
	{ "MATCH (a) WHERE 1 < a.x < 5", 1, 25, "a chain of comparisons is not supported yet" },
	{ "MATCH (a) WHERE (a)-->(b)", 1, 20, "a path inside of a condition is not supported yet" },
	{ "MATCH (a) WHERE (a)<-[:T]-(b)", 1, 22, "a path inside of a condition is not supported yet" },
	{ "MATCH (a) WHERE ()-->(a)", 1, 18, "a path inside of a condition is not supported yet" },
	{ "MATCH (a) WHERE EXISTS { (a)-->() }", 1, 17, "EXISTS is not supported yet" },
	{ "MATCH (a) WHERE exists(a.x)", 1, 17, "EXISTS is not supported yet" },
	{ "MATCH (a) WHERE all(x IN a.l WHERE x = 1)", 1, 17, "the function all() is not supported yet" },
	{ "MATCH (a) WHERE a.x.y = 1", 1, 20, "an attribute of an attribute is not supported yet" },
	{ "MATCH (a) WHERE a.x[0] = 1", 1, 20, "an index is not supported yet" },
	{ "MATCH (a) WHERE a.x = {b: 1}", 1, 23, "a map is not supported yet" },
	{ "MATCH (a) WHERE (a.x = 1) = true", 1, 17, "a condition as a value is not supported yet" },
	{ "MATCH (a)-[r]->(b) WHERE r:T", 1, 28, "a test of an edge's type in WHERE is not supported yet" },
	{ "MATCH (a)-[r]->(b)-[s]->(c) WHERE r <> s", 1, 35, "a condition on the edge 'r' itself is not supported yet" },
	{ "MATCH (a)-[r]->(b) RETURN id(r)", 1, 27, "a condition on the edge 'r' itself is not supported yet" },
};

static void errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
		const struct wrong *w = &wrongs[i];
		gemp_pattern *p = NULL;
		char place[64];
		snprintf(place, sizeof place, "query:%d:%d: ", w->line, w->column);
		gemp_code code = gemp_pattern_parse(&p, w->text, NULL);
		bool there = strncmp(gemp_message(), place, strlen(place)) == 0;
		if (code != GEMP_EUSAGE || p || !there || !strstr(gemp_message(), w->part))
			fail_msg("%s\nexpected %s%s\ngot code %d: %s", w->text, place, w->part, (int)code, gemp_message());
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void caret(void **state)
{
	(void)state;
	gemp_pattern *p;
	assert_code(gemp_pattern_parse(&p, "MATCH (a)\n\tWHERE a.\xC3\xA4 = b.x\nRETURN a", "cast.cypher"), GEMP_EUSAGE);
	assert_string_equal(gemp_message(), "cast.cypher:2:14: the variable 'b' is not in MATCH\n  \tWHERE a.\xC3\xA4 = b.x\n"
	                    "  \t            ^");
}

static void caret_in_a_long_line(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_pattern *p;
	gemp_text_print(&text, "MATCH (a) WHERE ");
	for (int i = 0; i < 100; i++)
		gemp_text_print(&text, "a.x = 'abcdefgh\xE2\x82\xAC' OR ");
	size_t at = text.size;
	gemp_text_print(&text, "b.x = 1");
	for (int i = 0; i < 100; i++)
		gemp_text_print(&text, " OR a.x = 'abcdefgh'");
	assert_code(gemp_pattern_parse(&p, text.data, NULL), GEMP_EUSAGE);
	const char *line = strchr(gemp_message(), '\n') + 1, *below = strchr(line, '\n') + 1;
	char place[40];
	snprintf(place, sizeof place, "query:1:%zu: ", at + 1 - 200); /* characters, not bytes */
	assert_memory_equal(gemp_message(), place, strlen(place));
	assert_true(strlen(line) < 300);
	size_t column = 0; /* of the caret, in characters */
	while (below[column] == ' ')
		column++;
	assert_int_equal(below[column], '^');
	for (; column > 0; column--)
		for (line++; (*line & 0xC0) == 0x80;)
			line++;
	assert_memory_equal(line, "b.x = 1", 7);
	gemp_text_free(&text);
}

static void limits(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_pattern *p;
	for (int n = 31; n <= 32; n++) { /* edges of a path */
		gemp_text_clear(&text);
		gemp_text_print(&text, "MATCH ()");
		for (int i = 0; i < n; i++)
			gemp_text_print(&text, "--()");
		gemp_code code = gemp_pattern_parse(&p, text.data, NULL);
		assert_int_equal(code, n < 32 ? GEMP_OK : GEMP_EUSAGE);
		if (code == GEMP_OK)
			gemp_pattern_free(p);
	}
	assert_message("query:1:135: the pattern has more than 32 vertices");
	for (int n = 64; n <= 65; n++) {
		gemp_text_clear(&text);
		gemp_text_print(&text, "MATCH (a)");
		for (int i = 0; i < n; i++)
			gemp_text_print(&text, "-->(a)");
		gemp_code code = gemp_pattern_parse(&p, text.data, NULL);
		assert_int_equal(code, n < 65 ? GEMP_OK : GEMP_EUSAGE);
		if (code == GEMP_OK)
			gemp_pattern_free(p);
	}
	assert_message("the pattern has more than 64 edges");
	gemp_text_free(&text);
}

/* Depth is bounded; length is not, up to a megabyte. */
static void deep_and_long(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_pattern *p;
	gemp_text_print(&text, "MATCH (a) WHERE ");
	for (int i = 0; i < 5000; i++)
		gemp_text_print(&text, "(");
	assert_code(gemp_pattern_parse(&p, text.data, NULL), GEMP_EUSAGE);
	assert_message("nested too deeply");
	gemp_text_clear(&text);
	gemp_text_print(&text, "MATCH (a) WHERE ");
	for (int i = 0; i < 5000; i++)
		gemp_text_print(&text, "a.x = %d OR ", i);
	gemp_text_print(&text, "a.y IN [0");
	for (int i = 1; i < 5000; i++)
		gemp_text_print(&text, ", %d", i);
	gemp_text_print(&text, "]");
	assert_ok(gemp_pattern_parse(&p, text.data, NULL));
	assert_int_equal(p->conditions[0].expr->count, 5001);
	gemp_pattern_free(p);
	while (text.size <= 1 << 20)
		gemp_text_print(&text, "                                ");
	assert_code(gemp_pattern_parse(&p, text.data, NULL), GEMP_EUSAGE);
	assert_message("longer than 1048576 bytes");
	gemp_text_free(&text);
}

static gemp_code parse_once(void *text)
{
	gemp_pattern *p;
	gemp_code code = gemp_pattern_parse(&p, text, "file");
	if (code == GEMP_OK)
		gemp_pattern_free(p);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(parse_once, "MATCH (a:A|B {x: 'y'})-[r:T|U|T]->(b), (a)--() "
		"WHERE NOT (a.x > b.x OR a.y IN [3, 1, 'a', null] OR NOT a.z) AND (b.x STARTS WITH 'u' OR (a <> b AND a:C)) "
		"AND NOT a.n CONTAINS 'q' RETURN *, id(a) AS k, b.x LIMIT 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(one_vertex),
		cmocka_unit_test(labels),
		cmocka_unit_test(types),
		cmocka_unit_test(literals),
		cmocka_unit_test(maps_and_comments),
		cmocka_unit_test(returns),
		cmocka_unit_test(errors),
		cmocka_unit_test(caret),
		cmocka_unit_test(caret_in_a_long_line),
		cmocka_unit_test(limits),
		cmocka_unit_test(deep_and_long),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
