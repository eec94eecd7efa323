#include "match/codegen/emit.h"

#include "match/codegen/emit_loops.h"
#include "match/codegen/emit_step.h"
#include "match/codegen/kernel_text.h"
#include "match/codegen/loop_matches.h"

/* The state of the state machine has the partial match and, for each step, the rest of the row, two sets of lanes and
 * the number of the walked row. gemp_loops_state_words knows the state of the nest of loops. */
gemp_code gemp_item_layout_new(gemp_item_layout *out, const gemp_plan *plan, const gemp_emit_options *options)
{
	uint32_t offset_words = options->wide ? 2 : 1; /* words of an offset into the column indices */
	out->stage_count = gemp_plan_stages(plan, out->stages, GEMP_MAX_STAGES);
	if (out->stage_count > GEMP_MAX_STAGES)
		return gemp_fail(GEMP_EUSAGE, "the plan has %zu stages, more than %d; use a smaller pattern", out->stage_count,
		                 GEMP_MAX_STAGES);
	for (size_t k = 0; k < out->stage_count; k++) {
		const gemp_plan_stage *stage = &out->stages[k];
		out->item_words[k] = stage->verify ? 3 : 1;
		for (int s = 0; s < stage->step + stage->verify; s++)
			out->item_words[k] += (plan->steps[s].kind != GEMP_BIND_EDGE) + (plan->steps[s].edge >= 0 ? 2u : 0u);
	}
	out->item_words[0] = plan->arguments ? (uint32_t)plan->arguments : 1;
	out->tuple_words = (uint32_t)plan->vertex_count + 2 * (uint32_t)__builtin_popcountll(plan->live_edges);
	if (options->loops)
		out->state_words = gemp_loops_state_words(plan, options, out->tuple_words);
	else
		out->state_words = 5 + options->sliced + (uint32_t)plan->step_count * (3 + 2 * offset_words) + out->tuple_words;
	return GEMP_OK;
}

/* search_launch.c sets the arguments in the same order. */
static void put_arguments(const gemp_match_emitter *m)
{
	const gemp_plan *plan = m->plan;
	const gemp_emit_options *options = m->options;
	gemp_put(m->w, 0, "__kernel void match(gemp_match_params p,\n");
	for (int v = 0; v < (int)plan->view_count; v++) {
		gemp_put(m->w, v, "\t__global const OFFSET *begin_$, __global const uint *near_$,\n");
		if (plan->live_edges)
			gemp_put(m->w, v, "\t__global const ulong *edge_$,\n");
	}
	if (!options->all_resident)
		gemp_put(m->w, 0, "\t__global const uint *own, __global const ulong *bounds,\n");
	if (!options->all_resident || options->listed)
		gemp_put(m->w, 0, "\t__global const uint *id_of,\n");
	if (plan->keys)
		gemp_put(m->w, 0, "\t__global const uint *key_rank,\n");
	gemp_put(m->w, 0,
	         "\t__global const uint *candidates, uint candidate_words, __global const uint *tasks,\n"
	         "\t__global uint *out, __global const uint *out_capacity,\n"
	         "\t__global const ulong *out_base, __global uint *state,\n");
	if (options->listed)
		gemp_put(m->w, 0, "\t__global uint *result,\n");
	if (plan->two_paths)
		gemp_put(m->w, 0, "\t__global uint *tables,\n");
	if (options->lists)
		gemp_put(m->w, 0, "\t__global uint *lists,\n");
	if (options->marks)
		gemp_put(m->w, 0, "\t__global uchar *marks,\n");
	if (options->profile)
		gemp_put(m->w, 0, "\t__global ulong *passed,\n");
	if (options->per)
		gemp_put(m->w, 0, "\t__global ulong *per,\n");
	gemp_put(m->w, 0, "\t__global uint *control)\n");
}

/* Declares the variables that outlive an iteration of the state machine as registers. A long plan has hundreds of such
 * variables, and all of them are alive in every case. Compiling takes minutes if they are registers (32 steps: more
 * than 5, PoCL 3.1), and seconds if they are volatile memory (put_memory). */
