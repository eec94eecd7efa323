/* The pattern of a part has its known vertices first, as arguments. A name that the graph does not have matches
 * nothing: then the step has no pattern, and its searches have no rows. */

#include "cypher/search/plan_pattern.h"

#include "core/memory.h"
#include "cypher/search/lower.h"
#include "pattern/bind/bind.h"
#include "pattern/condition/normal_form.h"

#include <string.h>

/* CONJUNCTS */

static size_t count_conjuncts(const gemp_cypher_expr *expr)
{
	size_t count = 0;
	if (expr->kind != GEMP_CY_AND)
		return 1;
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		count += count_conjuncts(child);
	return count;
}

static void add_conjuncts(gemp_cypher_conditions *out, const gemp_cypher_expr *expr)
{
	if (expr->kind != GEMP_CY_AND)
		out->conditions[out->count++] = (gemp_cypher_conjunct){ .expr = expr };
	for (const gemp_cypher_expr *child = expr->first; child && expr->kind == GEMP_CY_AND; child = child->next)
		add_conjuncts(out, child);
}

gemp_code gemp_cypher_split_conditions(gemp_cypher_conditions *out, gemp_arena *arena, const gemp_cypher_expr *where)
{
	*out = (gemp_cypher_conditions){ 0 };
	if (!where)
		return GEMP_OK;
	GEMP_TRY(GEMP_ARENA_NEW(arena, out->conditions, count_conjuncts(where)));
	add_conjuncts(out, where);
	return GEMP_OK;
}

/* PATTERNS */

/* A pattern in the making. places[vertex of the plan] is the vertex of the pattern, or -1. */
typedef struct making {
	gemp_cypher_match_plan *plan;
	const gemp_cypher_plan_input *input;
	gemp_cypher_step *step;
	gemp_pattern *pattern;
	int *vertex_place, *hop_place;
	bool impossible;
	gemp_cypher_lowering lowering;
} making;

/* For gemp_cypher_lowering. */
static bool find_element(void *self, int slot, int *variable, bool *edge)
{
	const making *m = self;
	for (size_t v = 0; v < m->plan->vertex_count && slot >= 0; v++)
		if (m->plan->vertices[v].slot == slot && m->vertex_place[v] >= 0) {
			*variable = m->vertex_place[v];
			*edge = false;
			return true;
		}
	for (size_t h = 0; h < m->plan->hop_count && slot >= 0; h++)
		if (m->plan->hops[h].slot == slot && m->hop_place[h] >= 0 && !m->plan->hops[h].variable) {
			*variable = m->hop_place[h];
			*edge = true;
			return true;
		}
	return false;
}

static gemp_code start(making *m)
{
	const gemp_cypher_tree *tree = m->input->tree;
	m->lowering = (gemp_cypher_lowering){ .graph = m->input->graph,
		                                  .source = &tree->source,
		                                  .parameters = m->input->parameters,
		                                  .element = find_element,
		                                  .self = m };
	GEMP_TRY(GEMP_ARENA_NEW(&m->plan->arena, m->vertex_place, m->plan->vertex_count));
	GEMP_TRY(GEMP_ARENA_NEW(&m->plan->arena, m->hop_place, m->plan->hop_count));
	GEMP_TRY(GEMP_ARENA_NEW(&m->plan->arena, m->step->vertices, m->plan->vertex_count));
	GEMP_TRY(GEMP_ARENA_NEW(&m->plan->arena, m->step->hops, m->plan->hop_count));
	for (size_t v = 0; v < m->plan->vertex_count; v++)
		m->vertex_place[v] = -1;
	for (size_t h = 0; h < m->plan->hop_count; h++)
		m->hop_place[h] = -1;
	return gemp_pattern_new(&m->pattern, tree->source.text, tree->source.file);
}

static gemp_code add_vertex(making *m, size_t v)
{
	if (m->pattern->vertex_count == GEMP_MAX_PATTERN_VERTICES)
		return gemp_source_fail(&m->input->tree->source, m->input->pattern->place.begin,
		                        "this pattern has more than %d vertices; divide it, as in MATCH (a)-->(b) MATCH "
		                        "(b)-->(c)",
		                        GEMP_MAX_PATTERN_VERTICES);
	m->step->vertices[m->step->vertex_count++] = v;
	return gemp_pattern_add_vertex(m->pattern, m->plan->vertices[v].name, &m->vertex_place[v]);
}

/* Types that the graph does not have are left out. A relationship that has types, but none of the graph's, does not
 * exist. */
