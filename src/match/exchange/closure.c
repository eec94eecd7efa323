#include "match/exchange/closure.h"

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
