#include "query/clause/group_items.h"

#include <string.h>

/* Aggregates do not nest, so the search does not descend into an aggregate. */
static gemp_code find_aggregates(gemp_group_items *r, const gemp_expr *expr)
{
	if (gemp_expr_is_aggregate(expr)) {
		GEMP_TRY(GEMP_RESERVE(r->aggregates, r->aggregate_capacity, r->aggregate_count + 1));
		r->aggregates[r->aggregate_count++] = expr;
		return GEMP_OK;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(find_aggregates(r, expr->children[i]));
	return GEMP_OK;
}

gemp_code gemp_group_items_new(gemp_group_items *r, const gemp_clause *clause)
{
	*r = (gemp_group_items){ 0 };
	GEMP_TRY(GEMP_NEW(r->keys, clause->item_count));
	for (size_t i = 0; i < clause->item_count; i++)
		if (gemp_expr_has_aggregate(clause->items[i].expr))
			GEMP_TRY(find_aggregates(r, clause->items[i].expr));
		else
			r->keys[r->key_count++] = clause->items[i].expr;
	GEMP_TRY(GEMP_COPY(r->made, r->aggregates, r->aggregate_count));
	GEMP_TRY(GEMP_NEW(r->arguments, r->aggregate_count));
	for (size_t i = 0; i < r->aggregate_count; i++)
		r->arguments[i] = r->aggregates[i]->count ? r->aggregates[i]->children[0] : NULL;
	return GEMP_OK;
}

/* The nodes share children with the clause's trees, so only the arena with the new nodes is freed. */
void gemp_group_items_free(gemp_group_items *r)
{
	gemp_arena_free(&r->nodes);
	gemp_free_all(r->keys, r->aggregates, r->arguments, r->made);
	*r = (gemp_group_items){ 0 };
}

/* Makes a copy of the node expr that shares all its pointers. */
static gemp_code copy_node(gemp_group_items *r, const gemp_expr *expr, gemp_expr **out)
{
	void *node = gemp_arena_alloc(&r->nodes, sizeof *expr);
	*out = node ? memcpy(node, expr, sizeof *expr) : NULL;
	return node ? GEMP_OK : GEMP_ENOMEM;
}

gemp_code gemp_group_items_fold(gemp_group_items *r, const gemp_folded_groups *groups, size_t column)
{
	size_t next = 0;
	for (size_t i = 0; i < r->aggregate_count; i++) {
		gemp_expr *argument, *made;
		if (!r->arguments[i])
			continue;
		GEMP_CHECK(next < groups->argument_count);
		GEMP_TRY(copy_node(r, r->arguments[i], &argument));
		GEMP_TRY(copy_node(r, r->aggregates[i], &made));
		argument->kind = GEMP_COLUMN;
		argument->count = 0;
		argument->variable = -1;
		argument->item = column + next;
		argument->type = groups->arguments[next++].values.type;
		made->distinct = false;
		r->arguments[i] = argument;
		r->made[i] = made;
	}
	return GEMP_OK;
}

/* A key that is a vertex or an edge keeps its kind, so that later expressions can read its attributes. */
static gemp_code make_column(gemp_group_items *r, const gemp_frame *columns, const gemp_expr *expr, size_t item,
                             const gemp_expr **out)
{
	gemp_expr *node;
	GEMP_TRY(copy_node(r, expr, &node));
	bool element = gemp_expr_is_element(expr);
	node->count = 0;
	node->variable = element ? (int)item : -1;
	node->kind = element ? expr->kind : GEMP_COLUMN;
	node->item = item;
	node->type = columns->columns[item].values.type;
	*out = node;
	return GEMP_OK;
}

/* Returns the index of the key that is the vertex or edge to which expr refers, or key_count if no key is. */
static size_t find_element(const gemp_group_items *r, const gemp_expr *expr)
{
	gemp_expr_kind kind = expr->of_edge ? GEMP_EDGE : GEMP_VERTEX;
	size_t k = 0;
	while (k < r->key_count && (r->keys[k]->kind != kind || r->keys[k]->variable != expr->variable))
		k++;
	return k;
}

gemp_code gemp_group_items_rewrite(gemp_group_items *r, const gemp_frame *columns, const gemp_expr *expr,
                                   const gemp_expr **out)
{
	size_t element = find_element(r, expr);
	gemp_expr *node;
	*out = expr;
	if (expr->kind == GEMP_LITERAL)
		return GEMP_OK;
	for (size_t i = 0; i < r->aggregate_count; i++)
		if (r->aggregates[i] == expr)
			return make_column(r, columns, expr, r->key_count + i, out);
	for (size_t key = 0; key < r->key_count; key++)
		if (gemp_expr_compare(r->keys[key], expr) == 0)
			return make_column(r, columns, expr, key, out);
	if (gemp_expr_is_subpattern(expr) || expr->kind == GEMP_COLUMN || (expr->variable >= 0 && element == r->key_count))
		return gemp_fail(GEMP_EUSAGE,
		                 "query:%d:%d: what stands beside an aggregate must be a column too, so that rows are "
		                 "grouped by it; give it to WITH or RETURN as one",
		                 expr->line, expr->column);
	GEMP_TRY(copy_node(r, expr, &node)); /* the clause's own tree must not change */
	*out = node;
	if (expr->variable >= 0) {
		node->variable = (int)element;
		return GEMP_OK;
	}
	void *children = gemp_arena_alloc(&r->nodes, expr->count * sizeof *node->children);
	if (!children)
		return GEMP_ENOMEM;
	node->children = children;
	for (size_t i = 0; i < expr->count; i++) {
		const gemp_expr *child;
		GEMP_TRY(gemp_group_items_rewrite(r, columns, expr->children[i], &child));
		node->children[i] = (gemp_expr *)(uintptr_t)child;
	}
	return GEMP_OK;
}
