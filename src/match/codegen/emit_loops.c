#include "match/codegen/emit_loops.h"

#include "match/codegen/loop_matches.h"
#include "match/codegen/two_path_lists.h"

#include <stdio.h>

enum {
	WALKED_IS_LONGER = 8, /* a row with a mark is walked unless another source's row is shorter by this factor */
	AHEAD = 3,            /* a row is fetched this number of candidates before it is walked, its begin twice as many */
};

/* Compilers of CPU devices are slow on deeper nests. */
bool gemp_loops_possible(const gemp_plan *plan)
{
	return plan->step_count - (size_t)plan->root <= GEMP_MAX_LOOPS;
}

/* True if the last step reads lists of two-paths, whose entries pass all checks. */
static bool has_lists(const gemp_match_emitter *m, int s)
{
	return m->options->lists && s == m->last;
}

/* ROWS. [b_S, z_S) is the range of the row that step S walks, n_S points to column indices, and d_S to edges. */

/* True if the row of source j can be shorter than the row of the latest source by a degree class or more. In a plan
 * with one view it cannot be if the latest vertex has the greater slot, since slots ascend by descending degree
 * class. */
static bool may_be_shorter(const gemp_plan *plan, const gemp_step *step, size_t j, size_t latest)
{
	const gemp_check *a = &step->checks[j], *b = &step->checks[latest];
	uint64_t above = plan->steps[gemp_binding_step(plan, b->from)].greater;
	return j != latest && (plan->view_count > 1 || a->view != b->view || !(above >> a->from & 1));
}

/* True if the kernel compares the lengths of rows at this step; otherwise it always walks the row of the latest
 * vertex. */
static bool has_choice(const gemp_plan *plan, int s)
{
	const gemp_step *step = &plan->steps[s];
	for (size_t j = 0; step->kind == GEMP_EXTEND && j < step->sources; j++)
		if (may_be_shorter(plan, step, j, gemp_latest_source(plan, s)))
			return true;
	return false;
}

/* Declares the row that the step walks. The test of a row with a mark costs nearly nothing, so such a row is walked
 * only if it is eight times shorter than the row of the latest source. */
static void put_row(const gemp_match_emitter *m, int s)
{
	const gemp_step *step = &m->plan->steps[s];
	size_t latest = step->kind == GEMP_EXTEND ? gemp_latest_source(m->plan, s) : 0;
	const gemp_check *check = &step->checks[latest];
	const bool choice = has_choice(m->plan, s);
	gemp_put(m->w, s, "OFFSET b_$ = 0, z_$ = 0;\n__global const uint *n_$ = near_%d;\n", check->view);
	if (step->edge >= 0)
		gemp_put(m->w, s, "__global const ulong *d_$ = edge_%d;\n", check->view);
	if (choice)
		gemp_put(m->w, s, "uint from_$ = %zu;\n", latest);
	if (has_lists(m, s))
		gemp_put_lists(m);
	gemp_put(m->w, s, "b_$ = begin_%d[v_%d]; z_$ = begin_%d[v_%d + 1];\n", check->view, check->from, check->view,
	         check->from);
	if (!choice)
		return;
	for (size_t j = 0; j < step->sources; j++) {
		check = &step->checks[j];
		if (may_be_shorter(m->plan, step, j, latest))
			gemp_put(m->w, s,
			         "{\nconst OFFSET b = begin_%d[v_%d], z = begin_%d[v_%d + 1];\n"
			         "if ((z - b) * %d < z_$ - b_$) {\nb_$ = b; z_$ = z; n_$ = near_%d; from_$ = %zu;\n}\n}\n",
			         check->view, check->from, check->view, check->from, m->marks.row[s][j] >= 0 ? WALKED_IS_LONGER : 1,
			         check->view, j);
	}
}

