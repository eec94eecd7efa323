#include "match/interpret/interpreter.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

/* Rows that a thread stores: in a bounded run, which delivers them at its end, and in a round of another run. */
enum { BOUNDED_ROWS = 1 << 20, ROUND_ROWS = 1 << 16 };
/* Tasks that a thread takes at a time: few enough that each thread takes about TAKES times. */
enum { TAKES = 64, MAX_TAKEN = 256 };
static const double round_seconds = 0.25; /* ranks and sinks wait no longer for one another */

/* The walkers of a thread, their rows, and the tasks that the thread has taken. */
typedef struct worker {
	gemp_walker *walkers; /* [walker_count] */
	gemp_walk_rows out;
	gemp_group_walk groups; /* if rows are groups */
	uint64_t delivered;     /* matches whose groups the sinks have received */
	size_t next, end;
} worker;

struct gemp_interpreter {
	gemp_runtime *context;
	const gemp_shard *graph;
	gemp_host_rows rows;
	gemp_walk walk;
	gemp_interpreter_options options;
	uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* bitmaps by slot; NULL if those by id serve, or there is none */
	size_t threads, walker_count;
	worker *workers;          /* [threads] */
	gemp_vertex *pivots;      /* [task_count] ids of own candidates of the pivot; NULL if there are seeds */
	const gemp_vertex *tasks; /* [task_count][width] ids */
	size_t task_count, width;
	uint32_t part_first, part_count, part_of; /* part_of 0: all pivots */
	size_t taken;                             /* tasks per visit to the counter */
	_Atomic size_t next;                      /* first task that no worker has taken */
};

/* PREPARATION */

/* Bitmaps are by id. If vertices are numbered by slots, they are converted. */
static gemp_code use_candidates(gemp_interpreter *i, const gemp_candidates *candidates)
{
	for (int v = 0; v < i->walk.plan->vertex_count; v++) {
		i->walk.candidates[v] = candidates->bits[v];
		if (!candidates->bits[v] || !i->rows.order)
			continue;
		GEMP_TRY(GEMP_NEW(i->bits[v], candidates->words + 1));
		gemp_candidates_by_slot(i->rows.order, candidates->bits[v], i->bits[v], candidates->words);
		i->walk.candidates[v] = i->bits[v];
	}
	return GEMP_OK;
}

/* Ranges of rows while their pivots are counted, and then listed. */
typedef struct pivot_list {
	gemp_interpreter *i;
	const uint32_t *bits;         /* NULL: all vertices */
	size_t next[GEMP_MAX_RANGES]; /* the number of a range's pivots, and then the place of its next pivot */
	bool lists;                   /* the second pass */
} pivot_list;

/* Counts or lists the ids [first, end) whose bits are set, a word at a time. Returns the place behind them. */
static size_t list_bits(const pivot_list *l, size_t next, uint64_t first, uint64_t end)
{
	for (uint64_t w = first / 32; first < end && w <= (end - 1) / 32; w++) {
		uint32_t left = l->bits[w];
		if (w == first / 32)
			left &= UINT32_MAX << first % 32;
		if (w == (end - 1) / 32)
			left &= UINT32_MAX >> (31 - (end - 1) % 32);
		if (!l->lists)
			next += (size_t)__builtin_popcount(left);
		for (; l->lists && left; left &= left - 1)
			l->i->pivots[next++] = (gemp_vertex)(w * 32 + (uint64_t)__builtin_ctz(left));
	}
	return next;
}

static void list_range(void *self, size_t range, size_t begin, size_t end)
{
	pivot_list *l = self;
	const gemp_interpreter *i = l->i;
	size_t next = l->next[range];
	if (l->bits && !i->rows.order && !i->part_of) {
		l->next[range] = list_bits(l, next, i->graph->first_vertex + begin, i->graph->first_vertex + end);
		return;
	}
	for (size_t v = begin; v < end; v++) {
		gemp_vertex id = (gemp_vertex)(i->graph->first_vertex + v);
		if (l->bits && !gemp_bits32_test(l->bits, gemp_host_rows_slot(&i->rows, id)))
			continue;
		if (i->part_of && id % i->part_of - i->part_first >= i->part_count)
			continue;
		if (l->lists)
			i->pivots[next] = id;
		next++;
	}
	l->next[range] = next;
}

/* Lists this rank's candidates of the pivot, or those of the present part, in ascending order. */
static void list_pivots(gemp_interpreter *i, const uint32_t *bits)
{
	pivot_list l = { .i = i, .bits = bits };
	const size_t ranges = gemp_range_count(i->graph->rows);
	gemp_for_ranges(i->graph->rows, list_range, &l);
	i->task_count = 0;
	for (size_t r = 0; r < ranges; r++) {
		const size_t count = l.next[r];
		l.next[r] = i->task_count;
		i->task_count += count;
	}
	l.lists = true;
	gemp_for_ranges(i->graph->rows, list_range, &l);
	i->tasks = i->pivots;
}

