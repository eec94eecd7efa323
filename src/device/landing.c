#include "device/landing.h"

gemp_code gemp_landing_begin(gemp_landing *out, gemp_device *device, const gemp_buffer *buffer,
                             const gemp_readback_range *ranges, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t size = 0;
	*out = (gemp_landing){ .buffer = buffer };
	GEMP_CHECK(count <= GEMP_READBACK_RANGES);
	for (size_t i = 0; i < count; i++) {
		GEMP_CHECK(ranges[i].at <= buffer->size && ranges[i].size <= buffer->size - ranges[i].at);
		out->ranges[i] = ranges[i];
		size += ranges[i].size;
	}
	if (size == 0)
		return GEMP_OK;
	if (device->gpu) {
		GEMP_TRY(gemp_locked_take(&out->locked, device, size));
	} else {
		cl_int error = CL_SUCCESS;
		out->mapped = clEnqueueMapBuffer(device->queue, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, buffer->size, 0,
		                                 NULL, NULL, &error);
		GEMP_TRY(gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__));
	}
	char *next = out->locked.host;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].size)
			out->host[i] = device->gpu ? next : out->mapped + ranges[i].at;
		if (device->gpu)
			next += ranges[i].size;
	}
done:
	return code;
}

gemp_code gemp_landing_end(gemp_landing *landing, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; landing->locked.mem && i < GEMP_READBACK_RANGES; i++)
		GEMP_TRY(gemp_buffer_write(device, landing->buffer, landing->ranges[i].at, landing->ranges[i].size, landing->host[i]));
	if (landing->mapped)
		code = GEMP_CL(clEnqueueUnmapMemObject(device->queue, landing->buffer->mem, landing->mapped, 0, NULL, NULL));
	landing->mapped = NULL;
done:
	return code;
}

void gemp_landing_free(gemp_landing *landing, gemp_device *device)
{
	if (landing->mapped)
		clEnqueueUnmapMemObject(device->queue, landing->buffer->mem, landing->mapped, 0, NULL, NULL);
	gemp_locked_leave(&landing->locked, device);
	*landing = (gemp_landing){ 0 };
}
