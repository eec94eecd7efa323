#include "query/rewrite.h"

#include "core/memory.h"
#include "pattern/expr.h"

bool gemp_is_aggregate(const gemp_expr *expr)
{
	switch (expr->kind) {
	case GEMP_COUNT_STAR:
	case GEMP_COUNT:
	case GEMP_SUM:
	case GEMP_MIN:
	case GEMP_MAX:
	case GEMP_AVG:
	case GEMP_COLLECT:
		return true;
	default:
		return false;
	}
}

bool gemp_has_aggregate(const gemp_expr *expr)
{
	bool has = gemp_is_aggregate(expr);
	for (size_t i = 0; i < expr->count && !has; i++)
		has = gemp_has_aggregate(expr->children[i]);
	return has;
}

static gemp_code find_aggregates(gemp_rewrite *r, const gemp_expr *expr)
{
	gemp_code code = GEMP_OK;
	if (gemp_is_aggregate(expr)) {
		GEMP_TRY(GEMP_RESERVE(r->aggregates, r->aggregate_capacity, r->aggregate_count + 1));
		r->aggregates[r->aggregate_count++] = expr;
		return GEMP_OK;
	}
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(find_aggregates(r, expr->children[i]));
done:
	return code;
}

gemp_code gemp_rewrite_begin(gemp_rewrite *r, const gemp_clause *clause)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(r->keys, clause->item_count));
	for (size_t i = 0; i < clause->item_count; i++)
		if (gemp_has_aggregate(clause->items[i].expr))
			GEMP_TRY(find_aggregates(r, clause->items[i].expr));
		else
			r->keys[r->key_count++] = clause->items[i].expr;
done:
	return code;
}

void gemp_rewrite_free(gemp_rewrite *r)
{
	for (size_t i = 0; i < r->made_count; i++)
		gemp_free(r->made[i]);
	gemp_free(r->made);
	gemp_free(r->keys);
	gemp_free(r->aggregates);
	*r = (gemp_rewrite){ 0 };
}

/* MAKING */

static gemp_code own(gemp_rewrite *r, void *block)
{
	gemp_code code = GEMP_RESERVE(r->made, r->made_capacity, r->made_count + 1);
	if (code == GEMP_OK)
		r->made[r->made_count++] = block;
	else
		gemp_free(block);
	return code;
}

/* A node like expr that shares all it points to. */
static gemp_code copy_node(gemp_rewrite *r, const gemp_expr *expr, gemp_expr **out)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*out, 1));
	**out = *expr;
	code = own(r, *out);
done:
	return code;
}

static gemp_code make_column(gemp_rewrite *r, const gemp_frame *columns, const gemp_expr *expr, size_t item,
                             const gemp_expr **out)
{
	gemp_expr *node;
	gemp_code code = copy_node(r, expr, &node);
	if (code != GEMP_OK)
		return code;
	bool element = expr->kind == GEMP_VERTEX || expr->kind == GEMP_EDGE;
	node->count = 0;
	node->variable = element ? (int)item : -1;
	node->kind = element ? expr->kind : GEMP_COLUMN;
	node->item = item;
	node->type = columns->columns[item].values.type;
	*out = node;
	return GEMP_OK;
}

static bool same(const gemp_expr *a, const gemp_expr *b)
{
	bool equal = a->item == b->item && a->sub == b->sub && gemp_expr_compare(a, b) == 0;
	for (size_t i = 0; i < a->count && equal; i++)
		equal = same(a->children[i], b->children[i]);
	return equal;
}

static size_t find_key(const gemp_rewrite *r, const gemp_expr *expr)
{
	size_t k = 0;
	while (k < r->key_count && !same(r->keys[k], expr))
		k++;
	return k;
}

/* The key that is the vertex or edge of which expr speaks. */
static size_t find_element(const gemp_rewrite *r, const gemp_expr *expr)
{
	gemp_expr_kind kind = expr->of_edge ? GEMP_EDGE : GEMP_VERTEX;
	size_t k = 0;
	while (k < r->key_count && (r->keys[k]->kind != kind || r->keys[k]->variable != expr->variable))
		k++;
	return k;
}

static gemp_code not_grouped(const gemp_expr *expr)
{
	return gemp_fail(GEMP_EUSAGE,
	                 "query:%d:%d: what stands beside an aggregate must be a column too, so that rows are "
	                 "grouped by it; give it to WITH or RETURN as one", expr->line, expr->column);
}

static gemp_code rewrite_children(gemp_rewrite *r, const gemp_frame *columns, const gemp_expr *expr,
                                  const gemp_expr **out)
{
	gemp_code code = GEMP_OK;
	gemp_expr *node;
	const gemp_expr **children;
	GEMP_TRY(copy_node(r, expr, &node));
	GEMP_TRY(GEMP_NEW(children, expr->count));
	GEMP_TRY(own(r, children));
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(gemp_rewrite_item(r, columns, expr->children[i], &children[i]));
	node->children = (gemp_expr **)children;
	*out = node;
done:
	return code;
}

gemp_code gemp_rewrite_item(gemp_rewrite *r, const gemp_frame *columns, const gemp_expr *expr, const gemp_expr **out)
{
	size_t key = find_key(r, expr), element = find_element(r, expr);
	gemp_expr *node;
	*out = expr;
	if (expr->kind == GEMP_LITERAL)
		return GEMP_OK;
	for (size_t i = 0; i < r->aggregate_count; i++)
		if (r->aggregates[i] == expr)
			return make_column(r, columns, expr, r->key_count + i, out);
	if (key < r->key_count)
		return make_column(r, columns, expr, key, out);
	if (expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF || expr->kind == GEMP_COLUMN)
		return not_grouped(expr);
	if (expr->variable < 0)
		return rewrite_children(r, columns, expr, out);
	if (element == r->key_count)
		return not_grouped(expr);
	gemp_code code = copy_node(r, expr, &node);
	if (code == GEMP_OK) {
		node->variable = (int)element;
		*out = node;
	}
	return code;
}
