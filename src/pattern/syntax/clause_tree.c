/* PATHS AND CLAUSES. */

#include "pattern/syntax/syntax_tree.h"

#include <inttypes.h>

void gemp_ast_add_path(gemp_ast_match *match, gemp_ast_path *path)
{
	GEMP_AST_LINK(match->first, match->last, path);
}

gemp_ast_match *gemp_ast_new_match(gemp_ast *q, gemp_ast_path *path, gemp_ast_place place)
{
	return GEMP_AST_NODE(q, gemp_ast_match, .place = place, .first = path, .last = path);
}

void gemp_ast_add_optional(gemp_ast *q, gemp_ast_match *match)
{
	GEMP_AST_LINK(q->optionals, q->last_optional, match);
}

gemp_ast_path *gemp_ast_new_path(gemp_ast *q, gemp_ast_node *from)
{
	return GEMP_AST_NODE(q, gemp_ast_path, .from = from);
}

/* An edge is complete only with the vertex behind it. */
void gemp_ast_add_edge(gemp_ast_path *path, gemp_ast_edge *edge, gemp_ast_node *to)
{
	edge->to = to;
	GEMP_AST_LINK(path->first, path->last, edge);
}

/* Labels and map are one conjunction of conditions, as if they stood in WHERE. */
gemp_ast_node *gemp_ast_new_node(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *labels, gemp_ast_expr *map,
                                 gemp_ast_place place)
{
	gemp_ast_expr *conditions = labels ? labels : map;
	if (labels && map)
		conditions = gemp_ast_join(q, GEMP_AND, labels, map, place);
	return GEMP_AST_NODE(q, gemp_ast_node, .place = place, .variable = variable, .conditions = conditions);
}

gemp_ast_edge *gemp_ast_new_edge(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *types, gemp_ast_expr *map)
{
	return GEMP_AST_NODE(q, gemp_ast_edge, .variable = variable, .types = types, .conditions = map, .min_hops = 1,
	                     .max_hops = 1);
}

/* An edge written with `*`. Bounds are required, since an unbounded search would rarely end on a large graph. */
gemp_ast_edge *gemp_ast_new_hops(gemp_ast *q, gemp_ast_word variable, gemp_ast_expr *types, gemp_ast_hops trail,
                                 gemp_ast_place place)
{
	enum { LONGEST = 32 };
	if (variable.bytes)
		gemp_ast_refuse(q, variable.place.begin,
		                "a name for a path of variable length, which would be a list of edges; "
		                "leave the name out");
	else if (!trail.bounded)
		gemp_ast_fail(q, place.begin,
		              "a path of any length is not supported; give an upper bound, as in *%" PRIu64 "..%" PRIu64
		              " (the greatest is %d)",
		              trail.min_hops, trail.min_hops + 4, LONGEST);
	else if (trail.max_hops > LONGEST)
		gemp_ast_fail(q, place.begin, "the greatest length of a path is %d", LONGEST);
	else if (trail.max_hops == 0 || trail.min_hops > trail.max_hops)
		gemp_ast_fail(q, place.begin, "a path of this length there is not; write *m..n with m <= n and n at least 1");
	gemp_ast_edge *edge = q->code == GEMP_OK ? gemp_ast_new_edge(q, variable, types, NULL) : NULL;
	if (edge) {
		edge->path = true;
		edge->min_hops = (uint32_t)trail.min_hops;
		edge->max_hops = (uint32_t)trail.max_hops;
	}
	return edge;
}

gemp_ast_item *gemp_ast_new_item(gemp_ast *q, gemp_ast_expr *expr, gemp_ast_word alias, gemp_ast_place place)
{
	return GEMP_AST_NODE(q, gemp_ast_item, .place = place, .expr = expr, .alias = alias);
}

gemp_ast_projection *gemp_ast_new_projection(gemp_ast *q, gemp_ast_item *item)
{
	return GEMP_AST_NODE(q, gemp_ast_projection, .items = item, .last_item = item);
}

gemp_ast_order *gemp_ast_new_order(gemp_ast *q, gemp_ast_expr *expr, bool descending)
{
	return GEMP_AST_NODE(q, gemp_ast_order, .expr = expr, .descending = descending);
}

/* variable.name or variable alone */
gemp_ast_expr *gemp_ast_new_access(gemp_ast *q, gemp_expr_kind kind, gemp_ast_word variable, gemp_ast_word name,
                                   gemp_ast_place place)
{
	gemp_ast_expr *expr = gemp_ast_leaf(q, kind, place);
	if (expr) {
		expr->variable = variable;
		expr->name = name;
	}
	return expr;
}

