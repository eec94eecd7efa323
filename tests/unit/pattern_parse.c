/* Tests the parser: query text becomes a pattern with the right structure, names and literals, and every error has its
 * position. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/model/source.h"
#include "pattern/semantic/parse.h"

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
	char *found = gemp_expr_text(p->conditions[index].expr, p, false);
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
	assert_int_equal(p->result.item_count, 3); /* the items are the named vertices, not the edge */
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
	static const struct {
		const char *written, *first, *second;
	} cases[] = {
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
	/* the edge comes after d, because the parser reads the vertex at the edge's end first */
	assert_string_equal(p->result.items[4].name, "x y");
	assert_int_equal(p->result.items[4].expr->kind, GEMP_EDGE);
	gemp_pattern_free(p);
}

static void literals(void **state)
{
	(void)state;
	static const struct {
		const char *written, *text;
	} cases[] = {
		{ "1", "1" },
		{ "-1", "-1" },
		{ "- 1", "-1" },
		{ "0007", "7" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "1.5", "1.5" },
		{ ".5", "0.5" },
		{ "1e3", "1000.0" },
		{ "-2.5E-3", "-0.0025" },
		{ "1.0", "1.0" },
		{ "true", "true" },
		{ "FALSE", "false" },
		{ "'x'", "'x'" },
		{ "\"x\"", "'x'" },
		{ "''", "''" },
		{ "'it\\'s'", "'it\\'s'" },
		{ "\"it's\"", "'it\\'s'" },
		{ "'a\\tb\\n\\\\'", "'a\\tb\\n\\\\'" },
		{ "'\\u00e4'", "'\xC3\xA4'" },
		{ "'\\U0001F600'", "'\xF0\x9F\x98\x80'" },
		{ "'\\uD83D\\uDE00'", "'\xF0\x9F\x98\x80'" },
		{ "'a // b'", "'a // b'" },
		{ "'\xE2\x82\xAC'", "'\xE2\x82\xAC'" },
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

/* pattern_refusals.c tests constructs that the parser knows and refuses. */
static const struct wrong {
	const char *text;
	int line, column;
	const char *part;
} wrongs[] = {
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
	{ "MATCH (a {x: })", 1, 14, "expected a value" },
	{ "MATCH (a {x: b})", 1, 14, "the variable 'b' is not in MATCH" },
	{ "MATCH (a)\nWHERE a.x = \n", 3, 1, "ends too early, expected a value" },
	{ "MATCH (a) WHERE a.x = 'b' foo", 1, 27, "unexpected 'foo'" },
	{ "MATCH (a) WHERE a.\xC3\xA4\xC3\xB6 = = 1", 1, 24, "unexpected '='" },
	{ "MATCH (a) WHERE a.x STARTS 'b'", 1, 28, "expected WITH" },
	{ "MATCH (a) WHERE a.x IS 5", 1, 24, "expected NOT or NULL" },
	{ "MATCH (a) LIMIT 'x'", 1, 17, "expected an integer" },
	{ "MATCH (a) LIMIT -1", 1, 17, "unexpected '-', expected an integer" },
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
	{ "MATCH (a) WHERE a.x = -9223372036854775809", 1, 24, "beyond the range of 64 bits" },
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
	{ "MATCH (a)-->(b) RETURN a, b.x AS a", 1, 34, "two columns are called 'a'" },
	{ "MATCH () RETURN *", 1, 17, "there are none" },
	/* values that are no conditions */
	{ "MATCH (a) WHERE a", 1, 17, "'a' alone is no condition" },
	{ "MATCH (a) WHERE a.x = 1 AND 5", 1, 29, "a literal of type integer is no condition" },
	{ "MATCH (a) WHERE id(a)", 1, 17, "id() alone is no condition" },
	{ "MATCH (a) WHERE a.x = a", 1, 23, "a vertex has no value" },
	{ "MATCH (a) WHERE a < 5", 1, 17, "a vertex has no value" },
	{ "MATCH (a)-->(b) WHERE a < b", 1, 23, "a vertex has no value" },
	{ "MATCH (a) WHERE count(*) > 5", 1, 17, "count(*) stands in WITH and RETURN only" },
	{ "MATCH (a) WHERE id(a.x) = 5", 1, 17, "id() takes a variable" },
	{ "MATCH (a) WHERE id(*) = 5", 1, 17, "id(*) has no meaning" },
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
	assert_string_equal(gemp_message(),
	                    "cast.cypher:2:14: the variable 'b' is not in MATCH\n  \tWHERE a.\xC3\xA4 = b.x\n"
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
	snprintf(place, sizeof place, "query:1:%zu: ", at + 1 - 200); /* a position counts characters, not bytes */
	assert_memory_equal(gemp_message(), place, strlen(place));
	assert_true(strlen(line) < 300);
	size_t column = 0; /* column of the caret in characters */
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
	for (int n = 31; n <= 32; n++) { /* numbers of edges in a path */
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

/* The depth of an expression is bounded. Its length is only bounded by the size of the text, one megabyte. */
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

static void expressions(void **state)
{
	(void)state;
	static const struct {
		const char *written, *text;
	} cases[] = {
		{ "a.x + 1 * b.y = -b.z", "a.x + 1 * b.y = -b.z" },
		{ "(a.x + 1) * b.y > 0", "(a.x + 1) * b.y > 0" },
		{ "a.x - 1 - 2 = a.y % 3 / b.z", "a.x - 1 - 2 = a.y % 3 / b.z" },
		{ "a.x - (1 - a.z) = 5", "a.x - (1 - a.z) = 5" },
		{ "(a.x) - -b.y > 1", "a.x - -b.y > 1" },
		{ "a.x = 1 OR a.y = 2 AND NOT a.z = 3", "a.x = 1 OR (a.y = 2 AND a.z <> 3)" },
		{ "a.x = 1 XOR a.y = 2", "(a.x = 1 AND a.y <> 2) OR (a.y = 2 AND a.x <> 1)" },
		{ "a.x IN [a.y, 2]", "a.x = 2 OR a.x = a.y" },
		{ "'P' IN labels(a)", "a:P" },
		{ "a.s =~ 'x.*'", "a.s =~ 'x.*'" },
		{ "toLower(a.s) = toUpper(b.s)", "toLower(a.s) = toUpper(b.s)" },
		{ "size(a.s) > 2", "size(a.s) > 2" },
		{ "r <> s", "r <> s" },
		{ "r:T", "type(r) = 'T'" },
		{ "type(r) = 'T'", "type(r) = 'T'" },
		{ "r.w > s.w", "s.w < r.w" },
		{ "a.x = $p", "a.x = 'q\" OR 1 = 1'" },
	};
	const gemp_query_parameter parameter = { "p", { .type = GEMP_STRING, .string = { "q\" OR 1 = 1", 11 } } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[200];
		bool given = strchr(cases[i].written, '$') != NULL;
		gemp_pattern *p;
		snprintf(text, sizeof text, "MATCH (a)-[r]->(b)<-[s]-(c) WHERE %s", cases[i].written);
		assert_ok(gemp_pattern_parse_with(&p, text, NULL, &parameter, given));
		assert_int_equal(p->condition_count, 1);
		assert_condition(p, 0, cases[i].text);
		gemp_pattern_free(p);
	}
}

/* `1 < a.x < 5` means two comparisons. */
static void chained_comparisons(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a) WHERE 1 < a.x <= a.y <> 5");
	assert_int_equal(p->condition_count, 3);
	assert_condition(p, 0, "a.y <> 5");
	assert_condition(p, 1, "a.x <= a.y");
	assert_condition(p, 2, "a.x > 1");
	gemp_pattern_free(p);
}

static void parameters(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		gemp_type type;
		bool null;
		int64_t integer;
		double real;
		const char *string;
	} cases[] = {
		{ "p=7", GEMP_INTEGER, false, 7, 0, NULL },
		{ "p=-7", GEMP_INTEGER, false, -7, 0, NULL },
		{ "p=007", GEMP_STRING, false, 0, 0, "007" },
		{ "p='7'", GEMP_STRING, false, 0, 0, "7" },
		{ "p:string=7", GEMP_STRING, false, 0, 0, "7" },
		{ "p:int=007", GEMP_INTEGER, false, 7, 0, NULL },
		{ "p=0.5", GEMP_FLOAT, false, 0, 0.5, NULL },
		{ "p=1e3", GEMP_FLOAT, false, 0, 1000, NULL },
		{ "p:float=2", GEMP_FLOAT, false, 0, 2, NULL },
		{ "p=true", GEMP_BOOLEAN, false, 1, 0, NULL },
		{ "p:bool=false", GEMP_BOOLEAN, false, 0, 0, NULL },
		{ "p=null", GEMP_BOOLEAN, true, 0, 0, NULL },
		{ "p=", GEMP_STRING, false, 0, 0, "" },
		{ "p=a=b:c", GEMP_STRING, false, 0, 0, "a=b:c" },
		{ "p=1.2.3", GEMP_STRING, false, 0, 0, "1.2.3" },
		{ "p=0x10", GEMP_STRING, false, 0, 0, "0x10" },
		{ "p=inf", GEMP_STRING, false, 0, 0, "inf" },
		{ "p=-", GEMP_STRING, false, 0, 0, "-" },
	};
	static const char *const wrong[] = { "p",
		                                 "=1",
		                                 ":int=1",
		                                 "p:int=x",
		                                 "p:int=99999999999999999999",
		                                 "p=99999999999999999999",
		                                 "p:float=x",
		                                 "p=1e999",
		                                 "p:bool=1",
		                                 "p:date=1",
		                                 "p=\xFF",
		                                 "p:int=",
		                                 "p:float=" };
	gemp_query_parameter p;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_ok(gemp_query_parameter_read(&p, cases[i].text));
		assert_string_equal(p.name, "p");
		assert_int_equal(p.value.type, cases[i].type);
		assert_int_equal(p.value.null, cases[i].null);
		if (p.value.type == GEMP_INTEGER)
			assert_true(p.value.integer == cases[i].integer);
		else if (p.value.type == GEMP_FLOAT)
			assert_true(p.value.real == cases[i].real);
		else if (p.value.type == GEMP_BOOLEAN && !p.value.null)
			assert_int_equal(p.value.truth, cases[i].integer);
		else if (p.value.type == GEMP_STRING)
			assert_true(p.value.string.size == strlen(cases[i].string) &&
			            memcmp(p.value.string.bytes, cases[i].string, p.value.string.size) == 0);
		gemp_query_parameter_free(&p);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_code(gemp_query_parameter_read(&p, wrong[i]), GEMP_EUSAGE);
		assert_message("parameter");
		assert_null(p.name);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void parameters_of_a_query(void **state)
{
	(void)state;
	gemp_query_parameter two[] = { { "n", { .type = GEMP_INTEGER, .integer = 3 } }, { "odd name", { .null = true } } };
	gemp_pattern *p;
	assert_ok(gemp_pattern_parse_with(&p, "MATCH (a) RETURN a SKIP $n LIMIT $n", NULL, two, 1));
	assert_int_equal(p->result.skip, 3);
	assert_int_equal(p->result.limit, 3);
	gemp_pattern_free(p);
	assert_ok(gemp_pattern_parse_with(&p, "MATCH (a) WHERE $`odd name` IS NULL AND a.x = $n", NULL, two, 2));
	assert_int_equal(p->condition_count, 1);
	gemp_pattern_free(p);
	assert_code(gemp_pattern_parse_with(&p, "MATCH (a) WHERE a.x = $n", NULL, two, 2), GEMP_EUSAGE);
	assert_message("parameter odd name: there is no $odd name in the query");
	two[0].value.integer = -1;
	assert_code(gemp_pattern_parse_with(&p, "MATCH (a) LIMIT $n", NULL, two, 1), GEMP_EUSAGE);
	assert_message("query:1:17: SKIP and LIMIT take an integer from 0 on");
}

static void trails(void **state)
{
	(void)state;
	static const struct {
		const char *written;
		uint32_t least, most;
	} cases[] = {
		{ "*2", 2, 2 },    { "*1..3", 1, 3 },      { "*..3", 1, 3 },
		{ "*0..1", 0, 1 }, { "* 2 .. 32", 2, 32 }, { ":T|U*1", 1, 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[100];
		snprintf(text, sizeof text, "MATCH (a)-[%s]->(b)-->(c)", cases[i].written);
		gemp_pattern *p = parsed(text);
		assert_true(p->edges[0].path && !p->edges[1].path);
		assert_int_equal(p->edges[0].min_hops, cases[i].least);
		assert_int_equal(p->edges[0].max_hops, cases[i].most);
		assert_int_equal(p->edges[1].max_hops, 1);
		gemp_pattern_free(p);
	}
}

/* Vertices of the outer pattern come first, in the order of their first use, also if only a deeper pattern uses
 * them. */
static void inner_patterns(void **state)
{
	(void)state;
	gemp_pattern *p = parsed(
		"MATCH (a)-->(b)-->(c) WHERE NOT (c)-[:T]->() AND EXISTS { MATCH (x)-->(b) WHERE x.k = a.k "
		"AND COUNT { (x)--(y) WHERE y.z = c.z } > 2 }");
	assert_int_equal(p->sub_count, 2);
	assert_int_equal(p->condition_count, 2);
	const gemp_pattern *bare = p->subs[0], *block = p->subs[1];
	assert_int_equal(bare->arguments, 1);
	assert_string_equal(bare->vertices[0].name, "c");
	assert_int_equal(bare->vertex_count, 2);
	assert_int_equal(block->arguments, 3);
	assert_string_equal(block->vertices[0].name, "b");
	assert_string_equal(block->vertices[1].name, "a");
	assert_string_equal(block->vertices[2].name, "c");
	assert_string_equal(block->vertices[3].name, "x");
	for (int v = 0; v < 4; v++)
		/* b and x are in a path of this block, a and c are not */
		assert_int_equal(block->vertices[v].repeatable, v == 1 || v == 2);
	assert_edge(block, 0, 3, 0, GEMP_OUT, 0);
	assert_int_equal(block->sub_count, 1);
	const gemp_pattern *deep = block->subs[0];
	assert_int_equal(deep->arguments, 2);
	assert_string_equal(deep->vertices[0].name, "x");
	assert_string_equal(deep->vertices[1].name, "c");
	for (size_t i = 0; i < 2; i++) {
		const gemp_expr *expr = p->conditions[i].expr;
		expr = expr->kind == GEMP_NOT ? expr->children[0] : expr;
		assert_int_equal(expr->kind, GEMP_EXISTS);
		assert_int_equal(expr->count, p->subs[expr->sub]->arguments);
		assert_int_equal(expr->children[0]->variable, expr->sub == 0 ? 2 : 1);
		assert_int_equal(p->conditions[i].vertices, expr->sub == 0 ? 4 : 7);
	}
	gemp_pattern_free(p);
}

static void optional_parts(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a)-[r]->(b) OPTIONAL MATCH (b)-[s]->(c)-->() WHERE c.x > a.x "
	                         "OPTIONAL MATCH (c)-[t]->(d) RETURN *, d.x");
	assert_int_equal(p->optional_count, 2);
	assert_int_equal(gemp_pattern_row_vertices(p), 5);
	assert_int_equal(gemp_pattern_row_edges(p), 4);
	const gemp_optional *one = &p->optionals[0], *two = &p->optionals[1];
	assert_int_equal(one->pattern->arguments, 2);
	assert_int_equal(one->outer[0], 1);
	assert_int_equal(one->outer[1], 0);
	assert_int_equal(one->first_vertex, 2);
	assert_int_equal(one->first_edge, 1);
	assert_int_equal(two->pattern->arguments, 1);
	assert_int_equal(two->outer[0], 2);
	assert_int_equal(two->first_vertex, 4);
	assert_int_equal(two->first_edge, 3);
	static const struct {
		const char *name;
		int variable;
		bool edge;
	} items[] = {
		{ "a", 0, false }, { "b", 1, false }, { "r", 0, true }, { "c", 2, false },
		{ "s", 1, true },  { "d", 4, false }, { "t", 3, true }, { "d.x", 4, false },
	};
	assert_int_equal(p->result.shown, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_string_equal(p->result.items[i].name, items[i].name);
		assert_int_equal(p->result.items[i].expr->variable, items[i].variable);
		assert_int_equal(p->result.items[i].expr->of_edge, items[i].edge);
	}
	gemp_pattern_free(p);
	p = parsed("MATCH (a) OPTIONAL MATCH (a)-->(b)"); /* without RETURN, the columns are the named vertices */
	assert_int_equal(p->result.shown, 2);
	gemp_pattern_free(p);
}

static void with_passes_columns_on(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a)-[r]->(m)<--(b) WITH DISTINCT b, a, r, count(m) AS films, a.x AS x "
	                         "ORDER BY films DESC SKIP 1 LIMIT 5 WHERE films >= 3 AND b:P AND r.w = x "
	                         "RETURN a.name, x + 1, r ORDER BY a.name");
	const gemp_clause *with = p->with, *result = &p->result;
	assert_non_null(with);
	assert_true(with->grouped && with->distinct && !result->grouped);
	assert_int_equal(with->shown, 5);
	assert_int_equal(with->item_count, 5);
	assert_int_equal(with->order_count, 1);
	assert_int_equal(with->orders[0].item, 3);
	assert_true(with->orders[0].descending && with->has_skip && with->has_limit);
	assert_int_equal(with->where->kind, GEMP_AND);
	assert_int_equal(result->items[0].expr->variable, 1); /* the variable of WITH's item */
	assert_int_equal(result->items[1].expr->children[0]->kind, GEMP_COLUMN);
	assert_int_equal(result->items[1].expr->children[0]->item, 4);
	assert_int_equal(result->items[2].expr->kind, GEMP_EDGE);
	assert_int_equal(result->items[2].expr->variable, 2);
	assert_true(gemp_pattern_first_clause(p) == with);
	gemp_pattern_free(p);
}

/* ORDER BY names a column, repeats a column's text, or depends on columns. Items that are needed only for sorting come
 * last and are hidden. */
static void ordering(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("MATCH (a)-->(b) RETURN a, a.x AS n, count(b) AS c ORDER BY c DESC, n, a.x, a.y, c + 1, "
	                         "count(b) DESCENDING");
	static const size_t items[] = { 2, 1, 1, 3, 4, 2 };
	assert_int_equal(p->result.shown, 3);
	assert_int_equal(p->result.item_count, 5);
	assert_int_equal(p->result.order_count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p->result.orders[i].item, items[i]);
	gemp_pattern_free(p);
	/* ORDER BY uses the column, so the pattern occurs once */
	p = parsed("MATCH (a) RETURN COUNT { (a)-->() } AS n ORDER BY n");
	assert_int_equal(p->sub_count, 1);
	assert_int_equal(p->result.item_count, 1);
	gemp_pattern_free(p);
}

static void repeated(gemp_text *text, const char *first, const char *again, int times, const char *last)
{
	gemp_text_clear(text);
	gemp_text_print(text, "%s", first);
	for (int i = 0; i < times; i++)
		gemp_text_print(text, "%s", again);
	gemp_text_print(text, "%s", last);
}

/* Every construct that can repeat has a limit with a message, so neither the stack nor memory runs out. */
static void repeated_constructs_have_limits(void **state)
{
	(void)state;
	static const struct {
		const char *first, *again, *last, *part;
		int times;
	} cases[] = {
		{ "MATCH (a) WHERE a.x = 1", " + 1", "", "nested more than 100 deep", 100000 },
		{ "MATCH (a) WHERE ", "NOT ", "a.x", "nested", 100000 },
		{ "MATCH (a) WHERE a.x = ", "-", "a.y", "nested", 900 },
		{ "MATCH (a) WHERE true", " XOR a.x = 1", "", "parts when XOR", 60 },
		{ "MATCH (a) WHERE ", "EXISTS { (a) WHERE ", "a.x = 1", "patterns are nested more than 16 deep", 1000 },
		{ "MATCH (a) WHERE true", " AND (a)--()", "", "at most 64 patterns", 100 },
		{ "MATCH (a)", " OPTIONAL MATCH (a)--()", "", "more than 32 vertices", 40 },
		{ "MATCH (a) RETURN a.x", ", a.x", "", "two columns are called 'a.x'", 100000 },
		{ "MATCH (a) WHERE 1 < (a.x", " + (a.y", ")))) < 5", "", 4 },
		{ "MATCH (a) WHERE ", "({", "", "a map is not supported", 100000 },
		{ "MATCH (a) WHERE ", "(a {x: ", "", "", 100000 },
	};
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p = NULL;
		repeated(&text, cases[i].first, cases[i].again, cases[i].times, cases[i].last);
		gemp_code code = gemp_pattern_parse(&p, text.data, NULL);
		if (*cases[i].part && (code != GEMP_EUSAGE || !strstr(gemp_message(), cases[i].part)))
			fail_msg("%s%s...: %d %s", cases[i].first, cases[i].again, (int)code, gemp_message());
		gemp_pattern_free(p);
	}
	gemp_pattern *p;
	gemp_text_clear(
		&text); /* many conditions whose positions are requested in changing order must not take quadratic time */
	gemp_text_print(&text, "MATCH (a) WHERE true");
	for (int i = 0; i < 20000; i++)
		gemp_text_print(&text, " AND a.x%d = 1", i);
	gemp_text_print(&text, " AND a.x IN [a.y");
	for (int i = 0; i < 20000; i++)
		gemp_text_print(&text, ", %d", i);
	gemp_text_print(&text, "]");
	assert_ok(gemp_pattern_parse(&p, text.data, NULL));
	assert_int_equal(p->condition_count, 20001);
	gemp_pattern_free(p);
	repeated(&text, "MATCH (a) WHERE true", " AND (a)--()", 64, "");
	assert_ok(gemp_pattern_parse(&p, text.data, NULL));
	assert_int_equal(p->sub_count, 64);
	gemp_pattern_free(p);
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
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
	assert_survives_no_memory(
		parse_once, "MATCH (a)-[:T*1..2]->(b), (c) WHERE NOT (a)-->(c) AND a.x IN [b.x, 1] AND "
					"1 < a.y < 5 OPTIONAL MATCH (b)-[s:U|V]->(d) WHERE EXISTS { (d)-->(x) WHERE x.k = a.k } AND s:U "
					"WITH *, count(b.x) AS n, toLower(c.s) AS l ORDER BY n + 1 SKIP 1 WHERE n > 2 XOR l =~ 'q' "
					"RETURN DISTINCT a.x AS x, n ORDER BY x DESC");
	assert_survives_no_memory(
		parse_once,
		"MATCH (a:A|B {x: 'y'})-[r:T|U|T]->(b), (a)--() "
		"WHERE NOT (a.x > b.x OR a.y IN [3, 1, 'a', null] OR NOT a.z) AND (b.x STARTS WITH 'u' OR (a <> b AND a:C)) "
		"AND NOT a.n CONTAINS 'q' RETURN *, id(a) AS k, b.x LIMIT 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),          cmocka_unit_test(one_vertex),
		cmocka_unit_test(labels),         cmocka_unit_test(types),
		cmocka_unit_test(literals),       cmocka_unit_test(maps_and_comments),
		cmocka_unit_test(returns),        cmocka_unit_test(errors),
		cmocka_unit_test(caret),          cmocka_unit_test(caret_in_a_long_line),
		cmocka_unit_test(limits),         cmocka_unit_test(deep_and_long),
		cmocka_unit_test(expressions),    cmocka_unit_test(chained_comparisons),
		cmocka_unit_test(parameters),     cmocka_unit_test(parameters_of_a_query),
		cmocka_unit_test(trails),         cmocka_unit_test(inner_patterns),
		cmocka_unit_test(optional_parts), cmocka_unit_test(with_passes_columns_on),
		cmocka_unit_test(ordering),       cmocka_unit_test(repeated_constructs_have_limits),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
