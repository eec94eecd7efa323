#include "match/codegen/nested_shape.h"

#include "core/search.h"

#define BIT(i) (UINT64_C(1) << (i))

/* True if the set of filters contains this membership test. */
static bool asks_for(const gemp_nested_filters *filters, const gemp_row_filter *row)
{
	for (size_t i = 0; i < filters->row_count; i++) {
		const gemp_row_filter *own = &filters->rows[i];
		if (own->view == row->view && own->from == row->from && own->absent == row->absent)
			return true;
	}
	return false;
}

/* Leaves out filters that need a vertex outside `seen`, and `differ` restrictions that cannot fail. */
void gemp_nested_filters_of(gemp_nested_filters *out, const gemp_plan *plan, const gemp_step *step, uint64_t seen)
{
	*out = (gemp_nested_filters){ .candidates = step->candidates ? step->vertex : -1,
		                          .differ = step->differ & seen,
		                          .less = step->less & seen,
		                          .greater = step->greater & seen,
		                          .same = step->same & seen,
		                          .key_less = step->key_less & seen,
		                          .key_max = step->key_le & seen,
		                          .key_greater = step->key_greater & seen,
		                          .key_min = step->key_ge & seen };
	for (size_t j = 0; j < step->check_count; j++) {
		const gemp_check *check = &step->checks[j];
		bool own = check->from == step->vertex;
		gemp_row_filter row = { check->view, own ? -1 : check->from, check->absent, j < step->sources };
		if ((!own && !(seen >> check->from & 1)) || asks_for(out, &row))
			continue;
		out->rows[out->row_count++] = row;
		if (!own && !check->absent && plan->views[check->view].simple) /* no vertex lies in its own row */
			out->differ &= ~BIT(check->from);
	}
}

/* True if every candidate that passes b also passes a. */
static bool filters_within(const gemp_nested_filters *a, const gemp_nested_filters *b)
{
	for (size_t i = 0; i < a->row_count; i++)
		if (!asks_for(b, &a->rows[i]))
			return false;
	uint64_t more = (a->differ & ~(b->differ | b->less | b->greater)) | (a->less & ~b->less) |
	                (a->greater & ~b->greater) | (a->same & ~b->same) | (a->key_less & ~b->key_less) |
	                (a->key_max & ~b->key_max) | (a->key_greater & ~b->key_greater) | (a->key_min & ~b->key_min);
	return !more && (a->candidates < 0 || a->candidates == b->candidates);
}

/* The filters of b that must be tested for a candidate that has passed a. */
void gemp_nested_filters_minus(gemp_nested_filters *out, const gemp_nested_filters *b, const gemp_nested_filters *a)
{
	*out = (gemp_nested_filters){ .candidates = a->candidates == b->candidates ? -1 : b->candidates,
		                          .differ = b->differ & ~a->differ,
		                          .less = b->less & ~a->less,
		                          .greater = b->greater & ~a->greater,
		                          .same = b->same & ~a->same,
		                          .key_less = b->key_less & ~a->key_less,
		                          .key_max = b->key_max & ~a->key_max,
		                          .key_greater = b->key_greater & ~a->key_greater,
		                          .key_min = b->key_min & ~a->key_min };
	for (size_t i = 0; i < b->row_count; i++)
		if (!asks_for(a, &b->rows[i]))
			out->rows[out->row_count++] = b->rows[i];
}

/* A row is a source if it contains each candidate exactly once. A row of a view with parallel edges is not a source. */
uint64_t gemp_nested_filters_sources(const gemp_nested_filters *filters)
{
	uint64_t sources = 0;
	for (size_t i = 0; i < filters->row_count; i++)
		sources |= filters->rows[i].source ? BIT(i) : 0;
	return sources;
}

/* True if the tests read memory other than one row: further rows, a bitmap or key ranks. */
static bool filters_expensive(const gemp_nested_filters *f)
{
	return f->row_count > 1 || f->candidates >= 0 || f->key_less || f->key_max || f->key_greater || f->key_min;
}

/* Nested loops only count, and bind a vertex on each level. The state machine runs plans with edges, given vertices or
 * profiles. */
bool gemp_nested_supports(const gemp_plan *plan, const gemp_emit_options *options)
{
	return options->all_resident && !options->listed && !options->wide && !options->profile && !plan->live_edges &&
	       !plan->arguments && !plan->two_paths && !options->per && plan->vertex_count >= 3 &&
	       plan->step_count == (size_t)plan->vertex_count && plan->step_count <= GEMP_MAX_LEVELS;
}

