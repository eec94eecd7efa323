#include "query/search/fold_cost.h"

#include "core/limits.h"
#include "count/typed_graph.h"
#include "device/drivers.h"
#include "device/select.h"
#include "partition/views/relation_ends.h"

#include <math.h>

enum {
	/* A match that a search finds and groups takes as long as so many entries of a pass: 60 ns and 2 ns on one core
	 * (groups by year of tests/bench/rows.sh, Intel Xeon, 2026-12-01). */
	MATCH = 32,
	VERTEX = 2, /* the same for a vertex of a pass */
};

gemp_code gemp_fold_estimate(const gemp_fold_source *s, int root, double *matches, double *cost)
{
	const gemp_pattern *pattern = s->pattern;
	gemp_tree_vertex tree[GEMP_MAX_PATTERN_VERTICES];
	int at[GEMP_MAX_PATTERN_VERTICES], of[GEMP_MAX_PATTERN_VERTICES];
	gemp_pattern_tree(pattern, root, tree, at);
	for (size_t v = 0; v < pattern->vertex_count; v++)
		of[at[v]] = (int)v;
	*matches = (double)s->candidates.count[root];
	*cost = VERTEX * (double)s->graph->vertex_count;
	for (size_t v = 1; v < pattern->vertex_count; v++) {
		const gemp_view_key *key = &tree[v].key;
		const double near = (double)s->candidates.count[of[tree[v].parent]], far = (double)s->candidates.count[of[v]];
		for (size_t r = 0; r < s->graph->relation_count; r++)
			if (key->relations[r])
				GEMP_TRY(gemp_relation_ends_find(s->context->comm, s->graph, r));
		const gemp_type_figures types = gemp_type_figures_of(s->graph, key->relations);
		const bool either = key->direction == GEMP_VIEW_EITHER, in = key->direction == GEMP_VIEW_IN;
		const double edges = types.edges * (either ? 2 : 1), both = fmax(types.ends[0], types.ends[1]);
		*matches *= edges / fmax(fmax(either ? both : types.ends[in], near), 1);
		*matches *= fmin(far / fmax(either ? both : types.ends[!in], 1), 1);
		*cost += edges + VERTEX * (double)s->graph->vertex_count;
	}
	return GEMP_OK;
}

double gemp_fold_path_cost(const gemp_fold_source *s, int from, int to)
{
	gemp_tree_vertex tree[GEMP_MAX_PATTERN_VERTICES];
	int at[GEMP_MAX_PATTERN_VERTICES];
	double cost = VERTEX * (double)s->graph->vertex_count;
	gemp_pattern_tree(s->pattern, to, tree, at);
	for (int v = at[from]; v > 0; v = tree[v].parent)
		for (size_t r = 0; r < s->graph->relation_count; r++)
			if (tree[v].key.relations[r])
				cost += (double)s->graph->relations[r].edge_count * (tree[v].key.direction == GEMP_VIEW_EITHER ? 2 : 1);
	return cost;
}

/* A GPU may group many matches faster than the host reads their edges. */
bool gemp_fold_pays(const gemp_fold_source *s, gemp_placement place, double matches, double cost)
{
	const gemp_runtime *context = s->context;
	if (gemp_limits_now()->group_folds > 0)
		return true;
	const bool pays = cost <= MATCH * matches &&
	                  (cost <= (double)gemp_limits_now()->host_entries || place == GEMP_PLACE_HOST ||
	                   !(gemp_device_spec_prefers_gpus(context->device_spec) && gemp_drivers_find_gpu()));
	return gemp_comm_sum1(context->comm, !pays) == 0;
}
