#include "match/codegen/emit_loops.h"

#include "match/codegen/emit_tests.h"
#include "match/codegen/kernel_text.h"

#include <stdio.h>

/* A row so many times longer than another source's is not walked along. */
enum { WALKED_IS_LONGER = 8, STAGE_TUPLES = 64 };

/* What the functions of this module share: the kernel's text, the plan, and the marks that the loops use. */
typedef struct loop_emitter {
	gemp_text *t;
	const gemp_plan *plan;
	const gemp_item_layout *layout;
	const gemp_emit_options *options;
	gemp_adjacency_marks marks;
	int last; /* the last step that is walked */
} loop_emitter;

/* STATE: 0 none, 1 in a task, 2 only matches that found no room | matches kept | the task's vertices, and its slice of how
 * many | a position a loop | matches. */
enum { STATE_STAGED = 1, STATE_TASK = 2 };

/* A task is a pivot, or the given vertices of a seed. */
static uint32_t task_words(const gemp_plan *plan)
{
	return plan->arguments ? (uint32_t)plan->arguments : 1;
}

static uint32_t slice_word(const loop_emitter *n)
{
	return STATE_TASK + task_words(n->plan);
}

/* Words of a loop's position in the state; offsets of wide rows take two. */
static uint32_t position_word(const loop_emitter *n, int s)
{
	return slice_word(n) + (n->options->sliced ? 2 : 0) +
	       (uint32_t)(s - n->plan->root - 1) * (n->options->wide ? 2 : 1);
}

static uint32_t stage_word(const loop_emitter *n)
{
	return position_word(n, (int)n->plan->step_count);
}

/* Compilers of CPU devices take long for deeper nests, and marks have bits for eight rows only. */
bool gemp_loops_possible(const gemp_plan *plan)
{
	return plan->step_count - (size_t)plan->root <= GEMP_MAX_LOOPS;
}

uint32_t gemp_loops_state_words(const gemp_plan *plan, const gemp_emit_options *options, uint32_t tuple_words)
{
	loop_emitter n = { .plan = plan, .options = options };
	return stage_word(&n) + (options->listed ? STAGE_TUPLES * tuple_words : 0);
}

/* Can the row of source j be much shorter than the row of the latest source? It cannot if the latest vertex has the
 * greater slot in the same view, since slots descend by degree. */
static bool may_be_shorter(const loop_emitter *n, const gemp_step *step, size_t j, size_t latest)
{
	const gemp_check *a = &step->checks[j], *b = &step->checks[latest];
	uint64_t above = n->plan->steps[gemp_binding_step(n->plan, b->from)].greater;
	return n->plan->view_count > 1 || a->view != b->view || !(above >> a->from & 1);
}

/* Does the kernel compare the lengths of rows at this step, or always walk the row of the latest vertex? */
static bool has_choice(const loop_emitter *n, int s)
{
	const gemp_step *step = &n->plan->steps[s];
	size_t latest = gemp_latest_source(n->plan, s);
	for (size_t j = 0; step->kind == GEMP_EXTEND && j < step->sources; j++)
		if (j != latest && may_be_shorter(n, step, j, latest))
			return true;
	return false;
}

/* A row with a mark is tested at nearly no cost, so that another row must be eight times shorter to be walked instead. */
static void emit_choice(const loop_emitter *n, int s, size_t j)
{
	const gemp_check *check = &n->plan->steps[s].checks[j];
	gemp_kernel_print(n->t, s,
	                  "\t\t{\n\t\tconst OFFSET b = begin_%d[v_%d], z = begin_%d[v_%d + 1];\n"
	                  "\t\tif ((z - b) * %d < z_$ - b_$) {\n\t\tb_$ = b; z_$ = z; n_$ = near_%d; from_$ = %zu;\n"
	                  "\t\t}\n\t\t}\n",
	                  check->view, check->from, check->view, check->from,
	                  n->marks.row[s][j] >= 0 ? WALKED_IS_LONGER : 1, check->view, j);
}

