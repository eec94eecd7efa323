#include "rematch/locality.h"

#include "core/memory.h"
#include "pattern/rule_columns.h"
#include "pattern/symmetry.h"

enum { FAR = 1 << 20, MOST_RADIUS = 6 };

typedef struct describing {
	gemp_locality *l;
	const gemp_influence *influence;
	int home, homes;   /* the pattern in hand; how many there were before it */
	gemp_code code;
} describing;

/* ROLES */

static int add_role(describing *d)
{
	gemp_locality *l = d->l;
	if (d->code == GEMP_OK)
		d->code = GEMP_RESERVE(l->roles, l->role_capacity, l->role_count + 1);
	if (d->code != GEMP_OK)
		return 0;
	l->roles[l->role_count] = (gemp_role){ .home = d->home, .way = -1 };
	return (int)l->role_count++;
}

static void add_edge(describing *d, gemp_role_edge edge)
{
	gemp_locality *l = d->l;
	if (d->code == GEMP_OK)
		d->code = GEMP_RESERVE(l->edges, l->edge_capacity, l->edge_count + 1);
	if (d->code == GEMP_OK)
		l->edges[l->edge_count++] = edge;
	if (d->code == GEMP_OK)
		l->edges[l->edge_count - 1].home = d->home;
}

static void add_pattern(describing *d, const gemp_pattern *pattern, const int *roles);

static void add_sub(describing *d, const gemp_pattern *sub, const gemp_expr *expr, const int *roles)
{
	int own[GEMP_MAX_PATTERN_VERTICES], outside = d->home;
	d->home = ++d->homes;
	for (size_t v = 0; v < sub->vertex_count; v++)
		own[v] = v < expr->count ? roles[expr->children[v]->variable] : add_role(d);
	add_pattern(d, sub, own);
	d->home = outside;
}

/* Edges that are counted at a vertex. */
static void add_degree(describing *d, const gemp_expr *expr, int role)
{
	int outside = d->home;
	d->home = ++d->homes;
	int other = add_role(d);
	bool incoming = expr->direction == 1;
	add_edge(d, (gemp_role_edge){ .from = incoming ? other : role, .to = incoming ? role : other,
		.either = expr->direction == 2, .most = 1, .relations = expr->relations,
		.changes = gemp_influences_edges(d->influence, expr->names, expr->name_count) });
	d->home = outside;
}

static bool may_read_anew(const describing *d, const gemp_expr *expr)
{
	bool changed = expr->kind == GEMP_LABELS;
	if (expr->kind == GEMP_ATTRIBUTE)
		changed = gemp_influences_attribute(d->influence, expr->name);
	for (size_t i = 0; i < expr->name_count && expr->kind == GEMP_HAS_LABEL; i++)
		changed |= gemp_influences_label(d->influence, expr->names[i]);
	return changed;
}

/* roles[]: of its variables. Attributes of edges are seen to by the edges, whose ends are marked. */
static void add_expr(describing *d, const gemp_pattern *pattern, const int *roles, const gemp_expr *expr)
{
	if (d->code != GEMP_OK)
		return;
	if (expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF) {
		add_sub(d, pattern->subs[expr->sub], expr, roles);
		return;
	}
	if (expr->kind == GEMP_DEGREE)
		add_degree(d, expr, roles[expr->variable]);
	else if (expr->variable >= 0 && !expr->of_edge && may_read_anew(d, expr))
		d->l->roles[roles[expr->variable]].reads = true;
	for (size_t i = 0; i < expr->count; i++)
		add_expr(d, pattern, roles, expr->children[i]);
}

static void add_pattern(describing *d, const gemp_pattern *pattern, const int *roles)
{
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		unsigned most = edge->most < FAR ? edge->most : FAR;
		add_edge(d, (gemp_role_edge){ .from = roles[edge->from], .to = roles[edge->to], .relations = edge->relations,
			.either = edge->direction == GEMP_EITHER, .path = edge->path, .most = edge->path ? most : 1,
			.changes = gemp_influences_edges(d->influence, edge->types, edge->type_count) });
	}
	for (size_t i = 0; i < pattern->condition_count; i++)
		add_expr(d, pattern, roles, pattern->conditions[i].expr);
}

