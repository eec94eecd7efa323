/* Edges are lists of targets, the keys, and values: the source (4 bytes) or, if out->edge is wanted, source << 32 |
 * number of the edge. On several ranks the number of edges from each rank is counted first. The edges of each round are
 * then put behind the earlier edges from the same rank, so the result does not depend on the size of a round. */

#include "topology/reverse_device.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/transfer.h"

gemp_code gemp_reversed_rows_new(gemp_reversed_rows *out, size_t rows, size_t edges, bool numbers)
{
	*out = (gemp_reversed_rows){ .rows = rows };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->begin, rows + 1), GEMP_ARRAY(out->source, edges)));
	if (numbers)
		GEMP_TRY(GEMP_NEW(out->edge, edges));
	return GEMP_OK;
}

void gemp_reversed_rows_free(gemp_reversed_rows *reversed)
{
	gemp_free_all(reversed->begin, reversed->source, reversed->edge);
	*reversed = (gemp_reversed_rows){ 0 };
}

GEMP_RELEASE(gemp_toolbox_free, gemp_toolbox *)

enum { LIST, CLEAR, MARK, EMPTY, ROUTE, PLACE, KERNELS };

/* The buffers, kernels and launches of one reversal on a device. */
typedef struct device_state {
	gemp_device *device;
	gemp_reversed_rows *out;
	cl_uint rows, edges; /* edges: number of edges that are sorted here */
	unsigned value_size;
	gemp_device_csr csr;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	gemp_toolbox *box; /* used for sorting; owned or the router's */
	gemp_sort_buffers sorted;
	gemp_buffer begin;
	gemp_timings timings;
} device_state;

static gemp_code open_rows(device_state *w, const gemp_csr *csr)
{
	GEMP_TRY(gemp_device_csr_new(&w->csr, w->device, csr));
	return gemp_device_csr_program(&w->program, &w->csr, "reverse.cl", w->value_size == 8 ? "-DREVERSE_NUMBERED" : NULL,
	                               { "reverse_list", &w->kernels[LIST] }, { "reverse_clear", &w->kernels[CLEAR] },
	                               { "reverse_mark", &w->kernels[MARK] }, { "reverse_empty", &w->kernels[EMPTY] },
	                               { "reverse_route", &w->kernels[ROUTE] }, { "reverse_place", &w->kernels[PLACE] });
}

/* Makes a buffer unless there is one. OpenCL has no empty buffers. */
static gemp_code make_buffer(gemp_buffer *out, gemp_device *device, size_t count, size_t size)
{
	return out->mem ? GEMP_OK : gemp_buffer_new(out, device, (count ? count : 1) * size, NULL);
}

/* There are two buffers each for keys and values, since the sort moves between them. */
static gemp_code open_sorted(device_state *w)
{
	for (int b = 0; b < 2; b++) {
		GEMP_TRY(make_buffer(&w->sorted.keys[b], w->device, w->edges, sizeof(cl_uint)));
		GEMP_TRY(make_buffer(&w->sorted.values[b], w->device, w->edges, w->value_size));
	}
	return make_buffer(&w->begin, w->device, (size_t)w->rows + 1, sizeof(cl_uint));
}

/* Buffers and kernels may be NULL. */
static void close_state(device_state *w)
{
	gemp_timings_free(&w->timings);
	for (int k = 0; k < KERNELS; k++)
		gemp_kernels_free(&w->kernels[k]);
	gemp_program_free(&w->program);
	gemp_buffers_free(w->device, &w->sorted.keys[0], &w->sorted.keys[1], &w->sorted.values[0], &w->sorted.values[1],
	                  &w->begin);
	gemp_device_csr_free(&w->csr);
}

/* A GPU sorts the targets in place. A CPU device would sort the host's array, so it gets a copy. */
static gemp_code take_keys(device_state *w, const gemp_csr *csr)
{
	if (!w->device->gpu)
		return gemp_buffer_new(&w->sorted.keys[0], w->device, w->edges * sizeof *csr->target, csr->target);
	w->sorted.keys[0] = w->csr.target;
	w->csr.target = (gemp_buffer){ 0 };
	return GEMP_OK;
}

/* Lists the sources of all edges on the device, beside their targets. */
static gemp_code list_edges(device_state *w)
{
	const gemp_device_grid grid = gemp_device_csr_grid(&w->csr);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[LIST], grid.items, grid.group,
	                         GEMP_ARG(&w->csr.begin.mem), GEMP_ARG(&w->csr.rows), GEMP_ARG(&w->csr.edges),
	                         GEMP_ARG(&w->csr.first), GEMP_ARG(&w->sorted.values[0].mem), GEMP_LOCAL(grid.local));
}

/* Sorts the edges by target, and finds offsets from sorted targets. A row begins where its target first occurs. A row
 * without edges begins where the next row begins. */
