#include "cypher/check/check.h"
#include "cypher/check/checker.h"
#include "cypher/function/function.h"

#include <strings.h>

static const struct {
	const char *name;
	size_t arguments;
	uint32_t result;
} aggregates[] = {
	{ "count", 1, GEMP_CY_BIT(INTEGER) },
	{ "sum", 1, GEMP_CYPHER_ANY },
	{ "avg", 1, GEMP_CYPHER_ANY },
	{ "min", 1, GEMP_CYPHER_ANY },
	{ "max", 1, GEMP_CYPHER_ANY },
	{ "collect", 1, GEMP_CY_BIT(LIST) },
	{ "stDev", 1, GEMP_CYPHER_ANY },
	{ "stDevP", 1, GEMP_CYPHER_ANY },
	{ "percentileCont", 2, GEMP_CYPHER_ANY },
	{ "percentileDisc", 2, GEMP_CYPHER_ANY },
};
enum { AGGREGATES = sizeof aggregates / sizeof *aggregates };

/* Returns AGGREGATES if the name is none of an aggregate. */
static size_t aggregate_of(const char *name)
{
	size_t i = 0;
	while (i < AGGREGATES && strcasecmp(aggregates[i].name, name) != 0)
		i++;
	return i;
}

bool gemp_cypher_is_aggregate(const char *name)
{
	return aggregate_of(name) < AGGREGATES;
}

static gemp_code fail_count(const gemp_checker *checker, const gemp_cypher_expr *expr, const char *name, size_t min,
                            size_t max)
{
	if (max == SIZE_MAX)
		return gemp_checker_fail(checker, expr->place, "%s() takes at least %zu arguments, not %zu", name, min,
		                         expr->count);
	if (min != max)
		return gemp_checker_fail(checker, expr->place, "%s() takes %zu to %zu arguments, not %zu", name, min, max,
		                         expr->count);
	return gemp_checker_fail(checker, expr->place, "%s() takes %zu argument%s, not %zu", name, min, min == 1 ? "" : "s",
	                         expr->count);
}

static gemp_code check_aggregate(gemp_checker *checker, gemp_cypher_expr *expr, size_t which, gemp_cypher_type *type)
{
	const char *name = expr->kind == GEMP_CY_COUNT_STAR ? "count" : aggregates[which].name;
	gemp_cypher_type element = gemp_cypher_type_any();
	if (checker->no_aggregates)
		return gemp_checker_fail(
			checker, expr->place,
			"the aggregate %s() may not stand in %s; compute it in a WITH before, and use its column", name,
			checker->no_aggregates);
	expr->aggregate = (int)checker->aggregates++;
	if (expr->kind == GEMP_CY_CALL) {
		if (expr->count != aggregates[which].arguments)
			return fail_count(checker, expr, name, aggregates[which].arguments, aggregates[which].arguments);
		checker->no_aggregates = "another aggregate";
		checker->in_aggregate = true;
		for (gemp_cypher_expr *argument = expr->first; argument; argument = argument->next)
			GEMP_TRY(gemp_checker_expr(checker, argument, argument == expr->first ? &element : NULL));
		checker->no_aggregates = NULL;
		checker->in_aggregate = false;
	}
	*type = gemp_cypher_type_of(expr->kind == GEMP_CY_COUNT_STAR ? GEMP_CY_BIT(INTEGER) : aggregates[which].result);
	if (type->kinds == GEMP_CY_BIT(LIST))
		type->elements = element.kinds;
	return GEMP_OK;
}

/* Functions of other languages and products, and what openCypher has instead. */
static const struct {
	const char *name, *instead;
} foreign[] = {
	{ "if", "write CASE WHEN condition THEN a ELSE b END" },
	{ "iif", "write CASE WHEN condition THEN a ELSE b END" },
	{ "concat", "write a + b" },
	{ "len", "write size()" },
	{ "ifnull", "write coalesce()" },
	{ "isnull", "write x IS NULL, or coalesce()" },
	{ "nvl", "write coalesce()" },
	{ "nullif", "write CASE WHEN a = b THEN NULL ELSE a END" },
	{ "average", "write avg()" },
	{ "mean", "write avg()" },
	{ "median", "write percentileCont(x, 0.5)" },
	{ "cast", "write toInteger(), toFloat(), toString() or toBoolean()" },
	{ "convert", "write toInteger(), toFloat(), toString() or toBoolean()" },
	{ "now", "write datetime()" },
	{ "getdate", "write datetime()" },
	{ "group_concat", "write collect()" },
	{ "string_agg", "write collect()" },
	{ "array_agg", "write collect()" },
	{ "pow", "write a ^ b" },
	{ "power", "write a ^ b" },
	{ "mod", "write a % b" },
	{ "instr", "write text CONTAINS part" },
	{ "datediff", "write duration.between(a, b)" },
	{ "year", "write x.year" },
	{ "month", "write x.month" },
	{ "day", "write x.day" },
	{ "point", "points are not part of openCypher 9" },
	{ "distance", "points are not part of openCypher 9" },
};

