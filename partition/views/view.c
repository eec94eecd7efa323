/* Slots and residency. Slots number the vertices by descending degree class. Every rank computes the same numbering
 * from one gathered byte for each vertex. The numbering lies in shared memory of the node if possible. A residency says
 * which slots have their rows on this rank, and which row belongs to a slot: a bitmap with counts finds the row without
 * a search. On a CPU device an upload borrows the host arrays. */

#include "partition/views/view.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

/* An either-way view reads both rows of each relation. */
unsigned gemp_view_parts(gemp_view_direction direction)
{
	static const unsigned parts[] = { GEMP_LOAD_OUT, GEMP_LOAD_IN, GEMP_LOAD_OUT | GEMP_LOAD_IN };
	return parts[direction];
}

/* Returns whether the view takes the rows by source. An either-way view takes both kinds of rows. */
static bool takes_out(const gemp_view_key *key)
{
	return key->direction != GEMP_VIEW_IN;
}

/* Returns whether the view takes the rows by target. */
static bool takes_in(const gemp_view_key *key)
{
	return key->direction != GEMP_VIEW_OUT;
}

/* Degrees that all threads add up. */
typedef struct degree_sum {
	const gemp_shard *graph;
	const gemp_view_key *key;
	uint64_t *degree;
} degree_sum;

/* Loops and parallel edges count too, so the degrees are upper bounds of the lengths of rows. */
static void add_degrees(void *context, size_t begin, size_t end)
{
	const degree_sum *a = context;
	for (size_t r = 0; r < a->graph->relation_count; r++) {
		const gemp_relation *relation = &a->graph->relations[r];
		if (!a->key->relations[r])
			continue;
		for (size_t v = begin; v < end; v++) {
			if (takes_out(a->key))
				a->degree[v] += relation->out_offsets[v + 1] - relation->out_offsets[v];
			if (takes_in(a->key))
				a->degree[v] += relation->in_offsets[v + 1] - relation->in_offsets[v];
		}
	}
}

void gemp_view_degrees(const gemp_shard *graph, const gemp_view_key *key, uint64_t *degree)
{
	gemp_for_elements(graph->rows, add_degrees, &(degree_sum){ graph, key, degree });
}

/* bits[1] of each word is the number of own slots from `hot` on in the words before. */
gemp_code gemp_residency_new(gemp_residency *out, const gemp_shard *graph, const gemp_slot_order *order,
                             gemp_vertex hot)
{
	gemp_code code = GEMP_OK;
	size_t words = gemp_bits32_words(graph->vertex_count);
	*out = (gemp_residency){ .vertices = graph->vertex_count, .hot = hot, .own_count = graph->rows };
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(out->words, 2 * words + 2), GEMP_ARRAY(out->own_slots, graph->rows)));
	/* The own slots are marked, and then the marks are listed. This gives ascending slots without a sort. */
	for (size_t v = 0; v < graph->rows; v++) {
		gemp_vertex slot = order->slot_of[graph->first_vertex + v];
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
	gemp_free_all(residency->words, residency->own_slots);
	*residency = (gemp_residency){ 0 };
}

/* Uploads positions as 32-bit numbers. */
static gemp_code upload_begin32(gemp_view *view, gemp_device *device)
{
	GEMP_OWNED uint32_t *narrow = NULL;
	GEMP_TRY(GEMP_NEW(narrow, view->rows + 1));
	for (size_t r = 0; r <= view->rows; r++)
		narrow[r] = (uint32_t)view->begin[r];
	return gemp_buffer_new(&view->device_begin, device, (view->rows + 1) * sizeof *narrow, narrow);
}

/* A CPU device uses the host array itself. */
static gemp_code borrow_or_share(gemp_view *view, gemp_buffer *buffer, size_t size, void *array)
{
	if (!view->shared.bytes)
		return gemp_buffer_borrow(buffer, view->device, size, array);
	return gemp_buffer_share(buffer, view->device, size, array, gemp_shared_own_bytes(&view->shared, size));
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
		GEMP_TRY_DONE(borrow_or_share(view, &view->device_begin, (view->rows + 1) * sizeof *view->begin, view->begin));
	else if (view->begin32)
		GEMP_TRY_DONE(
			borrow_or_share(view, &view->device_begin, (view->rows + 1) * sizeof *view->begin32, view->begin32));
	else
		GEMP_TRY_DONE(upload_begin32(view, device));
	GEMP_TRY_DONE(borrow_or_share(view, &view->device_neighbours, some * sizeof *view->neighbours, view->neighbours));
	if (view->edges)
		GEMP_TRY_DONE(borrow_or_share(view, &view->device_edges, some * sizeof *view->edges, view->edges));
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
	if (view->shared.bytes) {
		gemp_shared_free(&view->shared);
	} else {
		gemp_free_all(view->begin, view->begin32, view->neighbours, view->edges);
	}
	*view = (gemp_view){ 0 };
}

/* The search for a pair of vertices that a view joins twice. */
typedef struct parallel_test {
	const gemp_shard *graph;
	const gemp_view_key *key;
	const gemp_relation *relation; /* the relation of an either-way view over one relation */
} parallel_test;

/* The relation has no parallel edges, and both rows of a vertex ascend. A neighbour that is in both rows is joined in
 * both directions. A loop is in both rows, but it is one edge. */
static bool has_reciprocal(const void *test, size_t v)
{
	const gemp_relation *relation = ((const parallel_test *)test)->relation;
	gemp_vertex self = (gemp_vertex)(((const parallel_test *)test)->graph->first_vertex + v);
	const gemp_vertex *out = relation->out_targets + relation->out_offsets[v],
					  *in = relation->in_sources + relation->in_offsets[v];
	const gemp_vertex *out_end = relation->out_targets + relation->out_offsets[v + 1];
	const gemp_vertex *in_end = relation->in_sources + relation->in_offsets[v + 1];
	bool found = false;
	while (out < out_end && in < in_end) {
		gemp_vertex a = *out, b = *in;
		found |= a == b && a != self;
		out += a <= b;
		in += b <= a;
	}
	return found;
}