static gemp_code add_types(making *m, const gemp_cypher_edge *edge, gemp_pattern_edge *to)
{
	size_t count = 0, known = 0;
	for (const gemp_cypher_label *type = edge->types; type; type = type->next)
		count++;
	GEMP_TRY(GEMP_NEW(to->types, count));
	for (const gemp_cypher_label *type = edge->types; type; type = type->next) {
		if (!gemp_shard_relation((gemp_shard *)m->input->graph, type->name.bytes))
			continue;
		to->types[known] = gemp_strdup(type->name.bytes);
		if (!to->types[known])
			return GEMP_ENOMEM;
		to->type_count = ++known;
	}
	if ((count && !known) || m->input->graph->relation_count == 0)
		m->impossible = true;
	return GEMP_OK;
}

static gemp_code add_edge(making *m, size_t h, int from, int to, gemp_cypher_heading heading)
{
	const gemp_cypher_edge *edge = m->plan->hops[h].edge;
	gemp_direction direction = heading == GEMP_CY_EITHER ? GEMP_EITHER : GEMP_OUT;
	bool left = heading == GEMP_CY_LEFT;
	if (m->pattern->edge_count == GEMP_MAX_PATTERN_EDGES)
		return gemp_source_fail(&m->input->tree->source, edge->place.begin,
		                        "this pattern has more than %d edges; divide it, as in MATCH (a)-->(b) MATCH (b)-->(c)",
		                        GEMP_MAX_PATTERN_EDGES);
	m->hop_place[h] = (int)m->pattern->edge_count;
	m->step->hops[m->step->edge_count++] = h;
	GEMP_TRY(gemp_pattern_add_edge(m->pattern, NULL, left ? to : from, left ? from : to, direction));
	gemp_pattern_edge *made = &m->pattern->edges[m->hop_place[h]];
	gemp_source_place(&m->input->tree->source, edge->place.begin, &made->line, &made->column);
	return add_types(m, edge, made);
}

/* CONDITIONS */

/* Takes the expression. */
static gemp_code require(making *m, gemp_expr **expr)
{
	return *expr ? gemp_pattern_require(m->pattern, expr) : GEMP_OK;
}

static gemp_code require_labels(making *m, const gemp_cypher_node_use *use)
{
	for (const gemp_cypher_label *label = use->node->labels; label; label = label->next) {
		GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
		GEMP_TRY(gemp_cypher_lower_label(&m->lowering, m->vertex_place[use->vertex], label, &expr));
		m->impossible = m->impossible || !expr;
		GEMP_TRY(require(m, &expr));
	}
	return GEMP_OK;
}

/* Entries that cannot be lowered stay in the residual map. Nothing equals NULL. */
static gemp_code require_map(making *m, int variable, bool edge, const gemp_cypher_expr *map)
{
	gemp_datum constant;
	if (!map || map->kind != GEMP_CY_MAP)
		return GEMP_OK;
	for (const gemp_cypher_expr *entry = map->first; entry; entry = entry->next) {
		GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
		if (gemp_cypher_constant(m->input->parameters, entry->first, &constant) && gemp_datum_is_null(constant))
			m->impossible = true;
		GEMP_TRY(gemp_cypher_lower_entry(&m->lowering, variable, edge, entry, &expr));
		GEMP_TRY(require(m, &expr));
	}
	return GEMP_OK;
}

static gemp_code require_where(making *m, gemp_cypher_conditions *conditions)
{
	for (size_t i = 0; i < conditions->count; i++) {
		GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
		if (conditions->conditions[i].lowered)
			continue;
		GEMP_TRY(gemp_cypher_lower(&m->lowering, conditions->conditions[i].expr, &expr));
		conditions->conditions[i].lowered = expr != NULL;
		GEMP_TRY(require(m, &expr));
	}
	return GEMP_OK;
}

/* Binds the pattern and gives it to the step, unless it has no match. */
static gemp_code finish(making *m)
{
	if (m->impossible)
		return GEMP_OK;
	GEMP_TRY(gemp_pattern_return_vertices(m->pattern));
	GEMP_TRY(gemp_pattern_bind_with(m->pattern, m->input->graph, true));
	m->step->pattern = m->pattern;
	m->pattern = NULL;
	return GEMP_OK;
}

