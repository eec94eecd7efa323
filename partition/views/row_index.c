/* The rows are the own rows of a view whose slots are ids. */

#include "partition/views/row_index.h"

#include "core/memory.h"
#include "core/threads.h"
#include "partition/views/view_rows.h"

static bool has_twin(const void *self, size_t v)
{
	const gemp_row_index *index = self;
	for (uint64_t i = index->offsets[v] + 1; i < index->offsets[v + 1]; i++)
		if (index->neighbours[i] == index->neighbours[i - 1])
			return true;
	return false;
}

/* Collective. Degrees of 0 number the slots by ids. */
static gemp_code order_by_id(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph)
{
	GEMP_OWNED uint64_t *degree = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(degree, graph->rows)));
	return gemp_slot_order_new(out, comm, graph, degree);
}

gemp_code gemp_row_index_make(gemp_row_index *index, const gemp_comm *comm, gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_slot_order_free) gemp_slot_order order = { 0 };
	GEMP_OWNED_BY(gemp_residency_free) gemp_residency residency = { 0 };
	GEMP_OWNED_BY(gemp_view_free) gemp_view view = { 0 };
	const gemp_view_key key = { .relations = index->relations,
		                        .direction = index->part == GEMP_LOAD_OUT  ? GEMP_VIEW_OUT
		                                     : index->part == GEMP_LOAD_IN ? GEMP_VIEW_IN
		                                                                   : GEMP_VIEW_EITHER };
	for (size_t r = 0; r < graph->relation_count; r++)
		if (index->relations[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, gemp_view_parts(key.direction)));
	GEMP_TRY(order_by_id(&order, comm, graph));
	gemp_code code = gemp_residency_new(&residency, graph, &order, 0);
	GEMP_THEN(gemp_view_own_rows(&view, graph, &order, &residency, &key));
	GEMP_TRY(gemp_comm_agree(comm, code));
	index->offsets = view.begin;
	index->neighbours = view.neighbours;
	view.begin = NULL;
	view.neighbours = NULL;
	index->entries = gemp_comm_sum1(comm, index->offsets[graph->rows]);
	index->multigraph = gemp_comm_sum1(comm, gemp_any(graph->rows, has_twin, index)) > 0;
	return GEMP_OK;
}
