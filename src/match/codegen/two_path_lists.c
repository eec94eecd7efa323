#include "match/codegen/two_path_lists.h"

static const gemp_step *last_step(const gemp_plan *plan)
{
	return &plan->steps[plan->step_count - 1];
}

/* The checks that lead to the last vertex from the pivot (near) and from the vertex that is bound last (far). */
static size_t far_check(const gemp_plan *plan)
{
	return gemp_latest_source(plan, (int)plan->step_count - 1);
}

static size_t near_check(const gemp_plan *plan)
{
	return 1 - far_check(plan);
}

int gemp_lists_view(const gemp_plan *plan)
{
	return gemp_opposite_view(plan, last_step(plan)->checks[far_check(plan)].view);
}

/* A view that is not simple can have an entry several times, and each would be a match. */
bool gemp_lists_possible(const gemp_plan *plan, const gemp_adjacency_marks *marks)
{
	const gemp_step *last = last_step(plan);
	const int s = (int)plan->step_count - 1;
	if (plan->arguments || plan->two_paths || plan->live_edges || last->kind != GEMP_EXTEND || last->edge >= 0 ||
	    last->sources != 2 || last->check_count != 2)
		return false;
	const gemp_check *near = &last->checks[near_check(plan)], *far = &last->checks[far_check(plan)];
	const int mark = marks->row[s][near_check(plan)], view = gemp_lists_view(plan);
	return near->from == plan->pivot && near->to == last->vertex && far->to == last->vertex && view >= 0 &&
	       gemp_binding_step(plan, far->from) >= plan->root + 2 && plan->views[near->view].simple &&
	       plan->views[far->view].simple && plan->views[view].simple && mark >= 0 &&
	       gemp_mark_certain(plan, &marks->marks[mark]);
}

void gemp_put_lists_worker(const gemp_match_emitter *m, uint32_t at)
{
	gemp_put(m->w, (int)at,
	         "__global uint *ends = lists + (ulong)gemp_worker() * (2ul * p.vertices + p.list_capacity + 1);\n"
	         "__global uint *list = ends + 2ul * p.vertices;\n"
	         "uint filled = resuming ? s[$] : 0;\n");
}

void gemp_put_lists_pivot(const gemp_match_emitter *m)
{
	gemp_put(m->w, last_step(m->plan)->checks[near_check(m->plan)].view,
	         "ulong walked = 0, cost = begin_$[v_%d + 1] - begin_$[v_%d];\nuint known = 0;\n", m->plan->pivot,
	         m->plan->pivot);
}

/* Opens a loop over the middles of the pivot's two-paths. */
static void put_middles(const gemp_match_emitter *m)
{
	gemp_put(m->w, last_step(m->plan)->checks[near_check(m->plan)].view,
	         "for (OFFSET k = begin_$[v_%d]; k < begin_$[v_%d + 1]; k++) {\nconst uint x = near_$[k];\n",
	         m->plan->pivot, m->plan->pivot);
	gemp_put(m->w, 0, "if (!(%s)) continue;\n", gemp_leaf_fits(m->plan, "x").text);
}

/* Opens a loop over the pivot's two-paths, whose end is y. */
static void put_two_paths(const gemp_match_emitter *m)
{
	put_middles(m);
	gemp_put(m->w, gemp_lists_view(m->plan),
	         "for (OFFSET l = begin_$[x]; l < begin_$[x + 1]; l++) {\nconst uint y = near_$[l];\n");
}

/* Like the cost of a reach mark, the number of two-paths is added up only when as much work was done as the pivot's row
 * is long. Lists are made when the rows walked so far are as long as the two-paths. The last step of cycle:4 in
 * translations then reads 190 million entries. It reads 232 million if lists wait for twice as many, and 159 million if
 * they wait for a quarter, which takes as long (AMD EPYC, 2 cores, 2026-11-29). */
static void put_cost(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "if (walked > cost && !known) {\ncost = 0; known = 1;\n");
	put_middles(m);
	gemp_put(m->w, gemp_lists_view(m->plan),
	         "cost += begin_$[x + 1] - begin_$[x];\n}\ncost = cost > p.list_capacity ? ~0ul : cost;\n}\n");
}

/* A counting sort: the first walk counts the middles of each y in ends[y][1], and the second one places the list of y
 * at its first middle. Middles ascend, and so does each list. */
static void put_filling(const gemp_match_emitter *m)
{
	put_two_paths(m);
	gemp_put(m->w, 0, "ends[2ul * y + 1]++;\n}\n}\nuint next = 1;\n");
	put_two_paths(m);
	gemp_put(m->w, 0,
	         "__global uint *end = ends + 2ul * y;\n"
	         "if (!end[0]) {\nend[0] = next; next += end[1]; end[1] = end[0];\n}\n"
	         "list[end[1]++] = x;\n}\n}\nfilled = 1;\n");
}

/* A worker that resumes within a row does not change to a list. */
void gemp_put_lists(const gemp_match_emitter *m)
{
	const int y = last_step(m->plan)->checks[far_check(m->plan)].from;
	gemp_put(m->w, 0, "if (!filled && !resuming) {\n");
	put_cost(m);
	gemp_put(m->w, 0, "if (walked > cost) {\n");
	put_filling(m);
	gemp_put(m->w, m->last, "}\n}\nif (filled) {\nb_$ = ends[2ul * v_%d]; z_$ = ends[2ul * v_%d + 1]; n_$ = list;\n", y,
	         y);
	gemp_put(m->w, 0, "} else {\n");
}

void gemp_put_lists_clearing(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "if (filled && leave != GEMP_PARK) {\nfilled = 0;\n");
	put_two_paths(m);
	gemp_put(m->w, 0, "ends[2ul * y] = 0; ends[2ul * y + 1] = 0;\n}\n}\n}\n");
}
