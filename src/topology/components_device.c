#include "topology/components_device.h"

#include "core/memory.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "primitive/toolbox.h"

enum { HOST_BELOW = 1 << 22, SAMPLED = 2 };
enum { BEGIN, SAMPLE, FLATTEN, UNITE_ALL };

/* The work grows with the sum of edges and vertices, which is compared with the tuned threshold. Elements on a device
 * are numbered with 32 bits. */
bool gemp_components_choose_devices(const gemp_comm *comm, const gemp_device *device, const gemp_csr *csr, size_t count,
                                    gemp_placement place)
{
	if (!count || !csr->vertices || csr->vertices > GEMP_DEVICE_MAX)
		return false;
	return gemp_use_all_devices(comm, device, place, gemp_csr_all_edges(csr, count) + csr->rows,
	                            "components.host_below", HOST_BELOW);
}

/* The kernels may be NULL. */
static void close_kernels(gemp_edge_sets *w)
{
	gemp_kernels_free(&w->kernels[BEGIN], &w->kernels[SAMPLE], &w->kernels[FLATTEN], &w->kernels[UNITE_ALL]);
	gemp_program_free(&w->program);
}

/* Links every element to its root. */
static gemp_code flatten(gemp_edge_sets *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->vertices);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[FLATTEN], grid.items, grid.group,
	                         GEMP_ARG(&w->above.mem), GEMP_ARG(&w->vertices));
}

/* Makes every element its own root. No edge of the forest is known. */
static gemp_code begin(gemp_edge_sets *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->vertices);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[BEGIN], grid.items, grid.group, GEMP_ARG(&w->above.mem),
	                         GEMP_ARG(&w->tree.mem), GEMP_ARG(&w->vertices), GEMP_ARG(&w->edges));
}

/* Between the two edges of each row elements are linked to their roots. Without this step the second edge would find
 * its ends at the bottom of trees, which takes 4 times the steps if each row has 4 edges to random vertices. */
static gemp_code sample(gemp_edge_sets *w, const gemp_device_csr *csr, cl_ulong before)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, csr->rows);
	for (cl_uint place = 0; place < SAMPLED; place++) {
		GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[SAMPLE], grid.items, grid.group,
		                           GEMP_ARG(&csr->begin.mem), GEMP_ARG(&csr->target.mem), GEMP_ARG(&csr->rows),
		                           GEMP_ARG(&w->first), GEMP_ARG(&w->vertices), GEMP_ARG(&place),
		                           GEMP_ARG(&w->above.mem), GEMP_ARG(&w->tree.mem), GEMP_ARG(&w->ends.mem),
		                           GEMP_ARG(&w->edges), GEMP_ARG(&before)));
		GEMP_TRY(flatten(w));
	}
	return GEMP_OK;
}

/* Unites the ends of a sample of the edges first, so the ends of most other edges are in one set already. */
static gemp_code unite(gemp_edge_sets *w, const gemp_device_csr *csr, cl_ulong before)
{
	const gemp_device_grid grid = gemp_device_csr_grid(csr);
	GEMP_TRY(sample(w, csr, before));
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[UNITE_ALL], grid.items, grid.group,
	                           GEMP_ARG(&csr->begin.mem), GEMP_ARG(&csr->target.mem), GEMP_ARG(&csr->rows),
	                           GEMP_ARG(&w->first), GEMP_ARG(&w->vertices), GEMP_ARG(&csr->edges),
	                           GEMP_ARG(&w->above.mem), GEMP_ARG(&w->above.mem), GEMP_ARG(&w->tree.mem),
	                           GEMP_ARG(&w->ends.mem), GEMP_ARG(&w->edges), GEMP_ARG(&before), GEMP_LOCAL(grid.local)));
	return flatten(w);
}

/* Unites the ends of one type's edges. The kernels are built for each type, since they depend on the width of the
 * type's offsets. */