/* Declares the range of the row that the step walks: b and z are its ends, n its column indices, and d its edges. */
static void emit_row(const loop_emitter *n, int s)
{
	const gemp_step *step = &n->plan->steps[s];
	size_t latest = step->kind == GEMP_EXTEND ? gemp_latest_source(n->plan, s) : 0;
	const gemp_check *check = &step->checks[latest];
	gemp_kernel_print(n->t, s,
	                  "\t\tOFFSET b_$ = begin_%d[v_%d], z_$ = begin_%d[v_%d + 1];\n"
	                  "\t\t__global const uint *n_$ = near_%d;\n",
	                  check->view, check->from, check->view, check->from, check->view);
	if (step->edge >= 0)
		gemp_text_print(n->t, "\t\t__global const ulong *d_%d = edge_%d;\n", s, check->view);
	if (!has_choice(n, s))
		return;
	gemp_text_print(n->t, "\t\tuint from_%d = %zu;\n", s, latest);
	for (size_t j = 0; j < step->sources; j++)
		if (j != latest && may_be_shorter(n, step, j, latest))
			emit_choice(n, s, j);
}

/* Walks every `slices`-th entry only, from the slice's number on: rows are in the order of degrees, so that slices
 * cost about the same. */
static void emit_sliced_loop(const loop_emitter *n, int s, bool down)
{
	if (down)
		gemp_kernel_print(
			n->t, s, "\t\tfor (OFFSET i_$ = z_$ - skip; i_$-- > b_$; i_$ -= min((OFFSET)slices - 1, i_$ - b_$)) {\n");
	else
		gemp_kernel_print(n->t, s,
		                  "\t\tfor (OFFSET i_$ = b_$ + skip; i_$ < z_$; i_$ += min((OFFSET)slices, z_$ - i_$)) {\n");
}

/* Opens the loop over a row. Restrictions on slots cut the row at both ends, since its entries ascend; a worker that
 * stopped goes on at the entry that it left. */
static void emit_loop(const loop_emitter *n, int s)
{
	const gemp_step *step = &n->plan->steps[s];
	bool down = step->kind == GEMP_EXTEND && step->greater && !step->less, bind = step->kind == GEMP_BIND_EDGE;
	bool range = !bind && n->plan->ranges >> step->vertex & 1;
	if (step->greater && !bind) {
		gemp_text_print(n->t, "\t\tconst uint over_%d = ", s);
		if (range)
			gemp_text_print(n->t, "max(max(low_%d, 1u) - 1, ", step->vertex);
		gemp_kernel_extreme(n->t, step->greater, true);
		gemp_text_print(n->t, range ? ");\n" : ";\n");
	}
	if (step->less && !bind) {
		gemp_text_print(n->t, "\t\tconst uint under_%d = ", s);
		gemp_kernel_extreme(n->t, step->less, false);
		gemp_text_print(n->t, ";\n");
	}
	if (bind)
		gemp_kernel_print(n->t, s, "\t\tb_$ = gemp_lower(n_$, b_$, z_$, v_%d);\n", step->vertex);
	else if (step->greater && !down)
		gemp_kernel_print(n->t, s, "\t\tb_$ = gemp_lower(n_$, b_$, z_$, over_$ + 1);\n");
	bool slices = n->options->sliced && s == n->plan->root + 1;
	if (slices)
		gemp_kernel_print(n->t, s, "\t\tOFFSET skip = min((OFFSET)slice, z_$ - b_$);\n");
	if (n->options->listed) {
		uint32_t at = position_word(n, s);
		if (slices)
			gemp_text_print(n->t, "\t\tif (resuming) skip = 0;\n");
		gemp_text_print(n->t, "\t\tif (resuming) %c_%d = ", down ? 'z' : 'b', s);
		if (n->options->wide)
			gemp_text_print(n->t, "((ulong)s[%u] | (ulong)s[%u] << 32)%s;\n", at, at + 1, down ? " + 1" : "");
		else
			gemp_text_print(n->t, "s[%u]%s;\n", at, down ? " + 1" : "");
		if (s == n->last)
			gemp_text_print(n->t, "\t\tresuming = 0;\n");
	}
	if (slices)
		emit_sliced_loop(n, s, down);
	else if (down)
		gemp_kernel_print(n->t, s, "\t\tfor (OFFSET i_$ = z_$; i_$-- > b_$;) {\n");
	else
		gemp_kernel_print(n->t, s, "\t\tfor (OFFSET i_$ = b_$; i_$ < z_$; i_$++) {\n");
	if (bind)
		gemp_kernel_print(n->t, s, "\t\tif (n_$[i_$] != v_%d) break;\n", step->vertex);
	else
		gemp_kernel_print(n->t, s, "\t\tconst uint v_%d = n_$[i_$];\n", step->vertex);
	if (step->greater && down)
		gemp_text_print(n->t, "\t\tif (v_%d <= over_%d) break;\n", step->vertex, s);
	if (step->less && !bind)
		gemp_text_print(n->t, "\t\tif (v_%d >= under_%d) break;\n", step->vertex, s);
	if (range && !down)
		gemp_text_print(n->t, "\t\tif (v_%d >= low_%d + wide_%d) break;\n", step->vertex, step->vertex, step->vertex);
	if (step->edge >= 0)
		gemp_kernel_print(n->t, s, "\t\tconst ulong e_%d = d_$[i_$];\n", step->edge);
	if (n->options->profile)
		gemp_text_print(n->t, "\t\tmine[%zu]++;\n", n->plan->step_count + (size_t)s);
}

