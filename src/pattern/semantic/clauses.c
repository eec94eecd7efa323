/* MATCH, OPTIONAL MATCH and inner patterns (those of EXISTS and COUNT) become vertices, edges and conditions of
 * patterns. WITH and RETURN become clauses of items, order and limits. Each clause is analysed in the scope after the
 * clauses before it. */

#include "pattern/semantic/expression.h"

#include "core/memory.h"
#include "pattern/condition/normal_form.h"

#include <string.h>

/* A condition of WHERE, or within a vertex or edge, becomes conjuncts of the scope's pattern. If a leaf of the
 * condition names no variable, it belongs to the element `self`. */
static gemp_code add_condition(gemp_sema *p, gemp_sema_scope *scope, const gemp_sema_name *self,
                               const gemp_ast_expr *from)
{
	if (!from)
		return GEMP_OK;
	gemp_sema_context context = { .scope = scope, .self = self, .no_aggregates = "stands in WITH and RETURN only" };
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_sema_expr(p, &context, from, GEMP_SEMA_CONDITION, &expr));
	return gemp_pattern_require(scope->pattern, &expr);
}

/* A name that occurred before is the same vertex. A vertex that stands in a path is no longer repeatable. */
static gemp_code add_node(gemp_sema *p, gemp_sema_scope *scope, gemp_ast_node *node)
{
	const char *name = node->variable.bytes;
	const gemp_sema_name *found = name ? gemp_sema_find(scope, name) : NULL;
	if (found && found->sort == GEMP_SEMA_EDGE)
		return gemp_sema_fail(p, node->variable.place.begin, "'%s' is an edge already, it cannot be a vertex too",
		                      name);
	if (found) {
		node->index = found->index;
		scope->pattern->vertices[node->index].repeatable = false;
		return GEMP_OK;
	}
	gemp_code code = gemp_pattern_add_vertex(scope->pattern, name, &node->index);
	if (code == GEMP_OK && name)
		gemp_sema_add_name(scope, name, GEMP_SEMA_VERTEX, node->index);
	return gemp_sema_fail_here(p, node->place.begin, code);
}

/* Adds an edge of the pattern. `<-[]-` is stored with its ends exchanged, so later code has only the directions
 * GEMP_OUT and GEMP_EITHER. */
static gemp_code add_edge(gemp_sema *p, gemp_sema_scope *scope, gemp_ast_edge *edge, int from, int to)
{
	gemp_pattern *pattern = scope->pattern;
	const char *name = edge->variable.bytes;
	const gemp_sema_name *found = name ? gemp_sema_find(scope, name) : NULL;
	if (found)
		return gemp_sema_fail(p, edge->variable.place.begin, "'%s' is %s already; an edge needs a name of its own",
		                      name, found->sort == GEMP_SEMA_EDGE ? "an edge" : "a vertex");
	bool either = edge->left == edge->right, turned = edge->left && !either;
	gemp_code code = gemp_pattern_add_edge(pattern, name, turned ? to : from, turned ? from : to,
	                                       either ? GEMP_EITHER : GEMP_OUT);
	if (code != GEMP_OK)
		return gemp_sema_fail_here(p, edge->place.begin, code);
	edge->index = (int)pattern->edge_count - 1;
	gemp_pattern_edge *added = &pattern->edges[edge->index];
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
	gemp_sema_name self = { node->variable.bytes, GEMP_SEMA_VERTEX, node->index };
	return add_condition(p, scope, &self, node->conditions);
}

/* Conditions within vertices and edges may use all elements of the MATCH, so they are resolved after all elements are
 * known. */
