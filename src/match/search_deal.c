#include "match/search_deal.h"

#include "core/memory.h"
#include "match/nested_search.h"

enum {
	LEAST_COST_CPU = 1 << 14,
	LEAST_COST_GPU = 1 << 22,
	ASKED = 16,               /* of a pivot's neighbours */
	ONE_BY_ONE = 4096,        /* pivots that are looked at, */
	ONE_OF = 16,              /* and then one of so many: costs are to be had for less than the search */
	COLUMNS_A_DEVICE = 64,
	TASKS_BELOW_WORKERS = 8,  /* a piece may have so many times less tasks than there are workers, who share them */
};

/* A piece is this part of a rank's share of what is left. Estimated costs may be wrong so many times; each column of tasks
 * has its part of the dear ones and of the others. */
static const double part_of_costs = 4, part_of_columns = 1.125;

uint64_t gemp_least_piece_cost;

bool gemp_search_shares(const gemp_search *search)
{
	bool alone = search->ranks == 1 && !search->context->other_count && !search->options.like;
	return search->emit.all_resident && !alone && !search->options.round_entries && !search->plan->given;
}

/* What is made for a pivot as a whole, as a table of two-paths, should cost little beside the search in a slice; and a
 * plan's last loop does not look after slices. */
bool gemp_search_slices(const gemp_search *search)
{
	const gemp_plan *plan = search->plan;
	int second = plan->root + 1, walked = (int)plan->step_count - plan->two_paths - second;
	return gemp_search_shares(search) && !search->options.first_only && walked >= (plan->two_paths ? 3 : 2) &&
	       plan->steps[second].kind == GEMP_EXTEND;
}

/* COSTS: the rows of neighbours that may take the second place, and may be read. */
static uint64_t length(const gemp_view *view, gemp_vertex slot)
{
	return view->begin[slot + 1] - view->begin[slot];
}

/* The view that is read for neighbours of the pivot's neighbours. */
static size_t second_view(const gemp_plan *plan, size_t second)
{
	for (size_t s = second + 1; s < plan->step_count; s++)
		for (size_t j = 0; j < plan->steps[s].check_count; j++)
			if (plan->steps[s].checks[j].from == plan->steps[second].vertex)
				return (size_t)plan->steps[s].checks[j].view;
	return (size_t)plan->steps[second].checks[0].view;
}

uint64_t gemp_pivot_cost(const gemp_plan *plan, const gemp_view *views, gemp_vertex slot)
{
	size_t second = (size_t)plan->root + 1;
	uint64_t cost = 1, pivot = UINT64_C(1) << plan->steps[plan->root].vertex;
	if (second >= plan->step_count || plan->steps[second].kind != GEMP_EXTEND)
		return cost;
	const gemp_step *step = &plan->steps[second];
	const gemp_view *near = &views[step->checks[0].view], *far = &views[second_view(plan, second)];
	uint64_t stride = length(near, slot) / ASKED + 1;
	for (uint64_t i = near->begin[slot] + stride / 2; i < near->begin[slot + 1]; i += stride) {
		gemp_vertex next = near->neighbours[i];
		bool wanted = next < far->rows && !(step->less & pivot && next >= slot) && !(step->greater & pivot && next <= slot);
		cost += wanted ? stride * (1 + length(far, next)) : 0;
	}
	return cost + length(near, slot);
}

/* CUTTING. */
static uint64_t least_cost(const gemp_search *search)
{
	if (gemp_least_piece_cost)
		return gemp_least_piece_cost;
	return search->context->device->gpu ? LEAST_COST_GPU : LEAST_COST_CPU;
}

/* No more than candidates for the second place; each makes its own table of two-paths. */
static uint32_t most_slices(const gemp_search *search, gemp_vertex slot)
{
	const gemp_plan *plan = search->plan;
	if (!search->emit.sliced)
		return 1;
	uint64_t most = length(&search->views[plan->steps[plan->root + 1].checks[0].view], slot);
	uint64_t tables = 2 * search->deal->device_count * search->least_piece;
	most = plan->two_paths && most > tables ? tables : most;
	return (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX);
}

