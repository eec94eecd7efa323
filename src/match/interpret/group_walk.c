#include "match/interpret/group_walk.h"

#include "core/bitset.h"
#include "core/limits.h"
#include "core/memory.h"

#include <string.h>

enum { AHEAD = 4 }; /* entries: the rows of entries so far ahead are requested; twice as far, their offsets */

/* A heap of more numbers would cost more than the rows that it leaves out. */
static const uint64_t max_top = 1 << 16;

/* The key vertex beside the pivot; -1: there is none. */
static int other_vertex(const gemp_plan *plan, uint64_t keys)
{
	const uint64_t others = keys & ~(UINT64_C(1) << plan->pivot);
	return others ? __builtin_ctzll(others) : -1;
}

/* True if the step walks one row, and reads no other. */
static bool walks_one_row(const gemp_step *step)
{
	return step->kind == GEMP_EXTEND && step->check_count == 1 && !step->edge_less && !step->checks[0].absent &&
	       step->checks[0].from != step->vertex && step->checks[0].to == step->vertex;
}

bool gemp_group_walk_suits(const gemp_plan *plan, const gemp_group_request *wanted)
{
	if (plan->arguments || plan->pivot < 0 || plan->two_paths || plan->step_count < 2 ||
	    !(wanted->keys >> plan->pivot & 1) || __builtin_popcountll(wanted->keys) > 2)
		return false;
	for (size_t s = (size_t)plan->root + 1; s < plan->step_count; s++)
		if (!walks_one_row(&plan->steps[s]))
			return false;
	return true;
}

size_t gemp_group_walk_memory(uint64_t vertices)
{
	return (size_t)vertices * (sizeof(uint32_t) + sizeof(gemp_vertex));
}

/* Groups of vertices are groups of the sink only if it reads the vertices themselves. A group that it puts together
 * from several may have enough rows, although none of them has. */
static bool leaves_out(const gemp_group_request *wanted)
{
	for (uint64_t left = wanted->by; left; left &= left - 1)
		if (wanted->attribute[__builtin_ctzll(left)])
			return false;
	return wanted->by == wanted->keys;
}

gemp_code gemp_group_walk_init(gemp_group_walk *g, const gemp_walk *walk, const gemp_group_request *wanted)
{
	const uint64_t vertices = walk->rows->vertices;
	const bool whole = leaves_out(wanted);
	*g = (gemp_group_walk){ .wanted = wanted,
		                    .other = other_vertex(walk->plan, wanted->keys),
		                    .min_rows = whole && wanted->min_rows ? wanted->min_rows : 1 };
	if (whole && wanted->top && wanted->top <= max_top)
		GEMP_TRY(GEMP_NEW(g->best, wanted->top));
	if (g->other < 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(g->count, vertices));
	return GEMP_NEW(g->listed, vertices + 1);
}

void gemp_group_walk_free(gemp_group_walk *g)
{
	gemp_free_all(g->count, g->carried, g->listed, g->best);
	*g = (gemp_group_walk){ 0 };
}

static void drop_counters(gemp_group_walk *g)
{
	for (size_t i = 0; i < g->listed_count; i++) {
		g->count[g->listed[i]] = 0;
		if (g->carried)
			g->carried[g->listed[i]] = 0;
	}
	g->listed_count = 0;
	g->held = 0;
}

void gemp_group_walk_clear(gemp_group_walk *g)
{
	drop_counters(g);
	g->best_count = 0;
	g->stopped = false;
}

/* COUNTING */

/* Moves all counters to 64 bits but for 1, so that they stay listed. */
static gemp_code carry(gemp_group_walk *g, const gemp_walker *w)
{
	if (!g->carried)
		GEMP_TRY(GEMP_NEW(g->carried, w->walk->rows->vertices));
	for (size_t i = 0; i < g->listed_count; i++) {
		const gemp_vertex slot = g->listed[i];
		g->carried[slot] += g->count[slot] - 1;
		g->count[slot] = 1;
	}
	g->held = 1;
	return GEMP_OK;
}

/* Adds matches to the counter of a slot. */
static void add(gemp_group_walk *g, gemp_walker *w, gemp_vertex slot, uint64_t times)
{
	const uint64_t max = gemp_limits_now()->group_counter_max;
	if (!times || w->code != GEMP_OK)
		return;
	if (gemp_max(g->held, 1) + times > max && (w->code = carry(g, w)) != GEMP_OK)
		return;
	if (1 + times > max) {
		g->carried[slot] += times - 1;
		times = 1;
	}
	g->listed[g->listed_count] = slot;
	g->listed_count += g->count[slot] == 0;
	g->count[slot] += (uint32_t)times;
	g->held += times;
}

