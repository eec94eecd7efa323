#include "device/device.h"

#include "device/choose.h"
#include "device/identity.h"
#include "device/readback.h"
#include "device/list.h"
#include "device/selftest.h"
#include "device/traced.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 256 }; /* sub-devices that a CPU is cut into */

static gemp_code no_device(const char *spec)
{
	const char *pocl = getenv("POCL_CACHE_DIR");
	return gemp_fail(GEMP_ENODEVICE, "no OpenCL device on this machine (--devices %s). For the CPU: apt install "
	                 "pocl-opencl-icd. For an NVIDIA GPU: its driver, and a file /etc/OpenCL/vendors/nvidia.icd with "
	                 "the line libnvidia-opencl.so.1. PoCL hides its devices when it cannot write to POCL_CACHE_DIR "
	                 "(now %s)", spec && *spec ? spec : "auto", pocl ? pocl : "not set");
}

static bool has_extension(cl_device_id id, const char *name)
{
	char extensions[8192] = "";
	clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
	return strstr(extensions, name) != NULL;
}

static void describe(gemp_device *device, const gemp_device_info *info)
{
	memcpy(device->name, info->name, sizeof device->name);
	memcpy(device->vendor, info->vendor, sizeof device->vendor);
	memcpy(device->driver, info->driver, sizeof device->driver);
	memcpy(device->platform, info->platform, sizeof device->platform);
	memcpy(device->pci, info->pci, sizeof device->pci);
	memcpy(device->uuid, info->uuid, sizeof device->uuid);
	device->gpu = info->gpu;
	device->nvidia = info->gpu && strstr(info->vendor, "NVIDIA") && strstr(info->platform, "NVIDIA");
	device->units = info->units;
	device->local = info->local;
	device->largest = device->driver_largest = info->largest;
}

/* A share of the device's memory, a sixteenth of a GPU's left to its driver; an explicit limit overrides the share. */
static void set_memory(gemp_device *device, size_t memory, size_t limit)
{
	size_t usable = device->gpu ? memory - memory / 16 : memory;
	size_t share = usable / (size_t)device->shared_by;
	device->memory = limit ? (limit < usable ? limit : usable) : share;
	if (device->largest > device->memory)
		device->largest = device->memory;
}

/* This rank's cores of a CPU: a sub-device where there are enough for all, else only a number. Drivers list all cores of the
 * machine, also those that the process is not to use. */
static void take_cores(gemp_device *device, const gemp_device_pick *pick)
{
	unsigned ranks = (unsigned)pick->shared_by, all = device->units, share = pick->cores ? pick->cores : all / ranks;
	cl_device_id parts[MOST_PARTS];
	cl_device_partition_property counts[MOST_PARTS + 3];
	cl_uint made = 0;
	if (share >= all)
		return;
	device->units = share ? share : 1;
	if (all < ranks || ranks > MOST_PARTS)
		return;
	unsigned number = share * ranks <= all ? ranks : 1, own = number > 1 ? (unsigned)pick->position : 0;
	counts[0] = CL_DEVICE_PARTITION_BY_COUNTS;
	for (unsigned i = 0; i < number; i++)
		counts[i + 1] = (cl_device_partition_property)share;
	counts[number + 1] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
	counts[number + 2] = 0;
	if (clCreateSubDevices(device->id, counts, number, parts, &made) != CL_SUCCESS)
		return;
	for (unsigned i = 0; i < made; i++)
		if (i != own)
			clReleaseDevice(parts[i]);
	device->id = parts[own];
	device->sub_device = true;
}

static gemp_code make_queues(gemp_device *device)
{
	gemp_code code = GEMP_OK;
	cl_int error = CL_SUCCESS;
	size_t group = 0;
	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateContext", __FILE__, __LINE__));
	device->queue = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateCommandQueue", __FILE__, __LINE__));
	device->transfer = clCreateCommandQueue(device->context, device->id, 0, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateCommandQueue", __FILE__, __LINE__));
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL)));
	device->group = group;
done:
	return code;
}

