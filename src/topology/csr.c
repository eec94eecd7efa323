/* Rows on the host and on a device, and rows as pairs. A CPU device reads the host's arrays in place, except offsets,
 * which may have to be narrowed to 32 bits. Kernels over rows divide the list of all rows and edges into equal shares,
 * so a long row does not delay a worker. */

#include "topology/csr.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/launch.h"

#include <stdio.h>

/* Borrows the arrays of the graph, which must keep its rows by source loaded. */
gemp_csr gemp_csr_out(const gemp_shard *graph, size_t relation)
{
	const gemp_relation *r = &graph->relations[relation];
	return (gemp_csr){ .vertices = graph->vertex_count,
		               .first = (gemp_vertex)graph->first_vertex,
		               .rows = graph->rows,
		               .begin = r->out_offsets,
		               .target = r->out_targets };
}

gemp_csr gemp_csr_either(const gemp_shard *graph, size_t relation)
{
	const gemp_relation *r = &graph->relations[relation];
	return (gemp_csr){ .vertices = graph->vertex_count,
		               .first = (gemp_vertex)graph->first_vertex,
		               .rows = graph->rows,
		               .begin = r->either_offsets,
		               .target = r->either_neighbours,
		               .symmetric = true };
}

/* Rows without edges are never found, since they contain no edge. */
size_t gemp_csr_row(const gemp_csr *csr, uint64_t edge)
{
	return gemp_range_find(csr->begin, csr->rows, edge);
}

/* The types are numbered one behind the other, so this is the sum of their edges. */
uint64_t gemp_csr_all_edges(const gemp_csr *csr, size_t count)
{
	uint64_t edges = 0;
	for (size_t c = 0; c < count; c++)
		edges += gemp_csr_edges(&csr[c]);
	return edges;
}

/* There are few types, so a loop is as fast as a search. */
size_t gemp_csr_find(const gemp_csr *csr, size_t count, uint64_t *edge)
{
	size_t c = 0;
	while (c + 1 < count && *edge >= gemp_csr_edges(&csr[c]))
		*edge -= gemp_csr_edges(&csr[c++]);
	return c;
}

enum { LANES = 32, WANTED = 256, ITEMS_OF_UNIT = 2048 };

/* On a CPU a worker is one work-item. */
static unsigned lanes_of(const gemp_device *device)
{
	const unsigned lanes = gemp_limits_now()->csr_lanes;
	return lanes ? lanes : device->gpu ? LANES : 1;
}

/* A CPU device borrows the array. The array of a GPU is empty at first. */
static gemp_code begin_targets(gemp_buffer *out, gemp_device *device, const gemp_vertex *target, size_t count)
{
	size_t size = count * sizeof *target;
	if (size && !device->gpu)
		return gemp_buffer_borrow(out, device, size, (gemp_vertex *)(uintptr_t)target);
	return gemp_buffer_new(out, device, size ? size : 1, NULL); /* OpenCL has no empty buffers */
}

gemp_code gemp_device_targets_new(gemp_buffer *out, gemp_device *device, const gemp_vertex *target, size_t count)
{
	const gemp_transfer_numbers from = { .narrow = (gemp_vertex *)(uintptr_t)target };
	GEMP_TRY(begin_targets(out, device, target, count));
	return device->gpu ? gemp_transfer_upload(device, out, from, count) : GEMP_OK;
}

/* A CPU device reads offsets of 64 bits in place, and offsets of 32 bits in an array that the host makes. */
static gemp_code load_begin(gemp_device_csr *out, const uint64_t *begin)
{
	size_t count = (size_t)out->rows + 1;
	if (out->wide)
		return gemp_device_targets_new(&out->begin, out->device, (const gemp_vertex *)begin, 2 * count);
	if (out->device->gpu) {
		GEMP_TRY(gemp_buffer_new(&out->begin, out->device, count * sizeof(uint32_t), NULL));
		return gemp_transfer_upload(out->device, &out->begin,
		                            (gemp_transfer_numbers){ .wide = (uint64_t *)(uintptr_t)begin }, count);
	}
	GEMP_TRY(GEMP_NEW(out->begin32, count));
	for (size_t row = 0; row < count; row++)
		out->begin32[row] = (uint32_t)begin[row];
	return gemp_buffer_borrow(&out->begin, out->device, count * sizeof *out->begin32, out->begin32);
}

