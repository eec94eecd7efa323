#include "topology/components_sampled.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "primitive/sort.h"

#include <stdlib.h>

enum { SAMPLE = 1 << 12, RARE = 64, SAMPLED = 2, AHEAD = 32, MIN_SHARE = 4 };

/* THE MOST FREQUENT ROOT */

/* Returns the most frequent root of a sorted sample of roots, or UINT32_MAX if it is rare. */
static cl_uint most_frequent(const cl_uint *roots, size_t count, size_t sample)
{
	cl_uint best = UINT32_MAX;
	size_t most = sample / RARE;
	for (size_t i = 0, run = 0; i < count; i++) {
		run = i && roots[i] == roots[i - 1] ? run + 1 : 1;
		if (run > most) {
			most = run;
			best = roots[i];
		}
	}
	return best;
}

gemp_code gemp_most_frequent_root(gemp_device *device, const gemp_buffer *sets, size_t begin, size_t count,
                                  cl_uint *root)
{
	static const gemp_sort ascending = { .key = GEMP_KEY_U32 };
	cl_uint roots[SAMPLE];
	const size_t sample = gemp_min(count, SAMPLE);
	size_t kept = 0;
	*root = UINT32_MAX;
	if (!sample)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_read(device, sets, begin * sizeof *roots, sample * sizeof *roots, roots));
	for (size_t i = 0; i < sample; i++)
		if (roots[i] != begin + i)
			roots[kept++] = roots[i];
	GEMP_TRY(gemp_sort_host(&ascending, roots, NULL, kept));
	*root = most_frequent(roots, kept, sample);
	return GEMP_OK;
}

/* TWO EDGES OF EACH ROW */

/* Numbers begin .. end - 1 of sample[rows][SAMPLED]. Targets of different rows are far apart, so they are fetched
 * ahead, once, and not into the second-level cache, which would also fetch the neighbouring line. */
static void sample_targets(const void *self, uint32_t *to, size_t begin, size_t end)
{
	const gemp_csr *csr = self;
	for (size_t row = begin / SAMPLED, place = begin % SAMPLED; begin < end; row++, place = 0) {
		const uint64_t edge = csr->begin[row], last = csr->begin[row + 1];
		if (row + AHEAD < csr->rows)
			__builtin_prefetch(&csr->target[csr->begin[row + AHEAD]], 0, 0);
		for (; place < SAMPLED && begin < end; place++, begin++)
			*to++ = edge + place < last ? csr->target[edge + place] : GEMP_NO_VERTEX;
	}
}

static gemp_code hook_sample(gemp_edge_sets *w, const gemp_csr *csr, gemp_buffer *sample)
{
	const gemp_device_grid grid = gemp_device_grid_over(w->device, csr->rows);
	const size_t count = csr->rows * SAMPLED;
	const double since = gemp_now();
	GEMP_TRY(gemp_buffer_reserve(sample, w->device, count * sizeof(cl_uint)));
	GEMP_TRY(gemp_transfer_make(w->device, sample, sample_targets, csr, count));
	w->transfers += gemp_now() - since;
	gemp_trace_add("sample edges", GEMP_LANE_HOST, since);
	w->entries += count;
	GEMP_TRY(gemp_edge_sets_mark(w, GEMP_SETS_MARK_SAMPLED, sample));
	for (size_t i = 0; i < GEMP_SETS_PASSES; i++) {
		const gemp_sets_pass *pass = &gemp_sets_passes[i];
		GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[GEMP_SETS_HOOK], grid.items, grid.group,
		                           GEMP_ARG(&sample->mem), GEMP_ARG(&w->rows), GEMP_ARG(&w->first),
		                           GEMP_ARG(&w->vertices), GEMP_ARG(&pass->place), GEMP_ARG(&pass->step),
		                           GEMP_ARG(&w->above.mem)));
		GEMP_TRY(gemp_edge_sets_flatten(w));
	}
	return GEMP_OK;
}

/* THE OTHER EDGES OF ROWS OUTSIDE THE LARGEST SET */

typedef struct other_rows {
	const gemp_csr *csr;
	uint32_t *list;  /* [count] rows, ascending */
	uint64_t *begin; /* [count + 1] offsets of their other edges */
	size_t count;
	gemp_buffer list_on;
	gemp_device_csr on;
} other_rows;

static void free_rows(other_rows *o)
{
	gemp_free_all(o->list, o->begin);
	gemp_buffer_release(&o->list_on);
	gemp_device_csr_free(&o->on);
}