static void add_optionals(describing *d, const gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->optional_count; i++) {
		const gemp_optional *o = &pattern->optionals[i];
		int own[GEMP_MAX_PATTERN_VERTICES];
		d->home = ++d->homes;
		for (size_t v = 0; v < o->pattern->vertex_count; v++) {
			own[v] = v < o->pattern->given ? o->outer[v] : o->first_vertex + (int)(v - o->pattern->given);
			if (v >= o->pattern->given && d->code == GEMP_OK)
				d->l->roles[own[v]].home = d->home;
		}
		add_pattern(d, o->pattern, own);
	}
	d->home = 0;
}

static void add_clause(describing *d, const gemp_pattern *pattern, const gemp_clause *clause, const int *roles)
{
	for (size_t i = 0; i < clause->item_count; i++)
		add_expr(d, pattern, roles, clause->items[i].expr);
}

/* Behind WITH variables are its items. */
static void add_behind(describing *d, const gemp_pattern *pattern)
{
	const gemp_clause *with = pattern->with;
	int *items = NULL;
	if (d->code == GEMP_OK)
		d->code = GEMP_NEW(items, with->item_count);
	if (d->code != GEMP_OK)
		return;
	for (size_t i = 0; i < with->item_count; i++)
		items[i] = with->items[i].expr->kind == GEMP_VERTEX ? with->items[i].expr->variable : 0;
	add_clause(d, pattern, &pattern->result, items);
	if (with->where)
		add_expr(d, pattern, items, with->where);
	gemp_free(items);
}

static gemp_code add_rule(describing *d, const gemp_rule *rule)
{
	gemp_code code = GEMP_OK;
	const gemp_pattern *p = rule->pattern;
	int *rows = NULL;
	size_t vertices = gemp_pattern_row_vertices(p);
	GEMP_TRY(GEMP_NEW(rows, vertices));
	for (size_t v = 0; v < vertices; v++)
		rows[v] = add_role(d);
	add_pattern(d, p, rows);
	add_optionals(d, p);
	add_clause(d, p, gemp_pattern_first_clause(p), rows);
	if (p->with)
		add_behind(d, p);
	code = d->code;
done:
	gemp_free(rows);
	return code;
}

/* PLACES */

static unsigned greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

int gemp_nearer_end(const gemp_locality *l, const gemp_role_edge *edge)
{
	return l->roles[edge->to].distance < l->roles[edge->from].distance ? edge->to : edge->from;
}

static void find_ways(gemp_locality *l, int place)
{
	bool nearer = true;
	for (size_t r = 0; r < l->role_count; r++) {
		l->roles[r].distance = (int)r == place ? 0 : FAR;
		l->roles[r].way = -1;
	}
	while (nearer) {
		nearer = false;
		for (size_t e = 0; e < l->edge_count; e++) {
			int near = gemp_nearer_end(l, &l->edges[e]);
			gemp_role *other = &l->roles[near == l->edges[e].to ? l->edges[e].from : l->edges[e].to];
			if (other->home != l->edges[e].home || l->roles[near].distance + l->edges[e].most >= other->distance)
				continue;
			other->distance = l->roles[near].distance + l->edges[e].most;
			other->way = (int)e;
			nearer = true;
		}
	}
}

