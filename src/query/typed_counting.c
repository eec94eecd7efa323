#include "query/typed_counting.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "count/elimination.h"
#include "count/typed_graph.h"
#include "match/filter/candidates.h"
#include "match/filter/computed_columns.h"
#include "partition/views/relation_ends.h"
#include "pattern/plan/derive.h"

#include <string.h>

struct gemp_typed_counting {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	const gemp_match_options *options;
	gemp_typed_pattern typed;
	uint64_t less[GEMP_MAX_PATTERN_VERTICES]; /* bit b of less[a]: id(a) < id(b) */
	size_t tested;
	const gemp_condition **tests; /* [tested] conditions on one vertex that become candidates */
	gemp_candidates candidates;
	uint64_t divisor; /* of the count without id(a) < id(b) */
	gemp_elimination elimination;
	const char *reason;
};

/* PATTERN */

/* Returns why the options or the shape of the pattern exclude elimination. */
static const char *refusal(const gemp_pattern *pattern, const gemp_match_options *o)
{
	if (o->place == GEMP_PLACE_DEVICE)
		return "it is to be counted on devices";
	if (o->distinct != GEMP_BY_NOTHING || (o->semantics != GEMP_EDGE_ISO && o->semantics != GEMP_HOM))
		return "vertices of a match must differ, or several embeddings are one match";
	if (pattern->simple || pattern->arguments || pattern->optional_count || !pattern->edge_count ||
	    gemp_pattern_has_paths(pattern))
		return "its shape or an option needs a search";
	return NULL;
}

static gemp_code add_edge(gemp_typed_counting *c, const gemp_pattern_edge *edge, int from, int to, int match,
                          bool exists, bool absent)
{
	gemp_typed_pattern *p = &c->typed;
	const int e = p->whole.edge_count;
	if (e == GEMP_TYPED_EDGES) {
		c->reason = "it has too many edges";
		return GEMP_OK;
	}
	p->whole.edges[e] = (gemp_typed_edge){
		.from = from, .to = to, .either = edge->direction == GEMP_EITHER, .exists = exists
	};
	p->match[e] = match;
	p->absent[e] = absent;
	p->whole.edge_count++;
	return gemp_type_sets_add(&p->types, edge->relations, &p->whole.edges[e].types);
}

static gemp_code add_edges(gemp_typed_counting *c)
{
	c->typed.whole.factor = 1;
	c->typed.whole.vertex_count = (int)c->pattern->vertex_count;
	c->typed.types.relation_count = c->graph->relation_count;
	for (size_t e = 0; e < c->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &c->pattern->edges[e];
		const int match = c->options->semantics == GEMP_EDGE_ISO ? edge->match : -1;
		GEMP_TRY(add_edge(c, edge, edge->from, edge->to, match, false, false));
	}
	return GEMP_OK;
}

/* CONDITIONS */

static bool compares(const gemp_expr *expr, gemp_expr_kind kind)
{
	return expr->count == 2 && expr->children[0]->kind == kind && expr->children[1]->kind == kind &&
	       expr->children[0]->variable != expr->children[1]->variable && !expr->children[0]->of_edge &&
	       !expr->children[1]->of_edge;
}

static void add_unequal(gemp_typed_counting *c, int a, int b)
{
	gemp_typed_pattern *p = &c->typed;
	for (size_t i = 0; i < p->unequal_count; i++)
		if ((p->unequal[i][0] == a && p->unequal[i][1] == b) || (p->unequal[i][0] == b && p->unequal[i][1] == a))
			return;
	if (p->unequal_count == GEMP_TYPED_PAIRS) {
		c->reason = "it has too many conditions";
		return;
	}
	p->unequal[p->unequal_count][0] = a;
	p->unequal[p->unequal_count++][1] = b;
}

static gemp_code add_exists(gemp_typed_counting *c, const gemp_expr *expr)
{
	const gemp_expr *exists = expr->kind == GEMP_NOT ? expr->children[0] : expr;
	const gemp_pattern_edge *edge = &c->pattern->subs[exists->sub]->edges[0];
	return add_edge(c, edge, exists->children[edge->from]->variable, exists->children[edge->to]->variable, -1, true,
	                expr->kind == GEMP_NOT);
}

