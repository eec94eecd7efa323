#include "query/typed_part.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "count/typed_graph.h"
#include "match/filter/computed_columns.h"
#include "partition/views/relation_ends.h"
#include "pattern/plan/derive.h"

/* EDGES */

static gemp_code add_edge(gemp_typed_part *part, const gemp_pattern_edge *edge, int from, int to, int match,
                          bool exists, bool absent)
{
	gemp_typed_pattern *p = &part->typed;
	const int e = p->whole.edge_count;
	if (e == GEMP_TYPED_EDGES) {
		part->reason = "it has too many edges";
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

static gemp_code add_edges(gemp_typed_part *part)
{
	part->typed.whole.factor = 1;
	part->typed.whole.root = part->pattern->arguments ? 0 : -1;
	part->divisor = 1;
	part->typed.whole.vertex_count = (int)part->pattern->vertex_count;
	part->typed.types.relation_count = part->graph->relation_count;
	for (size_t e = 0; e < part->pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &part->pattern->edges[e];
		const int match = part->options->semantics == GEMP_EDGE_ISO ? edge->match : -1;
		GEMP_TRY(add_edge(part, edge, edge->from, edge->to, match, false, false));
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

static void add_unequal(gemp_typed_part *part, int a, int b)
{
	gemp_typed_pattern *p = &part->typed;
	for (size_t i = 0; i < p->unequal_count; i++)
		if ((p->unequal[i][0] == a && p->unequal[i][1] == b) || (p->unequal[i][0] == b && p->unequal[i][1] == a))
			return;
	if (p->unequal_count == GEMP_TYPED_PAIRS) {
		part->reason = "it has too many conditions";
		return;
	}
	p->unequal[p->unequal_count][0] = a;
	p->unequal[p->unequal_count++][1] = b;
}

static gemp_code add_exists(gemp_typed_part *part, const gemp_expr *expr)
{
	const gemp_expr *exists = expr->kind == GEMP_NOT ? expr->children[0] : expr;
	const gemp_pattern_edge *edge = &part->pattern->subs[exists->sub]->edges[0];
	return add_edge(part, edge, exists->children[edge->from]->variable, exists->children[edge->to]->variable, -1, true,
	                expr->kind == GEMP_NOT);
}

/* Keys are unique, so two keys are equal if and only if the vertices are the same. */
static gemp_code add_condition(gemp_typed_part *part, const gemp_condition *condition)
{
	const gemp_expr *expr = condition->expr;
	const bool vertices = compares(expr, GEMP_VERTEX), keys = compares(expr, GEMP_KEY);
	if (gemp_pattern_is_edge_test(part->pattern, expr))
		return add_exists(part, expr);
	if (expr->kind == GEMP_NE && (vertices || keys))
		add_unequal(part, expr->children[0]->variable, expr->children[1]->variable);
	else if (expr->kind == GEMP_LT && keys)
		part->less[expr->children[0]->variable] |= GEMP_BIT(expr->children[1]->variable);
	else if (expr->kind == GEMP_GT && keys)
		part->less[expr->children[1]->variable] |= GEMP_BIT(expr->children[0]->variable);
	else if (!condition->edges && __builtin_popcountll(condition->vertices) == 1 && !gemp_expr_has_subpattern(expr) &&
	         expr->kind != GEMP_LITERAL)
		part->tests[part->tested++] = condition;
	else
		part->reason = "it has conditions on edges or on several vertices";
	return GEMP_OK;
}

static gemp_code add_conditions(gemp_typed_part *part)
{
	GEMP_TRY(GEMP_NEW(part->tests, part->pattern->condition_count));
	for (size_t i = 0; i < part->pattern->condition_count && !part->reason; i++)
		GEMP_TRY(add_condition(part, &part->pattern->conditions[i]));
	return GEMP_OK;
}

/* CANDIDATES */

/* Is the label test true for every vertex that is an end of one of the vertex's edges? */
static bool is_implied(const gemp_typed_part *part, const gemp_expr *test)
{
	const gemp_typed_graph typed = { part->context->comm, part->graph, &part->typed.types };
	if (test->kind != GEMP_HAS_LABEL || test->of_edge)
		return false;
	for (int e = 0; e < part->typed.whole.edge_count; e++) {
		const gemp_typed_edge *edge = &part->typed.whole.edges[e];
		if (edge->exists)
			continue;
		if ((edge->from == test->variable && gemp_typed_graph_implies(&typed, edge, false, test->label_sets)) ||
		    (edge->to == test->variable && gemp_typed_graph_implies(&typed, edge, true, test->label_sets)))
			return true;
	}
	return false;
}

/* Collective. Leaves out label tests that edges imply. */
static gemp_code drop_implied(gemp_typed_part *part)
{
	size_t kept = 0;
	for (int e = 0; e < part->typed.whole.edge_count; e++)
		for (size_t r = 0; r < part->graph->relation_count; r++)
			if (gemp_type_set(&part->typed.types, part->typed.whole.edges[e].types)[r])
				GEMP_TRY(gemp_relation_ends_find(part->context->comm, part->graph, r));
	for (size_t i = 0; i < part->tested; i++)
		if (!is_implied(part, part->tests[i]->expr))
			part->tests[kept++] = part->tests[i];
	part->tested = kept;
	return GEMP_OK;
}

/* Collective. Evaluates the conditions on one vertex on the threads of the ranks. The options may narrow candidates
 * further. */
static gemp_code find_candidates(gemp_typed_part *part)
{
	GEMP_OWNED_BY(gemp_filter_free_at) gemp_filter *filter = NULL;
	gemp_code code = GEMP_OK;
	const uint64_t threads = gemp_comm_sum1(part->context->comm, gemp_threads());
	const double values = (double)part->tested * (double)part->graph->vertex_count;
	const size_t among = part->pattern->arguments ? 0 : part->options->among_count;
	if (!part->tested && !among)
		return GEMP_OK;
	if (part->options->place != GEMP_PLACE_HOST &&
	    values > (double)gemp_limits_now()->filter_values * (double)threads) {
		part->reason = "devices test its conditions";
		return GEMP_OK;
	}
	GEMP_TRY(gemp_filter_new(&filter, part->context, true));
	gemp_filter_count_loops(filter, gemp_degree_loops(part->options->semantics));
	GEMP_TRY(gemp_candidates_new(&part->candidates, part->context, filter, part->graph, part->pattern, part->tests,
	                             part->tested));
	for (size_t i = 0; i < among; i++)
		GEMP_THEN(
			gemp_candidates_limit(&part->candidates, part->options->among[i].vertex, part->options->among[i].bits));
	return gemp_comm_agree(part->context->comm, code);
}

/* Vertices with the same candidates are of one class. */
static void find_classes(gemp_typed_part *part)
{
	gemp_candidate_classes *classes = &part->classes;
	int first[GEMP_MAX_PATTERN_VERTICES];
	for (int v = 0; v < part->typed.whole.vertex_count; v++) {
		size_t k = 0;
		if (!part->candidates.bits[v])
			continue;
		while (k < classes->count && !gemp_candidates_same(&part->candidates, first[k], v))
			k++;
		if (k == classes->count) {
			first[k] = v;
			classes->bits[k] = part->candidates.bits[v];
			classes->sizes[k] = part->candidates.count[v];
			classes->count++;
		}
		part->typed.whole.candidates[v] = GEMP_BIT(k);
	}
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

/* Is the pattern, without conditions on the order of keys, the same if x and y are exchanged? The root has given
 * images, and an OPTIONAL MATCH at a vertex distinguishes the vertex. */
static bool can_exchange(const gemp_typed_part *part, int x, int y)
{
	const gemp_typed_pattern *p = &part->typed;
	if (p->whole.candidates[x] != p->whole.candidates[y] || part->extended & (GEMP_BIT(x) | GEMP_BIT(y)) ||
	    x == p->whole.root || y == p->whole.root)
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
static void resolve_orders(gemp_typed_part *part)
{
	const int count = part->typed.whole.vertex_count;
	uint64_t chain[GEMP_MAX_PATTERN_VERTICES];
	close_order(part->less, count);
	for (int a = 0; a < count; a++) {
		chain[a] = part->less[a];
		for (int b = 0; b < count; b++)
			chain[a] |= part->less[b] & GEMP_BIT(a) ? GEMP_BIT(b) : 0;
		if (chain[a])
			chain[a] |= GEMP_BIT(a);
	}
	for (int a = 0; a < count; a++)
		for (int b = 0; b < a; b++)
			if (chain[a] >> b & 1)
				add_unequal(part, a, b);
	for (int a = 0; a < count && !part->reason; a++)
		for (int b = 0; b < count; b++)
			if (chain[a] >> b & 1 && a != b &&
			    (chain[a] != chain[b] || part->less[a] >> a & 1 || !can_exchange(part, a, b)))
				part->reason = "it compares keys of vertices that cannot be exchanged";
	for (int a = 0; a < count && !part->reason; a++)
		if (chain[a] && __builtin_ctzll(chain[a]) == a)
			for (int k = __builtin_popcountll(chain[a]); k > 1; k--)
				if (__builtin_mul_overflow(part->divisor, (uint64_t)k, &part->divisor))
					part->reason = "it compares too many keys";
}

/* PARTS */

static gemp_code begin(gemp_typed_part *part)
{
	GEMP_TRY(add_edges(part));
	return part->reason ? GEMP_OK : add_conditions(part);
}

gemp_code gemp_typed_part_find(gemp_typed_part *part)
{
	GEMP_TRY(gemp_comm_agree(part->context->comm, begin(part)));
	if (!part->reason)
		GEMP_TRY(drop_implied(part));
	if (!part->reason)
		GEMP_TRY(find_candidates(part));
	if (part->reason)
		return GEMP_OK;
	find_classes(part);
	resolve_orders(part);
	return GEMP_OK;
}

void gemp_typed_part_free(gemp_typed_part *part)
{
	gemp_candidates_free(&part->candidates);
	gemp_type_sets_free(&part->typed.types);
	gemp_free(part->tests);
	*part = (gemp_typed_part){ 0 };
}
