#include "query/clause/group_request.h"

#include "query/clause/pipeline.h"

#include <math.h>

/* Adds the vertices that the expression reads. False if it reads anything else of a match. */
static bool add_vertices(const gemp_pattern *pattern, const gemp_expr *expr, uint64_t *vertices)
{
	if (gemp_clause_counts_rows(pattern, expr))
		return true;
	if (gemp_expr_is_subpattern(expr) || expr->kind == GEMP_EDGE || (expr->variable >= 0 && expr->of_edge))
		return false;
	if (expr->variable >= 0)
		*vertices |= UINT64_C(1) << expr->variable;
	for (size_t i = 0; i < expr->count; i++)
		if (!add_vertices(pattern, expr->children[i], vertices))
			return false;
	return true;
}

/* Notes the attribute of each vertex of which nothing else is read. other: the vertices of which something else is
 * read. */
static void add_attributes(const gemp_pattern *pattern, const gemp_expr *expr, int *attribute, uint64_t *other)
{
	if (gemp_clause_counts_rows(pattern, expr))
		return;
	if (expr->variable >= 0 && expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0 &&
	    (!attribute[expr->variable] || attribute[expr->variable] == expr->attribute + 1))
		attribute[expr->variable] = expr->attribute + 1;
	else if (expr->variable >= 0)
		*other |= UINT64_C(1) << expr->variable;
	for (size_t i = 0; i < expr->count; i++)
		add_attributes(pattern, expr->children[i], attribute, other);
}

static void choose_attributes(const gemp_pattern *pattern, const gemp_clause *clause, int *attribute)
{
	uint64_t other = 0;
	for (size_t i = 0; i < clause->item_count; i++)
		add_attributes(pattern, clause->items[i].expr, attribute, &other);
	for (; other; other &= other - 1)
		attribute[__builtin_ctzll(other)] = 0;
}

/* The vertices by which the clause groups rows: those of the items that are a vertex, its key, or the only attribute
 * that is read of it. 0 if items without an aggregate read other vertices, so that groups of vertices and values are
 * not groups of the clause. */
static uint64_t grouped_vertices(const gemp_pattern *pattern, const gemp_clause *clause, const int *attribute)
{
	uint64_t vertices = 0, read = 0;
	for (size_t i = 0; i < clause->item_count; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (expr->kind == GEMP_VERTEX || expr->kind == GEMP_KEY ||
		    (expr->kind == GEMP_ATTRIBUTE && expr->variable >= 0 && attribute[expr->variable]))
			vertices |= UINT64_C(1) << expr->variable;
		if (!gemp_expr_has_aggregate(expr) && !add_vertices(pattern, expr, &read))
			return 0;
	}
	return read == vertices ? vertices : 0;
}

static bool is_count(const gemp_pattern *pattern, size_t item)
{
	return gemp_clause_counts_rows(pattern, gemp_pattern_first_clause(pattern)->items[item].expr);
}

/* The least integer that is at least the literal, or above it. */
static bool least_integer(const gemp_value *literal, bool above, uint64_t *out)
{
	const double low = above ? floor(literal->real) + 1 : ceil(literal->real);
	if (literal->null || (literal->type != GEMP_INTEGER && literal->type != GEMP_FLOAT))
		return false;
	if (literal->type == GEMP_INTEGER)
		*out = literal->integer < 0 ? 0 : (uint64_t)literal->integer + above;
	else if (low >= 0 && low < 0x1p53)
		*out = (uint64_t)low;
	else
		return false;
	return true;
}

/* Raises *min_rows to the number of rows that a group must have to pass the condition. Returns true if this number
 * alone decides. */
static bool add_min_rows(const gemp_pattern *pattern, const gemp_expr *expr, uint64_t *min_rows)
{
	uint64_t least;
	bool decides = true;
	if (expr->kind == GEMP_AND) {
		for (size_t i = 0; i < expr->count; i++)
			decides &= add_min_rows(pattern, expr->children[i], min_rows);
		return decides;
	}
	if (expr->kind != GEMP_GT && expr->kind != GEMP_GE && expr->kind != GEMP_EQ)
		return false;
	const gemp_expr *left = expr->children[0], *right = expr->children[1];
	if (left->kind != GEMP_COLUMN || !is_count(pattern, left->item) || right->kind != GEMP_LITERAL ||
	    !least_integer(&right->value, expr->kind == GEMP_GT, &least))
		return false;
	*min_rows = *min_rows > least ? *min_rows : least;
	return expr->kind != GEMP_EQ;
}

/* The number of groups with most rows that a clause wants if it orders its rows by column `item`, descending. */
static uint64_t top_of(const gemp_clause *clause)
{
	const uint64_t skip = clause->has_skip ? clause->skip : 0;
	uint64_t top;
	if (!clause->order_count || !clause->orders[0].descending || !clause->has_limit ||
	    __builtin_add_overflow(skip, clause->limit, &top))
		return 0;
	return top ? top : 1;
}

/* RETURN n ORDER BY n DESC LIMIT k after WITH, whose count is n. */
static bool returns_top(const gemp_pattern *pattern)
{
	const gemp_clause *clause = &pattern->result;
	if (clause->grouped || clause->distinct || !top_of(clause))
		return false;
	const gemp_expr *expr = clause->items[clause->orders[0].item].expr;
	return expr->kind == GEMP_COLUMN && is_count(pattern, expr->item);
}

static void add_wanted(const gemp_pattern *pattern, gemp_group_request *request)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	const bool cut = clause->has_skip || clause->has_limit;
	const bool by_count = clause->order_count && is_count(pattern, clause->orders[0].item);
	uint64_t min_rows = 0;
	const bool decides = !clause->where || add_min_rows(pattern, clause->where, &min_rows);
	if (by_count)
		request->top = top_of(clause);
	if (!cut || request->top)
		request->min_rows = min_rows;
	if (!cut && decides && pattern->with && returns_top(pattern))
		request->top = top_of(&pattern->result);
}

/* True if the expression only counts rows, and rows in which elements are present. */
static bool counts_presence(const gemp_expr *expr)
{
	if (expr->kind == GEMP_COUNT_STAR ||
	    (expr->kind == GEMP_COUNT && !expr->distinct && gemp_expr_is_element(expr->children[0])))
		return true;
	if (gemp_expr_is_aggregate(expr) || gemp_expr_is_subpattern(expr) || expr->variable >= 0)
		return false;
	for (size_t i = 0; i < expr->count; i++)
		if (!counts_presence(expr->children[i]))
			return false;
	return true;
}

/* Later clauses read only the items of the first clause. */
static bool only_presence(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	for (size_t i = 0; i < clause->item_count; i++)
		if (!counts_presence(clause->items[i].expr))
			return false;
	return clause->grouped && pattern->optional_count;
}

gemp_group_request gemp_clause_group_request(const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	gemp_group_request request = { .only_presence = only_presence(pattern) };
	if (!clause->grouped && !clause->distinct &&
	    !(pattern->with && (pattern->result.grouped || pattern->result.distinct)))
		return request;
	/* rows of groups have no edges, not even for count(r), whose column is read */
	if (pattern->optional_count || gemp_clause_edges(pattern))
		return request;
	for (size_t i = 0; i < clause->item_count; i++)
		if (!add_vertices(pattern, clause->items[i].expr, &request.keys))
			return (gemp_group_request){ 0 };
	choose_attributes(pattern, clause, request.attribute);
	if (clause->grouped && !clause->distinct)
		request.by = grouped_vertices(pattern, clause, request.attribute);
	if (request.by)
		add_wanted(pattern, &request);
	return request;
}
