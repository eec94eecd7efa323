/* Tests conditions: the normal form has the same truth value as the text, equal conditions have equal forms, and NULL
 * is neither true nor false. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "pattern/condition/evaluate.h"
#include "pattern/condition/expr_text.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static gemp_pattern *parsed(const char *condition)
{
	gemp_text text = { 0 };
	gemp_pattern *pattern = NULL;
	gemp_text_print(&text, "MATCH (a)--(b)--(c) WHERE %s", condition);
	assert_ok(gemp_pattern_parse(&pattern, text.data, NULL));
	gemp_text_free(&text);
	return pattern;
}

/* Prints all conjuncts joined by " AND "; "" if there are none. */
static void print_conditions(const gemp_pattern *p, gemp_text *out)
{
	gemp_text_clear(out);
	for (size_t i = 0; i < p->condition_count; i++) {
		char *text = gemp_expr_text(p->conditions[i].expr, p, false);
		bool or = p->conditions[i].expr->kind == GEMP_OR;
		gemp_text_print(out, "%s%s%s%s", i ? " AND " : "", or ? "(" : "", text, or ? ")" : "");
		gemp_free(text);
	}
}

static void normal_forms(void **state)
{
	(void)state;
	static const struct {
		const char *written, *normal;
	} cases[] = {
		{ "a.x > 5", "a.x > 5" },
		{ "5 < a.x", "a.x > 5" },
		{ "NOT a.x > 5", "a.x <= 5" },
		{ "NOT NOT a.x > 5", "a.x > 5" },
		{ "a.x > b.x", "b.x < a.x" },
		{ "b.x < a.x", "b.x < a.x" },
		{ "NOT a.x >= b.x", "a.x < b.x" },
		{ "b.x = a.x", "a.x = b.x" },
		{ "b <> a", "a <> b" },
		{ "NOT b = a", "a <> b" },
		{ "a = a", "" },
		{ "a <> a", "false" },
		{ "id(b) = id(a)", "id(a) = id(b)" },
		{ "a.x = 1 AND (b.x = 2 AND c.x = 3)", "a.x = 1 AND b.x = 2 AND c.x = 3" },
		{ "NOT (a.x = 1 OR b.x = 2)", "a.x <> 1 AND b.x <> 2" },
		{ "NOT (b.x = 1 AND a.x = 2)", "(a.x <> 2 OR b.x <> 1)" },
		{ "a.x = 1 OR (b.x = 2 AND c.x = 3)", "(a.x = 1 OR (b.x = 2 AND c.x = 3))" },
		{ "a.x = 1 OR a.x = 1", "a.x = 1" },
		{ "b.x = 1 OR a.x = 1 OR (b.x = 1)", "(a.x = 1 OR b.x = 1)" },
		{ "a.x IN [3, 1, 2, 3]", "a.x IN [1, 2, 3]" },
		{ "a.x IN ['b', 2, true, 'a', 1.5]", "a.x IN [true, 1.5, 2, 'a', 'b']" },
		{ "a.x IN [3]", "a.x = 3" },
		{ "NOT a.x IN [3]", "a.x <> 3" },
		{ "NOT a.x IN [3, 4]", "NOT a.x IN [3, 4]" },
		{ "a.x IN [3, 4, NULL]", "a.x IN [3, 4]" },
		{ "NOT a.x IN [3, 4, NULL]", "false" },
		{ "a.x IN []", "false" },
		{ "NOT a.x IN []", "" },
		{ "a.x IN [NULL]", "false" },
		{ "3 IN [1, 2, 3]", "" },
		{ "NULL IN []", "false" },
		{ "NOT NULL IN []", "" },
		{ "NOT NULL IN [1]", "false" },
		{ "NOT a.x IS NULL", "a.x IS NOT NULL" },
		{ "NOT a.x IS NOT NULL", "a.x IS NULL" },
		{ "a IS NULL", "false" },
		{ "a IS NOT NULL", "" },
		{ "id(a) IS NOT NULL", "" },
		{ "NULL IS NULL", "" },
		{ "3 IS NULL", "false" },
		{ "a.x = NULL", "false" },
		{ "NOT a.x = NULL", "false" },
		{ "a.x", "a.x = true" },
		{ "NOT a.x", "a.x = false" },
		{ "true", "" },
		{ "NULL", "false" },
		{ "NOT NULL", "false" },
		{ "1 = 1.0", "" },
		{ "1 = 'a'", "false" },
		{ "1 <> 'a'", "" },
		{ "NOT 1 < 'a'", "false" },
		{ "'abc' CONTAINS 'b' AND a.x = 1", "a.x = 1" },
		{ "NOT 'abc' STARTS WITH 'b'", "" },
		{ "a.x STARTS WITH NULL", "false" },
		{ "a.x = 1 OR true", "" },
		{ "a.x = 1 AND false", "false" },
		{ "a.x = 1 OR NULL", "a.x = 1" },
		{ "NOT (a.x = 1 AND NULL)", "a.x <> 1" },
		{ "NOT a:P", "NOT a:P" },
		{ "NOT (a.n CONTAINS 'x' OR b.n ENDS WITH 'y')", "NOT a.n CONTAINS 'x' AND NOT b.n ENDS WITH 'y'" },
		{ "a.x = 1 XOR b.x = 2", "((a.x = 1 AND b.x <> 2) OR (b.x = 2 AND a.x <> 1))" },
		{ "NOT (a.x = 1 XOR b.x = 2)", "((a.x = 1 AND b.x = 2) OR (a.x <> 1 AND b.x <> 2))" },
		{ "a.x = 1 XOR a.x = 1", "a.x = 1 AND a.x <> 1" },
		{ "a.x = 1 XOR true", "a.x <> 1" },
		{ "a.x > 2 + 3 * 4", "a.x > 14" },
		{ "2 - 3 < a.x", "a.x > -1" },
		{ "a.x = 'x' + 'y'", "a.x = 'xy'" },
		{ "a.x = toLower('ÄB')", "a.x = 'äb'" },
		{ "a.x = size('äb')", "a.x = 2" },
		{ "a.x = 1 + NULL", "false" },
		{ "a.x > 1 / 0", "1 / 0 < a.x" },
		{ "a.x > 'a' + 1", "'a' + 1 < a.x" },
		{ "a.x > -'a'", "-'a' < a.x" },
		{ "a.x > toUpper(1)", "toUpper(1) < a.x" },
		{ "a.x * 2 > b.x - 1", "b.x - 1 < a.x * 2" },
		{ "a.x - (b.x - 1) = (a.x - b.x) - 1", "a.x - (b.x - 1) = a.x - b.x - 1" },
		{ "-(a.x + 1) * 2 = -(-3)", "(-(a.x + 1)) * 2 = 3" },
		{ "a.x - -2 = 0", "a.x - -2 = 0" },
		{ "-(-a.x) = 0", "-(-a.x) = 0" },
		{ "(a.x + 1) IS NULL", "a.x + 1 IS NULL" },
		{ "NOT (a.x = 1) IS NULL", "(a.x = 1) IS NOT NULL" },
		{ "(a.x = NULL) IS NULL", "(a.x = NULL) IS NULL" },
		{ "(a.x = 1) = (b.x = 2)", "(a.x = 1) = (b.x = 2)" },
		{ "(a.x = 1 OR a.y) = true", "(a.x = 1 OR a.y) = true" },
		{ "NOT a.n =~ 'x.*'", "NOT a.n =~ 'x.*'" },
		{ "'abc' =~ 'a.*'", "'abc' =~ 'a.*'" },
		{ "a.n =~ NULL", "false" },
		{ "a.x IN [b.x, 3]", "(a.x = 3 OR a.x = b.x)" },
		{ "NOT a.x IN [b.x, 3]", "a.x <> 3 AND a.x <> b.x" },
		{ "1 < a.x < 5", "a.x < 5 AND a.x > 1" },
		{ "NOT (a)-[:T]->(b)", "NOT EXISTS { (a)-[:T]->(b) }" },
		{ "EXISTS { (a)-[r:T|U]-(x:P)<--() WHERE x.n > a.n AND r.w = 1 }",
		  "EXISTS { (a)-[r:T|U]-(x), ()-[]->(x) WHERE x:P AND r.w = 1 AND a.n < x.n }" },
		{ "COUNT { (a)-[:T*2..3]->(:P) } > 2", "COUNT { (a)-[:T*2..3]->(v1) WHERE v1:P } > 2" },
		{ "NOT EXISTS { (a)--(x) WHERE NOT EXISTS { (x)--(b) } }",
		  "NOT EXISTS { (a)-[]-(x) WHERE NOT EXISTS { (x)-[]-(b) } }" },
		{ "a.`odd name` = 1 AND a.`b``c` = 2", "a.`b``c` = 2 AND a.`odd name` = 1" },
	};
	gemp_text text = { 0 };
	int wrong = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p = parsed(cases[i].written);
		print_conditions(p, &text);
		if (strcmp(text.size ? text.data : "", cases[i].normal) != 0)
			print_error("%d: %s: expected %s, got %s\n", ++wrong, cases[i].written, cases[i].normal,
			            text.size ? text.data : "nothing");
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(wrong, 0);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void conditions_know_their_vertices(void **state)
{
	(void)state;
	gemp_pattern *p = parsed("a.x = 1 AND (b.x = 1 OR c.y < 2) AND id(c) > id(a) AND a <> b AND c:P");
	static const uint64_t expected[] = { 1, 3, 5, 6, 4 };
	uint64_t seen = 0;
	assert_int_equal(p->condition_count, 5);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++)
			if (p->conditions[i].vertices == expected[j])
				seen |= 1u << j;
	assert_int_equal(seen, 31);
	gemp_pattern_free(p);
	p = parsed("false");
	assert_int_equal(p->conditions[0].vertices, 1);
	assert_int_equal(p->conditions[0].expr->kind, GEMP_LITERAL);
	gemp_pattern_free(p);
}

