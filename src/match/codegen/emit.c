#include "match/codegen/emit.h"

#include "match/codegen/emit_loops.h"
#include "match/codegen/emit_step.h"
#include "match/codegen/emit_tests.h"
#include "match/codegen/kernel_text.h"

#include <stdio.h>
#include <string.h>

/* Words of a position in a row: rows of 2^32 entries or more need two. */
static uint32_t offset_words(const gemp_emit_options *options)
{
	return options->wide ? 2 : 1;
}

/* Counts the vertices and edges that steps before s have bound. */
static void bound_before(const gemp_plan *plan, int s, uint32_t *vertices, uint32_t *edges)
{
	*vertices = *edges = 0;
	for (int i = 0; i < s; i++) {
		*vertices += plan->steps[i].kind != GEMP_BIND_EDGE;
		*edges += plan->steps[i].edge >= 0;
	}
}

/* The state machine keeps the range, the lanes to test and the chosen row of each step; loops keep a position a step. */
gemp_code gemp_item_layout_new(gemp_item_layout *out, const gemp_plan *plan, const gemp_emit_options *options)
{
	out->stage_count = gemp_plan_stages(plan, out->stages, GEMP_MAX_STAGES);
	if (out->stage_count > GEMP_MAX_STAGES)
		return gemp_fail(GEMP_EUSAGE, "the plan has %zu stages, more than %d; use a smaller pattern", out->stage_count,
		                 GEMP_MAX_STAGES);
	for (size_t k = 0; k < out->stage_count; k++) {
		const gemp_plan_stage *stage = &out->stages[k];
		uint32_t vertices, edges;
		bound_before(plan, stage->step, &vertices, &edges);
		bool edge = stage->verify && plan->steps[stage->step].edge >= 0;
		out->item_words[k] = 1 + vertices + 2 * edges + (stage->verify ? 3u : 0u) + (edge ? 2u : 0u);
	}
	out->item_words[0] = plan->arguments ? (uint32_t)plan->arguments : 1;
	uint32_t live = (uint32_t)__builtin_popcountll(plan->live_edges);
	out->tuple_words = (uint32_t)plan->vertex_count + 2 * live;
	if (options->loops)
		out->state_words = gemp_loops_state_words(plan, options, out->tuple_words);
	else
		out->state_words = 5 + options->sliced + (uint32_t)plan->step_count * (3 + 2 * offset_words(options)) +
		                   out->tuple_words;
	return GEMP_OK;
}

/* The order of the arguments is the one in which search_launch.c sets them. */
static void emit_arguments(gemp_text *t, const gemp_plan *plan, const gemp_emit_options *options)
{
	gemp_text_print(t, "__kernel void match(gemp_match_params p,\n");
	for (size_t v = 0; v < plan->view_count; v++) {
		gemp_kernel_print(t, (int)v, "\t__global const OFFSET *begin_$, __global const uint *near_$,\n");
		if (plan->live_edges)
			gemp_text_print(t, "\t__global const ulong *edge_%zu,\n", v);
	}
	if (!options->all_resident)
		gemp_text_print(t, "\t__global const uint *own, __global const ulong *bounds,\n");
	if (!options->all_resident || options->listed)
		gemp_text_print(t, "\t__global const uint *id_of,\n");
	if (plan->keys)
		gemp_text_print(t, "\t__global const uint *key_rank,\n");
	gemp_text_print(t, "\t__global const uint *candidates, uint candidate_words, __global const uint *tasks,\n"
	                   "\t__global uint *out, __global const uint *out_capacity,\n"
	                   "\t__global const ulong *out_base, __global uint *state,\n");
	if (options->listed)
		gemp_text_print(t, "\t__global uint *result,\n");
	if (plan->two_paths)
		gemp_text_print(t, "\t__global uint *tables,\n");
	if (options->marks)
		gemp_text_print(t, "\t__global uchar *marks,\n");
	if (options->profile)
		gemp_text_print(t, "\t__global ulong *passed,\n");
	if (options->per)
		gemp_text_print(t, "\t__global ulong *per,\n");
	gemp_text_print(t, "\t__global uint *control)\n");
}

/* Variables that outlive an iteration of the state machine, as registers. A long plan has hundreds of them, all alive
 * in every case: as registers they cost the compiler minutes (32 steps: more than 5, PoCL 3.1), as volatile memory
 * seconds (emit_memory). */
static void emit_registers(gemp_text *t, const gemp_plan *plan)
{
	for (int v = 0; v < plan->vertex_count; v++)
		gemp_text_print(t, "\tuint v_%d = 0;\n", v);
	for (int e = 0; plan->live_edges && e < plan->edge_count; e++)
		gemp_text_print(t, "\tulong e_%d = 0;\n", e);
	for (size_t s = 0; s < plan->step_count; s++)
		gemp_kernel_print(t, (int)s, "\tOFFSET cur_$ = 0, end_$ = 0; uint todo_$ = 0, mask_$ = 0, from_$ = 0;\n");
}

