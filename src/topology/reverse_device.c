#include "topology/reverse_device.h"

#include "core/memory.h"
#include "core/threads.h"
#include "device/laps.h"
#include "device/transfer.h"
#include "primitive/sort.h"

enum { HOST_BELOW = 1 << 24, EDGES_A_PIECE = 1 << 16 };
enum { LIST, CLEAR, MARK, EMPTY, KERNELS };

typedef struct working {
	gemp_device *device;
	gemp_reversed *out;
	cl_uint rows, edges;
	unsigned value_size;
	gemp_device_csr csr;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	gemp_toolbox *box;
	gemp_sort_buffers sorted;
	gemp_buffer begin;
	gemp_laps laps;
} working;

bool gemp_reverse_choose_device(const gemp_device *device, const gemp_csr *csr, gemp_where place)
{
	uint64_t edges = gemp_csr_edges(csr);
	return edges < UINT32_MAX && gemp_on_device(device, place, edges + csr->rows, "reverse.host_below", HOST_BELOW);
}

/* The targets are sorted where they lie, on a CPU device those of a copy. */
static gemp_code take_keys(working *w, const gemp_csr *csr)
{
	if (!w->device->gpu)
		return gemp_buffer_new(&w->sorted.keys[0], w->device, w->edges * sizeof *csr->target, csr->target);
	w->sorted.keys[0] = w->csr.target;
	w->csr.target = (gemp_buffer){ 0 };
	return GEMP_OK;
}

static gemp_code open_working(working *w, const gemp_csr *csr)
{
	static const char *const names[KERNELS] = { "reverse_list", "reverse_clear", "reverse_mark", "reverse_empty" };
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_device_csr_new(&w->csr, w->device, csr));
	GEMP_TRY(gemp_device_csr_program(&w->program, &w->csr, "reverse.cl",
	                                 w->out->edge ? "-DREVERSE_NUMBERED" : NULL));
	for (int k = 0; k < KERNELS; k++)
		GEMP_TRY(gemp_kernel_new(&w->kernels[k], &w->program, names[k]));
	GEMP_TRY(gemp_toolbox_new(&w->box, w->device, GEMP_FORM_AUTO));
	GEMP_TRY(take_keys(w, csr));
	GEMP_TRY(gemp_buffer_new(&w->sorted.keys[1], w->device, w->edges * sizeof(cl_uint), NULL));
	for (int b = 0; b < 2; b++)
		GEMP_TRY(gemp_buffer_new(&w->sorted.values[b], w->device, w->edges * (size_t)w->value_size, NULL));
	code = gemp_buffer_new(&w->begin, w->device, ((size_t)w->rows + 1) * sizeof(cl_uint), NULL);
done:
	return code;
}

static void close_working(working *w)
{
	gemp_laps_free(&w->laps);
	gemp_toolbox_free(w->box);
	for (int k = 0; k < KERNELS; k++)
		if (w->kernels[k])
			clReleaseKernel(w->kernels[k]);
	gemp_program_free(&w->program);
	for (int b = 0; b < 2; b++) {
		gemp_buffer_free(&w->sorted.keys[b], w->device);
		gemp_buffer_free(&w->sorted.values[b], w->device);
	}
	gemp_buffer_free(&w->begin, w->device);
	gemp_device_csr_free(&w->csr);
}

static gemp_code list_edges(working *w)
{
	gemp_code code = GEMP_OK;
	const gemp_device_grid grid = gemp_device_csr_grid(&w->csr);
	GEMP_TRY(gemp_launch(w->device, w->kernels[LIST], grid.items, grid.group, GEMP_ARG(&w->csr.begin.mem),
	                     GEMP_ARG(&w->csr.rows), GEMP_ARG(&w->csr.edges), GEMP_ARG(&w->csr.first),
	                     GEMP_ARG(&w->sorted.values[0].mem), GEMP_LOCAL(grid.local)));
	code = gemp_laps_add(&w->laps, w->device);
done:
	return code;
}