/* Keys are unique, so two keys are equal if and only if the vertices are the same. */
static gemp_code add_condition(gemp_typed_counting *c, const gemp_condition *condition)
{
	const gemp_expr *expr = condition->expr;
	const bool vertices = compares(expr, GEMP_VERTEX), keys = compares(expr, GEMP_KEY);
	if (gemp_pattern_is_edge_test(c->pattern, expr))
		return add_exists(c, expr);
	if (expr->kind == GEMP_NE && (vertices || keys))
		add_unequal(c, expr->children[0]->variable, expr->children[1]->variable);
	else if (expr->kind == GEMP_LT && keys)
		c->less[expr->children[0]->variable] |= GEMP_BIT(expr->children[1]->variable);
	else if (expr->kind == GEMP_GT && keys)
		c->less[expr->children[1]->variable] |= GEMP_BIT(expr->children[0]->variable);
	else if (!condition->edges && __builtin_popcountll(condition->vertices) == 1 && !gemp_expr_has_subpattern(expr) &&
	         expr->kind != GEMP_LITERAL)
		c->tests[c->tested++] = condition;
	else
		c->reason = "it has conditions on edges or on several vertices";
	return GEMP_OK;
}

static gemp_code add_conditions(gemp_typed_counting *c)
{
	GEMP_TRY(GEMP_NEW(c->tests, c->pattern->condition_count));
	for (size_t i = 0; i < c->pattern->condition_count && !c->reason; i++)
		GEMP_TRY(add_condition(c, &c->pattern->conditions[i]));
	return GEMP_OK;
}

/* CANDIDATES */

/* Is the label test true for every vertex that is an end of one of the vertex's edges? */
static bool is_implied(const gemp_typed_counting *c, const gemp_expr *test)
{
	const gemp_typed_graph typed = { c->context->comm, c->graph, &c->typed.types };
	if (test->kind != GEMP_HAS_LABEL || test->of_edge)
		return false;
	for (int e = 0; e < c->typed.whole.edge_count; e++) {
		const gemp_typed_edge *edge = &c->typed.whole.edges[e];
		if (edge->exists)
			continue;
		if ((edge->from == test->variable && gemp_typed_graph_implies(&typed, edge, false, test->label_sets)) ||
		    (edge->to == test->variable && gemp_typed_graph_implies(&typed, edge, true, test->label_sets)))
			return true;
	}
	return false;
}

/* Collective. Leaves out label tests that edges imply. */
static gemp_code drop_implied(gemp_typed_counting *c)
{
	size_t kept = 0;
	for (int e = 0; e < c->typed.whole.edge_count; e++)
		for (size_t r = 0; r < c->graph->relation_count; r++)
			if (gemp_type_set(&c->typed.types, c->typed.whole.edges[e].types)[r])
				GEMP_TRY(gemp_relation_ends_find(c->context->comm, c->graph, r));
	for (size_t i = 0; i < c->tested; i++)
		if (!is_implied(c, c->tests[i]->expr))
			c->tests[kept++] = c->tests[i];
	c->tested = kept;
	return GEMP_OK;
}

/* Collective. Evaluates the conditions on one vertex on the threads of the ranks. The options may narrow candidates
 * further. */
static gemp_code find_candidates(gemp_typed_counting *c)
{
	GEMP_OWNED_BY(gemp_filter_free_at) gemp_filter *filter = NULL;
	gemp_code code = GEMP_OK;
	const uint64_t threads = gemp_comm_sum1(c->context->comm, gemp_threads());
	const double values = (double)c->tested * (double)c->graph->vertex_count;
	if (!c->tested && !c->options->among_count)
		return GEMP_OK;
	if (c->options->place != GEMP_PLACE_HOST && values > (double)gemp_limits_now()->filter_values * (double)threads) {
		c->reason = "devices test its conditions";
		return GEMP_OK;
	}
	GEMP_TRY(gemp_filter_new(&filter, c->context, true));
	gemp_filter_count_loops(filter, gemp_degree_loops(c->options->semantics));
	GEMP_TRY(gemp_candidates_new(&c->candidates, c->context, filter, c->graph, c->pattern, c->tests, c->tested));
	for (size_t i = 0; i < c->options->among_count; i++)
		GEMP_THEN(gemp_candidates_limit(&c->candidates, c->options->among[i].vertex, c->options->among[i].bits));
	return gemp_comm_agree(c->context->comm, code);
}

