#include "cypher/syntax/tree_walk.h"

typedef struct walk {
	gemp_cypher_pattern_visitor *visit;
	gemp_cypher_expr_visitor *visit_expr; /* NULL: none */
	void *self;
} walk;

static gemp_code walk_expr(const walk *w, const gemp_cypher_expr *expr);
static gemp_code walk_query(const walk *w, const gemp_cypher_query *query);

/* MERGE may search for the properties that it makes. */
static gemp_code walk_properties(const walk *w, const gemp_cypher_expr *searched, const gemp_cypher_expr *made)
{
	return walk_expr(w, made ? made : searched);
}

/* Property maps may have patterns within them. */
static gemp_code walk_pattern(const walk *w, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	GEMP_TRY(w->visit(w->self, pattern, where));
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(walk_properties(w, path->from->properties, path->from->made));
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			GEMP_TRY(walk_properties(w, edge->properties, edge->made));
			GEMP_TRY(walk_properties(w, edge->to->properties, edge->to->made));
		}
	}
	return GEMP_OK;
}

static const gemp_cypher_expr *where_of(const gemp_cypher_expr *expr)
{
	return expr->kind == GEMP_CY_PATTERN_COMPREHENSION && expr->first && expr->first->kind != GEMP_CY_NONE ? expr->first
	                                                                                                       : NULL;
}

static gemp_code walk_expr(const walk *w, const gemp_cypher_expr *expr)
{
	if (!expr)
		return GEMP_OK;
	if (w->visit_expr)
		GEMP_TRY(w->visit_expr(w->self, expr));
	if (expr->pattern)
		GEMP_TRY(walk_pattern(w, expr->pattern, where_of(expr)));
	if (expr->query)
		GEMP_TRY(walk_query(w, expr->query));
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(walk_expr(w, child));
	return GEMP_OK;
}

static gemp_code walk_items(const walk *w, const gemp_cypher_item *items)
{
	for (const gemp_cypher_item *item = items; item; item = item->next)
		GEMP_TRY(walk_expr(w, item->expr));
	return GEMP_OK;
}

static gemp_code walk_clause(const walk *w, const gemp_cypher_clause *clause)
{
	if (clause->pattern)
		GEMP_TRY(walk_pattern(w, clause->pattern, clause->where));
	for (const gemp_cypher_update *update = clause->updates; update; update = update->next) {
		GEMP_TRY(walk_expr(w, update->target));
		GEMP_TRY(walk_expr(w, update->value));
	}
	for (const gemp_cypher_clause *body = clause->body; body; body = body->next)
		GEMP_TRY(walk_clause(w, body));
	GEMP_TRY(walk_expr(w, clause->expr));
	GEMP_TRY(walk_items(w, clause->items));
	GEMP_TRY(walk_expr(w, clause->where));
	for (const gemp_cypher_order *order = clause->orders; order; order = order->next)
		GEMP_TRY(walk_expr(w, order->expr));
	GEMP_TRY(walk_expr(w, clause->skip));
	GEMP_TRY(walk_expr(w, clause->limit));
	return clause->query ? walk_query(w, clause->query) : GEMP_OK;
}

static gemp_code walk_query(const walk *w, const gemp_cypher_query *query)
{
	for (const gemp_cypher_part *part = query->first; part; part = part->next)
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next)
			GEMP_TRY(walk_clause(w, clause));
	return GEMP_OK;
}

gemp_code gemp_cypher_tree_patterns(const gemp_cypher_tree *tree, gemp_cypher_pattern_visitor *visit, void *self)
{
	return gemp_cypher_tree_walk(tree, visit, NULL, self);
}

gemp_code gemp_cypher_tree_walk(const gemp_cypher_tree *tree, gemp_cypher_pattern_visitor *visit,
                                gemp_cypher_expr_visitor *visit_expr, void *self)
{
	const walk w = { visit, visit_expr, self };
	return walk_query(&w, tree->query);
}

gemp_code gemp_cypher_clause_walk(const gemp_cypher_clause *clause, gemp_cypher_pattern_visitor *visit,
                                  gemp_cypher_expr_visitor *visit_expr, void *self)
{
	const walk w = { visit, visit_expr, self };
	return walk_clause(&w, clause);
}

bool gemp_cypher_clause_updates(const gemp_cypher_clause *clause)
{
	switch (clause->kind) {
	case GEMP_CY_CREATE:
	case GEMP_CY_MERGE:
	case GEMP_CY_SET:
	case GEMP_CY_REMOVE:
	case GEMP_CY_DELETE:
	case GEMP_CY_FOREACH: return true;
	default: return false;
	}
}