/* TESTS of a candidate, the cheapest first. */
static const gemp_rejection next = { "", "continue;" };

/* Which marks step s looks at: those that must be set, those that must not be, and those of both that may not be there
 * yet (uncertain), for which a search in the row takes their place. */
static void bits_of(const loop_emitter *n, int s, unsigned *there, unsigned *absent, unsigned *uncertain)
{
	gemp_adjacency_marks_of_step(&n->marks, n->plan, s, there, absent);
	*uncertain = 0;
	for (size_t m = 0; m < n->marks.count; m++)
		if ((*there | *absent) >> m & 1 && !gemp_mark_certain(n->plan, &n->marks.marks[m]))
			*uncertain |= 1u << m;
}

/* Before the loop: told_S are the marks that tell, need_S those of them that a candidate must have. */
static void emit_mark_lookup(const loop_emitter *n, int s)
{
	unsigned there, absent, uncertain;
	bits_of(n, s, &there, &absent, &uncertain);
	if (!(there | absent))
		return;
	gemp_text_print(n->t, "\t\tconst uint told_%d = %u", s, (there | absent) & ~uncertain);
	for (size_t m = 0; m < n->marks.count; m++)
		if (uncertain >> m & 1)
			gemp_text_print(n->t, " | fill_%zu << %zu", m, m);
	gemp_kernel_print(n->t, s, ", need_$ = told_$ & %u;\n", there);
}

/* A profile counts what a step looks up in rows or marks. */
static void emit_lookup(const loop_emitter *n, int s)
{
	if (n->options->profile)
		gemp_text_print(n->t, "\t\tmine[%zu]++;\n", 2 * n->plan->step_count + (size_t)s);
}

/* One load of a byte answers all checks of a candidate that have marks. */
static void emit_mark_test(const loop_emitter *n, int s)
{
	unsigned there, absent, uncertain;
	bits_of(n, s, &there, &absent, &uncertain);
	if (!(there | absent))
		return;
	emit_lookup(n, s);
	gemp_kernel_print(n->t, s, "\t\tif ((mark[v_%d] & told_$) != need_$) continue;\n", n->plan->steps[s].vertex);
}