/* --- Random conditions against an independent evaluation of their text. --- */

enum { VARIABLES = 3, ATTRIBUTES = 3 };

/* A model has a value for each attribute k of each variable v. */
typedef struct model {
	gemp_value value[VARIABLES][ATTRIBUTES];
	uint64_t id[VARIABLES];
	bool label[VARIABLES];
} model;

static const char variable_name[] = "abc", *const attribute_name[ATTRIBUTES] = { "x", "y", "z" };

static const gemp_value constants[] = {
	{ .type = GEMP_INTEGER, .integer = 1 },
	{ .type = GEMP_INTEGER, .integer = 2 },
	{ .type = GEMP_FLOAT, .real = 1.0 },
	{ .type = GEMP_FLOAT, .real = 1.5 },
	{ .type = GEMP_BOOLEAN, .truth = true },
	{ .type = GEMP_BOOLEAN },
	{ .type = GEMP_STRING, .string = { "ab", 2 } },
	{ .type = GEMP_STRING, .string = { "b", 1 } },
	{ .type = GEMP_STRING, .string = { "", 0 } },
	{ .null = true },
	{ .type = GEMP_INTEGER },
	{ .type = GEMP_INTEGER, .integer = INT64_MAX },
};
static const char *const constant_text[] = { "1",    "2",   "1.0", "1.5",  "true", "false",
	                                         "'ab'", "'b'", "''",  "NULL", "0",    "9223372036854775807" };