static gemp_code find_rows(working *w)
{
	gemp_code code = GEMP_OK;
	const cl_mem *keys = &w->sorted.keys[0].mem;
	gemp_device_grid grid = gemp_device_grid_over(w->device, (size_t)w->rows + 1);
	GEMP_TRY(gemp_launch(w->device, w->kernels[CLEAR], grid.items, grid.group, GEMP_ARG(&w->begin.mem),
	                     GEMP_ARG(&w->rows), GEMP_ARG(&w->edges)));
	GEMP_TRY(gemp_laps_add(&w->laps, w->device));
	grid = gemp_device_grid_over(w->device, w->edges);
	GEMP_TRY(gemp_launch(w->device, w->kernels[MARK], grid.items, grid.group, GEMP_ARG(keys), GEMP_ARG(&w->edges),
	                     GEMP_ARG(&w->csr.first), GEMP_ARG(&w->begin.mem)));
	GEMP_TRY(gemp_laps_add(&w->laps, w->device));
	grid = gemp_device_grid_over(w->device, w->rows);
	GEMP_TRY(gemp_launch(w->device, w->kernels[EMPTY], grid.items, grid.group, GEMP_ARG(keys), GEMP_ARG(&w->edges),
	                     GEMP_ARG(&w->csr.first), GEMP_ARG(&w->rows), GEMP_ARG(&w->begin.mem)));
	code = gemp_laps_add(&w->laps, w->device);
done:
	return code;
}

/* source << 32 | number of the edge, each to its place. */
static void unpack_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const gemp_reversed *out = context;
	uint64_t from = (uint64_t)piece * EDGES_A_PIECE, edges = out->begin[out->rows];
	uint64_t end = edges - from < EDGES_A_PIECE ? edges : from + EDGES_A_PIECE;
	for (uint64_t e = from; e < end; e++) {
		out->source[e] = (gemp_vertex)(out->edge[e] >> 32);
		out->edge[e] = (uint32_t)out->edge[e];
	}
}

static gemp_code read_rows(working *w)
{
	gemp_code code = GEMP_OK;
	gemp_reversed *out = w->out;
	const gemp_transfer_numbers values = { .narrow = out->edge ? (uint32_t *)out->edge : out->source };
	double since = gemp_now();
	GEMP_TRY(gemp_transfer_take(w->device, &w->begin, 0, (gemp_transfer_numbers){ .wide = out->begin },
	                            (size_t)w->rows + 1));
	GEMP_TRY(gemp_transfer_take(w->device, &w->sorted.values[0], 0, values, w->edges * (size_t)w->value_size / 4));
	if (out->edge)
		gemp_parallel_for((w->edges + (size_t)EDGES_A_PIECE - 1) / EDGES_A_PIECE, unpack_piece, out);
	out->transfers = w->csr.seconds + (gemp_now() - since);
done:
	return code;
}

gemp_code gemp_reverse_on_device(gemp_reversed *out, const gemp_csr *csr, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	working w = { .device = device, .out = out, .rows = (cl_uint)csr->rows, .edges = (cl_uint)gemp_csr_edges(csr),
	              .value_size = out->edge ? 8 : 4 };
	const gemp_sort by_target = { .key = GEMP_KEY_U32, .value_size = w.value_size };
	uint64_t differ = csr->first ^ (csr->first + csr->rows - 1);
	unsigned bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 1;
	double ours, sorts;
	out->on_device = true;
	GEMP_TRY(open_working(&w, csr));
	GEMP_TRY(list_edges(&w));
	GEMP_TRY(gemp_sort_device(w.box, &by_target, &w.sorted, w.edges, bits));
	GEMP_TRY(find_rows(&w));
	GEMP_TRY(gemp_toolbox_seconds(w.box, &sorts));
	GEMP_TRY(gemp_laps_seconds(&w.laps, &ours));
	out->seconds = ours + sorts;
	GEMP_TRY(read_rows(&w));
	code = gemp_program_store(device, &w.program);
done:
	close_working(&w);
	return code;
}
