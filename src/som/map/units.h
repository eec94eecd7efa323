/* units: the units of a self-organising map. The grid gives the places of the units, and the codebook holds the vectors
 * of the units.
 *
 * Grid: unit u is in row u / columns and column u % columns. On a rectangular grid the coordinates of a unit are its
 * column and its row. On a hexagonal grid odd rows are shifted by half a column to the right, and rows are sqrt(3)/2
 * apart, so each unit has six neighbours at distance 1. A toroid has no border: a distance is measured along the
 * shortest way round.
 *
 * Codebook: the vectors lie on a device as float[units][stride]. A row has the `dims` values of a unit, the sum of
 * their squares, and zeros up to the stride. If the device lacks memory for all units, the host keeps all rows, and the
 * device has at most `capacity` units at a time. This loop visits all units:
 *
 *   for (uint32_t first = 0; first < book->units; first += book->resident)
 *       gemp_som_codebook_load(book, first) -> a kernel on `resident` units -> gemp_som_codebook_store(book) if changed
 */

#ifndef GEMP_SOM_MAP_UNITS_H
#define GEMP_SOM_MAP_UNITS_H

#include "core/status.h"
#include "device/device.h"
#include "gemp/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gemp_som_grid {
	uint32_t rows, columns;
	gemp_som_lattice lattice;
	bool toroid;
} gemp_som_grid;

/* A range of adjacent rows of a grid. */
typedef struct gemp_som_rows {
	uint32_t first, end;
} gemp_som_rows;

#define GEMP_SOM_NO_UNIT UINT32_MAX /* the unit of a sample without any value */

static inline uint32_t gemp_som_units(const gemp_som_grid *grid)
{
	return grid->rows * grid->columns;
}

/* Returns GEMP_EUSAGE for a grid without units, for more than 2^31 - 1 units, for a side longer than 2^24, and for a
 * hexagonal toroid with an odd number of rows. */
gemp_code gemp_som_grid_check(const gemp_som_grid *grid);
/* gemp_som_place gives the coordinates of a unit, and gemp_som_distance the distance between the coordinates of two
 * units. */
void gemp_som_place(const gemp_som_grid *grid, uint32_t unit, double *x, double *y);
double gemp_som_distance(const gemp_som_grid *grid, uint32_t a, uint32_t b);

/* Returns whether two units touch. On a rectangular grid units may touch at a corner. A unit does not touch itself. */
bool gemp_som_adjacent(const gemp_som_grid *grid, uint32_t a, uint32_t b);
/* out[] becomes the units at distance 1: at most 4 on a rectangular grid and at most 6 on a hexagonal grid. Each unit
 * is listed once, in ascending order, and the unit itself is not listed. Returns their number. */
int gemp_som_neighbours(const gemp_som_grid *grid, uint32_t unit, uint32_t out[8]);

typedef struct gemp_som_codebook {
	gemp_device *device;
	uint32_t units, dims;
	uint32_t stride;          /* floats of a unit, a multiple of 4 */
	uint32_t capacity;        /* units on the device at a time */
	uint32_t first, resident; /* the device has the units first .. first + resident - 1 */
	gemp_buffer w;            /* float[capacity][stride] */
	float *rows;              /* [units][stride] on the host; NULL if all units are on the device */
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
/* Copies as many units as fit, from `first` on, to the device, and waits for the copy. Does nothing if these units are
 * on the device already. */
gemp_code gemp_som_codebook_load(gemp_som_codebook *book, uint32_t first);
/* Copies the units on the device, which kernels have changed, to the host, and waits for the copy. Does nothing if the
 * device always has all units. */
gemp_code gemp_som_codebook_store(const gemp_som_codebook *book);
gemp_code gemp_som_codebook_write(gemp_som_codebook *book, const float *w);
gemp_code gemp_som_codebook_read(const gemp_som_codebook *book, float *w);
void gemp_som_codebook_free(gemp_som_codebook *book);

#endif
