#include "match/exchange/working_set.h"

#include "core/threads.h"
#include "match/planner/plan_rows.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

/* The state of gemp_closure_of: the closure, the views in which the rows of each vertex are read, and the place of each
 * vertex. */
typedef struct closure_builder {
	gemp_closure *out;
	const gemp_plan *plan;
	uint32_t reads[GEMP_MAX_PATTERN_VERTICES];
	int place_of[GEMP_MAX_PATTERN_VERTICES]; /* -1: no row of the vertex is read */
} closure_builder;

/* Collects the order restrictions and computes their transitive closure. */
static void find_restrictions(closure_builder *d)
{
	const gemp_plan *plan = d->plan;
	uint64_t *before = d->out->before;
	for (size_t s = 0; s < plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		if (step->kind == GEMP_BIND_EDGE)
			continue;
		before[step->vertex] |= step->less;
		for (int u = 0; u < plan->vertex_count; u++)
			if (step->greater >> u & 1)
				before[u] |= BIT(step->vertex);
	}
	for (int k = 0; k < plan->vertex_count; k++)
		for (int v = 0; v < plan->vertex_count; v++)
			if (before[v] >> k & 1)
				before[v] |= before[k];
}

/* True if the slot of v is less than the slot of u in every match. */
static bool always_below(const closure_builder *d, int v, int u)
{
	return d->out->before[v] >> u & 1;
}

/* Finds the rows that the checks of each vertex read, and which entries of these rows can be searched for. If a
 * restriction orders the two ends of a check, only entries below (or above) the row's own slot are read. */
static void find_reads(closure_builder *d)
{
	gemp_closure *out = d->out;
	bool known[GEMP_MAX_VIEWS] = { false }, any[GEMP_MAX_VIEWS] = { false };
	for (size_t s = 0; s < d->plan->step_count; s++)
		for (size_t j = 0; j < d->plan->steps[s].check_count; j++) {
			const gemp_check *check = &d->plan->steps[s].checks[j];
			int v = check->view;
			gemp_row_part entries = always_below(d, check->to, check->from)   ? GEMP_ENTRIES_BELOW
			                        : always_below(d, check->from, check->to) ? GEMP_ENTRIES_ABOVE
			                                                                  : GEMP_ENTRIES_ALL;
			d->reads[check->from] |= UINT32_C(1) << v;
			out->toward[check->from][v] |= BIT(check->to);
			out->certain[check->from][v] |= check->absent ? 0 : BIT(check->to);
			out->entries[v] = known[v] && out->entries[v] != entries ? GEMP_ENTRIES_ALL : entries;
			known[v] = true;
			any[v] |= !d->plan->steps[gemp_binding_step(d->plan, check->to)].candidates;
			out->named[v] |= BIT(check->to);
		}
	for (size_t v = 0; v < d->plan->view_count; v++)
		if (any[v])
			out->named[v] = 0;
}

/* Adds a place and returns its number. Two vertices with equal places share one place, so that its images are visited
 * once. */
static int add_place(closure_builder *d, gemp_closure_node place)
{
	gemp_closure *out = d->out;
	place.level = place.parent < 0 ? 0 : out->nodes[place.parent].level + 1;
	for (size_t i = out->root_count; i < out->count && place.parent >= 0; i++) {
		gemp_closure_node *p = &out->nodes[i];
		if (p->parent == place.parent && p->view == place.view && p->above == place.above && p->below == place.below &&
		    p->above_pivot == place.above_pivot && p->below_pivot == place.below_pivot &&
		    p->candidates == place.candidates && (!p->candidates || p->vertex == place.vertex)) {
			p->reads |= place.reads;
			return (int)i;
		}
	}
	if (place.level > out->depth)
		out->depth = place.level;
	out->nodes[out->count] = place;
	return (int)out->count++;
}

/* Adds the place of the pivot, or of a given vertex. */
static void add_root(closure_builder *d, const gemp_step *step)
{
	d->place_of[step->vertex] = add_place(
		d, (gemp_closure_node){ .vertex = step->vertex, .parent = -1, .view = -1, .reads = d->reads[step->vertex] });
	d->out->root_count++;
}

