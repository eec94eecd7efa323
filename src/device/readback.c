#include "device/readback.h"

#include <unistd.h>

enum { LEAST_ROOM = 1 << 20, PLACE = 64 };

gemp_code gemp_readback_new(gemp_readback *out, gemp_device *device, size_t size)
{
	*out = (gemp_readback){ 0 };
	return gemp_buffer_new(&out->buffer, device, size, NULL);
}

/* LOCKED MEMORY. Locking takes milliseconds per 10 MB: what one readback leaves the next one takes. */

static void unlock(gemp_locked *locked, gemp_device *device)
{
	if (locked->host) {
		clEnqueueUnmapMemObject(device->transfer, locked->mem, locked->host, 0, NULL, NULL);
		clFinish(device->transfer);
	}
	if (locked->mem)
		clReleaseMemObject(locked->mem);
	*locked = (gemp_locked){ 0 };
}

/* The smallest of those that are left gives way. */
static void leave(gemp_locked *locked, gemp_device *device)
{
	gemp_locked *place = &device->locked[0];
	for (size_t i = 1; i < GEMP_LOCKED_LEFT; i++)
		if (device->locked[i].room < place->room)
			place = &device->locked[i];
	if (place->room < locked->room) {
		gemp_locked smaller = *place;
		*place = *locked;
		*locked = smaller;
	}
	unlock(locked, device);
}

static bool take_left(gemp_locked *out, gemp_device *device, size_t needed)
{
	for (size_t i = 0; i < GEMP_LOCKED_LEFT; i++)
		if (device->locked[i].host && device->locked[i].room >= needed) {
			*out = device->locked[i];
			device->locked[i] = (gemp_locked){ 0 };
			return true;
		}
	return false;
}

void gemp_locked_forget(gemp_device *device)
{
	for (size_t i = 0; i < GEMP_LOCKED_LEFT; i++)
		unlock(&device->locked[i], device);
}

gemp_code gemp_locked_take(gemp_locked *out, gemp_device *device, size_t size)
{
	cl_int error = CL_SUCCESS;
	*out = (gemp_locked){ 0 };
	if (take_left(out, device, size))
		return GEMP_OK;
	out->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &error);
	gemp_code code = gemp_cl_check(error, "clCreateBuffer", __FILE__, __LINE__);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%zu bytes of page-locked host memory: ", size);
	out->host = clEnqueueMapBuffer(device->transfer, out->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL,
	                               &error);
	out->room = size;
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

/* No command uses the buffer: what copies to and from the memory itself has from it is their speed. */
void gemp_locked_pin(gemp_locked *out, gemp_device *device, void *memory, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), lead = (uintptr_t)memory % page;
	cl_int error = CL_SUCCESS;
	*out = (gemp_locked){ .host = (char *)memory - lead, .room = (lead + size + page - 1) / page * page };
	if (device->gpu && size)
		out->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, out->room, out->host, &error);
	if (error != CL_SUCCESS)
		out->mem = NULL;
}

void gemp_locked_unpin(gemp_locked *locked)
{
	if (locked->mem)
		clReleaseMemObject(locked->mem);
	*locked = (gemp_locked){ 0 };
}

void gemp_locked_leave(gemp_locked *locked, gemp_device *device)
{
	if (locked->mem)
		leave(locked, device);
}

/* No more than four times what is needed. */
static gemp_code lock(gemp_readback *readback, gemp_device *device, size_t needed)
{
	size_t room = needed < LEAST_ROOM ? LEAST_ROOM : 4 * needed, most = readback->buffer.size + GEMP_READBACK_RANGES * PLACE;
	if (needed <= readback->locked.room)
		return GEMP_OK;
	gemp_locked_leave(&readback->locked, device);
	if (take_left(&readback->locked, device, needed))
		return GEMP_OK;
	return gemp_locked_take(&readback->locked, device, room < most ? room : most);
}

/* READING */

static void forget_transfer(gemp_readback *readback)
{
	if (readback->arrived)
		clReleaseEvent(readback->arrived);
	readback->arrived = NULL;
}

void gemp_readback_free(gemp_readback *readback, gemp_device *device)
{
	if (readback->arrived)
		clWaitForEvents(1, &readback->arrived);
	forget_transfer(readback);
	leave(&readback->locked, device);
	gemp_readback_end(readback, device);
	gemp_buffer_free(&readback->buffer, device);
	*readback = (gemp_readback){ 0 };
}

/* Mapped while no kernel runs: a CPU device has no core to spare for it later. */
static gemp_code map(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges, size_t count)
{
	cl_int error = CL_SUCCESS;
	if (!readback->mapped)
		readback->mapped = clEnqueueMapBuffer(device->queue, readback->buffer.mem, CL_TRUE, CL_MAP_READ, 0,
		                                      readback->buffer.size, 0, NULL, NULL, &error);
	for (size_t i = 0; i < count && error == CL_SUCCESS; i++)
		readback->host[i] = readback->mapped + ranges[i].at;
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

static size_t places(size_t size)
{
	return (size + PLACE - 1) / PLACE * PLACE;
}

/* One range behind the other. */
static gemp_code copy(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t needed = 0;
	for (size_t i = 0; i < count; i++)
		needed += places(ranges[i].size);
	GEMP_TRY(lock(readback, device, needed));
	char *to = readback->locked.host;
	for (size_t i = 0; i < count; to += places(ranges[i++].size)) {
		readback->host[i] = to;
		if (ranges[i].size == 0)
			continue;
		forget_transfer(readback);
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(device->transfer, readback->buffer.mem, CL_FALSE, ranges[i].at,
		                                     ranges[i].size, to, 0, NULL, &readback->arrived)));
	}
	GEMP_TRY(GEMP_CL(clFlush(device->transfer)));
done:
	return code;
}

gemp_code gemp_readback_begin(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges, size_t count)
{
	size_t size = 0;
	GEMP_CHECK(count <= GEMP_READBACK_RANGES);
	for (size_t i = 0; i < count; i++) {
		GEMP_CHECK(ranges[i].at <= readback->buffer.size && ranges[i].size <= readback->buffer.size - ranges[i].at);
		size += ranges[i].size;
	}
	if (size == 0)
		return GEMP_OK;
	return device->gpu ? copy(readback, device, ranges, count) : map(readback, device, ranges, count);
}

gemp_code gemp_readback_wait(gemp_readback *readback)
{
	gemp_code code = readback->arrived ? GEMP_CL(clWaitForEvents(1, &readback->arrived)) : GEMP_OK;
	forget_transfer(readback);
	return code;
}

gemp_code gemp_readback_end(gemp_readback *readback, gemp_device *device)
{
	char *mapped = readback->mapped;
	if (!mapped)
		return GEMP_OK;
	readback->mapped = NULL;
	return GEMP_CL(clEnqueueUnmapMemObject(device->queue, readback->buffer.mem, mapped, 0, NULL, NULL));
}
