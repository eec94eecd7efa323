/* judge: how well a map fits a rank's samples, summed up on the device, so that an epoch need not wait for it. Sums of epochs lie
 * in slots until the host takes them.
 */
#ifndef GEMP_SOM_JUDGE_H
#define GEMP_SOM_JUDGE_H

#include "som/grid.h"
#include "som/search.h"

enum { GEMP_SOM_SLOTS = 64 };

/* Sums over samples that have a unit. */
typedef struct gemp_som_fit {
	double distances; /* to the best unit */
	double torn;      /* samples whose two best units are not adjacent */
	double samples;
} gemp_som_fit;

typedef struct gemp_som_judge {
	gemp_device *device; /* borrowed */
	gemp_som_grid grid;
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer distance, sums; /* of samples; of slots and groups */
	size_t group, groups;
} gemp_som_judge;

/* count: samples of a run, at most. */
gemp_code gemp_som_judge_new(gemp_som_judge *out, gemp_device *device, const gemp_som_grid *grid, size_t count);
/* Bytes of sums on the device. */
size_t gemp_som_judge_bytes(const gemp_device *device, size_t count);
void gemp_som_judge_free(gemp_som_judge *judge);
/* By the keys that `search` has found. more: the slot has sums of other samples already. Enqueued. */
gemp_code gemp_som_judge_run(gemp_som_judge *judge, gemp_som_search *search, const gemp_som_samples *samples,
                             gemp_som_codebook *book, const gemp_buffer *best, const gemp_buffer *second, uint32_t slot, bool more);
/* Of a slot whose last launch has ended; waits for nothing else. */
gemp_code gemp_som_judge_take(gemp_som_judge *judge, uint32_t slot, gemp_som_fit *fit);

#endif
