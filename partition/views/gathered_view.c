/* A rank's own rows ascend by slot, so the rows with slots in any range are a range of entries on each rank. The
 * devices gather the rows of one range of slots at a time: they receive these entries in the order of the ranks, and a
 * kernel moves each entry to its row's place. For this, the devices have gathered the slots of the own rows of all
 * ranks, and where each rank's rows begin among its own entries.
 *
 * Beside the view, a device has the own entries (entries / ranks) and two buffers for a range of slots. */

#include "partition/views/gathered_view.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/transfer.h"
#include "partition/views/renumber.h"
#include "partition/views/renumbered_view.h"
#include "primitive/device_exchange.h"

/* GROUP: work-items of a group. TILE: consecutive entries of a group, which find their rows together. MIN_ENTRIES: the
 * hosts make smaller views before the devices have loaded kernels and locked memory for the exchange. */
enum { GROUP = 256, TILE = 4096, MIN_ENTRIES = 1 << 23 };

bool gemp_gathered_view_suits(const gemp_runtime *context)
{
	const gemp_device *device = context->device;
	const bool suits = device && !context->other_count && (device->gpu || gemp_limits_now()->renumber_min);
	return context->comm->size > 1 && gemp_comm_sum1(context->comm, !suits) == 0;
}

/* SIZES */

/* Returns the number of entries that devices exchange at a time, of rows of which the longest has `longest`. */
static uint64_t round_entries(uint64_t longest)
{
	return gemp_max(longest, gemp_limits_now()->renumber_chunk);
}

/* The numbers are those of all ranks, except `own`, the entries of this rank. */
typedef struct view_size {
	uint64_t ranks, vertices, entries, own, longest;
} view_size;

/* The bytes of a view on the device, and the bytes that it takes while it is made, less those of the chunks that
 * gemp_renumber_make sorts. */
typedef struct view_bytes {
	uint64_t view, making;
} view_bytes;

/* In a round, a device holds a copy of its own entries for each rank and the entries of all ranks. */
static view_bytes bytes_of(const view_size *size)
{
	const uint64_t offsets = (size->vertices + 1) * sizeof(uint64_t), slots = size->vertices * sizeof(gemp_vertex);
	const uint64_t most = round_entries(size->longest);
	const uint64_t round = size->ranks * gemp_min(size->own, most) + gemp_min(size->entries, most);
	return (view_bytes){ offsets + size->entries * sizeof(gemp_vertex),
		                 2 * offsets + 2 * slots + (size->own + round) * sizeof(gemp_vertex) };
}

/* Can this rank's device make the view beside `taken` bytes of other views? */
static bool possible(gemp_device *device, const view_size *size, uint64_t taken)
{
	const view_bytes bytes = bytes_of(size);
	const uint64_t min = gemp_limits_now()->renumber_min,
				   used = device->buffer_bytes + taken + bytes.view + bytes.making;
	const uint64_t rest = device->memory > used ? device->memory - used : 0;
	return size->entries >= (min ? min : MIN_ENTRIES) && size->entries * sizeof(gemp_vertex) <= device->max_buffer &&
	       gemp_renumber_sorts(device, rest, size->own, size->longest);
}

/* OFFSETS */

static gemp_renumber own_rows(const gemp_shard *graph, const gemp_slot_order *order, const gemp_id_rows *lists,
                              size_t count)
{
	return (gemp_renumber){ .lists = lists,
		                    .list_count = count,
		                    .first = (gemp_vertex)graph->first_vertex,
		                    .vertices = graph->rows,
		                    .numbers = order->vertices,
		                    .number_of = order->slot_of };
}

/* Sets size[graph->rows] to the lengths of own rows. *merges: the view merges parallel edges, if there are any. */
static gemp_code find_sizes(uint64_t *size, gemp_renumber_found *found, bool *merges, const gemp_shard *graph,
                            const gemp_slot_order *order, const gemp_view_key *key)
{
	GEMP_OWNED gemp_id_rows *lists = NULL;
	GEMP_OWNED uint64_t *begin = NULL;
	size_t count;
	*found = (gemp_renumber_found){ 0 };
	GEMP_TRY(gemp_view_id_rows(&lists, &count, graph, key));
	GEMP_TRY(GEMP_NEW(begin, graph->rows + 1));
	*merges = count == 0 || (key->simple && count > 2);
	if (*merges)
		return GEMP_OK;
	const gemp_renumber rows = own_rows(graph, order, lists, count);
	gemp_renumber_lengths(&rows, NULL, begin, found);
	*merges = key->simple && found->parallel;
	for (size_t v = 0; v < graph->rows; v++)
		size[v] = begin[v + 1] - begin[v];
	return GEMP_OK;
}

