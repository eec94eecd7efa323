/* Counters have 32 bits. Edges are counted in batches of less than 2^32 edges, after which the counters are added to 64
 * bits and cleared. A table covers gemp_limits.degrees_table vertices; a graph with more vertices is counted in several
 * passes over the edges, so the memory is bounded. */

#include "topology/target_counts.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "topology/owner_router.h"

GEMP_RELEASE(gemp_toolbox_free, gemp_toolbox *)

enum { BATCH = 256 /* pieces; at most 2^31 edges with the default of degrees_round */, GROUP = 256 };

/* A count on one device. */
typedef struct device_state {
	gemp_target_counts *out;
	const gemp_comm *comm;
	gemp_device *device;
	gemp_toolbox *box; /* owned by the callers */
	const uint64_t *bounds;
	const gemp_csr *csr;
	size_t types;
	uint64_t edges; /* of all types of this rank */
	gemp_buffer piece, counters, sums, received;
} device_state;

static void close_state(device_state *w)
{
	gemp_buffers_free(w->device, &w->piece, &w->counters, &w->sums, &w->received);
}

static gemp_code kernel_of(device_state *w, cl_kernel *out, const char *name)
{
	return gemp_tool_kernel(w->box, out, "degrees.cl", name, gemp_tool_group(w->box, GROUP), "%s", "");
}

/* Replaces a buffer that is too small. OpenCL has no empty buffers. */
static gemp_code grow(device_state *w, gemp_buffer *buffer, size_t size)
{
	size = size ? size : 1;
	if (buffer->mem && buffer->size >= size)
		return GEMP_OK;
	gemp_buffer_free(buffer, w->device);
	*buffer = (gemp_buffer){ 0 };
	return gemp_buffer_new(buffer, w->device, size, NULL);
}

/* Clears the counters of `rows` vertices. */
static gemp_code clear(device_state *w, size_t rows)
{
	GEMP_TRY(grow(w, &w->counters, rows * sizeof(cl_uint)));
	return rows ? gemp_buffer_zero(w->device, &w->counters, 0, rows * sizeof(cl_uint)) : GEMP_OK;
}

/* Counts vertices on the device that belong to the counters' vertices, `rows` from `first` on. Does not wait. */
static gemp_code count_targets(device_state *w, const gemp_buffer *target, size_t count, uint64_t first, size_t rows)
{
	const cl_uint length = (cl_uint)count, from = (cl_uint)first, counters = (cl_uint)rows;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, count);
	cl_kernel kernel;
	GEMP_TRY(kernel_of(w, &kernel, "degrees_count"));
	return gemp_launch_timed(&w->box->timings, w->device, kernel, grid.items, grid.group, GEMP_ARG(&target->mem),
	                         GEMP_ARG(&length), GEMP_ARG(&from), GEMP_ARG(&counters), GEMP_ARG(&w->counters.mem));
}

/* Reads the sums of `parts` arrays of counters, and adds them to the counts of own vertices from row `row` on. */
static gemp_code add_sums(device_state *w, const gemp_buffer *counters, size_t row, size_t rows, int parts)
{
	GEMP_OWNED uint64_t *sums = NULL;
	const cl_uint length = (cl_uint)rows, count = (cl_uint)parts;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, rows);
	cl_kernel kernel;
	if (!rows)
		return GEMP_OK;
	GEMP_TRY(kernel_of(w, &kernel, "degrees_add"));
	GEMP_TRY(GEMP_NEW(sums, rows));
	GEMP_TRY(grow(w, &w->sums, rows * sizeof *sums));
	GEMP_TRY(gemp_launch_timed(&w->box->timings, w->device, kernel, grid.items, grid.group, GEMP_ARG(&counters->mem),
	                           GEMP_ARG(&length), GEMP_ARG(&count), GEMP_ARG(&w->sums.mem)));
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	const double since = gemp_now();
	GEMP_TRY(gemp_transfer_download(w->device, &w->sums, 0, (gemp_transfer_numbers){ .narrow = (uint32_t *)sums },
	                                2 * rows));
	w->out->transfers += gemp_now() - since;
	for (size_t i = 0; i < rows; i++)
		w->out->in[row + i] += sums[i];
	return GEMP_OK;
}

