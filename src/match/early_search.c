#include "match/early_search.h"

#include "core/bitset.h"
#include "core/limits.h"
#include "core/log.h"
#include "core/threads.h"
#include "match/host_walk.h"
#include "match/search/search.h"
#include "match/search/search_build.h"

#include <string.h>
#include <time.h>

/* A thread takes pivots about TAKES times, but few at a time, since those that it has not begun are given up. The
 * rows of a thread go to the sink once it has FULL_ROWS. */
enum { TAKES = 64, MAX_TAKEN = 64, FULL_ROWS = 1 << 16 };
/* The device waits this long at most after its program is compiled. */
static const double round_seconds = 0.02;
/* After this time of each thread, no thread works on if they got less than this share of their cores. */
static const double trial_seconds = 0.1, min_share = 0.8;
/* With more pivots no early search begins: it takes a tenth of a second to list those that are left for the device,
 * and an NVIDIA driver compiles in .1 to 1 s. */
enum { MAX_PIVOTS = 1 << 23 };

/* A walker with rows of its own, so that the rows of a pivot are together and can be dropped. */
typedef struct early_walker {
	gemp_walker walker;
	gemp_walk_rows out;
	size_t turn;     /* the pivot that is under way */
	size_t complete; /* rows of complete pivots */
	uint64_t found;  /* matches of complete pivots */
} early_walker;

typedef struct early_thread {
	early_walker *walkers; /* [walker_count] */
	size_t next, end;      /* turns that the thread has taken and not begun */
	uint64_t *left;        /* [left_count] turns that are left to the device */
	size_t left_count, left_capacity;
	double seconds, processor; /* of work so far: elapsed, and of the processor */
} early_thread;

/* Pivots are numbered by turns: turn t of rank r is pivot number t * ranks + r from the end of the list. */
typedef struct early_search {
	gemp_match *match;
	gemp_search *search;
	gemp_sink *sink;
	gemp_host_walk host;
	size_t thread_count, walker_count, ranks, rank;
	early_thread *threads; /* [thread_count] */
	size_t turns, limit;   /* the turns of this rank; those that it takes at most */
	size_t taken;          /* turns per visit to the counter */
	_Atomic size_t next;   /* first turn that no thread has taken */
	atomic_bool full;      /* some thread has enough rows for the sink */
	bool forced;           /* the limit ends the search, and not the compiler */
} early_search;

/* A forced early search does not depend on where the user wants to compute, as tests force the device, too. */
bool gemp_early_search_suits(const gemp_match *m)
{
	const int forced = gemp_limits_now()->early_pivots;
	const bool chosen = forced > 0 || (forced && m->options.place == GEMP_PLACE_AUTO && !m->options.compiled);
	return chosen && gemp_host_walk_suits(m) && m->search->pivots <= MAX_PIVOTS;
}

/* PREPARATION */

/* One core is left to the compiler, if there are several. A table of two-paths has a number for each vertex. */
static size_t choose_threads(const gemp_match *m)
{
	const size_t tables = gemp_limits_now()->early_tables / sizeof(uint32_t) / gemp_max(m->graph->vertex_count, 1);
	const size_t cores = gemp_max(gemp_threads(), 2) - 1;
	return m->plan->two_paths ? gemp_min(cores, gemp_max(tables, 1)) : cores;
}

static gemp_code make_threads(early_search *e)
{
	e->thread_count = choose_threads(e->match);
	e->walker_count = gemp_walk_walkers(&e->host.walk);
	e->host.walk.alone = e->walker_count == 1;
	e->host.walk.listed = e->sink != NULL;
	e->host.walk.max_rows = gemp_max(gemp_limits_now()->early_rows / e->walker_count, 1);
	GEMP_TRY(GEMP_NEW(e->threads, e->thread_count));
	for (size_t t = 0; t < e->thread_count; t++) {
		early_thread *thread = &e->threads[t];
		GEMP_TRY(GEMP_NEW(thread->walkers, e->walker_count));
		for (size_t k = 0; k < e->walker_count; k++)
			GEMP_TRY(gemp_walker_init(&thread->walkers[k].walker, &e->host.walk, &thread->walkers[k].out));
	}
	return GEMP_OK;
}

