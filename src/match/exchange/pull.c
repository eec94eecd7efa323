#include "match/exchange/pull.h"

#include "core/bitset.h"
#include "core/log.h"
#include "core/memory.h"
#include "match/exchange/oversized_tasks.h"
#include "match/search/search_launch.h"

#include <string.h>

/* Bytes of a whole working set over those of its first hop: assumed for the first round, and the maximum. */
static const double first_growth = 4, most_growth = 64;
/* A task that needs more than this share of the budget is oversized, because a round would otherwise hold few tasks. Measured with 4-cycles
 * on a graph four times the budget: a share of 1 takes twice as long. */
static const double large_share = 0.3;

/* The next round, which is fetched and laid out while the device works on the current one. */
typedef struct next_round {
	bool ready, last;      /* no round follows it */
	bool cell;             /* it is a cell of the split search */
	gemp_task_range range; /* if it is no cell */
} next_round;

/* The state of a search in rounds. views[side] are the rows of a round and of the next one; tasks[next..] are still to
 * be searched in rounds, and oversized[oversized_count] in cells at the end. */
struct gemp_pull {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_plan *plan;
	gemp_resident *rows;
	const gemp_candidates *candidates;
	uint64_t budget;     /* bytes of a round's rows on the device */
	bool budget_given;   /* the budget was given */
	uint64_t run_budget; /* the budget of this run: not more than is free */
	uint64_t total;      /* bytes of all rows of all ranks */
	gemp_closure closure;
	uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* candidates by slot */
	gemp_view *
		resident_views; /* [view_count] resident rows without entries that are never read; rows->views[v] unless narrowed[v] */
	bool narrowed[GEMP_MAX_VIEWS];
	gemp_fetch *fetch;
	gemp_working_set *working_set;
	gemp_view views[2][GEMP_MAX_VIEWS]; /* of the round, and of the next */
	gemp_partial_capacity capacities[2][GEMP_MAX_VIEWS];
	int next_side; /* the side of the next round */
	gemp_search *search;
	gemp_search_options options;
	gemp_vertex *seeds; /* [search->pivots * given] slots */
	gemp_root_tasks tasks;
	size_t next;
	size_t *oversized, oversized_count, oversized_capacity;
	double growth;          /* bytes of whole closures over those of first hops */
	bool finished;          /* all tasks that are not oversized have been selected */
	gemp_task_split *split; /* of the oversized tasks; NULL: not created yet */
	next_round upcoming;
	gemp_pull_statistics statistics;
};

/* Kernels and working sets number vertices by slot. */
static gemp_code renumber_candidates(gemp_pull *p)
{
	size_t words = p->candidates->words;
	for (int v = 0; v < p->plan->vertex_count; v++) {
		if (!p->candidates->bits[v])
			continue;
		GEMP_TRY(GEMP_NEW(p->bits[v], words + 1));
		gemp_candidates_by_slot(&p->rows->order, p->candidates->bits[v], p->bits[v], words);
	}
	return GEMP_OK;
}

/* Bytes for a round's rows: some quarters of what is free, less the offsets of the views, and short enough for 32-bit
 * offsets. */
static uint64_t choose_budget(const gemp_pull *p, unsigned quarters)
{
	const gemp_device *device = p->context->device;
	uint64_t begins = p->plan->view_count * (p->graph->vertex_count + 1) * sizeof(uint32_t);
	uint64_t room = device->memory > device->buffer_bytes ? (device->memory - device->buffer_bytes) / 4 * quarters : 0;
	uint64_t narrow = (UINT64_C(1) << 32) * sizeof(gemp_vertex) - (UINT64_C(1) << 20);
	room = room > begins ? room - begins : 0;
	room = room < device->max_buffer ? room : device->max_buffer;
	return room < narrow ? room : narrow;
}

