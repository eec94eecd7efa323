/* codebook: the vectors of a map's units on a device. */
#ifndef GEMP_SOM_CODEBOOK_H
#define GEMP_SOM_CODEBOOK_H

#include "device/device.h"

typedef struct gemp_som_codebook {
	gemp_device *device;
	uint32_t units, dims;
	uint32_t stride; /* floats of a unit, a multiple of 4 */
	gemp_buffer w;   /* float[units][stride]: the unit's values, the sum of their squares, zeros */
} gemp_som_codebook;

static inline uint32_t gemp_som_stride(uint32_t dims)
{
	return (dims + 1 + 3) / 4 * 4;
}

/* w: [units][dims]; units > 0. */
gemp_code gemp_som_codebook_new(gemp_som_codebook *out, gemp_device *device, const float *w, uint32_t units, uint32_t dims);
gemp_code gemp_som_codebook_write(const gemp_som_codebook *book, const float *w);
gemp_code gemp_som_codebook_read(const gemp_som_codebook *book, float *w);
void gemp_som_codebook_free(gemp_som_codebook *book);

#endif
