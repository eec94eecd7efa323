/* deal: who searches from which pivots, where every rank could from any of them because all rows are here.
 *
 * Pivots are cut into pieces by estimated cost: each device's next one costs some part of what is left, so that those that
 * come last are small. A pivot that would be much of a piece is divided into slices (of the candidates beside it),
 * and its pieces are some slices each. Pieces go to the nodes, the dearest first and each to the node that has least to do
 * for a device; every rank computes the same. A rank takes the next piece of its node whenever a device has nothing else
 * to do (comm/counter).
 */
#ifndef GEMP_MATCH_DEAL_H
#define GEMP_MATCH_DEAL_H

#include "comm/counter.h"

/* Of pivots, in their order; or of seeds, or tasks. */
typedef struct gemp_part {
	size_t first, count;
} gemp_part;

typedef struct gemp_piece {
	gemp_part part;          /* of pivots; or of the slices of one: */
	size_t pivot, slices;    /* that one, and how many it has; 1: the pivots are whole */
} gemp_piece;

typedef struct gemp_deal {
	gemp_comm *comm;
	size_t node_count, node; /* this rank's */
	uint64_t *devices;       /* [node_count] of the ranks of each node */
	uint64_t device_count;   /* of all */
	gemp_piece *pieces;      /* [count] of this node */
	size_t count, room;
	bool sliced;             /* some piece of some node is of slices */
	uint64_t digest;         /* of the pieces of all nodes */
	gemp_counter *counter;   /* NULL: it is not open */
	size_t done;             /* pivots in pieces that this rank has taken since it was opened; or their first slices */
} gemp_deal;

/* Collective. For the devices of this rank, and those of the others. */
gemp_code gemp_deal_new(gemp_deal **out, gemp_comm *comm, size_t devices);
void gemp_deal_free(gemp_deal *deal); /* takes NULL */

typedef struct gemp_deal_costs {
	const uint64_t *cost;    /* [count] of pivots; NULL: all cost 1 */
	size_t count, least;     /* pivots that a piece has at least, unless that would leave devices idle, */
	uint64_t least_cost;     /* and that it costs */
	double part_of_share;    /* as many pieces as devices are each a device's share of what is left, over this */
	const uint32_t *slices;  /* [count] that a pivot may have; NULL: one */
	size_t workers;          /* of a device: a dear pivot's piece has so many slices; if there are slices */
} gemp_deal_costs;

/* Local. The same costs on all ranks: whether they were, gemp_deal_agree asks. */
gemp_code gemp_deal_cut(gemp_deal *deal, const gemp_deal_costs *costs);

/* Collective. Have all ranks cut the same pieces? */
bool gemp_deal_agree(const gemp_deal *deal);

/* Collective. From the first piece on; closed when all ranks have taken all that they want. */
void gemp_deal_open(gemp_deal *deal);
void gemp_deal_close(gemp_deal *deal);

/* Local. False: there are no more. */
bool gemp_deal_take(gemp_deal *deal, gemp_piece *piece);
bool gemp_deal_left(const gemp_deal *deal);

#endif
