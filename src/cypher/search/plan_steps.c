/* Orders the steps of a plan. Steps that begin at known elements come first. Otherwise the part whose conditions
 * promise the fewest matches is searched for. */

#include "core/memory.h"
#include "cypher/search/lower.h"
#include "cypher/search/match_plan.h"
#include "cypher/search/plan_pattern.h"

#include <string.h>

typedef struct ordering {
	gemp_cypher_match_plan *plan;
	const gemp_cypher_plan_input *input;
	gemp_cypher_conditions conditions;
	bool *known, *searched, *done; /* [vertices], [vertices] by part, [hops] */
} ordering;

static gemp_cypher_step *add_step(ordering *o, gemp_cypher_step_kind kind)
{
	gemp_cypher_step *step = &o->plan->steps[o->plan->step_count++];
	*step = (gemp_cypher_step){ .kind = kind };
	return step;
}

/* SCORES: a part with a larger score is expected to have fewer matches. */

static bool part_has_slot(const gemp_cypher_match_plan *plan, size_t part, int slot)
{
	for (size_t v = 0; v < plan->vertex_count; v++)
		if (plan->vertices[v].part == part && plan->vertices[v].slot == slot && slot >= 0)
			return true;
	return false;
}

/* `property = constant` of a vertex of the part. */
static bool is_lookup(const ordering *o, size_t part, const gemp_cypher_expr *expr)
{
	gemp_datum constant;
	if (expr->kind != GEMP_CY_COMPARE || expr->count != 2 || expr->operators[0] != GEMP_CY_EQ)
		return false;
	const gemp_cypher_expr *a = expr->first, *b = a->next;
	const gemp_cypher_expr *property = a->kind == GEMP_CY_PROPERTY ? a : b, *value = property == a ? b : a;
	return property->kind == GEMP_CY_PROPERTY && property->first && property->first->kind == GEMP_CY_VARIABLE &&
	       part_has_slot(o->plan, part, property->first->slot) &&
	       gemp_cypher_constant(o->input->parameters, value, &constant);
}

static unsigned score_of(const ordering *o, size_t part)
{
	enum { LABEL = 2, MAP = 8, LOOKUP = 8 };
	const gemp_cypher_match_plan *plan = o->plan;
	unsigned score = 0;
	for (size_t i = 0; i < plan->use_count; i++) {
		const gemp_cypher_node *node = plan->uses[i].node;
		if (plan->vertices[plan->uses[i].vertex].part == part)
			score += (node->labels ? LABEL : 0u) + (node->properties ? MAP : 0u);
	}
	for (size_t i = 0; i < o->conditions.count; i++)
		score += is_lookup(o, part, o->conditions.conditions[i].expr) ? LOOKUP : 0u;
	return score;
}

/* PARTS */

static bool part_has_known(const ordering *o, size_t part)
{
	for (size_t v = 0; v < o->plan->vertex_count; v++)
		if (o->plan->vertices[v].part == part && o->known[v])
			return true;
	return false;
}

static gemp_code search_part(ordering *o, size_t part)
{
	gemp_cypher_step *step = add_step(o, GEMP_CY_STEP_SEARCH);
	step->part = part;
	o->searched[part] = true;
	GEMP_TRY(gemp_cypher_plan_pattern(o->plan, o->input, &o->conditions, o->known, step));
	for (size_t v = 0; v < o->plan->vertex_count; v++)
		if (o->plan->vertices[v].part == part)
			o->known[v] = true;
	for (size_t h = 0; h < o->plan->hop_count; h++)
		if (gemp_cypher_hop_is_single(&o->plan->hops[h]) && o->plan->vertices[o->plan->hops[h].from].part == part)
			o->done[h] = true;
	return GEMP_OK;
}

/* A known vertex alone, without conditions, needs no search. */
static gemp_code search_known_part(ordering *o, bool *progress)
{
	for (size_t part = 0; part < o->plan->vertex_count; part++) {
		if (o->plan->vertices[part].part != part || o->searched[part] || !part_has_known(o, part))
			continue;
		*progress = true;
		if (gemp_cypher_part_needs_search(o->plan, part))
			return search_part(o, part);
		o->searched[part] = true;
		return GEMP_OK;
	}
	return GEMP_OK;
}

