/* Paths and clauses as the grammar reads them. */
#include "pattern/query.h"

void query_add_path(query_match *match, query_path *path)
{
	if (match->last)
		match->last->next = path;
	else
		match->first = path;
	match->last = path;
}

query_match *query_new_match(query *q, query_path *path, query_place place)
{
	query_match *match = query_alloc(q, sizeof *match);
	if (match) {
		match->place = place;
		query_add_path(match, path);
	}
	return match;
}

void query_add_optional(query *q, query_match *match)
{
	if (q->last_optional)
		q->last_optional->next = match;
	else
		q->optionals = match;
	q->last_optional = match;
}

query_path *query_new_path(query *q, query_node *from)
{
	query_path *path = query_alloc(q, sizeof *path);
	if (path)
		path->from = from;
	return path;
}

void query_add_edge(query_path *path, query_edge *edge, query_node *to)
{
	edge->to = to;
	if (path->last)
		path->last->next = edge;
	else
		path->first = edge;
	path->last = edge;
}

query_node *query_new_node(query *q, query_word variable, query_expr *labels, query_expr *map, query_place place)
{
	query_node *node = query_alloc(q, sizeof *node);
	if (!node)
		return NULL;
	*node = (query_node){ .place = place, .variable = variable, .conditions = labels ? labels : map };
	if (labels && map)
		node->conditions = query_join(q, GEMP_AND, labels, map, place);
	return node;
}

query_edge *query_new_edge(query *q, query_word variable, query_expr *types, query_expr *map)
{
	query_edge *edge = query_alloc(q, sizeof *edge);
	if (edge)
		*edge = (query_edge){ .variable = variable, .types = types, .conditions = map, .least = 1, .most = 1 };
	return edge;
}

/* An edge written with `*`. */
query_edge *query_new_trail(query *q, query_word variable, query_expr *types, query_trail trail, query_place place)
{
	enum { LONGEST = 32 };
	if (variable.bytes)
		query_refuse(q, variable.place.begin, "a name for a path of variable length, which would be a list of edges; "
		             "leave the name out");
	else if (!trail.bounded)
		query_fail(q, place.begin, "a path of any length is not supported; give an upper bound, as in *%" PRIu64 "..%" PRIu64
		           " (the greatest is %d)", trail.least, trail.least + 4, LONGEST);
	else if (trail.most > LONGEST)
		query_fail(q, place.begin, "the greatest length of a path is %d", LONGEST);
	else if (trail.most == 0 || trail.least > trail.most)
		query_fail(q, place.begin, "a path of this length there is not; write *m..n with m <= n and n at least 1");
	query_edge *edge = q->code == GEMP_OK ? query_new_edge(q, variable, types, NULL) : NULL;
	if (edge) {
		edge->path = true;
		edge->least = (uint32_t)trail.least;
		edge->most = (uint32_t)trail.most;
	}
	return edge;
}

query_item *query_new_item(query *q, query_expr *expr, query_word alias, query_place place)
{
	query_item *item = query_alloc(q, sizeof *item);
	if (item)
		*item = (query_item){ .place = place, .expr = expr, .alias = alias };
	return item;
}

query_projection *query_new_projection(query *q, query_item *item)
{
	query_projection *projection = query_alloc(q, sizeof *projection);
	if (projection)
		projection->items = projection->last_item = item;
	return projection;
}

query_order *query_new_order(query *q, query_expr *expr, bool descending)
{
	query_order *order = query_alloc(q, sizeof *order);
	if (order)
		*order = (query_order){ .expr = expr, .descending = descending };
	return order;
}

/* variable.name or variable alone */
query_expr *query_new_access(query *q, gemp_expr_kind kind, query_word variable, query_word name, query_place place)
{
	query_expr *expr = query_leaf(q, kind, place);
	if (expr) {
		expr->variable = variable;
		expr->name = name;
	}
	return expr;
}

/* A pattern as an expression: EXISTS { }, COUNT { } or, bare, a path alone. */
query_expr *query_new_pattern(query *q, gemp_expr_kind kind, query_match *match, bool bare, query_place place)
{
	query_expr *expr = query_leaf(q, kind, place);
	if (expr) {
		expr->match = match;
		expr->bare = bare;
		match->place = place;
	}
	return expr;
}
