/* smooth: the neighbourhood function h on a device, and the smoothing of planes by h.
 *
 * Values of units lie in planes: planes[k][unit]. The weight of one unit in the sum of another unit depends only on the
 * numbers of columns and rows between them. The device therefore has tables by columns and a table by rows. There are
 * several tables by columns, one for each way in which rows of a hexagonal grid can be shifted against each other. If h
 * is a product of two factors (gaussian, square), two passes suffice, along rows and along columns. Round
 * neighbourhoods (gaussian-cut, bubble) use running sums of rows: the nearer a row is to the unit, the more columns its
 * sum has. Hexagonal grids have two kinds of these sums, as rows of the other parity are shifted by half a step. */

#ifndef GEMP_SOM_MAP_SMOOTH_H
#define GEMP_SOM_MAP_SMOOTH_H

#include "device/program.h"
#include "gemp/types.h"
#include "som/map/units.h"

/* Returns whether h is zero outside a circle of the radius. */
static inline bool gemp_som_is_cut(gemp_som_neighbourhood neighbourhood)
{
	return neighbourhood == GEMP_SOM_GAUSSIAN_CUT || neighbourhood == GEMP_SOM_BUBBLE;
}

enum { GEMP_SOM_OPTIONS = 256 };

typedef struct gemp_som_smooth {
	gemp_device *device; /* borrowed */
	gemp_som_grid grid;
	gemp_som_neighbourhood neighbourhood;
	bool gpu;        /* whether the kernels for GPUs are used */
	bool local_sums; /* whether row sums lie in local memory */
	uint32_t planes; /* number of planes of a run, at most the number for which scratch[] was made */
	gemp_program tables, program;
	cl_kernel factors, along, across, running; /* along, across: kernels of two passes; running: kernel with row sums */
	gemp_buffer steps; /* three tables of factors along rows, then one of factors between rows */
	/* The planes after the first pass, or row sums. On hexagonal grids scratch[1] is for rows of the other parity. */
	gemp_buffer scratch[2];
	double radius;   /* the radius of the last gemp_som_smooth_radius */
	cl_ulong cutoff; /* 4 times the square of the radius; the maximum for neighbourhoods without a border */
} gemp_som_smooth;

/* The number of values past the end of planes that a kernel may read. */
enum { GEMP_SOM_PADDING = 16 };

enum { GEMP_SOM_LANES = 16 }; /* units of a row that a work-item of a CPU device processes together */

/* If the weights of a unit sum to at most this, no sample is near the unit, and the unit keeps its values. */
#define GEMP_SOM_MIN_WEIGHT 1e-30f

/* The memory that a gemp_som_smooth needs on a device: the scratch floats for each plane and unit, and the bytes of the
 * tables. */
size_t gemp_som_smooth_planes(const gemp_som_grid *grid);
size_t gemp_som_smooth_tables(const gemp_som_grid *grid);
/* Local. planes 0: makes only the tables, for online training. gpu: use the kernels for GPUs; it is device->gpu except
 * in tests. */
gemp_code gemp_som_smooth_new(gemp_som_smooth *out, gemp_device *device, const gemp_som_grid *grid,
                              gemp_som_neighbourhood neighbourhood, uint32_t planes, bool gpu);
void gemp_som_smooth_free(gemp_som_smooth *smooth);
/* Makes a buffer of `planes` * units floats and the padding. */
gemp_code gemp_som_planes_new(gemp_buffer *out, gemp_device *device, uint32_t units, uint32_t planes);
/* Enqueues the kernel that makes the tables for a radius. */
gemp_code gemp_som_smooth_radius(gemp_som_smooth *smooth, double radius);
/* Enqueues kernels that set to[k][unit], in each plane k, to the sum of h(u, unit) * from[k][u] over all units u. */
gemp_code gemp_som_smooth_run(gemp_som_smooth *smooth, const gemp_buffer *from, const gemp_buffer *to);
/* Writes the options of kernels that read the tables (kernels/som/som_grid.clh). lanes: units of a row that a work-item
 * processes, 1 or GEMP_SOM_LANES. */
void gemp_som_grid_options(char options[GEMP_SOM_OPTIONS], uint32_t lanes, const gemp_som_grid *grid);

/* Returns the number of planes for this number of values. With missing values each value has a plane of counts;
 * otherwise all values share one. */
uint32_t gemp_som_planes(uint32_t values, bool missing);

#endif
