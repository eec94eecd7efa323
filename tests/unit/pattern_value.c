/* Compares values of expressions with values written by hand, and tests expressions that cannot be computed. */
#include "harness/harness.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/text.h"
#include "core/threads.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "pattern/bind/bind.h"
#include "pattern/condition/evaluate.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/model/string_function.h"
#include "pattern/semantic/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Vertex a has i = 7, big = 2^63 - 1, f = 2.5, s = 'Ann', u = 'Zoë ß', t = true, and a NULL attribute of each type.
 * Vertex b is missing, as OPTIONAL MATCH leaves it. */
static gemp_shard graph;
static const char *const names[] = { "i", "big", "f", "s", "u", "t", "ni", "nf", "ns", "nt" };
static const gemp_type types[] = { GEMP_INTEGER, GEMP_INTEGER, GEMP_FLOAT, GEMP_STRING, GEMP_STRING,
	                               GEMP_BOOLEAN, GEMP_INTEGER, GEMP_FLOAT, GEMP_STRING, GEMP_BOOLEAN };
enum { COLUMNS = sizeof names / sizeof *names };

static gemp_value text_value(const char *text)
{
	return (gemp_value){ .type = GEMP_STRING, .string = { text, strlen(text) } };
}

static gemp_value value_of(void *context, const gemp_expr *expr)
{
	(void)context;
	gemp_value value = { .type = expr->type, .null = true };
	if (expr->variable == 1)
		return value;
	if (expr->kind == GEMP_KEY)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = 42 };
	if (expr->kind == GEMP_LABELS)
		return (gemp_value){ .type = GEMP_LIST, .string = { "[\"P\",\"Q, \\\"R\\\"\"]", 17 } };
	if (expr->kind == GEMP_DEGREE)
		return (gemp_value){ .type = GEMP_INTEGER, .integer = 3 };
	switch (expr->attribute) {
	case 0: return (gemp_value){ .type = GEMP_INTEGER, .integer = 7 };
	case 1: return (gemp_value){ .type = GEMP_INTEGER, .integer = INT64_MAX };
	case 2: return (gemp_value){ .type = GEMP_FLOAT, .real = 2.5 };
	case 3: return text_value("Ann");
	case 4: return text_value("Zo\u00eb \u00df");
	case 5: return (gemp_value){ .type = GEMP_BOOLEAN, .truth = true };
	default: return value;
	}
}

static uint64_t element_of(void *context, int variable, bool edge)
{
	(void)context;
	(void)edge;
	return variable == 1 ? UINT64_MAX : 5;
}

static uint32_t label_set_of(void *context, int variable)
{
	(void)context;
	return variable == 1 ? UINT32_MAX : 1;
}

static const gemp_scope scope = { NULL, value_of, element_of, label_set_of };