/* A check is a search in a row unless its mark is certain, or the row is the one being walked. */
static void emit_row_test(const loop_emitter *n, int s, size_t j)
{
	const gemp_step *step = &n->plan->steps[s];
	const gemp_check *check = &step->checks[j];
	int mark = n->marks.row[s][j];
	bool source = step->kind == GEMP_EXTEND && j < step->sources, choice = source && has_choice(n, s);
	if (mark >= 0 && gemp_mark_certain(n->plan, &n->marks.marks[mark]))
		return;
	if (source && !choice && j == gemp_latest_source(n->plan, s))
		return;
	emit_lookup(n, s);
	gemp_text_print(n->t, "\t\tif (");
	if (mark >= 0)
		gemp_text_print(n->t, "!fill_%d && ", mark);
	if (choice)
		gemp_text_print(n->t, "from_%d != %zu && ", s, j);
	gemp_text_print(n->t, "%shas(%d, v_%d, v_%d)) continue;\n", check->absent ? "" : "!", check->view, check->from,
	                check->to);
}

/* Drops `differ` restrictions that hold by themselves: no vertex lies in its own row where loops were dropped. */
static gemp_step without_neighbours(const loop_emitter *n, int s)
{
	gemp_step step = n->plan->steps[s];
	for (size_t j = 0; j < step.check_count; j++)
		if (!step.checks[j].absent && n->plan->views[step.checks[j].view].simple)
			step.differ &= ~(UINT64_C(1) << step.checks[j].from);
	return step;
}

/* The tests of a candidate, the cheapest first: marks, comparisons of slots, bitmaps, then searches in rows. */
static void emit_tests(const loop_emitter *n, int s)
{
	const gemp_step *step = &n->plan->steps[s];
	if (step->kind != GEMP_BIND_EDGE) {
		gemp_step tested = without_neighbours(n, s);
		emit_mark_test(n, s);
		gemp_emit_vertex_filters(n->t, n->plan, &tested, gemp_variable_of('v', step->vertex).text, &next);
		for (size_t j = 0; j < step->check_count; j++)
			emit_row_test(n, s, j);
	}
	if (step->edge >= 0) {
		gemp_emit_edge_filters(n->t, n->plan, step, gemp_variable_of('e', step->edge).text, &next);
	}
	if (n->options->profile && n->options->sliced && s == n->plan->root)
		gemp_text_print(n->t, "\t\tmine[%d] += slice == 0%s;\n", s, n->options->listed ? " && !resuming" : "");
	else if (n->options->profile)
		gemp_text_print(n->t, n->options->listed ? "\t\tmine[%d] += !resuming;\n" : "\t\tmine[%d]++;\n", s);
}

/* Notes the entry at which each loop is, so that the next launch continues there. */
static void emit_positions(const loop_emitter *n)
{
	for (int s = n->plan->root + 1; s <= n->last; s++) {
		uint32_t at = position_word(n, s);
		gemp_text_print(n->t, "\t\ts[%u] = (uint)i_%d;\n", at, s);
		if (n->options->wide)
			gemp_text_print(n->t, "\t\ts[%u] = (uint)(i_%d >> 32);\n", at + 1, s);
	}
}

/* Copies the staged matches to the result buffer as far as there is room, by one atomic addition for all of them. */
static void emit_flush(const loop_emitter *n)
{
	gemp_text_print(
		n->t, "\t\tstaged = gemp_flush(control, p.result_capacity, id_of, result, stage, staged, %d, %d, &found);\n",
		n->plan->vertex_count, n->plan->live_edges ? n->plan->edge_count : 0);
}

