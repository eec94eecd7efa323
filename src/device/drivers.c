#include "device/drivers.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "core/threads.h"
#include "device/cache.h"
#include "device/cuda.h"
#include "device/device.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DRIVERS = 32, MAX_NAME = 128, MAX_CONTENT = 512 };

/* A file of the folder: its name, and its content, the path of a library. */
typedef struct driver_file {
	char name[MAX_NAME], content[MAX_CONTENT];
	size_t size; /* bytes of the content */
	bool kept;
} driver_file;

/* Parts of the names of drivers whose devices are of one kind only. */
static const char *const gpu_drivers[] = { "nvidia", "amdocl", "rusticl", "mesa", "igdrcl", NULL };
static const char *const cpu_drivers[] = { "pocl", "intelocl", NULL };

static bool has_part(const char *text, const char *const *parts)
{
	for (; *parts; parts++)
		if (strcasestr(text, *parts))
			return true;
	return false;
}

/* Returns the drivers that cannot have a device that the text means, or NULL if the text may mean any device. */
static const char *const *left_out(const char *devices)
{
	if (devices && strcasecmp(devices, "cpu") == 0)
		return gpu_drivers;
	return devices && strcasecmp(devices, "gpu") == 0 ? cpu_drivers : NULL;
}

/* Returns false if the file is too long to be the path of a library. */
static bool read_driver(driver_file *out, const char *folder, const char *name)
{
	char path[GEMP_CACHE_PATH];
	*out = (driver_file){ 0 };
	if (snprintf(out->name, sizeof out->name, "%s", name) >= MAX_NAME ||
	    snprintf(path, sizeof path, "%s/%s", folder, name) >= GEMP_CACHE_PATH)
		return false;
	FILE *file = fopen(path, "rb");
	if (!file)
		return false;
	out->size = fread(out->content, 1, sizeof out->content - 1, file);
	bool whole = !ferror(file) && fgetc(file) == EOF;
	fclose(file);
	return whole;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const driver_file *)a)->name, ((const driver_file *)b)->name);
}

/* Reads the files NAME.icd of a folder, sorted by name. Returns their number; 0 if there are too many or if a file
 * cannot be read, since the loader may read it nevertheless. */
static size_t read_drivers(driver_file files[MAX_DRIVERS], const char *folder)
{
	size_t count = 0;
	bool readable = true;
	DIR *listing = opendir(folder);
	for (const struct dirent *entry; listing && readable && (entry = readdir(listing));) {
		size_t length = strlen(entry->d_name);
		if (length < 4 || strcmp(entry->d_name + length - 4, ".icd") != 0)
			continue;
		readable = count < MAX_DRIVERS && read_driver(&files[count++], folder, entry->d_name);
	}
	if (listing)
		closedir(listing);
	if (!readable)
		return 0;
	qsort(files, count, sizeof *files, compare_names);
	return count;
}

/* Returns whether the folder has exactly the kept files. */
static bool has_kept(const char *folder, const driver_file *files, size_t count)
{
	GEMP_OWNED driver_file *found = NULL;
	size_t kept = 0;
	if (GEMP_NEW(found, MAX_DRIVERS) != GEMP_OK)
		return false;
	const size_t there = read_drivers(found, folder);
	for (size_t i = 0; i < count; i++) {
		if (!files[i].kept)
			continue;
		if (kept == there || strcmp(found[kept].name, files[i].name) != 0 || found[kept].size != files[i].size ||
		    memcmp(found[kept].content, files[i].content, files[i].size) != 0)
			return false;
		kept++;
	}
	return kept == there;
}

static bool write_kept(const char *folder, const driver_file *files, size_t count)
{
	char path[GEMP_CACHE_PATH + MAX_NAME];
	bool written = true;
	for (size_t i = 0; i < count && written; i++) {
		if (!files[i].kept)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
		FILE *file = fopen(path, "wb");
		written = file && fwrite(files[i].content, 1, files[i].size, file) == files[i].size;
		written &= file && fclose(file) == 0;
	}
	return written;
}

static void remove_folder(const char *folder, const driver_file *files, size_t count)
{
	char path[GEMP_CACHE_PATH + MAX_NAME];
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
		unlink(path);
	}
	rmdir(folder);
}

/* Makes the folder under a temporary name and renames it, since other processes may make the same folder. Only one of
 * them succeeds, and the others use its folder. */
