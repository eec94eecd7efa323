#include "cypher/clause/conditions.h"

/* A pattern or query that may depend on the row, also within a comprehension. */
static bool has_inner(const gemp_cypher_expr *expr)
{
	if (expr->pattern || expr->query)
		return true;
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		if (has_inner(child))
			return true;
	return false;
}

/* Makes `*terms AND expr`. */
static gemp_code add_term(gemp_cypher_expr **terms, gemp_cypher_expr *expr, gemp_arena *arena)
{
	gemp_cypher_expr *both;
	expr->next = NULL;
	if (!*terms) {
		*terms = expr;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_ARENA_NEW(arena, both, 1));
	*both = (gemp_cypher_expr){ .kind = GEMP_CY_AND,
		                        .place = expr->place,
		                        .slot = GEMP_CY_NO_SLOT,
		                        .slot2 = GEMP_CY_NO_SLOT,
		                        .aggregate = -1,
		                        .first = *terms,
		                        .last = expr,
		                        .count = 2,
		                        .depth = (*terms)->depth + 1 };
	(*terms)->next = expr;
	*terms = both;
	return GEMP_OK;
}

static gemp_code divide(gemp_cypher_expr *expr, gemp_cypher_expr **plain, gemp_cypher_expr **later, gemp_arena *arena)
{
	if (expr->kind == GEMP_CY_AND) {
		for (gemp_cypher_expr *term = expr->first, *next; term; term = next) {
			next = term->next;
			GEMP_TRY(divide(term, plain, later, arena));
		}
		return GEMP_OK;
	}
	return add_term(has_inner(expr) ? later : plain, expr, arena);
}

static gemp_code visit_expr(const gemp_cypher_expr *expr, gemp_arena *arena)
{
	if (!expr)
		return GEMP_OK;
	if (expr->query)
		GEMP_TRY(gemp_cypher_divide_conditions(expr->query, arena));
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(visit_expr(child, arena));
	return GEMP_OK;
}

static gemp_code visit_clause(gemp_cypher_clause *clause, gemp_arena *arena)
{
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		GEMP_TRY(visit_expr(item->expr, arena));
	for (const gemp_cypher_order *order = clause->orders; order; order = order->next)
		GEMP_TRY(visit_expr(order->expr, arena));
	GEMP_TRY(visit_expr(clause->expr, arena));
	GEMP_TRY(visit_expr(clause->where, arena));
	if (clause->query)
		GEMP_TRY(gemp_cypher_divide_conditions(clause->query, arena));
	if (clause->kind != GEMP_CY_MATCH || !clause->where)
		return GEMP_OK;
	gemp_cypher_expr *plain = NULL, *later = NULL;
	GEMP_TRY(divide(clause->where, &plain, &later, arena));
	clause->where = plain;
	clause->expr = later;
	return GEMP_OK;
}

gemp_code gemp_cypher_divide_conditions(const gemp_cypher_query *query, gemp_arena *arena)
{
	for (const gemp_cypher_part *part = query->first; part; part = part->next)
		for (gemp_cypher_clause *clause = part->first; clause; clause = clause->next)
			GEMP_TRY(visit_clause(clause, arena));
	return GEMP_OK;
}
