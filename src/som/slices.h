/* slices: rows of the map, shared out to ranks that have copies of all samples (som/copies.h). In online training each makes the
 * affine maps of its own rows, and then all are gathered.
 */
#ifndef GEMP_SOM_SLICES_H
#define GEMP_SOM_SLICES_H

#include "comm/comm.h"
#include "device/device.h"
#include "som/grid.h"

typedef struct gemp_som_slices {
	const gemp_comm *comm; /* borrowed; NULL: there are none */
	gemp_som_grid grid;
	uint32_t planes;
	int *count, *begin;    /* [ranks] floats of each rank's rows in all planes */
} gemp_som_slices;

/* planes times units: less than 2^31. */
gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes);
void gemp_som_slices_free(gemp_som_slices *slices);
/* This rank's. */
gemp_som_rows gemp_som_slices_mine(const gemp_som_slices *slices);

/* planes[.][units]; host: as many floats, which stay as they are until the device has them. This rank's rows leave the device, those
 * of all meet (collective, cannot fail), and those of the others go to the device (enqueued). */
gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes, float *host);
void gemp_som_slices_meet(const gemp_som_slices *slices, float *host);
gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes, const float *host);

#endif