/* Stages a match. Where neither the stage nor the result buffer has room the worker notes its positions and stops. */
static void emit_result(const loop_emitter *n)
{
	const gemp_plan *plan = n->plan;
	gemp_text_print(n->t, "\t\tif (staged == %d)\n", STAGE_TUPLES);
	emit_flush(n);
	gemp_text_print(n->t, "\t\tif (staged == %d) {\n", STAGE_TUPLES);
	if (n->options->profile)
		gemp_text_print(n->t, "\t\tmine[%d]--;\n", n->last);
	emit_positions(n);
	gemp_text_print(n->t, "\t\tleave = GEMP_PARK; break;\n\t\t}\n\t\t__global uint *r = stage + staged++ * %u;\n",
	                n->layout->tuple_words);
	for (int v = 0; v < plan->vertex_count; v++)
		gemp_kernel_print(n->t, v, "\t\tr[$] = v_$;\n");
	for (int f = 0; plan->live_edges && f < plan->edge_count; f++)
		gemp_text_print(n->t, "\t\tr[%d] = (uint)e_%d; r[%d] = (uint)(e_%d >> 32);\n", plan->vertex_count + 2 * f, f,
		                plan->vertex_count + 2 * f + 1, f);
	if (n->options->first_only && n->last > plan->root)
		gemp_text_print(n->t, "\t\tleave = GEMP_NEXT_TASK; break;\n");
}

/* Adds what the table of two-paths says for the vertices bound so far; the last vertex is not enumerated. */
static void emit_table_look(const loop_emitter *n)
{
	gemp_emit_leaf(n->t, n->plan, &n->marks, gemp_variable_of('v', n->plan->steps[n->last].vertex).text);
	gemp_text_print(n->t, "\t\tfound += w;\n");
	if (n->options->profile)
		gemp_text_print(n->t, "\t\tmine[%d] += w;\n", n->last + 1);
}

/* Are matches counted at the vertex of step s? */
static bool counts_at(const loop_emitter *n, int s)
{
	return n->plan->steps[s].kind != GEMP_BIND_EDGE && n->options->per >> n->plan->steps[s].vertex & 1;
}

/* A match is listed, or looked up in the table, or counted. */
static void emit_match(const loop_emitter *n)
{
	if (n->options->listed)
		emit_result(n);
	else if (n->plan->two_paths)
		emit_table_look(n);
	else
		gemp_text_print(n->t, "\t\tfound++;\n");
	if (counts_at(n, n->last))
		gemp_text_print(n->t, "\t\tatom_inc(&per[v_%d]);\n", n->plan->steps[n->last].vertex);
}

/* THE NEST. */
static void emit_level(const loop_emitter *n, int s);

/* What is done with a candidate that passed: deeper loops, or a match. The bound on slots comes first, since rows of a
 * damaged graph could lead anywhere. */
static void emit_body(const loop_emitter *n, int s)
{
	int v = n->plan->steps[s].vertex;
	if (s == n->last) {
		emit_match(n);
		return;
	}
	if (n->plan->steps[s].kind != GEMP_BIND_EDGE)
		gemp_kernel_print(n->t, v,
		                  "\t\tif (v_$ >= p.vertices) {\n\t\tcontrol[GEMP_CONTROL_ERROR] = GEMP_MATCH_BAD_SLOT;\n"
		                  "\t\tcontrol[GEMP_CONTROL_PLACE] = %d; control[GEMP_CONTROL_VALUE] = v_$;\n"
		                  "\t\tleave = GEMP_PARK; break;\n\t\t}\n",
		                  s);
	gemp_emit_mark_variables(n->t, n->plan, &n->marks, s);
	if (counts_at(n, s))
		gemp_text_print(n->t, "\t\tconst ulong found_before_%d = found;\n", s);
	emit_level(n, s + 1);
	if (counts_at(n, s))
		gemp_kernel_print(n->t, s, "\t\tif (found > found_before_$) atom_add(&per[v_%d], found - found_before_$);\n",
		                  v);
	gemp_emit_mark_clearing(n->t, n->plan, &n->marks, s);
	if (s > n->plan->root)
		gemp_text_print(n->t, "\t\tif (leave) break;\n");
}

