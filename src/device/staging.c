#include "device/staging.h"

#include "core/status.h"
#include "core/types.h"

#include <string.h>
#include <unistd.h>

enum { MIN_PINNED = 1 << 20, ALIGNMENT = 64 };

/* Locked memory is taken at the first transfer, since many searches deliver no result. */
gemp_code gemp_readback_new(gemp_readback *out, gemp_device *device, size_t size)
{
	*out = (gemp_readback){ 0 };
	return gemp_buffer_new(&out->buffer, device, size, NULL);
}

/* LOCKED MEMORY. Locking takes milliseconds per 10 MB, so a pool keeps the memory of one readback for the next. */

/* Unmaps and finishes the queue before the release, since a driver may still write to the memory. */
static void unpin(gemp_pinned *pinned, gemp_device *device)
{
	if (pinned->host) {
		clEnqueueUnmapMemObject(device->copy_queue, pinned->mem, pinned->host, 0, NULL, NULL);
		clFinish(device->copy_queue);
	}
	if (pinned->mem)
		clReleaseMemObject(pinned->mem);
	*pinned = (gemp_pinned){ 0 };
}

/* If the pool is full, the smallest block is released. */
static void return_to_pool(gemp_pinned *pinned, gemp_device *device)
{
	gemp_pinned *place = &device->pinned_pool[0];
	for (size_t i = 1; i < GEMP_PINNED_POOL; i++)
		if (device->pinned_pool[i].capacity < place->capacity)
			place = &device->pinned_pool[i];
	if (place->capacity < pinned->capacity) {
		gemp_pinned smaller = *place;
		*place = *pinned;
		*pinned = smaller;
	}
	unpin(pinned, device);
}

/* Takes any block that is large enough. The pool has two blocks, because a search alternates between two buffers. */
static bool take_from_pool(gemp_pinned *out, gemp_device *device, size_t needed)
{
	for (size_t i = 0; i < GEMP_PINNED_POOL; i++)
		if (device->pinned_pool[i].host && device->pinned_pool[i].capacity >= needed) {
			*out = device->pinned_pool[i];
			device->pinned_pool[i] = (gemp_pinned){ 0 };
			return true;
		}
	return false;
}

/* Called when the device is closed. Blocks in use belong to their readbacks. */
void gemp_pinned_free_pool(gemp_device *device)
{
	for (size_t i = 0; i < GEMP_PINNED_POOL; i++)
		unpin(&device->pinned_pool[i], device);
}

/* A buffer that the driver allocates in host memory is locked as long as it is mapped. */
gemp_code gemp_pinned_take(gemp_pinned *out, gemp_device *device, size_t size)
{
	cl_int error = CL_SUCCESS;
	*out = (gemp_pinned){ 0 };
	if (take_from_pool(out, device, size))
		return GEMP_OK;
	out->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &error);
	gemp_code code = gemp_cl_check(error, "clCreateBuffer", __FILE__, __LINE__);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%zu bytes of page-pinned host memory: ", size);
	out->host = clEnqueueMapBuffer(device->copy_queue, out->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL,
	                               NULL, &error);
	out->capacity = size;
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

/* No command uses this buffer. While it exists, the pages are locked and copies of the memory itself are fast. */
void gemp_pinned_register(gemp_pinned *out, gemp_device *device, void *memory, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), lead = (uintptr_t)memory % page;
	cl_int error = CL_SUCCESS;
	*out = (gemp_pinned){ .host = (char *)memory - lead, .capacity = (lead + size + page - 1) / page * page };
	if (device->gpu && size)
		out->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, out->capacity, out->host,
		                          &error);
	if (error != CL_SUCCESS)
		out->mem = NULL;
}

/* The memory itself belongs to the caller. */
void gemp_pinned_unregister(gemp_pinned *pinned)
{
	if (pinned->mem)
		clReleaseMemObject(pinned->mem);
	*pinned = (gemp_pinned){ 0 };
}

/* Returns the block to the device's pool. Memory that was never taken is allowed. */
void gemp_pinned_release(gemp_pinned *pinned, gemp_device *device)
{
	if (pinned->mem)
		return_to_pool(pinned, device);
}

/* Takes four times the needed size, or 1 MiB if less than 1 MiB is needed, so that larger transfers fit later. The
 * buffer's size is the maximum. */
static gemp_code pin(gemp_readback *readback, gemp_device *device, size_t needed)
{
	size_t wanted = needed < MIN_PINNED ? MIN_PINNED : 4 * needed;
	size_t max_size = readback->buffer.size + GEMP_READBACK_RANGES * ALIGNMENT;
	if (needed <= readback->pinned.capacity)
		return GEMP_OK;
	gemp_pinned_release(&readback->pinned, device);
	if (take_from_pool(&readback->pinned, device, needed))
		return GEMP_OK;
	return gemp_pinned_take(&readback->pinned, device, gemp_min(wanted, max_size));
}

/* READING */

/* Releases the event, which is needed only until the transfer has been awaited. */
static void forget_transfer(gemp_readback *readback)
{
	if (readback->arrived)
		clReleaseEvent(readback->arrived);
	readback->arrived = NULL;
}

/* Waits for a transfer first, because it would write to memory that the pool may give to another readback. */
void gemp_readback_free(gemp_readback *readback, gemp_device *device)
{
	if (readback->arrived)
		clWaitForEvents(1, &readback->arrived);
	forget_transfer(readback);
	return_to_pool(&readback->pinned, device);
	gemp_readback_end(readback, device);
	gemp_buffer_free(&readback->buffer, device);
	*readback = (gemp_readback){ 0 };
}

