#include "match/search/load_balancer.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/random.h"
#include "device/tuning.h"
#include "match/search/nested_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A chunk costs at least a device's share of all, divided by this. */
static const double chunks_per_share = 64;
/* A pivot is expensive if it costs more than a worker's part of a chunk; a chunk is taken to be shared by so many
 * workers at least. */
static const double min_workers = 4;
/* It must also cost more than a worker's share of all, divided by this: smaller costs are balanced by the chunks that
 * come later. Each slice sets marks of its own, so that slices should be few. */
static const double expensive_share = 8;

typedef struct costed_chunk {
	gemp_pivot_chunk pivots;
	uint64_t cost;
} costed_chunk;

/* Collective. Nodes are numbered by their first ranks, and each learns how many devices the others have. */
static gemp_code find_nodes(gemp_balancer *balancer, size_t devices)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = balancer->comm;
	int first = comm->rank, size = comm->size;
	struct {
		uint64_t first, devices;
	} own, *all = NULL;
	code = GEMP_NEW(all, (size_t)size);
	GEMP_THEN(GEMP_NEW(balancer->devices, (size_t)size));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
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
done:
	gemp_free(all);
	return code;
}

/* Which ranks share a node does not change, so that nodes are found once for all cuts. */
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

/* Ties are broken by the pivot, so that all ranks sort alike. */
static int compare_cost_falling(const void *x, const void *y)
{
	const costed_chunk *a = x, *b = y;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	if (a->pivots.pivot != b->pivots.pivot)
		return a->pivots.pivot < b->pivots.pivot ? -1 : 1;
	return a->pivots.range.first < b->pivots.range.first ? -1 : 1;
}

/* Cutting under way. */
typedef struct cutter {
	const gemp_balancer_costs *costs;
	costed_chunk *chunks;
	size_t count, capacity;
	size_t next;             /* the next pivot */
	double target, min_cost; /* costs of a chunk: of the next, of any */
	double share;            /* a device's of all */
} cutter;

/* Where costs are unknown, all pivots count alike. */
static uint64_t cost_of(const gemp_balancer_costs *costs, size_t pivot)
{
	return costs->cost ? costs->cost[pivot] : 1;
}

/* Into how many slices a pivot is cut: 1 unless it would keep one worker busy after the device's others have finished
 * its chunk. Slices are as many as there are workers, in chunks nearly as small as any, because costs of hubs are
 * estimated least well. */
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

/* Chunks are kept in the order of cutting until all of them are known. */
static gemp_code add(cutter *c, const costed_chunk *chunk)
{
	GEMP_TRY(GEMP_RESERVE(c->chunks, c->capacity, c->count + 1));
	c->chunks[c->count++] = *chunk;
	return GEMP_OK;
}

/* A chunk of whole pivots, up to one that is sliced. */
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

/* Chunks of one pivot are some slices each. */
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

