#include "transform/incremental/locality.h"

#include "core/memory.h"
#include "pattern/symmetry/automorphism.h"

#include <string.h>

/* INFLUENCE of applied rules */

static bool contains(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Returns whether two lists of types have a type in common. An empty list stands for all types. */
static bool share_name(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	bool shared = a_count == 0 || b_count == 0;
	for (size_t i = 0; i < a_count && !shared; i++)
		shared = contains(b, b_count, a[i]);
	return shared;
}

/* The kinds of things that an update can change. */
typedef enum update_subject { EDGES, LABELS, ATTRIBUTES, VERTICES } update_subject;

/* Returns whether a matched edge in this column can have one of the types. */
static bool may_have_type(const gemp_rule *rule, size_t column, char *const *types, size_t count)
{
	gemp_rule_columns columns;
	gemp_rule_edge e;
	gemp_rule_columns_find(&columns, rule);
	return !gemp_rule_edge_find(&e, rule, &columns, column) ||
	       share_name(e.edge->types, e.edge->type_count, types, count);
}

/* Returns whether the update can create, remove or change an edge of one of the types. MERGE and DETACH may affect any
 * edge. */
static bool updates_edges(const gemp_rule *rule, const gemp_update *u, char *const *types, size_t count)
{
	if (u->kind == GEMP_CREATE_EDGE)
		return share_name(u->names, 1, types, count);
	if (u->kind == GEMP_MERGE || (u->kind == GEMP_DELETE && u->detach))
		return true;
	if (!u->element.edge || u->element.created)
		return false;
	return (u->kind == GEMP_SET_TYPE && share_name(u->names, 1, types, count)) ||
	       may_have_type(rule, u->element.index, types, count);
}

/* Returns whether this update can change something of the kind. Labels and attributes of created elements do not
 * count. */
static bool updates_subject(const gemp_rule *rule, const gemp_update *u, update_subject subject, char *const *names,
                            size_t count)
{
	bool labels = u->kind == GEMP_ADD_LABELS || u->kind == GEMP_REMOVE_LABELS;
	bool values = u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE;
	switch (subject) {
	case EDGES: return updates_edges(rule, u, names, count);
	case LABELS: return labels && !u->element.created && share_name(u->names, u->name_count, names, count);
	case ATTRIBUTES: return values && !u->element.created && !u->element.edge && share_name(u->names, 1, names, count);
	case VERTICES: return u->kind == GEMP_CREATE_VERTEX;
	}
	return true;
}

/* Returns whether an applied rule can have changed something of this kind. If influence->applied is NULL, any rule may
 * have been applied. */
static bool influences(const gemp_influence *influence, update_subject subject, char *const *names, size_t count)
{
	for (size_t r = 0; r < influence->rules->count; r++) {
		const gemp_rule *rule = &influence->rules->rules[r];
		for (size_t i = 0; i < rule->update_count && (!influence->applied || influence->applied[r]); i++)
			if (updates_subject(rule, &rule->updates[i], subject, names, count))
				return true;
	}
	return false;
}

/* Returns whether an applied rule can have changed this attribute or label of existing vertices. */
static bool influences_name(const gemp_influence *influence, update_subject subject, const char *name)
{
	return influences(influence, subject, (char *const[]){ (char *)name }, 1);
}

/* INFINITE is a distance or path length without bound. If the matches of a rule are wider than MAX_RADIUS edges, the
 * whole graph is searched. */
enum { INFINITE = 1 << 20, MAX_RADIUS = 6 };

/* Lists the roles and role edges of a rule. The first failure is kept in `code`, so the recursive functions return
 * nothing. */
typedef struct locality_builder {
	gemp_locality *l;
	const gemp_influence *influence;
	int pattern, pattern_count; /* the current pattern, and the number of patterns so far */
	gemp_code code;
} locality_builder;

/* ROLES */

/* Returns the number of the new role. After a failure the function adds nothing and returns 0. */
static int add_role(locality_builder *d)
{
	gemp_locality *l = d->l;
	if (d->code == GEMP_OK)
		d->code = GEMP_RESERVE(l->roles, l->role_capacity, l->role_count + 1);
	if (d->code != GEMP_OK)
		return 0;
	l->roles[l->role_count] = (gemp_role){ .pattern = d->pattern, .parent_edge = -1 };
	return (int)l->role_count++;
}

static void add_edge(locality_builder *d, gemp_role_edge edge)
{
	gemp_locality *l = d->l;
	edge.pattern = d->pattern;
	if (d->code == GEMP_OK)
		d->code = GEMP_RESERVE(l->edges, l->edge_capacity, l->edge_count + 1);
	if (d->code == GEMP_OK)
		l->edges[l->edge_count++] = edge;
}

static void add_pattern(locality_builder *d, const gemp_pattern *pattern, const int *roles);

/* A subpattern shares the roles of its arguments. Its other vertices are new roles, which belong to a new pattern. */
static void add_sub(locality_builder *d, const gemp_pattern *sub, const gemp_expr *expr, const int *roles)
{
	int own[GEMP_MAX_PATTERN_VERTICES], outside = d->pattern;
	d->pattern = ++d->pattern_count;
	for (size_t v = 0; v < sub->vertex_count; v++)
		own[v] = v < expr->count ? roles[expr->children[v]->variable] : add_role(d);
	add_pattern(d, sub, own);
	d->pattern = outside;
}

/* If an expression counts the edges at a vertex, the other ends of these edges have a role, since a new or deleted edge
 * changes the count. */
static void add_degree(locality_builder *d, const gemp_expr *expr, int role)
{
	int outside = d->pattern;
	d->pattern = ++d->pattern_count;
	int other = add_role(d);
	bool incoming = expr->direction == 1;
	add_edge(d, (gemp_role_edge){ .from = incoming ? other : role,
	                              .to = incoming ? role : other,
	                              .either = expr->direction == 2,
	                              .max_edges = 1,
	                              .relations = expr->relations,
	                              .changes = influences(d->influence, EDGES, expr->names, expr->name_count) });
	d->pattern = outside;
}

/* Returns whether the expression reads a label or attribute that applied rules can have changed. labels(v) always
 * counts as such a read. */
static bool reads_changed_value(const locality_builder *d, const gemp_expr *expr)
{
	bool changed = expr->kind == GEMP_LABELS;
	if (expr->kind == GEMP_ATTRIBUTE)
		changed = influences_name(d->influence, ATTRIBUTES, expr->name);
	for (size_t i = 0; i < expr->name_count && expr->kind == GEMP_HAS_LABEL; i++)
		changed |= influences_name(d->influence, LABELS, expr->names[i]);
	return changed;
}

/* roles[] are the roles of the expression's variables. Attributes of edges need no role, since a changed edge marks its
 * source and target. */
static void add_expr(locality_builder *d, const gemp_pattern *pattern, const int *roles, const gemp_expr *expr)
{
	if (d->code != GEMP_OK)
		return;
	if (expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF) {
		add_sub(d, pattern->subs[expr->sub], expr, roles);
		return;
	}
	if (expr->kind == GEMP_DEGREE)
		add_degree(d, expr, roles[expr->variable]);
	else if (expr->variable >= 0 && !expr->of_edge && reads_changed_value(d, expr))
		d->l->roles[roles[expr->variable]].reads = true;
	for (size_t i = 0; i < expr->count; i++)
		add_expr(d, pattern, roles, expr->children[i]);
}

/* A path without an upper bound counts as infinitely long, which makes the rule global. */
static void add_pattern(locality_builder *d, const gemp_pattern *pattern, const int *roles)
{
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		unsigned max_edges = edge->max_hops < INFINITE ? edge->max_hops : INFINITE;
		add_edge(d, (gemp_role_edge){ .from = roles[edge->from],
		                              .to = roles[edge->to],
		                              .relations = edge->relations,
		                              .either = edge->direction == GEMP_EITHER,
		                              .path = edge->path,
		                              .max_edges = edge->path ? max_edges : 1,
		                              .changes = influences(d->influence, EDGES, edge->types, edge->type_count) });
	}
	for (size_t i = 0; i < pattern->condition_count; i++)
		add_expr(d, pattern, roles, pattern->conditions[i].expr);
}

