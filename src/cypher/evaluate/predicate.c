#include "cypher/evaluate/evaluate.h"
#include "cypher/evaluate/parts.h"

static gemp_truth not_of(gemp_truth truth)
{
	return truth == GEMP_IS_UNKNOWN ? truth : truth == GEMP_IS_TRUE ? GEMP_IS_FALSE : GEMP_IS_TRUE;
}

static gemp_truth truth_of(bool truth)
{
	return truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
}

/* AND and OR. `decisive` is the truth of an operand that decides; the right operand is then not evaluated. */
static gemp_code connect(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_truth decisive,
                         gemp_truth *out)
{
	gemp_truth result = not_of(decisive);
	for (const gemp_cypher_expr *operand = expr->first; operand; operand = operand->next) {
		gemp_truth truth;
		GEMP_TRY(gemp_cypher_condition(environment, operand, &truth));
		if (truth == decisive) {
			*out = decisive;
			return GEMP_OK;
		}
		if (truth == GEMP_IS_UNKNOWN)
			result = truth;
	}
	*out = result;
	return GEMP_OK;
}

static gemp_code exclusive_or(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_truth *out)
{
	gemp_truth a, b;
	GEMP_TRY(gemp_cypher_condition(environment, expr->first, &a));
	GEMP_TRY(gemp_cypher_condition(environment, expr->last, &b));
	*out = a == GEMP_IS_UNKNOWN || b == GEMP_IS_UNKNOWN ? GEMP_IS_UNKNOWN : truth_of(a != b);
	return GEMP_OK;
}

static gemp_truth compare(gemp_cypher_operator operator, gemp_datum a, gemp_datum b)
{
	switch (operator) {
	case GEMP_CY_EQ: return gemp_datum_equal(a, b);
	case GEMP_CY_NE: return not_of(gemp_datum_equal(a, b));
	case GEMP_CY_LT: return gemp_datum_less(a, b, false);
	case GEMP_CY_LE: return gemp_datum_less(a, b, true);
	case GEMP_CY_GT: return gemp_datum_less(b, a, false);
	default: return gemp_datum_less(b, a, true);
	}
}

/* a < b <= c is a < b AND b <= c, with b evaluated once. */
static gemp_code compare_chain(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_truth *out)
{
	gemp_datum left, right;
	size_t i = 0;
	*out = GEMP_IS_TRUE;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &left));
	for (const gemp_cypher_expr *operand = expr->first->next; operand; operand = operand->next, i++) {
		GEMP_TRY(gemp_cypher_evaluate(environment, operand, &right));
		const gemp_truth truth = compare((gemp_cypher_operator)expr->operators[i], left, right);
		if (truth == GEMP_IS_FALSE || *out == GEMP_IS_TRUE)
			*out = truth;
		if (truth == GEMP_IS_FALSE)
			return GEMP_OK;
		left = right;
	}
	return GEMP_OK;
}

/* Unknown if no element is equal, but the comparison with one of them is unknown. */
static gemp_code is_in(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_truth *out)
{
	gemp_datum value, list;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &value));
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->last, &list));
	*out = gemp_datum_is_null(list) ? GEMP_IS_UNKNOWN : GEMP_IS_FALSE;
	if (gemp_datum_is_null(list))
		return GEMP_OK;
	if (list.kind != GEMP_DATUM_LIST)
		return gemp_cypher_fail(environment, expr->last, "IN needs a list on its right side, not a value of type %s",
		                        gemp_datum_kind_name[list.kind]);
	for (size_t i = 0; i < list.size && *out != GEMP_IS_TRUE; i++) {
		const gemp_truth truth = gemp_datum_equal(value, list.items[i]);
		if (truth != GEMP_IS_FALSE)
			*out = truth;
	}
	return GEMP_OK;
}

/* STARTS WITH and its kin, and =~. Unknown if an operand is no string. */
static gemp_code find_text(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_truth *out)
{
	gemp_datum whole, part;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &whole));
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->last, &part));
	*out = GEMP_IS_UNKNOWN;
	if (whole.kind != GEMP_DATUM_STRING || part.kind != GEMP_DATUM_STRING)
		return GEMP_OK;
	if (expr->kind == GEMP_CY_REGEX)
		return gemp_cypher_regex_match(environment, expr, whole, part, out);
	const gemp_string a = { whole.text, whole.size }, b = { part.text, part.size };
	const gemp_expr_kind kind = expr->kind == GEMP_CY_STARTS_WITH ? GEMP_STARTS_WITH
	                            : expr->kind == GEMP_CY_ENDS_WITH ? GEMP_ENDS_WITH
	                                                              : GEMP_CONTAINS;
	*out = truth_of(gemp_text_find(kind, &a, &b));
	return GEMP_OK;
}

gemp_code gemp_cypher_predicate(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                gemp_truth *out)
{
	gemp_datum value;
	switch (expr->kind) {
	case GEMP_CY_OR: return connect(environment, expr, GEMP_IS_TRUE, out);
	case GEMP_CY_AND: return connect(environment, expr, GEMP_IS_FALSE, out);
	case GEMP_CY_XOR: return exclusive_or(environment, expr, out);
	case GEMP_CY_NOT:
		GEMP_TRY(gemp_cypher_condition(environment, expr->first, out));
		*out = not_of(*out);
		return GEMP_OK;
	case GEMP_CY_COMPARE: return compare_chain(environment, expr, out);
	case GEMP_CY_IN: return is_in(environment, expr, out);
	case GEMP_CY_IS_NULL:
	case GEMP_CY_IS_NOT_NULL:
		GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &value));
		*out = truth_of(gemp_datum_is_null(value) == (expr->kind == GEMP_CY_IS_NULL));
		return GEMP_OK;
	default: return find_text(environment, expr, out);
	}
}