/* Returns whether one row, over several relations, has a neighbour twice. last[u]: 1 + the last row that has neighbour
 * u. */
static bool names_twice(const parallel_test *a, size_t v, gemp_vertex *last)
{
	bool out = takes_out(a->key), in = takes_in(a->key), twice = false;
	gemp_vertex self = (gemp_vertex)(a->graph->first_vertex + v), mark = (gemp_vertex)(v + 1);
	for (size_t r = 0; r < a->graph->relation_count; r++) {
		const gemp_relation *relation = &a->graph->relations[r];
		if (!a->key->relations[r])
			continue;
		for (uint64_t i = out ? relation->out_offsets[v] : 0; out && i < relation->out_offsets[v + 1]; i++) {
			twice |= last[relation->out_targets[i]] == mark;
			last[relation->out_targets[i]] = mark;
		}
		for (uint64_t i = in ? relation->in_offsets[v] : 0; in && i < relation->in_offsets[v + 1]; i++) {
			if (out && relation->in_sources[i] == self)
				continue;
			twice |= last[relation->in_sources[i]] == mark;
			last[relation->in_sources[i]] = mark;
		}
	}
	return twice;
}

/* Collective. The marks take one element for each vertex of the graph, so a single thread works. Views of several
 * relations are rare. */
static gemp_code test_marks(const gemp_comm *comm, const parallel_test *a, bool *found)
{
	GEMP_OWNED gemp_vertex *last = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(last, a->graph->vertex_count)));
	for (size_t v = 0; v < a->graph->rows && !*found; v++)
		*found = names_twice(a, v, last);
	return GEMP_OK;
}

/* For a single relation the answer is stored in the relation, as every query over the relation needs the answer. */
gemp_code gemp_view_parallel(const gemp_comm *comm, gemp_shard *graph, const gemp_view_key *key, bool *parallel)
{
	parallel_test a = { .graph = graph, .key = key };
	gemp_relation *one = NULL;
	size_t named = 0, multi = 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		named += key->relations[r];
		multi += key->relations[r] && graph->relations[r].multigraph;
		if (key->relations[r])
			a.relation = one = &graph->relations[r];
	}
	*parallel = !key->simple && multi > 0;
	if (key->simple || multi || (named <= 1 && key->direction != GEMP_VIEW_EITHER))
		return GEMP_OK;
	if (named == 1 && one->reciprocal) {
		*parallel = one->reciprocal > 0;
		return GEMP_OK;
	}
	bool found = named == 1 && gemp_any(graph->rows, has_reciprocal, &a);
	if (named > 1)
		GEMP_TRY(test_marks(comm, &a, &found));
	*parallel = gemp_comm_sum1(comm, found) > 0;
	if (named == 1)
		one->reciprocal = *parallel ? 1 : -1;
	return GEMP_OK;
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

/* Numbers the vertices: this rank's part of them if the ranks of the node share the arrays, and otherwise all. A slot
 * follows all slots of higher classes, and the slots of lower ids in its class. */
static void number_slots(gemp_slot_order *out, const uint8_t *class)
{
	uint64_t mine[GEMP_SLOT_CLASSES] = { 0 }, before[GEMP_SLOT_CLASSES], all[GEMP_SLOT_CLASSES], next = 0;
	size_t first, end;
	gemp_shared_range(&out->shared, (size_t)out->vertices, &first, &end);
	for (size_t v = first; v < end; v++)
		mine[class[v]]++;
	gemp_shared_sums(&out->shared, mine, before, all, GEMP_SLOT_CLASSES);
	for (int c = 0; c < GEMP_SLOT_CLASSES; c++) {
		before[c] += next;
		next += all[c];
	}
	for (size_t v = first; v < end; v++) {
		gemp_vertex slot = (gemp_vertex)before[class[v]]++;
		out->slot_of[v] = slot;
		out->id_of[slot] = (gemp_vertex)v;
	}
	if (out->shared.bytes)
		gemp_shared_fence(&out->shared);
}

/* Classes are complemented before they are gathered, so the ascending order begins with the highest degrees. */
gemp_code gemp_slot_order_new(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph,
                              const uint64_t *degree)
{
	GEMP_OWNED uint8_t *mine = NULL, *class = NULL;
	GEMP_OWNED size_t *begin = NULL;
	*out = (gemp_slot_order){ .vertices = graph->vertex_count };
	gemp_code code = GEMP_NEW(mine, graph->rows);
	for (size_t v = 0; code == GEMP_OK && v < graph->rows; v++)
		mine[v] = (uint8_t)(GEMP_SLOT_CLASSES - 1 - gemp_degree_class(degree[v]));
	code = gemp_comm_allgather(comm, code, mine, graph->rows, (void **)&class, &begin);
	GEMP_THEN(allocate_order(out, comm));
	if (code == GEMP_OK)
		number_slots(out, class);
	else
		gemp_slot_order_free(out);
	return code;
}

/* A buffer on a device cannot be empty, so it has at least one byte. */
gemp_code gemp_slot_order_upload(const gemp_slot_order *order, gemp_device *device, gemp_buffer *id_of)
{
	size_t size = (size_t)order->vertices * sizeof *order->id_of;
	if (!order->shared.bytes)
		return gemp_buffer_new(id_of, device, size ? size : 1, size ? order->id_of : NULL);
	return gemp_buffer_share(id_of, device, size, order->id_of, gemp_shared_own_bytes(&order->shared, size));
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
