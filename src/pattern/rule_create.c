/* CREATE: vertices and edges of paths, and their attributes. */
#include "pattern/rule_build.h"

#include <string.h>

static gemp_code set_all(rule_build *b, gemp_rule_element element, const query_expr *from)
{
	if (from->kind == GEMP_EQ)
		return rule_set(b, element, from->first->name, from->last);
	gemp_code code = GEMP_OK;
	for (const query_expr *child = from->first; code == GEMP_OK && from->kind == GEMP_AND && child; child = child->next)
		code = set_all(b, element, child);
	return code;
}

/* Labels and `{k: value}` of what the last update creates. */
static gemp_code fill(rule_build *b, gemp_rule_element element, const query_expr *from)
{
	gemp_code code = GEMP_OK;
	if (!from)
		return GEMP_OK;
	if (!element.edge)
		code = rule_labels(b, from, &b->rule->updates[b->rule->update_count - 1]);
	return code == GEMP_OK ? set_all(b, element, from) : code;
}

static gemp_code create_vertex(rule_build *b, const query_node *node, rule_variable **out)
{
	gemp_code code = GEMP_OK;
	gemp_rule_element element = { .created = true, .index = b->rule->created_vertices++ };
	gemp_update *update;
	GEMP_TRY(rule_add_update(b, GEMP_CREATE_VERTEX, element, node->place.begin, &update));
	GEMP_TRY(fill(b, element, node->conditions));
	code = rule_add_variable(b, node->variable, element, out);
done:
	return code;
}

/* The vertex is there already: CREATE joins it by an edge. */
static gemp_code known_vertex(rule_build *b, const query_node *node, bool alone, rule_variable **out)
{
	const char *name = node->variable.bytes;
	size_t at = node->variable.place.begin;
	gemp_code code = rule_resolve(b, node->variable, out);
	if (code != GEMP_OK)
		return code;
	const char *origin = (*out)->element.created ? "created" : "matched";
	if ((*out)->element.edge)
		return parse_fail(b->p, at, "'%s' is an edge already, it cannot be a vertex too", name);
	if (node->conditions)
		return parse_fail(b->p, at, "'%s' is %s already, so that CREATE gives it no labels and attributes; write (%s) here, "
		                  "and SET", name, origin, name);
	if (alone)
		return parse_fail(b->p, at, "'%s' is %s already, and CREATE (%s) alone makes nothing new; leave it out", name, origin,
		                  name);
	if ((*out)->optional)
		return parse_fail(b->p, at, "'%s' may be missing, since OPTIONAL MATCH gave it, and an edge needs both ends; match "
		                  "it by MATCH", name);
	(*out)->end = true;
	return GEMP_OK;
}

static gemp_code create_node(rule_build *b, const query_node *node, bool alone, rule_variable **out)
{
	const char *name = node->variable.bytes;
	bool known = name && (rule_find(b, name) || parse_find(b->row, name));
	return known ? known_vertex(b, node, alone, out) : create_vertex(b, node, out);
}

static gemp_code check_edge(rule_build *b, const query_edge *edge)
{
	const char *name = edge->variable.bytes;
	if (name && (rule_find(b, name) || parse_find(b->row, name)))
		return parse_fail(b->p, edge->variable.place.begin, "'%s' is there already; an edge that is created needs a name of "
		                  "its own, or none", name);
	if (edge->path)
		return parse_fail(b->p, edge->place.begin, "CREATE makes single edges; a path of variable length has no meaning "
		                  "here");
	if (edge->left == edge->right)
		return parse_fail(b->p, edge->place.begin, "an edge that is created has one direction; write --> or <--");
	if (!edge->types || edge->types->first != edge->types->last)
		return parse_fail(b->p, edge->types ? edge->types->place.begin : edge->place.begin, "an edge that is created has one "
		                  "type; write it as in -[:KNOWS]->");
	return GEMP_OK;
}

static gemp_code create_edge(rule_build *b, const query_edge *edge, const rule_variable *from, const rule_variable *to)
{
	gemp_code code = GEMP_OK;
	gemp_rule_element element = { .created = true, .edge = true, .index = b->rule->created_edges++ };
	gemp_update *update;
	rule_variable *made;
	GEMP_TRY(rule_add_update(b, GEMP_CREATE_EDGE, element, edge->place.begin, &update));
	update->from = edge->left ? to->element : from->element;
	update->to = edge->left ? from->element : to->element;
	GEMP_TRY(rule_labels(b, edge->types, update));
	GEMP_TRY(fill(b, element, edge->conditions));
	code = rule_add_variable(b, edge->variable, element, &made);
done:
	return code;
}

static gemp_code create_path(rule_build *b, const query_path *path)
{
	gemp_code code = GEMP_OK;
	rule_variable *from, *to;
	GEMP_TRY(create_node(b, path->from, !path->first, &from));
	for (const query_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(check_edge(b, edge));
		GEMP_TRY(create_node(b, edge->to, false, &to));
		GEMP_TRY(create_edge(b, edge, from, to));
		from = to;
	}
done:
	return code;
}

gemp_code rule_create(rule_build *b, const query_match *paths)
{
	gemp_code code = GEMP_OK;
	for (const query_path *path = paths->first; code == GEMP_OK && path; path = path->next)
		code = create_path(b, path);
	return code;
}
