/* The evaluator follows openCypher. NULL in most operations gives NULL. AND, OR and IN stop at the first operand that
 * determines the result. The first part computes with values alone, because folding of literals uses it without a
 * match. */

#include "pattern/condition/evaluate.h"

#include "pattern/model/string_function.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The operator as the query writes it, for messages. */
static const char *operator_sign(gemp_expr_kind kind)
{
	static const char *const signs[] = {
		[GEMP_ADD] = "+", [GEMP_SUBTRACT] = "-", [GEMP_MULTIPLY] = "*", [GEMP_DIVIDE] = "/", [GEMP_REMAINDER] = "%"
	};
	return signs[kind];
}

/* The message has no place. A caller that knows the place puts it in front. */
static gemp_code arithmetic_error(gemp_expr_kind kind, int64_t a, int64_t b, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%" PRId64 " %s %" PRId64 " %s", a, operator_sign(kind), b, why);
}

/* INT64_MIN / -1 overflows and INT64_MIN % -1 traps on x86, so both are handled before the division. */
gemp_code gemp_integer_compute(gemp_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
	bool over = false, divides = kind == GEMP_DIVIDE || kind == GEMP_REMAINDER;
	if (divides && b == 0)
		return arithmetic_error(kind, a, b, "divides by zero; leave such rows out, as by WHERE x <> 0");
	switch (kind) {
	case GEMP_ADD: over = __builtin_add_overflow(a, b, out); break;
	case GEMP_SUBTRACT: over = __builtin_sub_overflow(a, b, out); break;
	case GEMP_MULTIPLY: over = __builtin_mul_overflow(a, b, out); break;
	case GEMP_DIVIDE:
		over = a == INT64_MIN && b == -1;
		*out = over ? 0 : a / b;
		break;
	default: *out = b == -1 ? 0 : a % b;
	}
	return over ? arithmetic_error(kind, a, b, "is beyond 64 bits; compute with floats, as by 1.0 * x") : GEMP_OK;
}

/* Floats follow IEEE 754: division by zero gives infinity, and % is fmod. */
double gemp_float_compute(gemp_expr_kind kind, double a, double b)
{
	switch (kind) {
	case GEMP_ADD: return a + b;
	case GEMP_SUBTRACT: return a - b;
	case GEMP_MULTIPLY: return a * b;
	case GEMP_DIVIDE: return a / b;
	default: return fmod(a, b);
	}
}

/* The result is valid until the caller resets the scratch arena. */
static gemp_code concatenate(const gemp_value *left, const gemp_value *right, gemp_arena *scratch, gemp_value *out)
{
	size_t a = left->string.size, b = right->string.size;
	char *bytes = gemp_arena_alloc(scratch, a + b);
	if (!bytes)
		return GEMP_ENOMEM;
	if (a)
		memcpy(bytes, left->string.bytes, a);
	if (b)
		memcpy(bytes + a, right->string.bytes, b);
	*out = (gemp_value){ .type = GEMP_STRING, .string = { bytes, a + b } };
	return GEMP_OK;
}

/* Converts an integer to a float. */
static double real(const gemp_value *value)
{
	return value->type == GEMP_FLOAT ? value->real : (double)value->integer;
}

/* The result is an integer if both operands are integers, and a float if one operand is a float. NaN becomes NULL,
 * because files do not store NaN. */
static gemp_code arithmetic(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_arena *scratch,
                            gemp_value *out)
{
	if (left->type == GEMP_STRING)
		return concatenate(left, right, scratch, out);
	if (left->type == GEMP_INTEGER && right->type == GEMP_INTEGER) {
		*out = (gemp_value){ .type = GEMP_INTEGER };
		return gemp_integer_compute(expr->kind, left->integer, right->integer, &out->integer);
	}
	double result = gemp_float_compute(expr->kind, real(left), real(right));
	*out = (gemp_value){ .type = GEMP_FLOAT, .null = result != result, .real = result };
	return GEMP_OK;
}