/* Adds the place of a vertex that a step binds, if its rows are read. Its images lie in the rows of several earlier
 * vertices. The place nearest to the roots becomes the parent, because its images are known first. */
static void add_extended(closure_builder *d, const gemp_step *step)
{
	const gemp_closure_node *places = d->out->nodes;
	int v = step->vertex, pivot = d->plan->pivot;
	const gemp_check *by = &step->checks[0];
	for (size_t j = 1; j < step->sources; j++)
		if (places[d->place_of[step->checks[j].from]].level < places[d->place_of[by->from]].level)
			by = &step->checks[j];
	gemp_closure_node place = { .vertex = v,
		                        .parent = d->place_of[by->from],
		                        .view = by->view,
		                        .reads = d->reads[v],
		                        .candidates = step->candidates,
		                        .above = always_below(d, by->from, v),
		                        .below = always_below(d, v, by->from) };
	place.above_pivot = pivot >= 0 && always_below(d, pivot, v);
	place.below_pivot = pivot >= 0 && always_below(d, v, pivot);
	d->place_of[v] = d->reads[v] ? add_place(d, place) : -1;
}

/* Adds rows that kernels read although no check needs them: rows of neighbours of the pivot, in which images of the
 * vertices `to` are searched for. */
static void add_unchecked_rows(closure_builder *d, const gemp_step *step, int near, int far, uint64_t to)
{
	bool above = step->greater >> d->plan->pivot & 1, below = step->less >> d->plan->pivot & 1;
	d->out->toward[step->vertex][far] |= to;
	d->out->toward[d->plan->pivot][near] |= BIT(step->vertex);
	int place = add_place(d, (gemp_closure_node){ .vertex = step->vertex,
	                                              .parent = d->place_of[d->plan->pivot],
	                                              .view = near,
	                                              .reads = UINT32_C(1) << far,
	                                              .candidates = step->candidates,
	                                              .above = above,
	                                              .below = below,
	                                              .above_pivot = above,
	                                              .below_pivot = below });
	d->out->nodes_of[step->vertex] |= BIT(place);
	d->out->entries[far] = GEMP_ENTRIES_ALL;
	if (d->out->entries[near] != (above ? GEMP_ENTRIES_ABOVE : GEMP_ENTRIES_BELOW) || !(above || below))
		d->out->entries[near] = GEMP_ENTRIES_ALL;
	d->out->named[far] = d->out->named[near] = 0;
}

/* Setting a reach mark (adjacency_marks.h) reads rows of the vertex between the pivot and the tested vertex. */
static void add_marks(closure_builder *d)
{
	gemp_adjacency_marks marks;
	gemp_adjacency_marks_plan(&marks, d->plan);
	for (size_t m = 0; m < marks.count; m++) {
		uint64_t to = 0;
		for (size_t s = 0; s < d->plan->step_count; s++)
			to |= marks.reach[s] == (int)m ? BIT(d->plan->steps[s].vertex) : 0;
		if (marks.marks[m].via_step >= 0)
			add_unchecked_rows(d, &d->plan->steps[marks.marks[m].via_step], marks.marks[m].view,
			                   marks.marks[m].via_view, to);
	}
}

/* A table of two-paths reads all rows of the last vertex's candidates. The kernel also tests whether the table has
 * counted a bound vertex. */
static void add_table(closure_builder *d)
{
	const gemp_step *last = &d->plan->steps[d->plan->step_count - 1];
	int near = last->checks[0].view, far = last->checks[1].view, other = last->checks[1].from;
	add_unchecked_rows(d, last, near, far, BIT(other));
	for (int v = 0; v < d->plan->vertex_count; v++) /* reads of the test whether v was counted */
		if (last->differ >> v & 1 && v != other && v != d->plan->pivot) {
			d->out->toward[d->plan->pivot][near] |= BIT(v);
			d->out->toward[other][far] |= BIT(v);
			d->out->toward[v][far] |= BIT(other);
		}
}

