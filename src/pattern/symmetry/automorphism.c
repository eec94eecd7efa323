/* Automorphisms of a pattern are automorphisms of one coloured digraph, which nauty finds (McKay, Piperno 2014). The
 * digraph has a node for each vertex, each edge, and each part of a condition between several of them. No other file
 * uses nauty. */

#include "pattern/symmetry/automorphism.h"

#include "core/memory.h"
#include "pattern/condition/expr_text.h"

#include <assert.h>
#include <nauty/nautinv.h>
#include <nauty/nauty.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 8192 }; /* maximum number of nodes of the digraph; its matrix then has 8 MiB */

/* The digraph that nauty gets: colours are texts, and arcs are pairs of nodes. */
typedef struct digraph {
	const gemp_pattern *pattern;
	bool use_return;
	size_t nodes, capacity;
	gemp_text *colour; /* [nodes] */
	size_t arcs, arc_capacity;
	struct arc {
		int from, to;
	} * arc;
} digraph;

/* nauty's matrix has nodes^2 bits, hence the limit. */
static gemp_code add_node(digraph *d, int *node)
{
	if (d->nodes == MAX_NODES)
		return gemp_fail(GEMP_EUSAGE, "the conditions between different variables have more than %d parts", MAX_NODES);
	GEMP_TRY(GEMP_RESERVE(d->colour, d->capacity, d->nodes + 1));
	*node = (int)d->nodes;
	d->colour[d->nodes++] = (gemp_text){ 0 };
	return GEMP_OK;
}

/* Arcs may be repeated: nauty's matrix has one bit for each. */
static gemp_code add_arc(digraph *d, int from, int to)
{
	GEMP_TRY(GEMP_RESERVE(d->arc, d->arc_capacity, d->arcs + 1));
	d->arc[d->arcs++] = (struct arc){ from, to };
	return GEMP_OK;
}

/* The nodes of a pattern's vertices and edges. A pattern within another pattern shares the nodes of its arguments. */
typedef struct pattern_nodes {
	const gemp_pattern *pattern;
	int vertex[GEMP_MAX_PATTERN_VERTICES], edge[GEMP_MAX_PATTERN_EDGES]; /* nodes of a row's vertices and edges */
} pattern_nodes;

/* Conditions on one element are colours; all others need nodes of their own. */
static bool is_on_one_element(uint64_t vertices, uint64_t edges)
{
	return __builtin_popcountll(vertices) + __builtin_popcountll(edges) == 1;
}

/* The node of the only element in the two sets. */
static int node_of(const pattern_nodes *l, uint64_t vertices, uint64_t edges)
{
	return vertices ? l->vertex[__builtin_ctzll(vertices)] : l->edge[__builtin_ctzll(edges)];
}

/* True for operators whose operands may be exchanged. The operands of + on strings may not. */
static bool commutes(const gemp_expr *expr)
{
	bool number = expr->type == GEMP_INTEGER || expr->type == GEMP_FLOAT;
	return expr->kind == GEMP_EQ || expr->kind == GEMP_NE || expr->kind == GEMP_AND || expr->kind == GEMP_OR ||
	       expr->kind == GEMP_XOR || (number && (expr->kind == GEMP_ADD || expr->kind == GEMP_MULTIPLY));
}

static gemp_code add_sub(digraph *d, const pattern_nodes *outer, const gemp_expr *expr, int node);

/* Adds a node for an expression, with arcs to the nodes of its operands. An expression on one element is a single
 * node with an arc to the element. place: the operand's number in its parent, 0 where the order does not matter. */
