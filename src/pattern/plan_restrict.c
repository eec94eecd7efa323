#include "pattern/plan_build.h"

/* RESTRICTIONS: the image of base[i] is extreme among its orbit under what is left of the group. Where the orbit hangs
 * together round base[i] (cliques), it is the vertex of least degree, so that rows shrink to their oriented part; else
 * (cycles, twins) the hub, so that paths stay among lesser vertices and the rows read last are the shorter ones. */
static bool adjacent(const gemp_pattern *pattern, int a, int b)
{
	for (size_t e = 0; e < pattern->edge_count; e++)
		if ((pattern->edges[e].from == a && pattern->edges[e].to == b) ||
		    (pattern->edges[e].from == b && pattern->edges[e].to == a))
			return true;
	return false;
}

static bool hub_first(const gemp_pattern *pattern, const gemp_chain *chain, size_t level)
{
	const int *orbit;
	size_t size = gemp_chain_orbit(chain, level, &orbit);
	for (size_t i = 1; i < size; i++)
		if (!adjacent(pattern, orbit[0], orbit[i]))
			return true;
	return false;
}

/* A table of two-paths knows nothing of the vertices between: a level of the chain that restricts the last vertex against
 * another than the pivot is dropped whole, and each match is then counted once for every member of its orbit. */
static bool dropped(gemp_planner *p, const int *orbit, size_t members)
{
	const gemp_plan *plan = p->plan;
	int last = plan->steps[plan->step_count - 1].vertex;
	bool restricts = false;
	if (!plan->two_paths || orbit[0] == plan->pivot)
		return false;
	for (size_t i = 1; i < members; i++)
		restricts |= orbit[i] == last;
	if (restricts)
		p->plan->divisor *= members;
	return restricts;
}

static void restrict_step(gemp_step *step, int vertices, int first, int other, bool hub)
{
	if (other < vertices && step->kind != GEMP_BIND_EDGE && step->vertex == other) {
		uint64_t *mask = hub ? &step->greater : &step->less;
		*mask |= GEMP_BIT(first);
		step->differ &= ~GEMP_BIT(first);
	}
	if (other >= vertices && step->edge == other - vertices)
		step->edge_less |= GEMP_BIT(first - vertices);
}

gemp_code gemp_plan_break_symmetry(gemp_planner *p)
{
	gemp_code code = GEMP_OK;
	gemp_plan *plan = p->plan;
	gemp_chain *chain = NULL;
	int base[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES] = { 0 };
	size_t size = 0;
	for (size_t s = 0; s < plan->step_count; s++)
		if (plan->steps[s].kind != GEMP_BIND_EDGE)
			base[size++] = plan->steps[s].vertex;
	for (size_t s = 0; plan->live_edges && s < plan->step_count; s++)
		if (plan->steps[s].edge >= 0)
			base[size++] = plan->vertex_count + plan->steps[s].edge;
	GEMP_TRY(gemp_chain_new(&chain, p->symmetry, base, size));
	for (size_t level = 0; level < size; level++) {
		const int *orbit;
		size_t members = gemp_chain_orbit(chain, level, &orbit);
		bool hub = hub_first(p->pattern, chain, level);
		if (dropped(p, orbit, members))
			continue;
		for (size_t i = 1; i < members; i++)
			for (size_t s = 0; s < plan->step_count; s++)
				restrict_step(&plan->steps[s], plan->vertex_count, orbit[0], orbit[i], hub);
	}
	plan->broken = true;
done:
	gemp_chain_free(chain);
	return code;
}
