#include "device/device.h"

#include "core/memory.h"

#include <string.h>

#define NAME(error)   \
	{                 \
		error, #error \
	}

static const struct {
	cl_int error;
	const char *name;
} names[] = {
	NAME(CL_SUCCESS),
	NAME(CL_DEVICE_NOT_FOUND),
	NAME(CL_DEVICE_NOT_AVAILABLE),
	NAME(CL_COMPILER_NOT_AVAILABLE),
	NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
	NAME(CL_OUT_OF_RESOURCES),
	NAME(CL_OUT_OF_HOST_MEMORY),
	NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
	NAME(CL_MEM_COPY_OVERLAP),
	NAME(CL_IMAGE_FORMAT_MISMATCH),
	NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
	NAME(CL_BUILD_PROGRAM_FAILURE),
	NAME(CL_MAP_FAILURE),
	NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
	NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	NAME(CL_COMPILE_PROGRAM_FAILURE),
	NAME(CL_LINKER_NOT_AVAILABLE),
	NAME(CL_LINK_PROGRAM_FAILURE),
	NAME(CL_DEVICE_PARTITION_FAILED),
	NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
	NAME(CL_INVALID_VALUE),
	NAME(CL_INVALID_DEVICE_TYPE),
	NAME(CL_INVALID_PLATFORM),
	NAME(CL_INVALID_DEVICE),
	NAME(CL_INVALID_CONTEXT),
	NAME(CL_INVALID_QUEUE_PROPERTIES),
	NAME(CL_INVALID_COMMAND_QUEUE),
	NAME(CL_INVALID_HOST_PTR),
	NAME(CL_INVALID_MEM_OBJECT),
	NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
	NAME(CL_INVALID_IMAGE_SIZE),
	NAME(CL_INVALID_SAMPLER),
	NAME(CL_INVALID_BINARY),
	NAME(CL_INVALID_BUILD_OPTIONS),
	NAME(CL_INVALID_PROGRAM),
	NAME(CL_INVALID_PROGRAM_EXECUTABLE),
	NAME(CL_INVALID_KERNEL_NAME),
	NAME(CL_INVALID_KERNEL_DEFINITION),
	NAME(CL_INVALID_KERNEL),
	NAME(CL_INVALID_ARG_INDEX),
	NAME(CL_INVALID_ARG_VALUE),
	NAME(CL_INVALID_ARG_SIZE),
	NAME(CL_INVALID_KERNEL_ARGS),
	NAME(CL_INVALID_WORK_DIMENSION),
	NAME(CL_INVALID_WORK_GROUP_SIZE),
	NAME(CL_INVALID_WORK_ITEM_SIZE),
	NAME(CL_INVALID_GLOBAL_OFFSET),
	NAME(CL_INVALID_EVENT_WAIT_LIST),
	NAME(CL_INVALID_EVENT),
	NAME(CL_INVALID_OPERATION),
	NAME(CL_INVALID_BUFFER_SIZE),
	NAME(CL_INVALID_GLOBAL_WORK_SIZE),
	NAME(CL_INVALID_PROPERTY),
	NAME(CL_INVALID_COMPILER_OPTIONS),
	NAME(CL_INVALID_LINKER_OPTIONS),
	NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
	{ -1001, "CL_PLATFORM_NOT_FOUND_KHR" },
	{ -9999, "NVIDIA: illegal read or write in a kernel" },
};

/* The table has gaps, so it is searched; errors are rare. */
const char *gemp_cl_error_name(cl_int error)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].error == error)
			return names[i].name;
	return "unknown OpenCL error";
}

/* Users can remedy a lack of memory. All other errors name call and line for a bug report. */
gemp_code gemp_cl_check(cl_int error, const char *call, const char *file, int line)
{
	switch (error) {
	case CL_SUCCESS: return GEMP_OK;
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_OUT_OF_HOST_MEMORY:
		return gemp_fail(GEMP_ENOMEM,
		                 "out of memory on the device (%s in %s, %s:%d); use more ranks or devices, "
		                 "or a smaller device-memory",
		                 gemp_cl_error_name(error), call, file, line);
	default:
		return gemp_fail(GEMP_EINTERNAL, "OpenCL error %d (%s) in %s, %s:%d", (int)error, gemp_cl_error_name(error),
		                 call, file, line);
	}
}

/* Maximum bytes that are filled; the rest is copied. NVIDIA's driver hangs in one fill of 8 GiB. It loses the queue in
 * fills of 1 GiB beyond 2^31 patterns: 4-byte patterns at 8 GiB, 16-byte patterns at 32 GiB (H200, 2026-11). */
enum { MAX_FILL = 1 << 30 };

/* Checks the limits before OpenCL does. Drivers allocate lazily and would fail at a later launch, without naming the
 * size. */
static gemp_code check_room(const gemp_device *device, size_t size, size_t own)
{
	size_t largest = own < size ? device->driver_max_buffer : device->max_buffer;
	size_t free_bytes = device->memory > device->buffer_bytes ? device->memory - device->buffer_bytes : 0;
	if (size > largest)
		return gemp_fail(GEMP_ENOMEM,
		                 "a buffer of %zu bytes was asked for, and %s allows %zu at most; "
		                 "use more ranks, so that each holds less, or raise device-memory",
		                 size, device->name, largest);
	if (own > free_bytes)
		return gemp_fail(GEMP_ENOMEM,
		                 "out of memory on %s: %zu bytes were asked for, and %zu of %zu are free; "
		                 "use more ranks or devices, or raise device-memory",
		                 device->name, own, free_bytes, device->memory);
	return GEMP_OK;
}