static void put_registers(const gemp_match_emitter *m)
{
	for (int v = 0; v < m->plan->vertex_count; v++)
		gemp_put(m->w, v, "uint v_$ = 0;\n");
	for (int e = 0; m->plan->live_edges && e < m->plan->edge_count; e++)
		gemp_put(m->w, e, "ulong e_$ = 0;\n");
	for (int s = 0; s < (int)m->plan->step_count; s++)
		gemp_put(m->w, s, "OFFSET cur_$ = 0, end_$ = 0; uint todo_$ = 0, mask_$ = 0, from_$ = 0;\n");
}

/* Declares the same variables in private memory, under the same names. `volatile` keeps the compiler from moving them
 * to registers. */
static void put_memory(const gemp_match_emitter *m)
{
	int steps = (int)m->plan->step_count, edges = m->plan->live_edges ? m->plan->edge_count : 0;
	int words = 3 * steps + m->plan->vertex_count, offsets = 2 * steps;
	gemp_put(m->w, words, "volatile uint words[$];\nfor (uint i = 0; i < $; i++) words[i] = 0;\n");
	gemp_put(m->w, offsets, "volatile OFFSET offsets[$];\nfor (uint i = 0; i < $; i++) offsets[i] = 0;\n");
	if (edges)
		gemp_put(m->w, edges, "volatile ulong edges[$];\nfor (uint i = 0; i < $; i++) edges[i] = 0;\n");
	for (int s = 0; s < steps; s++)
		gemp_put(m->w, s,
		         "#define cur_$ offsets[%d]\n#define end_$ offsets[%d]\n#define todo_$ words[%d]\n"
		         "#define mask_$ words[%d]\n#define from_$ words[%d]\n",
		         2 * s, 2 * s + 1, 3 * s, 3 * s + 1, 3 * s + 2);
	gemp_put(m->w, 3 * steps, "#define VERTEX(i) words[$ + (i)]\n");
	for (int v = 0; v < m->plan->vertex_count; v++)
		gemp_put(m->w, v, "#define v_$ VERTEX($)\n");
	for (int e = 0; e < edges; e++)
		gemp_put(m->w, e, "#define e_$ edges[$]\n");
}

/* Declares the positions where searches in rows start. Candidates ascend, so each search starts where the search for
 * the previous candidate ended. */
static void put_last_places(const gemp_match_emitter *m)
{
	for (int s = 0; s < (int)m->plan->step_count; s++)
		for (size_t j = 0; j < m->plan->steps[s].check_count; j++)
			if (m->plan->steps[s].checks[j].to == m->plan->steps[s].vertex)
				gemp_put(m->w, s, "OFFSET last_$_%zu = 0;\n", j);
}

/* Long plans keep their variables in memory, for the reason that put_registers gives. */
static void put_variables(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0,
	         "GEMP_GROUP_DECLARE\n"
	         "const uint lane = gemp_lane();\n"
	         "__global uint *out_count = control + GEMP_CONTROL_WORDS;\n"
	         "uint level = 0, base = 0, active = 0, crossed = 0, fresh = 0, stop = 0;\n"
	         "ulong left_in = 0, found_local = 0, found_crossed = 0;\n");
	gemp_put_worker(m);
	if (m->plan->step_count <= GEMP_MAX_STEPS_IN_REGISTERS)
		put_registers(m);
	else
		put_memory(m);
	if (gemp_emit_keeps_offsets(m->plan, m->options))
		put_last_places(m);
	if (m->options->sliced)
		gemp_put(m->w, 0, "uint slice = 0, slices = 1;\n(void)slice;\n");
}

/* Writes or reads one variable of a worker's state in global memory: writes if `save` is set, and otherwise reads.
 * `two` says that the variable has two words, the low word first. Returns the index of the next word. */
static uint32_t put_word(const gemp_match_emitter *m, bool save, uint32_t at, const char *name, bool two)
{
	if (save && two)
		gemp_put(m->w, 0, "s[%u] = (uint)%s; s[%u] = (uint)(%s >> 32);\n", at, name, at + 1, name);
	else if (save)
		gemp_put(m->w, 0, "s[%u] = %s;\n", at, name);
	else if (two)
		gemp_put(m->w, 0, "%s = (ulong)s[%u] | (ulong)s[%u] << 32;\n", name, at, at + 1);
	else
		gemp_put(m->w, 0, "%s = s[%u];\n", name, at);
	return at + 1 + two;
}

