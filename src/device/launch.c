#include "device/device.h"

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
	code = GEMP_CL(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, group ? &group : NULL, 0, NULL,
	                                      NULL));
	return code == GEMP_OK ? code : kernel_failed(code, kernel);
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
