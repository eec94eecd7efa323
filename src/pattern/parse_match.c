/* Vertices, edges and conditions of patterns, and patterns within others. */
#include "core/memory.h"
#include "pattern/build.h"
#include "pattern/expr.h"
#include "pattern/parse.h"

static gemp_code require(parse *p, parse_scope *scope, const parse_name *self, const query_expr *from)
{
	if (!from)
		return GEMP_OK;
	parse_context context = { .scope = scope, .self = self, .no_aggregates = "stands in WITH and RETURN only" };
	gemp_expr *expr = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(parse_expr(p, &context, from, PARSE_CONDITION, &expr));
	GEMP_TRY(gemp_pattern_require(scope->pattern, &expr));
done:
	gemp_expr_free(expr);
	return code;
}

static gemp_code add_node(parse *p, parse_scope *scope, query_node *node)
{
	const char *name = node->variable.bytes;
	const parse_name *found = name ? parse_find(scope, name) : NULL;
	if (found && found->sort == PARSE_EDGE)
		return parse_fail(p, node->variable.place.begin, "'%s' is an edge already, it cannot be a vertex too", name);
	if (found) {
		node->index = found->index;
		scope->pattern->vertices[node->index].free = false;
		return GEMP_OK;
	}
	gemp_code code = gemp_pattern_add_vertex(scope->pattern, name, &node->index);
	if (code == GEMP_OK && name)
		parse_add_name(scope, name, PARSE_VERTEX, node->index);
	return parse_fail_here(p, node->place.begin, code);
}

static gemp_code add_edge(parse *p, parse_scope *scope, query_edge *edge, int from, int to)
{
	gemp_pattern *pattern = scope->pattern;
	const char *name = edge->variable.bytes;
	const parse_name *found = name ? parse_find(scope, name) : NULL;
	if (found)
		return parse_fail(p, edge->variable.place.begin, "'%s' is %s already; an edge needs a name of its own", name,
		                  found->sort == PARSE_EDGE ? "an edge" : "a vertex");
	bool either = edge->left == edge->right, turned = edge->left && !either;
	gemp_code code = gemp_pattern_add_edge(pattern, name, turned ? to : from, turned ? from : to,
	                                       either ? GEMP_EITHER : GEMP_OUT);
	if (code != GEMP_OK)
		return parse_fail_here(p, edge->place.begin, code);
	edge->index = (int)pattern->edge_count - 1;
	gemp_pattern_edge *added = &pattern->edges[edge->index];
	added->path = edge->path;
	added->least = edge->least;
	added->most = edge->most;
	gemp_source_place(&p->q->source, edge->types ? edge->types->place.begin : edge->place.begin, &added->line,
	                  &added->column);
	if (name)
		parse_add_name(scope, name, PARSE_EDGE, edge->index);
	return edge->types ? parse_names(edge->types, &added->types, &added->type_count) : GEMP_OK;
}

static gemp_code add_path(parse *p, parse_scope *scope, const query_path *path)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(add_node(p, scope, path->from));
	int from = path->from->index;
	for (query_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(add_node(p, scope, edge->to));
		GEMP_TRY(add_edge(p, scope, edge, from, edge->to->index));
		from = edge->to->index;
	}
done:
	return code;
}

static gemp_code require_node(parse *p, parse_scope *scope, const query_node *node)
{
	parse_name self = { node->variable.bytes, PARSE_VERTEX, node->index };
	return require(p, scope, &self, node->conditions);
}

/* What is written within the vertices and edges: after all of them are known, since it may speak of any. */
static gemp_code require_path(parse *p, parse_scope *scope, const query_path *path)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(require_node(p, scope, path->from));
	for (const query_edge *edge = path->first; edge; edge = edge->next) {
		parse_name self = { edge->variable.bytes, PARSE_EDGE, edge->index };
		GEMP_TRY(require_node(p, scope, edge->to));
		GEMP_TRY(require(p, scope, &self, edge->conditions));
	}
done:
	return code;
}

