#include "match/codegen/adjacency_marks.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

/* A step that binds an edge names the vertex at its end, which an earlier step has bound. */
int gemp_binding_step(const gemp_plan *plan, int vertex)
{
	int s = 0;
	while (plan->steps[s].kind == GEMP_BIND_EDGE || plan->steps[s].vertex != vertex)
		s++;
	return s;
}

/* The row of the vertex that was bound last cannot have a mark yet, so that it is the one to walk. */
size_t gemp_latest_source(const gemp_plan *plan, int s)
{
	const gemp_step *step = &plan->steps[s];
	size_t latest = 0;
	for (size_t j = 1; j < step->sources; j++)
		if (gemp_binding_step(plan, step->checks[j].from) > gemp_binding_step(plan, step->checks[latest].from))
			latest = j;
	return latest;
}

/* An edge is in the row of either end if there is a view of the other direction over the same relations. */
int gemp_opposite_view(const gemp_plan *plan, int view)
{
	const gemp_plan_view *v = &plan->views[view];
	if (v->direction == 2)
		return view;
	for (size_t w = 0; w < plan->view_count; w++)
		if (plan->views[w].direction == 1 - v->direction &&
		    !memcmp(plan->views[w].relations, v->relations, plan->relation_count * sizeof *v->relations))
			return (int)w;
	return -1;
}

/* The pattern vertices that steps up to s have bound, as bits. */
static uint64_t bound_until(const gemp_plan *plan, int s)
{
	uint64_t bound = 0;
	for (int i = 0; i <= s; i++)
		if (plan->steps[i].kind != GEMP_BIND_EDGE)
			bound |= BIT(plan->steps[i].vertex);
	return bound;
}

/* The steps whose vertices are enumerated. The last vertex of a plan by two-paths is counted by a table and needs no
 * marks of its own. */
static int enumerated(const gemp_plan *plan)
{
	return (int)plan->step_count - plan->two_paths;
}

/* Is the row that check j of step s reads worth marking? It is if the row is tested more often than its vertex is
 * bound: at least one other vertex is bound in between, and the row is not the one that is walked. */
static bool worth_marking(const gemp_plan *plan, int s, size_t j)
{
	const gemp_step *step = &plan->steps[s];
	int from = gemp_binding_step(plan, step->checks[j].from), at = gemp_binding_step(plan, step->vertex);
	bool walked = step->kind == GEMP_EXTEND && j == gemp_latest_source(plan, s);
	return at > plan->root && from >= plan->root && from + 2 <= at && !(plan->arguments && from == plan->root) &&
	       !walked;
}

/* Returns the number of the mark, or -1 where all bits of a worker's byte are taken: the check is then a search in the
 * row. */
static int add(gemp_adjacency_marks *out, const gemp_adjacency_mark *mark)
{
	if (out->count == GEMP_MAX_MARKS)
		return -1;
	out->marks[out->count] = *mark;
	return (int)out->count++;
}

/* Marks the row of the vertex of step `from` for the checks of step s, from step `first` on. Checks that read the same
 * row share a mark, whose bounds become the loosest that both need. */
static int mark_row(gemp_adjacency_marks *out, const gemp_plan *plan, int from, int view, int s, int first)
{
	const gemp_step *step = &plan->steps[s];
	uint64_t bound = bound_until(plan, from);
	for (size_t m = 0; m < out->count; m++) {
		gemp_adjacency_mark *known = &out->marks[m];
		if (known->via_step < 0 && known->step == from && known->view == view) {
			known->above &= step->greater;
			known->below &= step->less;
			return (int)m;
		}
	}
	return add(out, &(gemp_adjacency_mark){ .step = from,
	                                        .view = view,
	                                        .above = step->greater & bound,
	                                        .below = step->less & bound,
	                                        .via_step = -1,
	                                        .first = first });
}

/* Outer vertices first: their marks are set seldom and looked at most. */
static void mark_rows_of(gemp_adjacency_marks *out, const gemp_plan *plan, int from)
{
	for (int s = plan->root + 1; s < enumerated(plan); s++)
		for (size_t j = 0; j < plan->steps[s].check_count; j++) {
			const gemp_check *check = &plan->steps[s].checks[j];
			int to = gemp_binding_step(plan, check->to);
			if (worth_marking(plan, s, j) && gemp_binding_step(plan, check->from) == from)
				out->row[s][j] = (int8_t)mark_row(out, plan, from, check->view, to, to);
		}
}

/* Returns the check by which t, the vertex bound at step s, is adjacent to `from`; NULL where they need not be
 * adjacent. */
static const gemp_check *adjacency(const gemp_plan *plan, int s, int from)
{
	int t = plan->steps[s].vertex;
	for (size_t i = (size_t)s; i < plan->step_count; i++)
		for (size_t j = 0; j < plan->steps[i].check_count && plan->steps[i].vertex == t; j++) {
			const gemp_check *check = &plan->steps[i].checks[j];
			if (check->from == from && check->to == t && !check->absent)
				return check;
		}
	return NULL;
}

/* Returns an upper bound of the distance between the pivot and the vertex of step s, along vertices bound before it.
 * Within two steps a mark of reachable vertices would reject too few candidates to pay. */
