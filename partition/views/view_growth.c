#include "partition/views/view_growth.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/transfer.h"
#include "partition/patch/rows_merge.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 256, MAX_ITEMS = 1 << 22 };

gemp_code gemp_slot_order_grow(gemp_slot_order *order, uint64_t vertices)
{
	GEMP_CHECK(!order->shared.bytes);
	gemp_vertex *slot_of = gemp_realloc(order->slot_of, (size_t)vertices, sizeof *slot_of);
	if (!slot_of)
		return GEMP_ENOMEM;
	order->slot_of = slot_of;
	gemp_vertex *id_of = gemp_realloc(order->id_of, (size_t)vertices, sizeof *id_of);
	if (!id_of)
		return GEMP_ENOMEM;
	order->id_of = id_of;
	for (uint64_t v = order->vertices; v < vertices; v++)
		slot_of[v] = id_of[v] = (gemp_vertex)v;
	order->vertices = vertices;
	return GEMP_OK;
}

/* NEW ENTRIES */

/* The old index of a relation of the new graph, or SIZE_MAX. */
static size_t old_index(const gemp_patch_result *patched, size_t relation)
{
	size_t r = 0;
	while (r < patched->relation_count && patched->relations[r] != relation)
		r++;
	return r < patched->relation_count ? r : SIZE_MAX;
}

static bool has_edge(const gemp_relation *relation, uint64_t source, uint64_t target)
{
	const gemp_vertex *row = relation->out_targets + relation->out_offsets[source];
	size_t count = (size_t)(relation->out_offsets[source + 1] - relation->out_offsets[source]);
	size_t at = gemp_lower_bound_u32(row, count, target);
	return at < count && row[at] == target;
}

/* A view without parallel edges is not merged with an entry that it has already. */
static bool stays_simple(const gemp_shard *graph, const gemp_view_key *key, size_t relation,
                         const gemp_relation_growth *growth)
{
	const gemp_relation *r = &graph->relations[relation];
	bool simple = !r->multigraph;
	for (size_t other = 0; other < graph->relation_count; other++)
		simple &= other == relation || !key->relations[other];
	for (size_t i = 0; i < growth->count && simple && key->direction == GEMP_VIEW_EITHER; i++) {
		uint64_t source = growth->added[i] >> 32, target = (gemp_vertex)growth->added[i];
		simple = source == target || !has_edge(r, target, source);
	}
	return simple;
}

/* A loop is in a view of both directions once. */
static void add_keys(gemp_view_growth *out, const gemp_relation_growth *growth, const gemp_slot_order *order,
                     const gemp_view_key *key)
{
	for (size_t i = 0; i < growth->count; i++) {
		gemp_vertex source = (gemp_vertex)(growth->added[i] >> 32), target = (gemp_vertex)growth->added[i];
		uint64_t from = order->slot_of[source], to = order->slot_of[target];
		if (key->simple && source == target)
			continue;
		if (key->direction != GEMP_VIEW_IN)
			out->keys[out->count++] = from << 32 | to;
		if (key->direction == GEMP_VIEW_IN || (key->direction == GEMP_VIEW_EITHER && source != target))
			out->keys[out->count++] = to << 32 | from;
	}
}

/* Adds up the entries of the relations, or finds one that has to be made anew. */
static bool count_keys(size_t *count, const gemp_shard *graph, const gemp_patch_result *patched,
                       const gemp_view_key *key)
{
	*count = 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		size_t old = key->relations[r] ? old_index(patched, r) : SIZE_MAX;
		if (!key->relations[r])
			continue;
		const gemp_relation_growth *growth = old == SIZE_MAX ? NULL : &patched->growth[old];
		if (!growth || (!growth->same && !growth->grown))
			return false;
		if (growth->count && (key->edges || (key->simple && !stays_simple(graph, key, r, growth))))
			return false;
		*count += 2 * growth->count;
	}
	return true;
}

gemp_code gemp_view_growth_new(gemp_view_growth *out, bool *possible, const gemp_shard *graph,
                               const gemp_patch_result *patched, const gemp_slot_order *order, const gemp_view_key *key)
{
	size_t count;
	*out = (gemp_view_growth){ 0 };
	*possible = count_keys(&count, graph, patched, key);
	if (!*possible || !count)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(out->keys, count));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (key->relations[r])
			add_keys(out, &patched->growth[old_index(patched, r)], order, key);
	return gemp_rows_merge_sort(out->keys, NULL, out->count);
}

void gemp_view_growth_free(gemp_view_growth *growth)
{
	gemp_free(growth->keys);
	*growth = (gemp_view_growth){ 0 };
}

/* ON THE DEVICE */

typedef struct device_merge {
	gemp_device *device;
	gemp_program program;
	cl_kernel begin, old, new;
	gemp_buffer keys, new_begin, entries;
} device_merge;

static void close_merge(device_merge *m)
{
	gemp_kernels_free(&m->begin, &m->old, &m->new);
	gemp_program_store_and_free(m->device, &m->program);
	gemp_buffers_free(m->device, &m->keys, &m->new_begin, &m->entries);
}

static size_t items_of(const gemp_device *device, uint64_t count)
{
	return (size_t)gemp_min(gemp_max(count, 1), device->gpu ? (uint64_t)MAX_ITEMS : (uint64_t)device->units);
}