gemp_code parse_match(parse *p, parse_scope *scope, const query_match *match)
{
	gemp_code code = GEMP_OK;
	for (const query_path *path = match->first; path; path = path->next)
		GEMP_TRY(add_path(p, scope, path));
	for (const query_path *path = match->first; path; path = path->next)
		GEMP_TRY(require_path(p, scope, path));
	code = require(p, scope, NULL, match->where);
done:
	return code;
}

/* Vertices of the outer pattern that an inner one uses, by first use. */
typedef struct given {
	const parse_scope *outer;
	size_t count;
	const parse_name *names[GEMP_MAX_PATTERN_VERTICES];
} given;

static gemp_code use_word(parse *p, given *g, query_word word)
{
	const parse_name *found = word.bytes ? parse_find(g->outer, word.bytes) : NULL;
	for (size_t i = 0; found && i < g->count; i++)
		if (g->names[i] == found)
			return GEMP_OK;
	if (!found)
		return GEMP_OK;
	if (found->sort == PARSE_EDGE)
		return parse_fail(p, word.place.begin, "'%s' is an edge of the pattern outside; in here only its vertices can be "
		                  "used", word.bytes);
	GEMP_CHECK(g->count < GEMP_MAX_PATTERN_VERTICES); /* the row has no more */
	g->names[g->count++] = found;
	return GEMP_OK;
}

static gemp_code use_match(parse *p, given *g, const query_match *match);

static gemp_code use_expr(parse *p, given *g, const query_expr *expr)
{
	gemp_code code = expr ? use_word(p, g, expr->variable) : GEMP_OK;
	if (code == GEMP_OK && expr && expr->match)
		code = use_match(p, g, expr->match);
	for (const query_expr *child = expr ? expr->first : NULL; code == GEMP_OK && child; child = child->next)
		code = use_expr(p, g, child);
	return code;
}

static gemp_code use_path(parse *p, given *g, const query_path *path)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(use_word(p, g, path->from->variable));
	GEMP_TRY(use_expr(p, g, path->from->conditions));
	for (const query_edge *edge = path->first; edge; edge = edge->next) {
		GEMP_TRY(use_word(p, g, edge->variable));
		GEMP_TRY(use_expr(p, g, edge->conditions));
		GEMP_TRY(use_word(p, g, edge->to->variable));
		GEMP_TRY(use_expr(p, g, edge->to->conditions));
	}
done:
	return code;
}

static gemp_code use_match(parse *p, given *g, const query_match *match)
{
	gemp_code code = GEMP_OK;
	for (const query_path *path = match->first; code == GEMP_OK && path; path = path->next)
		code = use_path(p, g, path);
	return code == GEMP_OK ? use_expr(p, g, match->where) : code;
}

static gemp_code check_known(parse *p, const parse_scope *scope, query_word word)
{
	if (!word.bytes || parse_find(scope, word.bytes))
		return GEMP_OK;
	return parse_fail(p, word.place.begin, "'%s' is new in this path, and a path that is a condition names nothing new; "
	                  "leave the name out, or write EXISTS { } around the path", word.bytes);
}

static gemp_code check_bare(parse *p, const parse_scope *scope, const query_path *path)
{
	gemp_code code = check_known(p, scope, path->from->variable);
	for (const query_edge *edge = path->first; code == GEMP_OK && edge; edge = edge->next) {
		code = check_known(p, scope, edge->variable);
		if (code == GEMP_OK)
			code = check_known(p, scope, edge->to->variable);
	}
	return code;
}

/* What only conditions speak of is no vertex of the pattern: nothing has to differ from it. But it has to be there. */
static gemp_code free_conditions(parse *p, const given *g, gemp_pattern *inner, const query_match *match)
{
	const gemp_pattern *row = g->outer->pattern;
	for (size_t v = 0; v < inner->given; v++)
		inner->vertices[v].free = true;
	for (const query_path *path = match->first; path; path = path->next) {
		inner->vertices[path->from->index].free = false;
		for (const query_edge *edge = path->first; edge; edge = edge->next)
			inner->vertices[edge->to->index].free = false;
	}
	for (size_t v = 0; v < inner->given; v++)
		if (inner->vertices[v].free && row && g->names[v]->index >= (int)row->vertex_count)
			return parse_fail(p, match->place.begin, "'%s' may be missing, since OPTIONAL MATCH gave it, and only conditions in here "
			                  "speak of it: that is not supported; write it into a path", g->names[v]->name);
	return GEMP_OK;
}