enum { CONSTANTS = sizeof constants / sizeof *constants };

enum { FALSE = 0, TRUE = 1, UNKNOWN = 2 };

/* Number of failures since the evaluation of the condition began. */
static int failures;

static void random_leaf_value(uint64_t *seed, const model *m, gemp_text *text, gemp_value *out)
{
	if (gemp_random_below(seed, 3) == 0) {
		size_t c = gemp_random_below(seed, CONSTANTS);
		gemp_text_print(text, "%s", constant_text[c]);
		*out = constants[c];
		return;
	}
	size_t v = gemp_random_below(seed, VARIABLES), k = gemp_random_below(seed, ATTRIBUTES);
	gemp_text_print(text, "%c.%s", variable_name[v], attribute_name[k]);
	*out = m->value[v][k];
}

static bool is_number(gemp_value value)
{
	return !value.null && (value.type == GEMP_INTEGER || value.type == GEMP_FLOAT);
}

static gemp_value made(const char *format, ...)
{
	static char pool[64][64];
	static size_t used;
	char *bytes = pool[used++ % 64];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(bytes, sizeof pool[0], format, arguments);
	va_end(arguments);
	return (gemp_value){ .type = GEMP_STRING, .string = { bytes, strlen(bytes) } };
}

static gemp_value checked(__int128 wide)
{
	bool fits = wide >= INT64_MIN && wide <= INT64_MAX;
	failures += !fits;
	return fits ? (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)wide } : (gemp_value){ .null = true };
}