/* Offsets have 64 bits only if there are 2^32 edges or more. */
gemp_code gemp_device_csr_begin(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr)
{
	gemp_code code = GEMP_OK;
	uint64_t edges = gemp_csr_edges(csr);
	double since = gemp_now();
	*out = (gemp_device_csr){
		.device = device, .rows = (uint32_t)csr->rows, .first = csr->first, .edges = edges, .wide = edges > UINT32_MAX
	};
	GEMP_TRY_DONE(load_begin(out, csr->begin));
	GEMP_TRY_DONE(begin_targets(&out->target, device, csr->target, (size_t)edges));
	out->seconds = gemp_now() - since;
done:
	if (code != GEMP_OK)
		gemp_device_csr_free(out);
	return code;
}

static gemp_code ignore(void *self, size_t count)
{
	(void)self, (void)count;
	return GEMP_OK;
}

gemp_code gemp_device_csr_load(gemp_device_csr *on, const gemp_csr *csr, gemp_transfer_arrived *arrived, void *self)
{
	const gemp_transfer_numbers from = { .narrow = (gemp_vertex *)(uintptr_t)csr->target };
	const double since = gemp_now();
	const gemp_code code = on->device->gpu && on->edges ? gemp_transfer_upload_watched(on->device, &on->target, from,
	                                                                                   (size_t)on->edges, arrived, self)
	                                                    : arrived(self, (size_t)on->edges);
	on->seconds += gemp_now() - since;
	return code;
}

gemp_code gemp_device_csr_new(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr)
{
	GEMP_TRY(gemp_device_csr_begin(out, device, csr));
	const gemp_code code = gemp_device_csr_load(out, csr, ignore, NULL);
	if (code != GEMP_OK)
		gemp_device_csr_free(out);
	return code;
}

void gemp_device_csr_free(gemp_device_csr *csr)
{
	if (csr->device) {
		gemp_buffer_free(&csr->begin, csr->device);
		gemp_buffer_free(&csr->target, csr->device);
	}
	gemp_free(csr->begin32);
	*csr = (gemp_device_csr){ 0 };
}

/* Kernels of topology.clh are compiled for the number of lanes and the width of the offsets. */
gemp_code gemp_device_csr_program_list(gemp_program *out, const gemp_device_csr *csr, const char *file,
                                       const char *defines, const gemp_kernel_entry *kernels, size_t count)
{
	char options[128];
	snprintf(options, sizeof options, "-DGEMP_LANES=%u -DTOPOLOGY_SHARE=%d%s %s", lanes_of(csr->device),
	         GEMP_ITEMS_PER_WORKER, csr->wide ? " -DTOPOLOGY_WIDE" : "", defines ? defines : "");
	return gemp_program_build_list(out, csr->device, file, options, kernels, count);
}

/* A CPU device has as many workers as units, and each worker takes many shares. A GPU has a worker for each share. */
gemp_device_grid gemp_device_items_grid(const gemp_device *device, uint64_t items)
{
	unsigned lanes = lanes_of(device);
	size_t shares = (size_t)((items + GEMP_ITEMS_PER_WORKER - 1) / GEMP_ITEMS_PER_WORKER);
	size_t workers = device->gpu || shares < device->units ? shares : device->units;
	size_t group = gemp_worker_group_size(device, lanes, WANTED);
	return (gemp_device_grid){ workers * lanes, group, group / lanes * GEMP_ITEMS_PER_WORKER * sizeof(uint32_t) };
}

gemp_device_grid gemp_device_csr_grid(const gemp_device_csr *csr)
{
	return gemp_device_items_grid(csr->device, csr->edges + csr->rows);
}

/* If there are more elements than work-items run at the same time, each work-item takes several elements. */
gemp_device_grid gemp_device_grid_over(const gemp_device *device, size_t count)
{
	size_t most = device->gpu ? device->units * (size_t)ITEMS_OF_UNIT : device->units;
	return (gemp_device_grid){ count < most ? count : most, device->gpu ? WANTED : 1, 0 };
}

enum { PAIRS_HOST_BELOW = 1 << 30 };

