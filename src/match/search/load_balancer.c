#include "match/search/load_balancer.h"

#include "core/limits.h"
#include "core/random.h"
#include "device/tuning.h"
#include "match/search/nested_search.h"
#include "match/search/pivot_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A chunk costs at least total cost / (devices * chunks_of_device). */
static const double chunks_of_device = 64;
/* A pivot is expensive if it costs more than a worker's part of a chunk. For this comparison a device has at least
 * min_workers workers. */
static const double min_workers = 4;
/* An expensive pivot also costs more than total cost / (workers * expensive_share), since later chunks balance smaller
 * costs. Each slice of a pivot sets its own marks, so few pivots should be sliced. */
static const double expensive_share = 8;

typedef struct costed_chunk {
	gemp_pivot_chunk pivots;
	uint64_t cost;
} costed_chunk;

/* For one rank: the first rank of its node, and the number of its devices. */
typedef struct rank_devices {
	uint64_t first, devices;
} rank_devices;

/* Collective. Numbers the nodes by their first ranks, and counts the devices of each node. */
static gemp_code find_nodes(gemp_balancer *balancer, size_t devices)
{
	const gemp_comm *comm = balancer->comm;
	int first = comm->rank, size = comm->size;
	rank_devices own;
	GEMP_OWNED rank_devices *all = NULL;
	GEMP_TRY(gemp_comm_agree(comm,
	                         gemp_new_all(GEMP_ARRAY(all, (size_t)size), GEMP_ARRAY(balancer->devices, (size_t)size))));
	GEMP_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, comm->node));
	own.first = (uint64_t)first;
	own.devices = devices;
	GEMP_MPI(MPI_Allgather(&own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, comm->world));
	for (int r = 0; r < size; r++) {
		balancer->device_count += all[r].devices;
		if (all[r].first != (uint64_t)r)
			continue;
		if (r == first)
			balancer->node = balancer->node_count;
		for (int other = r; other < size; other++)
			balancer->devices[balancer->node_count] += all[other].first == (uint64_t)r ? all[other].devices : 0;
		balancer->node_count++;
	}
	return GEMP_OK;
}

/* The nodes are found once and serve all cuts, since ranks never move between nodes. */
gemp_code gemp_balancer_new(gemp_balancer **out, gemp_comm *comm, size_t devices)
{
	GEMP_OWNED_BY(gemp_balancer_free_at) gemp_balancer *balancer = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(balancer, 1)));
	balancer->comm = comm;
	GEMP_TRY(find_nodes(balancer, devices));
	*out = balancer;
	balancer = NULL;
	return GEMP_OK;
}

void gemp_balancer_free(gemp_balancer *balancer)
{
	if (!balancer)
		return;
	gemp_free_all(balancer->devices, balancer->chunks, balancer);
}

/* Descending cost. Equal costs are ordered by pivot and slice, so all ranks have the same order. */
static int compare_cost_falling(const void *x, const void *y)
{
	const costed_chunk *a = x, *b = y;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	if (a->pivots.pivot != b->pivots.pivot)
		return a->pivots.pivot < b->pivots.pivot ? -1 : 1;
	return a->pivots.range.first < b->pivots.range.first ? -1 : 1;
}

/* The state of cutting pivots into chunks. */
typedef struct cutter {
	const gemp_balancer_costs *costs;
	costed_chunk *chunks; /* [count] */
	size_t count, capacity;
	size_t next;     /* the next pivot to be put into a chunk */
	double target;   /* cost of the next chunk */
	double min_cost; /* least cost of any chunk */
	double share;    /* total cost / devices */
} cutter;

/* Each pivot costs 1 if the caller gives no costs. */
static uint64_t cost_of(const gemp_balancer_costs *costs, size_t pivot)
{
	return costs->cost ? costs->cost[pivot] : 1;
}

/* The number of slices of a pivot. It is 1 unless the pivot would keep one worker busy after the device's other workers
 * have finished the chunk. Otherwise the number of slices is a multiple of the number of workers, or costs->slices if
 * this is less. Chunks of slices are nearly as small as chunks may be, because the cost estimates of hubs are the least
 * accurate. */
static size_t slices_of(const cutter *c, size_t pivot)
{
	const gemp_balancer_costs *costs = c->costs;
	double workers = costs->workers > min_workers ? (double)costs->workers : min_workers;
	double cost = (double)cost_of(costs, pivot);
	if (!costs->slices || cost <= c->target / workers || cost <= (double)costs->min_cost ||
	    cost * expensive_share * (double)costs->workers <= c->share)
		return 1;
	size_t slices = ((size_t)(cost / (2 * c->min_cost)) + 1) * costs->workers;
	return slices < costs->slices[pivot] ? slices : costs->slices[pivot];
}