static int make_graph(void **state)
{
	(void)state;
	static gemp_column columns[COLUMNS];
	static char *labels[] = { "P", "R" };
	static uint32_t p[] = { 0 }, r[] = { 1 };
	static gemp_label_set sets[] = { { 0, NULL, 1 }, { 1, p, 1 }, { 1, r, 1 } };
	static gemp_relation relations[] = { { .name = "T", .directed = true } };
	for (size_t i = 0; i < COLUMNS; i++)
		columns[i] = (gemp_column){ .name = (char *)(uintptr_t)names[i], .type = types[i] };
	graph = (gemp_shard){ .ranks = 1,
		                  .label_count = 2,
		                  .labels = labels,
		                  .label_set_count = 3,
		                  .label_sets = sets,
		                  .relation_count = 1,
		                  .relations = relations };
	graph.keys.type = GEMP_INTEGER;
	graph.attributes = (gemp_table){ .count = COLUMNS, .columns = columns };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

static gemp_code bound(const char *expression, gemp_pattern **out)
{
	gemp_text text = { 0 };
	gemp_code code = GEMP_OK;
	*out = NULL;
	gemp_text_print(&text, "MATCH (a) OPTIONAL MATCH (a)-->(b) RETURN %s AS x", expression);
	GEMP_TRY_DONE(gemp_text_status(&text));
	GEMP_TRY_DONE(gemp_pattern_parse(out, text.data, NULL));
	GEMP_TRY_DONE(gemp_pattern_bind(*out, &graph));
done:
	gemp_text_free(&text);
	return code;
}

static gemp_code evaluate(const char *expression, gemp_text *shown)
{
	gemp_pattern *pattern = NULL;
	gemp_arena scratch = { 0 };
	gemp_value value;
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(bound(expression, &pattern));
	const gemp_expr *expr = pattern->result.items[0].expr;
	GEMP_TRY_DONE(gemp_expr_value(expr, &scope, &scratch, &value));
	gemp_text_print(shown, "%s ", value.null ? "NULL" : gemp_type_name[value.type]);
	gemp_value_print(&value, shown);
	if (!value.null && value.type != expr->type)
		gemp_text_print(shown, " (bound as %s)", gemp_type_name[expr->type]);
	code = gemp_text_status(shown);
done:
	gemp_arena_free(&scratch);
	gemp_pattern_free(pattern);
	return code;
}

static void values(void **state)
{
	(void)state;
	static const struct {
		const char *written, *worth;
	} cases[] = {
		{ "a.i + 1", "integer 8" },
		{ "a.i - 10", "integer -3" },
		{ "a.i * a.i", "integer 49" },
		{ "a.i / 2", "integer 3" },
		{ "-a.i / 2", "integer -3" },
		{ "a.i / -2", "integer -3" },
		{ "a.i % 4", "integer 3" },
		{ "-a.i % 4", "integer -3" },
		{ "a.i % -4", "integer 3" },
		{ "a.i / 2.0", "float 3.5" },
		{ "a.i + a.f", "float 9.5" },
		{ "a.f % 2", "float 0.5" },
		{ "-a.f % 2", "float -0.5" },
		{ "-(a.i)", "integer -7" },
		{ "-a.f", "float -2.5" },
		{ "a.f / 0", "float inf" },
		{ "0.0 / 0.0", "NULL " },
		{ "a.f % 0", "NULL " },
		{ "2 + 3 * 4", "integer 14" },
		{ "(2 + 3) * 4", "integer 20" },
		{ "7 - 2 - 3", "integer 2" },
		{ "2 * 3.0", "float 6.0" },
		{ "a.big + 0", "integer 9223372036854775807" },
		{ "-a.big - 1", "integer -9223372036854775808" },
		{ "(-a.big - 1) % -1", "integer 0" },
		{ "a.ni + 1", "NULL " },
		{ "1 + a.ni", "NULL " },
		{ "a.nf * 2", "NULL " },
		{ "-a.ni", "NULL " },
		{ "a.i + NULL", "NULL " },
		{ "a.i / a.ni", "NULL " },
		{ "NULL + NULL", "NULL " },
		{ "a.s + NULL", "NULL " },
		{ "a.s + '!'", "string Ann!" },
		{ "'' + ''", "string " },
		{ "a.s + a.s + a.s", "string AnnAnnAnn" },
		{ "a.s + a.ns", "NULL " },
		{ "toUpper(a.s)", "string ANN" },
		{ "toLower(a.u)", "string zo\u00eb \u00df" },
		{ "toLower(a.ns)", "NULL " },
		{ "toUpper('\u00e4\u0430\u03c3\u0131')", "string \u00c4\u0410\u03a3I" },
		{ "toLower('\u0130')", "string i" },
		{ "toLower('\u023a')", "string \u2c65" }, /* the result is one byte longer than the argument */
		{ "toUpper('')", "string " },
		{ "toLower('A\U0001F600B')", "string a\U0001F600b" },
		{ "size(a.s)", "integer 3" },
		{ "size(a.u)", "integer 5" },
		{ "size('')", "integer 0" },
		{ "size(a.ns)", "NULL " },
		{ "size('\U0001F600')", "integer 1" },
		{ "id(a) % 5", "integer 2" },
		{ "COUNT { (a)-->() } * 2", "integer 6" },
		{ "a.s =~ 'A.*'", "boolean true" },
		{ "a.s =~ 'n+'", "boolean false" },
		{ "a.s =~ 'A|Ann'", "boolean true" },
		{ "a.s =~ '(?i)aNN'", "boolean true" },
		{ "a.u =~ 'Zo. .'", "boolean true" },
		{ "a.u =~ '.{5}'", "boolean true" },
		{ "a.ns =~ '.*'", "NULL " },
		{ "a.s =~ ''", "boolean false" },
		{ "'' =~ ''", "boolean true" },
		{ "a.s =~ '\\\\w+'", "boolean true" },
		{ "true XOR true", "boolean false" },
		{ "a.t XOR false", "boolean true" },
		{ "a.nt XOR true", "NULL " },
		{ "a.nt AND false", "boolean false" },
		{ "a.nt AND true", "NULL " },
		{ "a.nt OR true", "boolean true" },
		{ "a.nt OR false", "NULL " },
		{ "NOT a.nt", "NULL " },
		{ "NOT a.t", "boolean false" },
		{ "(a.i = a.ni) IS NULL", "boolean true" },
		{ "(a.i < 8) = a.t", "boolean true" },
		{ "a.i + 1 IS NULL", "boolean false" },
		{ "a.i IN [1, 3 + 4]", "boolean true" },
		{ "a.i IN [1, a.ni]", "NULL " },
		{ "a.i IN [a.i, a.ni]", "boolean true" },
		{ "a.ni IN []", "boolean false" },
		{ "a.s = 'Ann'", "boolean true" },
		{ "a.i > a.f", "boolean true" },
		{ "a.i = a.s", "boolean false" },
		{ "a.i <> a.s", "boolean true" },
		{ "a.i < a.s", "NULL " },
		{ "b IS NULL", "boolean true" },
		{ "a IS NULL", "boolean false" },
		{ "b.i IS NULL", "boolean true" },
		{ "b.i + 1", "NULL " },
		{ "b = a", "NULL " },
		{ "b = b", "NULL " },
		{ "a = a", "boolean true" },
		{ "a <> a", "boolean false" },
		{ "b:P", "NULL " },
		{ "a:P", "boolean true" },
		{ "a:R", "boolean false" },
		{ "a:P|R", "boolean true" },
		{ "NOT b:P", "NULL " },
		{ "id(b)", "NULL " },
		{ "a.s STARTS WITH b.s", "NULL " },
	};
	gemp_text shown = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_text_clear(&shown);
		gemp_code code = evaluate(cases[i].written, &shown);
		if (code != GEMP_OK || strcmp(shown.data, cases[i].worth) != 0)
			fail_msg("%s: expected %s, got %s", cases[i].written, cases[i].worth, code ? gemp_message() : shown.data);
	}
	gemp_text_free(&shown);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Tests size() of lists. The grammar allows lists only as results, so the expression is built by hand. */
static void sizes_of_lists(void **state)
{
	(void)state;
	static const struct {
		const char *list;
		int64_t size;
	} cases[] = {
		{ "[]", 0 },
		{ "[1]", 1 },
		{ "[1,2,3]", 3 },
		{ "[\"a,b\",\"[\"]", 2 },
		{ "[[1,2],[3]]", 2 },
		{ "[\"\\\\\",\"\\\",\"]", 2 },
		{ "[{\"a\":1,\"b\":2}]", 1 },
		{ "[null,null]", 2 },
	};
	gemp_arena scratch = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_value value;
		gemp_expr list = { .kind = GEMP_LITERAL, .type = GEMP_LIST }, *child = &list;
		gemp_expr size = { .kind = GEMP_SIZE, .count = 1, .children = &child };
		list.value = text_value(cases[i].list);
		list.value.type = GEMP_LIST;
		assert_ok(gemp_expr_value(&size, &scope, &scratch, &value));
		assert_int_equal(value.integer, cases[i].size);
	}
	gemp_arena_free(&scratch);
}