/* Steps are in the order of binding, so the parent of a place exists before the place. */
void gemp_closure_of(gemp_closure *out, const gemp_plan *plan, bool marks)
{
	closure_builder d = { .out = out, .plan = plan };
	memset(out, 0, sizeof *out);
	memset(d.place_of, -1, sizeof d.place_of);
	find_restrictions(&d);
	find_reads(&d);
	for (int s = 0; s <= plan->root; s++)
		if (plan->steps[s].kind != GEMP_BIND_EDGE)
			add_root(&d, &plan->steps[s]);
	for (size_t s = (size_t)plan->root + 1; s < plan->step_count; s++)
		if (plan->steps[s].kind == GEMP_EXTEND)
			add_extended(&d, &plan->steps[s]);
	for (int v = 0; v < plan->vertex_count; v++)
		out->nodes_of[v] = d.place_of[v] >= 0 ? BIT(d.place_of[v]) : 0;
	if (plan->two_paths)
		add_table(&d);
	if (marks)
		add_marks(&d);
}

gemp_code gemp_resident_rows(gemp_resident **out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan,
                             int64_t replicate)
{
	gemp_view_key keys[GEMP_MAX_VIEWS];
	GEMP_TRY(gemp_plan_load_rows(graph, plan));
	for (size_t v = 0; v < plan->view_count; v++)
		keys[v] = gemp_plan_view_key(&plan->views[v]);
	return gemp_resident_get(out, context, graph, keys, plan->view_count, replicate);
}

/* Unites the candidates of the pattern vertices whose images are read in a view. *bits stays NULL if any vertex may be
 * read. */
static gemp_code named_bits(const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates,
                            size_t view, uint32_t **bits)
{
	size_t words = gemp_bits32_words(rows->residency.vertices);
	*bits = NULL;
	for (uint64_t left = closure->named[view]; left; left &= left - 1)
		if (!candidates[__builtin_ctzll(left)])
			return GEMP_OK;
	if (!closure->named[view])
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(*bits, words + 1));
	for (uint64_t left = closure->named[view]; left; left &= left - 1)
		for (size_t w = 0; w < words; w++)
			(*bits)[w] |= candidates[__builtin_ctzll(left)][w];
	return GEMP_OK;
}

/* A view is copied only if some of its entries are never read, and only if there is memory for a copy that the ranks of
 * a node share. Whether a vertex has candidates is the same on all ranks. */
gemp_code gemp_trim_resident_rows(gemp_view **views, bool narrowed[GEMP_MAX_VIEWS], const gemp_plan *plan,
                                  const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates)
{
	const gemp_comm *comm = rows->context->comm;
	GEMP_OWNED uint32_t *bits = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*views, plan->view_count)));
	for (size_t v = 0; v < plan->view_count; v++) {
		GEMP_TRY(gemp_comm_agree(comm, named_bits(closure, rows, candidates, v, &bits)));
		if (bits || closure->entries[v] != GEMP_ENTRIES_ALL) {
			GEMP_TRY(gemp_view_filter_entries(&(*views)[v], comm, &rows->views[v], &rows->residency,
			                                  closure->entries[v], bits));
			narrowed[v] = (*views)[v].begin != NULL;
		}
		if (!narrowed[v])
			(*views)[v] = rows->views[v];
		gemp_free(bits);
		bits = NULL;
	}
	return GEMP_OK;
}

/* the upper half of a log entry is the number of a place, or ROW_LOG + the number of a view */
enum { ROW_LOG = 1 << 8 };

/* The set has a bitmap over all slots for each place and for each view. */
gemp_code gemp_working_set_new(gemp_working_set **out, const gemp_closure *closure, const gemp_fetch *fetch,
                               uint32_t *const *candidates, bool pivots)
{
	GEMP_OWNED_BY(gemp_working_set_free_at) gemp_working_set *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	*r = (gemp_working_set){ .closure = closure,
		                     .fetch = fetch,
		                     .candidates = candidates,
		                     .pivots = pivots,
		                     .words = gemp_bits32_words(fetch->graph->vertex_count) };
	for (size_t i = 0; i < closure->count; i++)
		GEMP_TRY(GEMP_NEW(r->seen[i], r->words));
	for (size_t v = 0; v < fetch->view_count; v++)
		GEMP_TRY(GEMP_NEW(r->need[v], r->words));
	*out = r;
	r = NULL;
	return GEMP_OK;
}

