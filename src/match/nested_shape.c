#include "match/nested_shape.h"

#define BIT(i) (UINT64_C(1) << (i))

bool gemp_nested_takes(const gemp_plan *plan, const gemp_emit_options *options)
{
	return options->all_resident && !options->listed && !options->wide && !options->profile && !plan->live_edges &&
	       !plan->given && !plan->two_paths && !options->per && plan->vertex_count >= 3 &&
	       plan->step_count == (size_t)plan->vertex_count && plan->step_count <= GEMP_MOST_LEVELS;
}

uint64_t gemp_nested_seen(const gemp_plan *plan, int level)
{
	uint64_t seen = 0;
	for (int s = 0; s <= level; s++)
		seen |= BIT(plan->steps[s].vertex);
	return seen;
}

static int level_of(const gemp_plan *plan, int vertex)
{
	int s = 0;
	while (plan->steps[s].vertex != vertex)
		s++;
	return s;
}

/* The level on which the last of the rows that give candidates is known. */
static int ready(const gemp_plan *plan, const gemp_filters *filters)
{
	int latest = 0;
	for (size_t i = 0; i < filters->row_count; i++)
		if (filters->rows[i].source && level_of(plan, filters->rows[i].from) > latest)
			latest = level_of(plan, filters->rows[i].from);
	return latest;
}

static gemp_nested_set set_of(const gemp_plan *plan, int step, int before, int earliest)
{
	gemp_nested_set set = { .base = -1 };
	gemp_filters_of(&set.filters, plan, &plan->steps[step], gemp_nested_seen(plan, before));
	set.level = ready(plan, &set.filters);
	if (set.level < earliest)
		set.level = earliest;
	gemp_filters_of(&set.filters, plan, &plan->steps[step], gemp_nested_seen(plan, set.level));
	set.rest = set.filters;
	return set;
}

/* TWINS: vertices at the end that the same rows bind, not one another's. */
static bool alike(const gemp_plan *plan, int a, int b, uint64_t seen)
{
	gemp_filters f, g;
	gemp_filters_of(&f, plan, &plan->steps[a], seen);
	gemp_filters_of(&g, plan, &plan->steps[b], seen);
	return f.candidates < 0 && g.candidates < 0 && gemp_filters_within(&f, &g) && gemp_filters_within(&g, &f);
}

static bool ways_between(const gemp_plan *plan, int first, int last, gemp_twin_ways *ways)
{
	bool less = true, greater = true, differ = true, free = true;
	uint64_t before = gemp_nested_seen(plan, first - 1), twins = 0;
	for (int s = first; s <= last; s++) {
		const gemp_step *step = &plan->steps[s];
		gemp_filters all;
		gemp_filters_of(&all, plan, step, ~UINT64_C(0));
		for (size_t i = 0; i < all.row_count; i++)
			if (all.rows[i].from >= 0 && !(before >> all.rows[i].from & 1))
				return false;
		if ((step->same | step->key_less | step->key_most | step->key_greater | step->key_least) & ~before)
			return false;
		less &= (step->less & twins) == twins;
		greater &= (step->greater & twins) == twins;
		differ &= (step->differ & twins) == twins && !((step->less | step->greater) & twins);
		free &= !((step->differ | step->less | step->greater) & twins);
		twins |= BIT(step->vertex);
	}
	*ways = less || greater ? GEMP_TWINS_UNORDERED : differ ? GEMP_TWINS_ORDERED : GEMP_TWINS_FREE;
	return less || greater || differ || free;
}

static void find_twins(gemp_nested *n, const gemp_plan *plan)
{
	int last = plan->vertex_count - 1;
	n->twins = 1;
	for (int first = last - 1; first >= 2; first--) {
		gemp_twin_ways ways;
		if (!alike(plan, first, last, gemp_nested_seen(plan, first - 1)) || !ways_between(plan, first, last, &ways))
			break;
		n->twins = last - first + 1;
		n->ways = ways;
	}
	n->levels = plan->vertex_count - n->twins + 1;
}

/* SETS. */
static void choose_leaf(gemp_nested *n, const gemp_plan *plan)
{
	int leaf = n->levels - 1;
	gemp_filters all;
	gemp_filters_of(&all, plan, &plan->steps[leaf], gemp_nested_seen(plan, leaf - 1));
	bool hangs = ready(plan, &all) == leaf - 1;
	n->leaf = GEMP_LEAF_SEARCH;
	if (n->levels < 4)
		return;
	n->marks = set_of(plan, leaf, leaf - (hangs ? 2 : 1), hangs ? 0 : 1);
	if (!hangs && gemp_filters_costly(&n->marks.filters))
		n->leaf = GEMP_LEAF_LISTED;
	if (hangs && gemp_filters_sources(&n->marks.filters))
		n->leaf = GEMP_LEAF_MARKED;
}

/* Would a list for level s serve this set, too? */
static bool serves(const gemp_plan *plan, int s, const gemp_nested_set *set)
{
	gemp_nested_set mine = set_of(plan, s, s - 1, 1);
	return mine.filters.row_count > 1 && mine.level <= set->level && gemp_filters_within(&mine.filters, &set->filters);
}

static void choose_listed(const gemp_nested *n, const gemp_plan *plan, bool *listed)
{
	int last = n->levels - 2;
	for (int s = last; s >= 2; s--) {
		gemp_nested_set set = set_of(plan, s, s - 1, 1);
		listed[s] = (s == last || set.level < s - 1) && gemp_filters_costly(&set.filters);
		for (int t = s + 1; t <= last && !listed[s]; t++) {
			gemp_nested_set later = set_of(plan, t, t - 1, 1);
			listed[s] = listed[t] && serves(plan, s, &later);
		}
		listed[s] |= n->leaf != GEMP_LEAF_SEARCH && serves(plan, s, &n->marks);
	}
}

/* The list that leaves least to test. */
static void find_base(const gemp_nested *n, gemp_nested_set *set)
{
	for (size_t l = 0; l < n->list_count; l++) {
		const gemp_nested_set *list = &n->lists[l];
		if (list->level <= set->level && gemp_filters_within(&list->filters, &set->filters) &&
		    (set->base < 0 || list->filters.row_count >= n->lists[set->base].filters.row_count))
			set->base = (int)l;
	}
	if (set->base >= 0)
		gemp_filters_minus(&set->rest, &set->filters, &n->lists[set->base].filters);
}

static int add_list(gemp_nested *n, gemp_nested_set set)
{
	find_base(n, &set);
	if (set.base >= 0 && gemp_filters_within(&set.filters, &n->lists[set.base].filters))
		return set.base;
	n->lists[n->list_count] = set;
	return (int)n->list_count++;
}

void gemp_nested_shape(gemp_nested *out, const gemp_plan *plan, const gemp_emit_options *options)
{
	bool listed[GEMP_MAX_PATTERN_VERTICES] = { false };
	*out = (gemp_nested){ .twins = 1, .levels = plan->vertex_count };
	if (options->by_formula)
		find_twins(out, plan);
	choose_leaf(out, plan);
	choose_listed(out, plan, listed);
	for (int s = 0; s < GEMP_MAX_PATTERN_VERTICES; s++)
		out->list_of[s] = -1;
	for (int s = 2; s <= out->levels - 2; s++)
		if (listed[s])
			out->list_of[s] = add_list(out, set_of(plan, s, s - 1, 1));
	if (out->leaf == GEMP_LEAF_LISTED)
		out->list_of[out->levels - 1] = add_list(out, out->marks);
	if (out->leaf == GEMP_LEAF_MARKED)
		find_base(out, &out->marks);
}
