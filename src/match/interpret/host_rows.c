#include "match/interpret/host_rows.h"

#include "core/memory.h"
#include "match/planner/plan_rows.h"

/* The view's only relation, or SIZE_MAX if the view has none or several. */
static size_t only_relation(const gemp_plan_view *view, size_t count)
{
	size_t found = SIZE_MAX;
	for (size_t r = 0; r < count; r++)
		if (view->relations[r]) {
			if (found != SIZE_MAX)
				return SIZE_MAX;
			found = r;
		}
	return found;
}

/* True if this rank has all rows of the view in one list, which needs no copy. Rows of both directions by ids are worse
 * than a copy if order restrictions cut the rows of hubs, which only rows by slots allow. */
static bool is_in_place(const gemp_shard *graph, const gemp_plan *plan, const gemp_plan_view *view)
{
	const gemp_view_key key = gemp_plan_view_key(view);
	if (graph->ranks > 1)
		return false;
	if (gemp_view_index(graph, &key))
		return key.direction != GEMP_VIEW_EITHER || plan->group_order <= 1;
	return key.direction != GEMP_VIEW_EITHER && only_relation(view, graph->relation_count) != SIZE_MAX;
}

/* Collective. The only list of the view. */
static gemp_code use_in_place(gemp_host_view *out, const gemp_comm *comm, const gemp_shard *graph,
                              const gemp_plan_view *view)
{
	const gemp_view_key key = gemp_plan_view_key(view);
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, gemp_view_lists_new(&lists, graph, &key)));
	GEMP_CHECK(lists.count == 1);
	*out = (gemp_host_view){ .begin = lists.list[0].offsets,
		                     .neighbours = lists.list[0].neighbours,
		                     .edges = lists.list[0].numbers,
		                     .first_edge = lists.list[0].first,
		                     .skips = view->simple };
	return GEMP_OK;
}

static void use_copy(gemp_host_view *out, const gemp_view *copy)
{
	*out = (gemp_host_view){ .begin = copy->begin, .neighbours = copy->neighbours, .edges = copy->edges };
}

/* Collective. Makes one copy of the only view, in the order of slots. */
static gemp_code copy_by_slot(gemp_host_rows *out, gemp_runtime *context, const gemp_shard *graph,
                              const gemp_plan *plan)
{
	gemp_view_key key = gemp_plan_view_key(&plan->views[0]);
	GEMP_TRY(gemp_resident_on_host(&out->copies[0], context, graph, &key, 1, false));
	out->copy_count = 1;
	out->order = &out->copies[0]->order;
	use_copy(&out->views[0], &out->copies[0]->views[0]);
	return GEMP_OK;
}

gemp_code gemp_host_rows_new(gemp_host_rows *out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_host_rows){ .vertices = graph->vertex_count, .view_count = plan->view_count };
	GEMP_TRY(gemp_plan_load_rows(graph, plan));
	if (plan->view_count == 1 && !is_in_place(graph, plan, &plan->views[0]))
		return copy_by_slot(out, context, graph, plan);
	for (size_t v = 0; v < plan->view_count; v++) {
		const gemp_plan_view *view = &plan->views[v];
		gemp_view_key key = gemp_plan_view_key(view);
		if (is_in_place(graph, plan, view)) {
			GEMP_TRY_DONE(use_in_place(&out->views[v], context->comm, graph, view));
			continue;
		}
		GEMP_TRY_DONE(gemp_resident_on_host(&out->copies[out->copy_count], context, graph, &key, 1, true));
		use_copy(&out->views[v], &out->copies[out->copy_count++]->views[0]);
	}
done:
	if (code != GEMP_OK)
		gemp_host_rows_free(out);
	return code;
}

void gemp_host_rows_free(gemp_host_rows *rows)
{
	for (size_t c = 0; c < rows->copy_count; c++)
		gemp_resident_release(rows->copies[c]);
	*rows = (gemp_host_rows){ 0 };
}