static int distance(const gemp_plan *plan, int s)
{
	int least = s == plan->root ? 0 : GEMP_MAX_STEPS;
	for (int u = plan->root; u < s; u++)
		if (plan->steps[u].kind != GEMP_BIND_EDGE && adjacency(plan, s, plan->steps[u].vertex)) {
			int by = distance(plan, u) + 1;
			least = by < least ? by : least;
		}
	return least;
}

/* The vertex of step s is closed to the pivot by that of step t: then it has a neighbour in the pivot's row. */
static void mark_reach(gemp_adjacency_marks *out, const gemp_plan *plan, int s, int t)
{
	const gemp_step *step = &plan->steps[s];
	const gemp_check *near = adjacency(plan, t, plan->pivot), *far = adjacency(plan, t, step->vertex);
	int back = far ? gemp_opposite_view(plan, far->view) : -1, known = distance(plan, s);
	bool few = plan->steps[t].candidates && !(plan->ranges >> plan->steps[t].vertex & 1);
	bool tells = known > 2 || (known == 2 && few);
	if (!near || back < 0 || !tells || out->reach[s] >= 0)
		return;
	uint64_t bound = BIT(plan->pivot);
	gemp_adjacency_mark mark = { .step = plan->root,
		                         .view = near->view,
		                         .above = step->greater & bound,
		                         .below = step->less & bound,
		                         .via_step = t,
		                         .via_view = back,
		                         .first = s };
	out->reach[s] = (int8_t)add(out, &mark);
}

/* TABLES of two-paths: which of the bound vertices they have counted. */
bool gemp_leaf_joined(const gemp_plan *plan, int a, int b, int view)
{
	for (size_t s = 0; s + 1 < plan->step_count; s++)
		for (size_t c = 0; c < plan->steps[s].check_count; c++) {
			const gemp_check *check = &plan->steps[s].checks[c];
			if (check->view == view && !check->absent &&
			    ((check->from == a && check->to == b) || (check->from == b && check->to == a)))
				return true;
		}
	return false;
}

/* A table of two-paths has counted bound vertices as images of the last vertex, too. Whether a bound vertex lies in
 * both rows is looked up by marks where they exist. */
static void mark_for_leaf(gemp_adjacency_marks *out, const gemp_plan *plan)
{
	const gemp_step *leaf = &plan->steps[plan->step_count - 1];
	const gemp_check *near = &leaf->checks[0], *far = &leaf->checks[1];
	int last = enumerated(plan) - 1, end = gemp_binding_step(plan, far->from);
	for (int s = plan->root + 1; s <= last; s++) {
		int v = plan->steps[s].vertex;
		if (s == end || !(leaf->differ >> v & 1))
			continue;
		if (!gemp_leaf_joined(plan, v, plan->pivot, near->view))
			out->leaf_pivot = (int8_t)mark_row(out, plan, plan->root, near->view, s, last);
		if (!gemp_leaf_joined(plan, v, far->from, far->view))
			out->leaf[v] = (int8_t)mark_row(out, plan, s < end ? s : end, far->view, s < end ? end : s, last);
	}
}

/* The last vertex is not enumerated, so that its marks are looked at where the table is read. */
unsigned gemp_adjacency_marks_of_leaf(const gemp_adjacency_marks *marks)
{
	unsigned bits = marks->leaf_pivot >= 0 ? 1u << marks->leaf_pivot : 0;
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		bits |= marks->leaf[v] >= 0 ? 1u << marks->leaf[v] : 0;
	return bits;
}

/* All indices are -1, so that every check is a search in a row. */
void gemp_adjacency_marks_none(gemp_adjacency_marks *out)
{
	out->count = 0;
	memset(out->row, -1, sizeof out->row);
	memset(out->reach, -1, sizeof out->reach);
	memset(out->leaf, -1, sizeof out->leaf);
	out->leaf_pivot = -1;
}

/* The pivot's marks come first, since they are certain; given vertices have no task of their own to which a mark could
 * belong, so that their plans have none. */
void gemp_adjacency_marks_plan(gemp_adjacency_marks *out, const gemp_plan *plan)
{
	gemp_adjacency_marks_none(out);
	if (!plan->arguments)
		mark_rows_of(out, plan, plan->root);
	for (int s = plan->root + 1; s < enumerated(plan) && !plan->arguments; s++)
		for (int t = s + 1; t < enumerated(plan) && plan->steps[s].kind == GEMP_EXTEND; t++)
			if (plan->steps[t].kind == GEMP_EXTEND)
				mark_reach(out, plan, s, t);
	for (int from = plan->root + 1; from < enumerated(plan); from++)
		mark_rows_of(out, plan, from);
	if (plan->two_paths)
		mark_for_leaf(out, plan);
}

/* An edge that is bound later between the same vertices must exist, so that its row is looked at when its vertex is
 * bound. */
void gemp_adjacency_marks_of_step(const gemp_adjacency_marks *marks, const gemp_plan *plan, int s, unsigned *there,
                                  unsigned *absent)
{
	*there = marks->reach[s] >= 0 ? 1u << marks->reach[s] : 0;
	*absent = 0;
	for (int i = s; i < enumerated(plan) && plan->steps[i].vertex == plan->steps[s].vertex; i++)
		for (size_t j = 0; j < plan->steps[i].check_count; j++)
			if (marks->row[i][j] >= 0)
				*(plan->steps[i].checks[j].absent ? absent : there) |= 1u << marks->row[i][j];
}
