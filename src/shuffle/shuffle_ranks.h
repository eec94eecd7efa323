/* shuffle_ranks: shuffles tuples across ranks, by decoding. Each rank puts its tuples in the order of their owners on
 * its device, the ranks exchange them, and each owner puts the received tuples in the order of ranges. A rank's own
 * tuples stay on its device.
 *
 * GPUs of one node exchange through shared, page-locked memory. In each step a rank writes a chunk of its tuples there,
 * while the other ranks read the chunk of the step before. The memory is kept between shuffles, since locking its pages
 * takes longer than a shuffle. All other ranks exchange by MPI. */

#ifndef GEMP_SHUFFLE_SHUFFLE_RANKS_H
#define GEMP_SHUFFLE_SHUFFLE_RANKS_H

#include "comm/exchange.h"
#include "comm/shared.h"
#include "device/staging.h"
#include "shuffle/shuffle.h"

enum { GEMP_SHUFFLE_CHUNK = 32 << 20 };

typedef struct gemp_shuffle_shared {
	char *bytes; /* [ranks][2][part]; NULL: tuples are exchanged by MPI */
	size_t part; /* bytes that a rank writes in one step */
	gemp_shared shared;
	gemp_pinned pinned;
} gemp_shuffle_shared;

/* Collective. bytes stays NULL, and tuples are exchanged by MPI, if the ranks are on several nodes, if there is one
 * rank, if a rank has no GPU (except if forced, for tests), or if a node has too little memory. part: bytes of one step
 * of a rank. Free it before the device is closed. */
void gemp_shuffle_shared_new(gemp_shuffle_shared *out, const gemp_comm *comm, gemp_device *device, size_t part,
                             bool forced);
/* Collective. An object without bytes is allowed. */
void gemp_shuffle_shared_free(gemp_shuffle_shared *shared);

/* The tuples of this rank after a shuffle. It has pointers into itself and must not be copied. */
typedef struct gemp_shuffled {
	gemp_shuffle how;   /* the layout of the tuples: the caller's, but AOS instead of AOS_KEYS */
	gemp_tuples tuples; /* tuples with this rank's destinations, in the order of ranges */
	gemp_buffer begin;  /* u32 [2^bits + 1] begin of each range */
	struct {
		double by_owner, exchange, by_range; /* decoding by owner; the exchange; decoding by range */
	} seconds;
	/* private */
	gemp_device *device;
	gemp_readback sent[2]; /* tuples or values; destinations */
	gemp_buffer arrived[2], placed[2];
} gemp_shuffled;

/* Collective. The owner of a destination is the rank with number destination >> (bits + shift). A destination without
 * such a rank is GEMP_EDATA. Ranges divide the destinations of one owner. shared: made by gemp_shuffle_shared_new with
 * the same arguments on all ranks, or NULL. traffic may be NULL. Free the result before the device is closed. */
gemp_code gemp_shuffle_ranks(gemp_shuffled *out, const gemp_comm *comm, gemp_toolbox *box, const gemp_shuffle *how,
                             const gemp_tuples *in, const gemp_shuffle_shared *shared, gemp_traffic *traffic);
void gemp_shuffled_free(gemp_shuffled *shuffled);

#endif
