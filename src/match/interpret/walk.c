#include "match/interpret/walk.h"

#include "core/bitset.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/timer.h"
#include "match/codegen/adjacency_marks.h"

enum { REPORTED_WORK = 1 << 14 }; /* entries and lookups: a walker reads the clock after this work */

#define FOR_EACH_BIT(v, mask) \
	for (uint64_t left_ = (mask); left_ && ((v) = __builtin_ctzll(left_), true); left_ &= left_ - 1)

/* Walkers of a thread, if the rows have more than CACHE bytes. On an AMD EPYC (2026-11-28), 8 walkers search a
 * railway of 800,000 elements in a third of the time of one walker, and wiki-vote, 1 MiB, in 1.3 times the time. */
enum { WALKERS = 8, CACHE = 4 << 20 };

size_t gemp_walk_walkers(const gemp_walk *walk)
{
	const size_t forced = gemp_limits_now()->interpret_walkers;
	const gemp_host_rows *rows = walk->rows;
	uint64_t bytes = 0;
	for (size_t v = 0; v < rows->view_count; v++)
		bytes += rows->vertices * sizeof(uint64_t) + rows->views[v].begin[rows->vertices] * sizeof(gemp_vertex);
	if (walk->plan->two_paths || walk->grouped)
		return 1;
	return forced ? forced : bytes > CACHE ? WALKERS : 1;
}

gemp_code gemp_walker_init(gemp_walker *w, gemp_walk *walk, gemp_walk_rows *out)
{
	w->walk = walk;
	w->out = out;
	GEMP_TRY(GEMP_NEW(w->cursor, walk->plan->step_count));
	if (walk->plan->two_paths)
		GEMP_TRY(GEMP_NEW(w->table, walk->rows->vertices));
	return GEMP_OK;
}

void gemp_walker_free(gemp_walker *w)
{
	gemp_free_all(w->table, w->cursor);
}

/* The counter of all walkers and the clock are read seldom, since both are expensive. */
bool gemp_walker_is_due(gemp_walker *w)
{
	uint64_t more = w->work - w->reported;
	if (more < REPORTED_WORK && more <= w->walk->budget)
		return false;
	uint64_t all = atomic_fetch_add_explicit(&w->walk->work, more, memory_order_relaxed) + more;
	w->reported = w->work;
	return all > w->walk->budget || gemp_now() > w->walk->deadline;
}

/* ROWS */

static const gemp_host_view *view_of(const gemp_walker *w, const gemp_check *check)
{
	return &w->walk->rows->views[check->view];
}

/* The first of the ascending entries [at, end) that is not less than `wanted`, by galloping: the step doubles until it
 * passes the entry, and a binary search ends the search. */
static uint64_t gallop(const gemp_vertex *near, uint64_t at, uint64_t end, gemp_vertex wanted)
{
	uint64_t step = 1;
	if (at >= end || near[at] >= wanted)
		return at;
	while (at + step < end && near[at + step] < wanted) {
		at += step;
		step *= 2;
	}
	return at + 1 + gemp_lower_bound_u32(near + at + 1, gemp_min(step, end - at) - 1, wanted);
}

/* True if the row of a contains b. */
static bool has(const gemp_host_view *view, gemp_vertex a, gemp_vertex b)
{
	uint64_t begin = view->begin[a], size = view->begin[a + 1] - begin;
	size_t at = gemp_lower_bound_u32(view->neighbours + begin, size, b);
	return at < size && view->neighbours[begin + at] == b && !(view->skips && a == b);
}

/* TESTS */

