/* Slots and residency. Slots number the vertices by descending degree class. Every rank computes the same numbering
 * from one gathered byte for each vertex. The numbering lies in shared memory of the node if possible. A residency says
 * which slots have their rows on this rank, and which row belongs to a slot: a bitmap with counts finds the row without
 * a search. On a CPU device an upload borrows the host arrays. */

#include "partition/views/view.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "device/staging.h"
#include "device/transfer.h"

#include <string.h>

/* The own slots of a single rank are all slots. */
static void list_all(void *context, size_t begin, size_t end)
{
	gemp_vertex *slots = context;
	for (size_t s = begin; s < end; s++)
		slots[s] = (gemp_vertex)s;
}

/* The own slots in words[], which are marked and then listed. This gives ascending slots without a sort. */
typedef struct own_slots {
	gemp_residency *out;
	const gemp_vertex *slot_of; /* [rows] */
	size_t places[GEMP_MAX_RANGES];
} own_slots;

static void mark_own(void *context, size_t begin, size_t end)
{
	const own_slots *o = context;
	for (size_t v = begin; v < end; v++) {
		const gemp_vertex slot = o->slot_of[v];
		__atomic_fetch_or(&o->out->words[2 * (slot / 32)], UINT32_C(1) << slot % 32, __ATOMIC_RELAXED);
	}
}

static void count_own(void *context, size_t range, size_t begin, size_t end)
{
	own_slots *o = context;
	size_t count = 0;
	for (size_t w = begin; w < end; w++)
		count += (size_t)__builtin_popcount(o->out->words[2 * w]);
	o->places[range] = count;
}

static void list_range(void *context, size_t range, size_t begin, size_t end)
{
	const own_slots *o = context;
	size_t place = o->places[range];
	for (size_t w = begin; w < end; w++)
		for (uint32_t left = o->out->words[2 * w]; left; left &= left - 1)
			o->out->own_slots[place++] = (gemp_vertex)(w * 32) + (gemp_vertex)__builtin_ctz(left);
}

static void list_own(gemp_residency *out, const gemp_shard *graph, const gemp_slot_order *order, size_t words)
{
	own_slots o = { .out = out, .slot_of = order->slot_of + graph->first_vertex };
	size_t place = 0;
	gemp_for_elements(graph->rows, mark_own, &o);
	gemp_for_ranges(words, count_own, &o);
	for (size_t r = 0; r < gemp_range_count(words); r++) {
		const size_t count = o.places[r];
		o.places[r] = place;
		place += count;
	}
	gemp_for_ranges(words, list_range, &o);
}

/* bits[1] of each word is the number of own slots from `hot` on in the words before. */
gemp_code gemp_residency_new(gemp_residency *out, const gemp_shard *graph, const gemp_slot_order *order,
                             gemp_vertex hot)
{
	gemp_code code = GEMP_OK;
	size_t words = gemp_bits32_words(graph->vertex_count);
	*out = (gemp_residency){ .vertices = graph->vertex_count, .hot = hot, .own_count = graph->rows };
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(out->words, 2 * words + 2), GEMP_ARRAY(out->own_slots, graph->rows)));
	if (graph->rows == graph->vertex_count)
		gemp_for_elements(graph->rows, list_all, out->own_slots);
	if (graph->rows == graph->vertex_count && hot == graph->vertex_count)
		return GEMP_OK; /* no own slot lies beyond the hot ones, so all words are 0 */
	list_own(out, graph, order, words);
	for (size_t w = 0; w < words; w++) {
		uint32_t *bits = &out->words[2 * w];
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
	gemp_free_all(residency->words, residency->own_slots);
	*residency = (gemp_residency){ 0 };
}

/* Positions that all threads narrow to 32 bits. */
typedef struct narrow_task {
	const uint64_t *from;
	uint32_t *to;
} narrow_task;

static void narrow_range(void *context, size_t begin, size_t end)
{
	const narrow_task *n = context;
	for (size_t r = begin; r < end; r++)
		n->to[r] = (uint32_t)n->from[r];
}

