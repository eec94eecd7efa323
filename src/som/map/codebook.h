/* codebook: keeps the vectors of a map's units on a device, as float[units][stride]. A row has a unit's dims values,
 * the sum of their squares, and zeros up to the stride.
 *
 * If the device lacks memory for all units, the host has all of them and the device `capacity` units at a time. A
 * loop over all units:
 *
 *   for (uint32_t first = 0; first < book->units; first += book->resident)
 *       gemp_som_codebook_load(book, first) -> a kernel on `resident` units -> gemp_som_codebook_store(book) if changed
 */

#ifndef GEMP_SOM_MAP_CODEBOOK_H
#define GEMP_SOM_MAP_CODEBOOK_H

#include "device/device.h"

typedef struct gemp_som_codebook {
	gemp_device *device;
	uint32_t units, dims;
	uint32_t stride;          /* floats of a unit, a multiple of 4 */
	uint32_t capacity;        /* units on the device at a time */
	uint32_t first, resident; /* the device has `resident` units from `first` on */
	gemp_buffer w;            /* float[capacity][stride] */
	float *rows;              /* [units][stride] on the host; NULL: all units are on the device */
} gemp_som_codebook;

static inline uint32_t gemp_som_stride(uint32_t dims)
{
	return (dims + 1 + 3) / 4 * 4;
}

static inline bool gemp_som_codebook_is_valid(const gemp_som_codebook *book)
{
	return book->units > 0 && book->stride == gemp_som_stride(book->dims) && book->capacity > 0 &&
	       book->resident <= book->capacity && book->first + book->resident <= book->units &&
	       (book->rows || book->resident == book->units);
}

/* w: [units][dims]; units > 0. At most `capacity` > 0 units are on the device at a time. */
gemp_code gemp_som_codebook_new(gemp_som_codebook *out, gemp_device *device, const float *w, uint32_t units,
                                uint32_t dims, uint32_t capacity);
/* Copies the units from `first` on to the device, as many as fit. Waits for the device, unless all units are there
 * always. */
gemp_code gemp_som_codebook_load(gemp_som_codebook *book, uint32_t first);
/* Copies the units on the device, which kernels have changed, to the host. Waits, too. */
gemp_code gemp_som_codebook_store(const gemp_som_codebook *book);
gemp_code gemp_som_codebook_write(gemp_som_codebook *book, const float *w);
gemp_code gemp_som_codebook_read(const gemp_som_codebook *book, float *w);
void gemp_som_codebook_free(gemp_som_codebook *book);

#endif