/* The same variables in private memory, under the same names. `volatile` keeps the compiler from turning them into
 * registers again. */
static void emit_memory(gemp_text *t, const gemp_plan *plan)
{
	size_t steps = plan->step_count, words = 3 * steps + (size_t)plan->vertex_count, offsets = 2 * steps;
	size_t edges = plan->live_edges ? (size_t)plan->edge_count : 0;
	gemp_text_print(
		t,
		"\tvolatile uint words[%zu];\n\tvolatile OFFSET offsets[%zu];\n"
		"\tfor (uint i = 0; i < %zu; i++) words[i] = 0;\n\tfor (uint i = 0; i < %zu; i++) offsets[i] = 0;\n",
		words, offsets, words, offsets);
	if (edges)
		gemp_text_print(t, "\tvolatile ulong edges[%zu];\n\tfor (uint i = 0; i < %zu; i++) edges[i] = 0;\n", edges,
		                edges);
	for (size_t s = 0; s < steps; s++)
		gemp_kernel_print(t, (int)s,
		                  "#define cur_$ offsets[%zu]\n#define end_$ offsets[%zu]\n#define todo_$ words[%zu]\n"
		                  "#define mask_$ words[%zu]\n#define from_$ words[%zu]\n",
		                  2 * s, 2 * s + 1, 3 * s, 3 * s + 1, 3 * s + 2);
	gemp_text_print(t, "#define VERTEX(i) words[%zu + (i)]\n", 3 * steps);
	for (int v = 0; v < plan->vertex_count; v++)
		gemp_kernel_print(t, v, "#define v_$ VERTEX($)\n");
	for (size_t e = 0; e < edges; e++)
		gemp_text_print(t, "#define e_%zu edges[%zu]\n", e, e);
}

/* A search in a row starts where the search for the candidate before it ended, since candidates ascend. */
static void emit_last_places(gemp_text *t, const gemp_plan *plan)
{
	for (size_t s = 0; s < plan->step_count; s++)
		for (size_t j = 0; j < plan->steps[s].check_count; j++)
			if (plan->steps[s].checks[j].to == plan->steps[s].vertex)
				gemp_text_print(t, "\tOFFSET last_%zu_%zu = 0;\n", s, j);
}

/* Long plans keep their variables in memory; see emit_registers. */
static void emit_variables(gemp_text *t, const gemp_plan *plan, const gemp_emit_options *options)
{
	gemp_text_print(t, "\tGEMP_GROUP_DECLARE\n"
	                   "\tconst uint lane = gemp_lane();\n"
	                   "\t__global uint *out_count = control + GEMP_CONTROL_WORDS;\n"
	                   "\tuint level = 0, base = 0, active = 0, crossed = 0, fresh = 0, stop = 0;\n"
	                   "\tulong left_in = 0, found_local = 0, found_crossed = 0;\n");
	gemp_emit_ranges(t, plan);
	if (plan->step_count <= GEMP_MAX_STEPS_IN_REGISTERS)
		emit_registers(t, plan);
	else
		emit_memory(t, plan);
	if (gemp_emit_keeps_offsets(plan, options))
		emit_last_places(t, plan);
	if (options->sliced)
		gemp_text_print(t, "\tuint slice = 0, slices = 1;\n\t(void)slice;\n");
}

/* One variable of the STATE that a stopped worker leaves in global memory: `put` writes it, else it is read back. */
static void emit_word(gemp_text *t, bool put, uint32_t at, const char *name, long index, const char *type)
{
	char variable[32] = "";
	if (index >= 0)
		snprintf(variable, sizeof variable, "%s%ld", name, index);
	else
		snprintf(variable, sizeof variable, "%s", name);
	bool two = !strcmp(type, "ulong");
	if (put && two)
		gemp_text_print(t, "\t\ts[%u] = (uint)%s; s[%u] = (uint)(%s >> 32);\n", at, variable, at + 1, variable);
	else if (put)
		gemp_text_print(t, "\t\ts[%u] = %s;\n", at, variable);
	else if (two)
		gemp_text_print(t, "\t\t%s = (ulong)s[%u] | (ulong)s[%u] << 32;\n", variable, at, at + 1);
	else
		gemp_text_print(t, "\t\t%s = s[%u];\n", variable, at);
}