/* Level i binds the vertex of step i, because plans that bind edges have no nested loops. */
uint64_t gemp_nested_bound(const gemp_plan *plan, int level)
{
	uint64_t seen = 0;
	for (int s = 0; s <= level; s++)
		seen |= BIT(plan->steps[s].vertex);
	return seen;
}

/* The level that binds the last of the vertices whose rows contain all candidates. */
static int ready(const gemp_plan *plan, const gemp_nested_filters *filters)
{
	int latest = 0;
	for (size_t i = 0; i < filters->row_count; i++)
		if (filters->rows[i].source && gemp_binding_step(plan, filters->rows[i].from) > latest)
			latest = gemp_binding_step(plan, filters->rows[i].from);
	return latest;
}

/* The set of candidates of a step that pass the filters of the vertices on levels up to `before`. The set is made as
 * early as possible, but on level `earliest` or later. */
static gemp_nested_set set_of(const gemp_plan *plan, int step, int before, int earliest)
{
	gemp_nested_set set = { .base = -1 };
	gemp_nested_filters_of(&set.filters, plan, &plan->steps[step], gemp_nested_bound(plan, before));
	set.level = ready(plan, &set.filters);
	if (set.level < earliest)
		set.level = earliest;
	gemp_nested_filters_of(&set.filters, plan, &plan->steps[step], gemp_nested_bound(plan, set.level));
	set.rest = set.filters;
	return set;
}

/* True if the vertices of steps a and b are twins: the same filters apply to both, and neither has a bitmap of its
 * own. */
static bool alike(const gemp_plan *plan, int a, int b, uint64_t seen)
{
	gemp_nested_filters f, g;
	gemp_nested_filters_of(&f, plan, &plan->steps[a], seen);
	gemp_nested_filters_of(&g, plan, &plan->steps[b], seen);
	return f.candidates < 0 && g.candidates < 0 && filters_within(&f, &g) && filters_within(&g, &f);
}

/* Finds how the twins are restricted among themselves. Twins that are ordered by slot count each set once, twins that
 * must differ count sequences of different vertices, and free twins count all sequences. Returns false if other
 * restrictions bind the twins. */
