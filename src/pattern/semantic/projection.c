/* WITH and RETURN become clauses of items, order and limits: columns, grouping, ORDER BY, and WHERE after WITH. */

#include "pattern/semantic/expression.h"

#include "core/memory.h"
#include "pattern/condition/normal_form.h"

#include <string.h>

/* Adds a shown column. Equal names are refused, since results are addressed by name. */
static gemp_code add_column(gemp_sema *p, gemp_clause *clause, gemp_expr **expr, gemp_ast_place place, const char *name,
                            size_t size)
{
	if (clause->item_count == GEMP_SEMA_MAX_ITEMS)
		return gemp_sema_fail(p, place.begin, "more than %d columns", GEMP_SEMA_MAX_ITEMS);
	for (size_t i = 0; i < clause->item_count; i++) {
		const char *other = clause->items[i].name;
		if (strlen(other) == size && memcmp(other, name, size) == 0)
			return gemp_sema_fail(p, place.begin, "two columns are called '%s'; rename one by AS", other);
	}
	return gemp_clause_add_item(clause, expr, name, size);
}

/* `*` stands for all variables in the order of their first appearance. */
static gemp_code add_all(gemp_sema *p, const gemp_sema_scope *scope, gemp_clause *clause, gemp_ast_place place)
{
	if (scope->count == 0)
		return gemp_sema_fail(p, place.begin,
		                      "* stands for all variables, and there are none; name a vertex, as in (a)");
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	for (size_t i = 0; i < scope->count; i++) {
		const gemp_sema_name *name = &scope->names[i];
		bool element = name->sort == GEMP_SEMA_VERTEX || name->sort == GEMP_SEMA_EDGE;
		if (name->value) {
			const gemp_sema_context before = { .scope = name->value_scope };
			GEMP_TRY(gemp_sema_expr(p, &before, name->value, GEMP_SEMA_ANY, &expr));
			GEMP_TRY(add_column(p, clause, &expr, place, name->name, strlen(name->name)));
			continue;
		}
		gemp_expr_kind kind = !element ? GEMP_COLUMN : name->sort == GEMP_SEMA_EDGE ? GEMP_EDGE : GEMP_VERTEX;
		GEMP_TRY(gemp_sema_new_expr(p, kind, place.begin, &expr));
		expr->of_edge = name->sort == GEMP_SEMA_EDGE;
		if (element)
			expr->variable = name->index;
		else
			expr->item = (size_t)name->index;
		GEMP_TRY(add_column(p, clause, &expr, place, name->name, strlen(name->name)));
	}
	return GEMP_OK;
}

/* Adds one item of WITH or RETURN. The name of its column is the alias, or the variable, or in RETURN the item's
 * text. */
static gemp_code add_one(gemp_sema *p, gemp_sema_scope *scope, bool with, gemp_clause *clause,
                         const gemp_ast_item *item)
{
	const gemp_ast_word *word = item->alias.bytes                 ? &item->alias
	                            : item->expr->kind == GEMP_VERTEX ? &item->expr->variable
	                                                              : NULL;
	gemp_sema_context context = { .scope = scope };
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_sema_expr(p, &context, item->expr, GEMP_SEMA_ANY, &expr));
	if (with && !word)
		return gemp_sema_fail(p, item->place.begin, "WITH needs a name for what it passes on: write ... AS name");
	if (word)
		return add_column(p, clause, &expr, item->alias.bytes ? item->alias.place : item->place, word->bytes,
		                  word->size);
	return add_column(p, clause, &expr, item->place, p->q->source.text + item->place.begin,
	                  item->place.end - item->place.begin);
}

/* Does the expression have one value for all rows of a group (with DISTINCT: of equal rows)? It does if it consists of
 * grouped columns, aggregates and literals. */
static bool is_determined(const gemp_clause *clause, const gemp_expr *expr)
{
	if (expr->kind == GEMP_LITERAL || gemp_expr_is_aggregate(expr))
		return true;
	for (size_t i = 0; i < clause->shown; i++) {
		const gemp_expr *item = clause->items[i].expr;
		bool element = gemp_expr_is_element(item);
		if (!gemp_expr_has_aggregate(item) &&
		    (gemp_expr_compare(item, expr) == 0 ||
		     (element && expr->variable == item->variable && expr->of_edge == item->of_edge)))
			return true;
	}
	bool determined = expr->count > 0 || gemp_expr_is_subpattern(expr);
	for (size_t i = 0; determined && i < expr->count; i++)
		determined = is_determined(clause, expr->children[i]);
	return determined;
}

/* Adds all items of a clause. If an item has an aggregate, the clause groups rows. Beside the aggregate, such an item
 * may then use only expressions with one value for each group. */
static gemp_code add_items(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_projection *from, bool with,
                           gemp_clause *clause)
{
	for (const gemp_ast_item *item = from->items; item; item = item->next)
		GEMP_TRY(item->expr ? add_one(p, scope, with, clause, item) : add_all(p, scope, clause, item->place));
	clause->shown = clause->item_count;
	for (size_t i = 0; i < clause->shown; i++)
		clause->grouped = clause->grouped || gemp_expr_has_aggregate(clause->items[i].expr);
	for (size_t i = 0; clause->grouped && i < clause->shown; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (gemp_expr_has_aggregate(expr) && !is_determined(clause, expr))
			return gemp_source_fail_at(&p->q->source, expr->line, expr->column,
			                           "what stands beside an aggregate has to be a "
			                           "column of its own, so that rows are grouped by it");
	}
	return GEMP_OK;
}