/* -INT64_MIN does not fit into 64 bits and is an error, like any other overflow of integers. */
static gemp_code negate(const gemp_value *value, gemp_value *out)
{
	*out = *value;
	if (value->type == GEMP_FLOAT)
		out->real = -value->real;
	else if (__builtin_sub_overflow(0, value->integer, &out->integer))
		return gemp_fail(GEMP_EDATA, "-(%" PRId64 ") is beyond 64 bits", value->integer);
	return GEMP_OK;
}

/* Binding refuses other types. The test matters for literals, which are folded before binding. */
static bool is_number(const gemp_value *value)
{
	return value->null || value->type == GEMP_INTEGER || value->type == GEMP_FLOAT;
}

static bool is_text(const gemp_value *value)
{
	return value->null || value->type == GEMP_STRING;
}

/* NULL is compatible with every type, because the result is NULL. */
bool gemp_expr_can_compute(gemp_expr_kind kind, const gemp_value *left, const gemp_value *right)
{
	switch (kind) {
	case GEMP_ADD: return (is_number(left) && is_number(right)) || (is_text(left) && is_text(right));
	case GEMP_SUBTRACT ... GEMP_REMAINDER: return is_number(left) && is_number(right);
	case GEMP_NEGATE: return is_number(left);
	case GEMP_SIZE: return is_text(left) || left->type == GEMP_LIST;
	default: return is_text(left);
	}
}

/* NULL operands give NULL before types are tested, so that a missing attribute is never an error. */
gemp_code gemp_expr_compute(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_arena *scratch,
                            gemp_value *out)
{
	*out = (gemp_value){ .type = expr->type, .null = true };
	if (left->null || (right && right->null) || !gemp_expr_can_compute(expr->kind, left, right))
		return GEMP_OK;
	switch (expr->kind) {
	case GEMP_NEGATE: return negate(left, out);
	case GEMP_LOWER:
	case GEMP_UPPER: return gemp_string_case(left, expr->kind == GEMP_UPPER, scratch, out);
	case GEMP_SIZE: *out = (gemp_value){ .type = GEMP_INTEGER, .integer = gemp_string_size(left) }; return GEMP_OK;
	default: return arithmetic(expr, left, right, scratch, out);
	}
}

/* The scope of one match, and the memory for strings that the expression makes. */
typedef struct evaluate_context {
	const gemp_scope *scope;
	gemp_arena *scratch;
} evaluate_context;

/* Unknown, the third truth value, is a NULL of type boolean. */
static gemp_value truth_value(gemp_truth truth)
{
	return (gemp_value){ .type = GEMP_BOOLEAN, .null = truth == GEMP_IS_UNKNOWN, .truth = truth == GEMP_IS_TRUE };
}

/* A comparison without NULL is never unknown. */
static gemp_truth truth_of(bool truth)
{
	return truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
}

/* Returns UINT64_MAX for an element that OPTIONAL MATCH did not find. */
static uint64_t element_id(const evaluate_context *e, const gemp_expr *expr)
{
	return e->scope->element(e->scope->context, expr->variable, expr->of_edge);
}

/* Values of different classes are unequal, and their order is unknown. */
static gemp_truth compare(gemp_expr_kind kind, const gemp_value *a, const gemp_value *b)
{
	if (a->null || b->null)
		return GEMP_IS_UNKNOWN;
	bool comparable;
	int order = gemp_value_compare(a, b, &comparable);
	if (!comparable)
		return kind == GEMP_EQ ? GEMP_IS_FALSE : kind == GEMP_NE ? GEMP_IS_TRUE : GEMP_IS_UNKNOWN;
	switch (kind) {
	case GEMP_EQ: return truth_of(order == 0);
	case GEMP_NE: return truth_of(order != 0);
	case GEMP_LT: return truth_of(order < 0);
	case GEMP_LE: return truth_of(order <= 0);
	case GEMP_GT: return truth_of(order > 0);
	default: return truth_of(order >= 0);
	}
}

static gemp_code evaluate(const evaluate_context *e, const gemp_expr *expr, gemp_value *out);