/* Tests the conditions on the order of keys. */
static bool keys_fit(const gemp_walker *w, const gemp_step *step, gemp_vertex c)
{
	const gemp_host_rows *rows = w->walk->rows;
	int u;
	FOR_EACH_BIT (u, step->key_less | step->key_le | step->key_greater | step->key_ge) {
		uint32_t own = w->walk->key_rank[gemp_host_rows_id(rows, c)];
		uint32_t other = w->walk->key_rank[gemp_host_rows_id(rows, w->image[u])];
		if ((step->key_less >> u & 1 && own >= other) || (step->key_le >> u & 1 && own > other) ||
		    (step->key_greater >> u & 1 && own <= other) || (step->key_ge >> u & 1 && own < other))
			return false;
	}
	return true;
}

/* The tests of a vertex that read no row. */
static bool vertex_fits(const gemp_walker *w, const gemp_step *step, gemp_vertex c)
{
	const uint32_t *bits = w->walk->candidates[step->vertex];
	int u;
	FOR_EACH_BIT (u, step->differ)
		if (c == w->image[u])
			return false;
	FOR_EACH_BIT (u, step->same)
		if (c != w->image[u])
			return false;
	return (!step->candidates || !bits || gemp_bits32_test(bits, c)) && keys_fit(w, step, c);
}

/* Tests that edges differ, and the order of parallel edges. */
static bool edge_fits(const gemp_walker *w, const gemp_step *step, gemp_edge edge)
{
	int e;
	FOR_EACH_BIT (e, step->edges_differ)
		if (edge == w->edge[e])
			return false;
	FOR_EACH_BIT (e, step->edge_less)
		if (edge >= w->edge[e])
			return false;
	return true;
}

/* Tests all checks of a step whose vertex is bound, except check `walked`, with a binary search each. */
static bool checks_hold(gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	for (size_t k = 0; k < step->check_count; k++) {
		const gemp_check *check = &step->checks[k];
		w->lookups[s]++;
		w->work++;
		if (has(view_of(w, check), w->image[check->from], w->image[check->to]) == check->absent)
			return false;
	}
	return true;
}

/* Tests the rows of the other checks of a candidate of EXTEND. The candidate is bound already. Rows of bound vertices
 * are searched from the place of the candidate before. */
static bool rows_have(gemp_walker *w, int s, gemp_walk_cursor *cursor, gemp_vertex c)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	for (size_t k = 0; k < step->check_count; k++) {
		const gemp_check *check = &step->checks[k];
		const gemp_host_view *view = view_of(w, check);
		bool found;
		if (k == cursor->walked)
			continue;
		w->lookups[s]++;
		w->work++;
		if (check->from == step->vertex || check->to != step->vertex) {
			found = has(view, w->image[check->from], w->image[check->to]);
		} else {
			uint64_t at = gallop(view->neighbours, cursor->rest[k].at, cursor->rest[k].end, c);
			cursor->rest[k].at = at;
			found = at < cursor->rest[k].end && view->neighbours[at] == c &&
			        !(view->skips && c == w->image[check->from]);
		}
		if (found == check->absent)
			return false;
	}
	return true;
}

/* STEPS */

/* The shortest row that contains all candidates is walked. Order restrictions cut it. */
void gemp_walker_enter(gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	gemp_walk_cursor *cursor = &w->cursor[s];
	bool bind = step->kind == GEMP_BIND_EDGE;
	uint64_t low = 0, high = w->walk->rows->vertices, shortest = UINT64_MAX;
	int u;
	for (size_t k = 0; k < step->check_count && !bind; k++) {
		const gemp_check *check = &step->checks[k];
		if (check->from == step->vertex)
			continue;
		const uint64_t *begin = view_of(w, check)->begin + w->image[check->from];
		cursor->rest[k].at = begin[0];
		cursor->rest[k].end = begin[1];
		if (k < step->sources && begin[1] - begin[0] < shortest) {
			shortest = begin[1] - begin[0];
			cursor->walked = k;
		}
	}
	cursor->walked = bind ? 0 : cursor->walked;
	const gemp_check *walked = &step->checks[cursor->walked];
	cursor->view = view_of(w, walked);
	cursor->from = w->image[walked->from];
	cursor->at = cursor->view->begin[cursor->from];
	cursor->end = cursor->view->begin[cursor->from + 1];
	FOR_EACH_BIT (u, bind ? 0 : step->greater)
		low = gemp_max(low, (uint64_t)w->image[u] + 1);
	FOR_EACH_BIT (u, bind ? 0 : step->less)
		high = gemp_min(high, (uint64_t)w->image[u]);
	FOR_EACH_BIT (u, bind ? UINT64_C(1) << step->vertex : step->same) {
		low = gemp_max(low, (uint64_t)w->image[u]);
		high = gemp_min(high, (uint64_t)w->image[u] + 1);
	}
	const gemp_vertex *near = cursor->view->neighbours;
	if (low > 0)
		cursor->at += gemp_lower_bound_u32(near + cursor->at, cursor->end - cursor->at, (gemp_vertex)low);
	if (high < low)
		cursor->end = cursor->at;
	else if (high < w->walk->rows->vertices)
		cursor->end = cursor->at + gemp_lower_bound_u32(near + cursor->at, cursor->end - cursor->at, (gemp_vertex)high);
}

