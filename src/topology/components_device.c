#include "topology/components_device.h"

#include "core/memory.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/transfer.h"

enum { HOST_BELOW = 1 << 22, SAMPLED = 2 };
enum { BEGIN, SAMPLE, FLATTEN, UNITE_ALL, KERNELS };

/* The buffers and kernels while a device finds components, and the times of its launches. */
typedef struct device_state {
	gemp_device *device;
	gemp_components *out;
	uint32_t vertices, with_tree;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	gemp_buffer above, tree;
	gemp_timings timings;
} device_state;

/* The work grows with the sum of edges and vertices, which is compared with the tuned threshold. */
bool gemp_components_choose_device(const gemp_device *device, const gemp_csr *csr, size_t count, gemp_placement place)
{
	return count && csr->rows &&
	       gemp_use_device(device, place, gemp_csr_all_edges(csr, count) + csr->rows, "components.host_below",
	                       HOST_BELOW);
}

/* The kernels may be NULL. */
static void close_kernels(device_state *w)
{
	gemp_kernels_free(&w->kernels[BEGIN], &w->kernels[SAMPLE], &w->kernels[FLATTEN], &w->kernels[UNITE_ALL]);
	gemp_program_free(&w->program);
}

/* Links every vertex to its root. */
static gemp_code flatten(device_state *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->vertices);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[FLATTEN], grid.items, grid.group,
	                         GEMP_ARG(&w->above.mem), GEMP_ARG(&w->vertices));
}

/* Makes every vertex its own root. No edge of the forest is known. */
static gemp_code begin(device_state *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->vertices);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[BEGIN], grid.items, grid.group, GEMP_ARG(&w->above.mem),
	                         GEMP_ARG(&w->tree.mem), GEMP_ARG(&w->vertices), GEMP_ARG(&w->with_tree));
}

/* Between the two edges of each row vertices are linked to their roots. Without this step the second edge would find
 * its ends at the bottom of trees, which takes 4 times the steps if each row has 4 edges to random vertices. */
static gemp_code sample(device_state *w, const gemp_device_csr *csr, cl_ulong before)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, csr->rows);
	for (cl_uint place = 0; place < SAMPLED; place++) {
		GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[SAMPLE], grid.items, grid.group,
		                           GEMP_ARG(&csr->begin.mem), GEMP_ARG(&csr->target.mem), GEMP_ARG(&csr->rows),
		                           GEMP_ARG(&place), GEMP_ARG(&w->above.mem), GEMP_ARG(&w->tree.mem),
		                           GEMP_ARG(&w->with_tree), GEMP_ARG(&before)));
		GEMP_TRY(flatten(w));
	}
	return GEMP_OK;
}

/* Unites the ends of a sample of the edges first, so the ends of most other edges are in one set already. */
static gemp_code unite(device_state *w, const gemp_device_csr *csr, cl_ulong before)
{
	const gemp_device_grid grid = gemp_device_csr_grid(csr);
	GEMP_TRY(sample(w, csr, before));
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[UNITE_ALL], grid.items, grid.group,
	                           GEMP_ARG(&csr->begin.mem), GEMP_ARG(&csr->target.mem), GEMP_ARG(&csr->rows),
	                           GEMP_ARG(&csr->edges), GEMP_ARG(&w->above.mem), GEMP_ARG(&w->above.mem),
	                           GEMP_ARG(&w->tree.mem), GEMP_ARG(&w->with_tree), GEMP_ARG(&before),
	                           GEMP_LOCAL(grid.local)));
	return flatten(w);
}

/* Unites the ends of one type's edges. The kernels are built for each type, since they depend on the width of the
 * type's offsets. */
static gemp_code unite_type(device_state *w, const gemp_csr *csr, cl_ulong before)
{
	GEMP_OWNED_BY(gemp_device_csr_free) gemp_device_csr rows = { 0 };
	close_kernels(w);
	GEMP_TRY(gemp_device_csr_new(&rows, w->device, csr));
	GEMP_TRY(gemp_device_csr_program(
		&w->program, &rows, "components.cl", NULL, { "components_begin", &w->kernels[BEGIN] },
		{ "components_sample", &w->kernels[SAMPLE] }, { "components_flatten", &w->kernels[FLATTEN] },
		{ "components_unite_all", &w->kernels[UNITE_ALL] }));
	if (w->timings.count == 0)
		GEMP_TRY(begin(w));
	if (rows.edges)
		GEMP_TRY(unite(w, &rows, before));
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	GEMP_TRY(gemp_program_store(w->device, &w->program));
	w->out->transfers += rows.seconds;
	return GEMP_OK;
}

/* The roots are the components' names. One edge of the forest may be stored for each vertex that is no root. */
static gemp_code read_results(device_state *w)
{
	GEMP_OWNED uint64_t *tree = NULL;
	size_t capacity = 0;
	double since = gemp_now();
	GEMP_TRY(gemp_transfer_download(w->device, &w->above, 0, (gemp_transfer_numbers){ .narrow = w->out->component },
	                                w->vertices));
	if (w->with_tree) {
		GEMP_TRY(GEMP_NEW(tree, w->vertices));
		GEMP_TRY(gemp_transfer_download(w->device, &w->tree, 0, (gemp_transfer_numbers){ .narrow = (uint32_t *)tree },
		                                2 * (size_t)w->vertices));
	}
	w->out->transfers += gemp_now() - since;
	for (size_t v = 0; w->with_tree && v < w->vertices; v++) {
		if (tree[v] == GEMP_NO_EDGE)
			continue;
		GEMP_TRY(GEMP_RESERVE(w->out->tree, capacity, w->out->tree_count + 1));
		w->out->tree[w->out->tree_count++] = tree[v];
	}
	return GEMP_OK;
}

/* Edges are numbered through all types. `before` is the number of edges of the preceding types. */
gemp_code gemp_components_on_device(gemp_components *out, gemp_device *device, const gemp_csr *csr, size_t count,
                                    bool tree)
{
	gemp_code code = GEMP_OK;
	device_state w = { .device = device, .out = out, .vertices = (uint32_t)csr->rows, .with_tree = tree };
	cl_ulong before = 0;
	out->on_device = true;
	GEMP_TRY_DONE(gemp_buffer_new(&w.above, device, w.vertices * sizeof(cl_uint), NULL));
	GEMP_TRY_DONE(gemp_buffer_new(&w.tree, device, tree ? w.vertices * sizeof(cl_ulong) : 1, NULL));
	for (size_t c = 0; c < count; c++) {
		GEMP_TRY_DONE(unite_type(&w, &csr[c], before));
		before += gemp_csr_edges(&csr[c]);
	}
	GEMP_TRY_DONE(read_results(&w));
	GEMP_TRY_DONE(gemp_timings_seconds(&w.timings, &out->seconds));
done:
	gemp_timings_free(&w.timings);
	close_kernels(&w);
	gemp_buffers_free(device, &w.above, &w.tree);
	return code;
}
