#include "device/program.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "core/timer.h"
#include "device/cache.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DEPTH = 8 }; /* maximum depth of nested includes */

/* Reads folder/name. *found becomes false if there is no such file. */
static gemp_code read_override(gemp_text *out, const char *folder, const char *name, bool *found)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	*found = file != NULL;
	if (!file && errno != ENOENT)
		return gemp_fail(GEMP_ENOINPUT, "%s: %s (GEMP_KERNEL_DIR)", path, strerror(errno));
	if (!file)
		return GEMP_OK;
	gemp_code code = gemp_text_read(out, file, path);
	fclose(file);
	return code;
}

/* Reads the file from GEMP_KERNEL_DIR if that folder has it, in the subfolder as in kernels/ or without subfolders.
 * Otherwise reads the embedded file. */
static gemp_code read_kernel(gemp_text *out, const char *name)
{
	const char *folder = getenv("GEMP_KERNEL_DIR");
	const gemp_embedded *embedded = NULL;
	for (size_t i = 0; !embedded && i < gemp_embedded_count; i++)
		if (strcmp(gemp_embedded_files[i].name, name) == 0)
			embedded = &gemp_embedded_files[i];
	if (folder && *folder) {
		bool found = false;
		if (embedded)
			GEMP_TRY(read_override(out, folder, embedded->path, &found));
		if (!found)
			GEMP_TRY(read_override(out, folder, name, &found));
		if (found)
			return GEMP_OK;
	}
	if (!embedded)
		return gemp_fail(GEMP_EINTERNAL, "there is no kernel file %s", name);
	gemp_text_add(out, embedded->text, embedded->size);
	return gemp_text_status(out);
}

/* The name in `#include "name"`; empty if the line is no such include. */
static void included_name(char name[64], const char *line, size_t length)
{
	char copy[128];
	name[0] = '\0';
	if (length < sizeof copy) {
		memcpy(copy, line, length);
		copy[length] = '\0';
		sscanf(copy, " # include \"%63[^\"]\"", name);
	}
}

/* Expands includes, since OpenCL compilers would look for files that exist only inside our program. #line directives
 * keep the line numbers in the compiler's messages right. */
static gemp_code expand(gemp_text *out, const char *file, int depth)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (depth > MAX_DEPTH)
		return gemp_fail(GEMP_EINTERNAL, "kernel file %s: #include goes in a circle", file);
	GEMP_TRY(read_kernel(&text, file));
	gemp_text_print(out, "#line 1 \"%s\"\n", file);
	int number = 1;
	for (size_t at = 0; at < text.size; number++) {
		const char *line = text.data + at, *end = memchr(line, '\n', text.size - at);
		size_t length = end ? (size_t)(end - line) : text.size - at;
		char name[64];
		included_name(name, line, length);
		if (name[0]) {
			GEMP_TRY(expand(out, name, depth + 1));
			gemp_text_print(out, "#line %d \"%s\"\n", number + 1, file);
		} else {
			gemp_text_add(out, line, length);
			gemp_text_add(out, "\n", 1);
		}
		at += length + 1;
	}
	return gemp_text_status(out);
}

/* The caller takes over the text without a copy. */
gemp_code gemp_kernel_source(char **out, const char *file)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(expand(&text, file, 0));
	*out = text.data;
	text = (gemp_text){ 0 };
	return GEMP_OK;
}

/* Generators append fixed parts of kernels to the text that they have written. */
gemp_code gemp_kernel_append(gemp_text *text, const char *file)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text source = { 0 };
	GEMP_TRY(expand(&source, file, 0));
	gemp_text_add(text, source.data, source.size);
	return gemp_text_status(text);
}

/* A property that the driver does not know always adds the same empty line. */
static void add_info(gemp_text *out, cl_device_id id, cl_device_info property)
{
	char text[512] = "";
	clGetDeviceInfo(id, property, sizeof text, text, NULL);
	gemp_text_print(out, "%s\n", text);
}

/* The platform version belongs to the key: PoCL changes it with its compiler, and binaries of the old compiler must not
 * be found. */
static void add_platform_version(gemp_text *out, cl_device_id id)
{
	cl_platform_id platform = NULL;
	char text[512] = "";
	clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL);
	clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL);
	gemp_text_print(out, "%s\n", text);
}

/* Two hashes of all properties that a binary depends on. */
static gemp_code make_key(uint64_t key[2], const gemp_device *device, const char *source, const char *options)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text all = { 0 };
	gemp_text_print(&all, "%s\n", device->name);
	add_info(&all, device->id, CL_DEVICE_VERSION);
	add_info(&all, device->id, CL_DRIVER_VERSION);
	add_platform_version(&all, device->id);
	gemp_text_print(&all, "%s\n%s", options, source);
	GEMP_TRY(gemp_text_status(&all));
	for (uint64_t i = 0; i < 2; i++)
		key[i] = gemp_hash(all.data, all.size, i);
	return GEMP_OK;
}