/* A failure in one row has a message with the position and the operation. */
static void not_computable(void **state)
{
	(void)state;
	static const struct {
		const char *written, *message;
	} cases[] = {
		{ "a.i / 0", "query:1:43: 7 / 0 divides by zero" },
		{ "a.i % (a.i - 7)", "query:1:43: 7 % 0 divides by zero" },
		{ "a.big + 1", "query:1:43: 9223372036854775807 + 1 is beyond 64 bits" },
		{ "a.big * -2", "query:1:43: 9223372036854775807 * -2 is beyond 64 bits" },
		{ "-a.big - 2", "query:1:43: -9223372036854775807 - 2 is beyond 64 bits" },
		{ "(-a.big - 1) / -1", "-9223372036854775808 / -1 is beyond 64 bits" },
		{ "-(-a.big - 1)", "query:1:43: -(-9223372036854775808) is beyond 64 bits" },
		{ "a.i IN [1, a.i / 0]", "divides by zero" },
		{ "(a.i / 0) IS NULL", "divides by zero" },
		{ "a.i / 0 > 1 XOR true", "divides by zero" },
		{ "NOT a.i / 0 > 1", "divides by zero" },
		{ "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' + a.s =~ '((a|aa)+)+[bc]'",
		  "=~ gave up on a string of 43 bytes" },
	};
	gemp_text shown = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_code code = evaluate(cases[i].written, &shown);
		if (code != GEMP_EDATA || !strstr(gemp_message(), cases[i].message))
			fail_msg("%s: code %d, expected %s, got %s", cases[i].written, (int)code, cases[i].message, gemp_message());
	}
	assert_ok(evaluate("false AND a.i / 0 > 1", &shown)); /* an operand that is not evaluated does not fail */
	gemp_text_free(&shown);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A failure that every row would have is found before any row is read, and its message shows the position in the
 * text. */