/* Also frees a set that is only partly made; bitmaps that were not made are NULL. */
void gemp_working_set_free(gemp_working_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < GEMP_MAX_CLOSURE_NODES; i++)
		gemp_free(set->seen[i]);
	for (size_t v = 0; v < GEMP_MAX_VIEWS; v++)
		gemp_free(set->need[v]);
	gemp_free_all(set->log, set);
}

/* Sets a bit and logs it, so that undo_task can remove a task that does not fit. */
static void log_addition(gemp_working_set *r, uint32_t *bits, uint64_t what, gemp_vertex slot)
{
	gemp_bits32_set(bits, slot);
	if (GEMP_RESERVE(r->log, r->log_capacity, r->log_count + 1) != GEMP_OK) {
		r->failed = r->full = true;
		return;
	}
	r->log[r->log_count++] = what << 32 | slot;
}

/* Clears the bits that the present task has added. */
static void undo_task(gemp_working_set *r, uint64_t bytes)
{
	while (r->log_count) {
		uint64_t one = r->log[--r->log_count], what = one >> 32;
		gemp_vertex slot = (gemp_vertex)one;
		uint32_t *bits = what & ROW_LOG ? r->need[what - ROW_LOG] : r->seen[what];
		gemp_bits32_clear(bits, slot);
	}
	r->bytes = bytes;
}

/* Tests the restrictions between a place, its parent and the pivots. No other restrictions are tested, so the set may
 * be larger than needed. */
static bool passes(const gemp_working_set *r, const gemp_closure_node *place, gemp_vertex parent, gemp_vertex slot)
{
	return gemp_closure_node_accepts(place, parent, slot, r->first, r->last, r->candidates[place->vertex]);
}

/* Adds an image of a place, the rows that are read of the image and, down to the depth, the images below it. Stops when
 * the budget is exceeded. */
static void add_image(gemp_working_set *r, size_t at, gemp_vertex slot)
{
	const gemp_closure *c = r->closure;
	uint64_t entry = gemp_fetch_entry_bytes(r->fetch);
	log_addition(r, r->seen[at], at, slot);
	for (uint32_t left = c->nodes[at].reads; left && !r->full; left &= left - 1) {
		size_t view = (size_t)__builtin_ctz(left);
		if (gemp_bits32_test(r->need[view], slot))
			continue;
		log_addition(r, r->need[view], ROW_LOG + view, slot);
		r->bytes += gemp_fetch_size(r->fetch, view, slot) * entry;
		r->full |= r->bytes > r->budget;
	}
	if (c->nodes[at].level == r->depth)
		return;
	for (size_t child = at + 1; child < c->count && !r->full; child++) {
		if (c->nodes[child].parent != (int)at)
			continue;
		gemp_row row = gemp_fetch_get(r->fetch, (size_t)c->nodes[child].view, slot);
		for (size_t i = 0; i < row.size && !r->full; i++)
			if (!gemp_bits32_test(r->seen[child], row.neighbours[i]) &&
			    passes(r, &c->nodes[child], slot, row.neighbours[i]))
				add_image(r, child, row.neighbours[i]);
	}
}

/* The set is built anew for each depth, since the rows of the next hop have been fetched since the last call. */
static void clear_sets(gemp_working_set *r, int depth)
{
	r->depth = depth;
	for (size_t i = 0; i < r->closure->count; i++)
		memset(r->seen[i], 0, r->words * sizeof **r->seen);
	for (size_t v = 0; v < r->fetch->view_count; v++)
		memset(r->need[v], 0, r->words * sizeof **r->need);
	r->bytes = 0;
	r->failed = false;
}

/* Adds a whole task. If the task exceeds the budget or memory runs out, removes the task from the set and returns
 * false. */
