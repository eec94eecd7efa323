#include "device/readback.h"

enum { LEAST_ROOM = 1 << 20 };

gemp_code gemp_readback_new(gemp_readback *out, gemp_device *device, size_t size)
{
	*out = (gemp_readback){ 0 };
	return gemp_buffer_new(&out->buffer, device, size, NULL);
}

static void unlock_memory(gemp_readback *readback, gemp_device *device)
{
	if (readback->host) {
		clEnqueueUnmapMemObject(device->transfer, readback->locked, readback->host, 0, NULL, NULL);
		clFinish(device->transfer);
	}
	if (readback->locked)
		clReleaseMemObject(readback->locked);
	readback->locked = NULL;
	readback->host = NULL;
	readback->room = 0;
}

/* Locking takes milliseconds per 10 MB: no more than four times what is needed. */
static gemp_code lock_memory(gemp_readback *readback, gemp_device *device, size_t needed)
{
	gemp_code code = GEMP_OK;
	cl_int error = CL_SUCCESS;
	size_t room = needed < LEAST_ROOM ? LEAST_ROOM : 4 * needed;
	if (needed <= readback->room)
		return GEMP_OK;
	if (room > readback->buffer.size)
		room = readback->buffer.size;
	unlock_memory(readback, device);
	readback->locked = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, room, NULL, &error);
	code = gemp_cl_check(error, "clCreateBuffer", __FILE__, __LINE__);
	if (code != GEMP_OK)
		return gemp_fail_in(code, "%zu bytes of page-locked host memory: ", room);
	readback->host = clEnqueueMapBuffer(device->transfer, readback->locked, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, room,
	                                    0, NULL, NULL, &error);
	readback->room = room;
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

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
	if (readback->locked)
		unlock_memory(readback, device);
	else
		gemp_readback_end(readback, device);
	gemp_buffer_free(&readback->buffer, device);
	*readback = (gemp_readback){ 0 };
}

/* Mapped while no kernel runs: a CPU device has no core to spare for it later. */
static gemp_code map(gemp_readback *readback, gemp_device *device)
{
	cl_int error = CL_SUCCESS;
	if (readback->host)
		return GEMP_OK;
	readback->host = clEnqueueMapBuffer(device->queue, readback->buffer.mem, CL_TRUE, CL_MAP_READ, 0,
	                                    readback->buffer.size, 0, NULL, NULL, &error);
	return gemp_cl_check(error, "clEnqueueMapBuffer", __FILE__, __LINE__);
}

gemp_code gemp_readback_begin(gemp_readback *readback, gemp_device *device, size_t at, size_t size)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(at <= readback->buffer.size && size <= readback->buffer.size - at);
	if (size == 0)
		return GEMP_OK;
	if (!device->gpu)
		return map(readback, device);
	GEMP_TRY(lock_memory(readback, device, at + size));
	forget_transfer(readback);
	GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(device->transfer, readback->buffer.mem, CL_FALSE, at, size, readback->host + at,
	                                     0, NULL, &readback->arrived)));
	GEMP_TRY(GEMP_CL(clFlush(device->transfer)));
done:
	return code;
}

gemp_code gemp_readback_wait(gemp_readback *readback)
{
	gemp_code code = readback->arrived ? GEMP_CL(clWaitForEvents(1, &readback->arrived)) : GEMP_OK;
	forget_transfer(readback);
	return code;
}

gemp_code gemp_readback_end(gemp_readback *readback, gemp_device *device)
{
	char *host = readback->host;
	if (readback->locked || !host)
		return GEMP_OK;
	readback->host = NULL;
	return GEMP_CL(clEnqueueUnmapMemObject(device->queue, readback->buffer.mem, host, 0, NULL, NULL));
}
