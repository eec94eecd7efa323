/* samples: some of a rank's vectors on its device, value by value, so that neighbouring work-items read neighbouring samples. */

#ifndef GEMP_SOM_MAP_SAMPLES_H
#define GEMP_SOM_MAP_SAMPLES_H

#include "device/device.h"

typedef struct gemp_som_samples {
	gemp_device *device;
	size_t count;
	uint32_t dims;
	bool missing;        /* some values may be */
	gemp_buffer x;       /* float[dims][count]: 0 where a value is missing, NaN in samples that have none at all */
	gemp_buffer present; /* uint8_t[dims][count]: 1 where there is a value; one byte unless `missing` */
} gemp_som_samples;

/* On the host. */
bool gemp_som_any_missing(const float *x, size_t count, uint32_t dims);

/* x: [count][dims], NaN where a value is missing. Buffers of no samples have room for one value. */
gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims);
/* None yet, and room for `most`. */
gemp_code gemp_som_samples_reserve(gemp_som_samples *out, gemp_device *device, size_t most, uint32_t dims,
                                   bool missing);
/* These in place of those that were there. The copy is on a queue beside kernels, once `after` has come to pass (NULL: at once),
 * and has ended on return. */
gemp_code gemp_som_samples_fill(gemp_som_samples *samples, const float *x, size_t count, cl_event after);
/* The same into the places from `begin` on; the count of all of them is set already. */
gemp_code gemp_som_samples_put(gemp_som_samples *samples, const float *x, size_t begin, size_t count, cl_event after);
/* Bytes on the device of a sample. */
size_t gemp_som_sample_bytes(uint32_t dims, bool missing);
void gemp_som_samples_free(gemp_som_samples *samples);

#endif