static gemp_code cut_pivots(gemp_search *search)
{
	gemp_code code = GEMP_OK;
	gemp_deal_costs costs = { .count = search->pivots, .least = search->least_piece, .least_cost = search->least_cost,
		.part_of_share = part_of_costs, .workers = search->least_piece };
	uint64_t *cost = NULL;
	uint32_t *slices = NULL;
	GEMP_TRY(GEMP_NEW(cost, search->pivots));
	GEMP_TRY(GEMP_NEW(slices, search->pivots));
	for (size_t i = 0; i < search->pivots; i++) {
		bool looked_at = i < ONE_BY_ONE || i % ONE_OF == 0;
		gemp_vertex slot = search->pivot_slots[i];
		cost[i] = looked_at ? gemp_pivot_cost(search->plan, search->views, slot) : cost[i - 1];
		slices[i] = looked_at ? most_slices(search, slot) : 1;
	}
	costs.cost = cost;
	costs.slices = search->emit.sliced ? slices : NULL;
	code = gemp_deal_cut(search->deal, &costs);
done:
	gemp_free(cost);
	gemp_free(slices);
	return code;
}

/* Tasks of loops on a GPU are so many entries of rows of all pivots, dear ones first: a piece is some columns of a table of
 * them. */
static gemp_code cut_tasks(gemp_search *search)
{
	gemp_nested_search *n = search->nested;
	uint32_t columns = COLUMNS_A_DEVICE * (uint32_t)search->deal->device_count;
	n->columns = n->tasks < columns ? n->tasks ? n->tasks : 1 : columns;
	size_t least = search->least_piece * n->columns / (n->tasks + 1) + 1;
	return gemp_deal_cut(search->deal, &(gemp_deal_costs){ .count = n->tasks ? n->columns : 0, .least = least,
	                                                       .part_of_share = part_of_columns });
}

gemp_code gemp_search_deal_cut(gemp_search *search)
{
	if (!search->deal)
		return GEMP_OK;
	return search->nested ? cut_tasks(search) : cut_pivots(search);
}

gemp_code gemp_search_deal_new(gemp_search *search)
{
	gemp_code code = GEMP_OK;
	uint64_t least[] = { search->nested ? search->nested->workers / TASKS_BELOW_WORKERS + 1 : search->workers,
	                     least_cost(search) };
	if (!gemp_search_shares(search))
		return GEMP_OK;
	GEMP_TRY(gemp_deal_new(&search->deal, search->context->comm, search->context->other_count + 1));
	gemp_comm_max(search->context->comm, least, 2); /* devices may differ, pieces must not */
	search->least_piece = (size_t)least[0];
	search->least_cost = least[1];
	GEMP_TRY(gemp_comm_agree(search->context->comm, gemp_search_deal_cut(search)));
	if (!gemp_deal_agree(search->deal))
		code = gemp_fail(GEMP_EINTERNAL, "ranks do not hold the same rows, although each has all of them: the graph in "
		                 "memory is damaged; see gemp-mpi verify");
	search->emit.sliced = search->deal->sliced; /* without slices the kernel does not look after them */
done:
	return code;
}

/* TAKING. */
void gemp_search_deal_feed(gemp_search *search)
{
	gemp_work *work = &search->work[0];
	gemp_nested_search *nested = search->nested;
	gemp_piece piece;
	bool busy = nested ? nested->next < nested->end : work->next < work->count;
	if (!search->deal || busy || !gemp_deal_take(search->deal, &piece))
		return;
	if (nested) {
		gemp_nested_feed(nested, piece.part);
	} else {
		work->next = piece.part.first;
		work->count = piece.part.first + piece.part.count;
		search->piece = piece;
	}
}

/* FIGURES. */
uint64_t gemp_search_pivot_share(const gemp_search *search)
{
	return search->deal && search->context->comm->rank ? 0 : search->pivots;
}

/* Of its piece; columns of tasks, or pivots. */
static double left(const gemp_search *search)
{
	const gemp_work *work = &search->work[0];
	const gemp_nested_search *nested = search->nested;
	if (!nested)
		return search->piece.slices > 1 ? 0 : (double)(work->count - work->next);
	return nested->end ? (double)nested->piece.count * (nested->end - nested->next) / nested->end : 0;
}

uint64_t gemp_search_pivots_done(const gemp_search *search)
{
	if (!search->deal)
		return search->part.first + search->work[0].next;
	double done = (double)search->deal->done;
	for (const gemp_search *s = search; s; s = s->next)
		done -= left(s);
	return (uint64_t)(search->nested ? done * (double)search->pivots / search->nested->columns : done);
}
