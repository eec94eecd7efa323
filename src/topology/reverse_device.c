/* Edges are lists of targets, the keys, and values: the source (4 bytes) or, if numbers of edges are wanted, source
 * << 32 | number of the edge. On several ranks the number of edges from each rank is counted first. The edges of
 * each round are then put behind the earlier edges from the same rank, so the result does not depend on the size of
 * a round. The rows by source of a graph are the rows by target of the reversed graph, for which only new numbers of
 * the edges are made: the rank that an edge has moved to sends its place back, 4 bytes for each edge. Hosts took .53
 * of .9 s for the numbers of R-MAT 24 (two ranks, 2026-11-30). */

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
	gemp_free_all(reversed->begin, reversed->source, reversed->edge, reversed->number);
	*reversed = (gemp_reversed_rows){ 0 };
}

GEMP_RELEASE(gemp_toolbox_free, gemp_toolbox *)

enum { LIST, CLEAR, MARK, EMPTY, ROUTE, PLACE, OWNERS, NUMBER, SPLIT, KERNELS };

enum { NUMBERED_BYTES = 32 }; /* of an edge whose number is wanted */

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
	const gemp_kernel_entry kernels[] = {
		{ "reverse_list", &w->kernels[LIST] },     { "reverse_clear", &w->kernels[CLEAR] },
		{ "reverse_mark", &w->kernels[MARK] },     { "reverse_empty", &w->kernels[EMPTY] },
		{ "reverse_route", &w->kernels[ROUTE] },   { "reverse_place", &w->kernels[PLACE] },
		{ "reverse_owners", &w->kernels[OWNERS] }, { "reverse_number", &w->kernels[NUMBER] },
		{ "reverse_split", &w->kernels[SPLIT] }
	};
	const bool numbered = w->value_size == 8;
	GEMP_TRY(gemp_device_csr_new(&w->csr, w->device, csr));
	return gemp_device_csr_program_list(&w->program, &w->csr, "reverse.cl", numbered ? "-DREVERSE_NUMBERED" : NULL,
	                                    kernels, sizeof kernels / sizeof *kernels - !numbered);
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

static void free_sorted(device_state *w)
{
	gemp_buffers_free(w->device, &w->sorted.keys[0], &w->sorted.keys[1], &w->sorted.values[0], &w->sorted.values[1]);
}

/* Buffers and kernels may be NULL. */
static void close_state(device_state *w)
{
	gemp_timings_free(&w->timings);
	for (int k = 0; k < KERNELS; k++)
		gemp_kernels_free(&w->kernels[k]);
	gemp_program_free(&w->program);
	free_sorted(w);
	gemp_buffer_free(&w->begin, w->device);
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

/* The second buffers of the sort, which are free afterwards, become sources, and the places of the edges by their
 * numbers. */
static gemp_code split_values(device_state *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->edges);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[SPLIT], grid.items, grid.group,
	                         GEMP_ARG(&w->sorted.values[0].mem), GEMP_ARG(&w->edges),
	                         GEMP_ARG(&w->sorted.values[1].mem), GEMP_ARG(&w->sorted.keys[1].mem));
}

/* Waits for the kernels, and adds their seconds. */
static gemp_code add_seconds(device_state *w)
{
	double sorts, ours;
	GEMP_TRY(gemp_toolbox_seconds(w->box, &sorts));
	GEMP_TRY(gemp_timings_seconds(&w->timings, &ours));
	w->out->seconds += ours + sorts;
	return GEMP_OK;
}

/* Reads the rows straight into the caller's arrays, after the kernels have ended. If the values were split, sources lie
 * alone. */
