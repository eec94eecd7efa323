#include "topology/edge_sets.h"

#include "core/limits.h"
#include "core/search.h"
#include "primitive/toolbox.h"

const gemp_sets_pass gemp_sets_passes[GEMP_SETS_PASSES] = { { 0, 1 }, { 1, 64 }, { 1, 1 } };

/* The kernels may be NULL. */
static void close_kernels(gemp_edge_sets *w)
{
	for (size_t k = 0; k < GEMP_SETS_KERNELS; k++)
		gemp_kernels_free(&w->kernels[k]);
	gemp_program_free(&w->program);
}

gemp_code gemp_edge_sets_flatten(gemp_edge_sets *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->vertices);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[GEMP_SETS_FLATTEN], grid.items, grid.group,
	                         GEMP_ARG(&w->above.mem), GEMP_ARG(&w->vertices));
}

/* Makes every element its own root. No edge of the forest is known. */
static gemp_code begin(gemp_edge_sets *w)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->vertices);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[GEMP_SETS_BEGIN], grid.items, grid.group,
	                         GEMP_ARG(&w->above.mem), GEMP_ARG(&w->tree.mem), GEMP_ARG(&w->vertices),
	                         GEMP_ARG(&w->edges));
}

gemp_code gemp_edge_sets_mark(gemp_edge_sets *w, gemp_sets_kernel kernel, const gemp_buffer *rows)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->rows / 32 + 1);
	return gemp_launch_timed(&w->timings, w->device, w->kernels[kernel], grid.items, grid.group, GEMP_ARG(&rows->mem),
	                         GEMP_ARG(&w->rows), GEMP_ARG(&w->with_edges.mem));
}

gemp_code gemp_edge_sets_build(gemp_edge_sets *w, const gemp_device_csr *rows)
{
	close_kernels(w);
	GEMP_TRY(gemp_device_csr_program(
		&w->program, rows, "components.cl", NULL, { "components_begin", &w->kernels[GEMP_SETS_BEGIN] },
		{ "components_sample", &w->kernels[GEMP_SETS_SAMPLE] },
		{ "components_flatten", &w->kernels[GEMP_SETS_FLATTEN] },
		{ "components_unite_all", &w->kernels[GEMP_SETS_UNITE_ALL] },
		{ "components_mark", &w->kernels[GEMP_SETS_MARK] }, { "components_hook", &w->kernels[GEMP_SETS_HOOK] },
		{ "components_outside", &w->kernels[GEMP_SETS_OUTSIDE] },
		{ "components_mark_sampled", &w->kernels[GEMP_SETS_MARK_SAMPLED] }));
	w->build += w->program.seconds;
	return w->timings.count ? GEMP_OK : begin(w);
}

/* The rows of one type, whose targets arrive while kernels work on earlier ones. */
typedef struct arriving_rows {
	gemp_edge_sets *sets;
	const gemp_csr *csr;
	gemp_device_csr on;
	cl_ulong before; /* number of edges of the preceding types */
	cl_ulong shares; /* the edges of these shares have been united */
	size_t count;    /* number of targets that had arrived then */
} arriving_rows;

static void free_rows(arriving_rows *r)
{
	gemp_device_csr_free(&r->on);
}

/* Unites the ends of a sample of the edges of the first `rows` rows. Between the two edges of each row elements are
 * linked to their roots. Otherwise the second edge would find its ends at the bottom of trees, which takes 4 times the
 * steps if each row has 4 edges to random vertices. */
static gemp_code sample(const arriving_rows *r, cl_uint rows)
{
	gemp_edge_sets *w = r->sets;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, rows);
	for (size_t i = 0; i < GEMP_SETS_PASSES; i++) {
		const gemp_sets_pass *pass = &gemp_sets_passes[i];
		GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[GEMP_SETS_SAMPLE], grid.items, grid.group,
		                           GEMP_ARG(&r->on.begin.mem), GEMP_ARG(&r->on.target.mem), GEMP_ARG(&rows),
		                           GEMP_ARG(&w->first), GEMP_ARG(&w->vertices), GEMP_ARG(&pass->place),
		                           GEMP_ARG(&pass->step), GEMP_ARG(&w->above.mem), GEMP_ARG(&w->tree.mem),
		                           GEMP_ARG(&w->ends.mem), GEMP_ARG(&w->edges), GEMP_ARG(&r->before)));
		GEMP_TRY(gemp_edge_sets_flatten(w));
	}
	return GEMP_OK;
}

/* Unites the ends of the edges of some shares, then links every element to its root. list: see unite_listed, or
 * NULL. */
static gemp_code unite_shares(gemp_edge_sets *w, const gemp_device_csr *rows, const gemp_buffer *list, cl_ulong before,
                              cl_ulong first, cl_ulong last)
{
	const gemp_device_grid grid = gemp_device_items_grid(w->device, (last - first) * GEMP_ITEMS_PER_WORKER);
	const cl_uint listed = list != NULL;
	const gemp_buffer *any = list ? list : &w->above; /* a kernel has no argument without a buffer */
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[GEMP_SETS_UNITE_ALL], grid.items, grid.group,
	                           GEMP_ARG(&rows->begin.mem), GEMP_ARG(&rows->target.mem), GEMP_ARG(&rows->rows),
	                           GEMP_ARG(&w->first), GEMP_ARG(&w->vertices), GEMP_ARG(&rows->edges), GEMP_ARG(&first),
	                           GEMP_ARG(&last), GEMP_ARG(&any->mem), GEMP_ARG(&listed), GEMP_ARG(&w->above.mem),
	                           GEMP_ARG(&w->above.mem), GEMP_ARG(&w->tree.mem), GEMP_ARG(&w->ends.mem),
	                           GEMP_ARG(&w->edges), GEMP_ARG(&before), GEMP_LOCAL(grid.local)));
	return gemp_edge_sets_flatten(w);
}

