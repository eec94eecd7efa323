#include "count/elimination.h"

#include "core/status.h"
#include "count/typed_graph.h"

#include <math.h>
#include <string.h>

/* A term while its vertices are eliminated. Edges that were eliminated are removed. */
typedef struct term_state {
	gemp_elimination *all;
	gemp_typed_term term;
	uint64_t alive; /* vertices */
	gemp_fold_product products[GEMP_MAX_PATTERN_VERTICES];
	const char *reason;
} term_state;

/* PRODUCTS AND FOLDS */

static int compare_edges(const gemp_fold_edge *a, const gemp_fold_edge *b)
{
	const size_t x = (a->types * 3 + a->direction) * 2 + a->exists, y = (b->types * 3 + b->direction) * 2 + b->exists;
	return (x > y) - (x < y);
}

static gemp_code add_fold(gemp_elimination *e, const gemp_fold *fold, int *index)
{
	for (size_t i = 0; i < e->fold_count; i++) {
		const gemp_fold *have = &e->folds[i];
		bool same = have->child == fold->child && have->edge_count == fold->edge_count;
		for (int k = 0; k < fold->edge_count && same; k++)
			same = compare_edges(&have->edges[k], &fold->edges[k]) == 0;
		*index = (int)i;
		if (same)
			return GEMP_OK;
	}
	*index = (int)e->fold_count;
	GEMP_TRY(GEMP_RESERVE(e->folds, e->fold_capacity, e->fold_count + 1));
	e->folds[e->fold_count++] = *fold;
	return GEMP_OK;
}

/* A fold that a new product has is used once more. */
static gemp_code add_product(gemp_elimination *e, const gemp_fold_product *product, int *index)
{
	for (size_t i = 0; i < e->product_count; i++) {
		const gemp_fold_product *have = &e->products[i];
		*index = (int)i;
		if (have->candidates == product->candidates && have->weights == product->weights &&
		    have->fold_count == product->fold_count &&
		    memcmp(have->folds, product->folds, (size_t)product->fold_count * sizeof *product->folds) == 0)
			return GEMP_OK;
	}
	*index = (int)e->product_count;
	GEMP_TRY(GEMP_RESERVE(e->products, e->product_capacity, e->product_count + 1));
	e->products[e->product_count++] = *product;
	for (int k = 0; k < product->fold_count; k++)
		e->folds[product->folds[k]].uses++;
	return GEMP_OK;
}

/* Adds a fold to a vertex's product, whose folds stay sorted. */
static gemp_code attach(term_state *t, int v, const gemp_fold *fold)
{
	gemp_fold_product *p = &t->products[v];
	int index, k = p->fold_count;
	if (k == GEMP_PRODUCT_FOLDS) {
		t->reason = "it has too many edges";
		return GEMP_OK;
	}
	GEMP_TRY(add_fold(t->all, fold, &index));
	for (; k > 0 && p->folds[k - 1] > index; k--)
		p->folds[k] = p->folds[k - 1];
	p->folds[k] = index;
	p->fold_count++;
	return GEMP_OK;
}

/* The edge as it leads from vertex `from`. */
static gemp_fold_edge edge_from(const gemp_typed_edge *edge, int from)
{
	return (gemp_fold_edge){ .types = edge->types,
		                     .direction = edge->either         ? GEMP_VIEW_EITHER
		                                  : edge->from == from ? GEMP_VIEW_OUT
		                                                       : GEMP_VIEW_IN,
		                     .exists = edge->exists };
}

/* Moves the edges between a and b to the fold, as they lead from a. Loops have a = b. */
static void take_edges(term_state *t, int a, int b, gemp_fold *fold)
{
	gemp_typed_term *term = &t->term;
	for (int i = 0; i < term->edge_count;) {
		const gemp_typed_edge *edge = &term->edges[i];
		if (!((edge->from == a && edge->to == b) || (edge->from == b && edge->to == a))) {
			i++;
			continue;
		}
		if (fold->edge_count == GEMP_FOLD_EDGES) {
			t->reason = "it has too many edges between two vertices";
			return;
		}
		const gemp_fold_edge taken = edge_from(edge, a);
		int k = fold->edge_count++;
		for (; k > 0 && compare_edges(&fold->edges[k - 1], &taken) > 0; k--)
			fold->edges[k] = fold->edges[k - 1];
		fold->edges[k] = taken;
		term->edges[i] = term->edges[--term->edge_count];
	}
}

/* ELIMINATION */

/* The only vertex to which v is joined; -1 if there are several or none. */
static int only_neighbour(const gemp_typed_term *term, int v)
{
	int found = -1;
	for (int i = 0; i < term->edge_count; i++) {
		const gemp_typed_edge *edge = &term->edges[i];
		if (edge->from != v && edge->to != v)
			continue;
		const int other = edge->from == v ? edge->to : edge->from;
		if (found >= 0 && found != other)
			return -1;
		found = other;
	}
	return found;
}

