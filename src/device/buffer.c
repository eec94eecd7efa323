#include "device/device.h"

/* One fill of 8 GiB hung an NVIDIA driver. */
enum { FILL_PIECE = 1 << 30 };

static gemp_code make(gemp_buffer *out, gemp_device *device, size_t size, size_t own, cl_mem_flags flags, void *from)
{
	size_t largest = own < size ? device->driver_largest : device->largest;
	*out = (gemp_buffer){ 0 };
	size_t free_bytes = device->memory > device->held ? device->memory - device->held : 0;
	if (size > largest)
		return gemp_fail(GEMP_ENOMEM, "a buffer of %zu bytes was asked for, and %s allows %zu at most; "
		                 "use more ranks, so that each holds less, or raise --device-memory", size, device->name,
		                 largest);
	if (own > free_bytes)
		return gemp_fail(GEMP_ENOMEM, "out of memory on %s: %zu bytes were asked for, and %zu of %zu are free; "
		                 "use more ranks or devices, or raise --device-memory", device->name, own, free_bytes,
		                 device->memory);
	cl_int error = CL_SUCCESS;
	cl_mem mem = clCreateBuffer(device->context, flags, size ? size : 1, size ? from : NULL, &error);
	gemp_code code = gemp_cl_check(error, "clCreateBuffer", __FILE__, __LINE__);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%zu bytes on %s: ", size, device->name);
	*out = (gemp_buffer){ mem, size, own };
	device->held += own;
	if (device->held > device->peak)
		device->peak = device->held;
	return GEMP_OK;
}

gemp_code gemp_buffer_new(gemp_buffer *out, gemp_device *device, size_t size, const void *from)
{
	cl_mem_flags flags = CL_MEM_READ_WRITE | (from && size ? CL_MEM_COPY_HOST_PTR : 0);
	return make(out, device, size, size, flags, (void *)(uintptr_t)from);
}

gemp_code gemp_buffer_borrow(gemp_buffer *out, gemp_device *device, size_t size, void *memory)
{
	if (device->gpu || size == 0)
		return gemp_buffer_new(out, device, size, memory);
	return make(out, device, size, size, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory);
}

gemp_code gemp_buffer_share(gemp_buffer *out, gemp_device *device, size_t size, void *memory, size_t own)
{
	if (device->gpu || size == 0)
		return gemp_buffer_new(out, device, size, memory);
	return make(out, device, size, own, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, memory);
}

void gemp_buffer_free(gemp_buffer *buffer, gemp_device *device)
{
	if (!buffer->mem)
		return;
	clReleaseMemObject(buffer->mem);
	device->held -= buffer->own;
	*buffer = (gemp_buffer){ 0 };
}

static void check_range(const gemp_buffer *buffer, size_t at, size_t size)
{
	GEMP_CHECK(at <= buffer->size && size <= buffer->size - at);
}

gemp_code gemp_buffer_write(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, const void *from)
{
	check_range(buffer, at, size);
	if (size == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueWriteBuffer(device->queue, buffer->mem, CL_TRUE, at, size, from, 0, NULL, NULL));
}

gemp_code gemp_buffer_read(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, void *to)
{
	check_range(buffer, at, size);
	if (size == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueReadBuffer(device->queue, buffer->mem, CL_TRUE, at, size, to, 0, NULL, NULL));
}

gemp_code gemp_buffer_zero(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size)
{
	static const cl_uint zero = 0;
	gemp_code code = GEMP_OK;
	check_range(buffer, at, size);
	size_t pattern = at % 4 == 0 && size % 4 == 0 ? 4 : 1;
	while (size > 0) {
		size_t piece = size < FILL_PIECE ? size : FILL_PIECE;
		GEMP_TRY(GEMP_CL(clEnqueueFillBuffer(device->queue, buffer->mem, &zero, pattern, at, piece, 0, NULL,
		                                     NULL)));
		at += piece;
		size -= piece;
	}
done:
	return code;
}