/* The number of shares of all rows and edges. */
static cl_ulong shares_of(const gemp_device_csr *rows)
{
	return (rows->edges + rows->rows + GEMP_ITEMS_PER_WORKER - 1) / GEMP_ITEMS_PER_WORKER;
}

gemp_code gemp_edge_sets_unite_listed(gemp_edge_sets *w, const gemp_device_csr *rows, const gemp_buffer *list)
{
	return unite_shares(w, rows, list, 0, 0, shares_of(rows));
}

/* The number of shares that contain only the first `count` edges. Edge e of row r is item e + r + 1, since each row is
 * an item in front of its edges. */
static cl_ulong complete_shares(const arriving_rows *r, size_t count, cl_uint *rows)
{
	*rows = count < r->on.edges ? (cl_uint)gemp_range_find(r->csr->begin, r->csr->rows, count) : r->on.rows;
	return count < r->on.edges ? (count + *rows + 1) / GEMP_ITEMS_PER_WORKER : shares_of(&r->on);
}

/* The first part of the edges is sampled, and joins most vertices of most graphs to one set, so each later edge needs
 * little more than a comparison. The kernels of a part run while the next part is copied. */
static gemp_code take_arrived(void *self, size_t count)
{
	arriving_rows *r = self;
	cl_uint rows;
	if (count < r->on.edges && count - r->count < gemp_limits_now()->components_part)
		return GEMP_OK;
	const cl_ulong before = r->shares, shares = complete_shares(r, count, &rows);
	if (before == 0 && rows)
		GEMP_TRY(sample(r, rows));
	if (shares > before)
		GEMP_TRY(unite_shares(r->sets, &r->on, NULL, r->before, before, shares));
	r->shares = shares;
	r->count = count;
	return GEMP_CL(clFlush(r->sets->device->queue));
}

/* The kernels are built for each type, since they depend on the width of the type's offsets. */
static gemp_code unite_type(gemp_edge_sets *w, const gemp_csr *csr, cl_ulong before)
{
	GEMP_OWNED_BY(free_rows) arriving_rows rows = { .sets = w, .csr = csr, .before = before };
	GEMP_TRY(gemp_device_csr_begin(&rows.on, w->device, csr));
	GEMP_TRY(gemp_edge_sets_build(w, &rows.on));
	if (rows.on.edges)
		GEMP_TRY(gemp_edge_sets_mark(w, GEMP_SETS_MARK, &rows.on.begin));
	gemp_code code = rows.on.edges ? gemp_device_csr_load(&rows.on, csr, take_arrived, &rows) : GEMP_OK;
	GEMP_ALSO(GEMP_CL(clFinish(w->device->queue)));
	GEMP_THEN(gemp_program_store(w->device, &w->program));
	w->transfers += rows.on.seconds;
	w->entries += rows.on.edges;
	return code;
}

/* Edges are numbered through all types. `before` is the number of edges of the preceding types. */
gemp_code gemp_edge_sets_unite(gemp_edge_sets *w, const gemp_csr *csr, size_t count)
{
	cl_ulong before = 0;
	for (size_t c = 0; c < count; c++) {
		GEMP_TRY(unite_type(w, &csr[c], before));
		before += gemp_csr_edges(&csr[c]);
	}
	return GEMP_OK;
}

gemp_code gemp_edge_sets_begin(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, gemp_set_edges edges)
{
	*out = (gemp_edge_sets){ .device = device,
		                     .rows = (cl_uint)csr->rows,
		                     .first = csr->first,
		                     .vertices = (cl_uint)csr->vertices,
		                     .edges = edges,
		                     .skipped = UINT32_MAX };
	if (csr->vertices > gemp_device_max())
		return gemp_fail(GEMP_ENOMEM,
		                 "components of %zu vertices: %s numbers at most %zu; leave the place to the program",
		                 (size_t)csr->vertices, device->name, gemp_device_max());
	const size_t words = ((size_t)csr->rows / 32 + 1) * sizeof(cl_uint);
	GEMP_TRY(gemp_buffer_new(&out->above, device, csr->vertices * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->with_edges, device, words, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &out->with_edges, 0, words));
	GEMP_TRY(gemp_buffer_new(&out->tree, device, edges ? csr->vertices * sizeof(cl_ulong) : 1, NULL));
	return gemp_buffer_new(&out->ends, device, edges == GEMP_SET_EDGES_AND_ENDS ? csr->vertices * sizeof(cl_uint2) : 1,
	                       NULL);
}

void gemp_edge_sets_free(gemp_edge_sets *sets)
{
	if (!sets->device)
		return;
	gemp_timings_free(&sets->timings);
	close_kernels(sets);
	gemp_buffers_free(sets->device, &sets->above, &sets->tree, &sets->ends, &sets->with_edges);
	*sets = (gemp_edge_sets){ 0 };
}
