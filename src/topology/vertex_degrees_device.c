#include "topology/vertex_degrees_device.h"

#include "core/memory.h"
#include "device/laps.h"
#include "device/transfer.h"
#include "topology/device_csr.h"

enum { HOST_BELOW = 1 << 26 };

typedef struct working {
	gemp_device *device;
	gemp_vertex_degrees *out;
	cl_kernel kernel;
	gemp_buffer in;
	gemp_laps laps;
} working;

bool gemp_vertex_degrees_choose_device(const gemp_device *device, const gemp_csr *csr, size_t count, gemp_where place)
{
	uint64_t edges = gemp_csr_all_edges(csr, count);
	return count && csr->rows && edges < UINT32_MAX &&
	       gemp_on_device(device, place, edges + csr->rows, "degrees.host_below", HOST_BELOW);
}

static gemp_code count_type(working *w, const gemp_csr *csr)
{
	gemp_code code = GEMP_OK;
	gemp_buffer target = { 0 };
	const cl_ulong edges = gemp_csr_edges(csr);
	const cl_uint first = csr->first;
	const gemp_device_grid grid = gemp_device_grid_over(w->device, (size_t)edges);
	if (!edges)
		return GEMP_OK;
	double since = gemp_now();
	GEMP_TRY(gemp_device_targets_new(&target, w->device, csr->target, (size_t)edges));
	w->out->transfers += gemp_now() - since;
	GEMP_TRY(gemp_launch(w->device, w->kernel, grid.items, grid.group, GEMP_ARG(&target.mem), GEMP_ARG(&edges),
	                     GEMP_ARG(&first), GEMP_ARG(&w->in.mem)));
	GEMP_TRY(gemp_laps_add(&w->laps, w->device));
	code = GEMP_CL(clFinish(w->device->queue));
done:
	gemp_buffer_free(&target, w->device);
	return code;
}

static gemp_code read_counts(working *w)
{
	gemp_code code = GEMP_OK;
	uint32_t *counts = NULL;
	size_t rows = w->out->rows;
	double since = gemp_now();
	GEMP_TRY(GEMP_NEW(counts, rows));
	GEMP_TRY(GEMP_CL(clFinish(w->device->queue)));
	GEMP_TRY(gemp_transfer_take(w->device, &w->in, 0, (gemp_transfer_numbers){ .narrow = counts }, rows));
	w->out->transfers += gemp_now() - since;
	for (size_t row = 0; row < rows; row++)
		w->out->in[row] += counts[row];
done:
	gemp_free(counts);
	return code;
}

gemp_code gemp_vertex_degrees_on_device(gemp_vertex_degrees *out, gemp_device *device, const gemp_csr *csr,
                                        size_t count)
{
	gemp_code code = GEMP_OK;
	working w = { .device = device, .out = out };
	gemp_program program = { 0 };
	const gemp_device_csr any = { .device = device };
	size_t size = out->rows * sizeof(cl_uint);
	out->on_device = true;
	GEMP_TRY(gemp_device_csr_program(&program, &any, "degrees.cl", NULL));
	GEMP_TRY(gemp_kernel_new(&w.kernel, &program, "degrees_in"));
	GEMP_TRY(gemp_buffer_new(&w.in, device, size, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &w.in, 0, size));
	for (size_t c = 0; c < count; c++)
		GEMP_TRY(count_type(&w, &csr[c]));
	GEMP_TRY(read_counts(&w));
	GEMP_TRY(gemp_laps_seconds(&w.laps, &out->seconds));
	code = gemp_program_store(device, &program);
done:
	gemp_laps_free(&w.laps);
	if (w.kernel)
		clReleaseKernel(w.kernel);
	gemp_program_free(&program);
	gemp_buffer_free(&w.in, device);
	return code;
}