/* Collective. Sums up the bytes of all rows of all ranks. */
static void measure_all_rows(gemp_pull *p)
{
	const gemp_residency *residency = &p->rows->residency;
	for (size_t i = 0; i < residency->own_count; i++)
		for (size_t v = 0; v < p->plan->view_count; v++)
			p->total += gemp_fetch_size(p->fetch, v, residency->own_slots[i]) * gemp_fetch_entry_bytes(p->fetch);
	p->total = gemp_comm_sum1(p->context->comm, p->total);
}

/* Collective. Views without entries that nobody reads are made first, so that no rank sends them. */
gemp_code gemp_pull_new(gemp_pull **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                        gemp_resident *rows, const gemp_candidates *candidates, uint64_t budget)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_pull_free_at) gemp_pull *p = NULL;
	code = GEMP_NEW(p, 1);
	if (p) /* freeing wants the plan, also when another rank has no memory */
		*p = (gemp_pull){ .context = context,
			              .graph = graph,
			              .plan = plan,
			              .rows = rows,
			              .candidates = candidates,
			              .growth = first_growth };
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	gemp_closure_of(&p->closure, plan, !context->device->gpu);
	p->budget_given = budget != 0;
	p->budget = budget ? budget : choose_budget(p, 2);
	code = renumber_candidates(p);
	GEMP_THEN(gemp_trim_resident_rows(&p->resident_views, p->narrowed, plan, &p->closure, rows, p->bits));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(
		gemp_fetch_new(&p->fetch, context, graph, &rows->order, &rows->residency, p->resident_views, plan->view_count));
	measure_all_rows(p);
	GEMP_TRY(gemp_comm_agree(context->comm,
	                         gemp_working_set_new(&p->working_set, &p->closure, p->fetch, p->bits, !plan->arguments)));
	*out = p;
	p = NULL;
	return GEMP_OK;
}

/* Views that were not narrowed belong to the resident rows. */
void gemp_pull_free(gemp_pull *p)
{
	if (!p)
		return;
	gemp_task_split_free(p->split);
	gemp_working_set_free(p->working_set);
	gemp_fetch_free(p->fetch);
	for (size_t v = 0; v < p->plan->view_count; v++) {
		gemp_view_free(&p->views[0][v]);
		gemp_view_free(&p->views[1][v]);
		if (p->narrowed[v])
			gemp_view_free(&p->resident_views[v]);
	}
	for (int v = 0; v < p->plan->vertex_count; v++)
		gemp_free(p->bits[v]);
	gemp_free_all(p->resident_views, p->seeds, p->oversized, p);
}

/* FITTING. */
uint64_t gemp_pull_entries(const gemp_pull *p)
{
	uint64_t most = p->total + p->total / 8; /* the sizes of other ranks' rows are estimated to 1/8 */
	return (most < p->budget ? most : p->budget) / sizeof(gemp_vertex) + 1;
}

/* A round never holds more than all rows, however large the budget is. */
uint64_t gemp_pull_round(const gemp_pull *p)
{
	return p->total < p->budget ? p->total : p->budget;
}

const gemp_fetch *gemp_pull_fetch(const gemp_pull *p)
{
	return p->fetch;
}

uint32_t *const *gemp_pull_candidates(const gemp_pull *p)
{
	return p->bits;
}

uint64_t gemp_pull_budget(const gemp_pull *p)
{
	return p->budget;
}

/* A cell of a large task needs at least a row for each place. */
bool gemp_pull_fits(const gemp_pull *p)
{
	uint64_t longest = 0, places = 1;
	for (size_t v = 0; v < p->plan->view_count; v++)
		for (size_t r = 0; r < p->resident_views[v].rows; r++)
			if (p->resident_views[v].begin[r + 1] - p->resident_views[v].begin[r] > longest)
				longest = p->resident_views[v].begin[r + 1] - p->resident_views[v].begin[r];
	gemp_comm_max(p->context->comm, &longest, 1);
	for (size_t i = 0; i < p->closure.count; i++)
		places += (uint64_t)__builtin_popcount(p->closure.nodes[i].reads);
	uint64_t bytes = longest * places * gemp_fetch_entry_bytes(p->fetch);
	return gemp_comm_sum1(p->context->comm, bytes > p->budget) == 0;
}