/* Edges of one type, at most a piece, in a buffer. A CPU device reads them in place. */
static gemp_code load_piece(device_state *w, uint64_t edge, uint64_t end, size_t *count)
{
	const size_t type = gemp_csr_find(w->csr, w->types, &edge);
	const uint64_t left = gemp_csr_edges(&w->csr[type]) - edge;
	*count = (size_t)gemp_min(gemp_min(left, end), (uint64_t)gemp_limits_now()->degrees_round);
	const gemp_vertex *target = w->csr[type].target + edge;
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	const double since = gemp_now();
	if (!w->device->gpu)
		gemp_buffer_free(&w->piece, w->device);
	if (!w->device->gpu)
		GEMP_TRY(gemp_device_targets_new(&w->piece, w->device, target, *count));
	else {
		GEMP_TRY(grow(w, &w->piece, *count * sizeof *target));
		GEMP_TRY(gemp_transfer_upload(w->device, &w->piece,
		                              (gemp_transfer_numbers){ .narrow = (gemp_vertex *)(uintptr_t)target }, *count));
	}
	w->out->transfers += gemp_now() - since;
	return GEMP_OK;
}

/* A TABLE OF ALL VERTICES */

/* Counts the edges of a batch whose targets are among the `rows` vertices from `first` on. */
static gemp_code count_batch(device_state *w, gemp_block_range batch, uint64_t first, size_t rows)
{
	GEMP_TRY(clear(w, rows));
	for (uint64_t edge = batch.begin; edge < batch.end;) {
		size_t count;
		GEMP_TRY(load_piece(w, edge, batch.end - edge, &count));
		GEMP_TRY(count_targets(w, &w->piece, count, first, rows));
		edge += count;
	}
	return GEMP_OK;
}

/* The number of vertices from `low` to `high` - 1 that a rank owns. */
static uint64_t overlap(const device_state *w, int rank, uint64_t low, uint64_t high)
{
	const uint64_t from = gemp_max(low, w->bounds[rank]), to = gemp_min(high, w->bounds[rank + 1]);
	return from < to ? to - from : 0;
}

/* Collective. Sends the counters of the vertices from `low` to `high` - 1 to their owners, which add them up. */
static gemp_code add_table(device_state *w, gemp_device_exchange *exchange, gemp_code code, uint64_t low, uint64_t high,
                           uint64_t *counts)
{
	const int ranks = w->comm->size;
	const size_t own = (size_t)overlap(w, w->comm->rank, low, high);
	const size_t row = own ? (size_t)(gemp_max(low, w->bounds[w->comm->rank]) - w->bounds[w->comm->rank]) : 0;
	if (ranks == 1)
		return code == GEMP_OK ? add_sums(w, &w->counters, row, own, 1) : code;
	for (int r = 0; r < ranks; r++)
		counts[r] = overlap(w, r, low, high);
	GEMP_TRY(
		gemp_device_exchange_run(exchange, code, &w->counters, counts, sizeof(cl_uint), &w->received, counts + ranks));
	return add_sums(w, &w->received, row, own, ranks);
}

/* Collective. The codes of counting travel with the next exchange. */
static gemp_code count_tables(device_state *w, gemp_device_exchange *exchange, uint64_t *counts)
{
	const uint64_t vertices = w->bounds[w->comm->size], table = gemp_limits_now()->degrees_table;
	const uint64_t step = BATCH * (uint64_t)gemp_limits_now()->degrees_round;
	const uint64_t batches = gemp_exchange_rounds(w->comm, w->edges, step);
	gemp_code code = GEMP_OK;
	for (uint64_t batch = 0; batch < batches; batch++)
		for (uint64_t low = 0; low < vertices; low += table) {
			const uint64_t high = gemp_min(low + table, vertices);
			GEMP_THEN(count_batch(w, gemp_exchange_round(batch, w->edges, step), low, (size_t)(high - low)));
			code = add_table(w, exchange, code, low, high, counts);
			if (w->comm->size == 1)
				GEMP_TRY(code);
		}
	return code;
}

