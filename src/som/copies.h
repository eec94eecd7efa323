/* copies: the samples of all ranks on each rank's device, so that ranks tell each other best units in place of sums.
 *
 * A sample's key takes 8 bytes and a unit's planes 4 for each value and count: where samples are few beside units, keys travel
 * in a fraction of the time. Each rank still searches its own samples alone; what a sample adds to the sums is little work.
 */
#ifndef GEMP_SOM_COPIES_H
#define GEMP_SOM_COPIES_H

#include "comm/comm.h"
#include "som/samples.h"

typedef struct gemp_som_copies {
	gemp_device *device;      /* borrowed; NULL: there are none */
	gemp_som_samples samples; /* by rank, then in order */
	gemp_buffer best;         /* uint64_t[samples.count] keys */
	uint64_t *keys;           /* the same on the host */
	int *count, *begin;       /* [ranks] */
} gemp_som_copies;

extern size_t gemp_som_copies_block; /* bytes that are sent at a time, about; tests make it small */

/* What decides. */
typedef struct gemp_som_copies_need {
	size_t samples;       /* of all ranks */
	uint32_t dims;
	bool missing;         /* values of any rank */
	size_t planes;        /* values and counts in planes of all units */
	uint32_t epochs;
	unsigned weight;      /* of a key's bytes beside those of planes */
	size_t spare;         /* bytes of the device that others still take */
} gemp_som_copies_need;

/* Copies and keys of all epochs, by their weight, are fewer bytes than planes are. */
bool gemp_som_copies_pay(const gemp_som_copies_need *need);
/* The device has room for them beside what it holds. */
bool gemp_som_copies_fit(const gemp_device *device, const gemp_som_copies_need *need);

/* Collective. x: [count][dims] of this rank. To be freed in any case. */
gemp_code gemp_som_copies_new(gemp_som_copies *out, const gemp_comm *comm, gemp_device *device, const gemp_som_copies_need *need,
                              const float *x, size_t count);
void gemp_som_copies_free(gemp_som_copies *copies);

/* This rank's keys leave the device, all ranks' keys meet (collective, cannot fail), and go to the device. */
gemp_code gemp_som_copies_read(gemp_som_copies *copies, const gemp_comm *comm, const gemp_buffer *best);
void gemp_som_copies_meet(gemp_som_copies *copies, const gemp_comm *comm);
gemp_code gemp_som_copies_write(const gemp_som_copies *copies);

#endif