/* Returns the sum of the sizes. Each range must lie in the buffer. */
static size_t check_ranges(const gemp_buffer *buffer, const gemp_readback_range *ranges, size_t count)
{
	size_t size = 0;
	GEMP_CHECK(count <= GEMP_READBACK_RANGES);
	for (size_t i = 0; i < count; i++) {
		GEMP_CHECK(ranges[i].offset <= buffer->size && ranges[i].size <= buffer->size - ranges[i].offset);
		size += ranges[i].size;
	}
	return size;
}

/* Waits, so the host can use the buffer as soon as the call returns. */
static gemp_code map_buffer(char **mapped, gemp_device *device, const gemp_buffer *buffer, cl_map_flags access)
{
	cl_int error = CL_SUCCESS;
	*mapped = clEnqueueMapBuffer(device->queue, buffer->mem, CL_TRUE, access, 0, buffer->size, 0, NULL, NULL, &error);
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

/* The queue is in order, so kernels that are launched later see the data of the host. */
static gemp_code unmap_buffer(char **mapped, gemp_device *device, const gemp_buffer *buffer)
{
	char *host = *mapped;
	*mapped = NULL;
	return host ? GEMP_CL(clEnqueueUnmapMemObject(device->queue, buffer->mem, host, 0, NULL, NULL)) : GEMP_OK;
}

/* Maps the buffer while no kernel runs, because a CPU device has no free core later. */
static gemp_code map(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges, size_t count)
{
	if (!readback->mapped)
		GEMP_TRY(map_buffer(&readback->mapped, device, &readback->buffer, CL_MAP_READ));
	for (size_t i = 0; i < count; i++)
		readback->host[i] = readback->mapped + ranges[i].offset;
	return GEMP_OK;
}

/* Ranges begin at multiples of 64 bytes, for vector loads and cache lines. */
static size_t rounded_size(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Copies the ranges one behind the other. */
static gemp_code copy(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges, size_t count)
{
	size_t needed = 0;
	for (size_t i = 0; i < count; i++)
		needed += rounded_size(ranges[i].size);
	GEMP_TRY(pin(readback, device, needed));
	char *to = readback->pinned.host;
	for (size_t i = 0; i < count; to += rounded_size(ranges[i++].size)) {
		readback->host[i] = to;
		if (ranges[i].size == 0)
			continue;
		forget_transfer(readback);
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(device->copy_queue, readback->buffer.mem, CL_FALSE, ranges[i].offset,
		                                     ranges[i].size, to, 0, NULL, &readback->arrived)));
	}
	return GEMP_CL(clFlush(device->copy_queue));
}

/* Empty ranges start no transfer, so a search without matches costs none. */
gemp_code gemp_readback_begin(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges,
                              size_t count)
{
	if (check_ranges(&readback->buffer, ranges, count) == 0)
		return GEMP_OK;
	return device->gpu ? copy(readback, device, ranges, count) : map(readback, device, ranges, count);
}

/* A mapped buffer has no event and needs no wait. */
gemp_code gemp_readback_wait(gemp_readback *readback)
{
	gemp_code code = readback->arrived ? GEMP_CL(clWaitForEvents(1, &readback->arrived)) : GEMP_OK;
	forget_transfer(readback);
	return code;
}

/* On a GPU nothing is mapped, and the locked memory is kept for the next transfer. */
gemp_code gemp_readback_end(gemp_readback *readback, gemp_device *device)
{
	return unmap_buffer(&readback->mapped, device, &readback->buffer);
}

/* On a GPU the ranges are contiguous in locked memory. On a CPU device they lie in the buffer itself. */
gemp_code gemp_host_mapping_begin(gemp_host_mapping *out, gemp_device *device, const gemp_buffer *buffer,
                                  const gemp_readback_range *ranges, size_t count)
{
	size_t size = check_ranges(buffer, ranges, count);
	*out = (gemp_host_mapping){ .buffer = buffer };
	for (size_t i = 0; i < count; i++)
		out->ranges[i] = ranges[i];
	if (size == 0)
		return GEMP_OK;
	if (device->gpu)
		GEMP_TRY(gemp_pinned_take(&out->pinned, device, size));
	else
		GEMP_TRY(map_buffer(&out->mapped, device, buffer, CL_MAP_READ | CL_MAP_WRITE));
	char *next = out->pinned.host;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].size)
			out->host[i] = device->gpu ? next : out->mapped + ranges[i].offset;
		if (device->gpu)
			next += ranges[i].size;
	}
	return GEMP_OK;
}

/* The write waits for earlier kernels, since the queue is in order. */
gemp_code gemp_host_mapping_end(gemp_host_mapping *mapping, gemp_device *device)
{
	for (size_t i = 0; mapping->pinned.mem && i < GEMP_READBACK_RANGES; i++)
		GEMP_TRY(gemp_buffer_write(device, mapping->buffer, mapping->ranges[i].offset, mapping->ranges[i].size,
		                           mapping->host[i]));
	return unmap_buffer(&mapping->mapped, device, mapping->buffer);
}

/* After a failure the buffer may still be mapped. */
void gemp_host_mapping_free(gemp_host_mapping *mapping, gemp_device *device)
{
	unmap_buffer(&mapping->mapped, device, mapping->buffer);
	gemp_pinned_release(&mapping->pinned, device);
	*mapping = (gemp_host_mapping){ 0 };
}
