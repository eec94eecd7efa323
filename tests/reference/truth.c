/* Evaluates a condition in three-valued logic, literally by its definition. */
#include "query.h"

#include <string.h>

static ref_value value_of(const ref_graph *graph, const ref_expr *expr, const uint32_t *images)
{
	if (expr->op == REF_LITERAL)
		return expr->value;
	if (expr->op == REF_ELEMENT)
		return (ref_value){ .kind = REF_INTEGER, .integer = images[expr->variable] };
	bool of_edge = expr->variable >= REF_MAX_VERTICES;
	return ref_table_value(of_edge ? &graph->edges : &graph->vertices, images[expr->variable], expr->name);
}

static double number(ref_value value)
{
	return value.kind == REF_FLOAT ? value.real : (double)value.integer;
}

static bool is_number(ref_value value)
{
	return value.kind == REF_INTEGER || value.kind == REF_FLOAT;
}

/* Sets *order to -1, 0 or 1. Returns false if the two values cannot be compared. */
static bool compare(ref_value a, ref_value b, int *order)
{
	if (a.kind == REF_STRING && b.kind == REF_STRING) {
		int way = strcmp(a.text, b.text);
		*order = (way > 0) - (way < 0);
		return true;
	}
	if ((a.kind == REF_INTEGER && b.kind == REF_INTEGER) || (a.kind == REF_BOOLEAN && b.kind == REF_BOOLEAN)) {
		*order = (a.integer > b.integer) - (a.integer < b.integer);
		return true;
	}
	if (!is_number(a) || !is_number(b))
		return false;
	*order = (number(a) > number(b)) - (number(a) < number(b));
	return true;
}

static int equal(ref_value a, ref_value b)
{
	int order;
	if (a.kind == REF_NULL || b.kind == REF_NULL)
		return -1;
	return compare(a, b, &order) ? order == 0 : 0;
}

static int ordered(ref_op op, ref_value a, ref_value b)
{
	int order;
	if (a.kind == REF_NULL || b.kind == REF_NULL || !compare(a, b, &order))
		return -1;
	return op == REF_LT ? order < 0 : op == REF_LE ? order <= 0 : op == REF_GT ? order > 0 : order >= 0;
}

static int within(ref_op op, ref_value a, ref_value b)
{
	if (a.kind != REF_STRING || b.kind != REF_STRING)
		return -1;
	size_t whole = strlen(a.text), part = strlen(b.text);
	if (op == REF_CONTAINS)
		return strstr(a.text, b.text) != NULL;
	if (part > whole)
		return 0;
	return memcmp(op == REF_STARTS ? a.text : a.text + (whole - part), b.text, part) == 0;
}

static int all_or_any(const ref_graph *graph, const ref_query *query, const ref_expr *expr, const uint32_t *images)
{
	int decisive = expr->op == REF_OR, truth = !decisive;
	for (size_t i = 0; i < expr->count; i++) {
		int one = ref_expr_truth(graph, query, expr->children[i], images);
		if (one == decisive)
			return decisive;
		truth = one == -1 ? -1 : truth;
	}
	return truth;
}

static int member(const ref_graph *graph, const ref_expr *expr, const uint32_t *images)
{
	int truth = 0;
	for (size_t i = 1; i < expr->count; i++) {
		int one = equal(value_of(graph, expr->children[0], images), expr->children[i]->value);
		if (one == 1)
			return 1;
		truth = one == -1 ? -1 : truth;
	}
	return truth;
}

int ref_expr_truth(const ref_graph *graph, const ref_query *query, const ref_expr *expr, const uint32_t *images)
{
	ref_value a = { 0 }, b = { 0 };
	int truth;
	if (expr->op == REF_AND || expr->op == REF_OR)
		return all_or_any(graph, query, expr, images);
	if (expr->op == REF_NOT) {
		truth = ref_expr_truth(graph, query, expr->children[0], images);
		return truth == -1 ? -1 : !truth;
	}
	if (expr->op == REF_LABEL) {
		for (size_t i = 1; i < expr->count; i++)
			if (ref_graph_has_label(graph, images[expr->children[0]->variable], expr->children[i]->value.text))
				return 1;
		return 0;
	}
	if (expr->op == REF_IN)
		return member(graph, expr, images);
	a = value_of(graph, expr->op == REF_ATTRIBUTE ? expr : expr->children[0], images);
	if (expr->op == REF_ATTRIBUTE) /* a boolean attribute used as a condition */
		return a.kind == REF_BOOLEAN ? (int)a.integer : -1;
	if (expr->op == REF_ISNULL || expr->op == REF_NOTNULL)
		return (a.kind == REF_NULL) == (expr->op == REF_ISNULL);
	b = value_of(graph, expr->children[1], images);
	switch (expr->op) {
	case REF_EQ: return equal(a, b);
	case REF_NE: truth = equal(a, b); return truth == -1 ? -1 : !truth;
	case REF_CONTAINS:
	case REF_STARTS:
	case REF_ENDS: return within(expr->op, a, b);
	default: return ordered(expr->op, a, b);
	}
}
