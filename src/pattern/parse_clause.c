/* WITH and RETURN: columns, grouping, order. */
#include "core/memory.h"
#include "pattern/expr.h"
#include "pattern/parse.h"

#include <string.h>

/* Takes *expr. name NULL: an item that is there for ORDER BY alone. */
static gemp_code add_item(gemp_clause *clause, gemp_expr **expr, const char *name, size_t size)
{
	char *copy = gemp_strndup(name ? name : "", name ? size : 0);
	gemp_return_item *more = copy ? gemp_realloc(clause->items, clause->item_count + 1, sizeof *more) : NULL;
	if (!more) {
		gemp_free(copy);
		return GEMP_ENOMEM;
	}
	clause->items = more;
	more[clause->item_count++] = (gemp_return_item){ .expr = *expr, .name = copy };
	*expr = NULL;
	return GEMP_OK;
}

/* Takes *expr. */
static gemp_code add_column(parse *p, gemp_clause *clause, gemp_expr **expr, query_place place, const char *name,
                            size_t size)
{
	if (clause->item_count == PARSE_MAX_ITEMS)
		return parse_fail(p, place.begin, "more than %d columns", PARSE_MAX_ITEMS);
	for (size_t i = 0; i < clause->item_count; i++) {
		const char *other = clause->items[i].name;
		if (strlen(other) == size && memcmp(other, name, size) == 0)
			return parse_fail(p, place.begin, "two columns are called '%s'; rename one by AS", other);
	}
	return add_item(clause, expr, name, size);
}

static gemp_code add_all(parse *p, const parse_scope *scope, gemp_clause *clause, query_place place)
{
	if (scope->count == 0)
		return parse_fail(p, place.begin, "* stands for all variables, and there are none; name a vertex, as in (a)");
	gemp_code code = GEMP_OK;
	gemp_expr *expr = NULL;
	for (size_t i = 0; i < scope->count; i++) {
		const parse_name *name = &scope->names[i];
		bool element = name->sort == PARSE_VERTEX || name->sort == PARSE_EDGE;
		gemp_expr_kind kind = !element ? GEMP_COLUMN : name->sort == PARSE_EDGE ? GEMP_EDGE : GEMP_VERTEX;
		GEMP_TRY(parse_new_expr(p, kind, place.begin, &expr));
		expr->of_edge = name->sort == PARSE_EDGE;
		if (element)
			expr->variable = name->index;
		else
			expr->item = (size_t)name->index;
		GEMP_TRY(add_column(p, clause, &expr, place, name->name, strlen(name->name)));
	}
done:
	gemp_expr_free(expr);
	return code;
}

static gemp_code add_one(parse *p, parse_scope *scope, bool with, gemp_clause *clause, const query_item *item)
{
	const query_word *word = item->alias.bytes ? &item->alias
	                       : item->expr->kind == GEMP_VERTEX ? &item->expr->variable : NULL;
	parse_context context = { .scope = scope };
	gemp_code code = GEMP_OK;
	gemp_expr *expr = NULL;
	GEMP_TRY(parse_expr(p, &context, item->expr, PARSE_ANY, &expr));
	if (with && !word)
		code = parse_fail(p, item->place.begin, "WITH needs a name for what it passes on: write ... AS name");
	else if (word)
		code = add_column(p, clause, &expr, item->alias.bytes ? item->alias.place : item->place, word->bytes, word->size);
	else
		code = add_column(p, clause, &expr, item->place, p->q->source.text + item->place.begin,
		                  item->place.end - item->place.begin);
done:
	gemp_expr_free(expr);
	return code;
}

/* Is there one value for all rows of a group (of equal rows, with DISTINCT)? */
static bool is_settled(const gemp_clause *clause, const gemp_expr *expr)
{
	if (expr->kind == GEMP_LITERAL || parse_is_aggregate(expr->kind))
		return true;
	for (size_t i = 0; i < clause->shown; i++) {
		const gemp_expr *item = clause->items[i].expr;
		bool element = item->kind == GEMP_VERTEX || item->kind == GEMP_EDGE;
		if (!parse_has_aggregate(item) && (gemp_expr_compare(item, expr) == 0
		    || (element && expr->variable == item->variable && expr->of_edge == item->of_edge)))
			return true;
	}
	bool settled = expr->count > 0 || expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF;
	for (size_t i = 0; settled && i < expr->count; i++)
		settled = is_settled(clause, expr->children[i]);
	return settled;
}

static gemp_code add_items(parse *p, parse_scope *scope, const query_projection *from, bool with, gemp_clause *clause)
{
	gemp_code code = GEMP_OK;
	for (const query_item *item = from->items; item; item = item->next)
		GEMP_TRY(item->expr ? add_one(p, scope, with, clause, item) : add_all(p, scope, clause, item->place));
	clause->shown = clause->item_count;
	for (size_t i = 0; i < clause->shown; i++)
		clause->grouped = clause->grouped || parse_has_aggregate(clause->items[i].expr);
	for (size_t i = 0; clause->grouped && i < clause->shown; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (parse_has_aggregate(expr) && !is_settled(clause, expr))
			return gemp_source_fail_at(&p->q->source, expr->line, expr->column, "what stands beside an aggregate has to be a "
			                           "column of its own, so that rows are grouped by it");
	}
done:
	return code;
}

