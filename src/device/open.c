#include "device/open.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/timer.h"
#include "device/cache.h"
#include "device/compilation.h"
#include "device/cuda.h"
#include "device/drivers.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/staging.h"
#include "device/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 32, ITEMS = 32 * GROUP };

/* The value that kernels/device/selftest.cl must compute for work-item i. */
static uint64_t expected_word(uint32_t i)
{
	uint64_t x = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	uint32_t high = (uint32_t)((x & 0xffffffffu) * (x >> 32) >> 32);
	uint32_t bits = (uint32_t)__builtin_popcount((uint32_t)x);
	x += high + bits + (uint32_t)__builtin_clz((uint32_t)(x >> 40) | 1u);
	unsigned rotation = i & 63;
	return rotation ? x << rotation | x >> (64 - rotation) : x;
}

/* Checks the results of the operations that all our kernels use: exchange within a group through local memory (out),
 * atomic addition (drawn, ticket) and 64-bit addition (sum). */
static bool is_correct(const uint64_t *out, const uint32_t *drawn, uint32_t ticket, uint64_t sum)
{
	uint64_t expected = 0;
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t mirrored = i / GROUP * GROUP + GROUP - 1 - i % GROUP;
		if (out[i] != expected_word(mirrored) || drawn[i] != 1)
			return false;
		expected += (uint64_t)(i + 1) << 33;
	}
	return ticket == ITEMS && sum == expected;
}

/* Runs the kernel once and compares its results with those computed on the host. */
static gemp_code compute_selftest(gemp_device *device, const char *source, bool *passed)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	GEMP_OWNED_BY(gemp_kernel_free_at) cl_kernel kernel = NULL;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer out = { 0 }, drawn = { 0 }, ticket = { 0 }, sum = { 0 };
	GEMP_OWNED uint64_t *words = NULL;
	uint64_t total = 0;
	GEMP_OWNED uint32_t *tickets = NULL;
	uint32_t last = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(words, ITEMS), GEMP_ARRAY(tickets, ITEMS)));
	GEMP_TRY(gemp_program_new(&program, device, source, NULL));
	GEMP_TRY(gemp_kernel_new(&kernel, &program, "selftest"));
	GEMP_TRY(gemp_buffer_new(&out, device, ITEMS * sizeof *words, words));
	GEMP_TRY(gemp_buffer_new(&drawn, device, ITEMS * sizeof *tickets, tickets));
	GEMP_TRY(gemp_buffer_new(&ticket, device, sizeof last, &last));
	GEMP_TRY(gemp_buffer_new(&sum, device, sizeof total, &total));
	GEMP_TRY(gemp_launch(device, kernel, ITEMS, GROUP, GEMP_ARG(&out.mem), GEMP_ARG(&drawn.mem), GEMP_ARG(&ticket.mem),
	                     GEMP_ARG(&sum.mem), GEMP_LOCAL(GROUP * sizeof(uint64_t))));
	GEMP_TRY(gemp_buffer_read(device, &out, 0, out.size, words));
	GEMP_TRY(gemp_buffer_read(device, &drawn, 0, drawn.size, tickets));
	GEMP_TRY(gemp_buffer_read(device, &ticket, 0, sizeof last, &last));
	GEMP_TRY(gemp_buffer_read(device, &sum, 0, sizeof total, &total));
	*passed = is_correct(words, tickets, last, total);
	return GEMP_OK;
}

/* The name depends on driver and kernel source, so what is kept is made again when one of them changes. */
static void cache_name(char name[64], const char *kind, const gemp_device *device, const char *source)
{
	char text[512];
	snprintf(text, sizeof text, "%s\n%s\n%s\n%s", device->name, device->vendor, device->driver, device->platform);
	uint64_t hash = gemp_hash(source, strlen(source), gemp_hash(text, strlen(text), 0));
	snprintf(name, 64, "%s-%016llx", kind, (unsigned long long)hash);
}

/* Runs the test unless the cache has its success for this device, driver and kernel source. GEMP_ENODEVICE if a result
 * is wrong. */
static gemp_code run_selftest(gemp_device *device)
{
	GEMP_OWNED char *source = NULL;
	char name[64];
	GEMP_OWNED void *remembered = NULL;
	size_t size = 0;
	bool passed = false;
	GEMP_TRY(gemp_kernel_source(&source, "selftest.cl"));
	cache_name(name, "selftest", device, source);
	if (gemp_cache_load(name, &remembered, &size))
		return GEMP_OK;
	GEMP_TRY(compute_selftest(device, source, &passed));
	if (!passed)
		return gemp_fail(GEMP_ENODEVICE,
		                 "%s (driver %s) computed a wrong result in its self-test; update the "
		                 "driver, or choose another device by the setting devices",
		                 device->name, device->driver);
	gemp_cache_store(name, "passed\n", 7);
	return GEMP_OK;
}