/* The key is part of the file name, so programs never overwrite each other. */
static void cache_name(char name[64], const uint64_t key[2])
{
	snprintf(name, 64, "program-%016llx%016llx", (unsigned long long)key[0], (unsigned long long)key[1]);
}

/* Adds the build log, which only the driver knows, to the message. */
static gemp_code build_failed(gemp_code code, const gemp_device *device, cl_program program, const char *options)
{
	size_t size = 0;
	clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
	char *log = gemp_calloc(size + 1, 1);
	if (log)
		clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
	gemp_fail(code, "building a kernel on %s (driver %s) with options '%s' failed:\n%s", device->name, device->driver,
	          options, log ? log : "");
	gemp_free(log);
	return code;
}

/* If the driver refuses a binary, the program is built from source. */
static bool load_cached(gemp_program *out, gemp_device *device, const char *options)
{
	char name[64];
	void *bytes = NULL;
	size_t size = 0;
	cache_name(name, out->key);
	if (!gemp_cache_load(name, &bytes, &size))
		return false;
	cl_int error = CL_SUCCESS, status = CL_SUCCESS;
	const unsigned char *binary = bytes;
	cl_program program = clCreateProgramWithBinary(device->context, 1, &device->id, &size, &binary, &status, &error);
	if (error == CL_SUCCESS && status == CL_SUCCESS)
		error = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
	gemp_free(bytes);
	if (error == CL_SUCCESS && status == CL_SUCCESS) {
		out->program = program;
		out->cached = true;
		return true;
	}
	if (program)
		clReleaseProgram(program);
	return false;
}

/* Builds the program, on a CPU device with a second attempt. */
static gemp_code compile(gemp_program *out, gemp_device *device, const char *source, const char *options)
{
	gemp_code code = GEMP_OK;
	for (int attempt = 0; attempt < 2; attempt++) {
		cl_int error = CL_SUCCESS;
		out->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &error);
		code = gemp_cl_check(error, "clCreateProgramWithSource", __FILE__, __LINE__);
		if (code != GEMP_OK)
			return code;
		error = clBuildProgram(out->program, 1, &device->id, options, NULL, NULL);
		if (error == CL_SUCCESS)
			return GEMP_OK;
		code = gemp_cl_check(error, "clBuildProgram", __FILE__, __LINE__);
		if (error == CL_BUILD_PROGRAM_FAILURE)
			code = build_failed(code, device, out->program, options);
		clReleaseProgram(out->program);
		out->program = NULL;
		/* PoCL fails if another process writes the same kernels; in the second attempt the kernels exist */
		if (error != CL_BUILD_PROGRAM_FAILURE || device->gpu)
			break;
	}
	return code;
}

/* PoCL keeps what it compiles in a cache folder that this process has alone (device/cache.h). Asked for a binary, it
 * compiles all kernels of the program for groups of any size, besides the kernels and sizes that are launched: with the
 * 13 kernels of filter.cl a first query took 6.1 instead of 2.9 s of the processor, and a later one .33 instead of .40
 * (PoCL 3.1, two cores, 2026-11). So binaries pay only if several ranks need them at the same time, or if the user has
 * turned the second compilation off, as our tests do. */
bool gemp_program_keeps_binary(const gemp_device *device)
{
	const int chosen = gemp_limits_now()->program_binaries;
	if (chosen >= 0)
		return chosen;
	const char *specialised = getenv("POCL_WORK_GROUP_SPECIALIZATION");
	return device->gpu || device->shared_by > 1 || (specialised && strcmp(specialised, "0") == 0) ||
	       !strstr(device->platform, "Portable Computing Language");
}

/* Without a cache folder PoCL is not asked for the binary, since it would compile in vain. */
static gemp_code store_binary(cl_program program, const uint64_t key[2])
{
	size_t size = 0;
	GEMP_OWNED unsigned char *binary = NULL;
	char name[64], folder[GEMP_CACHE_PATH];
	if (!gemp_cache_folder(folder))
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL)));
	GEMP_TRY(GEMP_NEW(binary, size));
	GEMP_TRY(GEMP_CL(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)));
	cache_name(name, key);
	if (size)
		gemp_cache_store(name, binary, size);
	return GEMP_OK;
}

/* Starting a compiler takes a second, so a process whose compiler has started should get the lock first. */
static void yield_to_builder(const gemp_device *device)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	if (!device->compiler)
		nanosleep(&pause, NULL);
}

