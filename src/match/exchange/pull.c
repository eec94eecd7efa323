#include "match/exchange/pull.h"

#include "core/log.h"
#include "match/exchange/oversized_tasks.h"
#include "match/search/search_launch.h"

#include <string.h>

/* The ratio of the bytes of a whole working set to the bytes of its first hop: the value assumed for the first round,
 * and the maximum. */
static const double first_growth = 4, max_growth = 64;
/* A task that needs more than this fraction of the budget is oversized, because a round would otherwise have few tasks.
 * Measured with 4-cycles on a graph four times the budget: a value of 1 takes twice as long. */
static const double large_share = 0.3;

/* The next round. Its rows are fetched and laid out while the device works on the present round. */
typedef struct next_round {
	bool ready;            /* the round is selected, and its rows are fetched */
	bool last;             /* no round follows this round */
	bool cell;             /* the round is a cell of the split search */
	gemp_task_range range; /* the tasks of the round, unless it is a cell */
} next_round;

/* The state of a search in rounds. views[next_side] are the rows of the next round, and the other side has the rows of
 * the present round. Tasks from `next` on are still to be searched in rounds. The tasks in oversized[oversized_count]
 * are searched in cells at the end. */
struct gemp_pull {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_plan *plan;
	gemp_resident *rows;
	const gemp_candidates *candidates;
	uint64_t budget;     /* maximum bytes of a round's rows on the device */
	bool budget_given;   /* the caller has given the budget */
	uint64_t run_budget; /* the budget of this run, limited by the memory that was free at its start */
	uint64_t total;      /* bytes of all rows of all ranks */
	gemp_closure closure;
	uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* by pattern vertex: the candidates by slot */
	gemp_view
		/* [view_count] if narrowed[v]: a copy without entries that are never read; otherwise the view of `rows` */
		*resident_views;
	bool narrowed[GEMP_MAX_VIEWS];
	gemp_fetch *fetch;
	gemp_working_set *working_set;
	gemp_view views[2][GEMP_MAX_VIEWS];
	gemp_partial_capacity capacities[2][GEMP_MAX_VIEWS];
	int next_side; /* the side of the next round */
	gemp_search *search;
	gemp_search_options options;
	gemp_vertex *seeds; /* [search->pivots * given] slots of the seeds */
	gemp_root_tasks tasks;
	size_t next;
	size_t *oversized, oversized_count, oversized_capacity; /* indices of the oversized tasks */
	/* ratio of the bytes of a whole working set to the bytes of its first hop */
	double growth;
	bool finished;          /* all ranks have selected all tasks that are not oversized */
	gemp_task_split *split; /* searches the oversized tasks; NULL: not created yet */
	next_round upcoming;
	gemp_pull_statistics statistics;
};

/* Converts the candidates from ids to slots, because working sets number vertices by slot. */
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

/* The bytes for a round's rows: `quarters` quarters of the free memory, less the offsets of the views. The result also
 * fits into one buffer and into 32-bit offsets. */
static uint64_t choose_budget(const gemp_pull *p, unsigned quarters)
{
	const gemp_device *device = p->context->device;
	uint64_t begins = p->plan->view_count * (p->graph->vertex_count + 1) * sizeof(uint32_t);
	uint64_t bytes = device->memory > device->buffer_bytes ? (device->memory - device->buffer_bytes) / 4 * quarters : 0;
	uint64_t narrow = (UINT64_C(1) << 32) * sizeof(gemp_vertex) - (UINT64_C(1) << 20);
	return gemp_min(gemp_min(bytes > begins ? bytes - begins : 0, device->max_buffer), narrow);
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

/* First removes the entries that the plan never reads from the resident rows, so that no rank sends them. */
gemp_code gemp_pull_new(gemp_pull **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                        gemp_resident *rows, const gemp_candidates *candidates, uint64_t budget)
{
	GEMP_OWNED_BY(gemp_pull_free_at) gemp_pull *p = NULL;
	gemp_code code = GEMP_NEW(p, 1);
	if (p) /* gemp_pull_free reads the plan, and runs even if only another rank lacks memory */
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
	code = gemp_resident_to_host(rows);
	GEMP_THEN(renumber_candidates(p));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_trim_resident_rows(&p->resident_views, p->narrowed, plan, &p->closure, rows, p->bits));
	GEMP_TRY(
		gemp_fetch_new(&p->fetch, context, graph, &rows->order, &rows->residency, p->resident_views, plan->view_count));
	measure_all_rows(p);
	GEMP_TRY(gemp_comm_agree(context->comm,
	                         gemp_working_set_new(&p->working_set, &p->closure, p->fetch, p->bits, !plan->arguments)));
	*out = p;
	p = NULL;
	return GEMP_OK;
}

