/* MATCH, OPTIONAL MATCH and inner patterns (those of EXISTS and COUNT) become vertices, edges and conditions of
 * patterns. Each is analysed in the scope after the clauses before it. */

#include "pattern/semantic/expression.h"

#include "core/memory.h"
#include "pattern/condition/normal_form.h"

#include <stdio.h>
#include <string.h>

/* A condition of WHERE, or within a vertex or edge, becomes conjuncts of the scope's pattern. */
gemp_code gemp_sema_require(gemp_sema *p, gemp_sema_scope *scope, const gemp_sema_name *self, const gemp_ast_expr *from)
{
	if (!from)
		return GEMP_OK;
	gemp_sema_context context = { .scope = scope, .self = self, .no_aggregates = "stands in WITH and RETURN only" };
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_sema_expr(p, &context, from, GEMP_SEMA_CONDITION, &expr));
	return gemp_pattern_require(scope->pattern, &expr);
}

static bool has_name(const gemp_pattern *pattern, const char *name)
{
	for (size_t v = 0; v < pattern->vertex_count; v++)
		if (pattern->vertices[v].name && strcmp(pattern->vertices[v].name, name) == 0)
			return true;
	for (size_t e = 0; e < pattern->edge_count; e++)
		if (pattern->edges[e].name && strcmp(pattern->edges[e].name, name) == 0)
			return true;
	return false;
}

/* A name that WITH has hidden may be bound again, and then it is another element. In the pattern the element is called
 * `name#2`, so that options and plans do not confuse the two. Sets *out to NULL if `name` is NULL. */
static gemp_code find_free_name(gemp_sema *p, const gemp_pattern *pattern, const gemp_ast_word *word, const char **out)
{
	enum { DIGITS = 12 };
	*out = word->bytes;
	if (!*out || !has_name(pattern, *out))
		return GEMP_OK;
	char *name = gemp_ast_alloc(p->q, word->size + DIGITS);
	if (!name)
		return GEMP_ENOMEM;
	for (int n = 2; *out != name || has_name(pattern, name); n++) {
		snprintf(name, word->size + DIGITS, "%s#%d", word->bytes, n);
		*out = name;
	}
	return GEMP_OK;
}

/* A name that occurred before is the same vertex. A vertex that stands in a path is no longer repeatable. */
static gemp_code add_node(gemp_sema *p, gemp_sema_scope *scope, gemp_ast_node *node)
{
	const char *name = node->variable.bytes, *own;
	const gemp_sema_name *found = name ? gemp_sema_find(scope, name) : NULL;
	if (found && found->sort != GEMP_SEMA_VERTEX)
		return gemp_sema_fail(p, node->variable.place.begin, "'%s' is %s already, it cannot be a vertex too", name,
		                      found->sort == GEMP_SEMA_EDGE ? "an edge" : "a value");
	if (found) {
		node->index = found->index;
		scope->pattern->vertices[node->index].repeatable = false;
		return GEMP_OK;
	}
	GEMP_TRY(find_free_name(p, scope->pattern, &node->variable, &own));
	gemp_code code = gemp_pattern_add_vertex(scope->pattern, own, &node->index);
	if (code == GEMP_OK && name)
		gemp_sema_add_name(scope, name, GEMP_SEMA_VERTEX, node->index);
	return gemp_sema_fail_here(p, node->place.begin, code);
}

/* Adds an edge of the pattern. `<-[]-` is stored with its ends exchanged, so later code has only the directions
 * GEMP_OUT and GEMP_EITHER. */