static void divide_pivots(early_search *e)
{
	const int forced = gemp_limits_now()->early_pivots;
	const gemp_comm *comm = e->match->context->comm;
	e->ranks = e->search->balancer ? (size_t)comm->size : 1;
	e->rank = e->ranks > 1 ? (size_t)comm->rank : 0;
	e->turns = (e->search->pivots + e->ranks - 1 - e->rank) / e->ranks;
	e->forced = forced > 0;
	e->limit = e->forced ? gemp_min((size_t)forced, e->turns) : e->turns;
	e->taken = gemp_min(gemp_max(e->limit / (e->thread_count * TAKES), 1), MAX_TAKEN);
}

static void free_early(early_search *e)
{
	for (size_t t = 0; e->threads && t < e->thread_count; t++) {
		early_thread *thread = &e->threads[t];
		for (size_t k = 0; thread->walkers && k < e->walker_count; k++) {
			gemp_walker_free(&thread->walkers[k].walker);
			gemp_free_all(thread->walkers[k].out.vertices, thread->walkers[k].out.edges);
		}
		gemp_free_all(thread->walkers, thread->left);
	}
	gemp_free(e->threads);
	gemp_host_walk_free(&e->host);
}

/* SEARCH */

static size_t turns_taken(const early_search *e)
{
	return gemp_min(atomic_load_explicit(&e->next, memory_order_relaxed), e->limit);
}

/* Begins the pivot of the thread's next turn. Returns false if no turn is left. */
static bool next_pivot(early_search *e, early_thread *thread, early_walker *w)
{
	if (thread->next == thread->end && turns_taken(e) < e->limit) {
		size_t first = atomic_fetch_add_explicit(&e->next, e->taken, memory_order_relaxed);
		thread->next = gemp_min(first, e->limit);
		thread->end = gemp_min(first + e->taken, e->limit);
	}
	if (thread->next == thread->end)
		return false;
	w->turn = thread->next++;
	gemp_walker_begin(&w->walker, &e->search->pivot_slots[e->search->pivots - 1 - (w->turn * e->ranks + e->rank)]);
	return true;
}

/* Leaves a turn to the device. */
static gemp_code leave(early_thread *thread, size_t turn)
{
	GEMP_TRY(GEMP_RESERVE(thread->left, thread->left_capacity, thread->left_count + 1));
	thread->left[thread->left_count++] = turn;
	return GEMP_OK;
}

/* Drops what the walker has found of its pivot, and leaves the pivot to the device. */
static void give_up(early_thread *thread, early_walker *w)
{
	gemp_walker_abandon(&w->walker);
	w->walker.found = w->found;
	w->out.rows = w->complete;
	gemp_code code = leave(thread, w->turn);
	if (w->walker.code == GEMP_OK)
		w->walker.code = code;
}

/* Called after each move. */
static void settle(early_search *e, early_thread *thread, early_walker *w)
{
	if (w->walker.active) {
		if (e->sink && w->out.rows >= e->host.walk.max_rows)
			give_up(thread, w);
		return;
	}
	w->complete = w->out.rows;
	w->found = w->walker.found;
	if (w->complete * e->walker_count >= FULL_ROWS)
		atomic_store_explicit(&e->full, true, memory_order_relaxed);
}

/* A forced search ends when its turns are taken, so that the pivots that are then under way are given up. */
static bool is_over(const early_search *e)
{
	return e->forced && e->limit < e->turns && turns_taken(e) == e->limit;
}

/* Works until no turn is left, some thread has enough rows, or the time is over. */
static void work_on(early_search *e, early_thread *thread)
{
	for (bool works = true; works;) {
		works = false;
		for (size_t k = 0; k < e->walker_count; k++) {
			early_walker *w = &thread->walkers[k];
			if (atomic_load_explicit(&e->full, memory_order_relaxed) || w->walker.code != GEMP_OK ||
			    gemp_walker_is_due(&w->walker) || is_over(e))
				return;
			bool due = false;
			if (w->walker.active)
				due = !gemp_walker_move(&w->walker);
			else if (!next_pivot(e, thread, w))
				continue;
			settle(e, thread, w);
			if (due)
				return;
			works = true;
		}
	}
}