gemp_code parse_inner(parse *p, const parse_scope *scope, const query_match *match, bool bare, gemp_pattern **out,
                      int outer[GEMP_MAX_PATTERN_VERTICES], parse_scope *names)
{
	given g = { .outer = scope };
	gemp_pattern *inner = NULL;
	gemp_code code = GEMP_OK;
	int index;
	if (p->patterns++ == PARSE_MAX_PATTERNS)
		return parse_fail(p, match->place.begin, "a query has at most %d patterns within it (EXISTS, COUNT, OPTIONAL MATCH)",
		                  PARSE_MAX_PATTERNS);
	if (bare)
		GEMP_TRY(check_bare(p, scope, match->first));
	GEMP_TRY(use_match(p, &g, match));
	GEMP_TRY(gemp_pattern_new(&inner, p->q->source.text, p->q->source.file));
	GEMP_TRY(parse_new_scope(p, inner, PARSE_MAX_NAMES, names));
	for (size_t i = 0; i < g.count; i++) {
		GEMP_TRY(gemp_pattern_add_vertex(inner, g.names[i]->name, &index));
		inner->vertices[index].free = true; /* until it stands in a path */
		parse_add_name(names, g.names[i]->name, PARSE_VERTEX, index);
		outer[i] = g.names[i]->index;
	}
	inner->given = g.count;
	GEMP_TRY(parse_match(p, names, match));
	GEMP_TRY(free_conditions(p, &g, inner, match));
	*out = inner;
	inner = NULL;
done:
	gemp_pattern_free(inner);
	return code;
}

/* What the optional part names is known from here on. */
static void add_to_row(parse_scope *row, const parse_scope *names, const gemp_optional *optional)
{
	int given = (int)optional->pattern->given;
	for (size_t i = 0; i < names->count; i++) {
		const parse_name *name = &names->names[i];
		if (name->sort == PARSE_EDGE)
			parse_add_name(row, name->name, PARSE_EDGE, optional->first_edge + name->index);
		else if (name->index >= given)
			parse_add_name(row, name->name, PARSE_VERTEX, optional->first_vertex + name->index - given);
	}
}

gemp_code parse_optional(parse *p, parse_scope *row, const query_match *match)
{
	gemp_pattern *pattern = row->pattern, *inner = NULL;
	int outer[GEMP_MAX_PATTERN_VERTICES], *kept = NULL;
	parse_scope names;
	gemp_code code = GEMP_OK;
	size_t vertices = gemp_pattern_row_vertices(pattern), edges = gemp_pattern_row_edges(pattern);
	GEMP_TRY(parse_inner(p, row, match, false, &inner, outer, &names));
	if (vertices + inner->vertex_count - inner->given > GEMP_MAX_PATTERN_VERTICES
	    || edges + inner->edge_count > GEMP_MAX_PATTERN_EDGES) {
		code = parse_fail(p, match->place.begin, "with its optional parts the pattern has more than %d vertices or %d edges",
		                  GEMP_MAX_PATTERN_VERTICES, GEMP_MAX_PATTERN_EDGES);
		goto done;
	}
	GEMP_TRY(GEMP_NEW(kept, inner->given));
	gemp_optional *more = gemp_realloc(pattern->optionals, pattern->optional_count + 1, sizeof *more);
	if (!more) {
		code = GEMP_ENOMEM;
		goto done;
	}
	for (size_t i = 0; i < inner->given; i++)
		kept[i] = outer[i];
	pattern->optionals = more;
	more += pattern->optional_count++;
	*more = (gemp_optional){ .pattern = inner, .outer = kept, .first_vertex = (int)vertices, .first_edge = (int)edges };
	add_to_row(row, &names, more);
	return GEMP_OK;
done:
	gemp_free(kept);
	gemp_pattern_free(inner);
	return code;
}