/* Vertices of OPTIONAL MATCH have fixed positions in rows, so they already have roles. */
static void add_optionals(locality_builder *d, const gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->optional_count; i++) {
		const gemp_optional *o = &pattern->optionals[i];
		int own[GEMP_MAX_PATTERN_VERTICES];
		d->pattern = ++d->pattern_count;
		for (size_t v = 0; v < o->pattern->vertex_count; v++) {
			own[v] = v < o->pattern->arguments ? o->outer[v] : o->first_vertex + (int)(v - o->pattern->arguments);
			if (v >= o->pattern->arguments && d->code == GEMP_OK)
				d->l->roles[own[v]].pattern = d->pattern;
		}
		add_pattern(d, o->pattern, own);
	}
	d->pattern = 0;
}

static void add_clause(locality_builder *d, const gemp_pattern *pattern, const gemp_clause *clause, const int *roles)
{
	for (size_t i = 0; i < clause->item_count; i++)
		add_expr(d, pattern, roles, clause->items[i].expr);
}

/* After WITH, the variables are its items. Only items that are vertices keep a role. */
static void add_after_with(locality_builder *d, const gemp_pattern *pattern)
{
	const gemp_clause *with = pattern->with;
	GEMP_OWNED int *items = NULL;
	if (d->code == GEMP_OK)
		d->code = GEMP_NEW(items, with->item_count);
	if (d->code != GEMP_OK)
		return;
	for (size_t i = 0; i < with->item_count; i++)
		items[i] = with->items[i].expr->kind == GEMP_VERTEX ? with->items[i].expr->variable : 0;
	add_clause(d, pattern, &pattern->result, items);
	if (with->where)
		add_expr(d, pattern, items, with->where);
}