/* The pivots are the candidates of the plan's pivot, or all vertices if the plan has no pivot of its own. */
static void restart_pivots(gemp_interpreter *i)
{
	const gemp_plan *plan = i->walk.plan;
	if (!plan->arguments)
		list_pivots(i, plan->pivot_off ? NULL : i->walk.candidates[plan->pivot]);
}

static gemp_code make_workers(gemp_interpreter *i)
{
	i->threads = i->options.serial ? 1 : gemp_threads();
	i->walk.grouped = i->options.groups != NULL;
	i->walker_count = gemp_walk_walkers(&i->walk);
	i->walk.alone = i->walker_count == 1;
	GEMP_TRY(GEMP_NEW(i->workers, i->threads));
	for (size_t t = 0; t < i->threads; t++) {
		GEMP_TRY(GEMP_NEW(i->workers[t].walkers, i->walker_count));
		for (size_t k = 0; k < i->walker_count; k++)
			GEMP_TRY(gemp_walker_init(&i->workers[t].walkers[k], &i->walk, &i->workers[t].out));
		if (i->walk.grouped)
			GEMP_TRY(gemp_group_walk_init(&i->workers[t].groups, &i->walk, i->options.groups));
	}
	if (i->options.per)
		GEMP_TRY(GEMP_NEW(i->walk.vertex_counts, i->rows.vertices));
	i->width = i->walk.plan->arguments ? (size_t)i->walk.plan->arguments : 1;
	if (!i->walk.plan->arguments)
		GEMP_TRY(GEMP_NEW(i->pivots, i->graph->rows));
	return GEMP_OK;
}

gemp_code gemp_interpreter_new(gemp_interpreter **out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan,
                               const gemp_candidates *candidates, const gemp_interpreter_options *options)
{
	GEMP_OWNED_BY(gemp_interpreter_free_at) gemp_interpreter *i = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(i, 1)));
	i->context = context;
	i->graph = graph;
	i->options = *options;
	GEMP_TRY(gemp_host_rows_new(&i->rows, context, graph, plan));
	i->walk.plan = plan;
	i->walk.rows = &i->rows;
	i->walk.key_rank = options->key_rank;
	i->walk.listed = options->listed;
	i->walk.first_only = options->first_only;
	i->walk.per = options->per;
	gemp_code code = use_candidates(i, candidates);
	GEMP_THEN(make_workers(i));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	restart_pivots(i);
	*out = i;
	i = NULL;
	return GEMP_OK;
}

void gemp_interpreter_free(gemp_interpreter *i)
{
	if (!i)
		return;
	for (size_t t = 0; i->workers && t < i->threads; t++) {
		worker *w = &i->workers[t];
		for (size_t k = 0; w->walkers && k < i->walker_count; k++)
			gemp_walker_free(&w->walkers[k]);
		gemp_group_walk_free(&w->groups);
		gemp_free_all(w->walkers, w->out.vertices, w->out.edges, w->out.times);
	}
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_free(i->bits[v]);
	gemp_free_all(i->workers, i->pivots, i->walk.vertex_counts);
	gemp_host_rows_free(&i->rows);
	gemp_free(i);
}

void gemp_interpreter_seed(gemp_interpreter *i, const gemp_vertex *ids, size_t count)
{
	i->tasks = ids;
	i->task_count = count;
}

void gemp_interpreter_part(gemp_interpreter *i, uint32_t first, uint32_t count, uint32_t of)
{
	i->part_first = first;
	i->part_count = count;
	i->part_of = of;
	restart_pivots(i);
}

/* ROUNDS */

/* Begins the thread's next task. Returns false if no task is left. */
static bool next_task(gemp_interpreter *i, worker *w, gemp_walker *walker)
{
	gemp_vertex slots[GEMP_MAX_PATTERN_VERTICES];
	if (w->next == w->end && atomic_load_explicit(&i->next, memory_order_relaxed) < i->task_count) {
		size_t first = atomic_fetch_add_explicit(&i->next, i->taken, memory_order_relaxed);
		w->next = gemp_min(first, i->task_count);
		w->end = gemp_min(first + i->taken, i->task_count);
	}
	if (w->next == w->end)
		return false;
	for (size_t k = 0; k < i->width; k++)
		slots[k] = gemp_host_rows_slot(&i->rows, i->tasks[w->next * i->width + k]);
	w->next++;
	gemp_walker_begin(walker, slots);
	return true;
}

