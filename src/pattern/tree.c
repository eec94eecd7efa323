/* Expressions as the grammar reads them: bounded in depth and weight, so that nobody after it needs to look. */
#include "pattern/query.h"

#include <string.h>

query_expr *query_leaf(query *q, gemp_expr_kind kind, query_place place)
{
	query_expr *expr = query_alloc(q, sizeof *expr);
	if (expr)
		*expr = (query_expr){ .kind = kind, .place = place, .weight = 1 };
	return expr;
}

void query_adopt(query *q, query_expr *parent, query_expr *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	child->next = NULL;
	parent->weight += (parent->kind == GEMP_XOR ? 2 : 1) * child->weight; /* XOR is written out by AND and OR */
	if (parent->depth <= child->depth)
		parent->depth = child->depth + 1;
	if (parent->depth > QUERY_MAX_DEPTH)
		query_fail(q, child->place.begin, "this expression is nested more than %d deep", QUERY_MAX_DEPTH);
	if (parent->weight > QUERY_MAX_WEIGHT)
		query_fail(q, parent->place.begin, "this expression has more than %d parts when XOR, chains of comparisons and lists "
		           "of expressions are written out", QUERY_MAX_WEIGHT);
}

static query_expr *checked(const query *q, query_expr *expr)
{
	return q->code == GEMP_OK ? expr : NULL;
}

query_expr *query_binary(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place)
{
	query_expr *expr = query_leaf(q, kind, place);
	if (!expr)
		return NULL;
	query_adopt(q, expr, left);
	if (right)
		query_adopt(q, expr, right);
	return checked(q, expr);
}

query_expr *query_join(query *q, gemp_expr_kind kind, query_expr *left, query_expr *right, query_place place)
{
	if (left->kind != kind)
		return query_binary(q, kind, left, right, place);
	query_adopt(q, left, right);
	left->place = place;
	return checked(q, left);
}

static query_expr *clone(query *q, const query_expr *from)
{
	query_expr *to = query_alloc(q, sizeof *to);
	if (!to)
		return NULL;
	*to = *from;
	to->first = to->last = to->next = NULL;
	for (const query_expr *child = from->first; child; child = child->next) {
		query_expr *copy = clone(q, child);
		if (!copy)
			return NULL;
		if (to->last)
			to->last->next = copy;
		else
			to->first = copy;
		to->last = copy;
	}
	return to;
}

/* Once more what a chain or a list repeats. */
static query_expr *repeat(query *q, const query_expr *from, const char *where)
{
	if (from->weight > QUERY_MAX_COPIED)
		query_fail(q, from->place.begin, "this expression is too long to stand %s; write it out by AND and OR", where);
	return q->code == GEMP_OK ? clone(q, from) : NULL;
}

query_expr *query_chain(query *q, query_expr *chain, const query_expr *last, gemp_expr_kind kind, query_expr *right,
                        query_place place)
{
	query_expr *left = repeat(q, last, "within a chain of comparisons");
	query_expr *next = left ? query_binary(q, kind, left, right, place) : NULL;
	return next ? query_join(q, GEMP_AND, chain, next, place) : NULL;
}

query_expr *query_in(query *q, query_expr *left, query_expr *list, query_place place)
{
	bool literals = true;
	for (query_expr *element = list ? list->first : NULL; element; element = element->next)
		literals = literals && element->kind == GEMP_LITERAL;
	query_expr *in = query_leaf(q, literals ? GEMP_IN : GEMP_OR, place), *next;
	if (in && literals)
		query_adopt(q, in, left);
	for (query_expr *element = list ? list->first : NULL; in && element; element = next) {
		next = element->next;
		query_expr *copy = literals ? NULL : repeat(q, left, "before IN with expressions in its list");
		query_expr *one = literals ? element : copy ? query_binary(q, GEMP_EQ, copy, element, place) : NULL;
		if (!one)
			return NULL;
		query_adopt(q, in, one);
		if (q->code != GEMP_OK)
			return NULL;
	}
	return in;
}

query_expr *query_in_labels(query *q, const query_expr *left, query_expr *labels, query_place place)
{
	bool name = left->kind == GEMP_LITERAL && !left->value.null && left->value.type == GEMP_STRING;
	if (labels->kind != GEMP_LABELS)
		query_refuse(q, labels->place.begin, "IN something else than a list in brackets or labels(v)");
	else if (!name)
		query_refuse(q, left->place.begin, "something else than a string before IN labels()");
	query_expr *test = q->code == GEMP_OK ? query_leaf(q, GEMP_HAS_LABEL, place) : NULL;
	query_word word = { (char *)left->value.string.bytes, left->value.string.size, left->place };
	query_expr *label = test ? query_string(q, word) : NULL;
	if (!label)
		return NULL;
	test->variable = labels->variable;
	test->bare = true;
	query_adopt(q, test, label);
	return checked(q, test);
}

query_expr *query_constant(query *q, gemp_value value, query_place place)
{
	query_expr *expr = query_leaf(q, GEMP_LITERAL, place);
	if (expr)
		expr->value = value;
	return expr;
}

query_expr *query_boolean(query *q, bool truth, query_place place)
{
	return query_constant(q, (gemp_value){ .type = GEMP_BOOLEAN, .truth = truth }, place);
}

query_expr *query_null(query *q, query_place place)
{
	return query_constant(q, (gemp_value){ .type = GEMP_BOOLEAN, .null = true }, place);
}

query_expr *query_integer(query *q, uint64_t magnitude, query_place place)
{
	if (magnitude > (uint64_t)INT64_MAX + 1)
		query_fail(q, place.begin, "this integer is beyond the range of 64 bits");
	gemp_value value = { .type = GEMP_INTEGER, .integer = (int64_t)magnitude };
	query_expr *expr = q->code == GEMP_OK ? query_constant(q, value, place) : NULL;
	if (expr)
		expr->beyond = magnitude > INT64_MAX;
	return expr;
}

query_expr *query_negative(query *q, query_expr *operand, query_place place)
{
	gemp_value *value = &operand->value;
	bool literal = operand->kind == GEMP_LITERAL && !value->null;
	bool number = literal && (value->type == GEMP_INTEGER || value->type == GEMP_FLOAT);
	if (!number || (value->type == GEMP_INTEGER && value->integer == INT64_MIN && !operand->beyond))
		return query_binary(q, GEMP_NEGATE, operand, NULL, place);
	if (value->type == GEMP_FLOAT)
		value->real = -value->real;
	else
		value->integer = (int64_t)(0 - (uint64_t)value->integer);
	operand->beyond = false;
	operand->place = place;
	return operand;
}

query_expr *query_real(query *q, double real, query_place place)
{
	return query_constant(q, (gemp_value){ .type = GEMP_FLOAT, .real = real }, place);
}

query_expr *query_string(query *q, query_word word)
{
	return query_constant(q, (gemp_value){ .type = GEMP_STRING, .string = { word.bytes, word.size } }, word.place);
}

query_expr *query_amount(query *q, uint64_t amount, query_place place)
{
	return query_constant(q, (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)amount }, place);
}

void query_check_amount(query *q, const query_expr *parameter)
{
	if (parameter && (parameter->value.null || parameter->value.type != GEMP_INTEGER || parameter->value.integer < 0))
		query_fail(q, parameter->place.begin, "SKIP and LIMIT take an integer from 0 on");
}

void query_about(query_expr *expr, query_word variable)
{
	if (expr->kind == GEMP_HAS_LABEL)
		expr->variable = variable;
	else
		for (query_expr *child = expr->first; child; child = child->next)
			query_about(child, variable);
}