/* Entries ascend, so the row is cut where its entries leave the bounds that the slots of bound vertices set. */
static void put_bounds(const gemp_match_emitter *m, int s, bool down)
{
	const gemp_step *step = &m->plan->steps[s];
	if (step->kind == GEMP_BIND_EDGE) {
		gemp_put(m->w, s, "b_$ = gemp_lower(n_$, b_$, z_$, v_%d);\n", step->vertex);
		return;
	}
	if (step->greater && m->plan->ranges >> step->vertex & 1)
		gemp_put(m->w, s, "const uint over_$ = max(max(low_%d, 1u) - 1, %s);\n", step->vertex,
		         gemp_extreme(step->greater, true).text);
	else if (step->greater)
		gemp_put(m->w, s, "const uint over_$ = %s;\n", gemp_extreme(step->greater, true).text);
	if (step->less)
		gemp_put(m->w, s, "const uint under_$ = %s;\n", gemp_extreme(step->less, false).text);
	if (step->greater && !down)
		gemp_put(m->w, s, "b_$ = gemp_lower(n_$, b_$, z_$, over_$ + 1);\n");
}

/* A resumed worker continues at the entry at which it stopped. */
static void put_resume(const gemp_match_emitter *m, int s, bool down, bool slices)
{
	uint32_t at = gemp_position_word(m->plan, m->options, s);
	if (slices)
		gemp_put(m->w, s, "if (resuming) skip = 0;\n");
	gemp_put(m->w, s, "if (resuming) %c_$ = ", down ? 'z' : 'b');
	if (m->options->wide)
		gemp_put(m->w, s, "((ulong)s[%u] | (ulong)s[%u] << 32)%s;\n", at, at + 1, down ? " + 1" : "");
	else
		gemp_put(m->w, s, "s[%u]%s;\n", at, down ? " + 1" : "");
	if (s == m->last)
		gemp_put(m->w, s, "resuming = 0;\n");
}

/* Writes a prefetch for each candidate at a position: of `unlisted` or, if the next step reads a list, of `listed`. */
static void put_fetch(const gemp_match_emitter *m, int s, const char *unlisted, const char *listed)
{
	if (has_lists(m, s + 1))
		gemp_put(m->w, 0, "if (filled) gemp_prefetch(&%s);\nelse ", listed);
	gemp_put(m->w, 0, "gemp_prefetch(&%s);\n", unlisted);
}

/* Fetches the rows that the next step will walk from the candidates some places ahead, first their begin and then their
 * first entries. Without this, each candidate waits for two loads that depend on one another. Most candidates
 * that need a mark fail: marks are fetched first, and then the begins of candidates that have theirs. */
static void put_prefetch(const gemp_match_emitter *m, int s, bool down)
{
	const gemp_step *step = &m->plan->steps[s], *next = step + 1;
	if (!m->options->prefetched || s == m->last || step->kind == GEMP_BIND_EDGE || next->kind != GEMP_EXTEND)
		return;
	const gemp_check *check = &next->checks[gemp_latest_source(m->plan, s + 1)];
	if (check->from != step->vertex)
		return;
	const char *here = down ? "if (i_$ - b_$ >= %d) {\n" : "if (z_$ - i_$ > %d) {\n", *ahead = down ? "-" : "+";
	const gemp_expression begin = gemp_variable("begin", check->view), row = gemp_variable("near", check->view);
	char begin_soon[64], row_soon[128];
	unsigned there, absent;
	snprintf(begin_soon, sizeof begin_soon, "%.32s[soon]", begin.text);
	snprintf(row_soon, sizeof row_soon, "%.32s[%s]", row.text, begin_soon);
	gemp_adjacency_marks_of_step(&m->marks, m->plan, s, &there, &absent);
	gemp_put(m->w, s, here, AHEAD);
	gemp_put(m->w, s, "const uint soon = n_$[i_$ %s %d];\n", ahead, AHEAD);
	if (there | absent) {
		gemp_put(m->w, s, "if (soon < p.vertices && (mark[soon] & told_$) == need_$) {\n");
		put_fetch(m, s, begin_soon, "ends[2ul * soon]");
	} else {
		gemp_put(m->w, s, "if (soon < p.vertices) {\n");
		put_fetch(m, s, row_soon, "list[ends[2ul * soon]]");
	}
	gemp_put(m->w, s, "}\n}\n");
	gemp_put(m->w, s, here, 2 * AHEAD);
	gemp_put(m->w, s, "const uint soon = n_$[i_$ %s %d];\n", ahead, 2 * AHEAD);
	if (there | absent)
		gemp_put(m->w, s, "gemp_prefetch(&mark[soon]);\n");
	else
		put_fetch(m, s, begin_soon, "ends[2ul * soon]");
	gemp_put(m->w, s, "}\n");
}

