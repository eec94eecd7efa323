/* online: what all samples, in order, make of each unit, as one affine map of its values: w becomes a * w + b.
 *
 * Planes are those of som/accumulate.h: b for each value, then a for all of them, or, with missing values, a for each. Affine maps
 * of ranks are composed (som/compose.h), or a rank that has all samples makes them for rows of its own (som/slices.h).
 */
#ifndef GEMP_SOM_ONLINE_H
#define GEMP_SOM_ONLINE_H

#include "som/accumulate.h"
#include "som/samples.h"
#include "som/smooth.h"

typedef struct gemp_som_online {
	gemp_device *device; /* borrowed */
	uint32_t block;      /* values of a work-item */
	gemp_program program;
	cl_kernel run;
	uint32_t tall;       /* rows of the map that a group has */
	size_t group, across; /* work-items of a group, groups beside each other */
} gemp_som_online;

/* How kernels go over units and values (kernels/som_online_tiles.clh); 0: as suits the device. */
typedef struct gemp_som_online_shape {
	uint32_t tall, wide; /* rows and columns of a group's tile: 32 to 128 units, none above 16; 0 on CPUs: strips */
	uint32_t step;       /* samples at a time: a divisor, not below a 32th of those units */
	uint32_t block;      /* values of a work-item, at most */
} gemp_som_online_shape;

/* samples, most: as for gemp_som_accumulate_new. shape: NULL, or what of it is not 0. */
gemp_code gemp_som_online_new(gemp_som_online *out, gemp_device *device, const gemp_som_samples *samples,
                              const gemp_som_smooth *smooth, uint32_t most, const gemp_som_online_shape *shape);
void gemp_som_online_free(gemp_som_online *online);
/* By the tables of `smooth`. Shares of samples in a unit which, whatever the number of samples, come to less than a rounding are
 * left out. begun: after what planes have of earlier samples. rows: whose units are done. Enqueued. */
gemp_code gemp_som_online_run(gemp_som_online *online, const gemp_som_samples *samples, const gemp_buffer *best,
                              const gemp_som_smooth *smooth, double rate, gemp_som_values values, bool begun, gemp_som_rows rows,
                              const gemp_buffer *planes);

#endif