gemp_code gemp_gathered_view_begin(gemp_view *out, const gemp_runtime *context, const gemp_shard *graph,
                                   const gemp_slot_order *order, const gemp_view_key *key, uint64_t *taken)
{
	const gemp_comm *comm = context->comm;
	GEMP_OWNED uint64_t *size = NULL;
	gemp_renumber_found found = { 0 };
	bool merges = false;
	const double since = gemp_now();
	*out = (gemp_view){ 0 };
	if (key->edges || graph->vertex_count == 0)
		return GEMP_OK;
	gemp_code code = GEMP_NEW(size, graph->rows);
	GEMP_THEN(find_sizes(size, &found, &merges, graph, order, key));
	GEMP_TRY(gemp_comm_agree(comm, code));
	uint64_t own = 0, longest = found.longest;
	for (size_t v = 0; v < graph->rows; v++)
		own += size[v];
	uint64_t entries = gemp_comm_sum1(comm, own);
	gemp_comm_max(comm, &longest, 1);
	const view_size all = { (uint64_t)comm->size, graph->vertex_count, entries, own, longest };
	const bool here = !merges && possible(context->device, &all, *taken);
	if (gemp_comm_sum1(comm, !here) > 0)
		return GEMP_OK;
	*taken += bytes_of(&all).view;
	GEMP_TRY(gemp_view_offsets_new(out, comm, graph, order, size));
	out->loops = found.loops;
	out->longest_row = longest;
	gemp_trace_add("offsets of a view", GEMP_LANE_HOST, since);
	return GEMP_OK;
}

/* OWN ROWS */

/* The own rows in the order of their slots. */
typedef struct slot_rows {
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const gemp_residency *residency;
	const gemp_view *view;
	gemp_vertex *row_of; /* [graph->rows] row of the lists */
	uint64_t *begin;     /* [graph->rows + 1] */
} slot_rows;

static void free_slot_rows(slot_rows *s)
{
	gemp_free_all(s->row_of, s->begin);
}

static void set_rows(void *context, size_t begin, size_t end)
{
	const slot_rows *s = context;
	for (size_t k = begin; k < end; k++) {
		const gemp_vertex slot = s->residency->own_slots[k];
		s->row_of[k] = (gemp_vertex)(s->order->id_of[slot] - s->graph->first_vertex);
		s->begin[k + 1] = s->view->begin[slot + (size_t)1] - s->view->begin[slot];
	}
}

static gemp_code order_rows(slot_rows *s)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->row_of, s->graph->rows), GEMP_ARRAY(s->begin, s->graph->rows + 1)));
	gemp_for_elements(s->graph->rows, set_rows, s);
	gemp_prefix_inclusive(s->begin, s->graph->rows + 1);
	return GEMP_OK;
}

/* ROUNDS */

typedef struct gathering {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_view *view;
	slot_rows rows;
	bool wide;
	gemp_device_exchange *exchange;
	gemp_program program;
	cl_kernel place, parts;
	gemp_buffer begin, entries;  /* of the view */
	gemp_renumbered own;         /* the own rows, in the order of their slots */
	gemp_buffer slots, starts;   /* [vertices] by rank: slots of own rows, and their offsets among own entries */
	gemp_buffer going, arrived;  /* copies of own elements, one for each rank; elements of all ranks */
	gemp_buffer own_slots;       /* [graph->rows] */
	gemp_buffer longest;         /* [2] */
	uint64_t *counts, *received; /* [ranks] elements of this exchange */
	uint64_t *done;              /* [ranks] entries of the rounds before */
} gathering;

static void free_gathering(gathering *g)
{
	gemp_device *device = g->context->device;
	gemp_kernels_free(&g->place, &g->parts);
	gemp_program_store_and_free(device, &g->program);
	gemp_buffers_free(device, &g->begin, &g->entries, &g->own.begin, &g->own.entries, &g->slots, &g->starts, &g->going,
	                  &g->arrived, &g->own_slots, &g->longest);
	gemp_free_all(g->counts, g->received, g->done);
	free_slot_rows(&g->rows);
}

