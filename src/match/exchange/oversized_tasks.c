#include "match/exchange/oversized_tasks.h"

#include "core/log.h"
#include "core/search.h"
#include "core/threads.h"
#include "match/search/search.h"
#include "match/search/search_build.h"

#include <string.h>

static const double min_rounds = 32; /* cells are counted only if more rounds than this are expected */
static const double round_cost = 2;  /* a round takes about as long as this number of cells */

enum { TASKS = 256 }; /* number of tasks that a thread takes at a time */

/* The inputs of the estimate of the rows that a task reads, with means for each view and for each node of the closure,
 * which is called a place (closure.h). */
typedef struct cost_context {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	const gemp_root_tasks *tasks;
	double total; /* number of entries of all rows */
	/* by view: mean length of rows, in which a row counts once for each of its entries */
	double mean[GEMP_MAX_VIEWS];
	/* by place: mean number of entries that are read because of one image of the place */
	double image[GEMP_MAX_CLOSURE_NODES];
	double *bytes;
} cost_context;

/* Computes for each view the expected length of the row of a neighbour: the mean length of rows, in which a row counts
 * once for each of its entries. */
static void find_means(cost_context *c)
{
	for (size_t v = 0; v < c->fetch->view_count; v++) {
		double entries = 0, squares = 0;
		for (uint64_t slot = 0; slot < c->fetch->graph->vertex_count; slot++) {
			double size = (double)gemp_fetch_size(c->fetch, v, (gemp_vertex)slot);
			entries += size;
			squares += size * size;
		}
		c->mean[v] = entries > 0 ? squares / entries : 0;
	}
}

/* Computes the mean number of entries that a task reads because of one image of a place. Children come after their
 * parents, so the loop begins at the last place and needs each child's result only after it is known. */
static void average_images(cost_context *c)
{
	const gemp_closure_node *places = c->closure->nodes;
	for (size_t i = c->closure->count; i-- > 0;) {
		c->image[i] = 0;
		for (uint32_t left = places[i].reads; left; left &= left - 1)
			c->image[i] += c->mean[__builtin_ctz(left)];
		for (size_t child = i + 1; child < c->closure->count; child++)
			if (places[child].parent == (int)i)
				c->image[i] += c->mean[places[child].view] * c->image[child];
	}
}

/* The number of entries that are read because of one image: the entries of its own rows and of its neighbours' rows.
 * Neighbours are visited down to `hops`, as far as rows are resident. Beyond that, the means are used. */
static double entries_of_image(const cost_context *c, size_t place, gemp_vertex slot, int hops)
{
	const gemp_closure_node *places = c->closure->nodes;
	double entries = 0;
	for (uint32_t left = places[place].reads; left; left &= left - 1)
		entries += (double)gemp_fetch_size(c->fetch, (size_t)__builtin_ctz(left), slot);
	for (size_t child = place + 1; child < c->closure->count && entries < c->total; child++) {
		size_t view = (size_t)places[child].view;
		if (places[child].parent != (int)place)
			continue;
		if (!hops || !gemp_fetch_is_resident(c->fetch, slot)) {
			entries += (double)gemp_fetch_size(c->fetch, view, slot) * c->image[child];
			continue;
		}
		gemp_row row = gemp_fetch_get(c->fetch, view, slot);
		for (size_t k = 0; k < row.size; k++)
			entries += entries_of_image(c, child, row.neighbours[k], hops - 1);
	}
	return entries;
}

/* Estimates the bytes of rows that each task reads. A row that is named repeatedly counts once. The chance that an
 * entry names a new row falls with the fraction of all entries that has been read, which gives the exponential. */
static void cost_tasks(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const cost_context *c = context;
	size_t roots = c->closure->root_count;
	double entry = (double)gemp_fetch_entry_bytes(c->fetch);
	for (size_t i = begin; i < end; i++) {
		double entries = 0;
		for (size_t r = 0; r < roots; r++)
			entries += entries_of_image(c, r, c->tasks->slots[i * roots + r], 1);
		c->bytes[i] = c->total > 0 ? c->total * (1 - exp(-entries / c->total)) * entry : 0;
	}
}

