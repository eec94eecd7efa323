/* Automorphisms of a pattern by nauty (McKay, Piperno 2014), as those of one coloured digraph: a node for each
 * vertex, each edge, and each part of a condition between several of them. This file alone knows nauty. */
#include "pattern/symmetry.h"

#include "core/memory.h"
#include "pattern/expr.h"
#include "pattern/group.h"

#include <nauty/nautinv.h>
#include <nauty/nauty.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 8192 }; /* of the digraph: 8 MiB of bits */

typedef struct digraph {
	const gemp_pattern *pattern;
	bool use_return;
	size_t nodes, capacity;
	gemp_text *colour; /* [nodes] */
	size_t arcs, arc_capacity;
	struct arc {
		int from, to;
	} *arc;
} digraph;

static gemp_code add_node(digraph *d, int *node)
{
	if (d->nodes == MAX_NODES)
		return gemp_fail(GEMP_EUSAGE, "the conditions between different variables have more than %d parts", MAX_NODES);
	gemp_code code = GEMP_RESERVE(d->colour, d->capacity, d->nodes + 1);
	if (code != GEMP_OK)
		return code;
	*node = (int)d->nodes;
	d->colour[d->nodes++] = (gemp_text){ 0 };
	return GEMP_OK;
}

static gemp_code add_arc(digraph *d, int from, int to)
{
	gemp_code code = GEMP_RESERVE(d->arc, d->arc_capacity, d->arcs + 1);
	if (code == GEMP_OK)
		d->arc[d->arcs++] = (struct arc){ from, to };
	return code;
}

static bool on_one(uint64_t vertices, uint64_t edges)
{
	return __builtin_popcountll(vertices) + __builtin_popcountll(edges) == 1;
}

static int point_of(const digraph *d, uint64_t vertices, uint64_t edges)
{
	return vertices ? __builtin_ctzll(vertices) : (int)d->pattern->vertex_count + __builtin_ctzll(edges);
}

static bool commutes(gemp_expr_kind kind)
{
	return kind == GEMP_EQ || kind == GEMP_NE || kind == GEMP_AND || kind == GEMP_OR;
}

/* A node for an expression, with arcs to those of its operands; what is on one variable is one node with an arc to it.
 * place: which operand of its parent it is, 0 where that does not matter. */
static gemp_code add_expr(digraph *d, const gemp_expr *expr, size_t place, int *node)
{
	uint64_t vertices = 0, edges = 0;
	gemp_code code = add_node(d, node);
	if (code != GEMP_OK)
		return code;
	gemp_expr_uses(expr, &vertices, &edges);
	gemp_text_print(&d->colour[*node], "condition %zu ", place);
	if (on_one(vertices, edges) || expr->count == 0) {
		gemp_expr_print(expr, NULL, &d->colour[*node]);
		return vertices | edges ? add_arc(d, *node, point_of(d, vertices, edges)) : GEMP_OK;
	}
	gemp_text_print(&d->colour[*node], "%d", (int)expr->kind);
	for (size_t i = 0; code == GEMP_OK && i < expr->count; i++) {
		int child;
		code = add_expr(d, expr->children[i], commutes(expr->kind) ? 0 : i + 1, &child);
		if (code == GEMP_OK)
			code = add_arc(d, *node, child);
	}
	return code;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* To the colour of a point: its own conditions and what is returned of it, sorted. */
static gemp_code add_properties(digraph *d, int point)
{
	const gemp_pattern *pattern = d->pattern;
	int vertex_count = (int)pattern->vertex_count;
	size_t count = 0;
	char **texts;
	gemp_code code = GEMP_NEW(texts, pattern->condition_count + pattern->result.item_count);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		if (on_one(condition->vertices, condition->edges) && point_of(d, condition->vertices, condition->edges) == point)
			if (!(texts[count++] = gemp_expr_text(condition->expr, NULL)))
				goto failed;
	}
	size_t conditions = count;
	for (size_t i = 0; d->use_return && i < pattern->result.item_count; i++) {
		const gemp_expr *expr = pattern->result.items[i].expr;
		if (expr->variable >= 0 && expr->variable + (expr->of_edge ? vertex_count : 0) == point)
			if (!(texts[count++] = gemp_expr_text(expr, NULL)))
				goto failed;
	}
	qsort(texts, conditions, sizeof *texts, by_text);
	qsort(texts + conditions, count - conditions, sizeof *texts, by_text);
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&d->colour[point], "%s%s", i < conditions ? "\nwhere " : "\nreturn ", texts[i]);
	goto done;
failed:
	code = GEMP_ENOMEM;
	count--;
done:
	for (size_t i = 0; i < count; i++)
		gemp_free(texts[i]);
	gemp_free(texts);
	return code;
}

static gemp_code add_edge(digraph *d, const gemp_pattern_edge *edge)
{
	int node = -1;
	gemp_code code = GEMP_OK;
	GEMP_TRY(add_node(d, &node));
	gemp_text_print(&d->colour[node], "edge %d", (int)edge->direction);
	for (size_t i = 0; i < edge->type_count; i++)
		gemp_text_print(&d->colour[node], "\n:%zu %s", strlen(edge->types[i]), edge->types[i]);
	GEMP_TRY(add_arc(d, edge->from, node));
	if (edge->direction == GEMP_OUT)
		GEMP_TRY(add_arc(d, node, edge->to));
	else
		GEMP_TRY(add_arc(d, edge->to, node));
done:
	return code;
}