static parse_sort sort_of(const parse_scope *scope, const gemp_expr *expr)
{
	if (expr->kind == GEMP_VERTEX)
		return PARSE_VERTEX;
	if (expr->kind == GEMP_EDGE)
		return PARSE_EDGE;
	if (expr->kind == GEMP_LABELS || expr->kind == GEMP_COLLECT)
		return PARSE_LIST;
	for (size_t i = 0; expr->kind == GEMP_COLUMN && i < scope->count; i++)
		if (scope->names[i].index == (int)expr->item)
			return scope->names[i].sort;
	return PARSE_VALUE;
}

static gemp_code check_order(parse *p, const parse_scope *scope, const gemp_clause *clause, const gemp_expr *expr,
                             size_t at)
{
	bool aggregate = parse_has_aggregate(expr);
	if (sort_of(scope, expr) == PARSE_LIST)
		return parse_fail(p, at, "lists have no order; order by a value");
	if (aggregate && !clause->grouped)
		return parse_fail(p, at, "an aggregate in ORDER BY has to be a column too, so that there are groups");
	if (clause->grouped && !is_settled(clause, expr))
		return parse_fail(p, at, "ORDER BY beside aggregates speaks of columns only, since a group has one value for each; "
		                  "make this a column");
	if (clause->distinct && !is_settled(clause, expr))
		return parse_fail(p, at, "ORDER BY beside DISTINCT speaks of columns only, since equal rows become one; make this a "
		                  "column");
	return GEMP_OK;
}

static gemp_code add_order(parse *p, parse_scope *scope, const query_order *order, gemp_clause *clause)
{
	parse_context context = { .scope = scope, .columns = clause };
	size_t item = 0;
	gemp_expr *expr = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(parse_expr(p, &context, order->expr, PARSE_ELEMENT, &expr));
	GEMP_TRY(check_order(p, scope, clause, expr, order->expr->place.begin));
	if (clause->order_count == PARSE_MAX_ITEMS) {
		code = parse_fail(p, order->expr->place.begin, "more than %d expressions in ORDER BY", PARSE_MAX_ITEMS);
		goto done;
	}
	while (item < clause->item_count && gemp_expr_compare(clause->items[item].expr, expr) != 0)
		item++;
	if (item == clause->item_count)
		GEMP_TRY(add_item(clause, &expr, NULL, 0));
	gemp_sort *more = gemp_realloc(clause->orders, clause->order_count + 1, sizeof *more);
	if (!more) {
		code = GEMP_ENOMEM;
		goto done;
	}
	clause->orders = more;
	more[clause->order_count++] = (gemp_sort){ .item = item, .descending = order->descending };
done:
	gemp_expr_free(expr);
	return code;
}

/* What the clause passes on. The names are those of its items: they live as long as the pattern. */
static gemp_code add_names(parse *p, const parse_scope *scope, const gemp_clause *clause, parse_scope *next)
{
	gemp_code code = parse_new_scope(p, NULL, clause->shown, next);
	for (size_t i = 0; code == GEMP_OK && i < clause->shown; i++)
		parse_add_name(next, clause->items[i].name, sort_of(scope, clause->items[i].expr), (int)i);
	return code;
}

static gemp_code add_where(parse *p, parse_scope *scope, const query_expr *from, gemp_clause *clause)
{
	parse_context context = { .scope = scope, .no_aggregates = "cannot stand in WHERE; give it a name in WITH, as in "
	                                                           "WITH a, count(*) AS n WHERE n > 1" };
	gemp_code code = parse_expr(p, &context, from, PARSE_CONDITION, &clause->where);
	return code == GEMP_OK ? gemp_expr_normalise(&clause->where) : code;
}

gemp_code parse_clause(parse *p, parse_scope *scope, const query_projection *from, bool with, gemp_clause *clause,
                       parse_scope *next)
{
	gemp_code code = GEMP_OK;
	clause->distinct = from->distinct;
	GEMP_TRY(add_items(p, scope, from, with, clause));
	for (const query_order *order = from->orders; order; order = order->next)
		GEMP_TRY(add_order(p, scope, order, clause));
	GEMP_TRY(add_names(p, scope, clause, next));
	if (from->where)
		GEMP_TRY(add_where(p, next, from->where, clause));
	clause->has_skip = from->skip != NULL;
	clause->skip = from->skip ? (uint64_t)from->skip->value.integer : 0;
	clause->has_limit = from->limit != NULL;
	clause->limit = from->limit ? (uint64_t)from->limit->value.integer : 0;
done:
	return code;
}
