#include "match/deal.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdlib.h>
#include <string.h>

/* A piece is a device's share of all, over this, at least. */
static const double pieces_of_share = 64;
/* A pivot is dear if it costs more than a worker's part of a piece; but there are so many at least. */
static const double fewest_workers = 4;
/* And more than a worker's share of all, over this: less is made up for by what comes later. Each slice sets its own marks,
 * so that there should be few. */
static const double dear_of_share = 8;

typedef struct costed {
	gemp_piece piece;
	uint64_t cost;
} costed;

/* NODES are numbered by their first ranks. */
static gemp_code find_nodes(gemp_deal *deal, size_t devices)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = deal->comm;
	int first = comm->rank, size = comm->size;
	struct { uint64_t first, devices; } own, *all = NULL;
	code = GEMP_NEW(all, (size_t)size);
	if (code == GEMP_OK)
		code = GEMP_NEW(deal->devices, (size_t)size);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, comm->node));
	own.first = (uint64_t)first;
	own.devices = devices;
	GEMP_MPI(MPI_Allgather(&own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, comm->world));
	for (int r = 0; r < size; r++) {
		deal->device_count += all[r].devices;
		if (all[r].first != (uint64_t)r)
			continue;
		if (r == first)
			deal->node = deal->node_count;
		for (int other = r; other < size; other++)
			deal->devices[deal->node_count] += all[other].first == (uint64_t)r ? all[other].devices : 0;
		deal->node_count++;
	}
done:
	gemp_free(all);
	return code;
}

gemp_code gemp_deal_new(gemp_deal **out, gemp_comm *comm, size_t devices)
{
	gemp_code code = GEMP_OK;
	gemp_deal *deal = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(deal, 1)));
	deal->comm = comm;
	GEMP_TRY(find_nodes(deal, devices));
	*out = deal;
	deal = NULL;
done:
	gemp_deal_free(deal);
	return code;
}

void gemp_deal_free(gemp_deal *deal)
{
	if (!deal)
		return;
	gemp_free(deal->devices);
	gemp_free(deal->pieces);
	gemp_free(deal);
}

/* CUTTING. */
static int dearer(const void *x, const void *y)
{
	const costed *a = x, *b = y;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	if (a->piece.pivot != b->piece.pivot)
		return a->piece.pivot < b->piece.pivot ? -1 : 1;
	return a->piece.part.first < b->piece.part.first ? -1 : 1;
}

/* Cutting under way. */
typedef struct cutter {
	const gemp_deal_costs *costs;
	costed *pieces;
	size_t count, room;
	size_t at; /* the next pivot */
	double wanted, floor; /* costs of a piece: of the next, of any */
	double share;         /* a device's of all */
} cutter;

static uint64_t cost_of(const gemp_deal_costs *costs, size_t pivot)
{
	return costs->cost ? costs->cost[pivot] : 1;
}

/* How many the pivot is to have: 1 unless it would keep one worker busy when the device's others have searched from the
 * rest of its piece; else a slice for each worker, in pieces nearly as small as any: hubs' costs are known least well. */
static size_t slices_of(const cutter *c, size_t pivot)
{
	const gemp_deal_costs *costs = c->costs;
	double workers = costs->workers > fewest_workers ? (double)costs->workers : fewest_workers;
	double cost = (double)cost_of(costs, pivot);
	if (!costs->slices || cost <= c->wanted / workers || cost <= (double)costs->least_cost ||
	    cost * dear_of_share * (double)costs->workers <= c->share)
		return 1;
	size_t slices = ((size_t)(cost / (2 * c->floor)) + 1) * costs->workers;
	return slices < costs->slices[pivot] ? slices : costs->slices[pivot];
}

static gemp_code add(cutter *c, const costed *piece)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(c->pieces, c->room, c->count + 1));
	c->pieces[c->count++] = *piece;
done:
	return code;
}

/* Pivots from the next one on, up to one that is dear. */
static gemp_code cut_whole(cutter *c, size_t least)
{
	costed piece = { .piece = { .part.first = c->at, .pivot = c->at, .slices = 1 } };
	size_t end = c->at + least;
	for (; c->at < c->costs->count && (c->at < end || (double)piece.cost < c->wanted) && slices_of(c, c->at) < 2; c->at++)
		piece.cost += cost_of(c->costs, c->at);
	piece.piece.part.count = c->at - piece.piece.part.first;
	return add(c, &piece);
}

