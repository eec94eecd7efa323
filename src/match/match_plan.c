#include "match/match_plan.h"

#include "match/filter/kept_results.h"
#include "match/planner/order_search.h"
#include "pattern/condition/expr_text.h"
#include "pattern/plan/planner.h"
#include "pattern/symmetry/automorphism.h"

#include <string.h>

/* True if all pattern edges have the same direction and the same relations. Such edges differ only in their ends. */
static bool one_kind_of_edge(const gemp_pattern *pattern)
{
	for (size_t e = 1; e < pattern->edge_count; e++) {
		if (pattern->edges[e].direction != pattern->edges[0].direction)
			return false;
		for (size_t r = 0; r < pattern->relation_count; r++)
			if (pattern->edges[e].relations[r] != pattern->edges[0].relations[r])
				return false;
	}
	return true;
}

/* True if two embeddings with the same image always differ by an automorphism. This holds if only the shape of the
 * pattern distinguishes its vertices, that is, if the group without labels and conditions has the same order as the
 * group with them. */
static bool only_shape_differs(const gemp_pattern *pattern, const gemp_symmetry *symmetry)
{
	gemp_symmetry *bare = NULL;
	bool overflow, same = false;
	if (pattern->condition_count || !one_kind_of_edge(pattern))
		return false;
	if (gemp_automorphism_find(&bare, pattern, false) == GEMP_OK)
		same = gemp_symmetry_order(bare, &overflow) == gemp_symmetry_order(symmetry, &overflow) && !overflow;
	gemp_symmetry_free(bare);
	return same;
}

/* The plan breaks symmetry if every orbit of embeddings has the size of the group (ISO and INDUCED), unless the rows of
 * all embeddings are wanted. The wanted edges are the edges that RETURN, a condition after the search, or the identity
 * of a match reads. */
gemp_plan_options gemp_match_plan_options(const gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	const gemp_clause *clause = gemp_pattern_first_clause(m->pattern);
	bool free_orbits = o->semantics == GEMP_ISO || o->semantics == GEMP_INDUCED;
	uint64_t vertices = 0;
	gemp_plan_options plan = { .semantics = o->semantics,
		                       .pivot_off = o->pivot_off,
		                       .break_symmetry = free_orbits && !o->symmetry_by_hash &&
		                                         !(o->distinct == GEMP_BY_NOTHING && o->listed),
		                       .wanted_edges = o->wanted_edges,
		                       .order = o->order_count ? o->order : NULL,
		                       .tests = m->pushdown.tests,
		                       .edge_tests = m->pushdown.edge_tests,
		                       .edge_test_count = m->pushdown.edge_test_count };
	for (size_t i = 0; i < clause->item_count; i++)
		gemp_expr_uses(clause->items[i].expr, &vertices, &plan.wanted_edges);
	for (size_t i = 0; i < m->phases.after_count; i++)
		plan.wanted_edges |= m->phases.after[i]->edges;
	if ((o->edges || (o->distinct == GEMP_BY_SUBGRAPH && !m->pattern->simple)) && m->pattern->edge_count)
		plan.wanted_edges |= 1; /* an image consists of vertices and edges */
	return plan;
}

/* True if duplicates must be removed, because the search can find a match more than once. */
static bool needs_distinct(const gemp_match *m)
{
	switch (m->options.distinct) {
	case GEMP_BY_ORBIT: return !m->plan->broken && (m->plan->group_order > 1 || m->plan->group_overflow);
	case GEMP_BY_SUBGRAPH: return !(m->plan->broken && only_shape_differs(m->pattern, m->symmetry));
	case GEMP_BY_VERTICES: return true;
	default: return false;
	}
}

/* True if matches go through the result buffer to the host; otherwise the device only counts them. */
bool gemp_match_needs_listing(const gemp_match *m)
{
	return m->options.listed || m->options.count_parts || m->deduplicates || m->phases.after_count;
}

/* Collective. All ranks should make the same plan, since planning is deterministic. They compare the hashes of their
 * plans nevertheless, because a partial match means the same on two ranks only if both follow the same plan. */
gemp_code gemp_match_plan(gemp_match *m, bool two_paths)
{
	gemp_plan_options options = gemp_match_plan_options(m);
	gemp_plan_free(m->plan);
	m->plan = NULL;
	options.two_paths = two_paths;
	GEMP_TRY(
		gemp_comm_agree(m->context->comm, gemp_plan_new(&m->plan, m->pattern, m->symmetry, &m->statistics, &options)));
	m->deduplicates = needs_distinct(m);
	uint64_t greatest[2] = { m->plan->hash, ~m->plan->hash };
	gemp_comm_max(m->context->comm, greatest, 2);
	if (greatest[0] != ~greatest[1])
		return gemp_fail(GEMP_EINTERNAL, "the ranks made different plans (rank %d: %016llx)", m->context->comm->rank,
		                 (unsigned long long)m->plan->hash);
	return GEMP_OK;
}

