#include "match/pull_aside.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "match/grid.h"

#include <math.h>

/* So many rounds are not worth a look at cells; a round takes about as long as so many cells. */
static const double few_rounds = 32, round_cost = 2;

enum { TASKS = 256 }; /* that a thread takes at a time */

typedef struct costing {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	const gemp_reach_tasks *tasks;
	double total;                      /* entries */
	double mean[GEMP_MAX_VIEWS];       /* length of the rows that entries lie in */
	double image[GEMP_MOST_PLACES];    /* entries that are read because of one image of a place */
	double *bytes;
} costing;

static void find_means(costing *c)
{
	for (size_t v = 0; v < c->fetch->view_count; v++) {
		double entries = 0, squares = 0;
		for (uint64_t slot = 0; slot < c->fetch->graph->vertices; slot++) {
			double size = (double)gemp_fetch_size(c->fetch, v, (gemp_vertex)slot);
			entries += size;
			squares += size * size;
		}
		c->mean[v] = entries > 0 ? squares / entries : 0;
	}
}

/* Children come behind their parents. */
static void weigh_images(costing *c)
{
	const gemp_closure_place *places = c->closure->places;
	for (size_t i = c->closure->count; i-- > 0;) {
		c->image[i] = 0;
		for (uint32_t left = places[i].reads; left; left &= left - 1)
			c->image[i] += c->mean[__builtin_ctz(left)];
		for (size_t child = i + 1; child < c->closure->count; child++)
			if (places[child].parent == (int)i)
				c->image[i] += c->mean[places[child].view] * c->image[child];
	}
}

/* Entries that are read because of an image: its own rows, and, as far as `hops` go and rows are at hand, others'. */
static double weigh(const costing *c, size_t place, gemp_vertex slot, int hops)
{
	const gemp_closure_place *places = c->closure->places;
	double entries = 0;
	for (uint32_t left = places[place].reads; left; left &= left - 1)
		entries += (double)gemp_fetch_size(c->fetch, (size_t)__builtin_ctz(left), slot);
	for (size_t child = place + 1; child < c->closure->count && entries < c->total; child++) {
		size_t view = (size_t)places[child].view;
		if (places[child].parent != (int)place)
			continue;
		if (!hops || !gemp_fetch_here(c->fetch, slot)) {
			entries += (double)gemp_fetch_size(c->fetch, view, slot) * c->image[child];
			continue;
		}
		gemp_row row = gemp_fetch_get(c->fetch, view, slot);
		for (size_t k = 0; k < row.size; k++)
			entries += weigh(c, child, row.near[k], hops - 1);
	}
	return entries;
}

/* What is met again counts once. */
static void cost_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const costing *c = context;
	size_t roots = c->closure->root_count;
	double entry = sizeof(gemp_vertex) + (c->fetch->edges ? sizeof(gemp_edge) : 0);
	for (size_t i = piece * TASKS; i < (piece + 1) * TASKS && i < c->tasks->count; i++) {
		double entries = 0;
		for (size_t r = 0; r < roots; r++)
			entries += weigh(c, r, c->tasks->slots[i * roots + r], 1);
		c->bytes[i] = c->total > 0 ? c->total * (1 - exp(-entries / c->total)) * entry : 0;
	}
}

/* bytes[tasks->count]: of all rows together `total`; rows beyond those of neighbours are taken for as long as rows are on
 * average in which an entry lies. */
static void estimate(double *bytes, const gemp_closure *closure, const gemp_fetch *fetch, const gemp_reach_tasks *tasks,
                     uint64_t total)
{
	double entry = sizeof(gemp_vertex) + (fetch->edges ? sizeof(gemp_edge) : 0);
	costing c = { .closure = closure, .fetch = fetch, .tasks = tasks, .total = (double)total / entry, .bytes = bytes };
	find_means(&c);
	weigh_images(&c);
	gemp_parallel_for((tasks->count + TASKS - 1) / TASKS, cost_piece, &c);
}

/* CHOICE. Pivots of many neighbours come first: so many of them that the others take half as long in rounds as all do in
 * cells. Seeds have no order. */
static size_t choose(const double *rounds, size_t tasks, double cells, bool given)
{
	double sum = 0;
	size_t first = tasks;
	while (first > 0 && (sum + rounds[first - 1]) * round_cost <= cells)
		sum += rounds[--first];
	return given && first ? tasks : first;
}

gemp_code gemp_pull_aside(size_t *aside, const gemp_plan *plan, const gemp_closure *closure, const gemp_fetch *fetch,
                          uint32_t *const *candidates, const gemp_reach_tasks *tasks, uint64_t total, uint64_t budget)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = fetch->context->comm;
	uint64_t entry = sizeof(gemp_vertex) + (fetch->edges ? sizeof(gemp_edge) : 0), cells;
	double *rounds = NULL, sum = 0;
	gemp_grid *grid = NULL;
	gemp_cell whole;
	*aside = 0;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(rounds, tasks->count + 1)));
	estimate(rounds, closure, fetch, tasks, total);
	for (size_t i = 0; i < tasks->count; i++)
		sum += rounds[i] /= (double)(budget ? budget : 1);
	if (gemp_comm_sum1(comm, sum > few_rounds) == 0)
		goto done;
	GEMP_TRY(gemp_grid_new(&grid, plan, closure, fetch, candidates, tasks));
	gemp_grid_whole(grid, &whole);
	cells = gemp_grid_cells(grid, whole, budget / entry, (uint64_t)(sum * round_cost) + 1);
	*aside = choose(rounds, tasks->count, (double)cells, plan->given);
	gemp_log_local(GEMP_DEBUG, "about %.0f rounds, or %llu cells: %zu of %zu tasks go in cells", sum,
	               (unsigned long long)cells, *aside, tasks->count);
done:
	gemp_grid_free(grid);
	gemp_free(rounds);
	return code;
}