static double as_real(gemp_value value);

static gemp_value binary(char sign, gemp_value a, gemp_value b)
{
	const gemp_value null = { .null = true };
	if (sign == '+' && !a.null && !b.null && a.type == GEMP_STRING && b.type == GEMP_STRING)
		return made("%.*s%.*s", (int)a.string.size, a.string.bytes, (int)b.string.size, b.string.bytes);
	if (!is_number(a) || !is_number(b))
		return null;
	if (a.type == GEMP_INTEGER && b.type == GEMP_INTEGER) {
		__int128 x = a.integer, y = b.integer;
		if (y == 0 && (sign == '/' || sign == '%')) {
			failures++;
			return null;
		}
		return checked(sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : sign == '/' ? x / y : x % y);
	}
	double x = as_real(a), y = as_real(b);
	double real = sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : sign == '/' ? x / y : fmod(x, y);
	return isnan(real) ? null : (gemp_value){ .type = GEMP_FLOAT, .real = real };
}

static gemp_value in_capitals(gemp_value value)
{
	char bytes[64] = "";
	if (value.null || value.type != GEMP_STRING)
		return (gemp_value){ .null = true };
	for (size_t i = 0; i < value.string.size; i++)
		bytes[i] = (char)toupper((unsigned char)value.string.bytes[i]);
	return made("%s", bytes);
}

static void random_value_of(uint64_t *seed, const model *m, int depth, gemp_text *text, gemp_value *out)
{
	gemp_value a, b;
	size_t kind = depth ? gemp_random_below(seed, 14) : 13;
	if (kind > 7) {
		random_leaf_value(seed, m, text, out);
		return;
	}
	gemp_text_print(text, kind == 5 ? "(-(" : kind == 6 ? "toUpper(" : kind == 7 ? "size(" : "(");
	random_value_of(seed, m, depth - 1, text, &a);
	if (kind < 5) {
		gemp_text_print(text, " %c ", "+-*/%"[kind]);
		random_value_of(seed, m, depth - 1, text, &b);
		*out = binary("+-*/%"[kind], a, b);
	} else if (kind == 5) {
		*out = !is_number(a)          ? (gemp_value){ .null = true }
		       : a.type == GEMP_FLOAT ? (gemp_value){ .type = GEMP_FLOAT, .real = -a.real }
		                              : checked(-(__int128)a.integer);
	} else if (kind == 6) {
		*out = in_capitals(a);
	} else {
		bool string = !a.null && a.type == GEMP_STRING;
		*out = (gemp_value){ .type = GEMP_INTEGER, .null = !string, .integer = string ? (int64_t)a.string.size : 0 };
	}
	gemp_text_print(text, kind == 5 ? "))" : ")");
}

static void random_value(uint64_t *seed, const model *m, gemp_text *text, gemp_value *out)
{
	random_value_of(seed, m, 2, text, out);
}

static double as_real(gemp_value value)
{
	return value.type == GEMP_INTEGER ? (double)value.integer : value.real;
}

