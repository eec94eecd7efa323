#include "partition/view.h"

#include "core/memory.h"
#include "core/threads.h"
#include "partition/view_rows.h"
#include "partition/view_shared.h"

#include <string.h>

unsigned gemp_view_parts(gemp_view_direction direction)
{
	static const unsigned parts[] = { GEMP_PART_OUT, GEMP_PART_IN, GEMP_PART_OUT | GEMP_PART_IN };
	return parts[direction];
}

gemp_code gemp_edge_offsets(const gemp_graph *graph, gemp_edge **offsets)
{
	gemp_edge *first;
	if (GEMP_NEW(first, graph->relation_count + 1) != GEMP_OK)
		return GEMP_ENOMEM;
	for (size_t r = 0; r < graph->relation_count; r++)
		first[r + 1] = first[r] + graph->relations[r].edges;
	*offsets = first;
	return GEMP_OK;
}

static bool takes_out(const gemp_view_key *key)
{
	return key->direction != GEMP_VIEW_IN;
}

static bool takes_in(const gemp_view_key *key)
{
	return key->direction != GEMP_VIEW_OUT;
}

enum { ROWS_A_PIECE = 1 << 14 };

typedef struct adding {
	const gemp_graph *graph;
	const gemp_view_key *key;
	uint64_t *degree;
} adding;

static void add_degrees(void *context, unsigned thread, size_t piece)
{
	const adding *a = context;
	size_t end = (piece + 1) * ROWS_A_PIECE < a->graph->rows ? (piece + 1) * ROWS_A_PIECE : a->graph->rows;
	(void)thread;
	for (size_t r = 0; r < a->graph->relation_count; r++) {
		const gemp_relation *relation = &a->graph->relations[r];
		if (!a->key->relations[r])
			continue;
		for (size_t v = piece * ROWS_A_PIECE; v < end; v++) {
			if (takes_out(a->key))
				a->degree[v] += relation->out_begin[v + 1] - relation->out_begin[v];
			if (takes_in(a->key))
				a->degree[v] += relation->in_begin[v + 1] - relation->in_begin[v];
		}
	}
}

void gemp_view_degrees(const gemp_graph *graph, const gemp_view_key *key, uint64_t *degree)
{
	adding a = { graph, key, degree };
	gemp_parallel_for((graph->rows + ROWS_A_PIECE - 1) / ROWS_A_PIECE, add_degrees, &a);
}

gemp_code gemp_residency_new(gemp_residency *out, const gemp_graph *graph, const gemp_order *order, gemp_vertex hot)
{
	gemp_code code = GEMP_OK;
	size_t words = (graph->vertices + 31) / 32;
	*out = (gemp_residency){ .vertices = graph->vertices, .hot = hot, .own_count = graph->rows };
	GEMP_TRY(GEMP_NEW(out->words, 2 * words + 2));
	GEMP_TRY(GEMP_NEW(out->own_slots, graph->rows));
	/* Ascending own slots without a sort: mark them, then walk the marks. */
	for (size_t v = 0; v < graph->rows; v++) {
		gemp_vertex slot = order->slot_of[graph->first + v];
		out->words[2 * (slot / 32)] |= UINT32_C(1) << slot % 32;
	}
	size_t found = 0;
	for (size_t w = 0; w < words; w++) {
		uint32_t *bits = &out->words[2 * w];
		for (uint32_t left = bits[0]; left; left &= left - 1)
			out->own_slots[found++] = (gemp_vertex)(w * 32) + (gemp_vertex)__builtin_ctz(left);
		if (w * 32 < hot)
			bits[0] &= hot - w * 32 >= 32 ? 0 : ~UINT32_C(0) << (hot - w * 32);
		bits[1] = (uint32_t)out->own;
		out->own += (size_t)__builtin_popcount(bits[0]);
	}
done:
	if (code != GEMP_OK)
		gemp_residency_free(out);
	return code;
}

void gemp_residency_free(gemp_residency *residency)
{
	gemp_free(residency->words);
	gemp_free(residency->own_slots);
	*residency = (gemp_residency){ 0 };
}

/* HOT ROWS. Every rank sends its rows of slots below hot, ascending, some slots at a time; all lay them out by slot. */
uint64_t gemp_view_piece = UINT64_C(1) << 22;

/* Own rows [first, end) of these slots. */
typedef struct own_part {
	size_t first, end;
} own_part;