/* Makes step s the next one. If other walkers can move, requests the offsets of the rows that the step reads. */
static void approach(gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	w->level = s;
	if (w->walk->alone) {
		gemp_walker_enter(w, s);
		return;
	}
	for (size_t k = 0; k < step->check_count; k++)
		if (step->kind == GEMP_BIND_EDGE || step->checks[k].from != step->vertex)
			__builtin_prefetch(view_of(w, &step->checks[k])->begin + w->image[step->checks[k].from]);
	w->enters = true;
}

/* Requests the first entries of the rows that step s has entered. */
static void request_entries(const gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	const gemp_walk_cursor *cursor = &w->cursor[s];
	__builtin_prefetch(cursor->view->neighbours + cursor->at);
	for (size_t k = 0; k < step->check_count && step->kind != GEMP_BIND_EDGE; k++)
		if (k != cursor->walked && step->checks[k].from != step->vertex)
			__builtin_prefetch(view_of(w, &step->checks[k])->neighbours + cursor->rest[k].at);
}

/* Binds the next candidate of the step that passes all tests. Returns false if there is none. */
static bool bind_next(gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	gemp_walk_cursor *cursor = &w->cursor[s];
	const gemp_host_view *view = cursor->view;
	while (cursor->at < cursor->end) {
		uint64_t at = cursor->at++;
		gemp_vertex c = view->neighbours[at];
		w->entries[s]++;
		w->work++;
		if (view->skips && gemp_host_view_skips(view, cursor->from, at))
			continue;
		if (step->edge >= 0) {
			gemp_edge edge = gemp_host_view_edge(view, at);
			if (!edge_fits(w, step, edge))
				continue;
			w->edge[step->edge] = edge;
		}
		if (step->kind == GEMP_BIND_EDGE)
			return true;
		if (!vertex_fits(w, step, c))
			continue;
		w->image[step->vertex] = c;
		if (rows_have(w, s, cursor, c))
			return true;
	}
	return false;
}

/* TABLES of two-paths: the last vertex x is not enumerated. table[y] is the number of x that are adjacent to the pivot
 * and to y, as far as the bitmap of x and its restrictions against the pivot allow. */

static bool can_be_leaf(const gemp_walker *w, gemp_vertex x)
{
	const gemp_plan *plan = w->walk->plan;
	const gemp_step *leaf = &plan->steps[plan->step_count - 1];
	gemp_vertex pivot = w->image[plan->pivot];
	const uint32_t *bits = leaf->candidates ? w->walk->candidates[leaf->vertex] : NULL;
	return (!bits || gemp_bits32_test(bits, x)) && (!(leaf->greater >> plan->pivot & 1) || x > pivot) &&
	       (!(leaf->less >> plan->pivot & 1) || x < pivot);
}