/* Fills bytes[tasks->count]. `total` is the number of bytes of all rows together. */
static void estimate_task_bytes(double *bytes, const gemp_closure *closure, const gemp_fetch *fetch,
                                const gemp_root_tasks *tasks, uint64_t total)
{
	double entry = (double)gemp_fetch_entry_bytes(fetch);
	cost_context c = {
		.closure = closure, .fetch = fetch, .tasks = tasks, .total = (double)total / entry, .bytes = bytes
	};
	find_means(&c);
	average_images(&c);
	gemp_for_chunks(tasks->count, TASKS, cost_tasks, &c);
}

/* Returns the first task that is searched in rounds; the tasks before it are searched in cells. Pivots with many
 * neighbours come first. The rounds of the tasks that are searched in rounds take at most as long as the cells of all
 * tasks. Seeds have no order, so all of them are searched in the same way. */
static size_t first_round_task(const double *rounds, size_t tasks, double cells, bool given)
{
	double sum = 0;
	size_t first = tasks;
	while (first > 0 && (sum + rounds[first - 1]) * round_cost <= cells)
		sum += rounds[--first];
	return given && first ? tasks : first;
}

/* Cells are counted only if many rounds are expected, since counting is expensive. */
gemp_code gemp_oversized_tasks(size_t *aside, const gemp_plan *plan, const gemp_closure *closure,
                               const gemp_fetch *fetch, uint32_t *const *candidates, const gemp_root_tasks *tasks,
                               uint64_t total, uint64_t budget)
{
	const gemp_comm *comm = fetch->context->comm;
	uint64_t entry = gemp_fetch_entry_bytes(fetch), cells;
	GEMP_OWNED double *rounds = NULL;
	double sum = 0;
	GEMP_OWNED_BY(gemp_grid_free_at) gemp_grid *grid = NULL;
	gemp_grid_cell whole;
	*aside = 0;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(rounds, tasks->count + 1)));
	estimate_task_bytes(rounds, closure, fetch, tasks, total);
	for (size_t i = 0; i < tasks->count; i++)
		sum += rounds[i] /= (double)(budget ? budget : 1);
	if (gemp_comm_sum1(comm, sum > min_rounds) == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_grid_new(&grid, plan, closure, fetch, candidates, tasks));
	gemp_grid_whole(grid, &whole);
	cells = gemp_grid_cells(grid, whole, budget / entry, (uint64_t)(sum * round_cost) + 1);
	*aside = first_round_task(rounds, tasks->count, (double)cells, plan->arguments);
	gemp_log_local(GEMP_DEBUG, "about %.0f rounds, or %llu cells: %zu of %zu tasks go in cells", sum,
	               (unsigned long long)cells, *aside, tasks->count);
	return GEMP_OK;
}

/* Makes the plan of the split search. All vertices after the roots get candidates. A vertex that has none in the main
 * plan is put into plan->ranges. */
static gemp_code widen_plan(gemp_task_split *s)
{
	const gemp_search *other = s->base.search;
	size_t words = s->base.candidates->words;
	GEMP_TRY(GEMP_NEW(s->plan, 1));
	GEMP_TRY(GEMP_NEW(s->all_vertices, words + 1));
	memset(s->all_vertices, 255, words * sizeof *s->all_vertices);
	gemp_bits32_trim(s->all_vertices, other->graph->vertex_count);
	*s->plan = *other->plan;
	s->candidates = *s->base.candidates;
	for (size_t i = (size_t)s->plan->root + 1; i < s->plan->step_count; i++) {
		gemp_step *step = &s->plan->steps[i];
		if (step->kind != GEMP_EXTEND)
			continue;
		if (!step->candidates)
			s->plan->ranges |= UINT64_C(1) << step->vertex;
		step->candidates = true;
		if (!s->candidates.bits[step->vertex])
			s->candidates.bits[step->vertex] = s->all_vertices;
	}
	return GEMP_OK;
}

/* Pending cells are a stack, so the two halves of a cell are searched one after the other. The halves share most of
 * their rows. */
static gemp_code push_cell(gemp_task_split *s, const gemp_grid_cell *cell)
{
	GEMP_TRY(GEMP_RESERVE(s->pending, s->capacity, s->count + 1));
	s->pending[s->count++] = *cell;
	return GEMP_OK;
}

