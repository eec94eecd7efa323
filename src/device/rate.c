#include "device/rate.h"
#include "core/memory.h"

#include "core/timer.h"
#include "device/launch.h"
#include "device/program.h"

enum { TRIES = 7, WORD = sizeof(cl_uint4) };

static double min_double(double a, double b)
{
	return a < b ? a : b;
}

/* Copies arrays that are larger than any cache and takes the fastest try. */
static gemp_code time_copy(gemp_device *device, const gemp_program *program, double *best)
{
	gemp_code code = GEMP_OK;
	gemp_buffer from = { 0 }, to = { 0 };
	cl_kernel kernel = NULL;
	size_t size = (device->memory - device->buffer_bytes) / 16,
		   max_size = device->gpu ? (size_t)2 << 30 : (size_t)128 << 20;
	size = (size < max_size ? size : max_size) / WORD * WORD;
	size_t group = device->gpu ? 256 : 1, groups = device->units * (size_t)(device->gpu ? 32 : 1);
	cl_ulong count = size / WORD, run = device->gpu ? 4 * group : (count + groups - 1) / groups;
	*best = 0;
	GEMP_TRY(gemp_kernel_new(&kernel, program, "rate_copy"));
	GEMP_TRY(gemp_buffer_new(&from, device, size, NULL));
	GEMP_TRY(gemp_buffer_new(&to, device, size, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &from, 0, size));
	double min_seconds = 1e9, seconds;
	for (int i = 0; i < TRIES; i++) {
		GEMP_TRY(gemp_launch(device, kernel, groups * group, group, GEMP_ARG(&from.mem), GEMP_ARG(&to.mem),
		                     GEMP_ARG(&count), GEMP_ARG(&run)));
		GEMP_TRY(gemp_launch_seconds(device, &seconds));
		min_seconds = i ? min_double(min_seconds, seconds)
		                : min_seconds; /* the first copy touches the pages for the first time */
	}
	*best = 2 * (double)size / min_seconds;
done:
	gemp_kernels_free(&kernel);
	gemp_buffers_free(device, &from, &to);
	return code;
}

/* Wall-clock time and device time of the same launches: the difference is the cost of the driver. */
static gemp_code time_launch(gemp_device *device, const gemp_program *program, gemp_rates *rates)
{
	gemp_code code = GEMP_OK;
	gemp_buffer out = { 0 };
	cl_kernel kernel = NULL;
	rates->launch = rates->empty = 1e9;
	GEMP_TRY(gemp_kernel_new(&kernel, program, "rate_nothing"));
	GEMP_TRY(gemp_buffer_new(&out, device, sizeof(cl_uint), NULL));
	for (int i = 0; i < 10 * TRIES; i++) {
		double since = gemp_now(), seconds;
		GEMP_TRY(gemp_launch(device, kernel, 1, 1, GEMP_ARG(&out.mem)));
		GEMP_TRY(GEMP_CL(clFinish(device->queue)));
		rates->launch = min_double(rates->launch, gemp_now() - since);
		GEMP_TRY(gemp_launch_seconds(device, &seconds));
		rates->empty = min_double(rates->empty, seconds);
	}
done:
	gemp_kernels_free(&kernel);
	gemp_buffer_free(&out, device);
	return code;
}

gemp_code gemp_device_rates(gemp_device *device, gemp_rates *rates)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	*rates = (gemp_rates){ 0 };
	GEMP_PROPAGATE(gemp_program_build_list(&program, device, "rate.cl", NULL, NULL, 0));
	GEMP_PROPAGATE(time_copy(device, &program, &rates->copy));
	GEMP_PROPAGATE(time_launch(device, &program, rates));
	return gemp_program_store(device, &program);
}