static bool is_plain(const gemp_fold *fold)
{
	return fold->edge_count == 1 && !fold->edges[0].exists && fold->child >= 0;
}

/* Can the vertex be any vertex, which then contributes 1? */
static bool is_free(const gemp_fold_product *p)
{
	return !p->candidates && !p->weights && !p->fold_count;
}

/* Expected entries that a fold reads. Degrees are read without entries. */
static double fold_cost(const gemp_elimination *e, const gemp_fold *fold)
{
	const gemp_fold_product *child = fold->child >= 0 ? &e->products[fold->child] : NULL;
	double edges = gemp_type_figures_of(e->graph, gemp_type_set(e->types, fold->edges[0].types)).edges *
	               (fold->edges[0].direction == GEMP_VIEW_EITHER ? 2 : 1);
	if (is_plain(fold) && is_free(child))
		edges = 0;
	return edges * (is_plain(fold) ? 1 : 4) + (double)e->graph->vertex_count / 4;
}

/* Eliminates vertex v, whose only neighbour is u. */
static gemp_code eliminate(term_state *t, int v, int u)
{
	gemp_fold fold = { 0 };
	GEMP_TRY(add_product(t->all, &t->products[v], &fold.child));
	take_edges(t, u, v, &fold);
	const size_t before = t->all->fold_count;
	if (!t->reason)
		GEMP_TRY(attach(t, u, &fold));
	if (t->all->fold_count > before)
		t->all->pass_cost += fold_cost(t->all, &fold);
	t->alive &= ~GEMP_BIT(v);
	return GEMP_OK;
}

/* Eliminates vertices other than `root` until the others are on cycles. */
static gemp_code eliminate_all(term_state *t, int root)
{
	for (bool again = true; again && !t->reason;) {
		again = false;
		for (int v = 0; v < t->term.vertex_count && !t->reason; v++) {
			const int u = t->alive & GEMP_BIT(v) && v != root ? only_neighbour(&t->term, v) : -1;
			if (u < 0)
				continue;
			GEMP_TRY(eliminate(t, v, u));
			again = true;
		}
	}
	return GEMP_OK;
}

static gemp_code take_loops(term_state *t)
{
	for (int v = 0; v < t->term.vertex_count && !t->reason; v++) {
		gemp_fold fold = { .child = -1 };
		take_edges(t, v, v, &fold);
		if (fold.edge_count && !t->reason)
			GEMP_TRY(attach(t, v, &fold));
	}
	return GEMP_OK;
}

/* The entries that are read if the tree's root is `root`: those of all edges except edges to leaves that can be any
 * vertex. So the best root has as many of these leaves as possible, and is no such leaf itself. */
static double root_cost(const term_state *t, int root)
{
	double cost = 0;
	for (int i = 0; i < t->term.edge_count; i++) {
		const gemp_typed_edge *edge = &t->term.edges[i];
		bool free_leaf = false;
		for (int end = 0; end < 2; end++) {
			const int v = end ? edge->to : edge->from;
			free_leaf |= v != root && only_neighbour(&t->term, v) >= 0 && is_free(&t->products[v]);
		}
		cost += free_leaf ? 0
		                  : gemp_type_figures_of(t->all->graph, gemp_type_set(t->all->types, edge->types)).edges *
		                        (edge->either ? 2 : 1);
	}
	return cost;
}

/* If the pattern is no tree, no vertex is kept as a root unless the term demands it, and its cycles remain. */
static int choose_root(const term_state *t)
{
	uint64_t pairs[GEMP_MAX_PATTERN_VERTICES] = { 0 };
	int joined = 0, best = 0;
	if (t->term.root >= 0)
		return t->term.root;
	for (int i = 0; i < t->term.edge_count; i++) {
		const int a = t->term.edges[i].from, b = t->term.edges[i].to;
		pairs[a < b ? a : b] |= GEMP_BIT(a < b ? b : a);
	}
	for (int v = 0; v < t->term.vertex_count; v++)
		joined += __builtin_popcountll(pairs[v]);
	if (joined > t->term.vertex_count - 1)
		return -1;
	for (int v = 1; v < t->term.vertex_count; v++)
		if (root_cost(t, v) < root_cost(t, best))
			best = v;
	return best;
}

/* CORES */