static gemp_code cut_slices(cutter *c, size_t slices)
{
	gemp_code code = GEMP_OK;
	size_t width = c->costs->workers, pivot = c->at++;
	double cost = (double)cost_of(c->costs, pivot);
	for (size_t first = 0; first < slices; first += width) {
		size_t count = slices - first < width ? slices - first : width;
		costed piece = { { { first, count }, pivot, slices }, (uint64_t)(cost * (double)count / (double)slices) };
		GEMP_TRY(add(c, &piece));
	}
done:
	return code;
}

static gemp_code cut(const gemp_deal *deal, const gemp_deal_costs *costs, costed **pieces, size_t *piece_count)
{
	gemp_code code = GEMP_OK;
	cutter c = { .costs = costs };
	double total = 0, shares = (double)deal->device_count * costs->part_of_share;
	size_t most = (size_t)((double)costs->count / shares) + 1, least = costs->least < most ? costs->least : most;
	for (size_t i = 0; i < costs->count; i++)
		total += (double)cost_of(costs, i);
	double left = total;
	c.share = total / (double)deal->device_count;
	c.floor = c.share / pieces_of_share;
	c.floor = c.floor < (double)costs->least_cost ? (double)costs->least_cost : c.floor;
	for (size_t turn = 0; c.at < costs->count; turn++) {
		size_t first = c.at, slices;
		if (turn % deal->device_count == 0) /* as large for all devices */
			c.wanted = left / shares < c.floor ? c.floor : left / shares;
		slices = slices_of(&c, c.at);
		GEMP_TRY(slices > 1 ? cut_slices(&c, slices) : cut_whole(&c, least));
		for (size_t i = first; i < c.at; i++)
			left -= (double)cost_of(costs, i);
	}
	if (c.count)
		qsort(c.pieces, c.count, sizeof *c.pieces, dearer);
	*pieces = c.pieces;
	*piece_count = c.count;
	c.pieces = NULL;
done:
	gemp_free(c.pieces);
	return code;
}

/* The node that has least to do for a device. */
static size_t idlest(const gemp_deal *deal, const double *load)
{
	size_t node = 0;
	for (size_t n = 1; n < deal->node_count; n++)
		if (load[n] / (double)deal->devices[n] < load[node] / (double)deal->devices[node])
			node = n;
	return node;
}

static gemp_code hand_to_nodes(gemp_deal *deal, const costed *pieces, size_t count)
{
	gemp_code code = GEMP_OK;
	double *load = NULL;
	deal->count = 0;
	GEMP_TRY(GEMP_NEW(load, deal->node_count));
	for (size_t i = 0; i < count; i++) {
		size_t node = idlest(deal, load);
		load[node] += (double)pieces[i].cost;
		if (node != deal->node)
			continue;
		GEMP_TRY(GEMP_RESERVE(deal->pieces, deal->room, deal->count + 1));
		deal->pieces[deal->count++] = pieces[i].piece;
	}
done:
	gemp_free(load);
	return code;
}

gemp_code gemp_deal_cut(gemp_deal *deal, const gemp_deal_costs *costs)
{
	gemp_code code = GEMP_OK;
	costed *pieces = NULL;
	size_t piece_count = 0;
	GEMP_TRY(cut(deal, costs, &pieces, &piece_count));
	deal->sliced = false;
	for (size_t i = 0; i < piece_count; i++)
		deal->sliced |= pieces[i].piece.slices > 1;
	deal->digest = gemp_hash(pieces, piece_count * sizeof *pieces, costs->count);
	code = hand_to_nodes(deal, pieces, piece_count);
done:
	gemp_free(pieces);
	return code;
}

bool gemp_deal_agree(const gemp_deal *deal)
{
	uint64_t both[] = { deal->digest, ~deal->digest };
	gemp_comm_max(deal->comm, both, 2);
	return both[0] == ~both[1];
}

/* TAKING. */
void gemp_deal_open(gemp_deal *deal)
{
	deal->counter = gemp_counter_open(deal->comm);
	deal->done = 0;
}

void gemp_deal_close(gemp_deal *deal)
{
	if (!deal->counter)
		return;
	gemp_counter_close(deal->comm);
	deal->counter = NULL;
}

bool gemp_deal_take(gemp_deal *deal, gemp_piece *piece)
{
	uint64_t at = gemp_deal_left(deal) ? gemp_counter_take(deal->counter) : deal->count;
	if (at >= deal->count)
		return false;
	*piece = deal->pieces[at];
	deal->done += piece->slices > 1 ? piece->part.first == 0 : piece->part.count;
	return true;
}

bool gemp_deal_left(const gemp_deal *deal)
{
	return deal->counter && gemp_counter_taken(deal->counter) < deal->count;
}