/* Fills or clears the table. Both walk the same two-paths, so the cost does not depend on the number of vertices. */
static void change_table(gemp_walker *w, bool fill)
{
	const gemp_plan *plan = w->walk->plan;
	const gemp_step *leaf = &plan->steps[plan->step_count - 1];
	const gemp_host_view *near = view_of(w, &leaf->checks[0]), *far = view_of(w, &leaf->checks[1]);
	gemp_vertex pivot = w->image[plan->pivot];
	for (uint64_t i = near->begin[pivot]; i < near->begin[pivot + 1]; i++) {
		gemp_vertex x = near->neighbours[i];
		if ((leaf->differ && x == pivot) || (near->skips && gemp_host_view_skips(near, pivot, i)) || !can_be_leaf(w, x))
			continue;
		w->work += far->begin[x + 1] - far->begin[x];
		for (uint64_t j = far->begin[x]; j < far->begin[x + 1]; j++) {
			if ((leaf->differ && far->neighbours[j] == x) || (far->skips && gemp_host_view_skips(far, x, j)))
				continue;
			w->table[far->neighbours[j]] = fill ? w->table[far->neighbours[j]] + 1 : 0;
		}
	}
	w->filled = fill;
}

/* The number of images of the last vertex. The table also counts a bound vertex as the last vertex if it is adjacent to
 * both ends, so these are subtracted. */
static uint64_t count_leaves(gemp_walker *w)
{
	const gemp_plan *plan = w->walk->plan;
	const gemp_step *leaf = &plan->steps[plan->step_count - 1];
	const gemp_check *near = &leaf->checks[0], *far = &leaf->checks[1];
	gemp_vertex pivot = w->image[plan->pivot], other = w->image[far->from];
	if (!w->filled)
		change_table(w, true);
	uint64_t count = w->table[other];
	for (int v = 0; v < plan->vertex_count && count; v++) {
		gemp_vertex x = w->image[v];
		if (v == plan->pivot || v == far->from || !(leaf->differ >> v & 1) || !can_be_leaf(w, x))
			continue;
		count -= (gemp_leaf_joined(plan, v, plan->pivot, near->view) || has(view_of(w, near), pivot, x)) &&
		         (gemp_leaf_joined(plan, v, far->from, far->view) || has(view_of(w, far), other, x));
	}
	return count;
}

/* MATCHES */

/* Stores the match as a row of ids. After a failure the task ends. */
static gemp_code store_row(gemp_walker *w)
{
	const gemp_plan *plan = w->walk->plan;
	size_t vertices = (size_t)plan->vertex_count, edges = plan->live_edges ? (size_t)plan->edge_count : 0;
	gemp_walk_rows *out = w->out;
	GEMP_TRY(GEMP_RESERVE(out->vertices, out->vertex_capacity, (out->rows + 1) * vertices));
	if (edges)
		GEMP_TRY(GEMP_RESERVE(out->edges, out->edge_capacity, (out->rows + 1) * edges));
	for (size_t v = 0; v < vertices; v++)
		out->vertices[out->rows * vertices + v] = gemp_host_rows_id(w->walk->rows, w->image[v]);
	for (size_t e = 0; e < edges; e++)
		out->edges[out->rows * edges + e] = w->edge[e];
	out->rows++;
	return GEMP_OK;
}

/* Counts the match that ends in the present candidate of step s, and stores it if rows are listed. */
static void take_match(gemp_walker *w, int s)
{
	const gemp_plan *plan = w->walk->plan;
	uint64_t times = plan->two_paths ? count_leaves(w) : 1;
	int v;
	w->found += times;
	if (plan->two_paths)
		w->passed[s + 1] += times;
	FOR_EACH_BIT (v, w->walk->per)
		__atomic_fetch_add(&w->walk->vertex_counts[w->image[v]], times, __ATOMIC_RELAXED);
	if (w->walk->listed && w->code == GEMP_OK)
		w->code = store_row(w);
}