static bool make_folder(char path[GEMP_CACHE_PATH], const driver_file *files, size_t count)
{
	char cache[GEMP_CACHE_PATH], temporary[GEMP_CACHE_PATH + 8];
	uint64_t hash = 0;
	for (size_t i = 0; i < count; i++)
		if (files[i].kept)
			hash = gemp_hash(files[i].content, files[i].size, gemp_hash(files[i].name, strlen(files[i].name), hash));
	if (!gemp_cache_folder(cache) ||
	    snprintf(path, GEMP_CACHE_PATH, "%s/vendors-%016llx", cache, (unsigned long long)hash) >= GEMP_CACHE_PATH)
		return false;
	if (has_kept(path, files, count))
		return true;
	snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	if (!mkdtemp(temporary))
		return false;
	if (!write_kept(temporary, files, count) || chmod(temporary, 0755) != 0 || rename(temporary, path) != 0)
		remove_folder(temporary, files, count);
	return has_kept(path, files, count);
}

bool gemp_drivers_restrict(const char *vendors, const char *devices)
{
	static const char *const variables[] = { "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES" };
	GEMP_OWNED driver_file *files = NULL;
	char folder[GEMP_CACHE_PATH];
	const char *const *names = left_out(devices);
	size_t kept = 0;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			return false;
	if (!names || GEMP_NEW(files, MAX_DRIVERS) != GEMP_OK)
		return false;
	const size_t count = read_drivers(files, vendors);
	for (size_t i = 0; i < count; i++) {
		files[i].kept = !has_part(files[i].name, names) && !has_part(files[i].content, names);
		kept += files[i].kept;
	}
	return kept && kept < count && make_folder(folder, files, count) && setenv(variables[0], folder, 1) == 0;
}

bool gemp_drivers_may_have_gpu(const char *vendors)
{
	GEMP_OWNED driver_file *files = NULL;
	if (GEMP_NEW(files, MAX_DRIVERS) != GEMP_OK)
		return false;
	const size_t count = read_drivers(files, vendors);
	for (size_t i = 0; i < count; i++)
		if (!has_part(files[i].name, cpu_drivers) && !has_part(files[i].content, cpu_drivers))
			return true;
	return false;
}

/* LOADING ON A THREAD */

static struct {
	gemp_background thread;
	bool started;
	atomic_bool found_gpu;
	cl_device_id gpu;   /* the only GPU */
	cl_context context; /* for the GPU; NULL: there is none, or it was taken */
} preloading;

/* The results are dropped; the loader and the drivers keep what they have found. A failure is reported by the list of
 * devices, which makes the same calls. */
static void *load_drivers(void *unused)
{
	enum { MAX_PLATFORMS = 16 };
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_uint count = 0, devices, gpus = 0;
	(void)unused;
	if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
		return NULL;
	for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
		clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &preloading.gpu, &devices) == CL_SUCCESS)
			gpus += devices;
	}
	atomic_store(&preloading.found_gpu, gpus > 0);
	if (gpus == 1)
		preloading.context = clCreateContext(NULL, 1, &preloading.gpu, NULL, NULL, NULL);
	return NULL;
}

/* Without a thread the drivers are loaded when the devices are listed. */
void gemp_drivers_preload(void)
{
	if (preloading.started)
		return;
	preloading.started = true;
	gemp_pocl_claim_folder();
	gemp_background_start(&preloading.thread, load_drivers, NULL);
}

bool gemp_drivers_find_gpu(void)
{
	if (!atomic_load(&preloading.found_gpu) && gemp_drivers_may_have_gpu(GEMP_VENDORS)) {
		gemp_drivers_preload();
		gemp_drivers_wait();
	}
	return atomic_load(&preloading.found_gpu);
}

void gemp_drivers_wait(void)
{
	gemp_background_wait(&preloading.thread);
}

cl_context gemp_drivers_take_context(cl_device_id id)
{
	gemp_drivers_wait();
	cl_context context = preloading.context && preloading.gpu == id ? preloading.context : NULL;
	if (context)
		preloading.context = NULL;
	return context;
}

void gemp_drivers_end(void)
{
	gemp_drivers_wait();
	gemp_cuda_wait();
	if (preloading.context)
		clReleaseContext(preloading.context);
	preloading.context = NULL;
}