static gemp_code add_expr(digraph *d, const pattern_nodes *l, const gemp_expr *expr, size_t place, int *node)
{
	uint64_t vertices = 0, edges = 0;
	GEMP_TRY(add_node(d, node));
	gemp_expr_uses(expr, &vertices, &edges);
	gemp_text_print(&d->colour[*node], "condition %zu ", place);
	if (gemp_expr_is_subpattern(expr))
		return add_sub(d, l, expr, *node);
	if (!gemp_expr_has_subpattern(expr) && (is_on_one_element(vertices, edges) || expr->count == 0)) {
		gemp_expr_print(expr, NULL, &d->colour[*node]);
		return vertices | edges ? add_arc(d, *node, node_of(l, vertices, edges)) : GEMP_OK;
	}
	gemp_text_print(&d->colour[*node], "%d%s", (int)expr->kind, expr->distinct ? " distinct" : "");
	for (size_t i = 0; i < expr->count; i++) {
		int child = -1;
		GEMP_TRY(add_expr(d, l, expr->children[i], commutes(expr) ? 0 : i + 1, &child));
		GEMP_TRY(add_arc(d, *node, child));
	}
	return GEMP_OK;
}

/* Order of texts, for qsort of arrays whose elements begin with a string. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the pattern's conditions on this node alone to its colour, sorted, so that their order in the query does
 * not matter. */
static gemp_code add_properties(digraph *d, const pattern_nodes *l, int node)
{
	const gemp_pattern *pattern = l->pattern;
	size_t count = 0;
	GEMP_OWNED char **texts = NULL;
	gemp_code code = GEMP_NEW(texts, pattern->condition_count);
	for (size_t i = 0; code == GEMP_OK && i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		if (!is_on_one_element(condition->vertices, condition->edges) || gemp_expr_has_subpattern(condition->expr) ||
		    node_of(l, condition->vertices, condition->edges) != node)
			continue;
		texts[count] = gemp_expr_text(condition->expr, NULL, false);
		code = texts[count++] ? GEMP_OK : GEMP_ENOMEM;
	}
	if (code == GEMP_OK)
		qsort(texts, count, sizeof *texts, by_text);
	for (size_t i = 0; i < count; i++) {
		gemp_text_print(&d->colour[node], "\nwhere %s", texts[i] ? texts[i] : "");
		gemp_free(texts[i]);
	}
	return code;
}

/* An edge is a node between its ends: arcs from -> edge -> to, or both ends -> edge if it has no direction. Parallel
 * edges are then nodes of their own. */
static gemp_code add_edge(digraph *d, pattern_nodes *l, size_t e)
{
	const gemp_pattern_edge *edge = &l->pattern->edges[e];
	int node = -1;
	GEMP_TRY(add_node(d, &node));
	l->edge[e] = node;
	gemp_text_print(&d->colour[node], "edge %d", (int)edge->direction);
	if (edge->match)
		gemp_text_print(&d->colour[node], " match %d", edge->match);
	if (edge->path)
		gemp_text_print(&d->colour[node], " path %u %u", edge->min_hops, edge->max_hops);
	for (size_t i = 0; i < edge->type_count; i++)
		gemp_text_print(&d->colour[node], "\n:%zu %s", strlen(edge->types[i]), edge->types[i]);
	GEMP_TRY(add_arc(d, l->vertex[edge->from], node));
	return edge->direction == GEMP_OUT ? add_arc(d, node, l->vertex[edge->to]) : add_arc(d, l->vertex[edge->to], node);
}

/* Adds the edges and conditions of a pattern whose vertices have nodes. inside: the node of an inner pattern,
 * which gets arcs to all its own nodes; -1: the outermost pattern. */
static gemp_code add_inside(digraph *d, pattern_nodes *l, int inside)
{
	const gemp_pattern *pattern = l->pattern;
	int node;
	for (size_t e = 0; e < pattern->edge_count; e++) {
		GEMP_TRY(add_edge(d, l, e));
		if (inside >= 0)
			GEMP_TRY(add_arc(d, inside, l->edge[e]));
	}
	for (size_t v = inside >= 0 ? pattern->arguments : 0; v < pattern->vertex_count; v++)
		GEMP_TRY(add_properties(d, l, l->vertex[v]));
	for (size_t e = 0; e < pattern->edge_count; e++)
		GEMP_TRY(add_properties(d, l, l->edge[e]));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		bool on_argument = inside >= 0 && condition->vertices &&
		                   __builtin_ctzll(condition->vertices) < (int)pattern->arguments;
		if (is_on_one_element(condition->vertices, condition->edges) && !gemp_expr_has_subpattern(condition->expr) &&
		    !on_argument)
			continue;
		GEMP_TRY(add_expr(d, l, condition->expr, 0, &node));
		if (inside >= 0)
			GEMP_TRY(add_arc(d, inside, node));
	}
	return GEMP_OK;
}