static gemp_code read_rows(device_state *w, bool split)
{
	gemp_reversed_rows *out = w->out;
	const bool apart = split && !out->edge;
	const gemp_transfer_numbers values = { .narrow = out->edge ? (uint32_t *)out->edge : out->source };
	GEMP_TRY(add_seconds(w));
	const double since = gemp_now();
	GEMP_TRY(gemp_transfer_download(w->device, &w->begin, 0, (gemp_transfer_numbers){ .wide = out->begin },
	                                (size_t)w->rows + 1));
	GEMP_TRY(gemp_transfer_download(w->device, &w->sorted.values[apart], 0, values,
	                                w->edges * (apart ? 1 : (size_t)w->value_size / 4)));
	if (out->edge)
		gemp_for_elements(w->edges, unpack_range, out);
	out->transfers = w->csr.seconds + (gemp_now() - since);
	return gemp_program_store(w->device, &w->program);
}

/* Local. Reads the places of all edges of a single rank, which are their numbers. */
static gemp_code read_numbers(device_state *w)
{
	const double since = gemp_now();
	GEMP_TRY(GEMP_NEW(w->out->number, w->edges));
	GEMP_TRY(gemp_transfer_download(w->device, &w->sorted.keys[1], 0, (gemp_transfer_numbers){ .wide = w->out->number },
	                                w->edges));
	w->out->transfers += gemp_now() - since;
	return GEMP_OK;
}

gemp_code gemp_reverse_on_device(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, bool numbers)
{
	const bool numbered = numbers && gemp_csr_edges(csr) <= device->memory / NUMBERED_BYTES;
	GEMP_OWNED_BY(gemp_toolbox_free_at) gemp_toolbox *box = NULL;
	GEMP_OWNED_BY(close_state)
	device_state w = { .device = device,
		               .out = out,
		               .rows = (cl_uint)csr->rows,
		               .edges = (cl_uint)gemp_csr_edges(csr),
		               .value_size = out->edge || numbered ? 8 : 4 };
	out->on_device = true;
	GEMP_TRY(gemp_toolbox_new(&box, device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_tool_check(box, (size_t)gemp_csr_edges(csr)));
	w.box = box;
	GEMP_TRY(open_rows(&w, csr));
	GEMP_TRY(take_keys(&w, csr));
	GEMP_TRY(open_sorted(&w));
	GEMP_TRY(list_edges(&w));
	GEMP_TRY(make_rows(&w));
	if (numbered)
		GEMP_TRY(split_values(&w));
	GEMP_TRY(read_rows(&w, numbered));
	return numbered ? read_numbers(&w) : GEMP_OK;
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
static gemp_code begin_places(routed_reversal *t, bool edges)
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
	GEMP_TRY(gemp_reversed_rows_new(w->out, t->csr->rows, (size_t)sum, edges));
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

/* NUMBERS */

/* Local. Sorts the own edges by the owners of their targets, in the order in which they were sent. */
static gemp_code sort_own(routed_reversal *t, gemp_sort_buffers *own)
{
	device_state *w = t->w;
	const gemp_sort by_owner = { .key = GEMP_KEY_U32, .value_size = sizeof(cl_uint) };
	const cl_uint edges = (cl_uint)w->csr.edges, ranks = (cl_uint)t->router->comm->size;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, edges);
	for (int b = 0; b < 2; b++) {
		GEMP_TRY(make_buffer(&own->keys[b], w->device, edges, sizeof(cl_uint)));
		GEMP_TRY(make_buffer(&own->values[b], w->device, edges, sizeof(cl_uint)));
	}
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[OWNERS], grid.items, grid.group,
	                           GEMP_ARG(&w->csr.target.mem), GEMP_ARG(&edges), GEMP_ARG(&t->router->bounds.mem),
	                           GEMP_ARG(&ranks), GEMP_ARG(&own->keys[0].mem), GEMP_ARG(&own->values[0].mem)));
	return gemp_sort_device(w->box, &by_owner, own, edges, 32 - (unsigned)__builtin_clz(ranks - 1));
}

/* Local. Reads the numbers of own edges. answers: their places at their new owners; first[ranks]: the first number of
 * each rank. */