static void keep_buffer(gemp_buffer *out, gemp_device *device, cl_mem mem, size_t size, size_t own)
{
	*out = (gemp_buffer){ mem, size, own, device };
	device->buffer_bytes += own;
	if (device->buffer_bytes > device->buffer_peak)
		device->buffer_peak = device->buffer_bytes;
}

static gemp_code create_buffer(gemp_buffer *out, gemp_device *device, size_t size, size_t own, cl_mem_flags flags,
                               void *from)
{
	*out = (gemp_buffer){ 0 };
	GEMP_TRY(check_room(device, size, own));
	cl_int error = CL_SUCCESS;
	cl_mem mem = clCreateBuffer(device->context, flags, size ? size : 1, size ? from : NULL, &error);
	gemp_code code = gemp_cl_check(error, "clCreateBuffer", __FILE__, __LINE__);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%zu bytes on %s: ", size, device->name);
	keep_buffer(out, device, mem, size, own);
	return GEMP_OK;
}

bool gemp_device_has(const gemp_device *device, const char *extension)
{
	size_t size = 0;
	GEMP_OWNED char *names = NULL;
	if (clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS ||
	    GEMP_NEW(names, size + 1) != GEMP_OK ||
	    clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, size, names, NULL) != CL_SUCCESS)
		return false;
	return strstr(names, extension) != NULL;
}

gemp_code gemp_buffer_adopt(gemp_buffer *out, gemp_device *device, cl_mem mem, size_t size, size_t own)
{
	const gemp_code code = check_room(device, size, own);
	*out = (gemp_buffer){ 0 };
	if (code == GEMP_OK)
		keep_buffer(out, device, mem, size, own);
	else
		clReleaseMemObject(mem);
	return code;
}

/* The driver copies `from` before the call returns, so the caller may reuse that memory. */
gemp_code gemp_buffer_new(gemp_buffer *out, gemp_device *device, size_t size, const void *from)
{
	cl_mem_flags flags = CL_MEM_READ_WRITE | (from && size ? CL_MEM_COPY_HOST_PTR : 0);
	return create_buffer(out, device, size, size, flags, (void *)(uintptr_t)from);
}

/* CL_MEM_USE_HOST_PTR on a CPU device saves the copy and its memory. */
gemp_code gemp_buffer_borrow(gemp_buffer *out, gemp_device *device, size_t size, void *memory)
{
	if (device->gpu || size == 0)
		return gemp_buffer_new(out, device, size, memory);
	return create_buffer(out, device, size, size, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory);
}

/* The whole shared memory is mapped, but only this rank's part of it counts against the rank's limit. */
gemp_code gemp_buffer_share(gemp_buffer *out, gemp_device *device, size_t size, void *memory, size_t own)
{
	if (device->gpu || size == 0)
		return gemp_buffer_new(out, device, size, memory);
	return create_buffer(out, device, size, own, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, memory);
}

/* A buffer that was never made is allowed, so callers can free all their buffers after a failure. */
void gemp_buffer_free(gemp_buffer *buffer, gemp_device *device)
{
	if (!buffer->mem)
		return;
	clReleaseMemObject(buffer->mem);
	device->buffer_bytes -= buffer->counted;
	*buffer = (gemp_buffer){ 0 };
}

/* The buffer has a pointer to the device that counts its bytes. */
void gemp_buffer_release(gemp_buffer *buffer)
{
	gemp_buffer_free(buffer, buffer->device);
}

gemp_code gemp_buffer_reserve(gemp_buffer *buffer, gemp_device *device, size_t size)
{
	if (buffer->mem && buffer->size >= size)
		return GEMP_OK;
	gemp_buffer_free(buffer, device);
	*buffer = (gemp_buffer){ 0 };
	return gemp_buffer_new(buffer, device, size ? size : 1, NULL);
}

void gemp_buffer_list_free(gemp_device *device, gemp_buffer **buffers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gemp_buffer_free(buffers[i], device);
}

/* A range beyond the buffer is a programmer's error, which drivers report late or not at all. */
static void check_range(const gemp_buffer *buffer, size_t at, size_t size)
{
	GEMP_CHECK(at <= buffer->size && size <= buffer->size - at);
}

/* Waits for the copy, and thus for every kernel that was enqueued before it. */
gemp_code gemp_buffer_write(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, const void *from)
{
	check_range(buffer, at, size);
	if (size == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueWriteBuffer(device->queue, buffer->mem, CL_TRUE, at, size, from, 0, NULL, NULL));
}

/* Waits for the kernels that were enqueued before it, since the queue is in order. */
gemp_code gemp_buffer_read(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size, void *to)
{
	check_range(buffer, at, size);
	if (size == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueReadBuffer(device->queue, buffer->mem, CL_TRUE, at, size, to, 0, NULL, NULL));
}

/* Fills with a pattern of 4 bytes if offset and size are multiples of 4, otherwise with single bytes. */
gemp_code gemp_buffer_zero(gemp_device *device, const gemp_buffer *buffer, size_t at, size_t size)
{
	static const cl_uint zero = 0;
	check_range(buffer, at, size);
	size_t pattern = at % 4 == 0 && size % 4 == 0 ? 4 : 1;
	size_t fill = size < MAX_FILL ? size : MAX_FILL;
	if (!size)
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clEnqueueFillBuffer(device->queue, buffer->mem, &zero, pattern, at, fill, 0, NULL, NULL)));
	for (size_t done = fill; done < size; done += fill) {
		fill = size - done < MAX_FILL ? size - done : MAX_FILL;
		GEMP_TRY(
			GEMP_CL(clEnqueueCopyBuffer(device->queue, buffer->mem, buffer->mem, at, at + done, fill, 0, NULL, NULL)));
	}
	return GEMP_OK;
}
