#include "topology/edge_pairs.h"

#include "core/threads.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/transfer.h"

enum { HOST_BELOW = 1 << 30 };

/* Edges that all threads write as pairs. */
typedef struct pair_list {
	const gemp_csr *csr;
	gemp_edge_pair *pairs;
} pair_list;

/* One search finds the row of the first edge; the others follow by walking. */
static void list_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const pair_list *l = context;
	const gemp_csr *csr = l->csr;
	uint64_t edge = begin;
	for (size_t row = gemp_csr_row(csr, edge); edge < end; row++) {
		uint64_t stop = csr->begin[row + 1] < end ? csr->begin[row + 1] : end;
		for (gemp_vertex source = csr->first + (gemp_vertex)row; edge < stop; edge++)
			l->pairs[edge] = (gemp_edge_pair){ source, csr->target[edge] };
	}
}

/* DEVICE. pairs: room for all edges of csr. Does not wait, unless the kernel is built. */
static gemp_code run_kernel(const gemp_device_csr *csr, const gemp_buffer *pairs)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	GEMP_OWNED_BY(gemp_kernel_free_at) cl_kernel kernel = NULL;
	const gemp_device_grid grid = gemp_device_csr_grid(csr);
	GEMP_PROPAGATE(gemp_device_csr_program(&program, csr, "edge_pairs.cl", NULL, { "edge_pairs", &kernel }));
	GEMP_PROPAGATE(gemp_launch(csr->device, kernel, grid.items, grid.group, GEMP_ARG(&csr->begin.mem),
	                           GEMP_ARG(&csr->target.mem), GEMP_ARG(&csr->rows), GEMP_ARG(&csr->edges),
	                           GEMP_ARG(&csr->first), GEMP_ARG(&pairs->mem), GEMP_LOCAL(grid.local)));
	return gemp_program_store(csr->device, &program);
}

/* A CPU device writes to the caller's array. */
static gemp_code list_on_device(const gemp_csr *csr, gemp_device *device, gemp_edge_pair *pairs,
                                gemp_edge_pairs_stats *figures)
{
	gemp_code code = GEMP_OK;
	gemp_device_csr rows = { 0 };
	gemp_buffer out = { 0 };
	size_t size = (size_t)gemp_csr_edges(csr) * sizeof *pairs;
	GEMP_TRY(gemp_device_csr_new(&rows, device, csr));
	GEMP_TRY(device->gpu ? gemp_buffer_new(&out, device, size, NULL) : gemp_buffer_borrow(&out, device, size, pairs));
	GEMP_TRY(run_kernel(&rows, &out));
	GEMP_TRY(gemp_launch_seconds(device, &figures->seconds));
	double since = gemp_now();
	if (device->gpu)
		GEMP_TRY(gemp_transfer_download(device, &out, 0, (gemp_transfer_numbers){ .narrow = &pairs->source },
		                                size / sizeof pairs->source));
	figures->transfers = rows.seconds + (gemp_now() - since);
done:
	gemp_buffer_free(&out, device);
	gemp_device_csr_free(&rows);
	return code;
}

gemp_code gemp_edge_pairs(const gemp_csr *csr, gemp_device *device, gemp_placement place, gemp_edge_pair *pairs,
                          gemp_edge_pairs_stats *figures)
{
	uint64_t edges = gemp_csr_edges(csr);
	*figures = (gemp_edge_pairs_stats){ .on_device = edges && gemp_use_device(device, place, edges + csr->rows,
		                                                                      "edges.host_below", HOST_BELOW) };
	if (figures->on_device)
		return list_on_device(csr, device, pairs, figures);
	double since = gemp_now();
	gemp_for_ranges((size_t)edges, list_range, &(pair_list){ csr, pairs });
	figures->seconds = gemp_now() - since;
	return GEMP_OK;
}