static size_t offset_size(const gathering *g)
{
	return g->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

static gemp_code upload_begin(const gathering *g, gemp_buffer *to, const uint64_t *begin, size_t count)
{
	gemp_device *device = g->context->device;
	uint64_t *wide = (uint64_t *)(uintptr_t)begin;
	GEMP_TRY(gemp_buffer_new(to, device, count * offset_size(g), NULL));
	if (g->wide)
		return gemp_transfer_upload(device, to, (gemp_transfer_numbers){ .narrow = (uint32_t *)(void *)wide },
		                            2 * count);
	return gemp_transfer_upload(device, to, (gemp_transfer_numbers){ .wide = wide }, count);
}

/* Local. Makes the own rows on this rank's device. */
static gemp_code make_own(gathering *g, const gemp_slot_order *order, const gemp_view_key *key, double *build)
{
	gemp_device *device = g->context->device;
	const size_t ranks = (size_t)g->context->comm->size, rows = g->view->rows;
	GEMP_OWNED gemp_id_rows *lists = NULL;
	size_t count;
	GEMP_TRY(gemp_view_id_rows(&lists, &count, g->graph, key));
	GEMP_TRY(order_rows(&g->rows));
	gemp_renumber own = own_rows(g->graph, order, lists, count);
	own.row_of = g->rows.row_of;
	own.begin = g->rows.begin;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(g->counts, ranks), GEMP_ARRAY(g->received, ranks), GEMP_ARRAY(g->done, ranks)));
	GEMP_TRY(gemp_program_build(&g->program, device, "renumber.cl", g->wide ? "-DRENUMBER_WIDE" : "",
	                            { "renumber_place", &g->place }, { "renumber_parts", &g->parts }));
	*build += g->program.seconds;
	GEMP_TRY(upload_begin(g, &g->begin, g->view->begin, rows + 1));
	GEMP_TRY(gemp_buffer_new(&g->entries, device, gemp_max(g->view->begin[rows], 1) * sizeof(gemp_vertex), NULL));
	return gemp_renumber_make(&g->own, device, &own, g->wide, build);
}

/* Collective. *to becomes the elements [first, first + count) of the buffers of all ranks, in rank order. The exchange
 * sends different elements to different ranks, so the elements are copied for each rank. */
static gemp_code gather(gathering *g, gemp_code code, const gemp_buffer *from, uint64_t first, uint64_t count,
                        size_t size, gemp_buffer *to)
{
	gemp_device *device = g->context->device;
	const int ranks = g->context->comm->size;
	GEMP_THEN(gemp_buffer_reserve(&g->going, device, (size_t)gemp_max(count, 1) * (size_t)ranks * size));
	for (int r = 0; r < ranks && code == GEMP_OK; r++) {
		g->counts[r] = count;
		if (count)
			code = GEMP_CL(clEnqueueCopyBuffer(device->queue, from->mem, g->going.mem, first * size,
			                                   (size_t)r * count * size, count * size, 0, NULL, NULL));
	}
	return gemp_device_exchange_run(g->exchange, code, &g->going, g->counts, size, to, g->received);
}

/* Local. Moves the gathered entries of a round to their places. */
static gemp_code place_entries(gathering *g)
{
	gemp_device *device = g->context->device;
	const size_t group = device->gpu ? gemp_min((size_t)GROUP, device->max_group) : 1;
	cl_ulong at = 0;
	for (int r = 0; r < g->context->comm->size; r++) {
		const cl_ulong count = g->received[r], done = g->done[r];
		const cl_uint row = (cl_uint)g->graph->bounds[r],
					  rows = (cl_uint)(g->graph->bounds[r + 1] - g->graph->bounds[r]);
		const cl_uint tile = TILE;
		const size_t tiles = (size_t)((count + TILE - 1) / TILE);
		const size_t groups = device->gpu ? gemp_min(tiles, (size_t)1 << 20) : gemp_min(tiles, (size_t)device->units);
		GEMP_TRY(gemp_launch(device, g->place, groups * group, group, GEMP_ARG(&g->arrived.mem), GEMP_ARG(&at),
		                     GEMP_ARG(&count), GEMP_ARG(&done), GEMP_ARG(&g->starts.mem), GEMP_ARG(&g->slots.mem),
		                     GEMP_ARG(&row), GEMP_ARG(&rows), GEMP_ARG(&tile), GEMP_ARG(&g->begin.mem),
		                     GEMP_ARG(&g->entries.mem)));
		at += count;
		g->done[r] += count;
	}
	return GEMP_OK;
}

