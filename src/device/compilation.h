/* compilation: compiles a program on a thread of its own, while the caller does other work.
 *
 *   gemp_compilation_begin -> gemp_compilation_has_ended ... -> gemp_compilation_end, or gemp_compilation_abandon
 *
 * The thread only calls the compiler and the cache on disk (gemp_program_load), so the caller may use the device in the
 * meantime. A compilation whose program is not needed any more cannot be stopped: compilers have no call for it. It
 * goes on, its result stays in the cache, and closing the device waits for it. Local. */

#ifndef GEMP_DEVICE_COMPILATION_H
#define GEMP_DEVICE_COMPILATION_H

#include "core/memory.h"
#include "device/program.h"

typedef struct gemp_compilation gemp_compilation;

/* The texts are copied; options is not NULL. If an abandoned compilation of the same program still runs, it is taken
 * up again. */
gemp_code gemp_compilation_begin(gemp_compilation **out, gemp_device *device, const char *source, const char *options);
bool gemp_compilation_has_ended(const gemp_compilation *compilation);
/* Waits for the end, sets *out as gemp_program_new does, and frees the compilation. */
gemp_code gemp_compilation_end(gemp_compilation *compilation, gemp_program *out);
/* Does not wait. NULL is allowed. */
void gemp_compilation_abandon(gemp_compilation *compilation);
GEMP_RELEASE(gemp_compilation_abandon, gemp_compilation *)
/* True if an abandoned compilation of the device still runs. */
bool gemp_compilations_run(const gemp_device *device);
/* Waits for all abandoned compilations of the device. */
void gemp_compilations_await(gemp_device *device);

#endif