/* The candidates of a step between the images of the bound vertices. */
typedef struct row_tests {
	const uint32_t *bits;   /* NULL: any vertex */
	const uint32_t *rank;   /* ranks of keys by id; NULL: any key */
	const gemp_vertex *ids; /* by slot; NULL: slots are ids */
	uint64_t low, high;     /* ranks of candidates */
	uint64_t differ, edges_differ;
	bool skips; /* some entries do not belong to the view */
} row_tests;

static uint64_t rank_of(const gemp_walker *w, int vertex)
{
	return w->walk->key_rank[gemp_host_rows_id(w->walk->rows, w->image[vertex])];
}

static row_tests tests_of(const gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	row_tests t = { .bits = step->candidates ? w->walk->candidates[step->vertex] : NULL,
		            .high = UINT64_MAX,
		            .differ = step->differ,
		            .edges_differ = step->edge >= 0 ? step->edges_differ : 0,
		            .skips = w->cursor[s].view->skips };
	const uint64_t keyed = step->key_less | step->key_le | step->key_greater | step->key_ge;
	if (keyed) {
		t.rank = w->walk->key_rank;
		t.ids = w->walk->rows->order ? w->walk->rows->order->id_of : NULL;
	}
	for (uint64_t left = keyed; left; left &= left - 1) {
		const int u = __builtin_ctzll(left);
		const uint64_t rank = rank_of(w, u);
		if (step->key_less >> u & 1)
			t.high = gemp_min(t.high, rank);
		if (step->key_le >> u & 1)
			t.high = gemp_min(t.high, rank + 1);
		if (step->key_greater >> u & 1)
			t.low = gemp_max(t.low, rank + 1);
		if (step->key_ge >> u & 1)
			t.low = gemp_max(t.low, rank);
	}
	return t;
}

static bool edges_differ(const row_tests *t, const gemp_walker *w, const gemp_host_view *view, uint64_t at)
{
	const gemp_edge edge = gemp_host_view_edge(view, at);
	for (uint64_t left = t->edges_differ; left; left &= left - 1)
		if (edge == w->edge[__builtin_ctzll(left)])
			return false;
	return true;
}

static inline bool passes(const row_tests *t, const gemp_walker *w, const gemp_walk_cursor *row, uint64_t at,
                          gemp_vertex c)
{
	if (t->bits && !gemp_bits32_test(t->bits, c))
		return false;
	if (t->rank) {
		const uint64_t rank = t->rank[t->ids ? t->ids[c] : c];
		if (rank < t->low || rank >= t->high)
			return false;
	}
	for (uint64_t left = t->differ; left; left &= left - 1)
		if (c == w->image[__builtin_ctzll(left)])
			return false;
	if (t->edges_differ && !edges_differ(t, w, row->view, at))
		return false;
	return !t->skips || !gemp_host_view_skips(row->view, row->from, at);
}

/* The number of candidates among entries [at, end) of the last step's row. */
static uint64_t count_row(const gemp_walker *w, const row_tests *t, const gemp_walk_cursor *c)
{
	const gemp_vertex *near = c->view->neighbours;
	uint64_t found = 0;
	if (!t->bits && !t->rank && !t->differ && !t->edges_differ && !t->skips)
		return c->end - c->at;
	for (uint64_t i = c->at; i < c->end; i++)
		found += passes(t, w, c, i, near[i]);
	return found;
}

/* Counts the candidates among entries of the last step's row, each for itself. */
static uint64_t list_row(gemp_group_walk *g, gemp_walker *w, const row_tests *t, const gemp_walk_cursor *c)
{
	const uint64_t max = gemp_limits_now()->group_counter_max;
	const gemp_vertex *near = c->view->neighbours;
	uint32_t *count = g->count;
	uint64_t found = 0;
	for (uint64_t i = c->at, stop; i < c->end; i = stop) {
		size_t listed = g->listed_count;
		if (g->held >= max && (w->code = carry(g, w)) != GEMP_OK)
			return 0;
		stop = i + gemp_min(c->end - i, max - g->held);
		g->held += stop - i;
		for (uint64_t k = i; k < stop; k++) {
			const gemp_vertex slot = near[k];
			if (!passes(t, w, c, k, slot))
				continue;
			g->listed[listed] = slot;
			listed += count[slot]++ == 0;
			found++;
		}
		g->listed_count = listed;
	}
	return found;
}

/* Requests what the next step reads of the entries ahead. */
static inline void request(const gemp_host_view *next, const gemp_vertex *near, uint64_t at, uint64_t end)
{
	if (at + 2 * AHEAD < end)
		__builtin_prefetch(&next->begin[near[at + 2 * AHEAD]]);
	if (at + AHEAD < end)
		__builtin_prefetch(&next->neighbours[next->begin[near[at + AHEAD]]]);
}

/* Walks the row that step s has entered, and all rows of later steps. Returns the number of matches, which have been
 * added to the counters if `other` is bound here or later. */