/* Collective. */
static gemp_code count_by_table(device_state *w)
{
	GEMP_OWNED_BY(gemp_toolbox_free_at) gemp_toolbox *box = NULL;
	GEMP_OWNED uint64_t *counts = NULL;
	gemp_device_exchange *exchange = NULL;
	gemp_code code = gemp_toolbox_new(&box, w->device, GEMP_FORM_AUTO);
	w->box = box;
	GEMP_THEN(GEMP_NEW(counts, 2 * (size_t)w->comm->size));
	GEMP_TRY(gemp_comm_agree(w->comm, code));
	if (w->comm->size > 1)
		GEMP_TRY(gemp_device_exchange_new(&exchange, w->comm, w->device));
	code = count_tables(w, exchange, counts);
	GEMP_THEN(gemp_toolbox_seconds(box, &w->out->seconds));
	code = gemp_comm_agree(w->comm, code);
	if (exchange) {
		const gemp_device_exchange_cost cost = gemp_device_exchange_costs(exchange);
		w->out->traffic = cost.traffic;
		w->out->exchange = cost.seconds;
	}
	gemp_device_exchange_free(exchange);
	return code;
}

/* ROUTED TARGETS */

/* Lists the targets of a round with their owners. */
static gemp_code list_round(device_state *w, gemp_owner_router *router, gemp_block_range edges)
{
	for (uint64_t edge = edges.begin; edge < edges.end;) {
		size_t count;
		GEMP_TRY(load_piece(w, edge, edges.end - edge, &count));
		GEMP_TRY(gemp_owner_router_list(router, &w->piece, count, (size_t)(edge - edges.begin)));
		edge += count;
	}
	return GEMP_OK;
}

/* Counts received targets. Counters that could overflow are added to the counts before. */
static gemp_code count_received(device_state *w, gemp_owner_router *router, size_t rows, uint64_t *counted)
{
	uint64_t received = 0;
	for (int r = 0; r < w->comm->size; r++)
		received += router->from[r];
	if (received > gemp_device_max())
		return gemp_fail(GEMP_ENOMEM, "a round has %zu edges that lead to rank %d", (size_t)received, w->comm->rank);
	if (*counted + received > gemp_device_max()) {
		GEMP_TRY(add_sums(w, &w->counters, 0, rows, 1));
		GEMP_TRY(clear(w, rows));
		*counted = 0;
	}
	*counted += received;
	return count_targets(w, &router->received, (size_t)received, w->bounds[w->comm->rank], rows);
}

/* Collective. The codes of listing and counting travel with the next exchange. */
static gemp_code route_targets(device_state *w, gemp_owner_router *router)
{
	const uint64_t step = gemp_limits_now()->degrees_round;
	const uint64_t rounds = gemp_exchange_rounds(w->comm, w->edges, step);
	const size_t rows = (size_t)(w->bounds[w->comm->rank + 1] - w->bounds[w->comm->rank]);
	uint64_t counted = 0;
	gemp_code code = clear(w, rows);
	for (uint64_t round = 0; round < rounds; round++) {
		const gemp_block_range edges = gemp_exchange_round(round, w->edges, step);
		GEMP_THEN(list_round(w, router, edges));
		GEMP_TRY(gemp_owner_router_send(router, code, (size_t)(edges.end - edges.begin)));
		code = count_received(w, router, rows, &counted);
	}
	GEMP_THEN(add_sums(w, &w->counters, 0, rows, 1));
	return code;
}

/* Collective. */
static gemp_code count_by_routing(device_state *w)
{
	gemp_owner_router *router;
	const size_t capacity = gemp_min((size_t)w->edges, gemp_limits_now()->degrees_round);
	GEMP_TRY(
		gemp_owner_router_new(&router, w->comm, w->device, w->bounds, gemp_max(capacity, (size_t)1), sizeof(cl_uint)));
	w->box = router->box;
	gemp_code code = route_targets(w, router);
	GEMP_THEN(gemp_toolbox_seconds(router->box, &w->out->seconds));
	code = gemp_comm_agree(w->comm, code);
	const gemp_device_exchange_cost cost = gemp_device_exchange_costs(router->exchange);
	w->out->traffic = cost.traffic;
	w->out->exchange = cost.seconds;
	gemp_owner_router_free(router);
	return code;
}

gemp_code gemp_target_counts_add(gemp_target_counts *out, const gemp_comm *comm, gemp_device *device,
                                 const uint64_t *bounds, const gemp_csr *csr, size_t count)
{
	GEMP_OWNED_BY(close_state)
	device_state w = { .out = out,
		               .comm = comm,
		               .device = device,
		               .bounds = bounds,
		               .csr = csr,
		               .types = count,
		               .edges = gemp_csr_all_edges(csr, count) };
	uint64_t most = w.edges;
	gemp_comm_max(comm, &most, 1);
	return comm->size == 1 || bounds[comm->size] <= most ? count_by_table(&w) : count_by_routing(&w);
}