/* Word 0 of a state says whether a worker was stopped; the layout's state_words counts the same words. */
static void emit_state(gemp_text *t, const gemp_plan *plan, const gemp_emit_options *options, bool put)
{
	uint32_t at = 1; /* word 0: active */
	const char *offset = options->wide ? "ulong" : "uint";
	emit_word(t, put, at++, "level", -1, "uint");
	emit_word(t, put, at++, "crossed", -1, "uint");
	emit_word(t, put, at, "left_in", -1, "ulong");
	at += 2;
	if (options->sliced)
		emit_word(t, put, at++, "slices", -1, "uint");
	for (long s = 0; s < (long)plan->step_count; s++) {
		emit_word(t, put, at, "cur_", s, offset);
		emit_word(t, put, at + offset_words(options), "end_", s, offset);
		at += 2 * offset_words(options);
		emit_word(t, put, at++, "todo_", s, "uint");
		emit_word(t, put, at++, "mask_", s, "uint");
		emit_word(t, put, at++, "from_", s, "uint");
	}
	for (long v = 0; v < plan->vertex_count; v++)
		emit_word(t, put, at++, "v_", v, "uint");
	for (long e = 0; plan->live_edges && e < plan->edge_count; e++, at += 2)
		emit_word(t, put, at, "e_", e, "ulong");
}

/* Reads an item of stage k into variables. A pivot or a seed is one slot or some; later stages have partial matches. */
static void emit_load(gemp_text *t, const gemp_plan *plan, const gemp_item_layout *layout,
                      const gemp_emit_options *options, size_t k)
{
	const gemp_plan_stage *stage = &layout->stages[k];
	const gemp_step *at = &plan->steps[stage->step];
	gemp_text_print(t, "\t\tcase %zu:\n", k);
	if (k == 0) {
		for (int i = 0; i < plan->arguments; i++)
			gemp_text_print(t, "\t\t\tv_%d = tasks[(ulong)(p.first + t) * %d + %d];\n", i, plan->arguments, i);
		if (options->sliced)
			gemp_text_print(t,
			                "\t\t\tslices = p.slices; slice = slices > 1 ? p.first + t : 0;\n"
			                "\t\t\tv_%d = tasks[slices > 1 ? p.pivot : p.first + t];\n",
			                at->vertex);
		else if (!plan->arguments)
			gemp_text_print(t, "\t\t\tv_%d = tasks[p.first + t];\n", at->vertex);
		gemp_text_print(t, "\t\t\tcrossed = 0; left_in = %#llxul; todo_%d = 1; break;\n", gemp_check_bits(at),
		                plan->root);
		return;
	}
	uint32_t word = 0;
	gemp_text_print(t, "\t\t\titem = tasks + (ulong)(p.first + t) * %u; crossed = item[%u] & 1;\n",
	                layout->item_words[k], word++);
	if (stage->verify) {
		gemp_text_print(t, "\t\t\tleft_in = (ulong)item[%u] | (ulong)item[%u] << 32; todo_%d = 1;\n", word, word + 1,
		                stage->step);
		word += 2;
	}
	for (int s = 0; s < stage->step + stage->verify; s++)
		if (plan->steps[s].kind != GEMP_BIND_EDGE)
			gemp_text_print(t, "\t\t\tv_%d = item[%u];\n", plan->steps[s].vertex, word++);
	for (int s = 0; s < stage->step + stage->verify; s++)
		if (plan->steps[s].edge >= 0) {
			gemp_text_print(t, "\t\t\te_%d = (ulong)item[%u] | (ulong)item[%u] << 32;\n", plan->steps[s].edge, word,
			                word + 1);
			word += 2;
		}
	gemp_text_print(t, "\t\t\tlevel = base = %d; fresh = %d; break;\n", stage->step, !stage->verify);
}

/* A worker without a task takes the next one. Tables of two-paths belong to a pivot and are cleared before the next. */
static void emit_tasks(gemp_text *t, const gemp_plan *plan, const gemp_item_layout *layout,
                       const gemp_emit_options *options)
{
	gemp_text_print(t, "\t\tif (!active) {\n");
	if (plan->two_paths)
		gemp_emit_table(t, plan, false);
	gemp_text_print(t,
	                "\t\tuint t = 0;\n"
	                "\t\tif (lane == 0)\n"
	                "\t\t\tt = atomic_inc(&control[GEMP_CONTROL_NEXT]);\n"
	                "\t\tt = gemp_shuffle(t, 0);\n"
	                "\t\tif (t >= p.tasks)\n"
	                "\t\t\tbreak;\n"
	                "\t\t__global const uint *item;\n"
	                "\t\tactive = 1; level = base = %d; fresh = 0;\n",
	                plan->root);
	for (size_t s = 0; s < plan->step_count; s++)
		gemp_kernel_print(t, (int)s, "\t\tcur_$ = end_$ = 0; todo_$ = mask_$ = 0;\n");
	if (options->sliced)
		gemp_text_print(t, "\t\tslice = 0; slices = 1;\n");
	gemp_text_print(t, "\t\tswitch (p.stage) {\n");
	for (size_t k = 0; k < layout->stage_count; k++)
		emit_load(t, plan, layout, options, k);
	gemp_text_print(t, "\t\t}\n");
	if (plan->two_paths)
		gemp_emit_table(t, plan, true);
	gemp_text_print(t, "\t\t}\n");
}

