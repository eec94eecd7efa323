/* What an expression is worth for a match. Logic is three-valued, as in openCypher: an unknown truth is a NULL boolean. */
#include "pattern/arithmetic.h"
#include "pattern/expr.h"
#include "pattern/text_function.h"

#include <string.h>

typedef struct evaluation {
	const gemp_scope *scope;
	gemp_scratch *scratch;
} evaluation;

static gemp_value truth_value(gemp_truth truth)
{
	return (gemp_value){ .type = GEMP_BOOLEAN, .null = truth == GEMP_IS_UNKNOWN, .truth = truth == GEMP_IS_TRUE };
}

static gemp_truth truth_of(bool truth)
{
	return truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
}

static bool is_element(const gemp_expr *expr)
{
	return expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE;
}

static uint64_t element(const evaluation *e, const gemp_expr *expr)
{
	return e->scope->element(e->scope->context, expr->variable, expr->of_edge);
}

/* Values of different kinds are not equal; it is unknown which comes first. */
static gemp_truth compare(gemp_expr_kind kind, const gemp_value *a, const gemp_value *b)
{
	if (a->null || b->null)
		return GEMP_IS_UNKNOWN;
	bool comparable;
	int order = gemp_value_compare(a, b, &comparable);
	if (!comparable)
		return kind == GEMP_EQ ? GEMP_IS_FALSE : kind == GEMP_NE ? GEMP_IS_TRUE : GEMP_IS_UNKNOWN;
	switch (kind) {
	case GEMP_EQ:
		return truth_of(order == 0);
	case GEMP_NE:
		return truth_of(order != 0);
	case GEMP_LT:
		return truth_of(order < 0);
	case GEMP_LE:
		return truth_of(order <= 0);
	case GEMP_GT:
		return truth_of(order > 0);
	default:
		return truth_of(order >= 0);
	}
}

static gemp_code evaluate(const evaluation *e, const gemp_expr *expr, gemp_value *out);

static gemp_code both(const evaluation *e, const gemp_expr *expr, gemp_value *left, gemp_value *right)
{
	gemp_code code = evaluate(e, expr->children[0], left);
	return code == GEMP_OK ? evaluate(e, expr->children[1], right) : code;
}

static gemp_code comparison(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value left, right;
	if (is_element(expr->children[0])) {
		uint64_t a = element(e, expr->children[0]), b = element(e, expr->children[1]);
		bool missing = a == UINT64_MAX || b == UINT64_MAX;
		*out = truth_value(missing ? GEMP_IS_UNKNOWN : truth_of((a == b) == (expr->kind == GEMP_EQ)));
		return GEMP_OK;
	}
	gemp_code code = both(e, expr, &left, &right);
	if (code == GEMP_OK)
		*out = truth_value(compare(expr->kind, &left, &right));
	return code;
}

static gemp_truth find(gemp_expr_kind kind, const gemp_value *whole, const gemp_value *part)
{
	size_t size = whole->string.size, wanted = part->string.size;
	if (wanted > size)
		return GEMP_IS_FALSE;
	if (wanted == 0)
		return GEMP_IS_TRUE;
	const char *from = whole->string.bytes + (kind == GEMP_ENDS_WITH ? size - wanted : 0);
	if (kind == GEMP_CONTAINS)
		return truth_of(memmem(from, size, part->string.bytes, wanted) != NULL);
	return truth_of(memcmp(from, part->string.bytes, wanted) == 0);
}

static gemp_code search(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value whole, part;
	gemp_code code = both(e, expr, &whole, &part);
	bool unknown = code != GEMP_OK || whole.null || part.null || whole.type != GEMP_STRING || part.type != GEMP_STRING;
	*out = truth_value(unknown ? GEMP_IS_UNKNOWN : find(expr->kind, &whole, &part));
	return code;
}

static gemp_code matches(const evaluation *e, const gemp_expr *expr, gemp_value *out)
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

static gemp_code member(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value value, other;
	gemp_truth truth = GEMP_IS_FALSE;
	gemp_code code = evaluate(e, expr->children[0], &value);
	for (size_t i = 1; code == GEMP_OK && truth != GEMP_IS_TRUE && i < expr->count; i++) {
		GEMP_TRY(evaluate(e, expr->children[i], &other));
		gemp_truth one = compare(GEMP_EQ, &value, &other);
		truth = one == GEMP_IS_FALSE ? truth : one;
	}
	*out = truth_value(truth);
done:
	return code;
}