/* The remedy for the name of a function of another product, or NULL. */
static const char *instead_of(const char *name)
{
	if (strncasecmp(name, "apoc.", 5) == 0)
		return "APOC is not part of openCypher";
	if (strncasecmp(name, "gds.", 4) == 0)
		return "algorithms are commands, such as `gemp-mpi pagerank`";
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (strcasecmp(foreign[i].name, name) == 0)
			return foreign[i].instead;
	return NULL;
}

static gemp_code fail_unknown(const gemp_checker *checker, const gemp_cypher_expr *expr)
{
	const char *instead = instead_of(expr->name.bytes), *nearest = gemp_cypher_function_nearest(expr->name.bytes);
	if (instead)
		return gemp_checker_fail(checker, expr->place, "there is no function %s(); %s", expr->name.bytes, instead);
	if (nearest)
		return gemp_checker_fail(checker, expr->place, "there is no function %s(); do you mean %s()?", expr->name.bytes,
		                         nearest);
	return gemp_checker_fail(checker, expr->place, "there is no function %s(); docs/functions.md lists the functions",
	                         expr->name.bytes);
}

static gemp_code check_argument(gemp_checker *checker, gemp_cypher_expr *argument, const gemp_cypher_function *function,
                                size_t number)
{
	gemp_cypher_type type;
	char word[128];
	GEMP_TRY(gemp_checker_expr(checker, argument, &type));
	const uint32_t kinds = gemp_cypher_function_kinds(function, number);
	if (!kinds)
		return GEMP_OK;
	snprintf(word, sizeof word, "argument %zu of %s()", number + 1, function->name);
	return gemp_checker_need(checker, argument, type, kinds, word);
}

/* exists(pattern), an older spelling, becomes the pattern. */
static bool is_exists_of_pattern(const gemp_cypher_expr *expr)
{
	return expr->kind == GEMP_CY_CALL && expr->count == 1 && expr->first->kind == GEMP_CY_PATTERN &&
	       strcasecmp(expr->name.bytes, "exists") == 0;
}

static gemp_code check_function(gemp_checker *checker, gemp_cypher_expr *expr)
{
	const gemp_cypher_function *function = gemp_cypher_function_find(expr->name.bytes);
	if (!function)
		return fail_unknown(checker, expr);
	if (expr->distinct)
		return gemp_checker_fail(checker, expr->place,
		                         "DISTINCT needs an aggregate, such as count() or collect(); %s() is none",
		                         function->name);
	if (expr->count < function->min_arguments || expr->count > function->max_arguments)
		return fail_count(checker, expr, function->name, function->min_arguments, function->max_arguments);
	if (checker->in_aggregate &&
	    (strcasecmp(function->name, "rand") == 0 || strcasecmp(function->name, "randomUUID") == 0))
		return gemp_checker_fail(checker, expr->place,
		                         "%s() may not stand in an aggregate; compute it in a WITH before, and use its column",
		                         function->name);
	expr->function = function;
	size_t number = 0;
	for (gemp_cypher_expr *argument = expr->first; argument; argument = argument->next)
		GEMP_TRY(check_argument(checker, argument, function, number++));
	return GEMP_OK;
}

gemp_code gemp_checker_call(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	if (is_exists_of_pattern(expr)) {
		expr->kind = GEMP_CY_PATTERN;
		expr->pattern = expr->first->pattern;
		expr->first = expr->last = NULL;
		expr->count = 0;
		return gemp_checker_predicate(checker, expr, type);
	}
	size_t aggregate = expr->kind == GEMP_CY_COUNT_STAR ? 0 : aggregate_of(expr->name.bytes);
	if (aggregate < AGGREGATES)
		return check_aggregate(checker, expr, aggregate, type);
	*type = gemp_cypher_type_any();
	return check_function(checker, expr);
}