static uint64_t walk_step(gemp_group_walk *g, gemp_walker *w, int s)
{
	const gemp_plan *plan = w->walk->plan;
	const gemp_step *step = &plan->steps[s];
	const gemp_walk_cursor *c = &w->cursor[s];
	const row_tests tests = tests_of(w, s);
	uint64_t found = 0;
	w->entries[s] += c->end - c->at;
	w->work += c->end - c->at;
	if (s + 1 == (int)plan->step_count) {
		found = step->vertex == g->other ? list_row(g, w, &tests, c) : count_row(w, &tests, c);
		w->passed[s] += found;
		return found;
	}
	const gemp_check *next = &plan->steps[s + 1].checks[0];
	const gemp_host_view *view = &w->walk->rows->views[next->view];
	for (uint64_t i = c->at; i < c->end && !g->stopped; i++) {
		const gemp_vertex slot = c->view->neighbours[i];
		if (next->from == step->vertex)
			request(view, c->view->neighbours, i, c->end);
		if (!passes(&tests, w, c, i, slot))
			continue;
		w->image[step->vertex] = slot;
		if (step->edge >= 0)
			w->edge[step->edge] = gemp_host_view_edge(c->view, i);
		w->passed[s]++;
		gemp_walker_enter(w, s + 1);
		const uint64_t below = walk_step(g, w, s + 1);
		if (step->vertex == g->other)
			add(g, w, slot, below);
		found += below;
		/* an estimate can be wrong within one pivot, and then the run must end soon */
		g->stopped = w->code != GEMP_OK || (w->walk->budget < UINT64_MAX && gemp_walker_is_due(w));
	}
	return found;
}

/* GROUPS */

static void sift_down(uint64_t *heap, size_t count)
{
	const uint64_t moved = heap[0];
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && heap[child + 1] < heap[child];
		if (heap[child] >= moved)
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* Remembers the number of rows of a group that is wanted so far, and raises the number that later groups need. */
static void take_best(gemp_group_walk *g, uint64_t rows)
{
	const size_t top = (size_t)g->wanted->top;
	if (g->best_count < top) {
		size_t at = g->best_count++;
		for (; at > 0 && g->best[(at - 1) / 2] > rows; at = (at - 1) / 2)
			g->best[at] = g->best[(at - 1) / 2];
		g->best[at] = rows;
	} else if (rows > g->best[0]) {
		g->best[0] = rows;
		sift_down(g->best, top);
	}
	if (g->best_count == top)
		g->min_rows = gemp_max(g->min_rows, g->best[0]);
}

/* Appends a row for a group of the pivot. Vertices that are no keys have the pivot's id, which exists. */
static void put_group(gemp_group_walk *g, gemp_walker *w, gemp_vertex slot, uint64_t rows)
{
	const gemp_plan *plan = w->walk->plan;
	const size_t width = (size_t)plan->vertex_count;
	gemp_walk_rows *out = w->out;
	if (rows < g->min_rows || w->code != GEMP_OK)
		return;
	if (g->best)
		take_best(g, rows);
	if ((w->code = GEMP_RESERVE(out->vertices, out->vertex_capacity, (out->rows + 1) * width)) != GEMP_OK ||
	    (w->code = GEMP_RESERVE(out->times, out->times_capacity, out->rows + 1)) != GEMP_OK)
		return;
	gemp_vertex *row = out->vertices + out->rows * width;
	const gemp_vertex pivot = gemp_host_rows_id(w->walk->rows, w->image[plan->pivot]);
	for (size_t v = 0; v < width; v++)
		row[v] = pivot;
	if (g->other >= 0)
		row[g->other] = gemp_host_rows_id(w->walk->rows, slot);
	out->times[out->rows++] = rows;
}

static void put_groups(gemp_group_walk *g, gemp_walker *w)
{
	for (size_t i = 0; i < g->listed_count; i++) {
		const gemp_vertex slot = g->listed[i];
		put_group(g, w, slot, g->count[slot] + (g->carried ? g->carried[slot] : 0));
	}
	drop_counters(g);
}

void gemp_group_walk_task(gemp_group_walk *g, gemp_walker *w)
{
	const uint64_t found = walk_step(g, w, w->walk->plan->root + 1);
	if (g->stopped) {
		drop_counters(g);
		return;
	}
	w->found += found;
	if (g->other >= 0)
		put_groups(g, w);
	else if (found)
		put_group(g, w, 0, found);
	w->active = false;
}

void gemp_group_walk_cut(const gemp_group_walk *g, gemp_walk_rows *rows, size_t width)
{
	size_t kept = 0;
	for (size_t row = 0; row < rows->rows; row++) {
		if (rows->times[row] < g->min_rows)
			continue;
		memmove(rows->vertices + kept * width, rows->vertices + row * width, width * sizeof *rows->vertices);
		rows->times[kept++] = rows->times[row];
	}
	rows->rows = kept;
}