/* Compares two values; -2 if they have no order. */
static int order(gemp_value a, gemp_value b)
{
	if (a.type == GEMP_INTEGER && b.type == GEMP_INTEGER)
		return a.integer < b.integer ? -1 : a.integer > b.integer;
	bool numbers = (a.type == GEMP_INTEGER || a.type == GEMP_FLOAT) && (b.type == GEMP_INTEGER || b.type == GEMP_FLOAT);
	if (numbers) { /* long double is exact, because its mantissa has 64 bits */
		long double x = a.type == GEMP_INTEGER ? (long double)a.integer : (long double)a.real;
		long double y = b.type == GEMP_INTEGER ? (long double)b.integer : (long double)b.real;
		return x < y ? -1 : x > y;
	}
	if (a.type != b.type)
		return -2;
	if (a.type == GEMP_BOOLEAN)
		return a.truth - b.truth;
	char left[64] = "", right[64] = "";
	memcpy(left, a.string.bytes, a.string.size);
	memcpy(right, b.string.bytes, b.string.size);
	int way = strcmp(left, right);
	return way < 0 ? -1 : way > 0;
}

static int equal(gemp_value a, gemp_value b)
{
	return a.null || b.null ? UNKNOWN : order(a, b) == 0;
}

static int less(gemp_value a, gemp_value b, bool or_equal)
{
	if (a.null || b.null || order(a, b) == -2)
		return UNKNOWN;
	return order(a, b) < or_equal;
}

static int search(gemp_value a, gemp_value b, int kind)
{
	if (a.null || b.null || a.type != GEMP_STRING || b.type != GEMP_STRING)
		return UNKNOWN;
	char whole[64] = "", part[64] = "";
	memcpy(whole, a.string.bytes, a.string.size);
	memcpy(part, b.string.bytes, b.string.size);
	size_t n = strlen(whole), m = strlen(part);
	if (m > n)
		return FALSE;
	return kind == 0   ? strstr(whole, part) != NULL
	       : kind == 1 ? strncmp(whole, part, m) == 0
	                   : strcmp(whole + n - m, part) == 0;
}

static int negated(int truth)
{
	return truth == UNKNOWN ? UNKNOWN : !truth;
}

static int random_comparison(uint64_t *seed, const model *m, gemp_text *text)
{
	static const char *const signs[] = { "=", "<>", "<", "<=", ">", ">=" };
	static const char *const searches[] = { "CONTAINS", "STARTS WITH", "ENDS WITH" };
	size_t kind = gemp_random_below(seed, 9);
	gemp_value a, b;
	random_value(seed, m, text, &a);
	gemp_text_print(text, " %s ", kind < 6 ? signs[kind] : searches[kind - 6]);
	random_value(seed, m, text, &b);
	switch (kind) {
	case 0: return equal(a, b);
	case 1: return negated(equal(a, b));
	case 2: return less(a, b, false);
	case 3: return less(a, b, true);
	case 4: return less(b, a, false);
	case 5: return less(b, a, true);
	default: return search(a, b, (int)kind - 6);
	}
}

static int random_in(uint64_t *seed, const model *m, gemp_text *text)
{
	gemp_value a;
	int truth = FALSE;
	random_value(seed, m, text, &a);
	gemp_text_print(text, " IN [");
	size_t count = gemp_random_below(seed, 4);
	bool constant = gemp_random_below(seed, 2);
	for (size_t i = 0; i < count; i++) {
		size_t c = gemp_random_below(seed, CONSTANTS);
		gemp_value b = constants[c];
		gemp_text_print(text, "%s", i ? ", " : "");
		if (constant)
			gemp_text_print(text, "%s", constant_text[c]);
		else
			random_value(seed, m, text, &b);
		int one = equal(a, b);
		truth = truth == TRUE || one == TRUE ? TRUE : one == UNKNOWN ? UNKNOWN : truth;
	}
	gemp_text_print(text, "]");
	return truth;
}