enum { MAX_SUB_DEVICES = 256 }; /* maximum number of sub-devices of a CPU device */

/* Searches the text of all extensions. No name that we search for is a part of another name. */
static bool has_extension(cl_device_id id, const char *name)
{
	char extensions[8192] = "";
	clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
	return strstr(extensions, name) != NULL;
}

/* NVIDIA's extensions (inline PTX) need NVIDIA's hardware and its platform, since PoCL can also drive NVIDIA
 * hardware. */
static void copy_info(gemp_device *device, const gemp_device_info *info)
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
	device->local_memory = info->local_memory;
	device->max_buffer = device->driver_max_buffer = info->max_buffer;
}

/* Sets the memory that this rank may use: its share, or the limit if there is one. A sixteenth of a GPU's memory
 * remains for the driver. */
static void set_memory(gemp_device *device, size_t memory, size_t limit)
{
	size_t usable = device->gpu ? memory - memory / 16 : memory;
	size_t share = usable / (size_t)device->shared_by;
	device->memory = limit ? (limit < usable ? limit : usable) : share;
	if (device->max_buffer > device->memory)
		device->max_buffer = device->memory;
}

/* Restricts a CPU device to this rank's cores. If there are enough cores for all ranks, the rank uses a sub-device;
 * otherwise only `units` becomes smaller. Drivers list all cores of the machine, even those that the process may not
 * use. */
static void partition_cpu(gemp_device *device, const gemp_device_pick *pick)
{
	unsigned ranks = (unsigned)pick->shared_by, all = device->units, share = pick->cores ? pick->cores : all / ranks;
	cl_device_id parts[MAX_SUB_DEVICES];
	cl_device_partition_property counts[MAX_SUB_DEVICES + 3];
	cl_uint made = 0;
	if (share >= all)
		return;
	device->units = share ? share : 1;
	if (all < ranks || ranks > MAX_SUB_DEVICES)
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

/* Two queues in one context let the copies of one batch run concurrently with the kernels of the next. */
static gemp_code make_queues(gemp_device *device)
{
	cl_int error = CL_SUCCESS;
	size_t group = 0;
	device->context = gemp_drivers_take_context(device->id);
	if (!device->context)
		device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateContext", __FILE__, __LINE__));
	device->queue = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateCommandQueue", __FILE__, __LINE__));
	device->copy_queue = clCreateCommandQueue(device->context, device->id, 0, &error);
	GEMP_TRY(gemp_cl_check(error, "clCreateCommandQueue", __FILE__, __LINE__));
	GEMP_TRY(GEMP_CL(clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL)));
	device->max_group = group;
	return GEMP_OK;
}

/* A device without 64-bit atomics is refused, since the counters of all searches need them. */
static gemp_code open_device(gemp_device *device, const gemp_device_pick *pick, size_t memory_limit)
{
	copy_info(device, &pick->info);
	if (!has_extension(device->id, "cl_khr_int64_base_atomics"))
		return gemp_fail(GEMP_ENODEVICE,
		                 "%s has no 64-bit atomics (cl_khr_int64_base_atomics); choose another "
		                 "device by the setting devices",
		                 device->name);
	set_memory(device, pick->info.memory, memory_limit);
	if (!device->gpu)
		partition_cpu(device, pick);
	GEMP_TRY(gemp_tuning_load(&device->tuning, device->name));
	GEMP_TRY(make_queues(device));
	return run_selftest(device);
}

/* After a failure the partly opened device is closed. */
gemp_code gemp_device_open_pick(gemp_device **out, const gemp_device_pick *pick, size_t memory_limit)
{
	GEMP_OWNED_BY(gemp_device_close_at) gemp_device *device = NULL;
	*out = NULL;
	GEMP_TRY(GEMP_NEW(device, 1));
	device->index = pick->index;
	device->id = pick->id;
	device->shared_by = pick->shared_by;
	GEMP_TRY(open_device(device, pick, memory_limit));
	*out = device;
	device = NULL;
	return GEMP_OK;
}

/* Opens only the first device that is assigned to the rank; gemp_runtime_new opens all of them. */
gemp_code gemp_device_open(gemp_device **out, const char *spec, int node_rank, int node_size, size_t memory_limit)
{
	GEMP_OWNED gemp_device_pick *picks = NULL;
	size_t count;
	*out = NULL;
	GEMP_TRY(gemp_device_assign(&picks, &count, spec, node_rank, node_size));
	return gemp_device_open_pick(out, &picks[0], memory_limit);
}