/* The roles of row vertices come first, so role i is vertex i of a row. */
static gemp_code add_rule(locality_builder *d, const gemp_rule *rule)
{
	const gemp_pattern *p = rule->pattern;
	GEMP_OWNED int *rows = NULL;
	size_t vertices = gemp_pattern_row_vertices(p);
	GEMP_TRY(GEMP_NEW(rows, vertices));
	for (size_t v = 0; v < vertices; v++)
		rows[v] = add_role(d);
	add_pattern(d, p, rows);
	add_optionals(d, p);
	add_clause(d, p, gemp_pattern_first_clause(p), rows);
	if (p->with)
		add_after_with(d, p);
	return d->code;
}

/* DISTANCES AND THE ANCHOR */

/* The path from the anchor passes a role edge from this end to the other end. */
int gemp_locality_nearer_end(const gemp_locality *l, const gemp_role_edge *edge)
{
	return l->roles[edge->to].distance < l->roles[edge->from].distance ? edge->to : edge->from;
}

/* Bellman-Ford relaxation over the role edges, where a path counts with its maximal length. A role is reached only by
 * edges of the pattern in which it is new. */
static void find_distances(gemp_locality *l, int anchor)
{
	bool improved = true;
	for (size_t r = 0; r < l->role_count; r++) {
		l->roles[r].distance = (int)r == anchor ? 0 : INFINITE;
		l->roles[r].parent_edge = -1;
	}
	while (improved) {
		improved = false;
		for (size_t e = 0; e < l->edge_count; e++) {
			int nearer = gemp_locality_nearer_end(l, &l->edges[e]);
			gemp_role *other = &l->roles[nearer == l->edges[e].to ? l->edges[e].from : l->edges[e].to];
			if (other->pattern != l->edges[e].pattern ||
			    l->roles[nearer].distance + l->edges[e].max_edges >= other->distance)
				continue;
			other->distance = l->roles[nearer].distance + l->edges[e].max_edges;
			other->parent_edge = (int)e;
			improved = true;
		}
	}
}

/* A mark affects matches at the nearer end of an edge that can change. Under induced semantics an edge may join any two
 * vertices, so all roles of the pattern are affected. */