static gemp_code describe(digraph *d)
{
	const gemp_pattern *pattern = d->pattern;
	gemp_code code = GEMP_OK;
	int node;
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		GEMP_TRY(add_node(d, &node));
		gemp_text_print(&d->colour[node], "vertex");
	}
	for (size_t e = 0; e < pattern->edge_count; e++)
		GEMP_TRY(add_edge(d, &pattern->edges[e]));
	for (int point = 0; point < (int)(pattern->vertex_count + pattern->edge_count); point++)
		GEMP_TRY(add_properties(d, point));
	for (size_t i = 0; i < pattern->condition_count; i++)
		if (!on_one(pattern->conditions[i].vertices, pattern->conditions[i].edges))
			GEMP_TRY(add_expr(d, pattern->conditions[i].expr, 0, &node));
	for (size_t i = 0; i < d->nodes; i++)
		GEMP_TRY(gemp_text_status(&d->colour[i]));
done:
	return code;
}

/* nauty calls back without a context. */
static gemp_symmetry *collecting;
static gemp_code collected;

static void collect(int count, int *permutation, int *orbits, int orbit_count, int fixed, int n)
{
	(void)count;
	(void)orbits;
	(void)orbit_count;
	(void)fixed;
	(void)n;
	gemp_symmetry *s = collecting;
	bool moves = false;
	for (size_t i = 0; i < s->points; i++)
		moves = moves || permutation[i] != (int)i;
	if (!moves || collected != GEMP_OK)
		return;
	collected = GEMP_RESERVE(s->images, s->capacity, (s->count + 1) * s->points);
	if (collected == GEMP_OK)
		memcpy(s->images + s->count++ * s->points, permutation, s->points * sizeof *s->images);
}

/* lab: nodes by colour; ptn: 0 where a colour ends. */
static gemp_code colour_cells(const digraph *d, int *lab, int *ptn)
{
	struct { const char *colour; int node; } *order;
	gemp_code code = GEMP_NEW(order, d->nodes);
	if (code != GEMP_OK)
		return code;
	for (size_t i = 0; i < d->nodes; i++) {
		order[i].colour = d->colour[i].data;
		order[i].node = (int)i;
	}
	qsort(order, d->nodes, sizeof *order, by_text);
	for (size_t i = 0; i < d->nodes; i++) {
		lab[i] = order[i].node;
		ptn[i] = i + 1 < d->nodes && strcmp(order[i].colour, order[i + 1].colour) == 0;
	}
	gemp_free(order);
	return GEMP_OK;
}

static gemp_code run_nauty(const digraph *d, gemp_symmetry *symmetry)
{
	DEFAULTOPTIONS_DIGRAPH(options);
	statsblk stats;
	int n = (int)d->nodes, m = SETWORDSNEEDED(n), *lab = NULL, *ptn, *orbits;
	graph *g = NULL;
	gemp_code code = GEMP_OK;
	options.defaultptn = FALSE;
	options.userautomproc = collect;
	nauty_check(WORDSIZE, m, n, NAUTYVERSIONID);
	GEMP_TRY(GEMP_NEW(g, (size_t)n * (size_t)m));
	GEMP_TRY(GEMP_NEW(lab, 3 * (size_t)n));
	ptn = lab + n;
	orbits = ptn + n;
	for (size_t i = 0; i < d->arcs; i++)
		ADDELEMENT(g + (size_t)d->arc[i].from * (size_t)m, d->arc[i].to);
	GEMP_TRY(colour_cells(d, lab, ptn));
	collecting = symmetry;
	collected = GEMP_OK;
	densenauty(g, lab, ptn, orbits, &options, &stats, m, n, NULL);
	nauty_freedyn();
	naugraph_freedyn();
	nautil_freedyn();
	code = collected;
done:
	gemp_free(lab);
	gemp_free(g);
	return code;
}

static void free_digraph(digraph *d)
{
	for (size_t i = 0; i < d->nodes; i++)
		gemp_text_free(&d->colour[i]);
	gemp_free(d->colour);
	gemp_free(d->arc);
}

gemp_code gemp_symmetry_find(gemp_symmetry **out, const gemp_pattern *pattern, bool use_return)
{
	digraph d = { .pattern = pattern, .use_return = use_return && pattern->returns_given };
	gemp_symmetry *symmetry = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(symmetry, 1));
	symmetry->vertices = pattern->vertex_count;
	symmetry->points = pattern->vertex_count + pattern->edge_count;
	GEMP_TRY(describe(&d));
	GEMP_TRY(run_nauty(&d, symmetry));
	GEMP_TRY(gemp_symmetry_finish(symmetry));
	*out = symmetry;
	symmetry = NULL;
done:
	gemp_symmetry_free(symmetry);
	free_digraph(&d);
	return code;
}