/* Views that were not narrowed belong to the resident rows and stay. */
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

/* The known lengths of other ranks' rows may be too large by an eighth. */
uint64_t gemp_pull_entries(const gemp_pull *p)
{
	return gemp_min(p->total + p->total / 8, p->budget) / sizeof(gemp_vertex) + 1;
}

uint64_t gemp_pull_round(const gemp_pull *p)
{
	return gemp_min(p->total, p->budget);
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

/* The smallest cell of an oversized task has one row for each view that a place reads, so the longest row times this
 * number must fit. */
bool gemp_pull_fits(const gemp_pull *p)
{
	uint64_t longest = 0, places = 1;
	for (size_t v = 0; v < p->plan->view_count; v++)
		for (size_t r = 0; r < p->resident_views[v].rows; r++)
			longest = gemp_max(longest, p->resident_views[v].begin[r + 1] - p->resident_views[v].begin[r]);
	gemp_comm_max(p->context->comm, &longest, 1);
	for (size_t i = 0; i < p->closure.count; i++)
		places += (uint64_t)__builtin_popcount(p->closure.nodes[i].reads);
	uint64_t bytes = longest * places * gemp_fetch_entry_bytes(p->fetch);
	return gemp_comm_sum1(p->context->comm, bytes > p->budget) == 0;
}

void gemp_pull_attach(gemp_pull *p, gemp_search *search, const gemp_search_options *options)
{
	p->search = search;
	p->options = *options;
}

/* Lists the tasks of a run as slots, and limits the budget to the memory that is free now. */
static gemp_code list_tasks(gemp_pull *p)
{
	const gemp_search *search = p->search;
	size_t given = (size_t)p->plan->arguments, count = search->pivots;
	p->tasks = (gemp_root_tasks){ search->pivot_slots, count };
	p->next = p->oversized_count = 0;
	p->finished = p->upcoming.ready = false;
	p->run_budget = p->budget_given ? p->budget : gemp_min(p->budget, choose_budget(p, 3));
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

/* Collective. Finds the tasks that would take too many rounds. They are searched in cells at the end. */
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

/* True if all rows fit into one round, even if the lengths of other ranks' rows are too large by an eighth. */
static bool all_rows_fit(const gemp_pull *p)
{
	return p->total + p->total / 8 <= p->run_budget;
}

/* If all rows fit on all ranks, one round takes every task, and no task is oversized. */
gemp_code gemp_pull_restart(gemp_pull *p)
{
	GEMP_TRY(gemp_comm_agree(p->context->comm, list_tasks(p)));
	return gemp_comm_sum1(p->context->comm, !all_rows_fit(p)) ? find_oversized(p) : GEMP_OK;
}

/* Collective. Lays out the rows of the next round. The rows of the present round stay, since the device may be reading
 * them. */
static gemp_code build_views(gemp_pull *p, uint32_t *const *need, const gemp_tiles *tiles)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	p->next_side = 1 - p->next_side;
	for (size_t v = 0; v < p->plan->view_count; v++) {
		GEMP_THEN(gemp_partial_view_fill(&p->views[p->next_side][v], &p->capacities[p->next_side][v], p->fetch, v,
		                                 need[v], tiles));
		p->statistics.reads += gemp_bits32_count(need[v], p->working_set->words);
	}
	gemp_timers_add(&p->context->timers, GEMP_PHASE_RESOLVE, began);
	return gemp_comm_agree(p->context->comm, code);
}

/* Local. Shrinks [*begin, *end) to the tasks whose rows down to `depth` fit. p->growth estimates the rows further
 * away. */
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

/* Collective. Selects the next tasks whose rows fit, hop by hop: the rows of a hop must be fetched before the rows of
 * the next hop are known. The growth from the first hop to the last is used for the next round. It is kept within
 * bounds, since a first round may be unlike the others. */
static gemp_code select_tasks(gemp_pull *p)
{
	const gemp_comm *comm = p->context->comm;
	size_t begin = p->next, end = p->tasks.count;
	uint64_t first = 0;
	GEMP_TRY(gemp_comm_agree(comm, gemp_row_cache_trim(&p->fetch->cache, p->run_budget)));
	int first_hop = p->plan->arguments || p->closure.depth == 0 ? 0 : 1; /* the rows of pivots are own rows */
	for (int depth = first_hop; depth <= p->closure.depth; depth++) {
		GEMP_TRY(gemp_comm_agree(comm, take_fitting(p, &begin, &end, depth)));
		first = first ? first : p->working_set->bytes;
		GEMP_TRY(gemp_fetch_rows(p->fetch, p->working_set->need, NULL));
	}
	if (end > begin)
		p->growth = first ? fmin(fmax((double)p->working_set->bytes / (double)first, 1), max_growth) : 1;
	p->next = end;
	uint64_t left[2] = { p->tasks.count - p->next, p->oversized_count };
	gemp_comm_sum(comm, left, 2);
	p->finished = left[0] == 0;
	p->upcoming = (next_round){ .ready = true, .last = p->finished && left[1] == 0, .range = { begin, end - begin } };
	return build_views(p, p->working_set->need, NULL);
}

/* Collective. Gives the search the rows of the round in place of the previous round's rows. */
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

/* Collective. Makes the split search of the oversized tasks. */
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

/* Collective. Selects the next cell and fetches its rows. */
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
	GEMP_TRY(gemp_fetch_rows(p->fetch, p->split->need, &p->split->grid->tiles));
	bool last = gemp_comm_sum1(comm, p->split->count) == 0;
	p->upcoming = (next_round){ .ready = true, .last = last, .cell = true };
	return build_views(p, p->split->need, &p->split->grid->tiles);
}