static void refused(void **state)
{
	(void)state;
	static const struct {
		const char *written;
		int column;
		const char *part;
	} cases[] = {
		{ "a.s + 1", 49, "a.s + 1: this is an integer, and a string beside a string is needed" },
		{ "a.i + 'x'", 43, "this is an integer" },
		{ "a.s - 'x'", 43, "a.s - 'x': this is a string, and a number is needed" },
		{ "a.s * 2", 43, "a number is needed" },
		{ "-a.s", 44, "-a.s: this is a string, and a number is needed" },
		{ "a.t + 1", 43, "this is a boolean, and a number is needed" },
		{ "1 + 'x'", 43, "this is an integer" },
		{ "toLower(a.i)", 51, "toLower(a.i): this is an integer, and a string is needed" },
		{ "toUpper(3)", 51, "this is an integer, and a string is needed" },
		{ "size(a.i)", 48, "this is an integer, and a string or a list is needed" },
		{ "size(5)", 48, "an integer" },
		{ "a.i AND true", 43, "a.i AND true: this is an integer, and a condition is needed" },
		{ "NOT a.s", 47, "this is a string, and a condition is needed" },
		{ "a.t XOR a.f", 51, "this is a float" },
		{ "a.i =~ 'x'", 43, "this is an integer, and a string is needed" },
		{ "a.s =~ '('", 52, "this is no regular expression: missing closing parenthesis, at byte 1 of it" },
		{ "a.s =~ '\\\\d\\u00e4['", 61, "at byte 5 of it" },
		{ "a.s =~ '\\\\C'", 54, "using \\C is disabled" },
		{ "sum(a.s)", 47, "sum(a.s): this is a string, and a number is needed" },
		{ "avg(a.t)", 47, "a number is needed" },
		{ "1 / 0", 43, "1 / 0 divides by zero" },
		{ "(2 * 3) / (1 - 1)", 43, "6 / 0 divides by zero" },
		{ "a.i + 9223372036854775807 * 2", 49, "9223372036854775807 * 2 is beyond 64 bits" },
		{ "toLower(b.f)", 51, "toLower(b.f): this is a float" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *pattern = NULL;
		char place[32];
		snprintf(place, sizeof place, "query:1:%d: ", cases[i].column);
		gemp_code code = bound(cases[i].written, &pattern);
		if (code != GEMP_EUSAGE || strncmp(gemp_message(), place, strlen(place)) != 0 ||
		    !strstr(gemp_message(), cases[i].part))
			fail_msg("%s: code %d, expected %s%s, got %s", cases[i].written, (int)code, place, cases[i].part,
			         gemp_message());
		gemp_pattern_free(pattern);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* Strings longer than the stack of compiled expressions. */
static void long_strings(void **state)
{
	(void)state;
	gemp_pattern *pattern = NULL;
	gemp_arena scratch = { 0 };
	bool truth;
	assert_ok(bound("a.s =~ '(a|b)*'", &pattern));
	gemp_expr *matches = pattern->result.items[0].expr, text = { .kind = GEMP_LITERAL }, *kept = matches->children[0];
	size_t size = 100000;
	char *bytes = gemp_calloc(size, 1);
	assert_non_null(bytes);
	memset(bytes, 'a', size);
	text.value = (gemp_value){ .type = GEMP_STRING, .string = { bytes, size } };
	matches->children[0] = &text;
	assert_ok(gemp_expr_test(matches, &scope, &scratch, &truth));
	assert_true(truth);
	bytes[size - 1] = 'c';
	assert_ok(gemp_expr_test(matches, &scope, &scratch, &truth));
	assert_false(truth);
	matches->children[0] = kept;
	gemp_free(bytes);
	gemp_arena_free(&scratch);
	gemp_pattern_free(pattern);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code evaluate_once(void *expression)
{
	gemp_text shown = { 0 };
	gemp_code code = evaluate(expression, &shown);
	gemp_text_free(&shown);
	return code == GEMP_EUSAGE || code == GEMP_EDATA ? GEMP_OK : code;
}

enum { MATCHES = 400, LONG = 20000 };

typedef struct match_loop {
	gemp_regex *regex;
	char text[LONG]; /* ends in b */
	_Atomic int wrong;
} match_loop;

/* Only every 50th text has the b at its end. A text is too long for the stack of the JIT compiler. */
static void match_text(void *context, unsigned thread, size_t chunk)
{
	match_loop *loop = context;
	(void)thread;
	gemp_value text = { .type = GEMP_STRING, .string = { loop->text, LONG - chunk % 50 } };
	bool match = false;
	gemp_code code = gemp_regex_test(loop->regex, &text, 1, 1, &match);
	if (code != GEMP_OK || match != (chunk % 50 == 0))
		loop->wrong++;
}

/* Conditions are tested on all threads, which share the compiled expression. */
static void regex_on_threads(void **state)
{
	(void)state;
	static match_loop loop;
	char error[128];
	size_t at;
	gemp_value pattern = text_value("(a|b)*b");
	memset(loop.text, 'a', LONG - 1);
	loop.text[LONG - 1] = 'b';
	assert_int_equal(gemp_regex_new(&loop.regex, &pattern, error, sizeof error, &at), GEMP_OK);
	gemp_threads_limit(8);
	gemp_parallel_for(MATCHES, match_text, &loop);
	gemp_threads_limit(0);
	gemp_regex_free(loop.regex);
	assert_int_equal(loop.wrong, 0);
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(evaluate_once, "toUpper(a.s + 'x' + toLower('Y' + 'Z')) + a.u");
	assert_survives_no_memory(evaluate_once, "(a.i + 2 * 3 IN [1, a.i] XOR a.t) IS NULL");
	assert_survives_no_memory(evaluate_once, "a.s =~ 'A.*'");
	assert_survives_no_memory(evaluate_once, "a.s =~ '('");
	assert_survives_no_memory(evaluate_once, "a.s + 1");
	assert_survives_no_memory(evaluate_once, "1 / 0");
	assert_survives_no_memory(evaluate_once, "a.i / 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),    cmocka_unit_test(sizes_of_lists), cmocka_unit_test(not_computable),
		cmocka_unit_test(refused),   cmocka_unit_test(long_strings),   cmocka_unit_test(regex_on_threads),
		cmocka_unit_test(no_memory),
	};
	return cmocka_run_group_tests(tests, make_graph, NULL);
}
