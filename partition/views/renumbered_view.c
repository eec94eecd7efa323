#include "partition/views/renumbered_view.h"

#include "core/memory.h"
#include "device/transfer.h"

gemp_code gemp_view_id_rows(gemp_id_rows **lists, size_t *count, const gemp_shard *graph, const gemp_view_key *key)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists read = { 0 };
	GEMP_TRY(gemp_view_lists_new(&read, graph, key));
	GEMP_TRY(GEMP_NEW(*lists, read.count));
	*count = read.count;
	for (size_t k = 0; k < read.count; k++)
		(*lists)[k] = (gemp_id_rows){ read.list[k].offsets, read.list[k].neighbours, read.list[k].drops_loops };
	return GEMP_OK;
}

static gemp_renumber rows_of(const gemp_slot_order *order, const gemp_id_rows *lists, size_t count)
{
	return (gemp_renumber){ .lists = lists,
		                    .list_count = count,
		                    .vertices = order->vertices,
		                    .row_of = order->id_of,
		                    .numbers = order->vertices,
		                    .number_of = order->slot_of,
		                    .parts = true };
}

/* A simple view merges parallel edges, which the renumbering does not. */
gemp_code gemp_renumbered_view_begin(gemp_view *out, const gemp_shard *graph, const gemp_slot_order *order,
                                     const gemp_view_key *key)
{
	GEMP_OWNED gemp_id_rows *lists = NULL;
	GEMP_OWNED uint64_t *begin = NULL;
	size_t count, rows = (size_t)graph->vertex_count;
	gemp_renumber_found found;
	*out = (gemp_view){ 0 };
	if (graph->ranks > 1 || key->edges || rows == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_view_id_rows(&lists, &count, graph, key));
	if (count == 0 || (key->simple && count > 2))
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(begin, rows + 1));
	gemp_renumber renumber = rows_of(order, lists, count);
	gemp_renumber_lengths(&renumber, order->slot_of, begin, &found);
	if (key->simple && found.parallel)
		return GEMP_OK;
	*out = (gemp_view){ .rows = rows, .begin = begin, .loops = found.loops, .longest_row = found.longest };
	begin = NULL;
	return GEMP_OK;
}

static gemp_code make_on_device(gemp_view *view, gemp_device *device, const gemp_renumber *rows, bool wide,
                                double *build)
{
	gemp_renumbered made;
	GEMP_TRY(gemp_renumber_make(&made, device, rows, wide, build));
	view->device = device;
	view->wide_positions = wide;
	view->device_begin = made.begin;
	view->device_neighbours = made.entries;
	view->longest[0] = made.longest[0];
	view->longest[1] = made.longest[1];
	return GEMP_OK;
}

gemp_code gemp_renumbered_view_make(gemp_view *view, gemp_device *device, const gemp_shard *graph,
                                    const gemp_slot_order *order, const gemp_view_key *key, bool wide, double *build)
{
	GEMP_OWNED gemp_id_rows *lists = NULL;
	size_t count, entries = (size_t)view->begin[view->rows];
	GEMP_TRY(gemp_view_id_rows(&lists, &count, graph, key));
	gemp_renumber renumber = rows_of(order, lists, count);
	renumber.begin = view->begin;
	if (device && gemp_renumber_possible(device, view->rows, entries, view->longest_row))
		return make_on_device(view, device, &renumber, wide, build);
	GEMP_TRY(GEMP_NEW(view->neighbours, entries + 1));
	return gemp_renumber_rows(&renumber, view->longest_row, view->neighbours);
}

gemp_code gemp_renumbered_view_to_host(gemp_view *view)
{
	GEMP_OWNED gemp_vertex *neighbours = NULL;
	size_t entries = (size_t)view->begin[view->rows];
	if (view->neighbours)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(neighbours, entries + 1));
	GEMP_TRY(gemp_transfer_download(view->device, &view->device_neighbours, 0,
	                                (gemp_transfer_numbers){ .narrow = neighbours }, entries));
	view->neighbours = neighbours;
	neighbours = NULL;
	return GEMP_OK;
}
