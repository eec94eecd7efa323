/* Conditions: the normal form says the same as the text, equal conditions look equal, and NULL is neither true nor
 * false. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/text.h"
#include "pattern/pattern.h"

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

/* All conjuncts, joined by " AND "; "" for none. */
static void print_conditions(const gemp_pattern *p, gemp_text *out)
{
	gemp_text_clear(out);
	for (size_t i = 0; i < p->condition_count; i++) {
		char *text = gemp_expr_text(p->conditions[i].expr, p);
		bool or = p->conditions[i].expr->kind == GEMP_OR;
		gemp_text_print(out, "%s%s%s%s", i ? " AND " : "", or ? "(" : "", text, or ? ")" : "");
		gemp_free(text);
	}
}

static void normal_forms(void **state)
{
	(void)state;
	static const struct { const char *written, *normal; } cases[] = {
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
		{ "a.`odd name` = 1 AND a.`b``c` = 2", "a.`b``c` = 2 AND a.`odd name` = 1" },
	};
	gemp_text text = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *p = parsed(cases[i].written);
		print_conditions(p, &text);
		if (strcmp(text.size ? text.data : "", cases[i].normal) != 0)
			fail_msg("%s: expected %s, got %s", cases[i].written, cases[i].normal, text.size ? text.data : "nothing");
		gemp_pattern_free(p);
	}
	gemp_text_free(&text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void masks(void **state)
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

/* --- Random conditions against an independent evaluation of what was written. --- */

enum { VARIABLES = 3, ATTRIBUTES = 3 };

/* A model: attribute k of variable v. */
typedef struct model {
	gemp_value value[VARIABLES][ATTRIBUTES];
	uint64_t id[VARIABLES];
	bool label[VARIABLES];
} model;

static const char variable_name[] = "abc", *const attribute_name[ATTRIBUTES] = { "x", "y", "z" };

static const gemp_value constants[] = {
	{ .type = GEMP_INTEGER, .integer = 1 }, { .type = GEMP_INTEGER, .integer = 2 }, { .type = GEMP_FLOAT, .real = 1.0 },
	{ .type = GEMP_FLOAT, .real = 1.5 }, { .type = GEMP_BOOLEAN, .truth = true }, { .type = GEMP_BOOLEAN },
	{ .type = GEMP_STRING, .string = { "ab", 2 } }, { .type = GEMP_STRING, .string = { "b", 1 } },
	{ .type = GEMP_STRING, .string = { "", 0 } }, { .null = true },
};
static const char *const constant_text[] = { "1", "2", "1.0", "1.5", "true", "false", "'ab'", "'b'", "''", "NULL" };
enum { CONSTANTS = sizeof constants / sizeof *constants };

enum { FALSE = 0, TRUE = 1, UNKNOWN = 2 };

static int random_value(uint64_t *seed, const model *m, gemp_text *text, gemp_value *out)
{
	if (gemp_random_below(seed, 3) == 0) {
		size_t c = gemp_random_below(seed, CONSTANTS);
		gemp_text_print(text, "%s", constant_text[c]);
		*out = constants[c];
		return 0;
	}
	size_t v = gemp_random_below(seed, VARIABLES), k = gemp_random_below(seed, ATTRIBUTES);
	gemp_text_print(text, "%c.%s", variable_name[v], attribute_name[k]);
	*out = m->value[v][k];
	return 1;
}

static double as_real(gemp_value value)
{
	return value.type == GEMP_INTEGER ? (double)value.integer : value.real;
}

/* -2: cannot be ordered. */
static int order(gemp_value a, gemp_value b)
{
	bool numbers = (a.type == GEMP_INTEGER || a.type == GEMP_FLOAT) && (b.type == GEMP_INTEGER || b.type == GEMP_FLOAT);
	if (numbers)
		return as_real(a) < as_real(b) ? -1 : as_real(a) > as_real(b);
	if (a.type != b.type)
		return -2;
	if (a.type == GEMP_BOOLEAN)
		return a.truth - b.truth;
	char left[8] = "", right[8] = "";
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
	char whole[8] = "", part[8] = "";
	memcpy(whole, a.string.bytes, a.string.size);
	memcpy(part, b.string.bytes, b.string.size);
	size_t n = strlen(whole), m = strlen(part);
	if (m > n)
		return FALSE;
	return kind == 0 ? strstr(whole, part) != NULL
	     : kind == 1 ? strncmp(whole, part, m) == 0 : strcmp(whole + n - m, part) == 0;
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
	for (size_t i = 0; i < count; i++) {
		size_t c = gemp_random_below(seed, CONSTANTS);
		gemp_text_print(text, "%s%s", i ? ", " : "", constant_text[c]);
		int one = equal(a, constants[c]);
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
		return a.null != not;
	case 1:
		gemp_text_print(text, "%c %s %c", variable_name[v], not ? "<>" : "=", variable_name[u]);
		return (m->id[v] == m->id[u]) != not;
	case 2:
		gemp_text_print(text, "%c:L", variable_name[v]);
		return m->label[v];
	case 3:
		return random_in(seed, m, text);
	case 4:
		gemp_text_print(text, "%c.%s", variable_name[v], attribute_name[k]);
		a = m->value[v][k];
		return a.null || a.type != GEMP_BOOLEAN ? UNKNOWN : a.truth;
	default:
		return random_comparison(seed, m, text);
	}
}

static int random_condition(uint64_t *seed, const model *m, int depth, gemp_text *text)
{
	size_t kind = depth ? gemp_random_below(seed, 5) : 4;
	if (kind >= 3)
		return random_leaf(seed, m, text);
	if (kind == 2) {
		gemp_text_print(text, "NOT (");
		int truth = negated(random_condition(seed, m, depth - 1, text));
		gemp_text_print(text, ")");
		return truth;
	}
	int decisive = kind == 0 ? FALSE : TRUE, truth = !decisive;
	size_t count = 2 + gemp_random_below(seed, 2);
	for (size_t i = 0; i < count; i++) {
		gemp_text_print(text, "%s(", i == 0 ? "" : kind == 0 ? " AND " : " OR ");
		int one = random_condition(seed, m, depth - 1, text);
		gemp_text_print(text, ")");
		truth = truth == decisive || one == decisive ? decisive : one == UNKNOWN ? UNKNOWN : truth;
	}
	return truth;
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

/* What binding to a graph with the label sets {} and {L} does. */
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

static bool all_true(gemp_pattern *p, model *m)
{
	gemp_scope scope = { m, model_value, model_element, model_label_set };
	for (size_t i = 0; i < p->condition_count; i++) {
		bind_labels(p->conditions[i].expr);
		if (!gemp_expr_is_true(p->conditions[i].expr, &scope))
			return false;
	}
	return true;
}

/* NOT stands above leaves only. */
static void assert_normal(const gemp_expr *expr, bool below_not)
{
	assert_false(below_not && (expr->kind == GEMP_AND || expr->kind == GEMP_OR || expr->kind == GEMP_NOT));
	for (size_t i = 0; i < expr->count; i++)
		assert_normal(expr->children[i], expr->kind == GEMP_NOT);
}

static void random_conditions(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	gemp_text text = { 0 }, normal = { 0 }, again = { 0 };
	int truths[3] = { 0 };
	for (int round = 0; round < 4000; round++) {
		model m;
		for (size_t v = 0; v < VARIABLES; v++) {
			for (size_t k = 0; k < ATTRIBUTES; k++)
				m.value[v][k] = constants[gemp_random_below(&seed, CONSTANTS)];
			m.id[v] = gemp_random_below(&seed, 2) * 10 + v; /* different variables are different vertices */
			m.label[v] = gemp_random_below(&seed, 2);
		}
		gemp_text_clear(&text);
		int truth = random_condition(&seed, &m, 3, &text);
		truths[truth]++;
		gemp_pattern *p = parsed(text.data);
		for (size_t i = 0; i < p->condition_count; i++)
			assert_normal(p->conditions[i].expr, false);
		if (all_true(p, &m) != (truth == TRUE))
			fail_msg("%s: expected %d", text.data, truth);
		print_conditions(p, &normal);
		gemp_pattern_free(p);
		if (!normal.size)
			continue;
		p = parsed(normal.data); /* the normal form is its own normal form */
		print_conditions(p, &again);
		assert_string_equal(again.data, normal.data);
		assert_int_equal(all_true(p, &m), truth == TRUE);
		gemp_pattern_free(p);
	}
	for (int i = 0; i < 3; i++)
		assert_true(truths[i] > 400);
	gemp_text_free(&text);
	gemp_text_free(&normal);
	gemp_text_free(&again);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_forms),
		cmocka_unit_test(masks),
		cmocka_unit_test(random_conditions),
	};
	return test_main(tests);
}