/* TASKS. */
void gemp_pull_attach(gemp_pull *p, gemp_search *search, const gemp_search_options *options)
{
	p->search = search;
	p->options = *options;
}

/* The tasks of a run, as slots. What is free on the device may have changed since the last run. */
static gemp_code list_tasks(gemp_pull *p)
{
	const gemp_search *search = p->search;
	size_t given = (size_t)p->plan->arguments, count = search->pivots;
	p->tasks = (gemp_root_tasks){ search->pivot_slots, count };
	p->next = p->oversized_count = 0;
	p->finished = p->upcoming.ready = false;
	uint64_t free_now = choose_budget(p, 3);
	p->run_budget = p->budget_given || p->budget < free_now ? p->budget : free_now;
	GEMP_TRY(GEMP_RESERVE(p->oversized, p->oversized_capacity, count));
	if (!given)
		return GEMP_OK;
	gemp_free(p->seeds);
	GEMP_TRY(GEMP_NEW(p->seeds, count * given));
	for (size_t i = 0; i < count * given; i++)
		p->seeds[i] = p->rows->order.slot_of[search->seeds.ids[i]];
	p->tasks.slots = p->seeds;
	return GEMP_OK;
}

/* Collective. Sets tasks apart that would take too many rounds; they are searched in cells at the end. */
static gemp_code find_oversized(gemp_pull *p)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	GEMP_TRY_DONE(gemp_oversized_tasks(&p->oversized_count, p->plan, &p->closure, p->fetch, p->bits, &p->tasks,
	                                   p->total, p->run_budget));
	p->next = p->oversized_count;
	for (size_t i = 0; i < p->oversized_count; i++)
		p->oversized[i] = i;
	uint64_t left[2] = { p->tasks.count - p->next, p->oversized_count };
	gemp_comm_sum(p->context->comm, left, 2);
	p->finished = left[0] == 0 && left[1] > 0;
done:
	gemp_timers_add(&p->context->timers, GEMP_PHASE_RESOLVE, began);
	return code;
}

/* Do all rows fit? Those of others are taken for an eighth too long. */
static bool all_rows_fit(const gemp_pull *p)
{
	return p->total + p->total / 8 <= p->run_budget;
}

/* Where all rows fit, one round takes every task, and no task is oversized. */
gemp_code gemp_pull_restart(gemp_pull *p)
{
	GEMP_TRY(gemp_comm_agree(p->context->comm, list_tasks(p)));
	if (gemp_comm_sum1(p->context->comm, !all_rows_fit(p)))
		return find_oversized(p);
	return GEMP_OK;
}

/* Counts the rows that the round holds, for the report. */
static uint64_t rows_needed(const gemp_pull *p, uint32_t *const *need)
{
	uint64_t rows = 0;
	for (size_t v = 0; v < p->plan->view_count; v++)
		rows += gemp_bits32_count(need[v], p->working_set->words);
	return rows;
}

/* Collective. The rows of the next round, beside those of the present one, which a device may be using. */
static gemp_code build_views(gemp_pull *p, uint32_t *const *need, const gemp_tiles *tiles)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	p->next_side = 1 - p->next_side;
	for (size_t v = 0; v < p->plan->view_count && code == GEMP_OK; v++)
		code = gemp_partial_view_fill(&p->views[p->next_side][v], &p->capacities[p->next_side][v], p->fetch, v, need[v],
		                              tiles);
	p->statistics.reads += rows_needed(p, need);
	gemp_timers_add(&p->context->timers, GEMP_PHASE_RESOLVE, began);
	return gemp_comm_agree(p->context->comm, code);
}

/* The ratio between whole working sets and their first hops, from the round just chosen; bounded, since a first round
 * may be unlike the others. */