/* Works until no task is left, the rows are full, or the time or budget is over. */
static void work(void *context, unsigned thread, size_t chunk)
{
	gemp_interpreter *i = context;
	worker *w = &i->workers[chunk];
	(void)thread;
	for (bool works = true; works;) {
		works = false;
		for (size_t k = 0; k < i->walker_count; k++) {
			gemp_walker *walker = &w->walkers[k];
			if (w->out.rows >= i->walk.max_rows || walker->code != GEMP_OK || gemp_walker_is_due(walker))
				return;
			if (walker->active && i->walk.grouped) {
				gemp_group_walk_task(&w->groups, walker);
				if (w->groups.stopped)
					return;
			} else if (walker->active) {
				if (!gemp_walker_move(walker))
					return;
			} else if (!next_task(i, w, walker)) {
				continue;
			}
			works = true;
		}
	}
}

/* Returns walker number *at of all threads, or NULL after the last one, and adds 1 to *at. */
static gemp_walker *next_walker(const gemp_interpreter *i, size_t *at)
{
	const size_t number = (*at)++;
	return number < i->threads * i->walker_count
	           ? &i->workers[number / i->walker_count].walkers[number % i->walker_count]
	           : NULL;
}

static bool has_work(const gemp_interpreter *i)
{
	bool left = atomic_load_explicit(&i->next, memory_order_relaxed) < i->task_count;
	const gemp_walker *w;
	for (size_t t = 0; t < i->threads; t++)
		left |= i->workers[t].next < i->workers[t].end;
	for (size_t at = 0; (w = next_walker(i, &at));)
		left |= w->active;
	return left;
}

/* The message of a failure belongs to the thread that failed, so the caller's thread makes it anew. */
static gemp_code worker_code(const gemp_interpreter *i)
{
	const gemp_walker *w;
	for (size_t at = 0; (w = next_walker(i, &at));)
		if (w->code == GEMP_ENOMEM)
			return gemp_fail(GEMP_ENOMEM, "no memory for rows of matches");
		else if (w->code != GEMP_OK)
			return w->code;
	return GEMP_OK;
}

/* The groups of a thread with most rows show how many rows the groups of every thread must have. */
static void cut_groups(gemp_interpreter *i)
{
	uint64_t min_rows = 0;
	for (size_t t = 0; t < i->threads; t++)
		min_rows = gemp_max(min_rows, i->workers[t].groups.min_rows);
	for (size_t t = 0; t < i->threads; t++) {
		i->workers[t].groups.min_rows = min_rows;
		gemp_group_walk_cut(&i->workers[t].groups, &i->workers[t].out, (size_t)i->walk.plan->vertex_count);
	}
}

/* The matches of a worker that its rows do not show, since rows are groups. */
static uint64_t take_left_out(worker *w)
{
	const uint64_t matches = w->walkers[0].found - w->delivered;
	w->delivered = w->walkers[0].found;
	return matches - w->out.rows;
}

/* Passes the rows of all threads to the sink. */
static gemp_code deliver(gemp_interpreter *i, const gemp_sink *sink)
{
	const gemp_plan *plan = i->walk.plan;
	size_t left = 0;
	if (i->walk.grouped)
		cut_groups(i);
	for (size_t t = 0; t < i->threads; t++)
		left += i->workers[t].out.rows;
	for (size_t t = 0; t < i->threads; t++) {
		gemp_walk_rows *w = &i->workers[t].out;
		left -= w->rows;
		const gemp_batch batch = { .rows = w->rows,
			                       .ahead = left,
			                       .vertex_count = plan->vertex_count,
			                       .edge_count = plan->live_edges && !i->walk.grouped ? plan->edge_count : 0,
			                       .vertices = w->vertices,
			                       .edges = w->edges,
			                       .left_out = i->walk.grouped ? take_left_out(&i->workers[t]) : 0,
			                       .multiplicity = i->walk.grouped ? w->times : NULL };
		w->rows = 0;
		if (batch.rows || batch.left_out)
			GEMP_TRY(gemp_sink_deliver(sink, &batch, &i->context->timers));
	}
	return GEMP_OK;
}