/* Vertices [from, vertex_count) get nodes. Repeatable vertices have another colour, since they may coincide with other
 * vertices. */
static gemp_code add_own_vertices(digraph *d, pattern_nodes *l, size_t from, int inside)
{
	for (size_t v = from; v < l->pattern->vertex_count; v++) {
		GEMP_TRY(add_node(d, &l->vertex[v]));
		gemp_text_print(&d->colour[l->vertex[v]], "vertex%s", l->pattern->vertices[v].repeatable ? " free" : "");
		if (inside >= 0)
			GEMP_TRY(add_arc(d, inside, l->vertex[v]));
	}
	return GEMP_OK;
}

/* Adds a pattern within another pattern. Its arguments have nodes already. Its own elements must differ from every
 * argument that is not repeatable, even if no edge and no condition uses the argument, so the node `inside` has an arc
 * to each such argument. */
static gemp_code add_inner(digraph *d, pattern_nodes *inner, int inside)
{
	for (size_t v = 0; v < inner->pattern->arguments; v++)
		if (!inner->pattern->vertices[v].repeatable)
			GEMP_TRY(add_arc(d, inside, inner->vertex[v]));
	GEMP_TRY(add_own_vertices(d, inner, inner->pattern->arguments, inside));
	return add_inside(d, inner, inside);
}

/* EXISTS and COUNT have a node with arcs to the vertices and edges of their pattern. The arguments are nodes of the
 * outer pattern. */
static gemp_code add_sub(digraph *d, const pattern_nodes *outer, const gemp_expr *expr, int node)
{
	pattern_nodes inner = { .pattern = outer->pattern->subs[expr->sub] };
	gemp_text_print(&d->colour[node], "%d", (int)expr->kind);
	for (size_t v = 0; v < inner.pattern->arguments; v++)
		inner.vertex[v] = outer->vertex[expr->children[v]->variable];
	return add_inner(d, &inner, node);
}

/* OPTIONAL MATCH has a node like EXISTS, coloured by its position among the optionals; its new elements belong to the
 * row. */
static gemp_code add_optional(digraph *d, pattern_nodes *row, size_t index)
{
	const gemp_optional *optional = &row->pattern->optionals[index];
	pattern_nodes inner = { .pattern = optional->pattern };
	int node = -1;
	GEMP_TRY(add_node(d, &node));
	gemp_text_print(&d->colour[node], "optional %zu", index);
	for (size_t v = 0; v < inner.pattern->arguments; v++)
		inner.vertex[v] = row->vertex[optional->outer[v]];
	GEMP_TRY(add_inner(d, &inner, node));
	for (size_t v = inner.pattern->arguments; v < inner.pattern->vertex_count; v++)
		row->vertex[(size_t)optional->first_vertex + v - inner.pattern->arguments] = inner.vertex[v];
	for (size_t e = 0; e < inner.pattern->edge_count; e++)
		row->edge[(size_t)optional->first_edge + e] = inner.edge[e];
	return GEMP_OK;
}

/* The leaves of a condition behind WITH have arcs to the nodes of the items. */
static gemp_code add_after_with(digraph *d, const int *items, const gemp_expr *expr, size_t place, int *node)
{
	bool column = expr->kind == GEMP_COLUMN;
	GEMP_TRY(add_node(d, node));
	gemp_text_print(&d->colour[*node], "behind %zu %d ", place, (int)expr->kind);
	if (column || expr->variable >= 0)
		GEMP_TRY(add_arc(d, *node, items[column ? expr->item : (size_t)expr->variable]));
	if (expr->count == 0 && !column)
		gemp_expr_print(expr, NULL, &d->colour[*node]);
	for (size_t i = 0; i < expr->count; i++) {
		int child = -1;
		GEMP_TRY(add_after_with(d, items, expr->children[i], commutes(expr) ? 0 : i + 1, &child));
		GEMP_TRY(add_arc(d, *node, child));
	}
	return GEMP_OK;
}

