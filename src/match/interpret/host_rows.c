#include "match/interpret/host_rows.h"

#include "core/memory.h"
#include "partition/exchange/value_exchange.h"

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

static gemp_view_key key_of(const gemp_plan_view *view)
{
	static const gemp_view_direction direction[] = { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER };
	return (gemp_view_key){ view->relations, direction[view->direction], view->simple, view->edges };
}

/* The rows of a shard are in place only if this rank has all of them. */
static bool is_in_place(const gemp_shard *graph, const gemp_plan_view *view)
{
	return graph->ranks == 1 && key_of(view).direction != GEMP_VIEW_EITHER &&
	       only_relation(view, graph->relation_count) != SIZE_MAX;
}

/* Collective. Loads the parts of relations that the plan's views read. */
static gemp_code load_relations(gemp_shard *graph, const gemp_plan *plan)
{
	for (size_t v = 0; v < plan->view_count; v++) {
		const gemp_plan_view *view = &plan->views[v];
		const gemp_view_key key = key_of(view);
		for (size_t r = 0; r < graph->relation_count; r++) {
			unsigned parts = gemp_view_parts_of(&graph->relations[r], &key);
			if (view->edges && (parts & GEMP_LOAD_IN))
				parts |= GEMP_LOAD_IN_EDGES;
			if (view->relations[r])
				GEMP_TRY(gemp_shard_load_relation(graph, r, parts));
		}
	}
	return GEMP_OK;
}

/* Edges by source are numbered as they lie; edges by target have numbers of their own. */
static void use_in_place(gemp_host_view *out, const gemp_shard *graph, const gemp_plan_view *view,
                         const gemp_edge *offsets)
{
	size_t r = only_relation(view, graph->relation_count);
	const gemp_relation *relation = &graph->relations[r];
	bool in = key_of(view).direction == GEMP_VIEW_IN;
	*out = (gemp_host_view){ .begin = in ? relation->in_offsets : relation->out_offsets,
		                     .neighbours = in ? relation->in_sources : relation->out_targets,
		                     .edges = in ? relation->in_edges : NULL,
		                     .first_edge = offsets[r],
		                     .skips = view->simple };
}

static void use_copy(gemp_host_view *out, const gemp_view *copy)
{
	*out = (gemp_host_view){ .begin = copy->begin, .neighbours = copy->neighbours, .edges = copy->edges };
}

/* Collective. Makes one copy of the only view, in the order of slots. */
static gemp_code copy_by_slot(gemp_host_rows *out, gemp_runtime *context, const gemp_shard *graph,
                              const gemp_plan *plan)
{
	gemp_view_key key = key_of(&plan->views[0]);
	GEMP_TRY(gemp_resident_on_host(&out->copies[0], context, graph, &key, 1, false));
	out->copy_count = 1;
	out->order = &out->copies[0]->order;
	use_copy(&out->views[0], &out->copies[0]->views[0]);
	return GEMP_OK;
}

gemp_code gemp_host_rows_new(gemp_host_rows *out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED gemp_edge *offsets = NULL;
	*out = (gemp_host_rows){ .vertices = graph->vertex_count, .view_count = plan->view_count };
	GEMP_TRY(load_relations(graph, plan));
	if (plan->view_count == 1 && !is_in_place(graph, &plan->views[0]))
		return copy_by_slot(out, context, graph, plan);
	GEMP_TRY(gemp_comm_agree(context->comm, gemp_edge_offsets(graph, &offsets)));
	for (size_t v = 0; v < plan->view_count; v++) {
		const gemp_plan_view *view = &plan->views[v];
		gemp_view_key key = key_of(view);
		if (is_in_place(graph, view)) {
			use_in_place(&out->views[v], graph, view, offsets);
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
