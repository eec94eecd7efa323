/* embedded: the kernel files and those of configs/tuning, put into the program at build (cmake/EmbedKernels.cmake). */

#ifndef GEMP_DEVICE_EMBEDDED_H
#define GEMP_DEVICE_EMBEDDED_H

#include <stddef.h>

typedef struct gemp_embedded {
	const char *name; /* "filter.cl", "nvidia-h200.conf": unique in all folders */
	const char *path; /* within kernels/: "match/filter.cl"; of a tuning file its name */
	const char *text; /* [size], with a 0 behind */
	size_t size;
} gemp_embedded;

extern const gemp_embedded gemp_embedded_files[]; /* [gemp_embedded_count], by name */
extern const size_t gemp_embedded_count;

#endif
