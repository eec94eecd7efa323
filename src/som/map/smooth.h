/* smooth: the neighbourhood on a device, and sums of units spread by it.
 *
 * Values of units lie in planes: planes[k][unit]. What a unit gets of another one depends on their steps apart in a row and
 * between rows alone, so tables of both are made on the device, one for each way in which rows of a hexagonal grid can be
 * shifted against each other. Where h is the product of both (gaussian, square) two passes do, one along rows and one along
 * columns; round ones (gaussian-cut, bubble) go over row sums that grow as rows come nearer, of two kinds on hexagonal grids, where
 * rows of the other parity are half steps away.
 */

#ifndef GEMP_SOM_MAP_SMOOTH_H
#define GEMP_SOM_MAP_SMOOTH_H

#include "device/program.h"
#include "gemp/types.h"
#include "som/map/grid.h"

/* Does it end at the radius, in a circle? */
static inline bool gemp_som_is_cut(gemp_som_neighbourhood neighbourhood)
{
	return neighbourhood == GEMP_SOM_GAUSSIAN_CUT || neighbourhood == GEMP_SOM_BUBBLE;
}

enum { GEMP_SOM_OPTIONS = 256 };

typedef struct gemp_som_smooth {
	gemp_device *device; /* borrowed */
	gemp_som_grid grid;
	gemp_som_neighbourhood neighbourhood;
	bool gpu;        /* kernels as suit GPUs */
	bool local_sums; /* row sums in local memory */
	uint32_t planes; /* of a run; at most those it was made for */
	gemp_program tables, program;
	cl_kernel factors, along, across, running; /* along and across, or running */
	gemp_buffer steps;                         /* factors along rows, three tables, then between rows */
	gemp_buffer scratch
		[2];       /* planes after the first pass, or row sums; on hexagonal grids those for rows of the other parity */
	double radius; /* of the last gemp_som_smooth_radius */
	cl_ulong cutoff; /* 4 times the square of the radius, or all that there is */
} gemp_som_smooth;

/* The values that a kernel reads past the end of planes, at most. */
enum { GEMP_SOM_PADDING = 16 };

enum { GEMP_SOM_LANES = 16 }; /* of CPU devices */

/* Units on which less than this comes together have not been reached. */
#define GEMP_SOM_MIN_WEIGHT 1e-30f

/* What it takes on a device: of planes, for each plane and unit so many floats at most; bytes of tables. */
size_t gemp_som_smooth_planes(const gemp_som_grid *grid);
size_t gemp_som_smooth_tables(const gemp_som_grid *grid);
/* planes 0: tables only, as online training wants them. gpu: kernels as suit GPUs: device->gpu, but for tests. */
gemp_code gemp_som_smooth_new(gemp_som_smooth *out, gemp_device *device, const gemp_som_grid *grid,
                              gemp_som_neighbourhood neighbourhood, uint32_t planes, bool gpu);
void gemp_som_smooth_free(gemp_som_smooth *smooth);
/* Buffers for planes: `planes` times units floats and padding. */
gemp_code gemp_som_planes_new(gemp_buffer *out, gemp_device *device, uint32_t units, uint32_t planes);
/* Makes the tables. Enqueued, like all that follows. */
gemp_code gemp_som_smooth_radius(gemp_som_smooth *smooth, double radius);
/* to = the sum over units of h times from, by the tables. */
gemp_code gemp_som_smooth_run(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to);
/* Options of kernels that read the tables (kernels/som/som_grid.clh). lanes: units of a row that a work-item works on, 1 or
 * GEMP_SOM_LANES. */
void gemp_som_grid_options(char options[GEMP_SOM_OPTIONS], uint32_t lanes, const gemp_som_grid *grid);

uint32_t gemp_som_planes(uint32_t values, bool missing);

#endif
