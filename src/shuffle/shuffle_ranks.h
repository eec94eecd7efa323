/* shuffle_ranks: shuffles tuples across ranks, by decoding. Each rank puts its tuples in the order of their owners on
 * its device, the ranks exchange them (primitive/device_exchange), and each owner puts the received tuples in the order
 * of ranges. A rank's own tuples stay on its device. */

#ifndef GEMP_SHUFFLE_SHUFFLE_RANKS_H
#define GEMP_SHUFFLE_SHUFFLE_RANKS_H

#include "primitive/device_exchange.h"
#include "shuffle/shuffle.h"

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
	gemp_buffer sent[2], arrived[2], placed[2]; /* tuples or values; destinations */
} gemp_shuffled;

/* Collective. The owner of a destination is the rank with number destination >> (bits + shift). A destination without
 * such a rank is GEMP_EDATA. Ranges divide the destinations of one owner. `exchange` is between the devices of the
 * toolboxes; it keeps its memory between shuffles, and is not used by a single rank. Free the result before the device
 * is closed. */
gemp_code gemp_shuffle_ranks(gemp_shuffled *out, const gemp_comm *comm, gemp_toolbox *box, const gemp_shuffle *how,
                             const gemp_tuples *in, gemp_device_exchange *exchange);
void gemp_shuffled_free(gemp_shuffled *shuffled);

#endif