/* Programs and locked memory belong to the context, so they are released before it. */
void gemp_device_close(gemp_device *device)
{
	if (!device)
		return;
	gemp_cuda_wait();
	gemp_compilations_await(device);
	gemp_launch_trace_free(device);
	gemp_launch_release(device);
	gemp_programs_release(device);
	gemp_pinned_free_pool(device);
	if (device->copy_queue)
		clReleaseCommandQueue(device->copy_queue);
	if (device->queue)
		clReleaseCommandQueue(device->queue);
	if (device->context)
		clReleaseContext(device->context);
	/* A sub-device is not released: PoCL's threads access it for a while after the last command has ended. */
	gemp_free(device);
}

enum { TRIES = 7, WORD = sizeof(cl_uint4) };

/* Copies arrays of up to 2 GiB (CPU devices: 128 MiB), which exceed most caches, and returns the rate of the fastest
 * try. */
static gemp_code time_copy(gemp_device *device, const gemp_program *program, double *best)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer from = { 0 }, to = { 0 };
	GEMP_OWNED_BY(gemp_kernel_free_at) cl_kernel kernel = NULL;
	size_t size = (device->memory - device->buffer_bytes) / 16,
		   max_size = device->gpu ? (size_t)2 << 30 : (size_t)128 << 20;
	size = (size < max_size ? size : max_size) / WORD * WORD;
	size_t group = device->gpu ? 256 : 1, groups = device->units * (size_t)(device->gpu ? 32 : 1);
	cl_ulong count = size / WORD, run = device->gpu ? 4 * group : (count + groups - 1) / groups;
	*best = 0;
	GEMP_TRY(gemp_kernel_new(&kernel, program, "rate_copy"));
	GEMP_TRY(gemp_buffer_new(&from, device, size, NULL));
	GEMP_TRY(gemp_buffer_new(&to, device, size, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &from, 0, size));
	double min_seconds = 1e9, seconds;
	for (int i = 0; i < TRIES; i++) {
		GEMP_TRY(gemp_launch(device, kernel, groups * group, group, GEMP_ARG(&from.mem), GEMP_ARG(&to.mem),
		                     GEMP_ARG(&count), GEMP_ARG(&run)));
		GEMP_TRY(gemp_launch_seconds(device, &seconds));
		if (i > 0) /* the first copy also touches the pages for the first time */
			min_seconds = fmin(min_seconds, seconds);
	}
	*best = 2 * (double)size / min_seconds;
	return GEMP_OK;
}

/* Measures wall-clock time and device time of the same launches. The difference is the cost of the driver. */
static gemp_code time_launch(gemp_device *device, const gemp_program *program, gemp_rates *rates)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer out = { 0 };
	GEMP_OWNED_BY(gemp_kernel_free_at) cl_kernel kernel = NULL;
	rates->launch = rates->empty = 1e9;
	GEMP_TRY(gemp_kernel_new(&kernel, program, "rate_nothing"));
	GEMP_TRY(gemp_buffer_new(&out, device, sizeof(cl_uint), NULL));
	for (int i = 0; i < 10 * TRIES; i++) {
		double since = gemp_now(), seconds;
		GEMP_TRY(gemp_launch(device, kernel, 1, 1, GEMP_ARG(&out.mem)));
		GEMP_TRY(GEMP_CL(clFinish(device->queue)));
		rates->launch = fmin(rates->launch, gemp_now() - since);
		GEMP_TRY(gemp_launch_seconds(device, &seconds));
		rates->empty = fmin(rates->empty, seconds);
	}
	return GEMP_OK;
}

/* Ranks that share a CPU have fewer units and so other rates. */
static gemp_code rates_name(char name[64], const gemp_device *device)
{
	GEMP_OWNED char *source = NULL;
	char kind[32];
	GEMP_TRY(gemp_kernel_source(&source, "rate.cl"));
	snprintf(kind, sizeof kind, "rates-%u", device->units);
	cache_name(name, kind, device, source);
	return GEMP_OK;
}

/* Both measurements use one program. It is stored after the launches, when PoCL has compiled all of it. */
gemp_code gemp_device_rates(gemp_device *device, gemp_rates *rates)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	char name[64];
	*rates = (gemp_rates){ 0 };
	GEMP_TRY(gemp_program_build_list(&program, device, "rate.cl", NULL, NULL, 0));
	GEMP_TRY(time_copy(device, &program, &rates->copy));
	GEMP_TRY(time_launch(device, &program, rates));
	GEMP_TRY(rates_name(name, device));
	gemp_cache_store(name, rates, sizeof *rates);
	return gemp_program_store(device, &program);
}

gemp_code gemp_device_rates_kept(const gemp_device *device, gemp_rates *rates)
{
	GEMP_OWNED void *kept = NULL;
	char name[64];
	size_t size = 0;
	*rates = (gemp_rates){ 0 };
	GEMP_TRY(rates_name(name, device));
	if (gemp_cache_load(name, &kept, &size) && size == sizeof *rates)
		memcpy(rates, kept, sizeof *rates);
	return GEMP_OK;
}
