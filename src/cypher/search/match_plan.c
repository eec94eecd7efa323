/* Numbers the elements of a pattern. Parts are found by union-find over the hops of one relationship. */

#include "cypher/search/match_plan.h"

/* A node whose slot occurred before is the same vertex. */
static size_t vertex_of(gemp_cypher_match_plan *plan, const gemp_cypher_node *node)
{
	for (size_t v = 0; v < plan->vertex_count && node->slot >= 0; v++)
		if (plan->vertices[v].slot == node->slot)
			return v;
	plan->vertices[plan->vertex_count] = (gemp_cypher_vertex){ .slot = node->slot,
		                                                       .given = node->slot >= 0 &&
		                                                                node->slot < plan->pattern->width_in,
		                                                       .name = node->name.bytes,
		                                                       .part = plan->vertex_count };
	return plan->vertex_count++;
}

static size_t use_node(gemp_cypher_match_plan *plan, const gemp_cypher_node *node)
{
	size_t vertex = vertex_of(plan, node);
	plan->uses[plan->use_count++] = (gemp_cypher_node_use){ node, vertex };
	return vertex;
}

static size_t part_of(const gemp_cypher_match_plan *plan, size_t vertex)
{
	while (plan->vertices[vertex].part != vertex)
		vertex = plan->vertices[vertex].part;
	return vertex;
}

/* The smaller number represents the joined part. */
static void join_parts(gemp_cypher_match_plan *plan, size_t a, size_t b)
{
	a = part_of(plan, a);
	b = part_of(plan, b);
	plan->vertices[gemp_max(a, b)].part = gemp_min(a, b);
}

static void add_hop(gemp_cypher_match_plan *plan, const gemp_cypher_path *path, const gemp_cypher_edge *edge,
                    size_t from)
{
	size_t to = use_node(plan, edge->to);
	gemp_cypher_hop *hop = &plan->hops[plan->hop_count++];
	*hop = (gemp_cypher_hop){ .edge = edge,
		                      .slot = edge->slot,
		                      .from = from,
		                      .to = to,
		                      .heading = edge->left == edge->right ? GEMP_CY_EITHER
		                                 : edge->right             ? GEMP_CY_RIGHT
		                                                           : GEMP_CY_LEFT,
		                      .given = edge->slot >= 0 && edge->slot < plan->pattern->width_in,
		                      .variable = edge->variable,
		                      .kind = path->kind };
	if (gemp_cypher_hop_is_single(hop))
		join_parts(plan, from, to);
}

static void add_path(gemp_cypher_match_plan *plan, const gemp_cypher_path *path)
{
	size_t from = use_node(plan, path->from);
	if (path->slot >= 0)
		plan->routes[plan->route_count++] = (gemp_cypher_route){ path->slot, from, plan->hop_count, path->edges };
	for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
		add_hop(plan, path, edge, from);
		from = plan->hops[plan->hop_count - 1].to;
	}
}

gemp_code gemp_cypher_match_plan_new(gemp_cypher_match_plan *out, const gemp_cypher_plan_input *input)
{
	size_t paths = 0, edges = 0;
	*out = (gemp_cypher_match_plan){ .pattern = input->pattern, .where = input->where };
	for (const gemp_cypher_path *path = input->pattern->first; path; path = path->next, paths++)
		edges += path->edges;
	GEMP_TRY(GEMP_ARENA_NEW(&out->arena, out->vertices, edges + paths));
	GEMP_TRY(GEMP_ARENA_NEW(&out->arena, out->uses, edges + paths));
	GEMP_TRY(GEMP_ARENA_NEW(&out->arena, out->hops, edges));
	GEMP_TRY(GEMP_ARENA_NEW(&out->arena, out->routes, paths));
	for (const gemp_cypher_path *path = input->pattern->first; path; path = path->next)
		add_path(out, path);
	for (size_t v = 0; v < out->vertex_count; v++)
		out->vertices[v].part = part_of(out, v);
	return gemp_cypher_plan_steps(out, input);
}

void gemp_cypher_match_plan_free(gemp_cypher_match_plan *plan)
{
	for (size_t s = 0; s < plan->step_count; s++)
		gemp_pattern_free(plan->steps[s].pattern);
	gemp_arena_free(&plan->arena);
	*plan = (gemp_cypher_match_plan){ 0 };
}