/* A pattern as an expression: EXISTS { }, COUNT { } or, bare, a path alone. */
gemp_ast_expr *gemp_ast_new_pattern(gemp_ast *q, gemp_expr_kind kind, gemp_ast_match *match, bool bare,
                                    gemp_ast_place place)
{
	gemp_ast_expr *expr = gemp_ast_leaf(q, kind, place);
	if (expr) {
		expr->match = match;
		expr->bare = bare;
		match->place = place;
	}
	return expr;
}

/* RULES AND CONTROL. */

/* Clauses of the previous rule are forgotten; its nodes are in q->rules. */
void gemp_ast_begin_rule(gemp_ast *q)
{
	q->clause = GEMP_AST_MATCH;
	q->after_with = q->updating = false;
	q->optionals = q->last_optional = NULL;
	q->with = NULL;
	q->updates = q->last_update = NULL;
}

/* The clauses read since gemp_ast_begin_rule become those of the rule. */
void gemp_ast_end_rule(gemp_ast *q, gemp_ast_word name, gemp_ast_match *match)
{
	gemp_ast_rule *rule = GEMP_AST_NODE(q, gemp_ast_rule, .name = name, .match = match, .optionals = q->optionals,
	                                    .with = q->with, .updates = q->updates);
	if (!rule)
		return;
	GEMP_AST_LINK(q->rules, q->last_rule, rule);
}

gemp_ast_update *gemp_ast_new_update(gemp_ast *q, gemp_update_kind kind, gemp_ast_word variable, gemp_ast_place place)
{
	gemp_ast_update *update = GEMP_AST_NODE(q, gemp_ast_update, .kind = kind, .variable = variable, .place = place);
	if (update)
		GEMP_AST_LINK(q->updates, q->last_update, update);
	return update;
}

gemp_ast_control *gemp_ast_new_control(gemp_ast *q, gemp_control_kind kind, gemp_ast_control *child,
                                       gemp_ast_place place)
{
	return GEMP_AST_NODE(q, gemp_ast_control, .kind = kind, .place = place, .first = child, .last = child);
}

/* Chains of one kind stay flat. */
gemp_ast_control *gemp_ast_join_control(gemp_ast *q, gemp_control_kind kind, gemp_ast_control *left,
                                        gemp_ast_control *right, gemp_ast_place place)
{
	if (!left)
		return right;
	if (left->kind != kind)
		left = gemp_ast_new_control(q, kind, left, place);
	if (left)
		GEMP_AST_LINK(left->first, left->last, right);
	return left;
}

/* Does the control apply whatever the graph is? Then repeating it would never end. */
static bool always_applies(const gemp_ast_control *control)
{
	bool any = false, all = true;
	for (const gemp_ast_control *child = control->first; child; child = child->next) {
		bool one = always_applies(child);
		any = any || one;
		all = all && one;
	}
	switch (control->kind) {
	case GEMP_RUN_RULE: return false;
	case GEMP_RUN_CHOICE: return any;
	case GEMP_RUN_SEQUENCE:
	case GEMP_RUN_TIMES: return all;
	default: return true;
	}
}

/* times 0: repeat until it does not apply. */
gemp_ast_control *gemp_ast_repeat(gemp_ast *q, gemp_ast_control *child, uint64_t times, gemp_ast_place place)
{
	if (times == 0 && always_applies(child)) {
		gemp_ast_fail(q, place.begin,
		              "this never ends: * repeats what applies, and TRY and * within it always do; write {n} "
		              "for this *, or leave it out");
		return NULL;
	}
	gemp_ast_control *repeat = gemp_ast_new_control(q, times ? GEMP_RUN_TIMES : GEMP_RUN_REPEAT, child, place);
	if (repeat)
		repeat->times = times;
	return repeat;
}

/* The RUN lines of a file form one sequence. */
void gemp_ast_run(gemp_ast *q, gemp_ast_control *sequence, uint64_t limit, gemp_ast_place place)
{
	if (!q->run)
		q->run = gemp_ast_new_control(q, GEMP_RUN_SEQUENCE, NULL, place);
	sequence->limit = limit;
	if (q->run)
		GEMP_AST_LINK(q->run->first, q->run->last, sequence);
}