/* Opens the loop over a row. Slice i of n has the entries i, i + n, i + 2n, ... of the row. Entries are in the order of
 * degrees, so all slices cost about the same. */
static void put_loop(const gemp_match_emitter *m, int s)
{
	const gemp_step *step = &m->plan->steps[s];
	bool down = step->kind == GEMP_EXTEND && step->greater && !step->less, bind = step->kind == GEMP_BIND_EDGE;
	bool range = !bind && m->plan->ranges >> step->vertex & 1, slices = m->options->sliced && s == m->plan->root + 1;
	int v = step->vertex;
	put_bounds(m, s, down);
	if (slices)
		gemp_put(m->w, s, "OFFSET skip = min((OFFSET)slice, z_$ - b_$);\n");
	if (m->options->listed)
		put_resume(m, s, down, slices);
	if (slices && down)
		gemp_put(m->w, s, "for (OFFSET i_$ = z_$ - skip; i_$-- > b_$; i_$ -= min((OFFSET)slices - 1, i_$ - b_$)) {\n");
	else if (slices)
		gemp_put(m->w, s, "for (OFFSET i_$ = b_$ + skip; i_$ < z_$; i_$ += min((OFFSET)slices, z_$ - i_$)) {\n");
	else if (down)
		gemp_put(m->w, s, "for (OFFSET i_$ = z_$; i_$-- > b_$;) {\n");
	else
		gemp_put(m->w, s, "for (OFFSET i_$ = b_$; i_$ < z_$; i_$++) {\n");
	if (bind)
		gemp_put(m->w, s, "if (n_$[i_$] != v_%d) break;\n", v);
	else
		gemp_put(m->w, s, "const uint v_%d = n_$[i_$];\n", v);
	put_prefetch(m, s, down);
	if (step->greater && down)
		gemp_put(m->w, s, "if (v_%d <= over_$) break;\n", v);
	if (step->less && !bind)
		gemp_put(m->w, s, "if (v_%d >= under_$) break;\n", v);
	if (range && !down)
		gemp_put(m->w, v, "if (v_$ >= low_$ + wide_$) break;\n");
	if (step->edge >= 0)
		gemp_put(m->w, s, "const ulong e_%d = d_$[i_$];\n", step->edge);
	if (m->options->profile)
		gemp_put(m->w, s, "mine[%zu]++;\n", m->plan->step_count + (size_t)s);
}

/* TESTS of a candidate. The cheapest tests come first. */
static const gemp_rejection next = { "", "continue;" }, unlisted = { "", "pass = 0;" };

/* Writes three sets of marks: the marks that a candidate of step s must have (there), the marks that the candidate must
 * not have (absent), and the marks of both sets that may be unset (uncertain). If a mark is unset, the kernel searches
 * the row. */
static void marks_of(const gemp_match_emitter *m, int s, unsigned *there, unsigned *absent, unsigned *uncertain)
{
	gemp_adjacency_marks_of_step(&m->marks, m->plan, s, there, absent);
	*uncertain = 0;
	for (size_t k = 0; k < m->marks.count; k++)
		if ((*there | *absent) >> k & 1 && !gemp_mark_certain(m->plan, &m->marks.marks[k]))
			*uncertain |= 1u << k;
}

/* Before the loop, the text declares two sets of bits: told_S has the marks that are set, and need_S those of told_S
 * that a candidate must have. */
