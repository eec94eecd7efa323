#include "match/rows_at_hand.h"

gemp_code gemp_rows_at_hand(gemp_resident **out, gemp_context *context, gemp_graph *graph, const gemp_plan *plan,
                            int64_t replicate)
{
	static const gemp_view_direction direction[] = { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER };
	gemp_code code = GEMP_OK;
	gemp_view_key keys[GEMP_MAX_VIEWS];
	for (size_t v = 0; v < plan->view_count; v++) {
		const gemp_plan_view *view = &plan->views[v];
		keys[v] = (gemp_view_key){ view->relations, direction[view->direction], view->simple, view->edges };
		unsigned parts = gemp_view_parts(keys[v].direction);
		if (view->edges && (parts & GEMP_PART_IN))
			parts |= GEMP_PART_IN_EDGES;
		for (size_t r = 0; r < graph->relation_count; r++)
			if (view->relations[r])
				GEMP_TRY(gemp_graph_need_relation(graph, r, parts));
	}
	code = gemp_resident_get(out, context, graph, keys, plan->view_count, replicate);
done:
	return code;
}
