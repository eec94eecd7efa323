/* samples: a rank's vectors on its device, value by value, so that neighbouring work-items read neighbouring samples. */
#ifndef GEMP_SOM_SAMPLES_H
#define GEMP_SOM_SAMPLES_H

#include "device/device.h"

typedef struct gemp_som_samples {
	gemp_device *device;
	size_t count;
	uint32_t dims;
	bool missing;        /* some values are */
	gemp_buffer x;       /* float[dims][count]: 0 where a value is missing, NaN in samples that have none at all */
	gemp_buffer present; /* uint8_t[dims][count]: 1 where there is a value; one byte unless `missing` */
} gemp_som_samples;

/* x: [count][dims], NaN where a value is missing. Buffers of no samples have room for one value. */
gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims);
void gemp_som_samples_free(gemp_som_samples *samples);

#endif