static gemp_code add_part(making *m, const bool *known)
{
	const gemp_cypher_match_plan *plan = m->plan;
	for (int round = 0; round < 2; round++) {
		for (size_t v = 0; v < plan->vertex_count; v++)
			if (plan->vertices[v].part == m->step->part && known[v] == (round == 0))
				GEMP_TRY(add_vertex(m, v));
		if (round == 0)
			m->step->arguments = m->pattern->arguments = m->pattern->vertex_count;
	}
	for (size_t h = 0; h < plan->hop_count; h++) {
		const gemp_cypher_hop *hop = &plan->hops[h];
		if (gemp_cypher_hop_is_single(hop) && plan->vertices[hop->from].part == m->step->part)
			GEMP_TRY(add_edge(m, h, m->vertex_place[hop->from], m->vertex_place[hop->to], hop->heading));
	}
	return GEMP_OK;
}

static gemp_code make_part(making *m, const bool *known, gemp_cypher_conditions *conditions)
{
	const gemp_cypher_match_plan *plan = m->plan;
	GEMP_TRY(start(m));
	GEMP_TRY(add_part(m, known));
	for (size_t i = 0; i < plan->use_count; i++) {
		const gemp_cypher_node_use *use = &plan->uses[i];
		if (plan->vertices[use->vertex].part != m->step->part)
			continue;
		GEMP_TRY(require_labels(m, use));
		GEMP_TRY(require_map(m, m->vertex_place[use->vertex], false, use->node->properties));
	}
	for (size_t i = 0; i < m->step->edge_count; i++)
		GEMP_TRY(require_map(m, (int)i, true, plan->hops[m->step->hops[i]].edge->properties));
	GEMP_TRY(require_where(m, conditions));
	return finish(m);
}

gemp_code gemp_cypher_plan_pattern(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                                   gemp_cypher_conditions *conditions, const bool *known, gemp_cypher_step *step)
{
	making m = { .plan = plan, .input = input, .step = step };
	gemp_code code = make_part(&m, known, conditions);
	gemp_pattern_free(m.pattern);
	return code;
}

static gemp_code make_edge(making *m)
{
	const gemp_cypher_hop *hop = &m->plan->hops[m->step->hop];
	gemp_cypher_heading heading = hop->heading;
	int start_vertex, end;
	if (hop->reversed && heading != GEMP_CY_EITHER)
		heading = heading == GEMP_CY_RIGHT ? GEMP_CY_LEFT : GEMP_CY_RIGHT;
	GEMP_TRY(start(m));
	GEMP_TRY(gemp_pattern_add_vertex(m->pattern, NULL, &start_vertex));
	GEMP_TRY(gemp_pattern_add_vertex(m->pattern, NULL, &end));
	m->step->vertex_count = 2;
	m->step->arguments = m->pattern->arguments = 1;
	GEMP_TRY(add_edge(m, m->step->hop, start_vertex, end, heading));
	GEMP_TRY(require_map(m, 0, true, hop->edge->properties));
	return finish(m);
}

gemp_code gemp_cypher_plan_edge_pattern(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                                        gemp_cypher_step *step)
{
	making m = { .plan = plan, .input = input, .step = step };
	gemp_code code = make_edge(&m);
	gemp_pattern_free(m.pattern);
	return code;
}

/* A known vertex that only WHERE tests needs no search, because rows are tested after it. */
bool gemp_cypher_part_needs_search(const gemp_cypher_match_plan *plan, size_t part)
{
	for (size_t i = 0; i < plan->use_count; i++)
		if (plan->vertices[plan->uses[i].vertex].part == part &&
		    (plan->uses[i].node->labels || plan->uses[i].node->properties))
			return true;
	for (size_t h = 0; h < plan->hop_count; h++)
		if (gemp_cypher_hop_is_single(&plan->hops[h]) && plan->vertices[plan->hops[h].from].part == part)
			return true;
	return false;
}

/* RESIDUALS */

/* True if a search tests all entries of the map. Lowering has no state, so it can be tried again. */
static gemp_code is_lowered(const gemp_cypher_plan_input *input, const gemp_cypher_expr *map, bool edge, bool *lowered)
{
	const gemp_cypher_lowering lowering = { .graph = input->graph,
		                                    .source = &input->tree->source,
		                                    .parameters = input->parameters };
	*lowered = map->kind == GEMP_CY_MAP;
	for (const gemp_cypher_expr *entry = map->first; entry && *lowered; entry = entry->next) {
		GEMP_OWNED_BY(gemp_expr_free_at) gemp_expr *expr = NULL;
		GEMP_TRY(gemp_cypher_lower_entry(&lowering, 0, edge, entry, &expr));
		*lowered = expr != NULL;
	}
	return GEMP_OK;
}