static gemp_code add_edge(gemp_sema *p, gemp_sema_scope *scope, gemp_ast_edge *edge, int from, int to)
{
	gemp_pattern *pattern = scope->pattern;
	const char *name = edge->variable.bytes, *own;
	const gemp_sema_name *found = name ? gemp_sema_find(scope, name) : NULL;
	if (found)
		return gemp_sema_fail(p, edge->variable.place.begin, "'%s' is %s already; an edge needs a name of its own",
		                      name,
		                      found->sort == GEMP_SEMA_EDGE     ? "an edge"
		                      : found->sort == GEMP_SEMA_VERTEX ? "a vertex"
		                                                        : "a value");
	bool either = edge->left == edge->right, turned = edge->left && !either;
	GEMP_TRY(find_free_name(p, pattern, &edge->variable, &own));
	gemp_code code = gemp_pattern_add_edge(pattern, own, turned ? to : from, turned ? from : to,
	                                       either ? GEMP_EITHER : GEMP_OUT);
	if (code != GEMP_OK)
		return gemp_sema_fail_here(p, edge->place.begin, code);
	edge->index = (int)pattern->edge_count - 1;
	gemp_pattern_edge *added = &pattern->edges[edge->index];
	added->match = scope->match;
	added->path = edge->path;
	added->min_hops = edge->min_hops;
	added->max_hops = edge->max_hops;
	gemp_source_place(&p->q->source, edge->types ? edge->types->place.begin : edge->place.begin, &added->line,
	                  &added->column);
	if (name)
		gemp_sema_add_name(scope, name, GEMP_SEMA_EDGE, edge->index);
	return edge->types ? gemp_sema_names(edge->types, &added->types, &added->type_count) : GEMP_OK;
}

/* Adds vertices before edges: both ends must have their index when the edge is added. */
static gemp_code add_path(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_path *path)
{
	GEMP_TRY(add_node(p, scope, path->from));
	int from = path->from->index;
	for (gemp_ast_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(add_node(p, scope, edge->to));
		GEMP_TRY(add_edge(p, scope, edge, from, edge->to->index));
		from = edge->to->index;
	}
	return GEMP_OK;
}

/* The vertex is the `self` of the conditions that are written within its parentheses. */
static gemp_code require_node(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_node *node)
{
	gemp_sema_name self = { .name = node->variable.bytes, .sort = GEMP_SEMA_VERTEX, .index = node->index };
	return gemp_sema_require(p, scope, &self, node->conditions);
}

/* Conditions within vertices and edges may use all elements of the MATCH, so they are resolved after all elements are
 * known. */
static gemp_code require_path(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_path *path)
{
	GEMP_TRY(require_node(p, scope, path->from));
	for (const gemp_ast_edge *edge = path->first; edge; edge = edge->next) {
		gemp_sema_name self = { .name = edge->variable.bytes, .sort = GEMP_SEMA_EDGE, .index = edge->index };
		GEMP_TRY(require_node(p, scope, edge->to));
		GEMP_TRY(gemp_sema_require(p, scope, &self, edge->conditions));
	}
	return GEMP_OK;
}

/* All paths are added before the conditions, since a condition may use a variable of a later path. */
gemp_code gemp_sema_match(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_match *match)
{
	for (const gemp_ast_path *path = match->first; path; path = path->next)
		GEMP_TRY(add_path(p, scope, path));
	for (const gemp_ast_path *path = match->first; path; path = path->next)
		GEMP_TRY(require_path(p, scope, path));
	return gemp_sema_require(p, scope, NULL, match->where);
}

/* Vertices of the outer pattern that an inner one uses as arguments, in order of first use. */
typedef struct argument_set {
	const gemp_sema_scope *outer;
	size_t count;
	const gemp_sema_name *names[GEMP_MAX_PATTERN_VERTICES];
} argument_set;

/* Adds a vertex of the outer pattern to the arguments of the inner pattern. Other words are new names or unknown, and
 * are resolved later. */
static gemp_code use_word(gemp_sema *p, argument_set *g, gemp_ast_word word)
{
	const gemp_sema_name *found = word.bytes ? gemp_sema_find(g->outer, word.bytes) : NULL;
	for (size_t i = 0; found && i < g->count; i++)
		if (g->names[i] == found)
			return GEMP_OK;
	if (!found)
		return GEMP_OK;
	if (found->sort != GEMP_SEMA_VERTEX)
		return gemp_sema_fail(p, word.place.begin,
		                      "'%s' is %s of the pattern outside; in here only its vertices can be used", word.bytes,
		                      found->sort == GEMP_SEMA_EDGE ? "an edge" : "a value");
	GEMP_CHECK(g->count < GEMP_MAX_PATTERN_VERTICES); /* a row has at most this number of vertices */
	g->names[g->count++] = found;
	return GEMP_OK;
}

static gemp_code use_match(gemp_sema *p, argument_set *g, const gemp_ast_match *match);

/* Walks into subpatterns, too: a vertex that only an inner EXISTS uses must be passed through all patterns around this
 * EXISTS. */