/* How many entries the row of each hot slot has, on all ranks. Collective. */
static gemp_code hot_sizes(uint64_t **out, const gemp_comm *comm, const gemp_view *own, const gemp_residency *residency)
{
	enum { PIECE = 1 << 24 };
	gemp_code code = GEMP_OK;
	uint64_t *size = NULL;
	code = GEMP_NEW(size, (size_t)residency->hot + 1);
	for (size_t r = 0; code == GEMP_OK && r < residency->own_count - residency->own; r++) /* own hot rows come first */
		size[residency->own_slots[r]] = own->begin[r + 1] - own->begin[r];
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (uint64_t at = 0; at < residency->hot; at += PIECE)
		gemp_comm_sum(comm, size + at, (int)(residency->hot - at < PIECE ? residency->hot - at : PIECE));
	*out = size;
	size = NULL;
done:
	gemp_free(size);
	return code;
}

/* Begins of all resident rows, and room for them. */
static gemp_code make_room(gemp_view *out, const gemp_residency *residency, const gemp_view *own, const uint64_t *size)
{
	gemp_code code = GEMP_OK;
	size_t mine = residency->own_count - residency->own;
	out->rows = (size_t)residency->hot + residency->own;
	out->loops = own->loops;
	GEMP_TRY(GEMP_NEW(out->begin, out->rows + 1));
	for (size_t s = 0; s < residency->hot; s++)
		out->begin[s + 1] = out->begin[s] + size[s];
	for (size_t r = 0; r < residency->own; r++)
		out->begin[residency->hot + r + 1] =
			out->begin[residency->hot + r] + own->begin[mine + r + 1] - own->begin[mine + r];
	GEMP_TRY(GEMP_NEW(out->neighbours, out->begin[out->rows] + 1));
	if (own->edges)
		GEMP_TRY(GEMP_NEW(out->edges, out->begin[out->rows] + 1));
done:
	return code;
}

/* Collective. Values of `width` bytes in the rows of slots [first, end): from their owners to all. */
static gemp_code gather_slots(const gemp_comm *comm, const gemp_graph *graph, const gemp_order *order,
                              const gemp_view *out, const gemp_view *own, own_part part, size_t first, size_t end,
                              size_t width, const void *from, void *to)
{
	gemp_code code = GEMP_OK;
	size_t *begin = NULL;
	char *all = NULL;
	uint64_t at = own->begin[part.first], count = own->begin[part.end] - at;
	GEMP_TRY(gemp_comm_gather_all(comm, (const char *)from + at * width, count * width, (void **)&all, &begin));
	for (size_t s = first; s < end; s++) {
		int owner = gemp_graph_owner(graph, order->id_of[s]);
		size_t bytes = (size_t)(out->begin[s + 1] - out->begin[s]) * width;
		memcpy((char *)to + out->begin[s] * width, all + begin[owner], bytes);
		begin[owner] += bytes;
	}
done:
	gemp_free(all);
	gemp_free(begin);
	return code;
}

/* Collective. */
static gemp_code gather_hot(gemp_view *out, const gemp_comm *comm, const gemp_graph *graph, const gemp_order *order,
                            const gemp_residency *residency, const gemp_view *own)
{
	gemp_code code = GEMP_OK;
	own_part part = { 0 };
	size_t mine = residency->own_count - residency->own;
	for (size_t first = 0, end; first < residency->hot; first = end) {
		for (end = first + 1; end < residency->hot && out->begin[end + 1] - out->begin[first] <= gemp_view_piece;)
			end++;
		while (part.end < mine && residency->own_slots[part.end] < end)
			part.end++;
		GEMP_TRY(gather_slots(comm, graph, order, out, own, part, first, end, sizeof *own->neighbours, own->neighbours,
		                      out->neighbours));
		if (own->edges)
			GEMP_TRY(gather_slots(comm, graph, order, out, own, part, first, end, sizeof *own->edges, own->edges,
			                      out->edges));
		part.first = part.end;
	}
done:
	return code;
}

static void copy_rest(gemp_view *out, const gemp_residency *residency, const gemp_view *own)
{
	uint64_t from = own->begin[residency->own_count - residency->own], to = out->begin[residency->hot];
	size_t count = (size_t)(out->begin[out->rows] - to);
	memcpy(out->neighbours + to, own->neighbours + from, count * sizeof *out->neighbours);
	if (own->edges)
		memcpy(out->edges + to, own->edges + from, count * sizeof *out->edges);
}