/* Collective. Gathers the slots and offsets of the own rows of all ranks. */
static gemp_code gather_rows(gathering *g, gemp_code code)
{
	gemp_device *device = g->context->device;
	const gemp_residency *residency = g->rows.residency;
	const size_t rows = g->graph->rows;
	GEMP_THEN(gemp_buffer_new(&g->own_slots, device, gemp_max(rows, 1) * sizeof(gemp_vertex), NULL));
	if (rows)
		GEMP_THEN(gemp_transfer_upload(device, &g->own_slots, (gemp_transfer_numbers){ .narrow = residency->own_slots },
		                               rows));
	GEMP_TRY(gather(g, code, &g->own_slots, 0, rows, sizeof(gemp_vertex), &g->slots));
	return gather(g, GEMP_OK, &g->own.begin, 0, rows, offset_size(g), &g->starts);
}

/* Collective. Every rank knows all offsets, so all ranks cut the same ranges of slots. */
static gemp_code gather_entries(gathering *g)
{
	const gemp_view *view = g->view;
	const gemp_residency *residency = g->rows.residency;
	const uint64_t most = round_entries(view->longest_row);
	gemp_code code = GEMP_OK;
	size_t row = 0, next;
	for (size_t first = 0, end; first < view->rows; first = end, row = next) {
		GEMP_PARTITION_POINT(end, first + 1, view->rows, view->begin[end + 1] - view->begin[first] <= most);
		GEMP_PARTITION_POINT(next, row, residency->own_count, residency->own_slots[next] < end);
		const uint64_t from = g->rows.begin[row], count = g->rows.begin[next] - from;
		GEMP_TRY(gather(g, code, &g->own.entries, from, count, sizeof(gemp_vertex), &g->arrived));
		code = place_entries(g);
	}
	return gemp_comm_agree(g->context->comm, code);
}

/* Local. Finds the longest parts of rows. */
static gemp_code find_parts(gathering *g, uint32_t *longest)
{
	gemp_device *device = g->context->device;
	const uint32_t zero[2] = { 0 };
	const cl_uint rows = (cl_uint)g->view->rows;
	const size_t items = device->gpu ? rows : gemp_min((size_t)rows, (size_t)device->units);
	GEMP_TRY(gemp_buffer_new(&g->longest, device, sizeof zero, zero));
	GEMP_TRY(gemp_launch(device, g->parts, items, device->gpu ? gemp_min((size_t)GROUP, device->max_group) : 1,
	                     GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->entries.mem), GEMP_ARG(&rows),
	                     GEMP_ARG(&g->longest.mem)));
	return gemp_buffer_read(device, &g->longest, 0, sizeof zero, longest);
}

/* The rounds of a report are those of the search, so those of this exchange do not count. */
static void charge(const gathering *g, gemp_gathered_seconds *seconds)
{
	const gemp_device_exchange_cost cost = gemp_device_exchange_costs(g->exchange);
	g->context->traffic.bytes += cost.traffic.bytes;
	g->context->traffic.messages += cost.traffic.messages;
	seconds->exchange += cost.seconds;
}

gemp_code gemp_gathered_view_make(gemp_view *view, gemp_runtime *context, const gemp_shard *graph,
                                  const gemp_slot_order *order, const gemp_residency *residency,
                                  const gemp_view_key *key, bool wide, gemp_gathered_seconds *seconds)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	gathering g = { .context = context,
		            .graph = graph,
		            .view = view,
		            .wide = wide,
		            .rows = { .graph = graph, .order = order, .residency = residency, .view = view } };
	GEMP_TRY_DONE(gemp_device_exchange_new(&g.exchange, context->comm, context->device));
	code = make_own(&g, order, key, &seconds->build);
	if (code == GEMP_OK)
		code = GEMP_CL(clFinish(context->device->queue));
	gemp_trace_add("own rows of a view", GEMP_LANE_HOST, since);
	since = gemp_now();
	GEMP_TRY_DONE(gather_rows(&g, code));
	GEMP_TRY_DONE(gather_entries(&g));
	GEMP_TRY_DONE(gemp_comm_agree(context->comm, find_parts(&g, view->longest)));
	view->device = context->device;
	view->wide_positions = wide;
	view->device_begin = g.begin;
	view->device_neighbours = g.entries;
	g.begin = g.entries = (gemp_buffer){ 0 };
	gemp_trace_add("gather a view", GEMP_LANE_HOST, since);
done:
	clFinish(context->device->queue);
	if (g.exchange)
		charge(&g, seconds);
	gemp_device_exchange_free(g.exchange);
	free_gathering(&g);
	return code;
}