/* PoCL's cache cannot be queried; a file of ours remembers that PoCL has compiled the program. */
static void mark_name(char name[64], const uint64_t key[2])
{
	snprintf(name, 64, "compiled-%016llx%016llx", (unsigned long long)key[0], (unsigned long long)key[1]);
}

/* True if a cache on disk has the program, as far as the names of files tell. */
static bool is_stored(const gemp_device *device, const uint64_t key[2])
{
	char name[64];
	if (gemp_program_keeps_binary(device))
		cache_name(name, key);
	else
		mark_name(name, key);
	return gemp_cache_has(name);
}

/* Seconds of compiling after which another compilation on a GPU is announced; one program takes some tenths. */
static const double short_compiling = 0.5;

static double compiling; /* seconds that this process has spent on compiling */

/* Tells the user of compilations that take more than a second together. PoCL takes a second or more for each. */
static void announce(const gemp_device *device)
{
	if (!device->gpu || compiling > short_compiling)
		gemp_progress("compiling kernels, first run only", 0, 0, 0);
}

/* Ranks need the same program at the same time: one rank builds and stores it, and the others load it. */
static gemp_code load_or_build(gemp_program *out, gemp_device *device, const char *source, const char *options,
                               bool keep)
{
	gemp_code code = GEMP_OK;
	char name[64];
	int lock = -1;
	bool waited;
	if (load_cached(out, device, options))
		return GEMP_OK;
	if (!keep) {
		GEMP_TRY(compile(out, device, source, options));
		mark_name(name, out->key);
		gemp_cache_store(name, "1", 1);
		return GEMP_OK;
	}
	cache_name(name, out->key);
	yield_to_builder(device);
	lock = gemp_cache_lock(name, &waited);
	if (!load_cached(out, device, options)) {
		if (waited) {
			gemp_cache_unlock(lock);
			lock = -1;
		}
		device->compiler = true;
		GEMP_TRY_DONE(compile(out, device, source, options));
		GEMP_TRY_DONE(store_binary(out->program, out->key));
	}
done:
	gemp_cache_unlock(lock);
	return code;
}

/* Finds the program among the loaded ones. A driver would take some hundredths of a second to load the binary again. */
static bool find_loaded(gemp_program *out, gemp_device *device)
{
	for (size_t i = 0; i < GEMP_LOADED_PROGRAMS; i++) {
		gemp_loaded_program *loaded = &device->loaded[i];
		if (loaded->program && memcmp(loaded->key, out->key, sizeof out->key) == 0 &&
		    clRetainProgram(loaded->program) == CL_SUCCESS) {
			out->program = loaded->program;
			out->cached = true;
			loaded->used = ++device->uses;
			return true;
		}
	}
	return false;
}

/* A kernel that is in use keeps its program alive by the reference count. */
void gemp_program_remember(gemp_device *device, const gemp_program *program)
{
	gemp_loaded_program *place = device->loaded;
	for (size_t i = 1; i < GEMP_LOADED_PROGRAMS && place->program; i++)
		if (!device->loaded[i].program || device->loaded[i].used < place->used)
			place = &device->loaded[i];
	compiling += program->cached ? 0 : program->seconds;
	gemp_log_local(GEMP_DEBUG, "program %016llx: %s in %.4f s", (unsigned long long)program->key[0],
	               program->cached ? "loaded" : "built", program->seconds);
	if (clRetainProgram(program->program) != CL_SUCCESS)
		return;
	if (place->program)
		clReleaseProgram(place->program);
	*place = (gemp_loaded_program){ { program->key[0], program->key[1] }, program->program, ++device->uses };
}

/* A program whose kernels are in use stays alive by its reference count. */
void gemp_programs_release(gemp_device *device)
{
	for (size_t i = 0; i < GEMP_LOADED_PROGRAMS; i++)
		if (device->loaded[i].program)
			clReleaseProgram(device->loaded[i].program);
	memset(device->loaded, 0, sizeof device->loaded);
}

/* Writes all options of the compiler, and the key. The key includes source and options, so a program with another
 * number of lanes is another program. */
static gemp_code begin(gemp_program *out, gemp_text *all, const gemp_device *device, const char *source,
                       const char *options)
{
	*out = (gemp_program){ 0 };
	/* -w: some drivers print "1 warning generated" to the user's terminal */
	gemp_text_print(all, "-cl-std=CL1.2%s%s%s %s", gemp_log_level() >= GEMP_DEBUG ? "" : " -w",
	                device->gpu ? " -DGEMP_GPU=1" : "", device->nvidia ? " -DGEMP_NVIDIA=1" : "",
	                options ? options : "");
	GEMP_TRY(gemp_text_status(all));
	return make_key(out->key, device, source, all->data);
}