static int random_leaf(uint64_t *seed, const model *m, gemp_text *text)
{
	gemp_value a;
	size_t v = gemp_random_below(seed, VARIABLES), u = gemp_random_below(seed, VARIABLES);
	size_t k = gemp_random_below(seed, ATTRIBUTES);
	bool not = gemp_random_below(seed, 2);
	switch (gemp_random_below(seed, 8)) {
	case 0:
		random_value(seed, m, text, &a);
		gemp_text_print(text, not ? " IS NOT NULL" : " IS NULL");
		return a.null != not ;
	case 1:
		gemp_text_print(text, "%c %s %c", variable_name[v], not ? "<>" : "=", variable_name[u]);
		return (m->id[v] == m->id[u]) != not ;
	case 2: gemp_text_print(text, "%c:L", variable_name[v]); return m->label[v];
	case 3: return random_in(seed, m, text);
	case 4:
		gemp_text_print(text, "%c.%s", variable_name[v], attribute_name[k]);
		a = m->value[v][k];
		if (!a.null && a.type != GEMP_BOOLEAN) { /* only a BOOLEAN can be a condition on its own */
			gemp_text_print(text, " = true");
			return FALSE;
		}
		return a.null ? UNKNOWN : a.truth;
	default: return random_comparison(seed, m, text);
	}
}

static int random_condition(uint64_t *seed, const model *m, int depth, gemp_text *text);

/* Prints "(left) between (right)" with random operands. */
static void random_pair(uint64_t *seed, const model *m, int depth, const char *between, gemp_text *text, int truth[2])
{
	for (int i = 0; i < 2; i++) {
		gemp_text_print(text, "%s(", i ? between : "");
		truth[i] = random_condition(seed, m, depth - 1, text);
		gemp_text_print(text, ")");
	}
}

static int random_junction(uint64_t *seed, const model *m, int depth, bool and, gemp_text *text)
{
	int decisive = and? FALSE : TRUE, truth = !decisive;
	size_t count = 2 + gemp_random_below(seed, 2);
	for (size_t i = 0; i < count; i++) {
		gemp_text_print(text, "%s(", i == 0 ? "" : and? " AND " : " OR ");
		int one = random_condition(seed, m, depth - 1, text);
		gemp_text_print(text, ")");
		truth = truth == decisive || one == decisive ? decisive : one == UNKNOWN ? UNKNOWN : truth;
	}
	return truth;
}

static int random_condition(uint64_t *seed, const model *m, int depth, gemp_text *text)
{
	int truth[2];
	bool unknown, equality = gemp_random_below(seed, 2);
	switch (depth ? gemp_random_below(seed, 12) : 11) {
	case 0:
	case 1: return random_junction(seed, m, depth, true, text);
	case 2:
	case 3: return random_junction(seed, m, depth, false, text);
	case 4:
	case 5:
		gemp_text_print(text, "NOT (");
		truth[0] = negated(random_condition(seed, m, depth - 1, text));
		gemp_text_print(text, ")");
		return truth[0];
	case 6:
		random_pair(seed, m, depth, " XOR ", text, truth);
		unknown = truth[0] == UNKNOWN || truth[1] == UNKNOWN;
		return unknown ? UNKNOWN : truth[0] != truth[1];
	case 7:
		random_pair(seed, m, depth, equality ? " = " : " <> ", text, truth);
		unknown = truth[0] == UNKNOWN || truth[1] == UNKNOWN;
		return unknown ? UNKNOWN : (truth[0] == truth[1]) == equality;
	case 8:
		gemp_text_print(text, "(");
		truth[0] = random_condition(seed, m, depth - 1, text);
		gemp_text_print(text, ") IS %sNULL", equality ? "" : "NOT ");
		return (truth[0] == UNKNOWN) == equality;
	default: return random_leaf(seed, m, text);
	}
}

static gemp_value model_value(void *context, const gemp_expr *expr)
{
	const model *m = context;
	return m->value[expr->variable][strchr("xyz", expr->name[0]) - "xyz"];
}

static uint64_t model_element(void *context, int variable, bool edge)
{
	(void)edge;
	return ((const model *)context)->id[variable];
}

