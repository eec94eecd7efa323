/* accumulate: sums of samples by best unit in planes, and units out of them.
 *
 * Planes [.][units] have a sum for each value, then a count, or, with missing values, a count for each value. In online training
 * they have what is added to each value of a unit in place of sums, and what it is multiplied by before in place of counts.
 *
 * Sums are added up in double, where the device has it, so that a unit may have any number of samples and values may be far from
 * 0; they leave as floats. A GPU adds to several banks of them, if samples are many beside units and there is room,
 * so that those of one unit wait less for each other.
 */
#ifndef GEMP_SOM_ACCUMULATE_H
#define GEMP_SOM_ACCUMULATE_H

#include "som/codebook.h"
#include "som/samples.h"
#include "som/smooth.h"

/* Values of vectors whose planes are on the device at the same time: count of them from the first on. */
typedef struct gemp_som_values {
	uint32_t first, count;
} gemp_som_values;

typedef struct gemp_som_accumulate {
	gemp_device *device; /* borrowed */
	uint32_t units;
	bool missing;
	gemp_program program;
	cl_kernel add, take, finish, move;
	gemp_buffer sums;    /* double[banks][.][units]: 0 but from the first add to take; in online training none */
	cl_uint banks;
} gemp_som_accumulate;

uint32_t gemp_som_planes(uint32_t values, bool missing);
/* Those that will be added are like `samples` in dimensions and in whether values may be missing. most: values at a time; all of
 * them, or less. online: for gemp_som_accumulate_move alone. */
gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples, uint32_t units,
                                  uint32_t most, bool online);
void gemp_som_accumulate_free(gemp_som_accumulate *accumulate);
/* Samples, of several parts one after another; best: [count] as gemp_som_search_run leaves them. Enqueued, like what follows. */
gemp_code gemp_som_accumulate_add(gemp_som_accumulate *accumulate, const gemp_som_samples *samples, const gemp_buffer *best,
                                  gemp_som_values values);
/* planes = sums and counts of what was added. */
gemp_code gemp_som_accumulate_take(gemp_som_accumulate *accumulate, gemp_som_values values, const gemp_buffer *planes);
/* Values of units with a count above GEMP_SOM_LEAST become sum / count. All values of units are done in their order. */
gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book);
/* They become factor * value + what is added. */
gemp_code gemp_som_accumulate_move(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                   gemp_som_codebook *book);

#endif
