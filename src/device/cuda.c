/* The types of CUDA's driver are declared here as far as they are used, so that the program can be built without CUDA.
 * Their layout is part of the driver's binary interface (cuda.h of CUDA 10.2 and later). */

#include "device/cuda.h"

#include "core/threads.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PINNED = 1, POSIX_FILE = 1, ON_DEVICE = 1, GRANULARITY_MINIMUM = 0 };

/* CUmemAllocationProp */
typedef struct memory_properties {
	int type, handle_types;
	struct {
		int type, id;
	} location;
	void *windows;
	struct {
		unsigned char compression, rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
} memory_properties;

/* The calls return 0 after success. */
typedef struct driver_calls {
	int (*init)(unsigned flags);
	int (*count)(int *count);
	int (*device)(int *device, int ordinal);
	int (*uuid)(unsigned char *uuid, int device);
	int (*can_access)(int *can, int device, int peer);
	int (*granularity)(size_t *bytes, const memory_properties *properties, int option);
	int (*create)(unsigned long long *handle, size_t size, const memory_properties *properties,
	              unsigned long long flags);
	int (*share)(void *file, unsigned long long handle, int type, unsigned long long flags);
	int (*release)(unsigned long long handle);
	int (*name)(int error, const char **name);
} driver_calls;

static struct {
	gemp_background thread;
	bool requested, ready;
	atomic_bool started; /* the thread has ended its work */
	char problem[256];   /* why it is not ready */
	driver_calls calls;
} cuda;

/* ISO C has no conversion from a pointer to data to a pointer to a function. */
static bool find(void *library, const char *name, void *call)
{
	void *found = dlsym(library, name);
	if (!found)
		snprintf(cuda.problem, sizeof cuda.problem, "libcuda.so.1 has no %s", name);
	memcpy(call, &found, sizeof found);
	return found != NULL;
}

static gemp_code check(int error, const char *call)
{
	const char *name = NULL;
	if (error == 0)
		return GEMP_OK;
	if (cuda.calls.name(error, &name) != 0 || !name)
		name = "unknown error";
	return gemp_fail(GEMP_ENODEVICE, "CUDA error %d (%s) in %s", error, name, call);
}

/* The library stays loaded. */
static void load_driver(void)
{
	driver_calls *c = &cuda.calls;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(cuda.problem, sizeof cuda.problem, "libcuda.so.1 cannot be loaded");
		return;
	}
	if (!find(library, "cuInit", &c->init) || !find(library, "cuDeviceGetCount", &c->count) ||
	    !find(library, "cuDeviceGet", &c->device) || !find(library, "cuDeviceGetUuid", &c->uuid) ||
	    !find(library, "cuDeviceCanAccessPeer", &c->can_access) ||
	    !find(library, "cuMemGetAllocationGranularity", &c->granularity) || !find(library, "cuMemCreate", &c->create) ||
	    !find(library, "cuMemExportToShareableHandle", &c->share) || !find(library, "cuMemRelease", &c->release) ||
	    !find(library, "cuGetErrorName", &c->name))
		return;
	const int error = c->init(0);
	if (error)
		snprintf(cuda.problem, sizeof cuda.problem, "CUDA error %d in cuInit", error);
	cuda.ready = error == 0;
}

static void *start(void *unused)
{
	(void)unused;
	load_driver();
	atomic_store(&cuda.started, true);
	return NULL;
}

void gemp_cuda_preload(void)
{
	if (cuda.requested)
		return;
	cuda.requested = true;
	if (!gemp_background_start(&cuda.thread, start, NULL))
		start(NULL);
}

bool gemp_cuda_requested(void)
{
	return cuda.requested;
}

bool gemp_cuda_started(void)
{
	return atomic_load(&cuda.started);
}

void gemp_cuda_wait(void)
{
	gemp_background_wait(&cuda.thread);
}

static gemp_code await_driver(void)
{
	gemp_cuda_preload();
	gemp_cuda_wait();
	return cuda.ready ? GEMP_OK : gemp_fail(GEMP_ENODEVICE, "%s", cuda.problem);
}

static gemp_code find_uuid(int *out, const unsigned char *wanted)
{
	unsigned char uuid[GEMP_CUDA_UUID];
	int count = 0;
	GEMP_TRY(check(cuda.calls.count(&count), "cuDeviceGetCount"));
	for (int i = 0; i < count; i++) {
		GEMP_TRY(check(cuda.calls.device(out, i), "cuDeviceGet"));
		GEMP_TRY(check(cuda.calls.uuid(uuid, *out), "cuDeviceGetUuid"));
		if (memcmp(uuid, wanted, sizeof uuid) == 0)
			return GEMP_OK;
	}
	return gemp_fail(GEMP_ENODEVICE, "a rank does not see the GPU of another rank");
}

/* OpenCL and CUDA number the devices differently. */
static gemp_code find_device(int *out, const gemp_device *device)
{
	unsigned char uuid[GEMP_CUDA_UUID];
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(device->id, CL_DEVICE_UUID_KHR, sizeof uuid, uuid, NULL)));
	return find_uuid(out, uuid);
}

gemp_code gemp_cuda_check_peers(const gemp_device *device, const unsigned char *peers, size_t count)
{
	int own, peer, can = 0;
	GEMP_TRY(await_driver());
	GEMP_TRY(find_device(&own, device));
	for (size_t i = 0; i < count; i++) {
		GEMP_TRY(find_uuid(&peer, peers + i * GEMP_CUDA_UUID));
		if (peer == own)
			continue;
		GEMP_TRY(check(cuda.calls.can_access(&can, own, peer), "cuDeviceCanAccessPeer"));
		if (!can)
			return gemp_fail(GEMP_ENODEVICE, "GPUs cannot read each other's memory");
	}
	return GEMP_OK;
}

gemp_code gemp_cuda_memory_new(gemp_cuda_memory *out, const gemp_device *device, size_t size)
{
	memory_properties properties = { .type = PINNED, .handle_types = POSIX_FILE, .location.type = ON_DEVICE };
	size_t step = 0;
	*out = (gemp_cuda_memory){ .file = -1 };
	GEMP_TRY(await_driver());
	GEMP_TRY(find_device(&properties.location.id, device));
	GEMP_TRY(check(cuda.calls.granularity(&step, &properties, GRANULARITY_MINIMUM), "cuMemGetAllocationGranularity"));
	GEMP_CHECK(step > 0);
	out->size = (size + step - 1) / step * step;
	GEMP_TRY(check(cuda.calls.create(&out->handle, out->size, &properties, 0), "cuMemCreate"));
	const gemp_code code = check(cuda.calls.share(&out->file, out->handle, POSIX_FILE, 0),
	                             "cuMemExportToShareableHandle");
	if (code != GEMP_OK) {
		cuda.calls.release(out->handle);
		out->file = -1;
	}
	return code;
}

void gemp_cuda_memory_free(gemp_cuda_memory *memory)
{
	if (memory->file < 0)
		return;
	close(memory->file);
	cuda.calls.release(memory->handle);
	*memory = (gemp_cuda_memory){ .file = -1 };
}
