#include "match/closure.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

typedef struct deriving {
	gemp_closure *out;
	const gemp_plan *plan;
	uint32_t reads[GEMP_MAX_PATTERN_VERTICES];
	int place_of[GEMP_MAX_PATTERN_VERTICES];    /* -1: its rows are not read */
} deriving;

/* RESTRICTIONS, and what follows from them. */
static void find_restrictions(deriving *d)
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

static bool less(const deriving *d, int v, int u)
{
	return d->out->before[v] >> u & 1;
}

/* ROWS that checks read. */
static gemp_entries entries_of(const deriving *d, const gemp_check *check)
{
	if (less(d, check->to, check->from))
		return GEMP_ENTRIES_BELOW;
	return less(d, check->from, check->to) ? GEMP_ENTRIES_ABOVE : GEMP_ENTRIES_ALL;
}

static void find_reads(deriving *d)
{
	gemp_closure *out = d->out;
	bool known[GEMP_MAX_VIEWS] = { false }, any[GEMP_MAX_VIEWS] = { false };
	for (size_t s = 0; s < d->plan->step_count; s++)
		for (size_t j = 0; j < d->plan->steps[s].check_count; j++) {
			const gemp_check *check = &d->plan->steps[s].checks[j];
			int v = check->view;
			gemp_entries entries = entries_of(d, check);
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

/* PLACES. One that is like another is the same. */
static int add(deriving *d, gemp_closure_place place)
{
	gemp_closure *out = d->out;
	place.level = place.parent < 0 ? 0 : out->places[place.parent].level + 1;
	for (size_t i = out->root_count; i < out->count && place.parent >= 0; i++) {
		gemp_closure_place *p = &out->places[i];
		if (p->parent == place.parent && p->view == place.view && p->above == place.above && p->below == place.below &&
		    p->above_pivot == place.above_pivot && p->below_pivot == place.below_pivot &&
		    p->candidates == place.candidates && (!p->candidates || p->vertex == place.vertex)) {
			p->reads |= place.reads;
			return (int)i;
		}
	}
	if (place.level > out->depth)
		out->depth = place.level;
	out->places[out->count] = place;
	return (int)out->count++;
}

static void add_root(deriving *d, const gemp_step *step)
{
	d->place_of[step->vertex] = add(d, (gemp_closure_place){ .vertex = step->vertex, .parent = -1, .view = -1,
	                                                          .reads = d->reads[step->vertex] });
	d->out->root_count++;
}

/* In the rows of the vertex nearest to the roots of those whose rows name it. */
static void add_extended(deriving *d, const gemp_step *step)
{
	const gemp_closure_place *places = d->out->places;
	int v = step->vertex, pivot = d->plan->pivot;
	const gemp_check *by = &step->checks[0];
	for (size_t j = 1; j < step->sources; j++)
		if (places[d->place_of[step->checks[j].from]].level < places[d->place_of[by->from]].level)
			by = &step->checks[j];
	gemp_closure_place place = { .vertex = v, .parent = d->place_of[by->from], .view = by->view, .reads = d->reads[v],
		.candidates = step->candidates, .above = less(d, by->from, v), .below = less(d, v, by->from) };
	place.above_pivot = pivot >= 0 && less(d, pivot, v);
	place.below_pivot = pivot >= 0 && less(d, v, pivot);
	d->place_of[v] = d->reads[v] ? add(d, place) : -1;
}

/* Rows that kernels go through beside those of checks: of neighbours of the pivot, for images of the vertices `to`. */
static void add_beside(deriving *d, const gemp_step *step, int near, int far, uint64_t to)
{
	bool above = step->greater >> d->plan->pivot & 1, below = step->less >> d->plan->pivot & 1;
	d->out->toward[step->vertex][far] |= to;
	d->out->toward[d->plan->pivot][near] |= BIT(step->vertex);
	int place = add(d, (gemp_closure_place){ .vertex = step->vertex, .parent = d->place_of[d->plan->pivot], .view = near,
	                             .reads = UINT32_C(1) << far, .candidates = step->candidates, .above = above,
	                             .below = below, .above_pivot = above, .below_pivot = below });
	d->out->places_of[step->vertex] |= BIT(place);
	d->out->entries[far] = GEMP_ENTRIES_ALL;
	if (d->out->entries[near] != (above ? GEMP_ENTRIES_ABOVE : GEMP_ENTRIES_BELOW) || !(above || below))
		d->out->entries[near] = GEMP_ENTRIES_ALL;
	d->out->named[far] = d->out->named[near] = 0;
}

static void add_marks(deriving *d)
{
	gemp_marks marks;
	gemp_marks_plan(&marks, d->plan);
	for (size_t m = 0; m < marks.count; m++) {
		uint64_t to = 0;
		for (size_t s = 0; s < d->plan->step_count; s++)
			to |= marks.reach[s] == (int)m ? BIT(d->plan->steps[s].vertex) : 0;
		if (marks.marks[m].through >= 0)
			add_beside(d, &d->plan->steps[marks.marks[m].through], marks.marks[m].view, marks.marks[m].far, to);
	}
}

/* Of a last vertex that is counted by a table. */
static void add_table(deriving *d)
{
	const gemp_step *last = &d->plan->steps[d->plan->step_count - 1];
	int near = last->checks[0].view, far = last->checks[1].view, other = last->checks[1].from;
	add_beside(d, last, near, far, BIT(other));
	for (int v = 0; v < d->plan->vertex_count; v++) /* is it counted, too? */
		if (last->differ >> v & 1 && v != other && v != d->plan->pivot) {
			d->out->toward[d->plan->pivot][near] |= BIT(v);
			d->out->toward[other][far] |= BIT(v);
			d->out->toward[v][far] |= BIT(other);
		}
}

void gemp_closure_of(gemp_closure *out, const gemp_plan *plan, bool marks)
{
	deriving d = { .out = out, .plan = plan };
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
		out->places_of[v] = d.place_of[v] >= 0 ? BIT(d.place_of[v]) : 0;
	if (plan->two_paths)
		add_table(&d);
	if (marks)
		add_marks(&d);
}