/* Local. The buffers of the view are replaced by those of the merged rows. */
static gemp_code merge_on_device(gemp_view *view, size_t rows, const gemp_view_growth *growth)
{
	gemp_device *device = view->device;
	GEMP_OWNED_BY(close_merge) device_merge m = { .device = device };
	const size_t offset = view->wide_positions ? sizeof(uint64_t) : sizeof(uint32_t);
	const cl_ulong old_rows = view->rows, new_rows = rows, old_count = view->begin[view->rows];
	const cl_uint count = (cl_uint)growth->count;
	const uint64_t none = 0;
	const size_t group = device->gpu ? gemp_min((size_t)GROUP, device->max_group) : 1;
	GEMP_TRY(gemp_program_build(&m.program, device, "rows_merge.cl", view->wide_positions ? "-DMERGE_WIDE" : "",
	                            { "merge_begin", &m.begin }, { "merge_old", &m.old }, { "merge_new", &m.new }));
	GEMP_TRY(gemp_buffer_new(&m.keys, device, gemp_max(growth->count, (size_t)1) * sizeof(uint64_t),
	                         count ? growth->keys : &none));
	GEMP_TRY(gemp_buffer_new(&m.new_begin, device, (rows + 1) * offset, NULL));
	GEMP_TRY(gemp_buffer_new(&m.entries, device, (size_t)gemp_max(old_count + count, 1) * sizeof(gemp_vertex), NULL));
	GEMP_TRY(gemp_launch(device, m.begin, items_of(device, rows + 1), group, GEMP_ARG(&view->device_begin.mem),
	                     GEMP_ARG(&old_rows), GEMP_ARG(&m.keys.mem), GEMP_ARG(&count), GEMP_ARG(&new_rows),
	                     GEMP_ARG(&m.new_begin.mem)));
	GEMP_TRY(gemp_launch(device, m.old, items_of(device, old_count), group, GEMP_ARG(&view->device_begin.mem),
	                     GEMP_ARG(&old_rows), GEMP_ARG(&view->device_neighbours.mem), GEMP_ARG(&old_count),
	                     GEMP_ARG(&m.keys.mem), GEMP_ARG(&count), GEMP_ARG(&m.entries.mem)));
	GEMP_TRY(gemp_launch(device, m.new, items_of(device, count), group, GEMP_ARG(&view->device_begin.mem),
	                     GEMP_ARG(&old_rows), GEMP_ARG(&view->device_neighbours.mem), GEMP_ARG(&m.keys.mem),
	                     GEMP_ARG(&count), GEMP_ARG(&m.entries.mem)));
	GEMP_TRY(GEMP_CL(clFinish(device->queue)));
	gemp_buffers_free(device, &view->device_begin, &view->device_neighbours);
	view->device_begin = m.new_begin;
	view->device_neighbours = m.entries;
	m.new_begin = m.entries = (gemp_buffer){ 0 };
	return GEMP_OK;
}

/* ON THE HOST */

/* The lengths of rows that have grown: bounds of the longest row and of the longest parts, and loops. */
static void bound_lengths(gemp_view *view, const uint64_t *begin, const gemp_view_growth *growth)
{
	uint32_t parts[2] = { 0 }, most[2] = { 0 };
	for (size_t i = 0; i < growth->count; i++) {
		uint64_t row = growth->keys[i] >> 32, entry = (gemp_vertex)growth->keys[i];
		if (i == 0 || growth->keys[i - 1] >> 32 != row)
			parts[0] = parts[1] = 0;
		if (entry != row)
			parts[entry > row]++;
		view->loops |= entry == row;
		view->longest_row = gemp_max(view->longest_row, begin[row + 1] - begin[row]);
		for (int p = 0; p < 2; p++)
			most[p] = parts[p] > most[p] ? parts[p] : most[p];
	}
	for (int p = 0; p < 2; p++)
		view->longest[p] = (uint32_t)gemp_min((uint64_t)view->longest[p] + most[p], view->longest_row);
}

/* Local. Offsets are always on the host, and entries if the view has them there. */
static gemp_code merge_on_host(gemp_view *view, size_t rows, const gemp_view_growth *growth)
{
	GEMP_OWNED uint64_t *begin = NULL;
	GEMP_OWNED gemp_vertex *neighbours = NULL;
	GEMP_TRY(GEMP_NEW(begin, rows + 1));
	gemp_rows_merge merge = { .old_rows = view->rows,
		                      .rows = rows,
		                      .old_begin = view->begin,
		                      .old = view->neighbours,
		                      .count = growth->count,
		                      .keys = growth->keys,
		                      .begin = begin };
	gemp_rows_merge_begin(&merge);
	if (view->neighbours) {
		GEMP_TRY(GEMP_NEW(neighbours, begin[rows] + 1));
		merge.to = neighbours;
		gemp_rows_merge_entries(&merge);
		gemp_free(view->neighbours);
		view->neighbours = neighbours;
		neighbours = NULL;
	}
	bound_lengths(view, begin, growth);
	gemp_free_all(view->begin, view->begin32);
	view->begin32 = NULL;
	view->begin = begin;
	begin = NULL;
	view->rows = rows;
	return GEMP_OK;
}

/* The buffers of a CPU device use arrays of the host, which the next upload gives it again at no cost. */
gemp_code gemp_view_grow(gemp_view *view, size_t rows, const gemp_view_growth *growth, bool wide)
{
	GEMP_CHECK(!view->shared.bytes && !view->edges);
	if (!growth->count && rows == view->rows)
		return GEMP_OK;
	if (view->device && view->neighbours && !view->device->gpu)
		gemp_view_unload(view);
	if (view->device) {
		GEMP_CHECK(view->wide_positions == wide);
		GEMP_TRY(merge_on_device(view, rows, growth));
	}
	return merge_on_host(view, rows, growth);
}