/* Collective. Samples identify parallel edges by their numbers, so rows by target must have these numbers, too. */
static gemp_code need_edges(gemp_match *m)
{
	for (size_t e = 0; e < m->pattern->edge_count && m->plan->live_edges; e++)
		for (size_t r = 0; r < m->graph->relation_count; r++)
			if (m->pattern->edges[e].relations[r])
				GEMP_TRY(gemp_shard_load_relation(m->graph, r, GEMP_LOAD_IN_EDGES));
	return GEMP_OK;
}

/* An order that was chosen, and the sampled work of its steps. */
typedef struct chosen_order {
	bool found;
	int order[GEMP_MAX_PATTERN_VERTICES];
	gemp_sample_work work[GEMP_MAX_STEPS];
} chosen_order;

/* Appends the options of the plan, whose order is NULL. */
static void add_plan_options(gemp_text *key, const gemp_plan_options *options, const gemp_pattern *pattern)
{
	const uint64_t numbers[] = { options->semantics, options->break_symmetry, options->pivot_off,
		                         options->two_paths, options->wanted_edges,   options->edge_test_count };
	const gemp_vertex_tests *tests = &options->tests;
	GEMP_KEPT_KEY_ARRAY(key, numbers, sizeof numbers / sizeof *numbers);
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		const uint64_t own[] = { tests->unequal[v], tests->equal[v], tests->key_less[v], tests->key_le[v] };
		GEMP_KEPT_KEY_ARRAY(key, own, sizeof own / sizeof *own);
	}
	for (size_t i = 0; i < options->edge_test_count; i++) {
		const gemp_edge_test *test = &options->edge_tests[i];
		const uint64_t own[] = { (uint64_t)test->from, (uint64_t)test->to, test->either, test->absent };
		GEMP_KEPT_KEY_ARRAY(key, own, sizeof own / sizeof *own);
		GEMP_KEPT_KEY_ARRAY(key, test->relations, pattern->relation_count);
	}
}

/* The key of the choice of an order: all that gemp_order_search reads. Statistics follow from the candidates, and the
 * order from which it starts follows from the statistics and from what is loaded, so that order is in the key. */
static gemp_text key_of_order(const gemp_match *m, const gemp_order_inputs *q, const int *order)
{
	const char kind = GEMP_KEPT_ORDER;
	const uint64_t numbers[] = { q->key_rank != NULL,  q->reads, q->walk_latest, q->lists, m->symmetry->points,
		                         m->symmetry->vertices };
	gemp_text key = { 0 };
	gemp_text_add(&key, &kind, 1);
	GEMP_KEPT_KEY_ARRAY(&key, numbers, sizeof numbers / sizeof *numbers);
	gemp_kept_key_pattern(&key, m->pattern);
	add_plan_options(&key, q->options, m->pattern);
	gemp_kept_key_bytes(&key, m->symmetry->images,
	                    m->symmetry->count * m->symmetry->points * sizeof *m->symmetry->images);
	gemp_kept_key_bytes(&key, order, m->pattern->vertex_count * sizeof *order);
	gemp_candidates_add_keys(&m->candidates, m->pattern->vertex_count, &key);
	return key;
}

/* Collective. Takes the order that an earlier query has kept, or searches for one by samples. out->order is the order
 * of the plan. */
static gemp_code choose_order(gemp_match *m, gemp_order_inputs *question, chosen_order *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = { .failed = true };
	if (m->graph->kept)
		key = key_of_order(m, question, out->order);
	if (gemp_kept_results_get(m->context->comm, m->graph, &key, out, sizeof *out))
		return GEMP_OK;
	question->work = out->work;
	GEMP_TRY(need_edges(m));
	GEMP_TRY(gemp_order_search(question, out->order, &out->found));
	gemp_kept_results_put(m->graph, &key, out, sizeof *out);
	return GEMP_OK;
}

/* Collective. Searches for a better order by samples, unless the user gave an order or the plan uses two-paths. */
gemp_code gemp_match_improve_order(gemp_match *m)
{
	gemp_plan_options options = gemp_match_plan_options(m);
	gemp_order_inputs question = {
		.context = m->context,
		.graph = m->graph,
		.pattern = m->pattern,
		.symmetry = m->symmetry,
		.statistics = &m->statistics,
		.candidates = &m->candidates,
		.options = &options,
		.key_rank = m->pushdown.key_rank,
		.reads = m->options.order_reads,
		.walk_latest = m->graph->ranks == 1 || m->options.replicate < 0 || m->options.exchange != GEMP_EXCHANGE_PUSH,
		.lists = m->context->device && m->context->device->gpu && !gemp_match_needs_listing(m) && !m->options.profile
	};
	chosen_order chosen;
	memset(&chosen, 0, sizeof chosen); /* also the padding, since the bytes are kept */
	const int count = gemp_plan_binding_order(m->plan, chosen.order);
	if (m->plan->two_paths || m->options.order_count)
		return GEMP_OK;
	for (size_t s = 0; s < m->plan->step_count; s++)
		question.rows += m->plan->steps[s].rows;
	GEMP_TRY(choose_order(m, &question, &chosen));
	memcpy(m->sample_work, chosen.work, sizeof m->sample_work);
	if (!chosen.found)
		return GEMP_OK;
	memcpy(m->options.order, chosen.order, sizeof m->options.order);
	m->options.order_count = count;
	return gemp_match_plan(m, false);
}