static gemp_code add(cutter *c, const costed_chunk *chunk)
{
	GEMP_TRY(GEMP_RESERVE(c->chunks, c->capacity, c->count + 1));
	c->chunks[c->count++] = *chunk;
	return GEMP_OK;
}

/* Cuts a chunk of whole pivots. The chunk ends before a pivot that is sliced. */
static gemp_code cut_whole(cutter *c, size_t least)
{
	costed_chunk chunk = { .pivots = { .range.first = c->next, .pivot = c->next, .slices = 1 } };
	size_t end = c->next + least;
	for (; c->next < c->costs->count && (c->next < end || (double)chunk.cost < c->target) && slices_of(c, c->next) < 2;
	     c->next++)
		chunk.cost += cost_of(c->costs, c->next);
	chunk.pivots.range.count = c->next - chunk.pivots.range.first;
	return add(c, &chunk);
}

/* Cuts one pivot into chunks. Each chunk has as many slices as a device has workers. */
static gemp_code cut_slices(cutter *c, size_t slices)
{
	size_t width = c->costs->workers, pivot = c->next++;
	double cost = (double)cost_of(c->costs, pivot);
	for (size_t first = 0; first < slices; first += width) {
		size_t count = slices - first < width ? slices - first : width;
		costed_chunk chunk = { { { first, count }, pivot, slices }, (uint64_t)(cost * (double)count / (double)slices) };
		GEMP_TRY(add(c, &chunk));
	}
	return GEMP_OK;
}

/* Guided self-scheduling (Polychronopoulos and Kuck 1987): each chunk is a fraction of the remaining cost. Late chunks
 * are therefore small and balance the differences between earlier chunks. */
static gemp_code cut(const gemp_balancer *balancer, const gemp_balancer_costs *costs, costed_chunk **chunks,
                     size_t *chunk_count)
{
	gemp_code code = GEMP_OK;
	cutter c = { .costs = costs };
	double total = 0, shares = (double)balancer->device_count * costs->share_divisor;
	size_t most = (size_t)((double)costs->count / shares) + 1,
		   least = costs->min_pivots < most ? costs->min_pivots : most;
	for (size_t i = 0; i < costs->count; i++)
		total += (double)cost_of(costs, i);
	double left = total;
	c.share = total / (double)balancer->device_count;
	c.min_cost = fmax(c.share / chunks_of_device, (double)costs->min_cost);
	for (size_t turn = 0; c.next < costs->count; turn++) {
		size_t first = c.next, slices;
		if (turn % balancer->device_count == 0) /* one chunk for each device with the same target */
			c.target = fmax(left / shares, c.min_cost);
		slices = slices_of(&c, c.next);
		GEMP_TRY_DONE(slices > 1 ? cut_slices(&c, slices) : cut_whole(&c, least));
		for (size_t i = first; i < c.next; i++)
			left -= (double)cost_of(costs, i);
	}
	if (c.count)
		qsort(c.chunks, c.count, sizeof *c.chunks, compare_cost_falling);
	*chunks = c.chunks;
	*chunk_count = c.count;
	c.chunks = NULL;
done:
	gemp_free(c.chunks);
	return code;
}

/* Returns the node with the least cost per device. */
static size_t least_loaded_node(const gemp_balancer *balancer, const double *load)
{
	size_t node = 0;
	for (size_t n = 1; n < balancer->node_count; n++)
		if (load[n] / (double)balancer->devices[n] < load[node] / (double)balancer->devices[node])
			node = n;
	return node;
}

/* Longest processing time first (Graham 1969): chunks are taken in descending order of cost, and each chunk is assigned
 * to the node with the least cost so far. */
static gemp_code assign_to_nodes(gemp_balancer *balancer, const costed_chunk *chunks, size_t count)
{
	GEMP_OWNED double *load = NULL;
	balancer->count = 0;
	GEMP_TRY(GEMP_NEW(load, balancer->node_count));
	for (size_t i = 0; i < count; i++) {
		size_t node = least_loaded_node(balancer, load);
		load[node] += (double)chunks[i].cost;
		if (node != balancer->node)
			continue;
		GEMP_TRY(GEMP_RESERVE(balancer->chunks, balancer->capacity, balancer->count + 1));
		balancer->chunks[balancer->count++] = chunks[i].pivots;
	}
	return GEMP_OK;
}