/* Uploads positions as 32-bit numbers: through page-locked memory to a GPU, in place on a CPU device. */
static gemp_code upload_begin32(gemp_view *view, gemp_device *device)
{
	const size_t count = view->rows + 1;
	gemp_host_mapping mapping = { 0 };
	GEMP_TRY(gemp_buffer_new(&view->device_begin, device, count * sizeof(uint32_t), NULL));
	if (device->gpu)
		return gemp_transfer_upload(device, &view->device_begin, (gemp_transfer_numbers){ .wide = view->begin }, count);
	gemp_code code = gemp_host_mapping_begin(&mapping, device, &view->device_begin,
	                                         &(gemp_readback_range){ 0, view->device_begin.size }, 1);
	if (code == GEMP_OK) {
		gemp_for_elements(count, narrow_range, &(narrow_task){ view->begin, (uint32_t *)(void *)mapping.host[0] });
		code = gemp_host_mapping_end(&mapping, device);
	}
	gemp_host_mapping_free(&mapping, device);
	return code;
}

/* Is the array in the memory that the ranks of the node share? Neighbours that come from a device are not. */
static bool is_shared(const gemp_view *view, const void *array)
{
	const uintptr_t begin = (uintptr_t)view->shared.bytes, at = (uintptr_t)array;
	return begin && at >= begin && at < begin + view->shared.size;
}

/* A CPU device uses the host array itself. */
static gemp_code load_array(gemp_view *view, gemp_buffer *buffer, size_t size, void *array)
{
	if (!is_shared(view, array))
		return gemp_buffer_load(buffer, view->device, size, array);
	return gemp_buffer_load_shared(buffer, view->device, size, array, gemp_shared_own_bytes(&view->shared, size));
}

/* If a view is uploaded already, it must have the same width of positions. */
gemp_code gemp_view_upload(gemp_view *view, gemp_device *device, bool wide)
{
	gemp_code code = GEMP_OK;
	size_t entries = (size_t)view->begin[view->rows], some = entries ? entries : 1;
	if (view->device) {
		GEMP_CHECK(view->device == device && view->wide_positions == wide);
		return GEMP_OK;
	}
	view->device = device;
	view->wide_positions = wide;
	if (wide)
		GEMP_TRY_DONE(load_array(view, &view->device_begin, (view->rows + 1) * sizeof *view->begin, view->begin));
	else if (view->begin32)
		GEMP_TRY_DONE(load_array(view, &view->device_begin, (view->rows + 1) * sizeof *view->begin32, view->begin32));
	else
		GEMP_TRY_DONE(upload_begin32(view, device));
	GEMP_TRY_DONE(load_array(view, &view->device_neighbours, some * sizeof *view->neighbours, view->neighbours));
	if (view->edges)
		GEMP_TRY_DONE(load_array(view, &view->device_edges, some * sizeof *view->edges, view->edges));
done:
	if (code != GEMP_OK)
		gemp_view_unload(view);
	return code;
}