static gemp_code unite_type(gemp_edge_sets *w, const gemp_csr *csr, cl_ulong before)
{
	GEMP_OWNED_BY(gemp_device_csr_free) gemp_device_csr rows = { 0 };
	close_kernels(w);
	GEMP_TRY(gemp_device_csr_new(&rows, w->device, csr));
	GEMP_TRY(gemp_device_csr_program(
		&w->program, &rows, "components.cl", NULL, { "components_begin", &w->kernels[BEGIN] },
		{ "components_sample", &w->kernels[SAMPLE] }, { "components_flatten", &w->kernels[FLATTEN] },
		{ "components_unite_all", &w->kernels[UNITE_ALL] }));
	w->build += w->program.seconds;
	if (w->timings.count == 0)
		GEMP_TRY(begin(w));
	if (rows.edges)
		GEMP_TRY(unite(w, &rows, before));
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	GEMP_TRY(gemp_program_store(w->device, &w->program));
	w->transfers += rows.seconds;
	return GEMP_OK;
}

/* Edges are numbered through all types. `before` is the number of edges of the preceding types. */
gemp_code gemp_edge_sets_new(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, size_t count,
                             gemp_set_edges edges)
{
	cl_ulong before = 0;
	*out = (gemp_edge_sets){ .device = device,
		                     .rows = (cl_uint)csr->rows,
		                     .first = csr->first,
		                     .vertices = (cl_uint)csr->vertices,
		                     .edges = edges };
	GEMP_TRY(gemp_buffer_new(&out->above, device, csr->vertices * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->tree, device, edges ? csr->vertices * sizeof(cl_ulong) : 1, NULL));
	GEMP_TRY(gemp_buffer_new(&out->ends, device,
	                         edges == GEMP_SET_EDGES_AND_ENDS ? csr->vertices * sizeof(cl_uint2) : 1, NULL));
	for (size_t c = 0; c < count; c++) {
		GEMP_TRY(unite_type(out, &csr[c], before));
		before += gemp_csr_edges(&csr[c]);
	}
	return GEMP_OK;
}

void gemp_edge_sets_free(gemp_edge_sets *sets)
{
	if (!sets->device)
		return;
	gemp_timings_free(&sets->timings);
	close_kernels(sets);
	gemp_buffers_free(sets->device, &sets->above, &sets->tree, &sets->ends);
	*sets = (gemp_edge_sets){ 0 };
}

/* One edge of the forest may be stored for each own vertex that is no root. */
gemp_code gemp_edge_sets_read_tree(gemp_edge_sets *sets, gemp_components *out)
{
	GEMP_OWNED uint64_t *tree = NULL;
	size_t capacity = out->tree_count;
	double since = gemp_now();
	GEMP_TRY(GEMP_NEW(tree, sets->rows));
	GEMP_TRY(gemp_transfer_download(sets->device, &sets->tree, 0, (gemp_transfer_numbers){ .narrow = (uint32_t *)tree },
	                                2 * (size_t)sets->rows));
	sets->transfers += gemp_now() - since;
	for (size_t v = 0; v < sets->rows; v++) {
		if (tree[v] == GEMP_NO_EDGE)
			continue;
		GEMP_TRY(GEMP_RESERVE(out->tree, capacity, out->tree_count + 1));
		out->tree[out->tree_count++] = tree[v];
	}
	return GEMP_OK;
}

/* The roots are the components' names. */
gemp_code gemp_components_on_device(gemp_components *out, gemp_device *device, const gemp_csr *csr, size_t count,
                                    bool tree)
{
	GEMP_OWNED_BY(gemp_edge_sets_free) gemp_edge_sets sets = { 0 };
	out->on_device = true;
	GEMP_TRY(gemp_edge_sets_new(&sets, device, csr, count, tree ? GEMP_SET_EDGES : GEMP_NO_SET_EDGES));
	double since = gemp_now();
	GEMP_TRY(
		gemp_transfer_download(device, &sets.above, 0, (gemp_transfer_numbers){ .narrow = out->component }, sets.rows));
	sets.transfers += gemp_now() - since;
	if (tree)
		GEMP_TRY(gemp_edge_sets_read_tree(&sets, out));
	out->transfers = sets.transfers;
	out->build = sets.build;
	return gemp_timings_seconds(&sets.timings, &out->seconds);
}
