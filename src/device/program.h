/* program: kernel programs: source with includes, binaries in the cache, kernels.
 *
 * A program is searched among the GEMP_LOADED_PROGRAMS programs that this process asked for last, and then in the
 * cache on disk (device/cache.h) by device, driver, platform, source and options. If the cache does not have it, one of
 * the processes that need the program builds and stores it; the others wait and load it. A process that has a PoCL
 * device alone builds from source, and PoCL takes what it has compiled before from its own cache. A failed build on a
 * CPU device is tried once more, since an empty PoCL cache can cause the failure. Kernels see GEMP_GPU on a GPU and
 * GEMP_NVIDIA on an NVIDIA GPU. Local. */

#ifndef GEMP_DEVICE_PROGRAM_H
#define GEMP_DEVICE_PROGRAM_H

#include "device/device.h"

#include <CL/cl.h>

/* `key` is the name of the binary in the cache: two hashes of device, driver, platform, options and source. */
typedef struct gemp_program {
	cl_program program;
	uint64_t key[2];
	bool cached;    /* loaded from the cache */
	double seconds; /* seconds of building or loading */
} gemp_program;
gemp_code gemp_program_new(gemp_program *out, gemp_device *device, const char *source, const char *options);
/* True if the program need not be compiled: it is loaded, or a cache has it. */
gemp_code gemp_program_is_known(bool *out, gemp_device *device, const char *source, const char *options);
/* Whether a binary of each program is kept in our cache. */
bool gemp_program_keeps_binary(const gemp_device *device);
/* The parts of gemp_program_new for a program that is not loaded. Any thread may load, since this neither reports nor
 * reads limits; `keep` is gemp_program_keeps_binary. The thread of the device then remembers the program. */
gemp_code gemp_program_load(gemp_program *out, gemp_device *device, const char *source, const char *options, bool keep);
void gemp_program_remember(gemp_device *device, const gemp_program *program);
void gemp_program_free(gemp_program *program);
void gemp_programs_release(gemp_device *device); /* releases the loaded programs */
gemp_code gemp_kernel_new(cl_kernel *out, const gemp_program *program, const char *name);

/* Builds an embedded file with these options, and makes kernels of it:
 *   gemp_program_build(&it->program, device, "som_online.cl", options, { "som_online", &it->run }, ...)
 * An entry without a name is left out. After a failure the caller also frees the program and the kernels that were
 * made. */
typedef struct gemp_kernel_entry {
	const char *name;
	cl_kernel *kernel;
} gemp_kernel_entry;
#define gemp_program_build(out, device, file, options, ...)                                                 \
	gemp_program_build_list((out), (device), (file), (options), (const gemp_kernel_entry[]){ __VA_ARGS__ }, \
	                        sizeof((const gemp_kernel_entry[]){ __VA_ARGS__ }) / sizeof(gemp_kernel_entry))
gemp_code gemp_program_build_list(gemp_program *out, gemp_device *device, const char *file, const char *options,
                                  const gemp_kernel_entry *entries, size_t count);
/* gemp_kernels_free(&a, &b) frees each kernel; NULL is allowed. */
#define gemp_kernels_free(...) \
	gemp_kernel_list_free((cl_kernel *[]){ __VA_ARGS__ }, sizeof((cl_kernel *[]){ __VA_ARGS__ }) / sizeof(cl_kernel *))
void gemp_kernel_list_free(cl_kernel **kernels, size_t count);
static inline void gemp_kernel_free_at(cl_kernel *kernel)
{
	gemp_kernel_list_free(&kernel, 1);
}
/* Stores the binary again after the first launches, in which PoCL compiles work-groups. Does nothing on a GPU, for a
 * program that came from the cache, and where PoCL keeps the program. */
gemp_code gemp_program_store(gemp_device *device, const gemp_program *program);

/* Reads an embedded kernel file ("filter.cl", "group.clh"), or the same file in GEMP_KERNEL_DIR if that is set.
 * `#include "x.clh"` lines are replaced by the files. The caller frees *out (gemp_free). */
gemp_code gemp_kernel_source(char **out, const char *file);
/* Appends the text of gemp_kernel_source. */
struct gemp_text;
gemp_code gemp_kernel_append(struct gemp_text *text, const char *file);
/* Call it after the last launch. Stores a program that was built, like gemp_program_store, and frees it. */
void gemp_program_store_and_free(gemp_device *device, gemp_program *program);

/* The kernel files and the files of configs/tuning, which the build puts into the program
 * (cmake/EmbedKernels.cmake). */

typedef struct gemp_embedded {
	const char *name; /* "filter.cl", "nvidia-h200.conf": unique in all folders */
	const char *path; /* path within kernels/: "match/filter.cl"; for a tuning file, its name */
	const char *text; /* [size], followed by a 0 */
	size_t size;
} gemp_embedded;

extern const gemp_embedded gemp_embedded_files[]; /* [gemp_embedded_count], sorted by name */
extern const size_t gemp_embedded_count;

#endif