static void put_mark_lookup(const gemp_match_emitter *m, int s)
{
	unsigned there, absent, uncertain;
	marks_of(m, s, &there, &absent, &uncertain);
	if (!(there | absent))
		return;
	gemp_put(m->w, s, "const uint told_$ = %u", (there | absent) & ~uncertain);
	for (; uncertain; uncertain &= uncertain - 1)
		gemp_put(m->w, __builtin_ctz(uncertain), " | fill_$ << $");
	gemp_put(m->w, s, ", need_$ = told_$ & %u;\n", there);
}

/* In a profile, the text counts one lookup of step s in a row or in marks. */
static void put_lookup(const gemp_match_emitter *m, int s)
{
	if (m->options->profile)
		gemp_put(m->w, s, has_lists(m, s) ? "if (!filled) mine[%zu]++;\n" : "mine[%zu]++;\n",
		         2 * m->plan->step_count + (size_t)s);
}

/* Writes a search in the row for a check. No search is written if the mark of the check is certain, or if the step
 * always walks this row. */
static void put_row_test(const gemp_match_emitter *m, int s, size_t j)
{
	const gemp_step *step = &m->plan->steps[s];
	const gemp_check *check = &step->checks[j];
	int mark = m->marks.row[s][j];
	bool source = step->kind == GEMP_EXTEND && j < step->sources, choice = source && has_choice(m->plan, s);
	if (mark >= 0 && gemp_mark_certain(m->plan, &m->marks.marks[mark]))
		return;
	if (source && !choice && j == gemp_latest_source(m->plan, s))
		return;
	put_lookup(m, s);
	gemp_put(m->w, s, "if (");
	if (mark >= 0)
		gemp_put(m->w, mark, "!fill_$ && ");
	if (choice)
		gemp_put(m->w, s, "from_$ != %zu && ", j);
	gemp_put(m->w, s, "%shas(%d, v_%d, v_%d)) continue;\n", check->absent ? "" : "!", check->view, check->from,
	         check->to);
}

/* Drops `differ` restrictions that cannot fail: in a view without loops no vertex lies in its own row. The root step
 * also has the checks between given vertices, so only checks that lead to the step's own vertex count. */
static gemp_step without_neighbours(const gemp_plan *plan, int s)
{
	gemp_step step = plan->steps[s];
	for (size_t j = 0; j < step.check_count; j++)
		if (step.checks[j].to == step.vertex && !step.checks[j].absent && plan->views[step.checks[j].view].simple)
			step.differ &= ~(UINT64_C(1) << step.checks[j].from);
	return step;
}

/* In a profile, the text counts a partial match that passed step s. */
static void put_passed(const gemp_match_emitter *m, int s)
{
	const bool listed = m->options->listed;
	if (!m->options->profile)
		return;
	if (m->options->sliced && s == m->plan->root)
		gemp_put(m->w, s, "mine[$] += slice == 0%s;\n", listed ? " && !resuming" : "");
	else
		gemp_put(m->w, s, !listed ? "mine[$]++;\n" : s == m->last ? "mine[$] += pass;\n" : "mine[$] += !resuming;\n");
}

/* The tests of a candidate in the order of their cost: marks (one load of a byte answers all checks that have marks),
 * comparisons of slots, bitmaps, and searches in rows. If matches are listed, the comparisons and bitmaps of the last
 * step are no branches, since nobody can predict which of its candidates pass. */