/* Vertices with the same candidates are of one class. */
static gemp_candidate_classes find_classes(gemp_typed_counting *c)
{
	gemp_candidate_classes classes = { 0 };
	int first[GEMP_MAX_PATTERN_VERTICES];
	for (int v = 0; v < c->typed.whole.vertex_count; v++) {
		size_t k = 0;
		if (!c->candidates.bits[v])
			continue;
		while (k < classes.count && !gemp_candidates_same(&c->candidates, first[k], v))
			k++;
		if (k == classes.count) {
			first[k] = v;
			classes.bits[k] = c->candidates.bits[v];
			classes.sizes[k] = c->candidates.count[v];
			classes.count++;
		}
		c->typed.whole.candidates[v] = GEMP_BIT(k);
	}
	return classes;
}

/* ORDERS OF KEYS */

static int exchanged(int v, int x, int y)
{
	return v == x ? y : v == y ? x : v;
}

static int count_like(const gemp_typed_pattern *p, int e, int from, int to)
{
	const gemp_typed_edge *edge = &p->whole.edges[e];
	int count = 0;
	for (int i = 0; i < p->whole.edge_count; i++) {
		const gemp_typed_edge *other = &p->whole.edges[i];
		const bool along = other->from == from && other->to == to, against = other->from == to && other->to == from;
		count += other->types == edge->types && other->either == edge->either && other->exists == edge->exists &&
		         p->absent[i] == p->absent[e] && p->match[i] == p->match[e] && (along || (against && edge->either));
	}
	return count;
}

/* Is the pattern, without conditions on the order of keys, the same if x and y are exchanged? */
static bool can_exchange(const gemp_typed_pattern *p, int x, int y)
{
	if (p->whole.candidates[x] != p->whole.candidates[y])
		return false;
	for (int e = 0; e < p->whole.edge_count; e++) {
		const gemp_typed_edge *edge = &p->whole.edges[e];
		if (count_like(p, e, edge->from, edge->to) !=
		    count_like(p, e, exchanged(edge->from, x, y), exchanged(edge->to, x, y)))
			return false;
	}
	for (size_t i = 0; i < p->unequal_count; i++) {
		const int a = exchanged(p->unequal[i][0], x, y), b = exchanged(p->unequal[i][1], x, y);
		bool found = false;
		for (size_t k = 0; k < p->unequal_count; k++)
			found |= (p->unequal[k][0] == a && p->unequal[k][1] == b) ||
			         (p->unequal[k][0] == b && p->unequal[k][1] == a);
		if (!found)
			return false;
	}
	return true;
}

/* Replaces less[a] by all vertices that are greater than a because others are. */
static void close_order(uint64_t *less, int count)
{
	for (int k = 0; k < count; k++)
		for (int a = 0; a < count; a++)
			if (less[a] >> k & 1)
				less[a] |= less[k];
}

/* Vertices whose keys are compared must form chains, in each of which all vertices can be exchanged. Then one of k!
 * orders of k different images is that of the chain. */