gemp_code gemp_view_new(gemp_view *out, const gemp_comm *comm, const gemp_graph *graph, const gemp_order *order,
                        const gemp_residency *residency, const gemp_view_key *key)
{
	gemp_code code = GEMP_OK;
	gemp_view own = { 0 };
	uint64_t *size = NULL;
	bool shared = false;
	*out = (gemp_view){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, gemp_view_own_rows(&own, graph, order, residency, key)));
	if (residency->hot == 0 || comm->size == 1) {
		*out = own;
		return GEMP_OK;
	}
	if (residency->hot >= graph->vertices)
		GEMP_TRY(gemp_view_share(out, &shared, comm, graph, order, residency, &own));
	if (shared)
		goto done;
	GEMP_TRY(hot_sizes(&size, comm, &own, residency));
	GEMP_TRY(gemp_comm_agree(comm, make_room(out, residency, &own, size)));
	GEMP_TRY(gather_hot(out, comm, graph, order, residency, &own));
	copy_rest(out, residency, &own);
done:
	if (code != GEMP_OK)
		gemp_view_free(out);
	gemp_view_free(&own);
	gemp_free(size);
	return code;
}

/* Positions as 32-bit words. */
static gemp_code upload_narrow(gemp_view *view, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	uint32_t *narrow = NULL;
	GEMP_TRY(GEMP_NEW(narrow, view->rows + 1));
	for (size_t r = 0; r <= view->rows; r++)
		narrow[r] = (uint32_t)view->begin[r];
	GEMP_TRY(gemp_buffer_new(&view->device_begin, device, (view->rows + 1) * sizeof *narrow, narrow));
done:
	gemp_free(narrow);
	return code;
}

/* A CPU device uses the array itself. */
static gemp_code lend(gemp_view *view, gemp_buffer *buffer, size_t size, void *array)
{
	if (!view->shared.bytes)
		return gemp_buffer_borrow(buffer, view->device, size, array);
	return gemp_buffer_share(buffer, view->device, size, array, gemp_shared_own(&view->shared, size));
}

gemp_code gemp_view_upload(gemp_view *view, gemp_device *device, bool wide)
{
	gemp_code code = GEMP_OK;
	size_t entries = (size_t)view->begin[view->rows], some = entries ? entries : 1;
	if (view->device) {
		GEMP_CHECK(view->device == device && view->wide == wide);
		return GEMP_OK;
	}
	view->device = device;
	view->wide = wide;
	if (wide)
		GEMP_TRY(lend(view, &view->device_begin, (view->rows + 1) * sizeof *view->begin, view->begin));
	else if (view->narrow)
		GEMP_TRY(lend(view, &view->device_begin, (view->rows + 1) * sizeof *view->narrow, view->narrow));
	else
		GEMP_TRY(upload_narrow(view, device));
	GEMP_TRY(lend(view, &view->device_neighbours, some * sizeof *view->neighbours, view->neighbours));
	if (view->edges)
		GEMP_TRY(lend(view, &view->device_edges, some * sizeof *view->edges, view->edges));
done:
	if (code != GEMP_OK)
		gemp_view_forget(view);
	return code;
}

uint64_t gemp_view_bytes(const gemp_view *view, bool wide)
{
	uint64_t entry = sizeof *view->neighbours + (view->edges ? sizeof *view->edges : 0);
	return view->begin[view->rows] * entry + (view->rows + 1) * (wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

bool gemp_view_weigh(const gemp_view *view, const gemp_device *device, bool wide, uint64_t *bytes)
{
	bool shared = view->shared.bytes && view->shared.sharers > 1 && !device->gpu;
	uint64_t array = view->begin[view->rows] * (view->edges ? sizeof *view->edges : sizeof *view->neighbours);
	*bytes = gemp_view_bytes(view, wide);
	if (shared)
		*bytes = gemp_shared_own(&view->shared, (size_t)*bytes);
	return array <= (shared ? device->driver_largest : device->largest);
}

void gemp_view_forget(gemp_view *view)
{
	if (!view->device)
		return;
	gemp_buffer_free(&view->device_begin, view->device);
	gemp_buffer_free(&view->device_neighbours, view->device);
	gemp_buffer_free(&view->device_edges, view->device);
	view->device = NULL;
}

void gemp_view_free(gemp_view *view)
{
	gemp_view_forget(view);
	if (view->shared.bytes) {
		gemp_shared_free(&view->shared);
	} else {
		gemp_free(view->begin);
		gemp_free(view->narrow);
		gemp_free(view->neighbours);
		gemp_free(view->edges);
	}
	*view = (gemp_view){ 0 };
}