static void update_growth(gemp_pull *p, uint64_t first)
{
	double growth = first ? (double)p->working_set->bytes / (double)first : 1;
	growth = growth < 1 ? 1 : growth > most_growth ? most_growth : growth;
	p->growth = growth;
}

/* Local. Shrinks [*begin, *end) to the tasks whose rows fit, as far as rows down to a depth tell; where all rows fit,
 * every task does. */
static gemp_code take_fitting(gemp_pull *p, size_t *begin, size_t *end, int depth)
{
	gemp_code code = GEMP_OK;
	double now = (double)p->run_budget, budget = depth < p->closure.depth ? now / p->growth : now, began = gemp_now();
	if (all_rows_fit(p))
		gemp_working_set_extend_all(p->working_set, &p->tasks, *begin, *end, depth);
	else
		code = gemp_working_set_extend(p->working_set, &p->tasks, begin, end, depth, (uint64_t)budget,
		                               (uint64_t)(now * large_share), p->oversized, &p->oversized_count);
	gemp_timers_add(&p->context->timers, GEMP_PHASE_RESOLVE, began);
	return code;
}

/* Collective. The next tasks whose rows fit, hop by hop, each with its rows. */
static gemp_code select_tasks(gemp_pull *p)
{
	const gemp_comm *comm = p->context->comm;
	size_t begin = p->next, end = p->tasks.count;
	uint64_t first = 0;
	GEMP_TRY(gemp_comm_agree(comm, gemp_row_cache_trim(&p->fetch->cache, p->run_budget)));
	int first_hop = p->plan->arguments || p->closure.depth == 0 ? 0 : 1; /* rows of pivots are own ones */
	for (int depth = first_hop; depth <= p->closure.depth; depth++) {
		GEMP_TRY(gemp_comm_agree(comm, take_fitting(p, &begin, &end, depth)));
		first = first ? first : p->working_set->bytes;
		GEMP_TRY(gemp_fetch_rows(p->fetch, p->working_set->need, NULL));
	}
	if (end > begin)
		update_growth(p, first);
	p->next = end;
	uint64_t left[2] = { p->tasks.count - p->next, p->oversized_count };
	gemp_comm_sum(comm, left, 2);
	p->finished = left[0] == 0;
	p->upcoming = (next_round){ .ready = true, .last = p->finished && left[1] == 0, .range = { begin, end - begin } };
	return build_views(p, p->working_set->need, NULL);
}

/* Collective. The rows of the round, for the search that goes over them, in place of those of the round before. */
static gemp_code fetch_round(gemp_pull *p, gemp_search *search, gemp_task_range part)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	uint64_t entries = 0;
	for (size_t v = 0; v < p->plan->view_count; v++) {
		gemp_view_unload(&p->views[1 - p->next_side][v]);
		entries += p->views[p->next_side][v].begin[p->graph->vertex_count];
	}
	code = gemp_search_rows(search, p->views[p->next_side], part);
	GEMP_TRY(gemp_comm_agree(p->context->comm, code));
	gemp_timers_add(&p->context->timers, GEMP_PHASE_UPLOAD, began);
	p->statistics.rounds++;
	gemp_log_local(GEMP_DEBUG, "round %llu: %zu tasks, rows of %llu bytes", (unsigned long long)p->statistics.rounds,
	               part.count, (unsigned long long)(entries * gemp_fetch_entry_bytes(p->fetch)));
	return GEMP_OK;
}

/* LARGE TASKS. */
static gemp_code begin_split(gemp_pull *p)
{
	const gemp_task_split_base base = { .search = p->search,
		                                .options = &p->options,
		                                .residency = &p->rows->residency,
		                                .views = p->rows->views,
		                                .candidates = p->candidates,
		                                .bits = p->bits,
		                                .fetch = p->fetch,
		                                .tasks = &p->tasks,
		                                .large = p->oversized,
		                                .large_count = p->oversized_count,
		                                .budget = p->run_budget };
	p->statistics.oversized_tasks += p->oversized_count;
	return gemp_task_split_new(&p->split, &base);
}