static gemp_code require_path(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_path *path)
{
	GEMP_TRY(require_node(p, scope, path->from));
	for (const gemp_ast_edge *edge = path->first; edge; edge = edge->next) {
		gemp_sema_name self = { edge->variable.bytes, GEMP_SEMA_EDGE, edge->index };
		GEMP_TRY(require_node(p, scope, edge->to));
		GEMP_TRY(add_condition(p, scope, &self, edge->conditions));
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
	return add_condition(p, scope, NULL, match->where);
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
	if (found->sort == GEMP_SEMA_EDGE)
		return gemp_sema_fail(p, word.place.begin,
		                      "'%s' is an edge of the pattern outside; in here only its vertices can be "
		                      "used",
		                      word.bytes);
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

/* WITH AND RETURN: columns, grouping, order. */

/* Adds a shown column. Equal names are refused, since results are addressed by name. */
static gemp_code add_column(gemp_sema *p, gemp_clause *clause, gemp_expr **expr, gemp_ast_place place, const char *name,
                            size_t size)
{
	if (clause->item_count == GEMP_SEMA_MAX_ITEMS)
		return gemp_sema_fail(p, place.begin, "more than %d columns", GEMP_SEMA_MAX_ITEMS);
	for (size_t i = 0; i < clause->item_count; i++) {
		const char *other = clause->items[i].name;
		if (strlen(other) == size && memcmp(other, name, size) == 0)
			return gemp_sema_fail(p, place.begin, "two columns are called '%s'; rename one by AS", other);
	}
	return gemp_clause_add_item(clause, expr, name, size);
}

/* `*` stands for all variables in the order of their first appearance. */
static gemp_code add_all(gemp_sema *p, const gemp_sema_scope *scope, gemp_clause *clause, gemp_ast_place place)
{
	if (scope->count == 0)
		return gemp_sema_fail(p, place.begin,
		                      "* stands for all variables, and there are none; name a vertex, as in (a)");
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	for (size_t i = 0; i < scope->count; i++) {
		const gemp_sema_name *name = &scope->names[i];
		bool element = name->sort == GEMP_SEMA_VERTEX || name->sort == GEMP_SEMA_EDGE;
		gemp_expr_kind kind = !element ? GEMP_COLUMN : name->sort == GEMP_SEMA_EDGE ? GEMP_EDGE : GEMP_VERTEX;
		GEMP_TRY(gemp_sema_new_expr(p, kind, place.begin, &expr));
		expr->of_edge = name->sort == GEMP_SEMA_EDGE;
		if (element)
			expr->variable = name->index;
		else
			expr->item = (size_t)name->index;
		GEMP_TRY(add_column(p, clause, &expr, place, name->name, strlen(name->name)));
	}
	return GEMP_OK;
}

/* Adds one item of WITH or RETURN. The name of its column is the alias, or the variable, or in RETURN the item's
 * text. */
static gemp_code add_one(gemp_sema *p, gemp_sema_scope *scope, bool with, gemp_clause *clause,
                         const gemp_ast_item *item)
{
	const gemp_ast_word *word = item->alias.bytes                 ? &item->alias
	                            : item->expr->kind == GEMP_VERTEX ? &item->expr->variable
	                                                              : NULL;
	gemp_sema_context context = { .scope = scope };
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_sema_expr(p, &context, item->expr, GEMP_SEMA_ANY, &expr));
	if (with && !word)
		return gemp_sema_fail(p, item->place.begin, "WITH needs a name for what it passes on: write ... AS name");
	if (word)
		return add_column(p, clause, &expr, item->alias.bytes ? item->alias.place : item->place, word->bytes,
		                  word->size);
	return add_column(p, clause, &expr, item->place, p->q->source.text + item->place.begin,
	                  item->place.end - item->place.begin);
}

/* Does the expression have one value for all rows of a group (with DISTINCT: of equal rows)? It does if it consists of
 * grouped columns, aggregates and literals. */
static bool is_determined(const gemp_clause *clause, const gemp_expr *expr)
{
	if (expr->kind == GEMP_LITERAL || gemp_expr_is_aggregate(expr))
		return true;
	for (size_t i = 0; i < clause->shown; i++) {
		const gemp_expr *item = clause->items[i].expr;
		bool element = gemp_expr_is_element(item);
		if (!gemp_expr_has_aggregate(item) &&
		    (gemp_expr_compare(item, expr) == 0 ||
		     (element && expr->variable == item->variable && expr->of_edge == item->of_edge)))
			return true;
	}
	bool determined = expr->count > 0 || gemp_expr_is_subpattern(expr);
	for (size_t i = 0; determined && i < expr->count; i++)
		determined = is_determined(clause, expr->children[i]);
	return determined;
}

/* Adds all items of a clause. If an item has an aggregate, the clause groups rows. Beside the aggregate, such an item
 * may then use only expressions with one value for each group. */
static gemp_code add_items(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_projection *from, bool with,
                           gemp_clause *clause)
{
	for (const gemp_ast_item *item = from->items; item; item = item->next)
		GEMP_TRY(item->expr ? add_one(p, scope, with, clause, item) : add_all(p, scope, clause, item->place));
	clause->shown = clause->item_count;
	for (size_t i = 0; i < clause->shown; i++)
		clause->grouped = clause->grouped || gemp_expr_has_aggregate(clause->items[i].expr);
	for (size_t i = 0; clause->grouped && i < clause->shown; i++) {
		const gemp_expr *expr = clause->items[i].expr;
		if (gemp_expr_has_aggregate(expr) && !is_determined(clause, expr))
			return gemp_source_fail_at(&p->q->source, expr->line, expr->column,
			                           "what stands beside an aggregate has to be a "
			                           "column of its own, so that rows are grouped by it");
	}
	return GEMP_OK;
}

/* The kind of a column decides how later clauses may use it. Lists can only be passed on, returned and measured by
 * size(). */
static gemp_sema_kind kind_of(const gemp_sema_scope *scope, const gemp_expr *expr)
{
	if (expr->kind == GEMP_VERTEX)
		return GEMP_SEMA_VERTEX;
	if (expr->kind == GEMP_EDGE)
		return GEMP_SEMA_EDGE;
	if (expr->kind == GEMP_LABELS || expr->kind == GEMP_COLLECT)
		return GEMP_SEMA_LIST;
	for (size_t i = 0; expr->kind == GEMP_COLUMN && i < scope->count; i++)
		if (scope->names[i].index == (int)expr->item)
			return scope->names[i].sort;
	return GEMP_SEMA_VALUE;
}

/* ORDER BY sorts final rows: after grouping or DISTINCT an expression must have one value for each final row. */
static gemp_code check_order(gemp_sema *p, const gemp_sema_scope *scope, const gemp_clause *clause,
                             const gemp_expr *expr, size_t at)
{
	bool aggregate = gemp_expr_has_aggregate(expr);
	if (kind_of(scope, expr) == GEMP_SEMA_LIST)
		return gemp_sema_fail(p, at, "lists have no order; order by a value");
	if (aggregate && !clause->grouped)
		return gemp_sema_fail(p, at, "an aggregate in ORDER BY has to be a column too, so that there are groups");
	if (clause->grouped && !is_determined(clause, expr))
		return gemp_sema_fail(
			p, at,
			"ORDER BY beside aggregates speaks of columns only, since a group has one value for each; "
			"make this a column");
	if (clause->distinct && !is_determined(clause, expr))
		return gemp_sema_fail(
			p, at,
			"ORDER BY beside DISTINCT speaks of columns only, since equal rows become one; make this a "
			"column");
	return GEMP_OK;
}

/* An expression of ORDER BY that is not a column becomes a hidden item after the shown items. */
static gemp_code add_order(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_order *order, gemp_clause *clause)
{
	gemp_sema_context context = { .scope = scope, .columns = clause };
	size_t item = 0;
	GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
	GEMP_TRY(gemp_sema_expr(p, &context, order->expr, GEMP_SEMA_ELEMENT, &expr));
	GEMP_TRY(check_order(p, scope, clause, expr, order->expr->place.begin));
	if (clause->order_count == GEMP_SEMA_MAX_ITEMS)
		return gemp_sema_fail(p, order->expr->place.begin, "more than %d expressions in ORDER BY", GEMP_SEMA_MAX_ITEMS);
	while (item < clause->item_count && gemp_expr_compare(clause->items[item].expr, expr) != 0)
		item++;
	if (item == clause->item_count)
		GEMP_TRY(gemp_clause_add_item(clause, &expr, "", 0));
	const gemp_sort_item sort = { .item = item, .descending = order->descending };
	return GEMP_APPEND(clause->orders, clause->order_count, &sort);
}

/* The scope borrows the names of the items, which live as long as the pattern. */
static gemp_code add_names(gemp_sema *p, const gemp_sema_scope *scope, const gemp_clause *clause, gemp_sema_scope *next)
{
	GEMP_TRY(gemp_sema_new_scope(p, NULL, clause->shown, next));
	for (size_t i = 0; i < clause->shown; i++)
		gemp_sema_add_name(next, clause->items[i].name, kind_of(scope, clause->items[i].expr), (int)i);
	return GEMP_OK;
}

/* WHERE after WITH filters rows of the clause, so its scope is that of the next clause. */
static gemp_code add_where(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_expr *from, gemp_clause *clause)
{
	gemp_sema_context context = { .scope = scope,
		                          .no_aggregates = "cannot stand in WHERE; give it a name in WITH, as in "
		                                           "WITH a, count(*) AS n WHERE n > 1" };
	GEMP_TRY(gemp_sema_expr(p, &context, from, GEMP_SEMA_CONDITION, &clause->where));
	return gemp_expr_normalise(&clause->where);
}

/* Analyses items first, since ORDER BY refers to their names, and WHERE last, since it uses the columns that the clause
 * passes on. */
gemp_code gemp_sema_clause(gemp_sema *p, gemp_sema_scope *scope, const gemp_ast_projection *from, bool with,
                           gemp_clause *clause, gemp_sema_scope *next)
{
	clause->distinct = from->distinct;
	GEMP_TRY(add_items(p, scope, from, with, clause));
	for (const gemp_ast_order *order = from->orders; order; order = order->next)
		GEMP_TRY(add_order(p, scope, order, clause));
	GEMP_TRY(add_names(p, scope, clause, next));
	if (from->where)
		GEMP_TRY(add_where(p, next, from->where, clause));
	clause->has_skip = from->skip != NULL;
	clause->skip = from->skip ? (uint64_t)from->skip->value.integer : 0;
	clause->has_limit = from->limit != NULL;
	clause->limit = from->limit ? (uint64_t)from->limit->value.integer : 0;
	return GEMP_OK;
}
