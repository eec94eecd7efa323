/* NVIDIA's driver waits forever at the end of a context if a buffer is still acquired, so every buffer is released
 * before it is freed. Acquiring a block once, and not for each exchange, is enough: a queue that has been finished has
 * written everything to the memory of its GPU, and copies from another GPU are not cached. */

#include "device/shared_block.h"

#include "core/status.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* OpenCL 3.0. The loader may be older than the driver, so the function is looked up and not linked. */
typedef cl_mem (*create_function)(cl_context context, const cl_ulong *properties, cl_mem_flags flags, size_t size,
                                  void *host, cl_int *error);
/* cl_khr_external_memory */
typedef cl_int (*acquire_function)(cl_command_queue queue, cl_uint count, const cl_mem *buffers, cl_uint waits,
                                   const cl_event *list, cl_event *event);

bool gemp_shared_block_possible(const gemp_device *device)
{
	return !device->gpu || (device->nvidia && gemp_device_has(device, "cl_khr_external_memory_opaque_fd"));
}

gemp_code gemp_shared_block_device(unsigned char out[GEMP_BLOCK_DEVICE], const gemp_device *device)
{
	memset(out, 0, GEMP_BLOCK_DEVICE);
	return device->gpu ? GEMP_CL(clGetDeviceInfo(device->id, CL_DEVICE_UUID_KHR, GEMP_BLOCK_DEVICE, out, NULL))
	                   : GEMP_OK;
}

gemp_code gemp_shared_block_check_peers(const gemp_device *device, const unsigned char *peers, size_t count)
{
	return device->gpu ? gemp_cuda_check_peers(device, peers, count) : GEMP_OK;
}

/* FILES IN MEMORY, FOR CPU DEVICES */

/* The pages are taken here, since a write beyond the memory of the system would end the process. */
static gemp_code new_file(int *out, size_t size)
{
	*out = memfd_create("gemp-mpi block", MFD_CLOEXEC);
	if (*out < 0)
		return gemp_fail(GEMP_ENOMEM, "no file in memory could be made: %s", strerror(errno));
	const int error = posix_fallocate(*out, 0, (off_t)size);
	if (error == 0)
		return GEMP_OK;
	close(*out);
	*out = -1;
	return gemp_fail(GEMP_ENOMEM, "no file of %zu bytes in memory could be made: %s", size, strerror(error));
}

static gemp_code map_file(gemp_shared_block *block, int file, size_t size, size_t own)
{
	cl_int error = CL_SUCCESS;
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (mapped == MAP_FAILED)
		return gemp_fail(GEMP_ENOMEM, "%zu bytes of a block could not be mapped: %s", size, strerror(errno));
	block->mapped = mapped;
	cl_mem mem = clCreateBuffer(block->device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, mapped, &error);
	gemp_code code = gemp_cl_check(error, "clCreateBuffer", __FILE__, __LINE__);
	GEMP_THEN(gemp_buffer_adopt(&block->buffer, block->device, mem, size, own));
	if (code != GEMP_OK)
		munmap(mapped, size);
	return code;
}

/* MEMORY OF GPUS */

static gemp_code call_acquire(gemp_shared_block *block, const char *name)
{
	cl_platform_id platform;
	acquire_function function;
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(block->device->id, CL_DEVICE_PLATFORM, sizeof platform, (void *)&platform, NULL)));
	void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
	if (!found)
		return gemp_fail(GEMP_ENODEVICE, "the driver of %s has no %s", block->device->name, name);
	memcpy(&function, &found, sizeof function);
	GEMP_TRY(
		gemp_cl_check(function(block->device->queue, 1, &block->buffer.mem, 0, NULL, NULL), name, __FILE__, __LINE__));
	return GEMP_CL(clFinish(block->device->queue));
}

/* The driver may take over the descriptor that it imports from, or keep a duplicate of its own. It gets a duplicate
 * here, which is closed if it is still open. */
static gemp_code import_memory(gemp_shared_block *block, int file, size_t size, size_t own)
{
	const int duplicate = fcntl(file, F_DUPFD_CLOEXEC, 0);
	const cl_ulong properties[] = { CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_ulong)duplicate, 0 };
	create_function create;
	cl_int error = CL_SUCCESS;
	if (duplicate < 0)
		return gemp_fail(GEMP_ENODEVICE, "the file of a block could not be duplicated: %s", strerror(errno));
	void *found = dlsym(RTLD_DEFAULT, "clCreateBufferWithProperties");
	memcpy(&create, &found, sizeof create);
	cl_mem mem = found ? create(block->device->context, properties, CL_MEM_READ_WRITE, size, NULL, &error) : NULL;
	if (!mem) {
		close(duplicate);
		return found ? gemp_cl_check(error, "clCreateBufferWithProperties", __FILE__, __LINE__)
		             : gemp_fail(GEMP_ENODEVICE, "the OpenCL loader has no clCreateBufferWithProperties");
	}
	GEMP_TRY(gemp_buffer_adopt(&block->buffer, block->device, mem, size, own));
	const gemp_code code = call_acquire(block, "clEnqueueAcquireExternalMemObjectsKHR");
	block->acquired = code == GEMP_OK;
	return code;
}

/* BLOCKS */

gemp_code gemp_shared_block_new(gemp_shared_block *out, gemp_device *device, size_t size)
{
	*out = (gemp_shared_block){ .device = device, .file = -1, .memory.file = -1 };
	gemp_code code = device->gpu ? gemp_cuda_memory_new(&out->memory, device, size) : new_file(&out->file, size);
	if (device->gpu && code == GEMP_OK) {
		out->file = out->memory.file;
		code = import_memory(out, out->file, out->memory.size, out->memory.size);
	} else if (code == GEMP_OK) {
		code = map_file(out, out->file, size, size);
	}
	if (code != GEMP_OK)
		gemp_shared_block_free(out);
	return code;
}

gemp_code gemp_shared_block_import(gemp_shared_block *out, gemp_device *device, int file, size_t size)
{
	*out = (gemp_shared_block){ .device = device, .file = -1, .memory.file = -1 };
	const gemp_code code = device->gpu ? import_memory(out, file, size, 0) : map_file(out, file, size, 0);
	if (code != GEMP_OK)
		gemp_shared_block_free(out);
	return code;
}

/* Memory objects are freed before the memory under them. */
void gemp_shared_block_free(gemp_shared_block *block)
{
	const size_t size = block->buffer.size;
	if (!block->device)
		return;
	if (block->acquired)
		call_acquire(block, "clEnqueueReleaseExternalMemObjectsKHR");
	gemp_buffer_free(&block->buffer, block->device);
	if (block->mapped && size)
		munmap(block->mapped, size);
	if (!block->device->gpu && block->file >= 0)
		close(block->file);
	gemp_cuda_memory_free(&block->memory);
	*block = (gemp_shared_block){ 0 };
}