static void mark_starts(gemp_locality *l, const gemp_pattern *pattern, const gemp_influence *influence,
                        gemp_semantics semantics)
{
	bool joined = semantics == GEMP_INDUCED && influences(influence, EDGES, NULL, 0);
	bool alone = pattern->edge_count == 0 && influences(influence, VERTICES, NULL, 0);
	l->radius = l->max_distance = 0;
	for (size_t r = 0; r < l->role_count; r++)
		l->roles[r].starts = l->roles[r].reads || (r < pattern->vertex_count && (joined || alone));
	for (size_t e = 0; e < l->edge_count; e++) {
		gemp_role *nearer = &l->roles[gemp_locality_nearer_end(l, &l->edges[e])];
		nearer->starts |= l->edges[e].changes;
		if (l->edges[e].changes)
			l->radius = (unsigned)gemp_max(l->radius,
			                               nearer->distance + l->edges[e].max_edges - (l->edges[e].max_edges > 0));
		if (l->edges[e].path)
			l->max_distance = (unsigned)gemp_max(l->max_distance, nearer->distance + l->edges[e].max_edges);
	}
	for (size_t r = 0; r < l->role_count; r++) {
		l->radius = (unsigned)gemp_max(l->radius, l->roles[r].starts ? l->roles[r].distance : 0);
		l->max_distance = (unsigned)gemp_max(l->max_distance, l->roles[r].distance);
	}
}

/* Returns whether an automorphism moves the vertex. The orbit of the anchor must consist of the anchor alone. Rows keep
 * one match of each orbit, and another representative of the orbit must not have another anchor. */
static bool is_moved(const gemp_symmetry *symmetry, int vertex)
{
	for (size_t g = 0; g < symmetry->count; g++)
		if (symmetry->images[g * symmetry->points + (size_t)vertex] != vertex)
			return true;
	return false;
}

/* The anchor with the smallest radius, and among these with the smallest distance, makes the search smallest. */
static gemp_code find_anchor(gemp_locality *l, const gemp_influence *influence, const gemp_rule *rule,
                             gemp_semantics semantics)
{
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *symmetry = NULL;
	gemp_rule_columns columns;
	unsigned radius = INFINITE, max_distance = INFINITE;
	l->anchor = -1;
	gemp_rule_columns_find(&columns, rule);
	GEMP_TRY(gemp_automorphism_find(&symmetry, rule->pattern, true));
	for (size_t v = 0; v < rule->pattern->vertex_count; v++) {
		if (columns.vertex[v] == GEMP_NO_COLUMN || is_moved(symmetry, (int)v))
			continue;
		find_distances(l, (int)v);
		mark_starts(l, rule->pattern, influence, semantics);
		if (l->max_distance >= INFINITE || l->radius > radius ||
		    (l->radius == radius && l->max_distance >= max_distance))
			continue;
		l->anchor = (int)v;
		radius = l->radius;
		max_distance = l->max_distance;
	}
	if (l->anchor < 0)
		return GEMP_OK;
	l->column = columns.vertex[l->anchor];
	find_distances(l, l->anchor);
	mark_starts(l, rule->pattern, influence, semantics);
	return GEMP_OK;
}

/* Returns the reason why a change anywhere can affect any match, or NULL. */
static const char *why_global(const gemp_rule *rule)
{
	const gemp_pattern *p = rule->pattern;
	int part[GEMP_MAX_PATTERN_VERTICES];
	if (!rule->has_all_columns)
		return "a row stands for many matches";
	if (gemp_pattern_components(p, part) > 1)
		return "its pattern is not connected";
	if (p->with && (p->with->has_limit || p->with->has_skip))
		return "its WITH takes only some of the rows";
	return NULL;
}

/* The whole graph is searched for rules that are global, have no anchor or are too wide. */
gemp_code gemp_locality_find(gemp_locality *out, const gemp_influence *influence, size_t index,
                             gemp_semantics semantics)
{
	const gemp_rule *rule = &influence->rules->rules[index];
	locality_builder d = { .l = out, .influence = influence };
	*out = (gemp_locality){ .global = why_global(rule) };
	if (out->global)
		return GEMP_OK;
	gemp_code code = add_rule(&d, rule);
	GEMP_THEN(find_anchor(out, influence, rule, semantics));
	if (code != GEMP_OK)
		gemp_locality_free(out);
	else if (out->anchor < 0)
		out->global = "a condition is connected to no matched vertex, or automorphisms move every vertex";
	else if (out->radius > MAX_RADIUS)
		out->global = "a match is too wide";
	return code;
}

void gemp_locality_free(gemp_locality *locality)
{
	gemp_free_all(locality->roles, locality->edges);
	*locality = (gemp_locality){ 0 };
}
