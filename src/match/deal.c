#include "match/deal.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdlib.h>
#include <string.h>

/* A piece is a device's share of all, over this, at least. */
static const double pieces_of_share = 64;

typedef struct costed {
	gemp_part part;
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
	return a->part.first < b->part.first ? -1 : 1;
}

static gemp_code cut(const gemp_deal *deal, const gemp_deal_costs *costs, costed **pieces, size_t *piece_count)
{
	gemp_code code = GEMP_OK;
	const uint64_t *cost = costs->cost;
	double total = 0, shares = (double)deal->device_count * costs->part_of_share;
	size_t room = 0, count = costs->count, most = (size_t)((double)count / shares) + 1;
	size_t least = costs->least < most ? costs->least : most;
	for (size_t i = 0; i < count; i++)
		total += cost ? (double)cost[i] : 1;
	double left = total, wanted = 0, floor = total / ((double)deal->device_count * pieces_of_share);
	floor = floor < (double)costs->least_cost ? (double)costs->least_cost : floor;
	for (size_t at = 0; at < count;) {
		costed piece = { .part.first = at };
		if (*piece_count % deal->device_count == 0) /* as large for all devices */
			wanted = left / shares < floor ? floor : left / shares;
		for (; at < count && (at < piece.part.first + least || (double)piece.cost < wanted); at++)
			piece.cost += cost ? cost[at] : 1;
		piece.part.count = at - piece.part.first;
		left -= (double)piece.cost;
		GEMP_TRY(GEMP_RESERVE(*pieces, room, *piece_count + 1));
		(*pieces)[(*piece_count)++] = piece;
	}
	if (*piece_count)
		qsort(*pieces, *piece_count, sizeof **pieces, dearer);
done:
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
		deal->pieces[deal->count++] = pieces[i].part;
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

bool gemp_deal_take(gemp_deal *deal, gemp_part *piece)
{
	uint64_t at = gemp_deal_left(deal) ? gemp_counter_take(deal->counter) : deal->count;
	if (at >= deal->count)
		return false;
	*piece = deal->pieces[at];
	deal->done += piece->count;
	return true;
}

bool gemp_deal_left(const gemp_deal *deal)
{
	return deal->counter && gemp_counter_taken(deal->counter) < deal->count;
}