static void put_tests(const gemp_match_emitter *m, int s)
{
	const gemp_step *step = &m->plan->steps[s];
	const gemp_rejection *rejection = m->options->listed && s == m->last ? &unlisted : &next;
	if (rejection == &unlisted) {
		gemp_put_room(m);
		gemp_put(m->w, 0, "uint pass = 1;\n");
	}
	if (step->kind != GEMP_BIND_EDGE) {
		gemp_step tested = without_neighbours(m->plan, s);
		unsigned there, absent;
		gemp_adjacency_marks_of_step(&m->marks, m->plan, s, &there, &absent);
		if (there | absent) {
			put_lookup(m, s);
			gemp_put(m->w, s, "if (%s(mark[v_%d] & told_$) != need_$) continue;\n",
			         has_lists(m, s) ? "!filled && " : "", step->vertex);
		}
		gemp_put_vertex_filters(m, &tested, gemp_variable("v", step->vertex).text, rejection);
		for (size_t j = 0; j < step->check_count; j++)
			put_row_test(m, s, j);
	}
	if (step->edge >= 0)
		gemp_put_edge_filters(m, step, gemp_variable("e", step->edge).text, rejection);
	put_passed(m, s);
}

/* THE NEST */

static void put_level(const gemp_match_emitter *m, int s);

/* Writes what follows a candidate that passed: deeper loops, or a match. Above the last step the slot is first compared
 * with the number of vertices, since a damaged graph can have slots out of range. */
static void put_body(const gemp_match_emitter *m, int s)
{
	int v = m->plan->steps[s].vertex;
	if (s == m->last) {
		gemp_put_match(m);
		return;
	}
	if (m->plan->steps[s].kind != GEMP_BIND_EDGE)
		gemp_put(m->w, v,
		         "if (v_$ >= p.vertices) {\ncontrol[GEMP_CONTROL_ERROR] = GEMP_MATCH_BAD_SLOT;\n"
		         "control[GEMP_CONTROL_PLACE] = %d; control[GEMP_CONTROL_VALUE] = v_$;\n"
		         "leave = GEMP_PARK; break;\n}\n",
		         s);
	gemp_put_mark_variables(m, s);
	if (m->options->lists && s == m->plan->root)
		gemp_put_lists_pivot(m);
	if (gemp_counts_at(m, s))
		gemp_put(m->w, s, "const ulong found_before_$ = found;\n");
	put_level(m, s + 1);
	if (gemp_counts_at(m, s))
		gemp_put(m->w, s, "if (found > found_before_$) atom_add(&per[v_%d], found - found_before_$);\n", v);
	gemp_put_mark_clearing(m, s);
	if (m->options->lists && s == m->plan->root)
		gemp_put_lists_clearing(m);
	if (s > m->plan->root)
		gemp_put(m->w, 0, "if (leave) break;\n");
}

/* Writes one loop with its marks and all loops within it. A mark of this step's vertex is cleared before the loop goes
 * on to the next vertex. */
static void put_level(const gemp_match_emitter *m, int s)
{
	gemp_put(m->w, s, "{ /* $ */\n");
	put_row(m, s);
	gemp_put_mark_setting(m, s);
	if (has_lists(m, s))
		gemp_put(m->w, s, "walked += z_$ - b_$;\n}\n");
	if (s == m->last && m->plan->two_paths) {
		gemp_put(m->w, s, "if (!filled) {\n");
		gemp_put_table(m, true);
		gemp_put(m->w, s, "}\n");
	}
	if (m->plan->steps[s].kind != GEMP_BIND_EDGE)
		put_mark_lookup(m, s);
	put_loop(m, s);
	put_tests(m, s);
	put_body(m, s);
	gemp_put(m->w, s, "} }\n");
}

/* A listing worker keeps its single task in its state, so a worker that stopped finds the task again. */
static void put_kept_task(const gemp_match_emitter *m)
{
	uint32_t words = gemp_task_words(m->plan), slice = GEMP_STATE_TASK + words;
	gemp_put(m->w, 0,
	         "if (!resuming) {\n"
	         "const uint at = atomic_inc(&control[GEMP_CONTROL_NEXT]);\n"
	         "if (at >= p.tasks) break;\n");
	if (m->options->sliced)
		gemp_put(m->w, 0,
		         "const uint index = p.pivot + (p.first + at) / p.slices;\n"
		         "s[%u] = (p.first + at) %% p.slices; s[%u] = p.slices;\n",
		         slice, slice + 1);
	else
		gemp_put(m->w, 0, "const uint index = p.first + at;\n");
	for (uint32_t w = 0; w < words; w++)
		gemp_put(m->w, 0, "s[%u] = tasks[(ulong)index * %u + %u];\n", GEMP_STATE_TASK + w, words, w);
	gemp_put(m->w, GEMP_STATE_TASK, "}\n__global const uint *item = s + $;\n");
	if (m->options->sliced)
		gemp_put(m->w, 0, "const uint slice = s[%u], slices = s[%u];\n", slice, slice + 1);
}

