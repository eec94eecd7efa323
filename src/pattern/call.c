/* Functions and parameters of a query. */
#include "pattern/query.h"

#include <string.h>

/* takes: what the argument has to be. */
static const struct function {
	const char *name;
	gemp_expr_kind kind;
	enum { VARIABLE, VALUE, ANYTHING } takes;
	bool aggregate;
} functions[] = {
	{ "id", GEMP_KEY, VARIABLE, false },
	{ "labels", GEMP_LABELS, VARIABLE, false },
	{ "type", GEMP_TYPE, VARIABLE, false },
	{ "toLower", GEMP_LOWER, VALUE, false },
	{ "toUpper", GEMP_UPPER, VALUE, false },
	{ "size", GEMP_SIZE, VALUE, false },
	{ "count", GEMP_COUNT, ANYTHING, true },
	{ "sum", GEMP_SUM, VALUE, true },
	{ "min", GEMP_MIN, VALUE, true },
	{ "max", GEMP_MAX, VALUE, true },
	{ "avg", GEMP_AVG, VALUE, true },
	{ "collect", GEMP_COLLECT, ANYTHING, true },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* What has another name here. */
static const struct {
	const char *name, *remedy;
} others[] = {
	{ "elementId", "id(v) is the key of a vertex" },
	{ "lower", "write toLower()" },
	{ "upper", "write toUpper()" },
	{ "char_length", "write size()" },
	{ "character_length", "write size()" },
	{ "degree", "write COUNT { (v)--() }" },
	{ "isEmpty", "write size(s) = 0" },
	{ "shortestPath", "a path has a greatest length, as in -[:T*1..5]->" },
	{ "allShortestPaths", "a path has a greatest length, as in -[:T*1..5]->" },
};

static const struct function *find(query_word name)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (strcasecmp(functions[i].name, name.bytes) == 0)
			return &functions[i];
	return NULL;
}

void query_check_callee(query *q, query_word name)
{
	if (find(name))
		return;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcasecmp(others[i].name, name.bytes) == 0) {
			query_fail(q, name.place.begin, "the function %s() is not supported; %s", name.bytes, others[i].remedy);
			return;
		}
	query_fail(q, name.place.begin, "the function %.60s() is not supported; there are id, labels, type, toLower, toUpper, "
	           "size and the aggregates count, sum, min, max, avg, collect", name.bytes);
}

static query_expr *count_rows(query *q, query_word name, bool distinct, query_place place)
{
	if (find(name)->kind != GEMP_COUNT)
		query_fail(q, place.begin, "%s(*) has no meaning; only count(*) has", find(name)->name);
	else if (distinct)
		query_fail(q, place.begin, "count(DISTINCT *) has no meaning; count(DISTINCT a) counts different vertices");
	return q->code == GEMP_OK ? query_leaf(q, GEMP_COUNT_STAR, place) : NULL;
}

query_expr *query_call(query *q, query_word name, bool distinct, query_expr *argument, query_place place)
{
	const struct function *function = find(name);
	if (!argument)
		return count_rows(q, name, distinct, place);
	if (distinct && !function->aggregate)
		query_fail(q, place.begin, "DISTINCT stands in aggregates only, and %s() is none", function->name);
	else if (function->takes == VARIABLE && argument->kind != GEMP_VERTEX)
		query_fail(q, place.begin, "%s() takes a variable, as in %s(%c)", function->name, function->name,
		           function->kind == GEMP_TYPE ? 'r' : 'a');
	else if (function->kind == GEMP_SIZE && argument->kind == GEMP_EXISTS && argument->bare)
		query_refuse(q, place.begin, "size() of a path; write COUNT { } around the path");
	query_expr *expr = q->code == GEMP_OK ? query_leaf(q, function->kind, place) : NULL;
	if (!expr)
		return NULL;
	expr->distinct = distinct;
	if (function->takes == VARIABLE)
		expr->variable = argument->variable;
	else
		query_adopt(q, expr, argument);
	return q->code == GEMP_OK ? expr : NULL;
}

query_expr *query_parameter(query *q, query_word name, query_place place)
{
	for (size_t i = 0; i < q->parameter_count; i++)
		if (strcmp(q->parameters[i].name, name.bytes) == 0) {
			q->used[i] = true;
			return query_constant(q, q->parameters[i].value, place);
		}
	query_fail(q, place.begin, "the parameter $%s has no value; give it one by --param '%s=VALUE'", name.bytes,
	           name.bytes);
	return NULL;
}
