#include "query/clause/fold_request.h"

#include "query/clause/pipeline.h"

/* KEYS */

/* True if the expression reads one vertex at most, which becomes *vertex. */
static bool reads_one_vertex(const gemp_pattern *pattern, const gemp_expr *expr, int *vertex)
{
	uint64_t vertices = 0, edges = 0;
	gemp_expr_uses(expr, &vertices, &edges);
	if (edges || gemp_expr_has_subpattern(expr) || (*vertex >= 0 && vertices & ~GEMP_BIT(*vertex)) ||
	    __builtin_popcountll(vertices) > 1 || vertices >> pattern->vertex_count)
		return false;
	if (vertices)
		*vertex = __builtin_ctzll(vertices);
	return true;
}

/* Notes what the expression reads of its vertex: *attribute becomes -1 if it is not one attribute alone. */
static void add_attribute(const gemp_expr *expr, int *attribute)
{
	if (expr->variable >= 0) {
		const int own = expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0 ? expr->attribute + 1 : -1;
		*attribute = *attribute && *attribute != own ? -1 : own;
	}
	for (size_t i = 0; i < expr->count; i++)
		add_attribute(expr->children[i], attribute);
}

static bool find_key(gemp_fold_request *out, const gemp_pattern *pattern, const gemp_clause *clause)
{
	int attribute = 0;
	for (size_t i = 0; i < clause->item_count; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (gemp_expr_has_aggregate(expr))
			continue;
		if (!reads_one_vertex(pattern, expr, &out->key))
			return false;
		add_attribute(expr, &attribute);
		out->whole |= expr->kind == GEMP_VERTEX || expr->kind == GEMP_KEY;
		out->by_value |= expr->kind == GEMP_ATTRIBUTE;
	}
	out->attribute = attribute < 0 ? 0 : attribute;
	return true;
}

/* ARGUMENTS */

static bool is_number(const gemp_expr *expr)
{
	return expr->type == GEMP_INTEGER || expr->type == GEMP_FLOAT || expr->type == GEMP_BOOLEAN;
}

/* True if the aggregate of this value can be folded. Sums of floats are exact, and need more than a number. */
static bool can_fold(const gemp_expr *aggregate, const gemp_expr *value)
{
	const bool attribute = value->kind == GEMP_ATTRIBUTE && value->attribute >= 0;
	if (value->of_edge || (!attribute && value->kind != GEMP_KEY))
		return false;
	switch (aggregate->kind) {
	case GEMP_COUNT: return !aggregate->distinct;
	case GEMP_SUM:
	case GEMP_AVG: return !aggregate->distinct && value->type == GEMP_INTEGER;
	case GEMP_MIN:
	case GEMP_MAX: return is_number(value);
	default: return false;
	}
}

static bool add_argument(gemp_fold_request *out, const gemp_pattern *pattern, const gemp_expr *aggregate)
{
	const gemp_expr *value = aggregate->children[0];
	gemp_fold_argument argument = { .kind = aggregate->kind, .vertex = -1 };
	if (out->count == GEMP_FOLD_ARGUMENTS)
		return false;
	if (!gemp_clause_counts_rows(pattern, aggregate)) {
		argument.vertex = value->variable;
		argument.distinct = aggregate->kind == GEMP_COUNT && aggregate->distinct && value->kind == GEMP_VERTEX;
		argument.expr = argument.distinct ? NULL : value;
		if (value->variable < 0 || value->variable >= (int)pattern->vertex_count ||
		    (!argument.distinct && !can_fold(aggregate, value)))
			return false;
	}
	out->arguments[out->count++] = argument;
	return true;
}

static bool add_arguments(gemp_fold_request *out, const gemp_pattern *pattern, const gemp_expr *expr)
{
	if (gemp_expr_is_aggregate(expr))
		return expr->kind == GEMP_COUNT_STAR || add_argument(out, pattern, expr);
	for (size_t i = 0; i < expr->count; i++)
		if (!add_arguments(out, pattern, expr->children[i]))
			return false;
	return true;
}

/* Groups of a vertex whose rows are only counted are left out early by a search, if few of them are wanted
 * (match/interpret/group_walk.h). */
static bool find_groups(gemp_fold_request *out, const gemp_pattern *pattern, const gemp_clause *clause)
{
	bool folds = false;
	if (!find_key(out, pattern, clause))
		return false;
	for (size_t i = 0; i < clause->item_count; i++)
		if (!add_arguments(out, pattern, clause->items[i].expr))
			return false;
	for (size_t i = 0; i < out->count; i++)
		folds |= out->arguments[i].vertex >= 0;
	return folds || !out->whole;
}

/* DISTINCT ROWS */

static bool counts_rows(const gemp_expr *expr)
{
	if (gemp_expr_is_aggregate(expr))
		return expr->kind == GEMP_COUNT_STAR ||
		       (expr->kind == GEMP_COUNT && !expr->distinct && expr->children[0]->kind == GEMP_VERTEX);
	for (size_t i = 0; i < expr->count; i++)
		if (!counts_rows(expr->children[i]))
			return false;
	return true;
}

/* WITH DISTINCT a, b RETURN groups of one of them. */
static bool find_distinct(gemp_fold_request *out, const gemp_pattern *pattern)
{
	const gemp_clause *with = pattern->with, *result = &pattern->result;
	int item = -1;
	if (with->grouped || with->item_count != 2 || with->where || with->order_count || with->has_skip ||
	    with->has_limit || !result->grouped)
		return false;
	for (size_t i = 0; i < with->item_count; i++)
		if (with->items[i].expr->kind != GEMP_VERTEX || with->items[i].expr->variable >= (int)pattern->vertex_count)
			return false;
	for (size_t i = 0; i < result->item_count; i++) {
		const gemp_expr *expr = result->items[i].expr;
		uint64_t items = 0, edges = 0;
		if (gemp_expr_has_aggregate(expr) ? !counts_rows(expr) : gemp_expr_has_subpattern(expr))
			return false;
		gemp_expr_uses(expr, &items, &edges);
		if (gemp_expr_has_aggregate(expr) || !items)
			continue;
		if (edges || __builtin_popcountll(items) > 1 || (item >= 0 && item != __builtin_ctzll(items)))
			return false;
		item = __builtin_ctzll(items);
	}
	item = item < 0 ? 0 : item;
	out->key = with->items[item].expr->variable;
	out->other = with->items[1 - item].expr->variable;
	out->whole = true;
	return out->key != out->other;
}

bool gemp_fold_request_find(gemp_fold_request *out, const gemp_pattern *pattern)
{
	const gemp_clause *clause = gemp_pattern_first_clause(pattern);
	*out = (gemp_fold_request){ .key = -1, .other = -1 };
	if (pattern->optional_count || pattern->sub_count)
		return false;
	if (clause->grouped)
		return find_groups(out, pattern, clause);
	return pattern->with && pattern->with->distinct && find_distinct(out, pattern);
}
