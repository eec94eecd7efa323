/* shuffle_ranks: decode across ranks: tuples are put in the order of their owners on each rank's device, exchanged, and then put in
 * the order of ranges. A rank's own tuples stay on its device.
 *
 * GPUs of one node exchange through shared, page-locked memory: each rank writes a part of its tuples there while the others read
 * the part before. The memory is kept from shuffle to shuffle, as locking its pages takes longer than a shuffle. Other ranks
 * exchange by MPI.
 */

#ifndef GEMP_SHUFFLE_SHUFFLE_RANKS_H
#define GEMP_SHUFFLE_SHUFFLE_RANKS_H

#include "comm/exchange.h"
#include "comm/shared.h"
#include "device/staging.h"
#include "shuffle/shuffle.h"

enum { GEMP_SHUFFLE_CHUNK = 32 << 20 };

typedef struct gemp_shuffle_shared {
	char *bytes; /* [ranks][2][part]; NULL: without */
	size_t part;
	gemp_shared shared;
	gemp_pinned pinned;
} gemp_shuffle_shared;

/* Collective. Without it if ranks are on several nodes or there is one, if one has no GPU (and it is not forced, for tests), or if
 * there is no room: then tuples go by MPI. part: bytes. To be freed before the device is closed. */
void gemp_shuffle_shared_new(gemp_shuffle_shared *out, const gemp_comm *comm, gemp_device *device, size_t part,
                             bool forced);
/* Collective. Takes one that is without. */
void gemp_shuffle_shared_free(gemp_shuffle_shared *common);

/* Not to be copied. */
typedef struct gemp_shuffled {
	gemp_shuffle how;   /* as they lie now */
	gemp_tuples tuples; /* for this rank, in the order of ranges */
	gemp_buffer begin;  /* u32 [2^bits + 1] */
	struct {
		double by_owner, exchange, by_range; /* on the device; from its memory to that of the others; on the device */
	} seconds;
	/* its own */
	gemp_device *device;
	gemp_readback sent[2]; /* tuples, column */
	gemp_buffer arrived[2], placed[2];
} gemp_shuffled;

/* Collective. The owner of a destination is the rank destination >> (bits + shift), of as many bits as there are ranks for: what
 * is for one of these that is not a rank is GEMP_EDATA. A range is that of the owner. What is this rank's own stays on the
 * device. common: the same on all ranks, or NULL. traffic may be NULL. To be freed before the device is closed. */
gemp_code gemp_shuffle_ranks(gemp_shuffled *out, const gemp_comm *comm, gemp_toolbox *box, const gemp_shuffle *how,
                             const gemp_tuples *in, const gemp_shuffle_shared *common, gemp_traffic *traffic);
void gemp_shuffled_free(gemp_shuffled *shuffled);

#endif