gemp_code gemp_program_is_known(bool *out, gemp_device *device, const char *source, const char *options)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text all = { 0 };
	GEMP_OWNED_BY(gemp_program_free) gemp_program program = { 0 };
	GEMP_TRY(begin(&program, &all, device, source, options));
	*out = is_stored(device, program.key) || find_loaded(&program, device);
	return GEMP_OK;
}

gemp_code gemp_program_load(gemp_program *out, gemp_device *device, const char *source, const char *options, bool keep)
{
	gemp_code code = GEMP_OK;
	const double began = gemp_now();
	GEMP_OWNED_BY(gemp_text_free) gemp_text all = { 0 };
	GEMP_TRY_DONE(begin(out, &all, device, source, options));
	GEMP_TRY_DONE(load_or_build(out, device, source, all.data, keep));
	out->seconds = gemp_now() - began;
done:
	if (code != GEMP_OK)
		gemp_program_free(out);
	return code;
}

gemp_code gemp_program_new(gemp_program *out, gemp_device *device, const char *source, const char *options)
{
	const double began = gemp_now();
	GEMP_OWNED_BY(gemp_text_free) gemp_text all = { 0 };
	GEMP_TRY(begin(out, &all, device, source, options));
	if (!find_loaded(out, device)) {
		if (!is_stored(device, out->key))
			announce(device);
		GEMP_TRY(gemp_program_load(out, device, source, options, gemp_program_keeps_binary(device)));
		gemp_program_remember(device, out);
	}
	out->seconds = gemp_now() - began;
	gemp_trace_add(out->cached ? "load kernels" : "compile", GEMP_LANE_HOST, began);
	return GEMP_OK;
}

/* The program stays loaded on its device until a newer one takes its place (gemp_program_remember). */
void gemp_program_free(gemp_program *program)
{
	if (program->program)
		clReleaseProgram(program->program);
	*program = (gemp_program){ 0 };
}

/* Puts the name in front of the message, since OpenCL's error does not tell which kernel is missing. */
gemp_code gemp_kernel_new(cl_kernel *out, const gemp_program *program, const char *name)
{
	cl_int error = CL_SUCCESS;
	*out = clCreateKernel(program->program, name, &error);
	gemp_code code = gemp_cl_check(error, "clCreateKernel", __FILE__, __LINE__);
	return code == GEMP_OK ? code : gemp_fail_in(code, "kernel %s: ", name);
}

/* After a failure the caller frees the kernels that were made, and the program. */
gemp_code gemp_program_build_list(gemp_program *out, gemp_device *device, const char *file, const char *options,
                                  const gemp_kernel_entry *entries, size_t count)
{
	GEMP_OWNED char *source = NULL;
	GEMP_TRY(gemp_kernel_source(&source, file));
	GEMP_TRY(gemp_program_new(out, device, source, options));
	for (size_t k = 0; k < count; k++)
		if (entries[k].name)
			GEMP_TRY(gemp_kernel_new(entries[k].kernel, out, entries[k].name));
	return GEMP_OK;
}

/* Kernels that were never made are allowed. */
void gemp_kernel_list_free(cl_kernel **kernels, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		if (*kernels[k])
			clReleaseKernel(*kernels[k]);
		*kernels[k] = NULL;
	}
}

/* Reads both from OpenCL, so gemp_program need not store them. */
static gemp_code source_and_options(gemp_device *device, cl_program program, char **source, char **options)
{
	size_t size = 0;
	GEMP_TRY(GEMP_CL(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size)));
	GEMP_TRY(GEMP_NEW(*source, size + 1));
	GEMP_TRY(GEMP_CL(clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, *source, NULL)));
	GEMP_TRY(GEMP_CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &size)));
	GEMP_TRY(GEMP_NEW(*options, size + 1));
	return GEMP_CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_OPTIONS, size, *options, NULL));
}

/* Builds the program once more to get its binary. PoCL keeps the binary that a program had when it was first asked for;
 * a second program of the same source takes all that was compiled since from PoCL's own cache, in a few hundredths of a
 * second. */
gemp_code gemp_program_store(gemp_device *device, const gemp_program *program)
{
	GEMP_OWNED_BY(gemp_program_free) gemp_program rebuilt = { 0 };
	GEMP_OWNED char *source = NULL, *options = NULL;
	if (program->cached || device->gpu || !gemp_program_keeps_binary(device))
		return GEMP_OK;
	GEMP_TRY(source_and_options(device, program->program, &source, &options));
	GEMP_TRY(compile(&rebuilt, device, source, options));
	return store_binary(rebuilt.program, program->key);
}

/* A program that cannot be stored is no failure: the next run builds it again. */
void gemp_program_store_and_free(gemp_device *device, gemp_program *program)
{
	if (program->program && !program->cached)
		gemp_program_store(device, program);
	gemp_program_free(program);
}