/* Ends of edges that change, the nearer ones; all roles of the pattern under induced, where any two may be joined. */
static void find_starts(gemp_locality *l, const gemp_pattern *pattern, const gemp_influence *influence,
                        gemp_semantics semantics)
{
	bool joined = semantics == GEMP_INDUCED && gemp_influences_edges(influence, NULL, 0);
	bool alone = pattern->edge_count == 0 && gemp_influences_vertices(influence);
	l->radius = l->reach = 0;
	for (size_t r = 0; r < l->role_count; r++)
		l->roles[r].starts = l->roles[r].reads || (r < pattern->vertex_count && (joined || alone));
	for (size_t e = 0; e < l->edge_count; e++) {
		gemp_role *near = &l->roles[gemp_nearer_end(l, &l->edges[e])];
		near->starts |= l->edges[e].changes;
		if (l->edges[e].changes)
			l->radius = greater(l->radius, near->distance + l->edges[e].most - (l->edges[e].most > 0));
		if (l->edges[e].path)
			l->reach = greater(l->reach, near->distance + l->edges[e].most);
	}
	for (size_t r = 0; r < l->role_count; r++) {
		l->radius = greater(l->radius, l->roles[r].starts ? l->roles[r].distance : 0);
		l->reach = greater(l->reach, l->roles[r].distance);
	}
}

static bool is_moved(const gemp_symmetry *symmetry, int vertex)
{
	for (size_t g = 0; g < gemp_symmetry_generators(symmetry); g++)
		if (gemp_symmetry_generator(symmetry, g)[vertex] != vertex)
			return true;
	return false;
}

static gemp_code find_place(gemp_locality *l, const gemp_influence *influence, const gemp_rule *rule,
                            gemp_semantics semantics)
{
	gemp_code code = GEMP_OK;
	gemp_symmetry *symmetry = NULL;
	gemp_rule_columns columns;
	unsigned radius = FAR, reach = FAR;
	l->place = -1;
	gemp_rule_columns_find(&columns, rule);
	GEMP_TRY(gemp_symmetry_find(&symmetry, rule->pattern, true));
	for (size_t v = 0; v < rule->pattern->vertex_count; v++) {
		if (columns.vertex[v] == GEMP_NO_COLUMN || is_moved(symmetry, (int)v))
			continue;
		find_ways(l, (int)v);
		find_starts(l, rule->pattern, influence, semantics);
		if (l->reach >= FAR || l->radius > radius || (l->radius == radius && l->reach >= reach))
			continue;
		l->place = (int)v;
		radius = l->radius;
		reach = l->reach;
	}
	if (l->place < 0)
		goto done;
	l->column = columns.vertex[l->place];
	find_ways(l, l->place);
	find_starts(l, rule->pattern, influence, semantics);
done:
	gemp_symmetry_free(symmetry);
	return code;
}

static const char *why_global(const gemp_rule *rule)
{
	const gemp_pattern *p = rule->pattern;
	int part[GEMP_MAX_PATTERN_VERTICES];
	if (!rule->carries)
		return "a row stands for many matches";
	if (gemp_pattern_parts(p, part) > 1)
		return "its pattern does not hang together";
	if (p->with && (p->with->has_limit || p->with->has_skip))
		return "its WITH takes some of the rows";
	return NULL;
}

gemp_code gemp_locality_find(gemp_locality *out, const gemp_influence *influence, size_t index,
                             gemp_semantics semantics)
{
	gemp_code code = GEMP_OK;
	const gemp_rule *rule = &influence->rules->rules[index];
	describing d = { .l = out, .influence = influence };
	*out = (gemp_locality){ .global = why_global(rule) };
	if (out->global)
		return GEMP_OK;
	GEMP_TRY(add_rule(&d, rule));
	GEMP_TRY(find_place(out, influence, rule, semantics));
	if (out->place < 0)
		out->global = "it has conditions that hang on no matched vertex, or no vertex that is its own";
	else if (out->radius > MOST_RADIUS)
		out->global = "a match is too wide";
done:
	if (code != GEMP_OK)
		gemp_locality_free(out);
	return code;
}

void gemp_locality_free(gemp_locality *locality)
{
	gemp_free(locality->roles);
	gemp_free(locality->edges);
	*locality = (gemp_locality){ 0 };
}