static bool ways_between(const gemp_plan *plan, int first, int last, gemp_twin_ways *ways)
{
	bool less = true, greater = true, differ = true, free = true;
	uint64_t before = gemp_nested_bound(plan, first - 1), twins = 0;
	for (int s = first; s <= last; s++) {
		const gemp_step *step = &plan->steps[s];
		gemp_nested_filters all;
		gemp_nested_filters_of(&all, plan, step, ~UINT64_C(0));
		for (size_t i = 0; i < all.row_count; i++)
			if (all.rows[i].from >= 0 && !(before >> all.rows[i].from & 1))
				return false;
		if ((step->same | step->key_less | step->key_le | step->key_greater | step->key_ge) & ~before)
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

/* Twins at the end of the plan are not enumerated. A formula counts the ways in which they choose among n
 * candidates. */
static void find_twins(gemp_nested *n, const gemp_plan *plan)
{
	int last = plan->vertex_count - 1;
	n->twins = 1;
	for (int first = last - 1; first >= 2; first--) {
		gemp_twin_ways ways;
		if (!alike(plan, first, last, gemp_nested_bound(plan, first - 1)) || !ways_between(plan, first, last, &ways))
			break;
		n->twins = last - first + 1;
		n->ways = ways;
	}
	n->levels = plan->vertex_count - n->twins + 1;
}

/* In plans of four or more levels: if no source of the last level is the row of the vertex just before, the last level
 * walks a list, provided that its tests are expensive. If a source is that row and another row is also a source, the
 * last level uses marks. */
static void choose_leaf(gemp_nested *n, const gemp_plan *plan)
{
	int leaf = n->levels - 1;
	gemp_nested_filters all;
	gemp_nested_filters_of(&all, plan, &plan->steps[leaf], gemp_nested_bound(plan, leaf - 1));
	bool hangs = ready(plan, &all) == leaf - 1;
	n->leaf = GEMP_LEAF_SEARCH;
	if (n->levels < 4)
		return;
	n->marks = set_of(plan, leaf, leaf - (hangs ? 2 : 1), hangs ? 0 : 1);
	if (!hangs && filters_expensive(&n->marks.filters))
		n->leaf = GEMP_LEAF_LISTED;
	if (hangs && gemp_nested_filters_sources(&n->marks.filters))
		n->leaf = GEMP_LEAF_MARKED;
}

/* True if the list of level s could be the base of this set. */
static bool serves(const gemp_plan *plan, int s, const gemp_nested_set *set)
{
	gemp_nested_set mine = set_of(plan, s, s - 1, 1);
	return mine.filters.row_count > 1 && mine.level <= set->level && filters_within(&mine.filters, &set->filters);
}

/* A set with expensive filters is listed on the last level but one, or if several candidates of the level before reuse
 * it. Any set is listed if a later list, or the set of the last level, can be made from it. */
static void choose_listed(const gemp_nested *n, const gemp_plan *plan, bool *listed)
{
	int last = n->levels - 2;
	for (int s = last; s >= 2; s--) {
		gemp_nested_set set = set_of(plan, s, s - 1, 1);
		listed[s] = (s == last || set.level < s - 1) && filters_expensive(&set.filters);
		for (int t = s + 1; t <= last && !listed[s]; t++) {
			gemp_nested_set later = set_of(plan, t, t - 1, 1);
			listed[s] = listed[t] && serves(plan, s, &later);
		}
		listed[s] |= n->leaf != GEMP_LEAF_SEARCH && serves(plan, s, &n->marks);
	}
}

/* Chooses as base the list whose filters test the most rows; of several such lists, the latest. */
static void find_base(const gemp_nested *n, gemp_nested_set *set)
{
	for (size_t l = 0; l < n->list_count; l++) {
		const gemp_nested_set *list = &n->lists[l];
		if (list->level <= set->level && filters_within(&list->filters, &set->filters) &&
		    (set->base < 0 || list->filters.row_count >= n->lists[set->base].filters.row_count))
			set->base = (int)l;
	}
	if (set->base >= 0)
		gemp_nested_filters_minus(&set->rest, &set->filters, &n->lists[set->base].filters);
}

/* If an older list has the same filters, that list is used. */
static int add_list(gemp_nested *n, gemp_nested_set set)
{
	find_base(n, &set);
	if (set.base >= 0 && filters_within(&set.filters, &n->lists[set.base].filters))
		return set.base;
	n->lists[n->list_count] = set;
	return (int)n->list_count++;
}

/* Chooses the levels, then what the last level reads, then the lists of the levels above. A list may be made from an
 * earlier list. */
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

typedef enum row_part { WHOLE, BEFORE, AFTER } row_part;

/* Counts the entries of a row that are less or greater than the row's own slot, or all entries. */
static uint64_t entries_of(const gemp_view *view, size_t row, row_part part)
{
	uint64_t entries = view->begin[row + 1] - view->begin[row];
	if (part == WHOLE)
		return entries;
	uint64_t before = gemp_lower_bound_u32(view->neighbours + view->begin[row], entries, row + (part == AFTER));
	return part == BEFORE ? before : entries - before;
}

/* A row that is not longer than the longest part so far cannot have a longer part, so it is not searched. A device
 * that has made the rows has found the longest parts. */
static uint64_t longest_part(const gemp_view *view, row_part part)
{
	uint64_t most = 0;
	if (!view->neighbours)
		return view->longest[part == AFTER];
	for (size_t r = 0; r < view->rows; r++) {
		uint64_t entries = view->begin[r + 1] - view->begin[r] > most ? entries_of(view, r, part) : 0;
		most = entries > most ? entries : most;
	}
	return most;
}

/* The candidates of a list lie in each of its source rows, so the least bound of these rows bounds the list. */
static uint64_t list_bound(const gemp_nested_filters *filters, const gemp_view *views, size_t view_count,
                           uint64_t longest)
{
	uint64_t bound = longest;
	for (size_t i = 0; i < filters->row_count; i++) {
		const gemp_row_filter *row = &filters->rows[i];
		if (!row->source || row->absent || row->from < 0 || row->view >= (int)view_count)
			continue;
		row_part part = filters->less >> row->from & 1 ? BEFORE : filters->greater >> row->from & 1 ? AFTER : WHOLE;
		if (part != WHOLE)
			bound = gemp_min(bound, longest_part(&views[row->view], part));
	}
	return bound;
}

/* All lists of a worker have the same capacity, so one multiplication finds a list. */
uint64_t gemp_nested_list_capacity(const gemp_nested *nested, const gemp_view *views, size_t view_count,
                                   uint64_t longest)
{
	uint64_t capacity = 1;
	for (size_t l = 0; l < nested->list_count; l++) {
		uint64_t bound = list_bound(&nested->lists[l].filters, views, view_count, longest);
		capacity = gemp_max(capacity, bound);
	}
	return capacity;
}