/* Word 0 of a state tells whether the worker was stopped. gemp_item_layout_new computes state_words from the same list
 * of variables. */
static void put_state(const gemp_match_emitter *m, bool save)
{
	bool wide = m->options->wide;
	uint32_t at = put_word(m, save, 1, "level", false);
	at = put_word(m, save, at, "crossed", false);
	at = put_word(m, save, at, "left_in", true);
	if (m->options->sliced)
		at = put_word(m, save, at, "slices", false);
	for (int s = 0; s < (int)m->plan->step_count; s++) {
		at = put_word(m, save, at, gemp_variable("cur", s).text, wide);
		at = put_word(m, save, at, gemp_variable("end", s).text, wide);
		at = put_word(m, save, at, gemp_variable("todo", s).text, false);
		at = put_word(m, save, at, gemp_variable("mask", s).text, false);
		at = put_word(m, save, at, gemp_variable("from", s).text, false);
	}
	for (int v = 0; v < m->plan->vertex_count; v++)
		at = put_word(m, save, at, gemp_variable("v", v).text, false);
	for (int e = 0; m->plan->live_edges && e < m->plan->edge_count; e++)
		at = put_word(m, save, at, gemp_variable("e", e).text, true);
}

/* Reads a task of stage 0: the slot of a pivot, or the slots of a seed. */
static void put_first_task(const gemp_match_emitter *m)
{
	const gemp_step *root = &m->plan->steps[m->layout->stages[0].step];
	int given = m->plan->arguments;
	for (int i = 0; i < given; i++)
		gemp_put(m->w, i, "v_$ = tasks[(ulong)(p.first + t) * %d + $];\n", given);
	if (m->options->sliced)
		gemp_put(m->w, root->vertex,
		         "slices = p.slices; slice = (p.first + t) %% slices;\n"
		         "v_$ = tasks[p.pivot + (p.first + t) / slices];\n");
	else if (!given)
		gemp_put(m->w, root->vertex, "v_$ = tasks[p.first + t];\n");
	gemp_put(m->w, m->plan->root, "crossed = 0; left_in = %#llxul; todo_$ = 1; break;\n", gemp_check_bits(root));
}

/* Reads a task of a later stage into variables. Such a task is an item, that is, a partial match. */
static void put_item_task(const gemp_match_emitter *m, size_t k)
{
	const gemp_plan_stage *stage = &m->layout->stages[k];
	const gemp_step *steps = m->plan->steps;
	uint32_t word = 1;
	gemp_put(m->w, 0, "item = tasks + (ulong)(p.first + t) * %u; crossed = item[0] & 1;\n", m->layout->item_words[k]);
	if (stage->verify) {
		gemp_put(m->w, stage->step, "left_in = (ulong)item[1] | (ulong)item[2] << 32; todo_$ = 1;\n");
		word = 3;
	}
	for (int s = 0; s < stage->step + stage->verify; s++)
		if (steps[s].kind != GEMP_BIND_EDGE)
			gemp_put(m->w, steps[s].vertex, "v_$ = item[%u];\n", word++);
	for (int s = 0; s < stage->step + stage->verify; s++)
		if (steps[s].edge >= 0) {
			gemp_put(m->w, steps[s].edge, "e_$ = (ulong)item[%u] | (ulong)item[%u] << 32;\n", word, word + 1);
			word += 2;
		}
	gemp_put(m->w, stage->step, "level = base = $; fresh = %d; break;\n", !stage->verify);
}

/* A worker without a task takes the next one. A table of two-paths belongs to one pivot, so the worker clears the table
 * before it takes the next task. */