static gemp_code make_rows(device_state *w)
{
	const gemp_sort by_target = { .key = GEMP_KEY_U32, .value_size = w->value_size };
	const uint64_t differ = w->csr.first ^ ((uint64_t)w->csr.first + w->rows - 1);
	GEMP_TRY(gemp_sort_device(w->box, &by_target, &w->sorted, w->edges,
	                          differ ? 64 - (unsigned)__builtin_clzll(differ) : 1));
	const cl_mem *keys = &w->sorted.keys[0].mem;
	gemp_device_grid grid = gemp_device_grid_over(w->device, (size_t)w->rows + 1);
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[CLEAR], grid.items, grid.group,
	                           GEMP_ARG(&w->begin.mem), GEMP_ARG(&w->rows), GEMP_ARG(&w->edges)));
	grid = gemp_device_grid_over(w->device, w->edges);
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[MARK], grid.items, grid.group, GEMP_ARG(keys),
	                           GEMP_ARG(&w->edges), GEMP_ARG(&w->csr.first), GEMP_ARG(&w->begin.mem)));
	grid = gemp_device_grid_over(w->device, w->rows);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[EMPTY], grid.items, grid.group, GEMP_ARG(keys),
	                         GEMP_ARG(&w->edges), GEMP_ARG(&w->csr.first), GEMP_ARG(&w->rows), GEMP_ARG(&w->begin.mem));
}

/* Separates source << 32 | number of the edge into source[] and edge[]. */
static void unpack_range(void *context, size_t begin, size_t end)
{
	const gemp_reversed_rows *out = context;
	for (size_t e = begin; e < end; e++) {
		out->source[e] = (gemp_vertex)(out->edge[e] >> 32);
		out->edge[e] = (uint32_t)out->edge[e];
	}
}

/* Reads the rows straight into the caller's arrays, after the kernels have ended. */
static gemp_code read_rows(device_state *w)
{
	gemp_reversed_rows *out = w->out;
	const gemp_transfer_numbers values = { .narrow = out->edge ? (uint32_t *)out->edge : out->source };
	double sorts, ours;
	GEMP_TRY(gemp_toolbox_seconds(w->box, &sorts));
	GEMP_TRY(gemp_timings_seconds(&w->timings, &ours));
	out->seconds = ours + sorts;
	const double since = gemp_now();
	GEMP_TRY(gemp_transfer_download(w->device, &w->begin, 0, (gemp_transfer_numbers){ .wide = out->begin },
	                                (size_t)w->rows + 1));
	GEMP_TRY(gemp_transfer_download(w->device, &w->sorted.values[0], 0, values, w->edges * (size_t)w->value_size / 4));
	if (out->edge)
		gemp_for_elements(w->edges, unpack_range, out);
	out->transfers = w->csr.seconds + (gemp_now() - since);
	return gemp_program_store(w->device, &w->program);
}

gemp_code gemp_reverse_on_device(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device)
{
	GEMP_OWNED_BY(gemp_toolbox_free_at) gemp_toolbox *box = NULL;
	GEMP_OWNED_BY(close_state)
	device_state w = { .device = device,
		               .out = out,
		               .rows = (cl_uint)csr->rows,
		               .edges = (cl_uint)gemp_csr_edges(csr),
		               .value_size = out->edge ? 8 : 4 };
	out->on_device = true;
	GEMP_TRY(gemp_toolbox_new(&box, device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_tool_check(box, (size_t)gemp_csr_edges(csr)));
	w.box = box;
	GEMP_TRY(open_rows(&w, csr));
	GEMP_TRY(take_keys(&w, csr));
	GEMP_TRY(open_sorted(&w));
	GEMP_TRY(list_edges(&w));
	GEMP_TRY(make_rows(&w));
	return read_rows(&w);
}

/* SEVERAL RANKS */

typedef struct routed_reversal {
	device_state *w;
	gemp_owner_router *router;
	const gemp_csr *csr;
	uint64_t *place; /* [ranks + 1] place of the next edge from each rank */
} routed_reversal;

/* The number of edges before item `item` of the list of all rows and edges (kernels/topology/topology.clh). */
static uint64_t edges_before(const gemp_csr *csr, uint64_t item)
{
	size_t low = 0, high = csr->rows;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (csr->begin[middle] + middle < item)
			low = middle + 1;
		else
			high = middle;
	}
	return item - low;
}

/* Collective. Makes room for the edges that lead to this rank. place[r] becomes the place of the first edge from rank
 * r. */
static gemp_code begin_places(routed_reversal *t, bool numbers)
{
	const gemp_comm *comm = t->router->comm;
	device_state *w = t->w;
	uint64_t sum = 0;
	gemp_code code = gemp_owner_router_count(t->router, &w->csr.target, w->csr.edges, t->place);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_UINT64_T, t->place, 1, MPI_UINT64_T, comm->world));
	for (int r = 0; r <= comm->size; r++) {
		const uint64_t count = t->place[r];
		t->place[r] = sum;
		sum += count;
	}
	if (sum > gemp_device_max())
		return gemp_fail(GEMP_ENOMEM,
		                 "%zu edges lead to the vertices of rank %d, and %s reverses at most %zu; use more ranks",
		                 (size_t)sum, comm->rank, w->device->name, gemp_device_max());
	w->edges = (cl_uint)sum;
	GEMP_TRY(gemp_reversed_rows_new(w->out, t->csr->rows, (size_t)sum, numbers));
	w->out->on_device = true;
	return open_sorted(w);
}