/* Copies the oversized tasks, and makes the arrays for cells. */
static gemp_code list_tasks(gemp_task_split *s)
{
	const gemp_task_split_base *b = &s->base;
	size_t roots = s->closure.root_count, words = s->base.candidates->words;
	GEMP_TRY(GEMP_NEW(s->slots, b->large_count * roots + 1));
	if (s->plan->arguments)
		GEMP_TRY(GEMP_NEW(s->seeds, b->large_count * roots + 1));
	for (size_t i = 0; i < b->large_count * roots; i++)
		s->slots[i] = b->tasks->slots[b->large[i / roots] * roots + i % roots];
	s->tasks = (gemp_root_tasks){ s->slots, b->large_count };
	GEMP_TRY(GEMP_NEW(s->bits, words + 1));
	for (size_t v = 0; v < s->plan->view_count; v++)
		GEMP_TRY(GEMP_NEW(s->need[v], words + 1));
	return GEMP_OK;
}

/* The split search uses the rows, the slots and the sink of the main search. */
gemp_code gemp_task_split_new(gemp_task_split **out, const gemp_task_split_base *base)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_task_split_free_at) gemp_task_split *s = NULL;
	gemp_grid_cell whole;
	gemp_search *other = base->search;
	gemp_search_options options = *base->options;
	gemp_comm *comm = other->context->comm;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(s, 1)));
	s->base = *base;
	code = widen_plan(s);
	if (code == GEMP_OK) {
		gemp_closure_of(&s->closure, s->plan, !other->context->device->gpu);
		code = list_tasks(s);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_grid_new(&s->grid, s->plan, &s->closure, base->fetch, base->bits, &s->tasks));
	gemp_grid_whole(s->grid, &whole);
	if (s->tasks.count)
		code = push_cell(s, &whole);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_search_new(&s->search, other->context, other->graph, s->plan, other->order, base->residency,
	                         base->views, &s->candidates, &options));
	GEMP_TRY(gemp_search_build(s->search));
	s->search->sink = other->sink;
	if (!s->plan->arguments)
		gemp_search_pivots(s->search, s->slots, s->tasks.count);
	*out = s;
	s = NULL;
	return GEMP_OK;
}

/* Also frees a split search that is only partly made. */
void gemp_task_split_free(gemp_task_split *split)
{
	if (!split)
		return;
	gemp_search_free(split->search);
	gemp_grid_free(split->grid);
	for (size_t v = 0; v < GEMP_MAX_VIEWS; v++)
		gemp_free(split->need[v]);
	gemp_free_all(split->bits, split->plan, split->all_vertices, split->slots, split->seeds, split->pending, split);
}

/* True if the images of all roots of the task lie in the ranges of the cell. */
static bool in_cell(const gemp_task_split *s, const gemp_grid_cell *cell, size_t task)
{
	const gemp_vertex *border = s->grid->tiles.bounds;
	size_t roots = s->closure.root_count;
	for (size_t i = 0; i < roots; i++) {
		int v = s->closure.nodes[i].vertex;
		gemp_vertex slot = s->slots[task * roots + i];
		if (slot < border[cell->low[v]] || slot >= border[cell->high[v]])
			return false;
	}
	return true;
}

/* The pivots of a cell. Pivots ascend, so they are a range of the tasks. */
static gemp_task_range pivots_of(const gemp_task_split *s, const gemp_grid_cell *cell)
{
	const gemp_vertex *border = s->grid->tiles.bounds;
	size_t first = gemp_lower_bound_u32(s->slots, s->tasks.count, border[cell->low[s->plan->pivot]]);
	size_t end = gemp_lower_bound_u32(s->slots, s->tasks.count, border[cell->high[s->plan->pivot]]);
	return (gemp_task_range){ first, end - first };
}

/* True if the cell has a task of this rank. */
static bool has_tasks(const gemp_task_split *s, const gemp_grid_cell *cell)
{
	if (!s->plan->arguments)
		return pivots_of(s, cell).count > 0;
	for (size_t i = 0; i < s->tasks.count; i++)
		if (in_cell(s, cell, i))
			return true;
	return false;
}