static void resolve_orders(gemp_typed_counting *c)
{
	const int count = c->typed.whole.vertex_count;
	uint64_t chain[GEMP_MAX_PATTERN_VERTICES];
	close_order(c->less, count);
	for (int a = 0; a < count; a++) {
		chain[a] = c->less[a];
		for (int b = 0; b < count; b++)
			chain[a] |= c->less[b] & GEMP_BIT(a) ? GEMP_BIT(b) : 0;
		if (chain[a])
			chain[a] |= GEMP_BIT(a);
	}
	for (int a = 0; a < count; a++)
		for (int b = 0; b < a; b++)
			if (chain[a] >> b & 1)
				add_unequal(c, a, b);
	for (int a = 0; a < count && !c->reason; a++)
		for (int b = 0; b < count; b++)
			if (chain[a] >> b & 1 && a != b &&
			    (chain[a] != chain[b] || c->less[a] >> a & 1 || !can_exchange(&c->typed, a, b)))
				c->reason = "it compares keys of vertices that cannot be exchanged";
	for (int a = 0; a < count && !c->reason; a++)
		if (chain[a] && __builtin_ctzll(chain[a]) == a)
			for (int k = __builtin_popcountll(chain[a]); k > 1; k--)
				if (__builtin_mul_overflow(c->divisor, (uint64_t)k, &c->divisor))
					c->reason = "it compares too many keys";
}

/* PREPARING */

/* Collective. Plans the sums, and compares their cost with that of a search, which reads the edges once to plan. */
static gemp_code plan(gemp_typed_counting *c)
{
	GEMP_OWNED_BY(gemp_typed_terms_free) gemp_typed_terms terms = { 0 };
	const gemp_candidate_classes classes = find_classes(c);
	bool fits;
	resolve_orders(c);
	if (c->reason)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(c->context->comm, gemp_typed_terms_new(&terms, &c->typed, &fits)));
	if (!fits) {
		c->reason = "it has too many conditions";
		return GEMP_OK;
	}
	GEMP_TRY(
		gemp_elimination_new(&c->elimination, c->context, c->graph, &c->typed.types, &classes, &terms, &c->reason));
	if (c->reason || c->options->place == GEMP_PLACE_HOST)
		return GEMP_OK;
	if (c->elimination.walk_cost > (double)gemp_limits_now()->host_entries)
		c->reason = "its cycles have too many matches";
	else if (4 * gemp_elimination_search_cost(&c->elimination, &c->typed.whole) <
	         c->elimination.walk_cost + c->elimination.pass_cost)
		c->reason = "a search reads less";
	return GEMP_OK;
}

static gemp_code begin(gemp_typed_counting *c)
{
	GEMP_TRY(add_edges(c));
	return c->reason ? GEMP_OK : add_conditions(c);
}

gemp_code gemp_typed_counting_new(gemp_typed_counting **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, const gemp_match_options *options, const char **reason)
{
	GEMP_OWNED_BY(gemp_typed_counting_free_at) gemp_typed_counting *c = NULL;
	*out = NULL;
	if ((*reason = refusal(pattern, options)))
		return GEMP_OK;
	gemp_code code = GEMP_NEW(c, 1);
	if (code == GEMP_OK) {
		c->context = context;
		c->graph = graph;
		c->pattern = pattern;
		c->options = options;
		c->divisor = 1;
		code = begin(c);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	if (!c->reason)
		GEMP_TRY(drop_implied(c));
	if (!c->reason)
		GEMP_TRY(find_candidates(c));
	if (!c->reason)
		GEMP_TRY(plan(c));
	*reason = c->reason;
	if (!c->reason) {
		*out = c;
		c = NULL;
	}
	return GEMP_OK;
}

void gemp_typed_counting_free(gemp_typed_counting *c)
{
	if (!c)
		return;
	gemp_elimination_free(&c->elimination);
	gemp_candidates_free(&c->candidates);
	gemp_type_sets_free(&c->typed.types);
	gemp_free(c->tests);
	gemp_free(c);
}

gemp_code gemp_typed_counting_run(gemp_typed_counting *c, uint64_t *count)
{
	return gemp_elimination_run(&c->elimination, c->divisor, count);
}

void gemp_typed_counting_explain(const gemp_typed_counting *c, gemp_text *out)
{
	gemp_text_print(out, "counted without enumerating: %zu sums / %llu\n", c->elimination.sum_count,
	                (unsigned long long)c->divisor);
	gemp_elimination_print(&c->elimination, out);
	gemp_text_print(out, "on the host\n");
}