static gemp_code add_map(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input, const gemp_cypher_expr *map,
                         size_t element, bool of_hop)
{
	bool lowered = true;
	if (map && !(of_hop && plan->hops[element].given))
		GEMP_TRY(is_lowered(input, map, of_hop, &lowered));
	else
		lowered = map == NULL;
	if (!lowered)
		plan->residuals[plan->residual_count++] = (gemp_cypher_residual){ .map = map,
			                                                              .element = element,
			                                                              .of_hop = of_hop };
	return GEMP_OK;
}

/* The number of steps after which a vertex, or a hop, is known. */
static size_t steps_of(const gemp_cypher_match_plan *plan, size_t element, bool of_hop)
{
	if (!of_hop && plan->vertices[element].given)
		return 0;
	for (size_t i = 0; i < plan->step_count; i++) {
		const gemp_cypher_step *step = &plan->steps[i];
		const gemp_cypher_hop *hop = of_hop ? &plan->hops[element] : plan->hops + step->hop;
		bool found = false;
		if (step->kind != GEMP_CY_STEP_SEARCH)
			found = of_hop ? step->hop == element : hop->from == element || hop->to == element;
		else if (!of_hop || gemp_cypher_hop_is_single(hop))
			found = plan->vertices[of_hop ? hop->from : element].part == step->part;
		if (found)
			return i + 1;
	}
	return plan->step_count;
}

/* The same for all elements that an expression reads. Paths, and what patterns and queries within the expression read,
 * are known at the end. */
static size_t steps_of_expr(const gemp_cypher_match_plan *plan, const gemp_cypher_expr *expr)
{
	size_t steps = expr->pattern || expr->query ? plan->step_count : 0;
	for (size_t v = 0; v < plan->vertex_count && expr->slot >= 0; v++)
		if (plan->vertices[v].slot == expr->slot)
			steps = gemp_max(steps, steps_of(plan, v, false));
	for (size_t h = 0; h < plan->hop_count && expr->slot >= 0; h++)
		if (plan->hops[h].slot == expr->slot && !plan->hops[h].given)
			steps = gemp_max(steps, steps_of(plan, h, true));
	for (size_t p = 0; p < plan->route_count && expr->slot >= 0; p++)
		if (plan->routes[p].slot == expr->slot)
			steps = plan->step_count;
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		steps = gemp_max(steps, steps_of_expr(plan, child));
	return steps;
}

/* A residual map of a hop with a trail belongs to the step of the hop, if rows know what it reads before the step. Then
 * no longer trail is followed than the map allows. A shortest path whose map is read after it would be another path. */
static gemp_code give_to_step(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                              const gemp_cypher_residual *r, bool *given)
{
	const gemp_cypher_hop *hop = &plan->hops[r->element];
	*given = false;
	if (!r->map || !r->of_hop || !gemp_cypher_hop_has_trail(hop) || hop->given)
		return GEMP_OK;
	const size_t step = steps_of(plan, r->element, true) - 1;
	*given = steps_of_expr(plan, r->map) <= step;
	if (!*given && hop->kind != GEMP_CY_PATH)
		return gemp_source_fail(&input->tree->source, r->map->place.begin,
		                        "the properties of a shortest path must be known before it; find both of its ends by "
		                        "a MATCH before");
	if (*given)
		plan->steps[step].map = r->map;
	return GEMP_OK;
}

static gemp_code time_residuals(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input)
{
	size_t kept = 0;
	for (size_t i = 0; i < plan->residual_count; i++) {
		gemp_cypher_residual r = plan->residuals[i];
		bool given;
		GEMP_TRY(give_to_step(plan, input, &r, &given));
		r.steps = steps_of_expr(plan, r.condition ? r.condition : r.map);
		if (r.map)
			r.steps = gemp_max(r.steps, steps_of(plan, r.element, r.of_hop));
		plan->residuals[kept] = r;
		kept += !given;
	}
	plan->residual_count = kept;
	return GEMP_OK;
}

gemp_code gemp_cypher_plan_residuals(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                                     const gemp_cypher_conditions *conditions)
{
	GEMP_TRY(GEMP_ARENA_NEW(&plan->arena, plan->residuals, plan->use_count + plan->hop_count + conditions->count));
	for (size_t i = 0; i < plan->use_count; i++)
		GEMP_TRY(add_map(plan, input, plan->uses[i].node->properties, plan->uses[i].vertex, false));
	for (size_t h = 0; h < plan->hop_count; h++)
		GEMP_TRY(add_map(plan, input, plan->hops[h].edge->properties, h, true));
	for (size_t i = 0; i < conditions->count; i++)
		if (!conditions->conditions[i].lowered)
			plan->residuals[plan->residual_count++] = (gemp_cypher_residual){
				.condition = conditions->conditions[i].expr
			};
	return time_residuals(plan, input);
}