/* Fills the sum of a term whose other vertices are eliminated. */
static gemp_code fill_sum(term_state *t, gemp_elimination_sum *sum)
{
	const gemp_core_order o = gemp_core_order_find(t->all->graph, t->all->types, &t->all->classes, &t->term, t->alive);
	if (o.count > GEMP_CORE_VERTICES) {
		t->reason = "its cycles have too many vertices";
		return GEMP_OK;
	}
	*sum = (gemp_elimination_sum){ .factor = t->term.factor, .target = t->term.target, .count = o.count };
	sum->cost = o.count > 1 ? o.cost : 0;
	for (int k = 0; k < o.count; k++) {
		GEMP_TRY(add_product(t->all, &t->products[o.order[k]], &sum->products[k]));
		for (int i = 0; i < t->term.edge_count; i++)
			for (int from = 0; from < k; from++) {
				const gemp_typed_edge *edge = &t->term.edges[i];
				const int u = o.order[from], v = o.order[k];
				if (!((edge->from == u && edge->to == v) || (edge->from == v && edge->to == u)))
					continue;
				if (sum->check_count[k] == GEMP_CORE_CHECKS) {
					t->reason = "it has too many edges at a vertex";
					return GEMP_OK;
				}
				const size_t at = sum->check_count[k]++;
				sum->checks[k][at].from = from;
				sum->checks[k][at].edge = edge_from(edge, u);
			}
	}
	return GEMP_OK;
}

/* TERMS */

static gemp_code plan_term(term_state *t)
{
	gemp_elimination *e = t->all;
	gemp_elimination_sum sum;
	t->alive = GEMP_BIT(t->term.vertex_count) - 1;
	for (int v = 0; v < t->term.vertex_count; v++)
		t->products[v] = (gemp_fold_product){ .candidates = t->term.candidates[v], .weights = t->term.weights[v] };
	GEMP_TRY(take_loops(t));
	if (!t->reason)
		GEMP_TRY(eliminate_all(t, choose_root(t)));
	if (!t->reason)
		GEMP_TRY(fill_sum(t, &sum));
	if (t->reason)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(e->sums, e->sum_capacity, e->sum_count + 1));
	e->sums[e->sum_count++] = sum;
	e->walk_cost += sum.cost;
	e->pass_cost += (double)e->graph->vertex_count / 4;
	return GEMP_OK;
}

/* Collective. Makes the terms as simple as the graph allows; some become isomorphic then, and others are 0. */
static gemp_code simplify_terms(const gemp_typed_graph *typed, gemp_typed_terms *out, const gemp_typed_terms *terms)
{
	for (size_t i = 0; i < terms->count; i++) {
		gemp_typed_term term = terms->terms[i];
		bool may_match;
		GEMP_TRY(gemp_typed_graph_may_match(typed, &term, &may_match));
		if (!may_match)
			continue;
		GEMP_TRY(gemp_typed_graph_simplify(typed, &term));
		GEMP_TRY(gemp_comm_agree(typed->comm, gemp_typed_terms_add(out, &term)));
	}
	return GEMP_OK;
}

gemp_code gemp_elimination_new(gemp_elimination *out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_type_sets *types, const gemp_candidate_classes *classes,
                               const gemp_typed_terms *terms, const char **reason)
{
	*out = (gemp_elimination){ .context = context, .graph = graph, .types = types, .classes = *classes };
	*reason = NULL;
	GEMP_OWNED_BY(gemp_typed_terms_free) gemp_typed_terms simple = { 0 };
	const gemp_typed_graph typed = { context->comm, graph, types };
	GEMP_TRY(simplify_terms(&typed, &simple, terms));
	for (size_t i = 0; i < simple.count && !*reason; i++) {
		term_state t = { .all = out, .term = simple.terms[i] };
		if (!t.term.factor)
			continue;
		GEMP_TRY(gemp_comm_agree(context->comm, plan_term(&t)));
		*reason = t.reason;
	}
	return GEMP_OK;
}

/* Edges of EXISTS may be absent, so they leave no fewer matches. */
gemp_core_order gemp_elimination_search(const gemp_elimination *e, const gemp_typed_term *term)
{
	gemp_typed_term plain = *term;
	for (int i = 0; i < plain.edge_count;)
		if (plain.edges[i].exists)
			plain.edges[i] = plain.edges[--plain.edge_count];
		else
			i++;
	return gemp_core_order_find(e->graph, e->types, &e->classes, &plain, GEMP_BIT(plain.vertex_count) - 1);
}

void gemp_elimination_free(gemp_elimination *e)
{
	for (size_t i = 0; i < e->fold_count; i++)
		gemp_free(e->folds[i].table);
	for (size_t i = 0; i < e->product_count; i++)
		gemp_free_all(e->products[i].bits, e->products[i].values);
	for (size_t i = 0; i < e->row_count; i++)
		gemp_resident_release(e->rows[i].copy);
	gemp_free_all(e->folds, e->products, e->sums, e->rows);
	*e = (gemp_elimination){ 0 };
}