/* Lists the edges of a round on the device, with their owners. */
static gemp_code list_round(routed_reversal *t, gemp_block_range items, size_t *count)
{
	device_state *w = t->w;
	gemp_owner_router *router = t->router;
	const cl_ulong first = edges_before(t->csr, items.begin), begin = items.begin, end = items.end;
	const cl_uint ranks = (cl_uint)router->comm->size;
	const gemp_device_grid grid = gemp_device_items_grid(w->device, items.end - items.begin);
	*count = (size_t)(edges_before(t->csr, items.end) - first);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[ROUTE], grid.items, grid.group,
	                         GEMP_ARG(&w->csr.begin.mem), GEMP_ARG(&w->csr.target.mem), GEMP_ARG(&w->csr.rows),
	                         GEMP_ARG(&w->csr.first), GEMP_ARG(&begin), GEMP_ARG(&end), GEMP_ARG(&first),
	                         GEMP_ARG(&router->bounds.mem), GEMP_ARG(&ranks), GEMP_ARG(&router->lists.keys[0].mem),
	                         GEMP_ARG(&router->lists.values[0].mem), GEMP_LOCAL(grid.local));
}

/* Puts the received edges behind the earlier edges from the same rank. */
static gemp_code place_round(routed_reversal *t)
{
	device_state *w = t->w;
	cl_uint at = 0;
	for (int r = 0; r < t->router->comm->size; r++) {
		const cl_uint count = (cl_uint)t->router->from[r], to = (cl_uint)t->place[r];
		const gemp_device_grid grid = gemp_device_grid_over(w->device, count);
		GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[PLACE], grid.items, grid.group,
		                           GEMP_ARG(&t->router->received.mem), GEMP_ARG(&at), GEMP_ARG(&count), GEMP_ARG(&to),
		                           GEMP_ARG(&w->sorted.keys[0].mem), GEMP_ARG(&w->sorted.values[0].mem)));
		t->place[r] += count;
		at += count;
	}
	return GEMP_OK;
}

/* Collective. The codes of listing and placing travel with the next exchange. */
static gemp_code route_edges(routed_reversal *t, gemp_code code)
{
	const uint64_t items = gemp_csr_edges(t->csr) + t->csr->rows, step = gemp_limits_now()->reverse_device_round;
	const uint64_t rounds = gemp_exchange_rounds(t->router->comm, items, step);
	for (uint64_t round = 0; round < rounds; round++) {
		size_t count = 0;
		GEMP_THEN(list_round(t, gemp_exchange_round(round, items, step), &count));
		GEMP_TRY(gemp_owner_router_send(t->router, code, count));
		code = place_round(t);
	}
	return code;
}

/* The fields of the exchange become those of this reversal alone. */
static void set_exchange(gemp_reversed_rows *out, const gemp_device_exchange_cost *before,
                         const gemp_device_exchange_cost *after)
{
	out->exchange = after->seconds - before->seconds;
	out->traffic = (gemp_traffic){ after->traffic.bytes - before->traffic.bytes,
		                           after->traffic.messages - before->traffic.messages,
		                           after->traffic.rounds - before->traffic.rounds };
}

gemp_code gemp_reverse_on_devices(gemp_reversed_rows *out, gemp_owner_router *router, const gemp_csr *csr, bool numbers)
{
	const gemp_comm *comm = router->comm;
	const gemp_device_exchange_cost before = gemp_device_exchange_costs(router->exchange);
	GEMP_OWNED uint64_t *place = NULL;
	GEMP_OWNED_BY(close_state)
	device_state w = { .device = router->device,
		               .out = out,
		               .box = router->box,
		               .rows = (cl_uint)csr->rows,
		               .value_size = numbers ? 8 : 4 };
	*out = (gemp_reversed_rows){ 0 };
	gemp_code code = GEMP_NEW(place, (size_t)comm->size + 1);
	GEMP_THEN(open_rows(&w, csr));
	GEMP_TRY(gemp_comm_agree(comm, code));
	routed_reversal t = { &w, router, csr, place };
	GEMP_TRY(gemp_comm_agree(comm, begin_places(&t, numbers)));
	GEMP_TRY(gemp_comm_agree(comm, route_edges(&t, GEMP_OK)));
	code = make_rows(&w);
	GEMP_THEN(read_rows(&w));
	const gemp_device_exchange_cost after = gemp_device_exchange_costs(router->exchange);
	set_exchange(out, &before, &after);
	return gemp_comm_agree(comm, code);
}