/* Every rank computes the same chunks from the same costs, and keeps the chunks of its node. */
gemp_code gemp_balancer_cut(gemp_balancer *balancer, const gemp_balancer_costs *costs)
{
	GEMP_OWNED costed_chunk *chunks = NULL;
	size_t chunk_count = 0;
	GEMP_TRY(cut(balancer, costs, &chunks, &chunk_count));
	balancer->sliced = false;
	for (size_t i = 0; i < chunk_count; i++)
		balancer->sliced |= chunks[i].pivots.slices > 1;
	balancer->digest = gemp_hash(chunks, chunk_count * sizeof *chunks, costs->count);
	return assign_to_nodes(balancer, chunks, chunk_count);
}

void gemp_balancer_open(gemp_balancer *balancer)
{
	balancer->counter = gemp_counter_open(balancer->comm);
	balancer->done = 0;
}

/* Does nothing if the balancer is not open. */
void gemp_balancer_close(gemp_balancer *balancer)
{
	if (!balancer->counter)
		return;
	gemp_counter_close(balancer->comm);
	balancer->counter = NULL;
}

/* The ranks of a node share a counter. The counter's value is the number of the next chunk. */
bool gemp_balancer_take(gemp_balancer *balancer, gemp_pivot_chunk *chunk)
{
	uint64_t at = gemp_balancer_has_chunks(balancer) ? gemp_counter_next(balancer->counter) : balancer->count;
	if (at >= balancer->count)
		return false;
	*chunk = balancer->chunks[at];
	balancer->done += chunk->slices > 1 ? chunk->range.first == 0 : chunk->range.count;
	return true;
}

/* Reads the shared counter without taking a chunk. */
bool gemp_balancer_has_chunks(const gemp_balancer *balancer)
{
	return balancer->counter && gemp_counter_value(balancer->counter) < balancer->count;
}

enum {
	MIN_COST_CPU = 1 << 14, /* row entries; defaults of the tuning key match.chunk_cost */
	MIN_COST_GPU = 1 << 22,
	COLUMNS_A_DEVICE = 64,
	TASKS_BELOW_WORKERS =
		8, /* a chunk has at least workers / 8 tasks; fewer tasks than workers suffice, since workers share tasks */
};

/* A chunk costs the remaining cost / (devices * divisor). The divisor allows for the error of the estimated costs.
 * Tasks need a smaller divisor, because each column of tasks has its part of the expensive and of the inexpensive
 * tasks, so the costs of columns are known better. */
static const double share_divisor_pivots = 4, share_divisor_tasks = 1.125;

static uint64_t row_length(const gemp_view *view, gemp_vertex slot)
{
	return view->begin[slot + 1] - view->begin[slot];
}

/* The least cost of a chunk: the limit if a test has set it, otherwise a tuned value or the default of the device. */
static uint64_t min_chunk_cost(const gemp_search *search)
{
	if (gemp_limits_now()->match_chunk_cost)
		return gemp_limits_now()->match_chunk_cost;
	const gemp_device *device = search->context->device;
	return gemp_tuning(device, "match.chunk_cost", device->gpu ? MIN_COST_GPU : MIN_COST_CPU);
}

/* A pivot has at most as many slices as candidates for the second vertex. If each slice makes a table of two-paths, the
 * pivot has at most two slices for each worker. */
static uint32_t max_slices(const gemp_search *search, gemp_vertex slot)
{
	const gemp_plan *plan = search->plan;
	if (!search->emit.sliced)
		return 1;
	uint64_t most = row_length(&search->views[plan->steps[plan->root + 1].checks[0].view], slot);
	uint64_t tables = 2 * search->balancer->device_count * search->min_piece;
	most = plan->two_paths && most > tables ? tables : most;
	return (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX);
}

/* Cuts the pivots into chunks. Pivots whose cost is not estimated are not sliced. */
static gemp_code cut_pivots(gemp_search *search)
{
	gemp_balancer_costs costs = { .count = search->pivots,
		                          .min_pivots = search->min_piece,
		                          .min_cost = search->min_cost,
		                          .share_divisor = share_divisor_pivots,
		                          .workers = search->min_piece };
	GEMP_OWNED uint64_t *cost = NULL;
	GEMP_OWNED uint32_t *slices = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(cost, search->pivots), GEMP_ARRAY(slices, search->pivots)));
	GEMP_TRY(gemp_pivot_costs_find(search, cost));
	for (size_t i = 0; i < search->pivots; i++)
		slices[i] = gemp_pivot_is_estimated(i) ? max_slices(search, search->pivot_slots[i]) : 1;
	costs.cost = cost;
	costs.slices = search->emit.sliced ? slices : NULL;
	return gemp_balancer_cut(search->balancer, &costs);
}