/* The host runs this while the device searches. */
gemp_code gemp_pull_prefetch(void *pull)
{
	gemp_pull *p = pull;
	double began = gemp_now();
	gemp_code code = p->finished ? select_cell(p) : select_tasks(p);
	gemp_trace_add("pull", GEMP_LANE_HOST, began);
	return code;
}

/* The rows of the round have usually been fetched during the previous round. */
gemp_code gemp_pull_next(gemp_pull *p, gemp_search **search, bool *last)
{
	if (!p->upcoming.ready)
		GEMP_TRY(gemp_pull_prefetch(p));
	gemp_task_range part = p->upcoming.range;
	*search = p->upcoming.cell ? p->split->search : p->search;
	*last = p->upcoming.last;
	p->upcoming.ready = false;
	if (p->upcoming.cell)
		GEMP_TRY(gemp_comm_agree(p->context->comm, gemp_task_split_range(p->split, &part)));
	return fetch_round(p, *search, part);
}

/* Adds the counters of the split search to the counters of the main search, on the host. */
static gemp_code add_counters(gemp_pull *p, gemp_buffer *to, const gemp_buffer *from)
{
	gemp_device *device = p->context->device;
	size_t count = to->size / sizeof(uint64_t);
	GEMP_OWNED uint64_t *sum = NULL, *more = NULL;
	if (!to->mem || !from->mem)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(sum, count), GEMP_ARRAY(more, count)));
	GEMP_TRY(gemp_buffer_read(device, to, 0, count * sizeof *sum, sum));
	GEMP_TRY(gemp_buffer_read(device, from, 0, count * sizeof *more, more));
	for (size_t i = 0; i < count; i++)
		sum[i] += more[i];
	return gemp_buffer_write(device, to, 0, count * sizeof *sum, sum);
}

/* The split search is freed, since all of its cells are searched. The next run makes another split search. */
gemp_code gemp_pull_end(gemp_pull *p)
{
	gemp_code code = GEMP_OK;
	const gemp_search *other = p->split ? p->split->search : NULL;
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

/* The numbers of rows and bytes come from gemp_fetch. They include rows that were fetched for a round that has not
 * begun. */
gemp_pull_statistics gemp_pull_statistics_of(const gemp_pull *p)
{
	gemp_pull_statistics figures = p->statistics;
	figures.fetched = p->fetch->stats.rows;
	figures.bytes = p->fetch->stats.bytes;
	figures.raw_bytes = p->fetch->stats.uncoded_bytes;
	return figures;
}
