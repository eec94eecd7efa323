#include "device/traced.h"

static gemp_code kernel_failed(gemp_code code, cl_kernel kernel)
{
	char name[64] = "?";
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	return gemp_fail_in(code, "kernel %s: ", name);
}

gemp_code gemp_launch_with(gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                           const gemp_argument *arguments, size_t count)
{
	gemp_code code = GEMP_OK;
	if (global == 0)
		return GEMP_OK;
	for (size_t i = 0; i < count; i++) {
		code = GEMP_CL(clSetKernelArg(kernel, (cl_uint)i, arguments[i].size, arguments[i].value));
		if (code != GEMP_OK)
			return kernel_failed(gemp_fail_in(code, "argument %zu: ", i), kernel);
	}
	if (group)
		global = (global + group - 1) / group * group;
	gemp_forget_launch(device);
	double began = gemp_now();
	code = GEMP_CL(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, group ? &group : NULL, 0, NULL,
	                                      &device->launched));
	if (code != GEMP_OK)
		return kernel_failed(code, kernel);
	gemp_traced_add(device, kernel, began);
	return GEMP_OK;
}

void gemp_forget_launch(gemp_device *device)
{
	if (device->launched)
		clReleaseEvent(device->launched);
	device->launched = NULL;
}

gemp_code gemp_launch_seconds(gemp_device *device, double *seconds)
{
	gemp_code code = GEMP_OK;
	cl_ulong start = 0, end = 0;
	*seconds = 0;
	if (!device->launched)
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clWaitForEvents(1, &device->launched)));
	GEMP_TRY(GEMP_CL(clGetEventProfilingInfo(device->launched, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)));
	GEMP_TRY(GEMP_CL(clGetEventProfilingInfo(device->launched, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)));
	*seconds = 1e-9 * (double)(end - start);
done:
	return code;
}

bool gemp_launch_over(const gemp_device *device)
{
	cl_int status = CL_COMPLETE;
	if (!device->launched)
		return true;
	cl_int error = clGetEventInfo(device->launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	return error != CL_SUCCESS || status <= CL_COMPLETE;
}

size_t gemp_worker_group(const gemp_device *device, unsigned lanes, size_t wanted)
{
	if (lanes > 1 && !device->nvidia)
		return lanes;
	if (!device->gpu)
		return 1;
	size_t warp = 32;
	if (wanted > device->group)
		wanted = device->group;
	return wanted < warp ? warp : wanted / warp * warp;
}