/* Guided self-scheduling (Polychronopoulos and Kuck 1987): each chunk is a part of what is left, so that late chunks
 * are small and balance what earlier ones have cost. */
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
	c.min_cost = c.share / chunks_per_share;
	c.min_cost = c.min_cost < (double)costs->min_cost ? (double)costs->min_cost : c.min_cost;
	for (size_t turn = 0; c.next < costs->count; turn++) {
		size_t first = c.next, slices;
		if (turn % balancer->device_count == 0) /* as large for all devices */
			c.target = left / shares < c.min_cost ? c.min_cost : left / shares;
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

/* The node with the least work for each of its devices. */
static size_t least_loaded_node(const gemp_balancer *balancer, const double *load)
{
	size_t node = 0;
	for (size_t n = 1; n < balancer->node_count; n++)
		if (load[n] / (double)balancer->devices[n] < load[node] / (double)balancer->devices[node])
			node = n;
	return node;
}

/* Longest processing time first (Graham 1969): chunks fall in cost, and each goes to the node that has least to do. */
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

/* Every rank cuts the same chunks from the same costs, and keeps those of its node. */
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

/* Collective. Have all ranks cut the same chunks? */
static bool balancer_agree(const gemp_balancer *balancer)
{
	uint64_t both[] = { balancer->digest, ~balancer->digest };
	gemp_comm_max(balancer->comm, both, 2);
	return both[0] == ~both[1];
}

/* TAKING. */
void gemp_balancer_open(gemp_balancer *balancer)
{
	balancer->counter = gemp_counter_open(balancer->comm);
	balancer->done = 0;
}

/* Collective on the node, because all ranks share the counter. */
void gemp_balancer_close(gemp_balancer *balancer)
{
	if (!balancer->counter)
		return;
	gemp_counter_close(balancer->comm);
	balancer->counter = NULL;
}

/* A counter that ranks of a node share hands the chunks out. */
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
	MIN_COST_CPU = 1 << 14, /* entries of rows, unless tuned: "match.chunk_cost" */
	MIN_COST_GPU = 1 << 22,
	ASKED = 16,        /* of a pivot's neighbours */
	ONE_BY_ONE = 4096, /* pivots that are looked at, */
	ONE_OF = 16,       /* and then one of so many: costs are to be had for less than the search */
	COLUMNS_A_DEVICE = 64,
	TASKS_BELOW_WORKERS = 8, /* a chunk may have so many times less tasks than there are workers, who share them */
};

/* A chunk is this part of a rank's share of what is left. Estimated costs of pivots may be wrong by such a factor;
 * each column of tasks has its part of the expensive ones and of the others, so that its cost is known better. */
static const double share_divisor_pivots = 4, share_divisor_tasks = 1.125;

/* COSTS: the rows of neighbours that may take the second place, and may be read. */
static uint64_t row_length(const gemp_view *view, gemp_vertex slot)
{
	return view->begin[slot + 1] - view->begin[slot];
}

/* The view in which rows of the pivot's neighbours are read. */
static size_t second_view(const gemp_plan *plan, size_t second)
{
	for (size_t s = second + 1; s < plan->step_count; s++)
		for (size_t j = 0; j < plan->steps[s].check_count; j++)
			if (plan->steps[s].checks[j].from == plan->steps[second].vertex)
				return (size_t)plan->steps[s].checks[j].view;
	return (size_t)plan->steps[second].checks[0].view;
}

/* Estimates the entries that a search from a pivot reads first: the rows of 16 of its neighbours, scaled up. */
static uint64_t pivot_cost(const gemp_plan *plan, const gemp_view *views, gemp_vertex slot)
{
	size_t second = (size_t)plan->root + 1;
	uint64_t cost = 1, pivot = UINT64_C(1) << plan->steps[plan->root].vertex;
	if (second >= plan->step_count || plan->steps[second].kind != GEMP_EXTEND)
		return cost;
	const gemp_step *step = &plan->steps[second];
	const gemp_view *near = &views[step->checks[0].view], *far = &views[second_view(plan, second)];
	uint64_t stride = row_length(near, slot) / ASKED + 1;
	for (uint64_t i = near->begin[slot] + stride / 2; i < near->begin[slot + 1]; i += stride) {
		gemp_vertex next = near->neighbours[i];
		bool wanted = next < far->rows && !(step->less & pivot && next >= slot) &&
		              !(step->greater & pivot && next <= slot);
		cost += wanted ? stride * (1 + row_length(far, next)) : 0;
	}
	return cost + row_length(near, slot);
}

/* CUTTING. */
static uint64_t min_chunk_cost(const gemp_search *search)
{
	if (gemp_limits_now()->match_chunk_cost)
		return gemp_limits_now()->match_chunk_cost;
	const gemp_device *device = search->context->device;
	return gemp_tuning(device, "match.chunk_cost", device->gpu ? MIN_COST_GPU : MIN_COST_CPU);
}

/* No more than candidates for the second place; each makes its own table of two-paths. */
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

