/* program: kernel programs: source with includes, binaries in the cache, kernels.
 *
 * Source is looked up among the newest GEMP_LOADED_PROGRAMS programs of this process and then in the cache on disk
 * (device/cache.h) by device, driver, platform, source and options. On a miss one of the processes that want the
 * program builds and stores it; the others wait and load. A build that fails on PoCL is tried once more, since a cold
 * PoCL cache can cause that. GEMP_GPU and GEMP_NVIDIA are defined in kernels where they hold. Local.
 */

#ifndef GEMP_DEVICE_PROGRAM_H
#define GEMP_DEVICE_PROGRAM_H

#include "device/device.h"

#include <CL/cl.h>

/* The name of the binary in the cache is `key`: two hashes of device, driver, platform, options and source. */
typedef struct gemp_program {
	cl_program program;
	uint64_t key[2]; /* two hashes */
	bool cached;     /* came from the cache */
	double seconds;  /* to build or load */
} gemp_program;
gemp_code gemp_program_new(gemp_program *out, gemp_device *device, const char *source, const char *options);
void gemp_program_free(gemp_program *program);
void gemp_programs_release(gemp_device *device); /* the loaded ones */
gemp_code gemp_kernel_new(cl_kernel *out, const gemp_program *program, const char *name);

/* An embedded file built with these options, and kernels of it:
 *   gemp_program_build(&it->program, device, "som_online.cl", options, { "som_online", &it->run }, ...)
 * An entry without a name is left out. The program and the kernels that were made are to be freed also after a failure. */
typedef struct gemp_kernel_entry {
	const char *name;
	cl_kernel *kernel;
} gemp_kernel_entry;
#define gemp_program_build(out, device, file, options, ...)                                                 \
	gemp_program_build_list((out), (device), (file), (options), (const gemp_kernel_entry[]){ __VA_ARGS__ }, \
	                        sizeof((const gemp_kernel_entry[]){ __VA_ARGS__ }) / sizeof(gemp_kernel_entry))
gemp_code gemp_program_build_list(gemp_program *out, gemp_device *device, const char *file, const char *options,
                                  const gemp_kernel_entry *entries, size_t count);
/* gemp_kernels_free(&a, &b): each of them, NULL too. */
#define gemp_kernels_free(...) \
	gemp_kernel_list_free((cl_kernel *[]){ __VA_ARGS__ }, sizeof((cl_kernel *[]){ __VA_ARGS__ }) / sizeof(cl_kernel *))
void gemp_kernel_list_free(cl_kernel **kernels, size_t count);
static inline void gemp_kernel_free_at(cl_kernel *kernel)
{
	gemp_kernel_list_free(&kernel, 1);
}
/* Refresh the cached binary after first launches (PoCL compiles work-groups then). Does nothing for a program that came
 * from the cache. */
gemp_code gemp_program_store(gemp_device *device, const gemp_program *program);

/* The text of an embedded kernel file ("filter.cl", "group.clh"), or of the same file in GEMP_KERNEL_DIR if that is
 * set; its own `#include "x.clh"` lines are replaced by the files. The caller frees (gemp_free). */
gemp_code gemp_kernel_source(char **out, const char *file);
/* Appends that text. */
struct gemp_text;
gemp_code gemp_kernel_append(struct gemp_text *text, const char *file);
/* After the last launch: a program that was built, not cached, is stored with what its first launches compiled; then
 * freed. */
void gemp_program_store_and_free(gemp_device *device, gemp_program *program);

/* The kernel files and those of configs/tuning, put into the program at build (cmake/EmbedKernels.cmake). */

typedef struct gemp_embedded {
	const char *name; /* "filter.cl", "nvidia-h200.conf": unique in all folders */
	const char *path; /* within kernels/: "match/filter.cl"; of a tuning file its name */
	const char *text; /* [size], with a 0 behind */
	size_t size;
} gemp_embedded;

extern const gemp_embedded gemp_embedded_files[]; /* [gemp_embedded_count], by name */
extern const size_t gemp_embedded_count;

#endif