static gemp_code use_expr(gemp_sema *p, argument_set *g, const gemp_ast_expr *expr)
{
	if (!expr)
		return GEMP_OK;
	GEMP_TRY(use_word(p, g, expr->variable));
	if (expr->match)
		GEMP_TRY(use_match(p, g, expr->match));
	for (const gemp_ast_expr *child = expr->first; child; child = child->next)
		GEMP_TRY(use_expr(p, g, child));
	return GEMP_OK;
}

/* Collects the arguments that a path and its conditions use. */
static gemp_code use_path(gemp_sema *p, argument_set *g, const gemp_ast_path *path)
{
	GEMP_TRY(use_word(p, g, path->from->variable));
	GEMP_TRY(use_expr(p, g, path->from->conditions));
	for (const gemp_ast_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(use_word(p, g, edge->variable));
		GEMP_TRY(use_expr(p, g, edge->conditions));
		GEMP_TRY(use_word(p, g, edge->to->variable));
		GEMP_TRY(use_expr(p, g, edge->to->conditions));
	}
	return GEMP_OK;
}

/* Collects the arguments of all paths, and of WHERE. */
static gemp_code use_match(gemp_sema *p, argument_set *g, const gemp_ast_match *match)
{
	for (const gemp_ast_path *path = match->first; path; path = path->next)
		GEMP_TRY(use_path(p, g, path));
	return use_expr(p, g, match->where);
}

/* The word may be empty. Otherwise it must be a name of the outer scope. */
static gemp_code check_known(gemp_sema *p, const gemp_sema_scope *scope, gemp_ast_word word)
{
	if (!word.bytes || gemp_sema_find(scope, word.bytes))
		return GEMP_OK;
	return gemp_sema_fail(p, word.place.begin,
	                      "'%s' is new in this path, and a path that is a condition names nothing new; "
	                      "leave the name out, or write EXISTS { } around the path",
	                      word.bytes);
}

/* A path that is a condition by itself introduces no names: a misspelt name would otherwise silently be a new
 * vertex. */
static gemp_code check_bare(gemp_sema *p, const gemp_sema_scope *scope, const gemp_ast_path *path)
{
	GEMP_TRY(check_known(p, scope, path->from->variable));
	for (const gemp_ast_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(check_known(p, scope, edge->variable));
		GEMP_TRY(check_known(p, scope, edge->to->variable));
	}
	return GEMP_OK;
}

/* An argument that only conditions use is not a vertex of a path of the inner pattern, so no vertex has to differ from
 * it. It must be present, so it cannot come from an OPTIONAL MATCH. */
static gemp_code release_condition_vertices(gemp_sema *p, const argument_set *g, gemp_pattern *inner,
                                            const gemp_ast_match *match)
{
	const gemp_pattern *row = g->outer->pattern;
	for (size_t v = 0; v < inner->arguments; v++)
		inner->vertices[v].repeatable = true;
	for (const gemp_ast_path *path = match->first; path; path = path->next) {
		inner->vertices[path->from->index].repeatable = false;
		for (const gemp_ast_edge *edge = path->first; edge; edge = edge->next)
			inner->vertices[edge->to->index].repeatable = false;
	}
	for (size_t v = 0; v < inner->arguments; v++)
		if (inner->vertices[v].repeatable && row && g->names[v]->index >= (int)row->vertex_count)
			return gemp_sema_fail(p, match->place.begin,
			                      "'%s' may be missing, since OPTIONAL MATCH gave it, and only conditions in here "
			                      "speak of it: that is not supported; write it into a path",
			                      g->names[v]->name);
	return GEMP_OK;
}

/* A search of an inner pattern with arguments follows edges from them only. A query with another part is refused here,
 * and runs clause by clause. */
static gemp_code check_parts(gemp_sema *p, const gemp_ast_match *match, const gemp_pattern *inner)
{
	int part[GEMP_MAX_PATTERN_VERTICES];
	const int parts = gemp_pattern_components(inner, part);
	uint64_t reached = 0;
	for (size_t v = 0; v < inner->arguments; v++)
		reached |= GEMP_BIT(part[v]);
	if (!inner->arguments || reached == GEMP_BIT(parts) - 1)
		return GEMP_OK;
	return gemp_sema_fail(
		p, match->place.begin,
		"a part of EXISTS, COUNT or OPTIONAL MATCH without a variable from outside is not supported beside "
		"another part; join it by an edge");
}