/* The first of the parts with the largest score. */
static gemp_code search_best_part(ordering *o, bool *progress)
{
	size_t best = SIZE_MAX;
	unsigned best_score = 0;
	for (size_t part = 0; part < o->plan->vertex_count; part++) {
		if (o->plan->vertices[part].part != part || o->searched[part])
			continue;
		unsigned score = score_of(o, part);
		if (best == SIZE_MAX || score > best_score) {
			best = part;
			best_score = score;
		}
	}
	*progress = best != SIZE_MAX;
	return *progress ? search_part(o, best) : GEMP_OK;
}

/* HOPS */

static gemp_code use_given_hop(ordering *o, bool *progress)
{
	for (size_t h = 0; h < o->plan->hop_count; h++) {
		const gemp_cypher_hop *hop = &o->plan->hops[h];
		if (o->done[h] || !hop->given)
			continue;
		add_step(o, GEMP_CY_STEP_GIVEN)->hop = h;
		o->done[h] = o->known[hop->from] = o->known[hop->to] = *progress = true;
		return GEMP_OK;
	}
	return GEMP_OK;
}

static gemp_code expand_hop(ordering *o, size_t h)
{
	gemp_cypher_hop *hop = &o->plan->hops[h];
	bool shortest = hop->kind != GEMP_CY_PATH;
	gemp_cypher_step *step = add_step(o, shortest ? GEMP_CY_STEP_SHORTEST : GEMP_CY_STEP_EXPAND);
	step->hop = h;
	step->closes = o->known[hop->from] && o->known[hop->to];
	hop->reversed = !o->known[hop->from];
	o->done[h] = o->known[hop->from] = o->known[hop->to] = true;
	return gemp_cypher_plan_edge_pattern(o->plan, o->input, step);
}

/* A shortest path waits until both of its ends are known, if a search with conditions can find the other end. */
static bool waits(const ordering *o, const gemp_cypher_hop *hop)
{
	size_t other = o->known[hop->from] ? hop->to : hop->from;
	return hop->kind != GEMP_CY_PATH && !o->known[other] && score_of(o, o->plan->vertices[other].part) > 0;
}

/* Hops between two known vertices come first, because they only reduce rows. */
static gemp_code expand_known_hop(ordering *o, int known_ends, bool waiting, bool *progress)
{
	for (size_t h = 0; h < o->plan->hop_count; h++) {
		const gemp_cypher_hop *hop = &o->plan->hops[h];
		if (o->done[h] || gemp_cypher_hop_is_single(hop) || o->known[hop->from] + o->known[hop->to] < known_ends ||
		    (!waiting && waits(o, hop)))
			continue;
		*progress = true;
		return expand_hop(o, h);
	}
	return GEMP_OK;
}

/* Makes the next step, if any is left. */
static gemp_code next_step(ordering *o, bool *progress)
{
	*progress = false;
	GEMP_TRY(use_given_hop(o, progress));
	if (!*progress)
		GEMP_TRY(search_known_part(o, progress));
	if (!*progress)
		GEMP_TRY(expand_known_hop(o, 2, false, progress));
	if (!*progress)
		GEMP_TRY(expand_known_hop(o, 1, false, progress));
	if (!*progress)
		GEMP_TRY(search_best_part(o, progress));
	return GEMP_OK;
}

/* Each vertex is given, or lies in a part that is searched for or reached by a hop, so all hops are done at the end. */
static gemp_code make_steps(ordering *o)
{
	gemp_cypher_match_plan *plan = o->plan;
	bool progress = true;
	GEMP_TRY(GEMP_ARENA_NEW(&plan->arena, plan->steps, plan->vertex_count + plan->hop_count));
	for (size_t v = 0; v < plan->vertex_count; v++)
		o->known[v] = plan->vertices[v].given;
	while (progress)
		GEMP_TRY(next_step(o, &progress));
	for (size_t h = 0; h < plan->hop_count; h++)
		GEMP_CHECK(o->done[h]);
	return gemp_cypher_plan_residuals(plan, o->input, &o->conditions);
}

gemp_code gemp_cypher_plan_steps(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input)
{
	ordering o = { .plan = plan, .input = input };
	GEMP_TRY(GEMP_ARENA_NEW(&plan->arena, o.known, plan->vertex_count));
	GEMP_TRY(GEMP_ARENA_NEW(&plan->arena, o.searched, plan->vertex_count));
	GEMP_TRY(GEMP_ARENA_NEW(&plan->arena, o.done, plan->hop_count));
	GEMP_TRY(gemp_cypher_split_conditions(&o.conditions, &plan->arena, input->where));
	return make_steps(&o);
}