/* Evaluates both operands in the order of the text. The first error ends the evaluation. */
static gemp_code evaluate_operands(const evaluate_context *e, const gemp_expr *expr, gemp_value *left,
                                   gemp_value *right)
{
	GEMP_TRY(evaluate(e, expr->children[0], left));
	return evaluate(e, expr->children[1], right);
}

/* Elements are compared by id. A missing element makes the comparison unknown. */
static gemp_code comparison(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value left, right;
	if (gemp_expr_is_element(expr->children[0])) {
		uint64_t a = element_id(e, expr->children[0]), b = element_id(e, expr->children[1]);
		bool missing = a == UINT64_MAX || b == UINT64_MAX;
		*out = truth_value(missing ? GEMP_IS_UNKNOWN : truth_of((a == b) == (expr->kind == GEMP_EQ)));
		return GEMP_OK;
	}
	GEMP_TRY(evaluate_operands(e, expr, &left, &right));
	*out = truth_value(compare(expr->kind, &left, &right));
	return GEMP_OK;
}

/* Every string contains the empty string. */
bool gemp_text_find(gemp_expr_kind kind, const gemp_string *whole, const gemp_string *part)
{
	if (part->size > whole->size)
		return false;
	if (part->size == 0)
		return true;
	const char *from = whole->bytes + (kind == GEMP_ENDS_WITH ? whole->size - part->size : 0);
	if (kind == GEMP_CONTAINS)
		return memmem(from, whole->size, part->bytes, part->size) != NULL;
	return memcmp(from, part->bytes, part->size) == 0;
}

/* The test is unknown for a value that is not a string. Binding has warned about it. */
static gemp_code evaluate_string_test(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value whole, part;
	gemp_code code = evaluate_operands(e, expr, &whole, &part);
	bool unknown = code != GEMP_OK || whole.null || part.null || whole.type != GEMP_STRING || part.type != GEMP_STRING;
	*out = truth_value(unknown ? GEMP_IS_UNKNOWN : truth_of(gemp_text_find(expr->kind, &whole.string, &part.string)));
	return code;
}

/* The regular expression is compiled at bind time. Before binding, as in folding, the result is unknown. */
static gemp_code regex_match(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value text;
	bool match = false;
	gemp_code code = evaluate(e, expr->children[0], &text);
	bool unknown = code != GEMP_OK || text.null || text.type != GEMP_STRING || !expr->regex;
	if (!unknown)
		code = gemp_regex_test(expr->regex, &text, expr->line, expr->column, &match);
	*out = truth_value(unknown ? GEMP_IS_UNKNOWN : truth_of(match));
	return code;
}

/* IN is true if some element is equal. Otherwise it is unknown if some comparison is unknown (as in SQL). */
static gemp_code in_list(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value value, other;
	gemp_truth truth = GEMP_IS_FALSE;
	GEMP_TRY(evaluate(e, expr->children[0], &value));
	for (size_t i = 1; truth != GEMP_IS_TRUE && i < expr->count; i++) {
		GEMP_TRY(evaluate(e, expr->children[i], &other));
		gemp_truth one = compare(GEMP_EQ, &value, &other);
		truth = one == GEMP_IS_FALSE ? truth : one;
	}
	*out = truth_value(truth);
	return GEMP_OK;
}

/* A value that is not a boolean counts as unknown. Binding refuses such a value if it knows the type. */
static bool is_unknown(const gemp_value *value)
{
	return value->null || value->type != GEMP_BOOLEAN;
}

/* An operand that determines the result (false of AND, true of OR) ends the evaluation. Otherwise one unknown operand
 * makes the result unknown. */
static gemp_code junction(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	bool decisive = expr->kind == GEMP_OR;
	gemp_truth truth = truth_of(!decisive);
	for (size_t i = 0; i < expr->count; i++) {
		gemp_value one;
		GEMP_TRY(evaluate(e, expr->children[i], &one));
		if (!is_unknown(&one) && one.truth == decisive) {
			*out = truth_value(truth_of(decisive));
			return GEMP_OK;
		}
		truth = is_unknown(&one) ? GEMP_IS_UNKNOWN : truth;
	}
	*out = truth_value(truth);
	return GEMP_OK;
}

