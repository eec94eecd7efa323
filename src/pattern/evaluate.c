/* Is a condition true of a match? Three-valued logic as openCypher has it. */
#include "pattern/expr.h"

#include <string.h>

static gemp_truth truth_of(bool truth)
{
	return truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
}

static gemp_value worth(const gemp_expr *expr, const gemp_scope *scope)
{
	return expr->kind == GEMP_LITERAL ? expr->value : scope->value(scope->context, expr);
}

static bool is_element(const gemp_expr *expr)
{
	return expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE;
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

static gemp_truth compare_children(const gemp_expr *expr, const gemp_scope *scope)
{
	const gemp_expr *left = expr->children[0], *right = expr->children[1];
	if (is_element(left)) {
		bool same = scope->element(scope->context, left->variable, left->of_edge)
		         == scope->element(scope->context, right->variable, right->of_edge);
		return truth_of(same == (expr->kind == GEMP_EQ));
	}
	gemp_value a = worth(left, scope), b = worth(right, scope);
	return compare(expr->kind, &a, &b);
}

static gemp_truth search(const gemp_expr *expr, const gemp_scope *scope)
{
	gemp_value whole = worth(expr->children[0], scope), part = worth(expr->children[1], scope);
	if (whole.null || part.null || whole.type != GEMP_STRING || part.type != GEMP_STRING)
		return GEMP_IS_UNKNOWN;
	size_t size = whole.string.size, wanted = part.string.size;
	if (wanted > size)
		return GEMP_IS_FALSE;
	if (wanted == 0)
		return GEMP_IS_TRUE;
	const char *from = whole.string.bytes + (expr->kind == GEMP_ENDS_WITH ? size - wanted : 0);
	if (expr->kind == GEMP_CONTAINS)
		return truth_of(memmem(from, size, part.string.bytes, wanted) != NULL);
	return truth_of(memcmp(from, part.string.bytes, wanted) == 0);
}

static gemp_truth member(const gemp_expr *expr, const gemp_scope *scope)
{
	gemp_value value = worth(expr->children[0], scope);
	gemp_truth truth = GEMP_IS_FALSE;
	for (size_t i = 1; i < expr->count; i++) {
		gemp_truth one = compare(GEMP_EQ, &value, &expr->children[i]->value);
		if (one == GEMP_IS_TRUE)
			return one;
		if (one == GEMP_IS_UNKNOWN)
			truth = one;
	}
	return truth;
}

static gemp_truth junction(const gemp_expr *expr, const gemp_scope *scope)
{
	gemp_truth decisive = truth_of(expr->kind == GEMP_OR), truth = truth_of(expr->kind == GEMP_AND);
	for (size_t i = 0; i < expr->count; i++) {
		gemp_truth one = gemp_expr_truth(expr->children[i], scope);
		if (one == decisive)
			return one;
		if (one == GEMP_IS_UNKNOWN)
			truth = one;
	}
	return truth;
}

static gemp_truth is_null(const gemp_expr *expr, const gemp_scope *scope)
{
	bool null = !is_element(expr->children[0]) && worth(expr->children[0], scope).null;
	return truth_of(null == (expr->kind == GEMP_IS_NULL));
}

gemp_truth gemp_expr_truth(const gemp_expr *expr, const gemp_scope *scope)
{
	gemp_truth truth;
	gemp_value value;
	switch (expr->kind) {
	case GEMP_AND:
	case GEMP_OR:
		return junction(expr, scope);
	case GEMP_NOT:
		truth = gemp_expr_truth(expr->children[0], scope);
		return truth == GEMP_IS_UNKNOWN ? truth : truth_of(truth == GEMP_IS_FALSE);
	case GEMP_HAS_LABEL:
		return truth_of(expr->label_sets[scope->label_set(scope->context, expr->variable)]);
	case GEMP_IN:
		return member(expr, scope);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL:
		return is_null(expr, scope);
	case GEMP_CONTAINS:
	case GEMP_STARTS_WITH:
	case GEMP_ENDS_WITH:
		return search(expr, scope);
	case GEMP_LITERAL:
	case GEMP_ATTRIBUTE:
		value = worth(expr, scope);
		return value.null || value.type != GEMP_BOOLEAN ? GEMP_IS_UNKNOWN : truth_of(value.truth);
	default:
		return compare_children(expr, scope);
	}
}

bool gemp_expr_is_true(const gemp_expr *expr, const gemp_scope *scope)
{
	return gemp_expr_truth(expr, scope) == GEMP_IS_TRUE;
}