uint64_t gemp_view_bytes(const gemp_view *view, bool wide)
{
	uint64_t entry = sizeof *view->neighbours + (view->edges ? sizeof *view->edges : 0);
	return view->begin[view->rows] * entry + (view->rows + 1) * (wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* Rows that the ranks of a node share count once for the node: each rank counts its part. */
bool gemp_view_device_bytes(const gemp_view *view, const gemp_device *device, bool wide, uint64_t *bytes)
{
	bool shared = view->shared.bytes && view->shared.ranks > 1 && !device->gpu;
	uint64_t array = view->begin[view->rows] * (view->edges ? sizeof *view->edges : sizeof *view->neighbours);
	*bytes = gemp_view_bytes(view, wide);
	if (shared)
		*bytes = gemp_shared_own_bytes(&view->shared, (size_t)*bytes);
	return array <= (shared ? device->driver_max_buffer : device->max_buffer);
}

typedef struct length_task {
	const gemp_view *view;
	gemp_row_lengths parts[GEMP_MAX_RANGES];
} length_task;

static void measure_range(void *context, size_t range, size_t begin, size_t end)
{
	length_task *t = context;
	gemp_row_lengths part = { 0 };
	for (size_t r = begin; r < end; r++) {
		uint64_t length = t->view->begin[r + 1] - t->view->begin[r];
		part.longest = gemp_max(part.longest, length);
		part.squares += (double)length * (double)length;
	}
	t->parts[range] = part;
}

/* The parts are added up in the order of their ranges. */
gemp_row_lengths gemp_view_row_lengths(const gemp_view *view)
{
	length_task t = { .view = view };
	gemp_row_lengths all = { 0 };
	gemp_for_ranges(view->rows, measure_range, &t);
	for (size_t r = 0; r < gemp_range_count(view->rows); r++) {
		all.longest = gemp_max(all.longest, t.parts[r].longest);
		all.squares += t.parts[r].squares;
	}
	return all;
}

/* Frees the buffers. The host arrays, which some buffers borrow, stay. */
void gemp_view_unload(gemp_view *view)
{
	if (!view->device)
		return;
	gemp_buffer_free(&view->device_begin, view->device);
	gemp_buffer_free(&view->device_neighbours, view->device);
	gemp_buffer_free(&view->device_edges, view->device);
	view->device = NULL;
}

/* All ranks of the node free a shared block together. */
void gemp_view_free(gemp_view *view)
{
	gemp_view_unload(view);
	if (view->neighbours && !is_shared(view, view->neighbours))
		gemp_free(view->neighbours);
	if (view->shared.bytes)
		gemp_shared_free(&view->shared);
	else
		gemp_free_all(view->begin, view->begin32, view->edges);
	*view = (gemp_view){ 0 };
}

/* From 16 on the octave of the degree and the three bits below the highest bit give the class. */
unsigned gemp_degree_class(uint64_t degree)
{
	if (degree < 16)
		return (unsigned)degree;
	unsigned octave = 63u - (unsigned)__builtin_clzll(degree); /* at least 4 */
	unsigned class = 16 + (octave - 4) * 8 + (unsigned)(degree >> (octave - 3) & 7);
	return class < GEMP_SLOT_CLASSES ? class : GEMP_SLOT_CLASSES - 1;
}

/* The inverse of gemp_degree_class: returns the largest degree of the class. */
uint64_t gemp_degree_class_max(unsigned class)
{
	if (class < 16)
		return class;
	unsigned octave = 4 + (class - 16) / 8, eighth = (class - 16) % 8;
	return ((uint64_t)(8 + eighth + 1) << (octave - 3)) - 1;
}

/* Collective. If the ranks of the node can share memory, the node has both arrays once. Otherwise each rank has
 * them. */
static gemp_code allocate_order(gemp_slot_order *out, const gemp_comm *comm)
{
	size_t vertices = (size_t)out->vertices;
	if (gemp_shared_new(&out->shared, comm, 2 * vertices * sizeof(gemp_vertex))) {
		out->slot_of = out->shared.bytes;
		out->id_of = out->slot_of + vertices;
		return GEMP_OK;
	}
	gemp_code code = gemp_new_all(GEMP_ARRAY(out->slot_of, vertices), GEMP_ARRAY(out->id_of, vertices));
	return gemp_comm_agree(comm, code);
}

/* A counting sort by class, on all threads. Each range of vertices counts its classes, and then has the next slot of
 * each class. */
typedef struct numbering {
	const gemp_slot_order *order;
	const uint8_t *class;                /* [vertices] */
	size_t first;                        /* the vertex of row 0 of the ranges */
	uint64_t (*next)[GEMP_SLOT_CLASSES]; /* [ranges] */
} numbering;

static void count_classes(void *context, size_t range, size_t begin, size_t end)
{
	const numbering *n = context;
	for (size_t v = n->first + begin; v < n->first + end; v++)
		n->next[range][n->class[v]]++;
}

static void assign_slots(void *context, size_t range, size_t begin, size_t end)
{
	const numbering *n = context;
	for (size_t v = n->first + begin; v < n->first + end; v++) {
		gemp_vertex slot = (gemp_vertex)n->next[range][n->class[v]]++;
		n->order->slot_of[v] = slot;
		n->order->id_of[slot] = (gemp_vertex)v;
	}
}

/* Numbers the vertices: this rank's part of them if the ranks of the node share the arrays, and otherwise all. A slot
 * follows all slots of higher classes, and the slots of lower ids in its class. next[GEMP_MAX_RANGES] is zero. */
static void number_slots(gemp_slot_order *out, const uint8_t *class, uint64_t (*next)[GEMP_SLOT_CLASSES])
{
	uint64_t mine[GEMP_SLOT_CLASSES] = { 0 }, before[GEMP_SLOT_CLASSES], all[GEMP_SLOT_CLASSES], slots = 0;
	numbering n = { .order = out, .class = class, .next = next };
	size_t end;
	gemp_shared_range(&out->shared, (size_t)out->vertices, &n.first, &end);
	const size_t ranges = gemp_range_count(end - n.first);
	gemp_for_ranges(end - n.first, count_classes, &n);
	for (size_t r = 0; r < ranges; r++)
		for (int c = 0; c < GEMP_SLOT_CLASSES; c++)
			mine[c] += next[r][c];
	gemp_shared_sums(&out->shared, mine, before, all, GEMP_SLOT_CLASSES);
	for (int c = 0; c < GEMP_SLOT_CLASSES; c++) {
		uint64_t slot = slots + before[c];
		for (size_t r = 0; r < ranges; r++) {
			uint64_t count = next[r][c];
			next[r][c] = slot;
			slot += count;
		}
		slots += all[c];
	}
	gemp_for_ranges(end - n.first, assign_slots, &n);
	if (out->shared.bytes)
		gemp_shared_fence(&out->shared);
}

/* The classes of this rank's vertices. They are complemented, so the ascending order begins with the highest
 * degrees. */
typedef struct class_task {
	const uint64_t *degree;
	uint8_t *class;
} class_task;

static void find_classes(void *context, size_t begin, size_t end)
{
	const class_task *c = context;
	for (size_t v = begin; v < end; v++)
		c->class[v] = (uint8_t)(GEMP_SLOT_CLASSES - 1 - gemp_degree_class(c->degree[v]));
}

/* A single rank's classes need not be gathered. */
gemp_code gemp_slot_order_new(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph,
                              const uint64_t *degree)
{
	GEMP_OWNED uint8_t *mine = NULL, *class = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED uint64_t(*next)[GEMP_SLOT_CLASSES] = NULL;
	*out = (gemp_slot_order){ .vertices = graph->vertex_count };
	gemp_code code = gemp_new_all(GEMP_ARRAY(mine, graph->rows), GEMP_ARRAY(next, GEMP_MAX_RANGES));
	if (code == GEMP_OK)
		gemp_for_elements(graph->rows, find_classes, &(class_task){ degree, mine });
	if (comm->size > 1)
		code = gemp_comm_allgather(comm, code, mine, graph->rows, (void **)&class, &begin);
	GEMP_THEN(allocate_order(out, comm));
	if (code == GEMP_OK)
		number_slots(out, class ? class : mine, next);
	else
		gemp_slot_order_free(out);
	return code;
}

/* A buffer on a device cannot be empty, so it has at least one byte. */
gemp_code gemp_slot_order_upload(const gemp_slot_order *order, gemp_device *device, gemp_buffer *id_of)
{
	size_t size = (size_t)order->vertices * sizeof *order->id_of;
	if (size == 0)
		return gemp_buffer_new(id_of, device, 1, NULL);
	if (!order->shared.bytes)
		return gemp_buffer_load(id_of, device, size, order->id_of);
	return gemp_buffer_load_shared(id_of, device, size, order->id_of, gemp_shared_own_bytes(&order->shared, size));
}

void gemp_slot_order_free(gemp_slot_order *order)
{
	if (order->shared.bytes) {
		gemp_shared_free(&order->shared);
	} else {
		gemp_free_all(order->slot_of, order->id_of);
	}
	*order = (gemp_slot_order){ 0 };
}