static gemp_code take_numbers(routed_reversal *t, const gemp_buffer *answers, const uint64_t *first)
{
	device_state *w = t->w;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer firsts = { 0 }, numbers = { 0 };
	gemp_sort_buffers own = { 0 };
	gemp_code code = GEMP_OK;
	const cl_uint edges = (cl_uint)w->csr.edges;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, edges);
	GEMP_TRY(GEMP_NEW(w->out->number, edges));
	if (!edges)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(&firsts, w->device, (size_t)t->router->comm->size * sizeof *first, first));
	GEMP_THEN(sort_own(t, &own));
	GEMP_THEN(gemp_buffer_new(&numbers, w->device, edges * sizeof(cl_ulong), NULL));
	GEMP_THEN(gemp_launch_timed(&w->timings, w->device, w->kernels[NUMBER], grid.items, grid.group,
	                            GEMP_ARG(&own.values[0].mem), GEMP_ARG(&own.keys[0].mem), GEMP_ARG(&answers->mem),
	                            GEMP_ARG(&edges), GEMP_ARG(&firsts.mem), GEMP_ARG(&numbers.mem)));
	GEMP_ALSO(GEMP_CL(clFinish(w->device->queue)));
	gemp_buffers_free(w->device, &own.keys[0], &own.keys[1], &own.values[0], &own.values[1]);
	const double since = gemp_now();
	GEMP_THEN(gemp_transfer_download(
		w->device, &numbers, 0, (gemp_transfer_numbers){ .narrow = (uint32_t *)w->out->number }, 2 * (size_t)edges));
	w->out->transfers += gemp_now() - since;
	return code;
}

/* Collective. Sends the places of arrived edges, which are in keys[1], back to the ranks that they come from. The
 * code may differ between ranks. */
static gemp_code number_edges(routed_reversal *t, gemp_code code)
{
	const gemp_comm *comm = t->router->comm;
	const size_t ranks = (size_t)comm->size;
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer answers = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, code == GEMP_OK ? GEMP_NEW(counts, 3 * ranks) : code));
	uint64_t *arrived = counts, *received = counts + ranks, *first = counts + 2 * ranks;
	for (size_t r = 0; r < ranks; r++) /* each place has moved to the end of the rank's edges */
		arrived[r] = t->place[r] - (r ? t->place[r - 1] : 0);
	first[comm->rank] = gemp_comm_exscan(comm, t->w->edges);
	GEMP_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, first, 1, MPI_UINT64_T, comm->world));
	GEMP_TRY(gemp_device_exchange_run(t->router->exchange, GEMP_OK, &t->w->sorted.keys[1], arrived, sizeof(cl_uint),
	                                  &answers, received));
	free_sorted(t->w);
	return take_numbers(t, &answers, first);
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

gemp_code gemp_reverse_on_devices(gemp_reversed_rows *out, gemp_owner_router *router, const gemp_csr *csr, bool edges)
{
	const gemp_comm *comm = router->comm;
	const gemp_device_exchange_cost before = gemp_device_exchange_costs(router->exchange);
	GEMP_OWNED uint64_t *place = NULL;
	GEMP_OWNED_BY(close_state)
	device_state w = {
		.device = router->device, .out = out, .box = router->box, .rows = (cl_uint)csr->rows, .value_size = 8
	};
	*out = (gemp_reversed_rows){ 0 };
	gemp_code code = GEMP_NEW(place, (size_t)comm->size + 1);
	GEMP_THEN(open_rows(&w, csr));
	GEMP_TRY(gemp_comm_agree(comm, code));
	routed_reversal t = { &w, router, csr, place };
	GEMP_TRY(gemp_comm_agree(comm, begin_places(&t, edges)));
	GEMP_TRY(gemp_comm_agree(comm, route_edges(&t, GEMP_OK)));
	code = make_rows(&w);
	GEMP_THEN(split_values(&w));
	GEMP_THEN(read_rows(&w, true));
	code = number_edges(&t, code);
	GEMP_THEN(add_seconds(&w));
	const gemp_device_exchange_cost after = gemp_device_exchange_costs(router->exchange);
	set_exchange(out, &before, &after);
	return gemp_comm_agree(comm, code);
}