/* One loop, its marks and everything below it. Marks of this step's vertex are cleared when its loop is left. */
static void emit_level(const loop_emitter *n, int s)
{
	gemp_text_print(n->t, "\t\t{ /* %d */\n", s);
	emit_row(n, s);
	gemp_emit_mark_setting(n->t, n->plan, &n->marks, s);
	if (s == n->last && n->plan->two_paths) {
		gemp_text_print(n->t, "\t\tif (!filled) {\n");
		gemp_emit_table(n->t, n->plan, true);
		gemp_text_print(n->t, "\t\t}\n");
	}
	if (n->plan->steps[s].kind != GEMP_BIND_EDGE)
		emit_mark_lookup(n, s);
	emit_loop(n, s);
	emit_tests(n, s);
	emit_body(n, s);
	gemp_text_print(n->t, "\t\t} }\n");
}

/* A listing worker keeps its one task in its state, where it is found again after a stop. */
static void emit_kept_task(const loop_emitter *n)
{
	uint32_t words = task_words(n->plan);
	gemp_text_print(n->t, "\t\tif (!resuming) {\n\t\tconst uint at = atomic_inc(&control[GEMP_CONTROL_NEXT]);\n"
	                      "\t\tif (at >= p.tasks) break;\n");
	if (n->options->sliced)
		gemp_text_print(n->t,
		                "\t\tconst uint index = p.slices > 1 ? p.pivot : p.first + at;\n"
		                "\t\ts[%u] = p.slices > 1 ? p.first + at : 0; s[%u] = p.slices;\n",
		                slice_word(n), slice_word(n) + 1);
	else
		gemp_text_print(n->t, "\t\tconst uint index = p.first + at;\n");
	for (uint32_t w = 0; w < words; w++)
		gemp_text_print(n->t, "\t\ts[%u] = tasks[(ulong)index * %u + %u];\n", STATE_TASK + w, words, w);
	gemp_text_print(n->t, "\t\t}\n\t\t__global const uint *item = s + %d;\n", STATE_TASK);
	if (n->options->sliced)
		gemp_text_print(n->t, "\t\tconst uint slice = s[%u], slices = s[%u];\n", slice_word(n), slice_word(n) + 1);
}

/* A counting worker takes the first 4096 tasks one by one, since hubs come first, and the many others in chunks of 16. */
static void emit_chunked_task(const loop_emitter *n)
{
	gemp_text_print(n->t,
	                "\t\tif (task == task_end) {\n"
	                "\t\tconst uint chunk = %sp.first + control[GEMP_CONTROL_NEXT] < 4096 ? 1 : 16;\n"
	                "\t\ttask = atomic_add(&control[GEMP_CONTROL_NEXT], chunk);\n"
	                "\t\tif (task >= p.tasks) break;\n\t\ttask_end = min(task + chunk, p.tasks);\n\t\t}\n"
	                "\t\tconst uint at = p.first + task++;\n",
	                n->options->sliced ? "p.slices > 1 || " : "");
	if (n->options->sliced)
		gemp_text_print(n->t, "\t\tconst uint slices = p.slices, slice = slices > 1 ? at : 0;\n"
		                      "\t\tconst uint index = slices > 1 ? p.pivot : at;\n");
	gemp_text_print(n->t, "\t\t__global const uint *item = tasks + (ulong)%s * %u;\n",
	                n->options->sliced ? "index" : "at", task_words(n->plan));
}

/* A listing worker must find its task again after a stop; a counting one takes tasks in chunks. */
static void emit_task(const loop_emitter *n)
{
	if (n->options->listed)
		emit_kept_task(n);
	else
		emit_chunked_task(n);
	for (uint32_t w = 0; w < task_words(n->plan); w++)
		gemp_text_print(n->t, "\t\tconst uint v_%d = item[%u];\n", n->plan->arguments ? (int)w : n->plan->pivot, w);
}

