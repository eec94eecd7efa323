#include "match/codegen/adjacency_marks.h"

#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

/* Steps of kind GEMP_BIND_EDGE are skipped: such a step names a vertex that an earlier step has bound. */
int gemp_binding_step(const gemp_plan *plan, int vertex)
{
	int s = 0;
	while (plan->steps[s].kind == GEMP_BIND_EDGE || plan->steps[s].vertex != vertex)
		s++;
	return s;
}

/* The kernel walks the row of the source that was bound last, since this row cannot have a mark yet. */
size_t gemp_latest_source(const gemp_plan *plan, int s)
{
	const gemp_step *step = &plan->steps[s];
	size_t latest = 0;
	for (size_t j = 1; j < step->sources; j++)
		if (gemp_binding_step(plan, step->checks[j].from) > gemp_binding_step(plan, step->checks[latest].from))
			latest = j;
	return latest;
}

/* The opposite view has the other direction and the same relations. A view of both directions is its own opposite. */
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

/* The number of steps whose vertices are enumerated. A plan with two-paths counts its last vertex by a table, so the
 * last step is not among them. */
static int enumerated(const gemp_plan *plan)
{
	return (int)plan->step_count - plan->two_paths;
}

/* True if the row that check j of step s reads should be marked. A mark pays if the row is tested more often than the
 * row's vertex is bound, that is, if at least one other vertex is bound between the row's vertex and the tested vertex.
 * The row that the step walks needs no mark. */
static bool worth_marking(const gemp_plan *plan, int s, size_t j)
{
	const gemp_step *step = &plan->steps[s];
	int from = gemp_binding_step(plan, step->checks[j].from), at = gemp_binding_step(plan, step->vertex);
	bool walked = step->kind == GEMP_EXTEND && j == gemp_latest_source(plan, s);
	return at > plan->root && from >= plan->root && from + 2 <= at && !(plan->arguments && from == plan->root) &&
	       !walked;
}

/* Returns the index of the new mark, or -1 if all bits of a worker's byte are taken. A check without a mark is a search
 * in the row. */
static int add(gemp_adjacency_marks *out, const gemp_adjacency_mark *mark)
{
	if (out->count == GEMP_MAX_MARKS)
		return -1;
	out->marks[out->count] = *mark;
	return (int)out->count++;
}

/* Marks the row of the vertex of step `from` for the checks of step s. `first` is the first step that tests the mark.
 * Checks that read the same row share a mark. A shared mark keeps only the bounds that all of its checks have. */
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

/* Marks the rows of the vertex of step `from` for all checks that read these rows. Callers begin with the outermost
 * vertices, because marks of outer vertices are set least often and looked up most often. */
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

/* Returns the check that requires an edge between the vertex of step s and the vertex `from`, or NULL if no check
 * does. */
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

/* Returns an upper bound of the distance between the pivot and the vertex of step s along vertices that are bound
 * before step s. If this distance is small, a reach mark rejects too few candidates to pay. */
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

/* Adds a reach mark for the vertex of step s if the later step t binds a vertex that is adjacent to both the pivot and
 * the vertex of step s. The vertex of step s must then have a neighbour in the pivot's row. */
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

/* TABLES of two-paths: the checks that show which bound vertices a table has counted. */
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

/* A table of two-paths also counts bound vertices as images of the last vertex. A bound vertex that lies in both rows
 * must be subtracted. This function adds marks of these rows, by which the kernel finds such vertices. */
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

/* The last vertex is not enumerated, so the kernel looks these marks up where it reads the table. */
unsigned gemp_adjacency_marks_of_leaf(const gemp_adjacency_marks *marks)
{
	unsigned bits = marks->leaf_pivot >= 0 ? 1u << marks->leaf_pivot : 0;
	for (size_t v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		bits |= marks->leaf[v] >= 0 ? 1u << marks->leaf[v] : 0;
	return bits;
}

/* Sets all indices to -1, so every check is a search in a row. */
void gemp_adjacency_marks_none(gemp_adjacency_marks *out)
{
	out->count = 0;
	memset(out->row, -1, sizeof out->row);
	memset(out->reach, -1, sizeof out->reach);
	memset(out->leaf, -1, sizeof out->leaf);
	out->leaf_pivot = -1;
}

/* The pivot's marks come first, since they are set for every pivot and must get a bit. A plan with given vertices has
 * no marks of the root, because a task is not one pivot. */
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

/* A later BIND_EDGE step of the same vertex requires that the edge exists. Its row is therefore tested when the vertex
 * is bound. */
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