/* Costs of the first 4096 pivots are estimated one by one, of the others one in 16: estimating must cost less than the
 * search. */
static gemp_code cut_pivots(gemp_search *search)
{
	gemp_balancer_costs costs = { .count = search->pivots,
		                          .min_pivots = search->min_piece,
		                          .min_cost = search->min_cost,
		                          .share_divisor = share_divisor_pivots,
		                          .workers = search->min_piece };
	GEMP_OWNED uint64_t *cost = NULL;
	GEMP_OWNED uint32_t *slices = NULL;
	GEMP_TRY(GEMP_NEW(cost, search->pivots));
	GEMP_TRY(GEMP_NEW(slices, search->pivots));
	for (size_t i = 0; i < search->pivots; i++) {
		bool looked_at = i < ONE_BY_ONE || i % ONE_OF == 0;
		gemp_vertex slot = search->pivot_slots[i];
		cost[i] = looked_at ? pivot_cost(search->plan, search->views, slot) : cost[i - 1];
		slices[i] = looked_at ? max_slices(search, slot) : 1;
	}
	costs.cost = cost;
	costs.slices = search->emit.sliced ? slices : NULL;
	return gemp_balancer_cut(search->balancer, &costs);
}

/* Tasks of nested loops are ranges of entries of all pivots, expensive ones first: a chunk is some columns of a table
 * of tasks, so that each chunk has its part of both. */
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

/* Searches that do not balance keep their own pivots. */
gemp_code gemp_search_balance_cut(gemp_search *search)
{
	if (!search->balancer)
		return GEMP_OK;
	return search->nested ? cut_tasks(search) : cut_pivots(search);
}

/* Kernels without slices are faster, so that the cut decides whether the kernel has them. */
gemp_code gemp_search_balance_new(gemp_search *search)
{
	gemp_code code = GEMP_OK;
	uint64_t least[] = { search->nested ? search->nested->workers / TASKS_BELOW_WORKERS + 1 : search->workers,
		                 min_chunk_cost(search) };
	if (!gemp_search_balances(search))
		return GEMP_OK;
	GEMP_TRY(gemp_balancer_new(&search->balancer, search->context->comm, search->context->other_count + 1));
	gemp_comm_max(search->context->comm, least, 2); /* devices may differ, chunks must not */
	search->min_piece = (size_t)least[0];
	search->min_cost = least[1];
	GEMP_TRY(gemp_comm_agree(search->context->comm, gemp_search_balance_cut(search)));
	if (!balancer_agree(search->balancer))
		code = gemp_fail(
			GEMP_EINTERNAL,
			"ranks do not hold the same rows, although each has all of them: the graph in memory is damaged; see gemp-mpi verify");
	search->emit.sliced = search->balancer->sliced; /* without slices the kernel does not look after them */
	return code;
}

/* TAKING. */
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

/* FIGURES. */
uint64_t gemp_search_own_pivots(const gemp_search *search)
{
	return search->balancer && search->context->comm->rank ? 0 : search->pivots;
}

/* How much of its chunk a device has not done: columns of tasks, or pivots. */
static double work_left(const gemp_search *search)
{
	const gemp_work *work = &search->work[0];
	const gemp_nested_search *nested = search->nested;
	if (!nested)
		return search->chunk.slices > 1 ? 0 : (double)(work->count - work->next);
	return nested->end ? (double)nested->columns_here.count * (nested->end - nested->next) / nested->end : 0;
}

/* Chunks count when they are taken, so that what devices have not done of theirs is subtracted. */
uint64_t gemp_search_pivots_done(const gemp_search *search)
{
	if (!search->balancer)
		return search->range.first + search->work[0].next;
	double done = (double)search->balancer->done;
	for (const gemp_search *s = search; s; s = s->next)
		done -= work_left(s);
	return (uint64_t)(search->nested ? done * (double)search->pivots / search->nested->columns : done);
}
