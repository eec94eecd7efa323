#include "match/planner/plan_rows.h"

gemp_view_key gemp_plan_view_key(const gemp_plan_view *view)
{
	static const gemp_view_direction direction[] = { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER };
	return (gemp_view_key){ view->relations, direction[view->direction], view->simple, view->edges };
}

gemp_code gemp_plan_load_rows(gemp_shard *graph, const gemp_plan *plan)
{
	for (size_t v = 0; v < plan->view_count; v++) {
		const gemp_view_key key = gemp_plan_view_key(&plan->views[v]);
		GEMP_TRY(gemp_view_load(graph, &key));
	}
	return GEMP_OK;
}

gemp_view_key gemp_pattern_edge_key(const gemp_pattern *pattern, const gemp_pattern_edge *edge, bool back)
{
	const bool either = edge->direction == GEMP_EITHER || pattern->simple;
	return (gemp_view_key){ .relations = edge->relations,
		                    .direction = either ? GEMP_VIEW_EITHER
		                                 : back ? GEMP_VIEW_IN
		                                        : GEMP_VIEW_OUT,
		                    .simple = pattern->simple };
}

gemp_code gemp_pattern_load_relations(gemp_shard *graph, const gemp_pattern *pattern)
{
	const unsigned parts = GEMP_LOAD_OUT | (pattern->simple ? GEMP_LOAD_IN : GEMP_LOAD_IN_EDGES);
	for (size_t e = 0; e < pattern->edge_count; e++)
		for (size_t r = 0; r < graph->relation_count; r++)
			if (pattern->edges[e].relations[r])
				GEMP_TRY(gemp_shard_load_relation(graph, r, parts));
	return GEMP_OK;
}