/* Cuts the tasks of nested loops into chunks. A task is a range of entries, and expensive tasks come first. The tasks
 * stand row by row in a table, and a chunk is some columns of this table, so each chunk has its part of the expensive
 * and of the inexpensive tasks. */
static gemp_code cut_tasks(gemp_search *search)
{
	gemp_nested_search *n = search->nested;
	uint32_t columns = COLUMNS_A_DEVICE * (uint32_t)search->balancer->device_count;
	n->columns = n->tasks < columns ? n->tasks ? n->tasks : 1 : columns;
	size_t least = search->min_piece * n->columns / (n->tasks + 1) + 1;
	return gemp_balancer_cut(search->balancer, &(gemp_balancer_costs){ .count = n->tasks ? n->columns : 0,
	                                                                   .min_pivots = least,
	                                                                   .share_divisor = share_divisor_tasks });
}

/* Does nothing for a search without a balancer, which searches its own pivots. */
gemp_code gemp_search_balance_cut(gemp_search *search)
{
	if (!search->balancer)
		return GEMP_OK;
	return search->nested ? cut_tasks(search) : cut_pivots(search);
}

/* The kernel has code for slices only if some chunk consists of slices, since a kernel without this code is faster. */
gemp_code gemp_search_balance_new(gemp_search *search)
{
	uint64_t least[] = { search->nested ? search->nested->workers / TASKS_BELOW_WORKERS + 1 : search->workers,
		                 min_chunk_cost(search) };
	if (!gemp_search_balances(search))
		return GEMP_OK;
	GEMP_TRY(gemp_balancer_new(&search->balancer, search->context->comm, search->context->other_count + 1));
	gemp_comm_max(search->context->comm, least, 2); /* devices may differ, but all ranks must cut the same chunks */
	search->min_piece = (size_t)least[0];
	search->min_cost = least[1];
	GEMP_TRY(gemp_comm_agree(search->context->comm, gemp_search_balance_cut(search)));
	search->emit.sliced = search->balancer->sliced;
	uint64_t digests[] = { search->balancer->digest, ~search->balancer->digest };
	gemp_comm_max(search->context->comm, digests, 2);
	if (digests[0] == ~digests[1])
		return GEMP_OK;
	return gemp_fail(
		GEMP_EINTERNAL,
		"ranks do not hold the same rows, although each has all of them: the graph in memory is damaged; see gemp-mpi verify");
}

void gemp_search_balance_feed(gemp_search *search)
{
	gemp_work *work = &search->work[0];
	gemp_nested_search *nested = search->nested;
	gemp_pivot_chunk chunk;
	bool busy = nested ? nested->next < nested->end : work->next < work->count;
	if (!search->balancer || busy || !gemp_balancer_take(search->balancer, &chunk))
		return;
	if (nested) {
		gemp_nested_feed(nested, chunk.range);
	} else {
		work->next = chunk.range.first;
		work->count = chunk.range.first + chunk.range.count;
		search->chunk = chunk;
	}
}

/* With a balancer all ranks have the same pivots, so only rank 0 counts them. */
uint64_t gemp_search_own_pivots(const gemp_search *search)
{
	return search->balancer && search->context->comm->rank ? 0 : search->pivots;
}

/* The part of its chunk that a device has not finished, in columns of tasks or in pivots. */
static double work_left(const gemp_search *search)
{
	const gemp_work *work = &search->work[0];
	const gemp_nested_search *nested = search->nested;
	if (!nested)
		return search->chunk.slices > 1 ? 0 : (double)(work->count - work->next);
	return nested->end ? (double)nested->columns_here.count * (nested->end - nested->next) / nested->end : 0;
}

/* The balancer counts a chunk when a rank takes it, so the unfinished parts of chunks are subtracted. */
uint64_t gemp_search_pivots_done(const gemp_search *search)
{
	if (!search->balancer)
		return search->range.first + search->work[0].next / gemp_max(search->chunk.slices, 1);
	double done = (double)search->balancer->done;
	for (const gemp_search *s = search; s; s = s->next)
		done -= work_left(s);
	return (uint64_t)(search->nested ? done * (double)search->pivots / search->nested->columns : done);
}