static void put_tasks(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "if (!active) {\n");
	if (m->plan->two_paths)
		gemp_put_table(m, false);
	gemp_put(m->w, m->plan->root,
	         "uint t = 0;\n"
	         "if (lane == 0)\n"
	         "\tt = atomic_inc(&control[GEMP_CONTROL_NEXT]);\n"
	         "t = gemp_shuffle(t, 0);\n"
	         "if (t >= p.tasks)\n"
	         "\tbreak;\n"
	         "__global const uint *item;\n"
	         "active = 1; level = base = $; fresh = 0;\n");
	for (int s = 0; s < (int)m->plan->step_count; s++)
		gemp_put(m->w, s, "cur_$ = end_$ = 0; todo_$ = mask_$ = 0;\n");
	if (m->options->sliced)
		gemp_put(m->w, 0, "slice = 0; slices = 1;\n");
	gemp_put(m->w, 0, "switch (p.stage) {\n");
	for (size_t k = 0; k < m->layout->stage_count; k++) {
		gemp_put(m->w, (int)k, "case $:\n");
		if (k)
			put_item_task(m, k);
		else
			put_first_task(m);
	}
	gemp_put(m->w, 0, "}\n");
	if (m->plan->two_paths)
		gemp_put_table(m, true);
	gemp_put(m->w, 0, "}\n");
}

/* A resumed worker must know at which step its task began, since the task ends when the worker backtracks beyond this
 * step. */
static void put_bases(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "switch (p.stage) {\n");
	for (int k = 0; k < (int)m->layout->stage_count; k++)
		gemp_put(m->w, k, "case $: base = %d; break;\n", m->layout->stages[k].step);
	gemp_put(m->w, 0, "}\n");
}

/* Only items of a VERIFY stage carry checks that another rank left open. */
static void put_verifies(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "const uint verifies = ");
	for (int k = 0; k < (int)m->layout->stage_count; k++)
		if (m->layout->stages[k].verify)
			gemp_put(m->w, k, "p.stage == $ || ");
	gemp_put(m->w, 0, "0;\n(void)verifies;\n");
}

/* Writes the state machine. Each step is one case. A case loops over the candidates of its row, `lanes` at a time,
 * until it binds a vertex or reaches the end of the row. */
static void put_machine(const gemp_match_emitter *m)
{
	put_variables(m);
	put_verifies(m);
	gemp_put(m->w, 0, "if (p.resume && s[0]) {\nactive = 1;\n");
	put_state(m, false);
	put_bases(m);
	gemp_put(m->w, 0, "}\nwhile (!stop) {\n");
	put_tasks(m);
	gemp_put(m->w, 0, "switch (level) {\n");
	for (int step = m->plan->root; step <= m->last; step++)
		gemp_emit_step(m, step);
	gemp_put(m->w, 0, "}\n}\n");
	gemp_put(m->w, 0,
	         "if (lane == 0) {\n"
	         "s[0] = stop;\n"
	         "}\n"
	         "if (lane == 0 && stop) {\n"
	         "atomic_inc(&control[GEMP_CONTROL_PARKED]);\n");
	put_state(m, true);
	gemp_put(m->w, 0, "}\n");
	gemp_put_profile_sum(m);
	gemp_put(m->w, 0,
	         "__global ulong *found = (__global ulong *)(control + GEMP_CONTROL_FOUND);\n"
	         "if (found_local)\n\tatom_add(found, found_local);\n"
	         "if (found_crossed)\n\tatom_add(found + 1, found_crossed);\n");
}

/* The preamble defines the macros that match.clh needs: the number of lanes, the type of offsets, and whether all rows
 * are resident. */
void gemp_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_item_layout *layout,
               const gemp_emit_options *options)
{
	gemp_kernel_writer writer = { .text = text };
	gemp_match_emitter m = { .w = &writer,
		                     .plan = plan,
		                     .layout = layout,
		                     .options = options,
		                     .last = (int)plan->step_count - 1 - plan->two_paths };
	if (options->marks)
		gemp_adjacency_marks_plan(&m.marks, plan);
	else
		gemp_adjacency_marks_none(&m.marks);
	gemp_text_print(text,
	                "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
	                "#define GEMP_LANES %d\n#define OFFSET %s\n#define ALL_RESIDENT %d\n%s\n",
	                options->lanes, options->wide ? "ulong" : "uint", options->all_resident, fixed);
	put_arguments(&m);
	gemp_put(&writer, 0, "{\n");
	if (options->loops)
		gemp_emit_loops(&m);
	else
		put_machine(&m);
	gemp_put(&writer, 0, "}\n");
}
