#include "cypher/check/check.h"
#include "cypher/check/checker.h"

#include <stdlib.h>

static const char *word_of(const gemp_cypher_clause *clause)
{
	return clause->kind == GEMP_CY_WITH ? "WITH" : "RETURN";
}

/* COLUMNS */

static int compare_names(const void *a, const void *b)
{
	const gemp_cypher_variable *const *x = a, *const *y = b;
	return gemp_compare_bytes((*x)->name.bytes, (*x)->name.size, (*y)->name.bytes, (*y)->name.size);
}

/* Puts an item for each visible variable in front of the others. */
static gemp_code expand_all(gemp_checker *checker, gemp_cypher_clause *clause)
{
	GEMP_OWNED const gemp_cypher_variable **visible = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(visible, checker->count - checker->floor));
	for (size_t i = checker->floor; i < checker->count; i++)
		if (gemp_checker_look_up(checker, checker->variables[i].name) == &checker->variables[i])
			visible[count++] = &checker->variables[i];
	if (count == 0 && clause->kind == GEMP_CY_RETURN && !clause->items)
		return gemp_checker_fail(checker, clause->place, "RETURN * needs variables, but none is bound here");
	qsort(visible, count, sizeof *visible, compare_names);
	for (size_t i = count; i-- > 0;) {
		gemp_cypher_item *item;
		GEMP_TRY(GEMP_ARENA_NEW(&checker->tree->arena, item, 1));
		GEMP_TRY(GEMP_ARENA_NEW(&checker->tree->arena, item->expr, 1));
		*item->expr = (gemp_cypher_expr){ .kind = GEMP_CY_VARIABLE,
			                              .place = clause->place,
			                              .name = visible[i]->name,
			                              .slot = visible[i]->slot,
			                              .slot2 = GEMP_CY_NO_SLOT,
			                              .aggregate = -1 };
		item->place = clause->place;
		item->alias = visible[i]->name;
		item->next = clause->items;
		clause->items = item;
		if (!clause->last_item)
			clause->last_item = item;
	}
	return GEMP_OK;
}

/* The columns become variables behind the row. */
static gemp_code declare_columns(gemp_checker *checker, const gemp_cypher_clause *clause, const gemp_cypher_type *types)
{
	const size_t floor = checker->floor;
	checker->floor = checker->count;
	for (const gemp_cypher_item *item = clause->items; item; item = item->next) {
		if (gemp_checker_look_up(checker, item->alias))
			return gemp_checker_fail(checker, item->place,
			                         "%s has two columns named '%s'; give one another name with AS", word_of(clause),
			                         item->alias.bytes);
		GEMP_TRY(gemp_checker_declare_in(checker, item->alias, types[item->slot], clause->width_in + item->slot));
	}
	checker->floor = floor;
	return GEMP_OK;
}

/* GROUPS */

/* The column whose expression is written like `expr`; simple: only variables and properties. NULL: there is none. */
static const gemp_cypher_item *item_like(const gemp_cypher_clause *clause, const gemp_cypher_expr *expr, bool simple)
{
	if (simple && expr->kind != GEMP_CY_VARIABLE && expr->kind != GEMP_CY_PROPERTY)
		return NULL;
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		if (gemp_cypher_same(item->expr, expr))
			return item;
	return NULL;
}

static gemp_code fail_ambiguous(const gemp_checker *checker, const gemp_cypher_expr *expr)
{
	int size = (int)(expr->place.end - expr->place.begin);
	return gemp_checker_fail(
		checker, expr->place,
		"'%.*s' stands beside an aggregate, but is no column of its own; add it as a column, so that "
		"rows are grouped by it, or compute it in a WITH before",
		size, checker->tree->source.text + expr->place.begin);
}

/* Beside an aggregate, only values are allowed that are equal in all rows of a group. Variables of comprehensions have
 * slots from `locals` on. */
static gemp_code check_grouped(const gemp_checker *checker, const gemp_cypher_clause *clause,
                               const gemp_cypher_expr *expr, int locals)
{
	if (gemp_cypher_calls_aggregate(expr) || item_like(clause, expr, true))
		return GEMP_OK;
	switch (expr->kind) {
	case GEMP_CY_VARIABLE: return expr->slot >= locals ? GEMP_OK : fail_ambiguous(checker, expr);
	case GEMP_CY_PROPERTY:
		if (expr->first && expr->first->kind == GEMP_CY_VARIABLE && expr->first->slot < locals &&
		    !item_like(clause, expr->first, true))
			return fail_ambiguous(checker, expr);
		break;
	case GEMP_CY_PATTERN:
	case GEMP_CY_PATTERN_COMPREHENSION:
	case GEMP_CY_EXISTS:
	case GEMP_CY_COUNT:
	case GEMP_CY_COLLECT: return fail_ambiguous(checker, expr);
	default: break;
	}
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(check_grouped(checker, clause, child, locals));
	return GEMP_OK;
}

/* ORDER BY AND WHERE */

/* True if a name of the expression is also a column of another meaning, so that the expression is not that of an
 * item. */
static bool is_shadowed(const gemp_cypher_clause *clause, const gemp_cypher_expr *expr)
{
	if (expr->kind == GEMP_CY_VARIABLE)
		for (const gemp_cypher_item *item = clause->items; item; item = item->next)
			if (gemp_cypher_same_word(item->alias, expr->name) && !gemp_cypher_same(item->expr, expr))
				return true;
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		if (is_shadowed(clause, child))
			return true;
	return false;
}