/* The root's tests, and those of vertices given before it. */
static void emit_root(const loop_emitter *n)
{
	for (int s = 0; s < n->plan->root; s++) {
		gemp_emit_vertex_filters(n->t, n->plan, &n->plan->steps[s],
		                         gemp_variable_of('v', n->plan->steps[s].vertex).text, &next);
	}
	if (n->last == n->plan->root && n->options->listed)
		gemp_text_print(n->t, "\t\tresuming = 0;\n");
	emit_tests(n, n->plan->root);
	emit_body(n, n->plan->root);
}

/* Variables of a worker, and what a stopped one left behind. */
static void emit_beginning(const loop_emitter *n)
{
	gemp_text_print(n->t,
	                "\t__global uint *s = state + (ulong)gemp_worker() * %u;\n"
	                "\tulong found = 0;\n\tuint leave = 0;\n\t(void)s;\n",
	                n->layout->state_words);
	gemp_emit_ranges(n->t, n->plan);
	if (n->options->profile)
		gemp_text_print(n->t, "\tulong mine[%zu];\n\tfor (uint i = 0; i < %zu; i++) mine[i] = 0;\n",
		                gemp_profile_counters(n->plan), gemp_profile_counters(n->plan));
	if (n->marks.count)
		gemp_text_print(n->t, "\t__global uchar *mark = marks + (ulong)gemp_worker() * GEMP_MARK_BYTES(p.vertices);\n");
	if (n->plan->two_paths)
		gemp_text_print(n->t,
		                "\t__global uint *table = tables + (ulong)gemp_worker() * p.vertices;\n\tint filled = 0;\n");
	if (n->options->listed)
		gemp_text_print(n->t,
		                "\t__global uint *stage = s + %u;\n\tuint resuming = p.resume && s[0] == 1;\n"
		                "\tuint staged = p.resume && s[0] ? s[%u] : 0;\n",
		                stage_word(n), STATE_STAGED);
	else
		gemp_text_print(n->t, "\tuint task = 0, task_end = 0;\n");
}

/* Whatever is staged goes out, and the worker's counts are added to the launch's. */
static void emit_end(const loop_emitter *n)
{
	if (n->options->listed) {
		gemp_text_print(n->t, "\tif (staged && leave != GEMP_PARK)\n");
		emit_flush(n);
		gemp_text_print(n->t,
		                "\ts[0] = leave == GEMP_PARK ? 1 : staged ? 2 : 0; s[%d] = staged;\n"
		                "\tif (s[0])\n\t\tatomic_inc(&control[GEMP_CONTROL_PARKED]);\n",
		                STATE_STAGED);
	}
	if (n->options->profile)
		gemp_text_print(n->t,
		                "\tfor (uint i = 0; i < %zu; i++)\n\t\tif (mine[i])\n\t\t\tatom_add(&passed[i], mine[i]);\n",
		                gemp_profile_counters(n->plan));
	gemp_text_print(n->t, "\tif (found)\n\t\tatom_add((__global ulong *)(control + GEMP_CONTROL_FOUND), found);\n");
}

/* Workers take tasks until none is left, or until a match finds no place; then they leave with their state. */
void gemp_emit_loops(gemp_text *text, const gemp_plan *plan, const gemp_item_layout *layout,
                     const gemp_emit_options *options)
{
	loop_emitter n = { .t = text,
		               .plan = plan,
		               .layout = layout,
		               .options = options,
		               .last = (int)plan->step_count - 1 - plan->two_paths };
	if (options->marks)
		gemp_adjacency_marks_plan(&n.marks, plan);
	else
		gemp_adjacency_marks_none(&n.marks);
	emit_beginning(&n);
	gemp_text_print(text, "\tfor (;;) {\n");
	emit_task(&n);
	emit_root(&n);
	if (plan->two_paths)
		gemp_emit_table(text, plan, false);
	gemp_text_print(text, "\t\tif (leave == GEMP_PARK) break;\n\t\tleave = 0;\n\t}\n");
	emit_end(&n);
}