static bool is_unknown(const gemp_value *value)
{
	return value->null || value->type != GEMP_BOOLEAN;
}

static gemp_code junction(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	bool decisive = expr->kind == GEMP_OR;
	gemp_truth truth = truth_of(!decisive);
	gemp_code code = GEMP_OK;
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
done:
	return code;
}

static gemp_code exclusive(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value left, right;
	gemp_code code = both(e, expr, &left, &right);
	if (code != GEMP_OK)
		return code;
	bool unknown = is_unknown(&left) || is_unknown(&right);
	*out = truth_value(unknown ? GEMP_IS_UNKNOWN : truth_of(left.truth != right.truth));
	return GEMP_OK;
}

static gemp_code negation(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_code code = evaluate(e, expr->children[0], out);
	if (code == GEMP_OK)
		*out = truth_value(is_unknown(out) ? GEMP_IS_UNKNOWN : truth_of(!out->truth));
	return code;
}

static gemp_code null_test(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	const gemp_expr *operand = expr->children[0];
	gemp_value value = { .null = true };
	gemp_code code = GEMP_OK;
	if (is_element(operand))
		value.null = element(e, operand) == UINT64_MAX;
	else
		code = evaluate(e, operand, &value);
	*out = truth_value(truth_of(value.null == (expr->kind == GEMP_IS_NULL)));
	return code;
}

static gemp_code label_test(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	uint32_t set = e->scope->label_set(e->scope->context, expr->variable);
	*out = truth_value(set == UINT32_MAX ? GEMP_IS_UNKNOWN : truth_of(expr->label_sets[set]));
	return GEMP_OK;
}

static gemp_code computed(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	gemp_value left, right;
	gemp_code code = GEMP_OK;
	GEMP_TRY(evaluate(e, expr->children[0], &left));
	if (expr->count > 1)
		GEMP_TRY(evaluate(e, expr->children[1], &right));
	code = gemp_compute(expr, &left, expr->count > 1 ? &right : NULL, e->scratch, out);
	if (code == GEMP_EDATA)
		gemp_fail_in(code, "query:%d:%d: ", expr->line, expr->column);
done:
	return code;
}

static gemp_code evaluate(const evaluation *e, const gemp_expr *expr, gemp_value *out)
{
	switch (expr->kind) {
	case GEMP_LITERAL:
		*out = expr->value;
		return GEMP_OK;
	case GEMP_AND:
	case GEMP_OR:
		return junction(e, expr, out);
	case GEMP_XOR:
		return exclusive(e, expr, out);
	case GEMP_NOT:
		return negation(e, expr, out);
	case GEMP_HAS_LABEL:
		return label_test(e, expr, out);
	case GEMP_IN:
		return member(e, expr, out);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL:
		return null_test(e, expr, out);
	case GEMP_CONTAINS:
	case GEMP_STARTS_WITH:
	case GEMP_ENDS_WITH:
		return search(e, expr, out);
	case GEMP_MATCHES:
		return matches(e, expr, out);
	case GEMP_EQ:
	case GEMP_NE:
	case GEMP_LT:
	case GEMP_LE:
	case GEMP_GT:
	case GEMP_GE:
		return comparison(e, expr, out);
	case GEMP_ADD:
	case GEMP_SUBTRACT:
	case GEMP_MULTIPLY:
	case GEMP_DIVIDE:
	case GEMP_REMAINDER:
	case GEMP_NEGATE:
	case GEMP_LOWER:
	case GEMP_UPPER:
	case GEMP_SIZE:
		return computed(e, expr, out);
	default:
		*out = e->scope->value(e->scope->context, expr);
		return GEMP_OK;
	}
}

gemp_code gemp_expr_value(const gemp_expr *expr, const gemp_scope *scope, gemp_scratch *scratch, gemp_value *out)
{
	const evaluation e = { scope, scratch };
	return evaluate(&e, expr, out);
}

gemp_code gemp_expr_test(const gemp_expr *expr, const gemp_scope *scope, gemp_scratch *scratch, bool *is_true)
{
	gemp_value value = { .null = true };
	gemp_code code = gemp_expr_value(expr, scope, scratch, &value);
	*is_true = code == GEMP_OK && !value.null && value.type == GEMP_BOOLEAN && value.truth;
	return code;
}

bool gemp_expr_is_true(const gemp_expr *expr, const gemp_scope *scope)
{
	gemp_scratch scratch = { 0 };
	bool truth;
	gemp_expr_test(expr, scope, &scratch, &truth);
	gemp_scratch_free(&scratch);
	return truth;
}
