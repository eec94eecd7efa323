/* accumulate: sums of samples by their best units, and units out of them.
 *
 * Planes [.][units] have a sum for each value, then a count, or, with missing values, a count for each value. In online training
 * they have what is added to each value of a unit in place of sums, and what it is multiplied by before in place of counts.
 */
#ifndef GEMP_SOM_ACCUMULATE_H
#define GEMP_SOM_ACCUMULATE_H

#include "som/codebook.h"
#include "som/samples.h"
#include "som/smooth.h"

typedef struct gemp_som_accumulate {
	gemp_device *device; /* borrowed */
	uint32_t dims;
	gemp_program program;
	cl_kernel add, finish, move;
} gemp_som_accumulate;

uint32_t gemp_som_planes(uint32_t dims, bool missing);
/* missing: of any rank; samples.missing may be false then. */
gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples, uint32_t stride,
                                  bool missing);
void gemp_som_accumulate_free(gemp_som_accumulate *accumulate);
/* planes = sums and counts; best: [count] as gemp_som_search_run leaves them. Enqueued, like what follows. */
gemp_code gemp_som_accumulate_run(gemp_som_accumulate *accumulate, const gemp_som_samples *samples, const gemp_buffer *best,
                                  uint32_t units, const gemp_buffer *planes);
/* Units with a count above GEMP_SOM_LEAST become sum / count. */
gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_codebook *book);
/* Units become factor * unit + what is added. */
gemp_code gemp_som_accumulate_move(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_codebook *book);
/* Options of kernels that read samples. */
void gemp_som_sample_options(char options[GEMP_SOM_OPTIONS], const gemp_som_samples *samples, bool missing);

#endif