static gemp_code list_rows(gemp_edge_sets *w, const gemp_buffer *sample, cl_uint root, other_rows *o)
{
	static const gemp_sort ascending = { .key = GEMP_KEY_U32 };
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer counter = { 0 };
	const gemp_device_grid grid = gemp_device_grid_over(w->device, w->rows);
	cl_uint count = 0;
	GEMP_TRY(gemp_buffer_new(&counter, w->device, sizeof count, &count));
	GEMP_TRY(gemp_buffer_new(&o->list_on, w->device, w->rows * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_launch_timed(&w->timings, w->device, w->kernels[GEMP_SETS_OUTSIDE], grid.items, grid.group,
	                           GEMP_ARG(&w->above.mem), GEMP_ARG(&sample->mem), GEMP_ARG(&w->rows), GEMP_ARG(&root),
	                           GEMP_ARG(&o->list_on.mem), GEMP_ARG(&counter.mem)));
	GEMP_TRY(gemp_buffer_read(w->device, &counter, 0, sizeof count, &count));
	o->count = count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(o->list, o->count + 1), GEMP_ARRAY(o->begin, o->count + 1)));
	GEMP_TRY(gemp_transfer_download(w->device, &o->list_on, 0, (gemp_transfer_numbers){ .narrow = o->list }, count));
	GEMP_TRY(gemp_sort_host(&ascending, o->list, NULL, count));
	return gemp_transfer_upload(w->device, &o->list_on, (gemp_transfer_numbers){ .narrow = o->list }, count);
}

static void count_edges(void *context, size_t begin, size_t end)
{
	const other_rows *o = context;
	for (size_t i = begin; i < end; i++) {
		const uint64_t *row = o->csr->begin + o->list[i];
		o->begin[i + 1] = row[1] - row[0] - SAMPLED;
	}
}

/* The targets of the other edges begin .. end - 1. */
static void other_targets(const void *self, uint32_t *to, size_t begin, size_t end)
{
	const other_rows *o = self;
	for (size_t i = gemp_range_find(o->begin, o->count, begin); begin < end; i++) {
		const uint64_t stop = gemp_min(end, o->begin[i + 1]);
		const gemp_vertex *row = o->csr->target + o->csr->begin[o->list[i]] + SAMPLED;
		for (; begin < stop; begin++)
			*to++ = row[begin - o->begin[i]];
	}
}

static gemp_code unite_others(gemp_edge_sets *w, other_rows *o)
{
	const double since = gemp_now();
	gemp_device_csr *on = &o->on;
	on->rows = (uint32_t)o->count;
	on->edges = o->begin[o->count];
	if (!on->edges)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(&on->begin, w->device, (o->count + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&on->target, w->device, on->edges * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_transfer_upload(w->device, &on->begin, (gemp_transfer_numbers){ .wide = o->begin }, o->count + 1));
	GEMP_TRY(gemp_transfer_make(w->device, &on->target, other_targets, o, (size_t)on->edges));
	w->transfers += gemp_now() - since;
	w->entries += on->edges;
	return gemp_edge_sets_unite_listed(w, on, &o->list_on);
}

/* The kernels are those for offsets of 32 bits: the other edges are fewer than MIN_SHARE-th of all. */
gemp_code gemp_edge_sets_sample(gemp_edge_sets *w, const gemp_csr *csr, bool *done)
{
	GEMP_OWNED_BY(free_rows) other_rows o = { .csr = csr, .on = { .device = w->device } };
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer sample = { 0 };
	const int chosen = gemp_limits_now()->components_sampled;
	cl_uint root = UINT32_MAX;
	double since = gemp_now();
	*done = false;
	if (!(chosen < 0 ? w->device->gpu : chosen) || !csr->rows || gemp_csr_edges(csr) <= csr->rows * SAMPLED)
		return GEMP_OK;
	GEMP_TRY(gemp_edge_sets_build(w, &o.on));
	GEMP_TRY(hook_sample(w, csr, &sample));
	GEMP_TRY(gemp_most_frequent_root(w->device, &w->above, 0, csr->rows, &root));
	gemp_trace_add("sets of the sample", GEMP_LANE_HOST, since);
	if (root == UINT32_MAX)
		return GEMP_OK;
	since = gemp_now();
	GEMP_TRY(list_rows(w, &sample, root, &o));
	gemp_for_elements(o.count, count_edges, &o);
	gemp_prefix_inclusive(o.begin + 1, o.count);
	gemp_trace_add("list rows", GEMP_LANE_HOST, since);
	since = gemp_now();
	if (o.begin[o.count] > gemp_min(gemp_csr_edges(csr) / MIN_SHARE, UINT32_MAX))
		return GEMP_OK;
	GEMP_TRY(unite_others(w, &o));
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	gemp_trace_add("other edges", GEMP_LANE_HOST, since);
	w->skipped = root;
	*done = true;
	return gemp_program_store(w->device, &w->program);
}