/* A resumed worker must know at which step its task began, since it ends the task when it backtracks beyond it. */
static void emit_bases(gemp_text *t, const gemp_item_layout *layout)
{
	gemp_text_print(t, "\t\tswitch (p.stage) {\n");
	for (size_t k = 0; k < layout->stage_count; k++)
		gemp_text_print(t, "\t\tcase %zu: base = %d; break;\n", k, layout->stages[k].step);
	gemp_text_print(t, "\t\t}\n");
}

/* Only items of a VERIFY stage bring checks that are left over from another rank. */
static void emit_stages(gemp_text *t, const gemp_item_layout *layout)
{
	gemp_text_print(t, "\tconst uint verifies = ");
	for (size_t k = 0; k < layout->stage_count; k++)
		if (layout->stages[k].verify)
			gemp_text_print(t, "p.stage == %zu || ", k);
	gemp_text_print(t, "0;\n\t(void)verifies;\n");
}

/* The state machine: one case a step, each of which loops over the lanes of its row until it binds a vertex or is
 * done. */
static void emit_machine(gemp_text *t, const gemp_plan *plan, const gemp_item_layout *layout,
                         const gemp_emit_options *options)
{
	emit_variables(t, plan, options);
	if (options->profile)
		gemp_text_print(t, "\tulong mine[%zu];\n\tfor (uint i = 0; i < %zu; i++) mine[i] = 0;\n",
		                gemp_profile_counters(plan), gemp_profile_counters(plan));
	emit_stages(t, layout);
	if (plan->two_paths)
		gemp_text_print(t, "\t__global uint *table = tables + (ulong)gemp_worker() * p.vertices;\n\tint filled = 0;\n");
	gemp_text_print(t,
	                "\t__global uint *s = state + (ulong)gemp_worker() * %u;\n"
	                "\tif (p.resume && s[0]) {\n\t\tactive = 1;\n",
	                layout->state_words);
	emit_state(t, plan, options, false);
	emit_bases(t, layout);
	gemp_text_print(t, "\t}\n\twhile (!stop) {\n");
	emit_tasks(t, plan, layout, options);
	gemp_text_print(t, "\t\tswitch (level) {\n");
	for (int step = plan->root; step < (int)plan->step_count - plan->two_paths; step++)
		gemp_emit_step(t, plan, layout, options, step);
	gemp_text_print(t, "\t\t}\n\t}\n");
	gemp_text_print(t, "\tif (lane == 0) {\n"
	                   "\t\ts[0] = stop;\n"
	                   "\t}\n"
	                   "\tif (lane == 0 && stop) {\n"
	                   "\t\tatomic_inc(&control[GEMP_CONTROL_PARKED]);\n");
	emit_state(t, plan, options, true);
	gemp_text_print(t, "\t}\n");
	if (options->profile)
		gemp_text_print(t, "\tfor (uint i = 0; i < %zu; i++)\n\t\tif (mine[i])\n\t\t\tatom_add(&passed[i], mine[i]);\n",
		                gemp_profile_counters(plan));
	gemp_text_print(t, "\t__global ulong *found = (__global ulong *)(control + GEMP_CONTROL_FOUND);\n"
	                   "\tif (found_local)\n\t\tatom_add(found, found_local);\n"
	                   "\tif (found_crossed)\n\t\tatom_add(found + 1, found_crossed);\n");
}

/* The preamble defines what match.clh depends on: lanes, the type of offsets, and whether every row is here. */
void gemp_emit(gemp_text *t, const char *fixed, const gemp_plan *plan, const gemp_item_layout *layout,
               const gemp_emit_options *options)
{
	gemp_text_print(t,
	                "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
	                "#define GEMP_LANES %d\n#define OFFSET %s\n#define ALL_RESIDENT %d\n%s\n",
	                options->lanes, options->wide ? "ulong" : "uint", options->all_resident, fixed);
	emit_arguments(t, plan, options);
	gemp_text_print(t, "{\n");
	if (options->loops)
		gemp_emit_loops(t, plan, layout, options);
	else
		emit_machine(t, plan, layout, options);
	gemp_text_print(t, "}\n");
}