/* The kind of a column decides how later clauses may use it. Lists can only be passed on, returned and measured by
 * size(). */
static gemp_sema_kind kind_of(const gemp_sema_scope *scope, const gemp_expr *expr)
{
	if (expr->kind == GEMP_VERTEX)
		return GEMP_SEMA_VERTEX;
	if (expr->kind == GEMP_EDGE)
		return GEMP_SEMA_EDGE;
	if (expr->kind == GEMP_LABELS || expr->kind == GEMP_COLLECT)
		return GEMP_SEMA_LIST;
	for (size_t i = 0; expr->kind == GEMP_COLUMN && i < scope->count; i++)
		if (scope->names[i].index == (int)expr->item)
			return scope->names[i].sort;
	return GEMP_SEMA_VALUE;
}

/* ORDER BY sorts final rows: after grouping or DISTINCT an expression must have one value for each final row. */
static gemp_code check_order(gemp_sema *p, const gemp_sema_scope *scope, const gemp_clause *clause,
                             const gemp_expr *expr, size_t at)
{
	bool aggregate = gemp_expr_has_aggregate(expr);
	if (kind_of(scope, expr) == GEMP_SEMA_LIST)
		return gemp_sema_fail(p, at, "lists have no order; order by a value");
	if (aggregate && !clause->grouped)
		return gemp_sema_fail(p, at, "an aggregate in ORDER BY has to be a column too, so that there are groups");
	if (clause->grouped && !is_determined(clause, expr))
		return gemp_sema_fail(
			p, at,
			"ORDER BY beside aggregates speaks of columns only, since a group has one value for each; "
			"make this a column");
	if (clause->distinct && !is_determined(clause, expr))
		return gemp_sema_fail(
			p, at,
			"ORDER BY beside DISTINCT speaks of columns only, since equal rows become one; make this a "
			"column");
	return GEMP_OK;
}

/* True if the expression names nothing, so that it has the same value in all rows. */
static bool is_constant(const gemp_expr *expr)
{
	if (expr->count == 0 || gemp_expr_is_subpattern(expr))
		return gemp_expr_is_literal(expr);
	for (size_t i = 0; i < expr->count; i++)
		if (!is_constant(expr->children[i]))
			return false;
	return true;
}

/* An expression of ORDER BY that is not a column becomes a hidden item after the shown items. A constant orders
 * nothing, and beside aggregates it would be a key of groups: then there would be no row if nothing matches. */
static gemp_code add_order(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_order *order, gemp_clause *clause)
{
	gemp_sema_context context = { .scope = scope, .columns = clause };
	size_t item = 0;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_sema_expr(p, &context, order->expr, GEMP_SEMA_ELEMENT, &expr));
	GEMP_TRY(check_order(p, scope, clause, expr, order->expr->place.begin));
	if (is_constant(expr))
		return GEMP_OK;
	if (clause->order_count == GEMP_SEMA_MAX_ITEMS)
		return gemp_sema_fail(p, order->expr->place.begin, "more than %d expressions in ORDER BY", GEMP_SEMA_MAX_ITEMS);
	while (item < clause->item_count && gemp_expr_compare(clause->items[item].expr, expr) != 0)
		item++;
	if (item == clause->item_count)
		GEMP_TRY(gemp_clause_add_item(clause, &expr, "", 0));
	const gemp_sort_item sort = { .item = item, .descending = order->descending };
	return GEMP_APPEND(clause->orders, clause->order_count, &sort);
}

/* The scope borrows the names of the items, which live as long as the pattern. */
static gemp_code add_names(gemp_sema *p, const gemp_sema_scope *scope, const gemp_clause *clause, gemp_sema_scope *next)
{
	GEMP_TRY(gemp_sema_new_scope(p, NULL, clause->shown, next));
	for (size_t i = 0; i < clause->shown; i++)
		gemp_sema_add_name(next, clause->items[i].name, kind_of(scope, clause->items[i].expr), (int)i);
	return GEMP_OK;
}

/* WHERE after WITH filters rows of the clause, so its scope is that of the next clause. */
static gemp_code add_where(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_expr *from, gemp_clause *clause)
{
	gemp_sema_context context = { .scope = scope,
		                          .no_aggregates = "cannot stand in WHERE; give it a name in WITH, as in "
		                                           "WITH a, count(*) AS n WHERE n > 1" };
	GEMP_TRY(gemp_sema_expr(p, &context, from, GEMP_SEMA_CONDITION, &clause->where));
	return gemp_expr_normalise(&clause->where);
}

/* Analyses items first, since ORDER BY refers to their names, and WHERE last, since it uses the columns that the clause
 * passes on. */
gemp_code gemp_sema_clause(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_projection *from, bool with,
                           gemp_clause *clause, gemp_sema_scope *next)
{
	clause->distinct = from->distinct;
	GEMP_TRY(add_items(p, scope, from, with, clause));
	for (const gemp_ast_order *order = from->orders; order; order = order->next)
		GEMP_TRY(add_order(p, scope, order, clause));
	GEMP_TRY(add_names(p, scope, clause, next));
	if (from->where)
		GEMP_TRY(add_where(p, next, from->where, clause));
	clause->has_skip = from->skip != NULL;
	clause->skip = from->skip ? (uint64_t)from->skip->value.integer : 0;
	clause->has_limit = from->limit != NULL;
	clause->limit = from->limit ? (uint64_t)from->limit->value.integer : 0;
	return GEMP_OK;
}
