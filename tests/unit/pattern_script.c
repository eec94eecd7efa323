/* Tests scripts: the ends of queries, their text, and positions, which count from the beginning of the script. */
#include "core/status.h"
#include "graph/column.h"
#include "pattern/model/source.h"
#include "pattern/semantic/parse.h"
#include "pattern/semantic/script.h"

#include "harness/harness.h"

#include "core/memory.h"

#include <stdio.h>

static const char a[] = "MATCH (a)-[:T]->(b) RETURN a";

typedef struct one {
	const char *text;
	size_t count;
} one;

static void counts(void **state)
{
	(void)state;
	static const one scripts[] = {
		{ "MATCH (a)", 1 },
		{ "MATCH (a);", 1 },
		{ ";;MATCH (a);\n;", 1 },
		{ "\xEF\xBB\xBFMATCH (a); MATCH (b)", 2 },
		{ "MATCH (a);MATCH (b);", 2 },
		{ "// one; two\nMATCH (a) /* ; */; /* MATCH (c); */\n// end;\n", 1 },
		{ "MATCH (a) WHERE a.k = ';' RETURN a; MATCH (b) WHERE b.k = \";\" AND b.l = '\\';' RETURN b", 2 },
		{ "MATCH (`a;``;`) RETURN `a;``;`; MATCH (b);MATCH (c)", 3 },
		{ "MATCH (a) WHERE a.k = 3 / 4 RETURN a; MATCH (b)//", 2 },
	};
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		gemp_script script;
		assert_ok(gemp_script_parse(&script, scripts[i].text, "s.cypher", NULL, 0));
		assert_int_equal(script.count, scripts[i].count);
		gemp_script_free(&script);
	}
}

/* A script of one query has the text of the query unchanged. */
static void single(void **state)
{
	(void)state;
	gemp_script script;
	assert_ok(gemp_script_parse(&script, "\n  MATCH (a) ;\n", "s.cypher", NULL, 0));
	assert_string_equal(script.queries[0]->text, "\n  MATCH (a) ;\n");
	gemp_script_free(&script);
	assert_code(gemp_script_parse(&script, "  \n", "s.cypher", NULL, 0), GEMP_EUSAGE);
	assert_message("s.cypher:2:1");
	assert_code(gemp_script_parse(&script, "// nothing;", "s.cypher", NULL, 0), GEMP_EUSAGE);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void places(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place;
	} wrong[] = {
		{ "MATCH (a);\nMATCH (b) WHERE", "s.cypher:2:16" },
		{ "MATCH (a); MATCH (b) RETURN c", "s.cypher:1:29" },
		{ "MATCH (\xC3\xA4) /* \n\xE2\x82\xAC */; MATCH (b) RETURN c", "s.cypher:2:24" },
		{ "MATCH (a);\n\n  MATCH (b) RETURN b.x = 'open; MATCH (c)", "s.cypher:3:26" },
		{ "MATCH (a); /* no end; MATCH (c)", "s.cypher:1:12" },
		{ "MATCH (a); MATCH (b); RETURN 3; MATCH (c)", "s.cypher:1:23" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		gemp_script script;
		assert_code(gemp_script_parse(&script, wrong[i].text, "s.cypher", NULL, 0), GEMP_EUSAGE);
		assert_message(wrong[i].place);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A parameter belongs to the script, and at least one of its queries must use it. */
static void parameters(void **state)
{
	(void)state;
	gemp_script script;
	const gemp_query_parameter two[] = { { "n", { .type = GEMP_INTEGER, .integer = 3 } },
		                                 { "m", { .type = GEMP_INTEGER, .integer = 4 } } };
	static const char text[] = "MATCH (a) WHERE a.k = $n; MATCH (b); MATCH (c) WHERE c.k = $m OR c.k = $n";
	assert_ok(gemp_script_parse(&script, text, "s.cypher", two, 2));
	assert_int_equal(script.count, 3);
	gemp_script_free(&script);
	assert_code(gemp_script_parse(&script, text, "s.cypher", two, 1), GEMP_EUSAGE);
	assert_message("s.cypher:1:60");
	assert_code(gemp_script_parse(&script, "MATCH (a) WHERE a.k = $n; MATCH (b) WHERE b.k = '$m'", "s.cypher", two, 2),
	            GEMP_EUSAGE);
	assert_message("parameter m");
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code parse_and_free(void *argument)
{
	gemp_script script = { 0 };
	gemp_code code = gemp_script_parse(&script, argument, "s.cypher", NULL, 0);
	gemp_script_free(&script);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	char text[256];
	snprintf(text, sizeof text, "%s;\n%s; %s;", a, a, a);
	assert_survives_no_memory(parse_and_free, text);
	text[sizeof a - 1] = '\0';
	assert_survives_no_memory(parse_and_free, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counts), cmocka_unit_test(single), cmocka_unit_test(places),
		                                cmocka_unit_test(parameters), cmocka_unit_test(without_memory) };
	return test_main(tests);
}