static double processor_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(void *context, unsigned number, size_t chunk)
{
	early_search *e = context;
	early_thread *thread = &e->threads[chunk];
	const double began = gemp_now(), processor = processor_seconds();
	(void)number;
	work_on(e, thread);
	thread->seconds += gemp_now() - began;
	thread->processor += processor_seconds() - processor;
}

/* Returns walker number *at of all threads, or NULL after the last one, and adds 1 to *at. */
static early_walker *next_walker(const early_search *e, size_t *at)
{
	const size_t number = (*at)++;
	return number < e->thread_count * e->walker_count
	           ? &e->threads[number / e->walker_count].walkers[number % e->walker_count]
	           : NULL;
}

static bool has_work(const early_search *e)
{
	bool left = turns_taken(e) < e->limit;
	const early_walker *w;
	for (size_t t = 0; t < e->thread_count; t++)
		left |= e->threads[t].next < e->threads[t].end;
	for (size_t at = 0; (w = next_walker(e, &at));)
		left |= w->walker.active;
	return left && !is_over(e);
}

/* The messages of failures belong to the threads that failed, and memory is all that can be short. */
static gemp_code walkers_code(const early_search *e)
{
	const early_walker *w;
	for (size_t at = 0; (w = next_walker(e, &at));)
		if (w->walker.code != GEMP_OK)
			return gemp_fail(w->walker.code, "no memory for rows of matches");
	return GEMP_OK;
}

/* Local. Leaves all pivots to the device that are not complete. */
static gemp_code stop(early_search *e)
{
	early_walker *w;
	for (size_t t = 0; t < e->thread_count; t++) {
		early_thread *thread = &e->threads[t];
		for (; thread->next < thread->end; thread->next++)
			GEMP_TRY(leave(thread, thread->next));
		for (size_t k = 0; k < e->walker_count; k++)
			if (thread->walkers[k].walker.active)
				give_up(thread, &thread->walkers[k]);
	}
	for (size_t at = 0; (w = next_walker(e, &at));)
		GEMP_TRY(w->walker.code);
	return GEMP_OK;
}

/* The number of this rank's pivots that are left to the device, and of those that are complete. */
static uint64_t turns_left(const early_search *e)
{
	uint64_t left = e->turns - turns_taken(e);
	for (size_t t = 0; t < e->thread_count; t++)
		left += e->threads[t].left_count;
	return left;
}

static uint64_t matches_found(const early_search *e)
{
	const early_walker *w;
	uint64_t found = 0;
	for (size_t at = 0; (w = next_walker(e, &at));)
		found += w->found;
	return found;
}

/* Moves the rows of a pivot that is under way to the front of the walker's rows. */
static void keep_incomplete(early_walker *w, size_t vertices, size_t edges)
{
	gemp_walk_rows *out = &w->out;
	const size_t rows = out->rows - w->complete;
	memmove(out->vertices, out->vertices + w->complete * vertices, rows * vertices * sizeof *out->vertices);
	if (edges)
		memmove(out->edges, out->edges + w->complete * edges, rows * edges * sizeof *out->edges);
	out->rows = rows;
	w->complete = 0;
}

/* Local. Passes the rows of complete pivots to the sink. */
static gemp_code deliver(early_search *e)
{
	const gemp_plan *plan = e->match->plan;
	const int edges = plan->live_edges ? plan->edge_count : 0;
	early_walker *w;
	for (size_t at = 0; (w = next_walker(e, &at));) {
		const gemp_batch batch = { .rows = w->complete,
			                       .vertex_count = plan->vertex_count,
			                       .edge_count = edges,
			                       .vertices = w->out.vertices,
			                       .edges = w->out.edges };
		if (!batch.rows)
			continue;
		GEMP_TRY(gemp_sink_deliver(e->sink, &batch, &e->match->context->timers));
		keep_incomplete(w, (size_t)plan->vertex_count, (size_t)edges);
	}
	return GEMP_OK;
}