/* Replaces expressions that equal an item by the item's column. */
static void use_columns(const gemp_cypher_clause *clause, gemp_cypher_expr *expr, bool simple)
{
	const gemp_cypher_item *item = is_shadowed(clause, expr)
	                                   ? NULL
	                                   : item_like(clause, expr, simple && !gemp_cypher_calls_aggregate(expr));
	if (item) {
		expr->kind = GEMP_CY_VARIABLE;
		expr->name.bytes = item->alias.bytes;
		expr->name.size = item->alias.size;
		expr->first = expr->last = NULL;
		expr->count = 0;
		expr->distinct = false;
		return;
	}
	for (gemp_cypher_expr *child = expr->first; child; child = child->next)
		use_columns(clause, child, simple);
}

/* An expression of ORDER BY or WHERE. After groups or DISTINCT, it reads columns alone. */
static void prepare_later(const gemp_cypher_clause *clause, gemp_cypher_expr *expr, bool columns_only)
{
	if (!columns_only)
		return;
	const bool whole = item_like(clause, expr, false) && !is_shadowed(clause, expr);
	use_columns(clause, expr, !whole && gemp_cypher_has_aggregate(expr));
}

static gemp_code check_later(gemp_checker *checker, gemp_cypher_clause *clause, bool columns_only)
{
	checker->no_aggregates = "ORDER BY, unless it is also a column";
	for (gemp_cypher_order *order = clause->orders; order; order = order->next) {
		prepare_later(clause, order->expr, columns_only);
		GEMP_TRY(gemp_checker_expr(checker, order->expr, NULL));
	}
	checker->no_aggregates = "WHERE";
	if (!clause->where)
		return GEMP_OK;
	prepare_later(clause, clause->where, columns_only);
	return gemp_checker_condition(checker, clause->where, "WHERE");
}

/* SKIP AND LIMIT */

static gemp_code check_constant(const gemp_checker *checker, const gemp_cypher_expr *expr, const char *word)
{
	switch (expr->kind) {
	case GEMP_CY_VARIABLE:
	case GEMP_CY_PATTERN:
	case GEMP_CY_PATTERN_COMPREHENSION:
	case GEMP_CY_EXISTS:
	case GEMP_CY_COUNT:
	case GEMP_CY_COLLECT:
		return gemp_checker_fail(checker, expr->place,
		                         "%s needs a number that is the same for all rows; it cannot read "
		                         "variables or the graph",
		                         word);
	default: break;
	}
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(check_constant(checker, child, word));
	return GEMP_OK;
}

static gemp_code check_amount(gemp_checker *checker, gemp_cypher_expr *expr, const char *word)
{
	gemp_cypher_type type;
	if (!expr)
		return GEMP_OK;
	GEMP_TRY(check_constant(checker, expr, word));
	checker->no_aggregates = word;
	GEMP_TRY(gemp_checker_expr(checker, expr, &type));
	GEMP_TRY(gemp_checker_need(checker, expr, type, GEMP_CY_BIT(INTEGER), word));
	if (expr->kind == GEMP_CY_LITERAL && expr->value.kind == GEMP_DATUM_INTEGER && expr->value.integer < 0)
		return gemp_checker_fail(checker, expr->place, "%s needs a number that is not negative", word);
	return GEMP_OK;
}

/* Checks the items on the row before the clause. *groups: there are aggregates. */
static gemp_code check_items(gemp_checker *checker, gemp_cypher_clause *clause, gemp_cypher_type *types, bool *groups)
{
	const int locals = checker->top;
	size_t i = 0;
	checker->no_aggregates = NULL;
	checker->aggregates = 0;
	for (gemp_cypher_item *item = clause->items; item; item = item->next, i++) {
		item->slot = (int)i;
		GEMP_TRY(gemp_checker_expr(checker, item->expr, &types[i]));
		if (item->expr->kind == GEMP_CY_VARIABLE && !item->named)
			item->alias = item->expr->name;
	}
	*groups = checker->aggregates > 0;
	clause->aggregates = checker->aggregates;
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		if (gemp_cypher_has_aggregate(item->expr))
			GEMP_TRY(check_grouped(checker, clause, item->expr, locals));
	return GEMP_OK;
}

gemp_code gemp_checker_projection(gemp_checker *checker, gemp_cypher_clause *clause, size_t query_floor)
{
	GEMP_OWNED gemp_cypher_type *types = NULL;
	const size_t before = checker->count, floor = checker->floor;
	bool groups;
	size_t columns = 0;
	if (clause->all)
		GEMP_TRY(expand_all(checker, clause));
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		columns++;
	clause->width_out = (int)columns;
	checker->top = checker->peak = clause->width_in + (int)columns;
	GEMP_TRY(GEMP_NEW(types, columns));
	GEMP_TRY(check_items(checker, clause, types, &groups));
	GEMP_TRY(declare_columns(checker, clause, types));
	const bool columns_only = groups || clause->distinct, outer = checker->columns_only;
	if (columns_only)
		checker->floor = before;
	checker->columns_only = columns_only;
	GEMP_TRY(check_later(checker, clause, columns_only));
	checker->columns_only = outer;
	GEMP_TRY(check_amount(checker, clause->skip, "SKIP"));
	GEMP_TRY(check_amount(checker, clause->limit, "LIMIT"));
	clause->scratch = checker->peak - clause->width_in - clause->width_out;
	/* From now on, the columns are the row. */
	for (size_t i = 0; i < columns; i++) {
		checker->variables[query_floor + i] = checker->variables[before + i];
		checker->variables[query_floor + i].slot = (int)i;
	}
	checker->count = query_floor + columns;
	checker->floor = gemp_max(floor, query_floor);
	checker->top = (int)columns;
	return GEMP_OK;
}