static gemp_code open_chosen(gemp_device *device, const gemp_device_pick *pick, size_t memory_limit)
{
	gemp_code code = GEMP_OK;
	describe(device, &pick->info);
	if (!has_extension(device->id, "cl_khr_int64_base_atomics"))
		return gemp_fail(GEMP_ENODEVICE, "%s has no 64-bit atomics (cl_khr_int64_base_atomics); choose another "
		                 "device with --devices", device->name);
	set_memory(device, pick->info.memory, memory_limit);
	if (!device->gpu)
		take_cores(device, pick);
	GEMP_TRY(gemp_tuning_load(&device->tuning, device->name));
	GEMP_TRY(make_queues(device));
	GEMP_TRY(gemp_device_selftest(device));
done:
	return code;
}

/* Devices that a --devices text means. */
typedef struct choice {
	gemp_device_info *infos;
	cl_device_id *ids;
	size_t *chosen, count;
} choice;

static gemp_code choose(choice *c, const char *spec)
{
	gemp_code code = GEMP_OK;
	size_t all = 0;
	GEMP_TRY(gemp_device_list_ids(&c->infos, &c->ids, &all));
	if (all == 0)
		return no_device(spec);
	GEMP_TRY(GEMP_NEW(c->chosen, all));
	code = gemp_device_choose(spec, c->infos, all, c->chosen, &c->count);
done:
	return code;
}

static void free_choice(choice *c)
{
	gemp_free(c->chosen);
	gemp_free(c->ids);
	gemp_free(c->infos);
}

gemp_code gemp_device_choice(uint64_t *digest, const char *spec)
{
	char identity[GEMP_IDENTITY_SIZE];
	choice c = { 0 };
	*digest = 0;
	gemp_code code = choose(&c, spec);
	for (size_t i = 0; i < c.count && code == GEMP_OK; i++) {
		memset(identity, 0, sizeof identity);
		gemp_device_identity(identity, &c.infos[c.chosen[i]], (int)c.chosen[i]);
		*digest = gemp_hash(identity, sizeof identity, *digest);
	}
	free_choice(&c);
	return code;
}

gemp_code gemp_device_choose_own(gemp_device_pick **picks, size_t *count, const char *spec, int node_rank,
                                 int node_size)
{
	gemp_code code = GEMP_OK;
	choice c = { 0 };
	size_t first;
	*picks = NULL;
	GEMP_TRY(choose(&c, spec));
	gemp_device_share(spec, c.count, node_rank, node_size, &first, count);
	GEMP_TRY(GEMP_NEW(*picks, *count));
	int devices = (int)c.count, ranks = devices < node_size ? (node_size - (int)first + devices - 1) / devices : 1;
	for (size_t i = 0; i < *count; i++) {
		size_t index = c.chosen[first + i];
		(*picks)[i] = (gemp_device_pick){ .id = c.ids[index], .info = c.infos[index], .index = (int)index,
			.shared_by = ranks, .position = devices < node_size ? node_rank / devices : 0 };
	}
done:
	free_choice(&c);
	return code;
}

gemp_code gemp_device_open_pick(gemp_device **out, const gemp_device_pick *pick, size_t memory_limit)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = NULL;
	*out = NULL;
	GEMP_TRY(GEMP_NEW(device, 1));
	device->index = pick->index;
	device->id = pick->id;
	device->shared_by = pick->shared_by;
	GEMP_TRY(open_chosen(device, pick, memory_limit));
	*out = device;
	device = NULL;
done:
	gemp_device_close(device);
	return code;
}

gemp_code gemp_device_open(gemp_device **out, const char *spec, int node_rank, int node_size, size_t memory_limit)
{
	gemp_device_pick *picks;
	size_t count;
	*out = NULL;
	gemp_code code = gemp_device_choose_own(&picks, &count, spec, node_rank, node_size);
	if (code == GEMP_OK)
		code = gemp_device_open_pick(out, &picks[0], memory_limit);
	gemp_free(picks);
	return code;
}

void gemp_device_close(gemp_device *device)
{
	if (!device)
		return;
	gemp_traced_free(device);
	gemp_forget_launch(device);
	gemp_programs_forget(device);
	gemp_locked_forget(device);
	if (device->transfer)
		clReleaseCommandQueue(device->transfer);
	if (device->queue)
		clReleaseCommandQueue(device->queue);
	if (device->context)
		clReleaseContext(device->context);
	/* A part of a CPU stays: threads of PoCL still look at it for a while after the last command has ended. */
	gemp_free(device);
}