/* XOR is unknown if one operand is unknown. */
static gemp_code exclusive_or(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value left, right;
	GEMP_TRY(evaluate_operands(e, expr, &left, &right));
	bool unknown = is_unknown(&left) || is_unknown(&right);
	*out = truth_value(unknown ? GEMP_IS_UNKNOWN : truth_of(left.truth != right.truth));
	return GEMP_OK;
}

/* NOT of unknown stays unknown. */
static gemp_code negation(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	GEMP_TRY(evaluate(e, expr->children[0], out));
	*out = truth_value(is_unknown(out) ? GEMP_IS_UNKNOWN : truth_of(!out->truth));
	return GEMP_OK;
}

/* IS NULL of an element is true if OPTIONAL MATCH did not find the element. The result is never unknown. */
static gemp_code null_test(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	const gemp_expr *operand = expr->children[0];
	gemp_value value = { .null = true };
	if (gemp_expr_is_element(operand))
		value.null = element_id(e, operand) == UINT64_MAX;
	else
		GEMP_TRY(evaluate(e, operand, &value));
	*out = truth_value(truth_of(value.null == (expr->kind == GEMP_IS_NULL)));
	return GEMP_OK;
}

/* Reads the table of label sets that binding made. */
static gemp_code label_test(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	uint32_t set = e->scope->label_set(e->scope->context, expr->variable);
	*out = truth_value(set == UINT32_MAX ? GEMP_IS_UNKNOWN : truth_of(expr->label_sets[set]));
	return GEMP_OK;
}

/* Puts the operator's place in front of the message of an arithmetic error. */
static gemp_code evaluate_operator(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value left, right;
	GEMP_TRY(evaluate(e, expr->children[0], &left));
	if (expr->count > 1)
		GEMP_TRY(evaluate(e, expr->children[1], &right));
	gemp_code code = gemp_expr_compute(expr, &left, expr->count > 1 ? &right : NULL, e->scratch, out);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "query:%d:%d: ", expr->line, expr->column);
	return code;
}

/* The scope gives the values of leaves, which depend on the match. Operators are evaluated here. */
static gemp_code evaluate(const evaluate_context *e, const gemp_expr *expr, gemp_value *out)
{
	switch (expr->kind) {
	case GEMP_LITERAL: *out = expr->value; return GEMP_OK;
	case GEMP_AND:
	case GEMP_OR: return junction(e, expr, out);
	case GEMP_XOR: return exclusive_or(e, expr, out);
	case GEMP_NOT: return negation(e, expr, out);
	case GEMP_HAS_LABEL: return label_test(e, expr, out);
	case GEMP_IN: return in_list(e, expr, out);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL: return null_test(e, expr, out);
	case GEMP_CONTAINS ... GEMP_ENDS_WITH: return evaluate_string_test(e, expr, out);
	case GEMP_MATCHES: return regex_match(e, expr, out);
	case GEMP_EQ ... GEMP_GE: return comparison(e, expr, out);
	case GEMP_ADD ... GEMP_SIZE: return evaluate_operator(e, expr, out);
	default: *out = e->scope->value(e->scope->context, expr); return GEMP_OK;
	}
}

/* Strings that the expression makes are valid until the caller resets the scratch arena. */
gemp_code gemp_expr_value(const gemp_expr *expr, const gemp_scope *scope, gemp_arena *scratch, gemp_value *out)
{
	const evaluate_context e = { scope, scratch };
	return evaluate(&e, expr, out);
}

/* *is_true becomes false if the truth is unknown. */
gemp_code gemp_expr_test(const gemp_expr *expr, const gemp_scope *scope, gemp_arena *scratch, bool *is_true)
{
	gemp_value value = { .null = true };
	gemp_code code = gemp_expr_value(expr, scope, scratch, &value);
	*is_true = code == GEMP_OK && !value.null && value.type == GEMP_BOOLEAN && value.truth;
	return code;
}