static uint32_t model_label_set(void *context, int variable)
{
	return ((const model *)context)->label[variable];
}

/* Sets the fields that binding to a graph with the label sets {} and {L} would set. */
static void bind_labels(gemp_expr *expr)
{
	if (expr->kind == GEMP_HAS_LABEL && !expr->label_sets) {
		assert_ok(GEMP_NEW(expr->label_sets, 2));
		expr->label_set_count = 2;
		expr->label_sets[1] = true;
	}
	for (size_t i = 0; i < expr->count; i++)
		bind_labels(expr->children[i]);
}

static gemp_code all_true(gemp_pattern *p, model *m, bool *truth)
{
	gemp_scope scope = { m, model_value, model_element, model_label_set };
	gemp_arena scratch = { 0 };
	gemp_code code = GEMP_OK;
	*truth = true;
	for (size_t i = 0; *truth && code == GEMP_OK && i < p->condition_count; i++) {
		bind_labels(p->conditions[i].expr);
		code = gemp_expr_test(p->conditions[i].expr, &scope, &scratch, truth);
	}
	gemp_arena_free(&scratch);
	return code;
}

static bool is_condition(gemp_expr_kind kind)
{
	return kind == GEMP_AND || kind == GEMP_OR || kind == GEMP_NOT || kind == GEMP_XOR;
}

/* NOT occurs only above leaves, and XOR does not occur. Operands of comparisons are not normalised. */
static void assert_normal(const gemp_expr *expr, bool below_not)
{
	assert_false(expr->kind == GEMP_XOR || (below_not && is_condition(expr->kind)));
	for (size_t i = 0; is_condition(expr->kind) && i < expr->count; i++)
		assert_normal(expr->children[i], expr->kind == GEMP_NOT);
}

/* Both evaluations agree. If a part of the condition cannot be computed, the evaluation may fail or not. */
static void assert_truth(gemp_pattern *p, model *m, int expected, const char *text)
{
	bool truth;
	gemp_code code = all_true(p, m, &truth);
	if (code == GEMP_EDATA && failures)
		return;
	if (code != GEMP_OK || (!failures && truth != (expected == TRUE)))
		fail_msg("%s: expected %d, got %d, code %d", text, expected, truth, (int)code);
}

static void random_conditions(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_text text = { 0 }, normal = { 0 }, again = { 0 };
	int truths[3] = { 0 }, failed = 0;
	for (int round = 0; round < 6000; round++) {
		model m;
		for (size_t v = 0; v < VARIABLES; v++) {
			for (size_t k = 0; k < ATTRIBUTES; k++)
				m.value[v][k] = constants[gemp_random_below(&seed, CONSTANTS)];
			m.id[v] = gemp_random_below(&seed, 2) * 10 + v; /* different variables are different vertices */
			m.label[v] = gemp_random_below(&seed, 2);
		}
		gemp_text_clear(&text);
		failures = 0;
		int truth = random_condition(&seed, &m, 3, &text);
		truths[truth] += !failures;
		failed += failures > 0;
		gemp_pattern *p = parsed(text.data);
		for (size_t i = 0; i < p->condition_count; i++)
			assert_normal(p->conditions[i].expr, false);
		assert_truth(p, &m, truth, text.data);
		print_conditions(p, &normal);
		gemp_pattern_free(p);
		if (!normal.size)
			continue;
		p = parsed(normal.data); /* the normal form is the normal form of itself */
		print_conditions(p, &again);
		assert_string_equal(again.data, normal.data);
		assert_truth(p, &m, truth, normal.data);
		gemp_pattern_free(p);
	}
	for (int i = 0; i < 3; i++)
		assert_true(truths[i] > 400);
	assert_true(failed > 100);
	gemp_text_free(&text);
	gemp_text_free(&normal);
	gemp_text_free(&again);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_forms),
		cmocka_unit_test(conditions_know_their_vertices),
		cmocka_unit_test(random_conditions),
	};
	return test_main(tests);
}