/* A counting worker takes the first 4096 tasks, which are hubs, and all slices one by one. It takes later tasks in
 * chunks of 16. */
static void put_chunked_task(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0,
	         "if (task == task_end) {\n"
	         "const uint chunk = %sp.first + control[GEMP_CONTROL_NEXT] < 4096 ? 1 : 16;\n"
	         "task = atomic_add(&control[GEMP_CONTROL_NEXT], chunk);\n"
	         "if (task >= p.tasks) break;\ntask_end = min(task + chunk, p.tasks);\n}\n"
	         "const uint at = p.first + task++;\n",
	         m->options->sliced ? "p.slices > 1 || " : "");
	if (m->options->sliced)
		gemp_put(m->w, 0,
		         "const uint slices = p.slices, slice = at %% slices;\n"
		         "const uint index = p.pivot + at / slices;\n");
	gemp_put(m->w, 0, "__global const uint *item = tasks + (ulong)%s * %u;\n", m->options->sliced ? "index" : "at",
	         gemp_task_words(m->plan));
}

/* A listing worker must find its task again after a stop. A counting worker never stops and takes chunks. The tests of
 * the given vertices and of the root follow. */
static void put_root(const gemp_match_emitter *m)
{
	const gemp_plan *plan = m->plan;
	if (m->options->listed)
		put_kept_task(m);
	else
		put_chunked_task(m);
	for (int i = 0; i < (int)gemp_task_words(plan); i++)
		gemp_put(m->w, plan->arguments ? i : plan->pivot, "const uint v_$ = item[%d];\n", i);
	for (int s = 0; s < plan->root; s++) {
		gemp_put_vertex_filters(m, &plan->steps[s], gemp_variable("v", plan->steps[s].vertex).text, &next);
	}
	if (m->last == plan->root && m->options->listed)
		gemp_put(m->w, 0, "resuming = 0;\n");
	put_tests(m, plan->root);
	put_body(m, plan->root);
}

/* Declares the variables of a worker, and reads the state of a worker that stopped. */
static void put_beginning(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "ulong found = 0;\nuint leave = 0;\n");
	gemp_put_worker(m);
	if (m->marks.count)
		gemp_put(m->w, 0, "__global uchar *mark = marks + (ulong)gemp_worker() * GEMP_MARK_BYTES(p.vertices);\n");
	if (m->options->listed)
		gemp_put_stage_begin(m);
	else
		gemp_put(m->w, 0, "uint task = 0, task_end = 0;\n");
}

/* A worker that ends flushes its stage and adds its counts to the counts of the launch. */
static void put_end(const gemp_match_emitter *m)
{
	if (m->options->listed)
		gemp_put_stage_end(m);
	gemp_put_profile_sum(m);
	gemp_put(m->w, 0, "if (found)\n\tatom_add((__global ulong *)(control + GEMP_CONTROL_FOUND), found);\n");
}

/* A worker takes tasks until no task is left, or until one of its matches finds no place. Then it writes its counts
 * and, if it lists matches, its state, and returns. */
void gemp_emit_loops(const gemp_match_emitter *m)
{
	put_beginning(m);
	gemp_put(m->w, 0, "for (;;) {\n");
	put_root(m);
	if (m->plan->two_paths)
		gemp_put_table(m, false);
	gemp_put(m->w, 0, "if (leave == GEMP_PARK) break;\nleave = 0;\n}\n");
	put_end(m);
}