/* The error of a cell that does not fit although each pattern vertex has only one block of slots, so that the cell
 * cannot be halved. */
static gemp_code too_large(const gemp_task_split *s)
{
	return gemp_fail(
		GEMP_ENOMEM,
		"the rows of a single vertex exceed the %llu bytes of a round on %s; raise row-cache or device-memory, or, with several ranks, use exchange push",
		(unsigned long long)s->base.budget, s->search->context->device->name);
}

/* Halves the next cell until its rows fit. A half is dropped if no match or no task can lie in it. */
gemp_code gemp_task_split_next(gemp_task_split *s)
{
	gemp_grid_cell other;
	s->active = false;
	while (s->count && !s->active) {
		s->cell = s->pending[--s->count];
		while (!(s->active = gemp_grid_entries(s->grid, &s->cell) * gemp_fetch_entry_bytes(s->base.fetch) <=
		                     s->base.budget)) {
			if (gemp_grid_empty(s->grid, &s->cell))
				break;
			if (!gemp_grid_bisect(s->grid, &s->cell, &other))
				return too_large(s);
			GEMP_TRY(push_cell(s, &other));
		}
		s->active = s->active && !gemp_grid_empty(s->grid, &s->cell) && has_tasks(s, &s->cell);
	}
	if (s->active)
		gemp_grid_rows(s->grid, s->need);
	for (size_t v = 0; v < s->plan->view_count && !s->active; v++)
		memset(s->need[v], 0, s->grid->words * sizeof *s->need[v]);
	return GEMP_OK;
}

/* Limits the candidates of a vertex on the device to the range of the present cell, unless they are limited to it
 * already. A vertex of plan->ranges gets a range of slots, except in nested loops; any other vertex gets a bitmap. */
static gemp_code set_bitmap(gemp_task_split *s, int v)
{
	size_t words = s->grid->words;
	if (s->bitmap_cell.low[v] == s->cell.low[v] && s->bitmap_cell.high[v] == s->cell.high[v])
		return GEMP_OK;
	s->bitmap_cell.low[v] = s->cell.low[v];
	s->bitmap_cell.high[v] = s->cell.high[v];
	if (s->plan->ranges >> v & 1 && !s->search->nested)
		return gemp_search_range(s->search, v, s->grid->tiles.bounds[s->cell.low[v]],
		                         s->grid->tiles.bounds[s->cell.high[v]]);
	memset(s->bits, 0, words * sizeof *s->bits);
	gemp_bits32_set_range(s->bits, s->grid->tiles.bounds[s->cell.low[v]], s->grid->tiles.bounds[s->cell.high[v]]);
	for (size_t w = 0; s->base.bits[v] && w < words; w++)
		s->bits[w] &= s->base.bits[v][w];
	return gemp_search_narrow(s->search, v, s->bits);
}

/* Gives the search the seeds of the present cell, as ids. */
static gemp_task_range seeds_of(gemp_task_split *s)
{
	size_t count = 0, roots = s->closure.root_count;
	for (size_t i = 0; i < s->tasks.count; i++) {
		if (!in_cell(s, &s->cell, i))
			continue;
		for (size_t r = 0; r < roots; r++)
			s->seeds[count * roots + r] = s->base.search->order->id_of[s->slots[i * roots + r]];
		count++;
	}
	gemp_search_seed(s->search, s->seeds, count);
	return (gemp_task_range){ 0, count };
}

/* Without a present cell the search gets no tasks. It runs nevertheless, since other ranks have cells left. */
gemp_code gemp_task_split_range(gemp_task_split *s, gemp_task_range *part)
{
	*part = (gemp_task_range){ 0, 0 };
	if (!s->active) {
		if (s->plan->arguments)
			gemp_search_seed(s->search, s->seeds, 0);
		return GEMP_OK;
	}
	for (size_t i = (size_t)s->plan->root + 1; i < s->plan->step_count; i++)
		if (s->plan->steps[i].kind == GEMP_EXTEND)
			GEMP_TRY(set_bitmap(s, s->plan->steps[i].vertex));
	*part = s->plan->arguments ? seeds_of(s) : pivots_of(s, &s->cell);
	return GEMP_OK;
}