static bool add_task(gemp_working_set *r, const gemp_vertex *slots)
{
	uint64_t before = r->bytes;
	r->log_count = 0;
	r->full = false;
	for (size_t i = 0; i < r->closure->root_count && !r->full; i++)
		if (!gemp_bits32_test(r->seen[i], slots[i]))
			add_image(r, i, slots[i]);
	if (r->full)
		undo_task(r, before);
	return !r->full;
}

/* Pivots ascend, so all pivots of a range lie between the first and the last pivot of the range. Restrictions against
 * the pivot are tested against these two pivots. */
static void set_pivot_bounds(gemp_working_set *r, const gemp_root_tasks *tasks, size_t begin, size_t end)
{
	if (!r->pivots || begin == end)
		return;
	r->first = tasks->slots[begin];
	r->last = tasks->slots[end - 1];
}

/* Tasks are added in order until a task does not fit. If the first task exceeds first_budget, it is skipped and the
 * next task becomes the first. */
gemp_code gemp_working_set_extend(gemp_working_set *r, const gemp_root_tasks *tasks, size_t *begin, size_t *end,
                                  int depth, uint64_t budget, uint64_t first_budget, size_t *alone, size_t *alone_count)
{
	size_t roots = r->closure->root_count, at = *begin;
	clear_sets(r, depth);
	set_pivot_bounds(r, tasks, *begin, *end);
	for (; at < *end && !r->failed; at++) {
		r->budget = at == *begin ? first_budget : budget;
		if (add_task(r, tasks->slots + at * roots))
			continue;
		if (at > *begin || r->failed)
			break;
		alone[(*alone_count)++] = at;
		++*begin;
	}
	*end = at;
	return r->failed ? GEMP_ENOMEM : GEMP_OK;
}

enum { TASKS = 64 }; /* number of tasks that a thread takes at a time */

/* The arguments of mark_tasks. */
typedef struct mark_task {
	gemp_working_set *r;
	const gemp_vertex *slots;
} mark_task;

/* Works like add_image, but without a log and a budget, and for several threads at once. */
static void mark_image(gemp_working_set *r, size_t at, gemp_vertex slot)
{
	const gemp_closure *c = r->closure;
	for (uint32_t left = c->nodes[at].reads; left; left &= left - 1)
		gemp_bits32_set_atomic(r->need[__builtin_ctz(left)], slot);
	if (c->nodes[at].level == r->depth)
		return;
	for (size_t child = at + 1; child < c->count; child++) {
		if (c->nodes[child].parent != (int)at)
			continue;
		gemp_row row = gemp_fetch_get(r->fetch, (size_t)c->nodes[child].view, slot);
		for (size_t i = 0; i < row.size; i++)
			if (passes(r, &c->nodes[child], slot, row.neighbours[i]) &&
			    !gemp_bits32_set_atomic(r->seen[child], row.neighbours[i]))
				mark_image(r, child, row.neighbours[i]);
	}
}

/* If another task has already marked a root's image, the rows below it are not visited again. */
static void mark_tasks(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	mark_task *m = context;
	size_t roots = m->r->closure->root_count;
	for (size_t at = begin; at < end; at++)
		for (size_t i = 0; i < roots; i++)
			if (!gemp_bits32_set_atomic(m->r->seen[i], m->slots[at * roots + i]))
				mark_image(m->r, i, m->slots[at * roots + i]);
}

/* The bytes are counted after marking, since threads visit rows in any order. */
void gemp_working_set_extend_all(gemp_working_set *r, const gemp_root_tasks *tasks, size_t begin, size_t end, int depth)
{
	mark_task m = { r, tasks->slots + begin * r->closure->root_count };
	uint64_t entries = 0;
	clear_sets(r, depth);
	set_pivot_bounds(r, tasks, begin, end);
	gemp_for_chunks(end - begin, TASKS, mark_tasks, &m);
	for (size_t v = 0; v < r->fetch->view_count; v++)
		for (size_t w = 0; w < r->words; w++)
			for (uint32_t left = r->need[v][w]; left; left &= left - 1)
				entries += gemp_fetch_size(r->fetch, v, (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left)));
	r->bytes = entries * gemp_fetch_entry_bytes(r->fetch);
}
