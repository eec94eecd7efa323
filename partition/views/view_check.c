/* Compares resident rows that have followed patches with the rows of the graph. */

#include "core/memory.h"
#include "device/transfer.h"
#include "partition/views/view_growth.h"

#include <stdlib.h>
#include <string.h>

static int compare_slots(const void *a, const void *b)
{
	const gemp_vertex x = *(const gemp_vertex *)a, y = *(const gemp_vertex *)b;
	return (x > y) - (x < y);
}

/* The row of a slot as the graph has it. Returns its length. row[] has a place for each entry of the lists. */
static size_t row_of_graph(gemp_vertex *row, const gemp_view_lists *lists, const gemp_slot_order *order,
                           const gemp_view_key *key, gemp_vertex id)
{
	size_t count = 0, kept = 0;
	for (size_t k = 0; k < lists->count; k++) {
		const gemp_view_list *list = &lists->list[k];
		for (uint64_t i = list->offsets[id]; i < list->offsets[id + 1]; i++)
			if (!(list->drops_loops && list->neighbours[i] == id))
				row[count++] = order->slot_of[list->neighbours[i]];
	}
	qsort(row, count, sizeof *row, compare_slots);
	for (size_t i = 0; i < count; i++)
		if (!key->simple || i == 0 || row[i] != row[i - 1])
			row[kept++] = row[i];
	return kept;
}

/* Offsets and entries of a view, from the device if it has them. */
typedef struct view_copy {
	uint64_t *begin;
	gemp_vertex *entries;
} view_copy;

static void free_copy(view_copy *copy)
{
	gemp_free_all(copy->begin, copy->entries);
}

static gemp_code download(view_copy *copy, const gemp_view *view)
{
	size_t entries = (size_t)view->begin[view->rows];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(copy->begin, view->rows + 1), GEMP_ARRAY(copy->entries, entries + 1)));
	if (!view->device) {
		memcpy(copy->begin, view->begin, (view->rows + 1) * sizeof *copy->begin);
		memcpy(copy->entries, view->neighbours, entries * sizeof *copy->entries);
		return GEMP_OK;
	}
	if (view->wide_positions)
		GEMP_TRY(gemp_buffer_read(view->device, &view->device_begin, 0, (view->rows + 1) * sizeof *copy->begin,
		                          copy->begin));
	else
		GEMP_TRY(gemp_transfer_download(view->device, &view->device_begin, 0,
		                                (gemp_transfer_numbers){ .wide = copy->begin }, view->rows + 1));
	if (entries == 0)
		return GEMP_OK;
	return gemp_buffer_read(view->device, &view->device_neighbours, 0, entries * sizeof *copy->entries, copy->entries);
}

gemp_code gemp_view_check(const gemp_view *view, const gemp_shard *graph, const gemp_slot_order *order,
                          const gemp_view_key *key)
{
	GEMP_OWNED_BY(free_copy) view_copy copy = { 0 };
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_OWNED gemp_vertex *row = NULL;
	GEMP_TRY(download(&copy, view));
	GEMP_TRY(gemp_view_lists_new(&lists, graph, key));
	GEMP_TRY(GEMP_NEW(row, gemp_view_entries(&lists, 0, graph->rows)));
	bool same = view->rows == graph->rows && order->vertices == graph->vertex_count && copy.begin[0] == 0;
	for (size_t s = 0; s < view->rows && same; s++) {
		size_t count = row_of_graph(row, &lists, order, key, order->id_of[s]);
		same = order->slot_of[order->id_of[s]] == s && copy.begin[s + 1] == view->begin[s + 1] &&
		       copy.begin[s + 1] - copy.begin[s] == count &&
		       memcmp(row, copy.entries + copy.begin[s], count * sizeof *row) == 0;
	}
	return same ? GEMP_OK : gemp_fail(GEMP_EINTERNAL, "resident rows differ from the rows of the graph");
}