/* Starts a pass over all tasks. Numbers of matches begin at 0; those of the profile go on. */
static void restart(gemp_interpreter *i, bool bounded)
{
	gemp_walker *w;
	for (size_t t = 0; t < i->threads; t++) {
		i->workers[t].next = i->workers[t].end = i->workers[t].out.rows = 0;
		i->workers[t].delivered = 0;
		if (i->walk.grouped)
			gemp_group_walk_clear(&i->workers[t].groups);
	}
	for (size_t at = 0; (w = next_walker(i, &at));)
		w->found = 0;
	if (i->walk.vertex_counts)
		memset(i->walk.vertex_counts, 0, i->rows.vertices * sizeof *i->walk.vertex_counts);
	atomic_store_explicit(&i->next, 0, memory_order_relaxed);
	atomic_store_explicit(&i->walk.work, 0, memory_order_relaxed);
	i->taken = (size_t)gemp_min(gemp_max(i->task_count / (i->threads * TAKES), 1), MAX_TAKEN);
	i->walk.budget = bounded ? gemp_limits_now()->interpret_budget * i->threads : UINT64_MAX;
	i->walk.max_rows = bounded               ? BOUNDED_ROWS
	                   : i->options.max_rows ? (size_t)gemp_min(i->options.max_rows, ROUND_ROWS)
	                                         : ROUND_ROWS;
}

/* Ends tasks that are not complete, because the sinks have enough rows. */
static void abandon(gemp_interpreter *i)
{
	gemp_walker *w;
	for (size_t at = 0; (w = next_walker(i, &at));)
		gemp_walker_abandon(w);
}

/* Collective. One round. *over becomes true if no rank has work left. A bounded run gives up if some rank has. */
static gemp_code run_round(gemp_interpreter *i, gemp_sink *sink, bool bounded, bool *over, bool *again,
                           gemp_interpreter_result *result)
{
	const gemp_comm *comm = i->context->comm;
	double began = gemp_now();
	i->walk.deadline = bounded ? HUGE_VAL : began + round_seconds;
	gemp_parallel_for(i->threads, work, i);
	gemp_timers_add(&i->context->timers, GEMP_PHASE_KERNEL, began);
	gemp_code code = gemp_comm_agree(comm, worker_code(i));
	if (code != GEMP_OK)
		return code;
	uint64_t figures[] = { has_work(i), gemp_min(atomic_load(&i->next), i->task_count), i->task_count,
		                   gemp_interpreter_found(i) };
	gemp_comm_sum(comm, figures, sizeof figures / sizeof *figures);
	*over = figures[0] == 0;
	if (bounded && !*over) {
		result->gave_up = *over = true;
		return GEMP_OK;
	}
	if (!bounded && !i->walk.plan->arguments)
		gemp_progress("matching", figures[1], figures[2], figures[3]);
	result->rounds++;
	if (!sink)
		return GEMP_OK;
	bool enough = false;
	GEMP_TRY(gemp_comm_agree(comm, deliver(i, sink)));
	GEMP_TRY(gemp_sink_end_round(sink, *over, &enough, again, &i->context->timers));
	result->complete &= !enough;
	*over |= enough;
	return GEMP_OK;
}

/* A sink that removes duplicates in several passes asks for the whole search again. The first pass of a bounded run has
 * shown that the work is small. */
gemp_code gemp_interpreter_run(gemp_interpreter *i, gemp_sink *sink, bool bounded, gemp_interpreter_result *result)
{
	gemp_code code = GEMP_OK;
	bool over, again;
	*result = (gemp_interpreter_result){ .complete = true };
	do {
		over = again = false;
		restart(i, bounded);
		while (!over && code == GEMP_OK)
			code = run_round(i, sink, bounded, &over, &again, result);
		if (code != GEMP_OK || result->gave_up || !result->complete)
			abandon(i);
		bounded = false;
	} while (again && result->complete && code == GEMP_OK);
	if (!i->walk.plan->arguments)
		gemp_progress_end();
	return code;
}

/* FIGURES */

uint64_t gemp_interpreter_found(const gemp_interpreter *i)
{
	const gemp_walker *w;
	uint64_t found = 0;
	for (size_t at = 0; (w = next_walker(i, &at));)
		found += w->found;
	return found;
}

uint64_t gemp_interpreter_tasks(const gemp_interpreter *i)
{
	return i->task_count;
}

void gemp_interpreter_profile(const gemp_interpreter *i, uint64_t *rows, uint64_t *entries, uint64_t *lookups)
{
	const gemp_walker *w;
	for (size_t at = 0; (w = next_walker(i, &at));)
		for (size_t s = 0; s < i->walk.plan->step_count; s++) {
			rows[s] += w->passed[s];
			entries[s] += w->entries[s];
			lookups[s] += w->lookups[s];
		}
}

void gemp_interpreter_vertex_counts(const gemp_interpreter *i, uint64_t *counts)
{
	for (uint64_t slot = 0; slot < i->rows.vertices; slot++)
		counts[gemp_host_rows_id(&i->rows, (gemp_vertex)slot)] += i->walk.vertex_counts[slot];
}

bool gemp_interpreter_by_id(const gemp_interpreter *i)
{
	return !i->rows.order;
}

bool gemp_interpreter_groups(const gemp_interpreter *i)
{
	return i->walk.grouped;
}