/* Returned items are a multiset, so equal items get equal colours; items of ORDER BY are coloured by their position in
 * it. */
static gemp_code add_clause(digraph *d, const pattern_nodes *row)
{
	const gemp_clause *clause = gemp_pattern_first_clause(row->pattern);
	GEMP_OWNED int *items = NULL;
	int node;
	GEMP_TRY(GEMP_NEW(items, clause->item_count));
	for (size_t i = 0; i < clause->item_count; i++) {
		GEMP_TRY(add_expr(d, row, clause->items[i].expr, 0, &items[i]));
		gemp_text_print(&d->colour[items[i]], " returned%s", i < clause->shown ? "" : " hidden");
		if (i < row->pattern->fixed_items)
			gemp_text_print(&d->colour[items[i]], " as %zu", i);
		for (size_t o = 0; o < clause->order_count; o++)
			if (clause->orders[o].item == i)
				gemp_text_print(&d->colour[items[i]], " by %zu %d", o, clause->orders[o].descending);
	}
	if (clause->where)
		GEMP_TRY(add_after_with(d, items, clause->where, 0, &node));
	return GEMP_OK;
}

/* Colours are texts, so that two nodes are exchangeable only if all conditions on them alone are equal. */
static gemp_code build_digraph(digraph *d)
{
	pattern_nodes row = { .pattern = d->pattern };
	GEMP_TRY(add_own_vertices(d, &row, 0, -1));
	for (size_t v = 0; v < d->pattern->arguments; v++)
		gemp_text_print(&d->colour[row.vertex[v]], " given %zu", v);
	GEMP_TRY(add_inside(d, &row, -1));
	for (size_t i = 0; i < d->pattern->optional_count; i++)
		GEMP_TRY(add_optional(d, &row, i));
	if (d->use_return)
		GEMP_TRY(add_clause(d, &row));
	for (size_t i = 0; i < d->nodes; i++)
		GEMP_TRY(gemp_text_status(&d->colour[i]));
	return GEMP_OK;
}

/* nauty calls back without a context, so the result of the running call is global. */
static gemp_symmetry *collected_symmetry;
static gemp_code collected_code;

/* nauty's callback: keeps the images of vertices and edges, and drops permutations that move only auxiliary nodes. */
static void collect_generator(int count, int *permutation, int *orbits, int orbit_count, int fixed, int n)
{
	(void)count;
	(void)orbits;
	(void)orbit_count;
	(void)fixed;
	(void)n;
	gemp_symmetry *s = collected_symmetry;
	bool moves = false;
	for (size_t i = 0; i < s->points; i++)
		moves = moves || permutation[i] != (int)i;
	if (!moves || collected_code != GEMP_OK)
		return;
	collected_code = GEMP_RESERVE(s->images, s->capacity, (s->count + 1) * s->points);
	if (collected_code == GEMP_OK)
		memcpy(s->images + s->count++ * s->points, permutation, s->points * sizeof *s->images);
}

/* nauty's partition: lab lists the nodes by colour; ptn[i] is 0 where a colour ends. */
static gemp_code colour_cells(const digraph *d, int *lab, int *ptn)
{
	typedef struct node_colour {
		const char *colour;
		int node;
	} node_colour;
	GEMP_OWNED node_colour *order = NULL;
	GEMP_TRY(GEMP_NEW(order, d->nodes));
	for (size_t i = 0; i < d->nodes; i++) {
		order[i].colour = d->colour[i].data;
		order[i].node = (int)i;
	}
	qsort(order, d->nodes, sizeof *order, by_text);
	for (size_t i = 0; i < d->nodes; i++) {
		lab[i] = order[i].node;
		ptn[i] = i + 1 < d->nodes && strcmp(order[i].colour, order[i + 1].colour) == 0;
	}
	return GEMP_OK;
}