/* The input and the output of the threads that write edges as pairs. */
typedef struct pair_list {
	const gemp_csr *csr;
	gemp_edge_pair *pairs;
} pair_list;

/* A search finds the row of the first edge. The rows of the following edges are found by stepping on. */
static void list_pairs_range(void *context, size_t begin, size_t end)
{
	const pair_list *l = context;
	const gemp_csr *csr = l->csr;
	uint64_t edge = begin;
	for (size_t row = gemp_csr_row(csr, edge); edge < end; row++) {
		uint64_t stop = csr->begin[row + 1] < end ? csr->begin[row + 1] : end;
		for (gemp_vertex source = csr->first + (gemp_vertex)row; edge < stop; edge++)
			l->pairs[edge] = (gemp_edge_pair){ source, csr->target[edge] };
	}
}

/* DEVICE. pairs: a buffer for all edges of csr. Does not wait, unless the kernel is built. */
static gemp_code launch_edge_pairs(const gemp_device_csr *csr, const gemp_buffer *pairs)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	GEMP_OWNED_BY(gemp_kernel_free_at) cl_kernel kernel = NULL;
	const gemp_device_grid grid = gemp_device_csr_grid(csr);
	GEMP_TRY(gemp_device_csr_program(&program, csr, "edge_pairs.cl", NULL, { "edge_pairs", &kernel }));
	GEMP_TRY(gemp_launch(csr->device, kernel, grid.items, grid.group, GEMP_ARG(&csr->begin.mem),
	                     GEMP_ARG(&csr->target.mem), GEMP_ARG(&csr->rows), GEMP_ARG(&csr->edges), GEMP_ARG(&csr->first),
	                     GEMP_ARG(&pairs->mem), GEMP_LOCAL(grid.local)));
	return gemp_program_store(csr->device, &program);
}

/* A CPU device writes to the caller's array. */
static gemp_code list_on_device(const gemp_csr *csr, gemp_device *device, gemp_edge_pair *pairs,
                                gemp_edge_pairs_stats *figures)
{
	GEMP_OWNED_BY(gemp_device_csr_free) gemp_device_csr rows = { 0 };
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer out = { 0 };
	size_t size = (size_t)gemp_csr_edges(csr) * sizeof *pairs;
	GEMP_TRY(gemp_device_csr_new(&rows, device, csr));
	GEMP_TRY(device->gpu ? gemp_buffer_new(&out, device, size, NULL) : gemp_buffer_borrow(&out, device, size, pairs));
	GEMP_TRY(launch_edge_pairs(&rows, &out));
	GEMP_TRY(gemp_launch_seconds(device, &figures->seconds));
	double since = gemp_now();
	if (device->gpu)
		GEMP_TRY(gemp_transfer_download(device, &out, 0, (gemp_transfer_numbers){ .narrow = &pairs->source },
		                                size / sizeof pairs->source));
	figures->transfers = rows.seconds + (gemp_now() - since);
	return GEMP_OK;
}

gemp_placement gemp_edge_pairs_place(const gemp_csr *csr, const gemp_comm *comm, const gemp_device *device,
                                     gemp_placement place)
{
	const uint64_t items = gemp_csr_edges(csr) + csr->rows;
	return gemp_use_all_devices(comm, device, place, items, "edges.host_below", PAIRS_HOST_BELOW) ? GEMP_PLACE_DEVICE
	                                                                                              : GEMP_PLACE_HOST;
}

/* Below the tuned number of edges the host is faster than the transfer to a device. */
gemp_code gemp_edge_pairs(const gemp_csr *csr, gemp_device *device, gemp_placement place, gemp_edge_pair *pairs,
                          gemp_edge_pairs_stats *figures)
{
	uint64_t edges = gemp_csr_edges(csr);
	*figures = (gemp_edge_pairs_stats){ .on_device = edges && gemp_use_device(device, place, edges + csr->rows,
		                                                                      "edges.host_below", PAIRS_HOST_BELOW) };
	if (figures->on_device)
		return list_on_device(csr, device, pairs, figures);
	double since = gemp_now();
	gemp_for_elements((size_t)edges, list_pairs_range, &(pair_list){ csr, pairs });
	figures->seconds = gemp_now() - since;
	return GEMP_OK;
}