/* Collective. The next cell, and its rows. */
static gemp_code select_cell(gemp_pull *p)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = p->context->comm;
	if (!p->split)
		GEMP_TRY(begin_split(p));
	double began = gemp_now();
	code = gemp_task_split_next(p->split);
	GEMP_THEN(gemp_row_cache_trim(&p->fetch->cache, p->run_budget));
	gemp_timers_add(&p->context->timers, GEMP_PHASE_RESOLVE, began);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_fetch_rows(p->fetch, gemp_task_split_need(p->split), gemp_task_split_tiles(p->split)));
	bool last = gemp_comm_sum1(comm, gemp_task_split_left(p->split)) == 0;
	p->upcoming = (next_round){ .ready = true, .last = last, .cell = true };
	return build_views(p, gemp_task_split_need(p->split), gemp_task_split_tiles(p->split));
}

/* Runs on the host while the device searches; the trace shows both side by side. */
gemp_code gemp_pull_prefetch(void *pull)
{
	gemp_pull *p = pull;
	double began = gemp_now();
	gemp_code code = p->finished ? select_cell(p) : select_tasks(p);
	gemp_trace_add("pull", GEMP_LANE_HOST, began);
	return code;
}

/* The rows of the round are usually there already, fetched beside the round before. */
gemp_code gemp_pull_next(gemp_pull *p, gemp_search **search, bool *last)
{
	if (!p->upcoming.ready)
		GEMP_TRY(gemp_pull_prefetch(p));
	gemp_task_range part = p->upcoming.range;
	*search = p->upcoming.cell ? gemp_task_split_search(p->split) : p->search;
	*last = p->upcoming.last;
	p->upcoming.ready = false;
	if (p->upcoming.cell)
		GEMP_TRY(gemp_comm_agree(p->context->comm, gemp_task_split_range(p->split, &part)));
	return fetch_round(p, *search, part);
}

/* Counters of the split search are added to those of the main one, on the host. */
static gemp_code add_counters(gemp_pull *p, gemp_buffer *to, const gemp_buffer *from)
{
	gemp_device *device = p->context->device;
	size_t count = to->size / sizeof(uint64_t);
	GEMP_OWNED uint64_t *sum = NULL, *more = NULL;
	if (!to->mem || !from->mem)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(sum, count));
	GEMP_TRY(GEMP_NEW(more, count));
	GEMP_TRY(gemp_buffer_read(device, to, 0, count * sizeof *sum, sum));
	GEMP_TRY(gemp_buffer_read(device, from, 0, count * sizeof *more, more));
	for (size_t i = 0; i < count; i++)
		sum[i] += more[i];
	return gemp_buffer_write(device, to, 0, count * sizeof *sum, sum);
}

/* The split search is made anew for the next run, since its cells are used up. */
gemp_code gemp_pull_end(gemp_pull *p)
{
	gemp_code code = GEMP_OK;
	const gemp_search *other = p->split ? gemp_task_split_search(p->split) : NULL;
	if (other) {
		gemp_search_statistics_add(&p->search->statistics, &other->statistics);
		GEMP_TRY_DONE(add_counters(p, &p->search->vertex_counts, &other->vertex_counts));
		GEMP_TRY_DONE(add_counters(p, &p->search->passed, &other->passed));
	}
done:
	gemp_task_split_free(p->split);
	p->split = NULL;
	for (size_t v = 0; v < p->plan->view_count; v++)
		for (int side = 0; side < 2; side++)
			gemp_view_unload(&p->views[side][v]);
	return code;
}

/* The fetch counts rows and bytes itself, also those that were fetched for a round that is still to come. */
gemp_pull_statistics gemp_pull_statistics_of(const gemp_pull *p)
{
	gemp_pull_statistics figures = p->statistics;
	figures.fetched = p->fetch->stats.rows;
	figures.bytes = p->fetch->stats.bytes;
	figures.raw_bytes = p->fetch->stats.uncoded_bytes;
	return figures;
}