/* False if the threads had to share their cores in the first rounds. A compiled kernel is several times as fast as a
 * walker, so it should not begin later because walkers take time from the compiler. */
static bool has_cores(const early_search *e)
{
	double seconds = 0, processor = 0;
	for (size_t t = 0; t < e->thread_count; t++) {
		seconds += e->threads[t].seconds;
		processor += e->threads[t].processor;
	}
	return e->forced || seconds < trial_seconds * (double)e->thread_count || processor > min_share * seconds;
}

/* Collective. One round of work. *over becomes true if no rank has work left, or if all programs are compiled; then
 * *left is the number of pivots of all ranks that the device must search. */
static gemp_code work_round(early_search *e, bool *over, uint64_t *left)
{
	gemp_runtime *context = e->match->context;
	const double began = gemp_now();
	e->host.walk.deadline = began + round_seconds;
	atomic_store_explicit(&e->full, false, memory_order_relaxed);
	if (has_cores(e))
		gemp_parallel_for(e->thread_count, work, e);
	else
		nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * round_seconds) }, NULL);
	context->timers.seconds[GEMP_PHASE_KERNEL] += gemp_now() - began;
	gemp_trace_add("early search", GEMP_LANE_HOST, began);
	GEMP_TRY(gemp_comm_agree(context->comm, walkers_code(e)));
	uint64_t figures[] = { has_work(e), !gemp_search_build_has_ended(e->search), e->turns, e->turns - turns_left(e),
		                   matches_found(e) };
	gemp_comm_sum(context->comm, figures, sizeof figures / sizeof *figures);
	gemp_progress("matching", figures[3], figures[2], figures[4]);
	*over = !figures[0] || (!e->forced && !figures[1]);
	if (!*over)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(context->comm, stop(e)));
	*left = gemp_comm_sum1(context->comm, turns_left(e));
	return GEMP_OK;
}

/* Collective. Works until the search is over or the sink has enough. *again: the sink wants the whole search again. */
static gemp_code work_rounds(early_search *e, gemp_rounds_result *rounds, uint64_t *left, bool *again)
{
	bool over = false, enough = false;
	*again = false;
	*left = 1;
	while (!over && !enough) {
		GEMP_TRY(work_round(e, &over, left));
		rounds->rounds++;
		if (!e->sink)
			continue;
		GEMP_TRY(gemp_comm_agree(e->match->context->comm, deliver(e)));
		GEMP_TRY(gemp_sink_end_round(e->sink, over && !*left, &enough, again, &e->match->context->timers));
	}
	rounds->complete = !enough;
	return GEMP_OK;
}

/* Clears the bit of each pivot that a rank has completed. message: the turns that the rank has taken, and then those of
 * them that it has left. */
static void clear_complete(const early_search *e, uint32_t *bits, size_t rank, const uint64_t *message, size_t size)
{
	const size_t last = e->search->pivots - 1;
	for (uint64_t turn = 0; turn < message[0]; turn++)
		gemp_bits32_clear(bits, last - (turn * e->ranks + rank));
	for (size_t i = 1; i < size; i++)
		gemp_bits32_set(bits, last - (message[i] * e->ranks + rank));
}

/* Local. The turns that this rank has taken, and those of them that it has left. */
static gemp_code write_message(const early_search *e, uint64_t **out, size_t *size)
{
	*size = 1 + turns_left(e) - (e->turns - turns_taken(e));
	GEMP_TRY(GEMP_NEW(*out, *size));
	uint64_t *at = *out;
	*at++ = turns_taken(e);
	for (size_t t = 0; t < e->thread_count; t++)
		for (size_t i = 0; i < e->threads[t].left_count; i++)
			*at++ = e->threads[t].left[i];
	return GEMP_OK;
}

/* Local. Restricts the search to the pivots that no rank has completed. messages[begin[ranks] / 8] are those of all
 * ranks that share pivots. */