/* nauty reports generators only, so the group may be larger than memory. */
static gemp_code run_nauty(const digraph *d, gemp_symmetry *symmetry)
{
	DEFAULTOPTIONS_DIGRAPH(options);
	statsblk stats;
	int n = (int)d->nodes, m = SETWORDSNEEDED(n);
	GEMP_OWNED int *lab = NULL;
	GEMP_OWNED graph *g = NULL;
	options.defaultptn = FALSE;
	options.userautomproc = collect_generator;
	nauty_check(WORDSIZE, m, n, NAUTYVERSIONID);
	GEMP_TRY(GEMP_NEW(g, (size_t)n * (size_t)m));
	GEMP_TRY(GEMP_NEW(lab, 3 * (size_t)n));
	int *ptn = lab + n, *orbits = ptn + n;
	for (size_t i = 0; i < d->arcs; i++)
		ADDELEMENT(g + (size_t)d->arc[i].from * (size_t)m, d->arc[i].to);
	GEMP_TRY(colour_cells(d, lab, ptn));
	collected_symmetry = symmetry;
	collected_code = GEMP_OK;
	densenauty(g, lab, ptn, orbits, &options, &stats, m, n, NULL);
	nauty_freedyn();
	naugraph_freedyn();
	nautil_freedyn();
	return collected_code;
}

/* Also frees a digraph that was built only partly. */
static void free_digraph(digraph *d)
{
	for (size_t i = 0; i < d->nodes; i++)
		gemp_text_free(&d->colour[i]);
	gemp_free_all(d->colour, d->arc);
}

/* What an automorphism keeps of a vertex, for a quick look. */
typedef struct vertex_profile {
	uint32_t out, in, either; /* edges of the outermost pattern */
	uint32_t conditions;      /* on this vertex alone, which are part of its colour */
} vertex_profile;

static bool has_parallel_edges(const gemp_pattern *pattern)
{
	for (size_t e = 0; e < pattern->edge_count; e++)
		for (size_t f = 0; f < e; f++) {
			const gemp_pattern_edge *a = &pattern->edges[e], *b = &pattern->edges[f];
			if ((a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from))
				return true;
		}
	return false;
}

/* True if the profiles of all vertices differ, so that no automorphism moves a vertex or an edge. Texts of conditions
 * and nauty take 5 microseconds even for two vertices. */
static bool is_plainly_rigid(const gemp_pattern *pattern)
{
	vertex_profile profiles[GEMP_MAX_PATTERN_VERTICES];
	if (has_parallel_edges(pattern))
		return false;
	memset(profiles, 0, pattern->vertex_count * sizeof *profiles);
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		const bool directed = edge->direction == GEMP_OUT;
		++*(directed ? &profiles[edge->from].out : &profiles[edge->from].either);
		++*(directed ? &profiles[edge->to].in : &profiles[edge->to].either);
	}
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		if (condition->vertices && is_on_one_element(condition->vertices, condition->edges) &&
		    !gemp_expr_has_subpattern(condition->expr))
			profiles[__builtin_ctzll(condition->vertices)].conditions++;
	}
	for (size_t v = 0; v < pattern->vertex_count; v++)
		for (size_t u = 0; u < v; u++)
			if (memcmp(&profiles[v], &profiles[u], sizeof *profiles) == 0)
				return false;
	return true;
}

/* Points of the result are the pattern's vertices and edges, which are the first nodes of the digraph. */
gemp_code gemp_automorphism_find(gemp_symmetry **out, const gemp_pattern *pattern, bool use_return)
{
	GEMP_OWNED_BY(free_digraph) digraph d = { .pattern = pattern, .use_return = use_return && pattern->has_return };
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *symmetry = NULL;
	assert(gemp_pattern_is_valid(pattern));
	GEMP_TRY(GEMP_NEW(symmetry, 1));
	symmetry->vertices = pattern->vertex_count;
	symmetry->points = pattern->vertex_count + pattern->edge_count;
	if (!is_plainly_rigid(pattern)) {
		GEMP_TRY(build_digraph(&d));
		GEMP_TRY(run_nauty(&d, symmetry));
	}
	GEMP_TRY(gemp_symmetry_finish(symmetry));
	*out = symmetry;
	symmetry = NULL;
	return GEMP_OK;
}