/* The arguments are the first vertices of the inner pattern: inner vertex i < arguments is outer vertex outer[i]. Their
 * names are known before the inner MATCH is analysed. */
gemp_code gemp_sema_inner(gemp_sema *p, const gemp_sema_scope *scope, const gemp_ast_match *match, bool bare,
                          gemp_pattern **out, int outer[GEMP_MAX_PATTERN_VERTICES], gemp_sema_scope *names)
{
	argument_set g = { .outer = scope };
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *inner = NULL;
	int index;
	if (p->patterns++ == GEMP_SEMA_MAX_PATTERNS)
		return gemp_sema_fail(p, match->place.begin,
		                      "a query has at most %d patterns within it (EXISTS, COUNT, OPTIONAL MATCH)",
		                      GEMP_SEMA_MAX_PATTERNS);
	if (bare)
		GEMP_TRY(check_bare(p, scope, match->first));
	GEMP_TRY(use_match(p, &g, match));
	GEMP_TRY(gemp_pattern_new(&inner, p->q->source.text, p->q->source.file));
	GEMP_TRY(gemp_sema_new_scope(p, inner, GEMP_SEMA_MAX_NAMES, names));
	for (size_t i = 0; i < g.count; i++) {
		GEMP_TRY(gemp_pattern_add_vertex(inner, g.names[i]->name, &index));
		inner->vertices[index].repeatable = true; /* until the vertex stands in a path */
		gemp_sema_add_name(names, g.names[i]->name, GEMP_SEMA_VERTEX, index);
		outer[i] = g.names[i]->index;
	}
	inner->arguments = g.count;
	GEMP_TRY(gemp_sema_match(p, names, match));
	GEMP_TRY(release_condition_vertices(p, &g, inner, match));
	GEMP_TRY(check_parts(p, match, inner));
	*out = inner;
	inner = NULL;
	return GEMP_OK;
}

/* Names that the optional part introduces are visible in the clauses that follow. */
static void add_to_row(gemp_sema_scope *row, const gemp_sema_scope *names, const gemp_optional *optional)
{
	int given = (int)optional->pattern->arguments;
	for (size_t i = 0; i < names->count; i++) {
		const gemp_sema_name *name = &names->names[i];
		if (name->sort == GEMP_SEMA_EDGE)
			gemp_sema_add_name(row, name->name, GEMP_SEMA_EDGE, optional->first_edge + name->index);
		else if (name->index >= given)
			gemp_sema_add_name(row, name->name, GEMP_SEMA_VERTEX, optional->first_vertex + name->index - given);
	}
}

/* A row has at most 32 vertices and 64 edges, like a pattern. */
gemp_code gemp_sema_optional(gemp_sema *p, gemp_sema_scope *row, const gemp_ast_match *match)
{
	gemp_pattern *pattern = row->pattern;
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *inner = NULL;
	GEMP_OWNED int *kept = NULL;
	int outer[GEMP_MAX_PATTERN_VERTICES];
	gemp_sema_scope names;
	size_t vertices = gemp_pattern_row_vertices(pattern), edges = gemp_pattern_row_edges(pattern);
	GEMP_TRY(gemp_sema_inner(p, row, match, false, &inner, outer, &names));
	if (vertices + inner->vertex_count - inner->arguments > GEMP_MAX_PATTERN_VERTICES ||
	    edges + inner->edge_count > GEMP_MAX_PATTERN_EDGES)
		return gemp_sema_fail(p, match->place.begin,
		                      "with its optional parts the pattern has more than %d vertices or %d edges",
		                      GEMP_MAX_PATTERN_VERTICES, GEMP_MAX_PATTERN_EDGES);
	GEMP_TRY(GEMP_COPY(kept, outer, inner->arguments));
	const gemp_optional optional = { inner, kept, (int)vertices, (int)edges };
	GEMP_TRY(GEMP_APPEND(pattern->optionals, pattern->optional_count, &optional));
	inner = NULL;
	kept = NULL;
	add_to_row(row, &names, &optional);
	return GEMP_OK;
}