static gemp_code restrict_pivots(early_search *e, const uint64_t *messages, const size_t *begin)
{
	gemp_search *s = e->search;
	GEMP_OWNED uint32_t *bits = NULL;
	GEMP_OWNED gemp_vertex *slots = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(bits, gemp_bits32_words(s->pivots) + 1), GEMP_ARRAY(slots, s->pivots + 1)));
	memset(bits, 0xff, gemp_bits32_words(s->pivots) * sizeof *bits);
	for (size_t r = 0; r < e->ranks; r++) {
		const size_t first = begin[r] / sizeof *messages, end = begin[r + 1] / sizeof *messages;
		clear_complete(e, bits, r, messages + first, end - first);
	}
	for (size_t i = 0; i < s->pivots; i++) {
		slots[count] = s->pivot_slots[i];
		count += gemp_bits32_test(bits, i);
	}
	return gemp_multi_few_pivots(s, slots, count);
}

/* Collective. */
static gemp_code hand_over(early_search *e)
{
	const gemp_comm *comm = e->match->context->comm;
	GEMP_OWNED uint64_t *own = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED void *all = NULL;
	size_t size = 0;
	gemp_code code = write_message(e, &own, &size);
	if (e->ranks > 1) {
		GEMP_TRY(gemp_comm_allgather(comm, code, own, size * sizeof *own, &all, &begin));
		return gemp_comm_agree(comm, restrict_pivots(e, all, begin));
	}
	const size_t whole[] = { 0, size * sizeof *own };
	GEMP_THEN(restrict_pivots(e, own, whole));
	return gemp_comm_agree(comm, code);
}

/* Collective. The early search itself. *done: the device need not search. */
static gemp_code run(early_search *e, gemp_rounds_result *rounds, bool *done)
{
	gemp_match *m = e->match;
	const double began = gemp_now();
	uint64_t left = 0;
	bool again;
	gemp_code code = make_threads(e);
	GEMP_TRY(gemp_comm_agree(m->context->comm, code));
	divide_pivots(e);
	GEMP_TRY(work_rounds(e, rounds, &left, &again));
	gemp_progress_end();
	*done = !again && (!left || !rounds->complete);
	if (again)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(m->context->comm, stop(e))); /* a sink that has enough ends the search within pivots */
	m->early = (gemp_early_result){ .pivots = gemp_comm_sum1(m->context->comm, e->turns - turns_left(e)),
		                            .found = matches_found(e),
		                            .seconds = gemp_now() - began,
		                            .all = *done };
	gemp_log(GEMP_VERBOSE, "threads of the host searched from %llu pivots in %.3f s, before the device began",
	         (unsigned long long)m->early.pivots, m->early.seconds);
	return *done ? GEMP_OK : hand_over(e);
}

/* Collective. Begins to compile unless the kernel is built. *wanted is false if all ranks have compiled their programs
 * during an earlier run. */
static gemp_code is_wanted(gemp_match *m, bool *wanted)
{
	if (!m->search->kernel)
		GEMP_TRY(gemp_search_build_begin(m->search));
	*wanted = gemp_limits_now()->early_pivots > 0 ||
	          gemp_comm_sum1(m->context->comm, !gemp_search_build_has_ended(m->search)) > 0;
	return GEMP_OK;
}

gemp_code gemp_early_search_run(gemp_match *m, gemp_sink *sink, gemp_rounds_result *rounds, bool *done)
{
	GEMP_OWNED_BY(free_early) early_search e = { .match = m, .search = m->search, .sink = sink };
	bool wanted = false, there = false;
	*rounds = (gemp_rounds_result){ .complete = true };
	*done = false;
	m->early = (gemp_early_result){ 0 };
	if (gemp_early_search_suits(m) && (!m->search->kernel || gemp_limits_now()->early_pivots > 0))
		GEMP_TRY(is_wanted(m, &wanted));
	if (wanted)
		GEMP_TRY(gemp_host_walk_new(&e.host, m, &there));
	if (there)
		GEMP_TRY(run(&e, rounds, done));
	if (*done)
		return GEMP_OK;
	GEMP_TRY(gemp_search_build_end(m->search));
	return gemp_search_build(m->search);
}