/* True if each entry of the walked row that is in bounds is a match: no test is left except that vertices differ. */
static bool counts_entries(const gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	return step->kind == GEMP_EXTEND && step->check_count == 1 && step->edge < 0 && !step->candidates &&
	       !(step->key_less | step->key_le | step->key_greater | step->key_ge) && !w->cursor[s].view->skips &&
	       !w->walk->plan->two_paths && !w->walk->per;
}

/* The number of entries in bounds that are no image of a vertex that must differ. */
static uint64_t count_entries(gemp_walker *w, int s)
{
	const gemp_step *step = &w->walk->plan->steps[s];
	const gemp_walk_cursor *cursor = &w->cursor[s];
	const gemp_vertex *near = cursor->view->neighbours;
	uint64_t count = cursor->end - cursor->at;
	int u;
	FOR_EACH_BIT (u, step->differ)
		for (uint64_t i = cursor->at + gemp_lower_bound_u32(near + cursor->at, cursor->end - cursor->at, w->image[u]);
		     i < cursor->end && near[i] == w->image[u]; i++)
			count--;
	w->entries[s] += count;
	w->work += 1 + (uint64_t)__builtin_popcountll(step->differ);
	return count;
}

/* Walks the last step to its end, if its matches are counted and not stored. */
static void count_last(gemp_walker *w, int s)
{
	if (counts_entries(w, s)) {
		uint64_t count = count_entries(w, s);
		w->passed[s] += count;
		w->found += count;
		return;
	}
	while (bind_next(w, s)) {
		w->passed[s]++;
		take_match(w, s);
	}
}

/* TASKS */

static int last_step(const gemp_plan *plan)
{
	return (int)plan->step_count - 1 - plan->two_paths;
}

void gemp_walker_begin(gemp_walker *w, const gemp_vertex *task)
{
	const gemp_plan *plan = w->walk->plan;
	const gemp_step *root = &plan->steps[plan->root];
	bool fits = true;
	w->active = false;
	for (int i = 0; i < plan->arguments; i++)
		w->image[i] = task[i];
	if (!plan->arguments)
		w->image[plan->pivot] = task[0];
	for (int s = 0; s <= plan->root && fits; s++)
		fits = vertex_fits(w, &plan->steps[s], w->image[plan->steps[s].vertex]);
	w->work++;
	if (!fits || !checks_hold(w, plan->root) || (root->edge >= 0 && !edge_fits(w, root, w->edge[root->edge])))
		return;
	w->passed[plan->root]++;
	if (plan->root == last_step(plan)) {
		take_match(w, plan->root);
		return;
	}
	w->active = true;
	approach(w, plan->root + 1);
}

/* The table belongs to one pivot. */
void gemp_walker_abandon(gemp_walker *w)
{
	if (w->filled)
		change_table(w, false);
	w->active = w->enters = false;
}

/* Walks step s to its next candidate, or back if there is none. */
static void advance(gemp_walker *w, int s)
{
	const bool listed = w->walk->listed, last = s == last_step(w->walk->plan);
	const uint64_t before = w->found;
	if (last && !listed) {
		count_last(w, s);
		w->level--;
	} else if (!bind_next(w, s)) {
		w->level--;
	} else {
		w->passed[s]++;
		if (last)
			take_match(w, s);
		else
			approach(w, s + 1);
	}
	if (w->level == w->walk->plan->root || (w->walk->first_only && w->found > before))
		gemp_walker_abandon(w);
}

bool gemp_walker_move(gemp_walker *w)
{
	if (w->enters) {
		gemp_walker_enter(w, w->level);
		request_entries(w, w->level);
		w->enters = false;
		return true;
	}
	while (w->active && !w->enters && w->code == GEMP_OK && (!w->walk->listed || w->out->rows < w->walk->max_rows)) {
		if (gemp_walker_is_due(w))
			return false;
		advance(w, w->level);
	}
	return true;
}
