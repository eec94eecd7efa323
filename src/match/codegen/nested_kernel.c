#include "match/codegen/nested_kernel.h"

#include "match/codegen/kernel_text.h"
#include "match/codegen/nested_loops.h"

/* The order of the arguments is the one in which nested_search.c sets them. */
static void emit_arguments(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_nested_line(e, 0, "__kernel void nested(gemp_nested_params p,");
	for (size_t v = 0; v < plan->view_count; v++)
		gemp_nested_line(e, (int)v, "\t__global const uint *restrict begin_$, __global const uint *restrict near_$,");
	if (plan->keys)
		gemp_nested_line(e, 0, "\t__global const uint *restrict key_rank,");
	gemp_nested_line(e, 0, "\t__global const uint *restrict pivots,");
	gemp_nested_line(e, 0, "\t__global const uint *restrict candidates, uint candidate_words,");
	if (e->nested->list_count)
		gemp_nested_line(e, 0, "\t__global uint *lists,");
	if (e->nested->leaf == GEMP_LEAF_MARKED && !e->options->shared)
		gemp_nested_line(e, 0, "\t__global uint *marks,");
	gemp_nested_line(e, 0, "\t__global gemp_nested_part *parts, __global uint *control)");
}

/* The bitmap of the last level is in local memory where it fits, else one a worker in global memory. */
static void emit_variables(gemp_nested_emitter *e)
{
	gemp_nested_line(e, 0, "GEMP_GROUP_DECLARE");
	gemp_nested_line(e, 0, "const uint lane = gemp_lane();");
	gemp_nested_line(e, 0, "ulong found = 0;");
	gemp_nested_line(e, 0, "uint over = 0, spent = 0, rested = NOW;");
	if (e->nested->leaf == GEMP_LEAF_MARKED) {
		if (e->options->shared) { /* of a size that the compiler knows: drivers make room for too few groups else */
			gemp_nested_line(e, 0, "__local uint marks[%zu];", e->options->shared * e->options->in_group);
			gemp_nested_line(e, 0, "__local uint *bits = marks + get_local_id(0) / GEMP_LANES %% %zu * %zu;",
			                 e->options->in_group, e->options->shared);
		} else {
			gemp_nested_line(e, 0, "__global uint *bits = marks + (ulong)gemp_worker() * p.words;");
		}
	}
	if (e->nested->leaf == GEMP_LEAF_MARKED && e->options->shared) { /* those in global memory are left clean */
		gemp_nested_line(e, 0, "for (uint i = lane; i < p.words; i += GEMP_LANES)");
		gemp_nested_line(e, 0, "\tbits[i] = 0;");
		gemp_nested_line(e, 0, "gemp_sync();");
	}
	if (e->nested->leaf == GEMP_LEAF_MARKED && e->nested->marks.level == 0)
		gemp_nested_line(e, 0, "uint marked_for = ~0u;");
	gemp_nested_line(e, 0, "if (lane == 0)");
	gemp_nested_line(e, 0, "\tatomic_inc(&control[GEMP_NESTED_ACTIVE]);");
}

/* A worker takes the next chunk of entries, or waits for a part of another worker's once there are none. */
static void emit_take(gemp_nested_emitter *e)
{
	gemp_nested_line(e, 0, "gemp_nested_part part = { 0, 0, ~0u, 0, ~0u, 0 };");
	gemp_nested_line(e, 0, "uint count = 0;");
	gemp_nested_line(e, 0, "if (lane == 0) {");
	gemp_nested_line(e, 0, "uint t = spent < p.budget ? atomic_inc(&control[GEMP_NESTED_NEXT]) : p.tasks;");
	gemp_nested_line(e, 0, "if (t < p.tasks) {");
	gemp_nested_line(e, 0, "t += p.first;");
	gemp_nested_line(e, 0, "part.entry = (t / p.width * p.columns + p.column + t %% p.width) * p.chunk;");
	gemp_nested_line(e, 0, "count = p.chunk;");
	gemp_nested_line(e, 0, "} else {");
	gemp_nested_line(e, 0, "count = gemp_wait(control, parts, p.queue, &part);");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "count = gemp_shuffle(count, 0);");
	gemp_nested_line(e, 0, "if (!count)");
	gemp_nested_line(e, 0, "\tbreak;");
	gemp_nested_line(e, 0, "const uint entry = gemp_shuffle(part.entry, 0);");
	gemp_nested_emit_part(e);
}

/* Each lane reads one entry of the first step's rows and tests both of its vertices. */
static void emit_entries(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	int v0 = plan->steps[0].vertex, v1 = plan->steps[1].vertex, view = plan->steps[1].checks[0].view;
	gemp_nested_filters first, second;
	gemp_nested_filters_of(&first, plan, &plan->steps[0], 0);
	gemp_nested_filters_of(&second, plan, &plan->steps[1], gemp_nested_bound(plan, 0));
	if (!plan->pivot_off)
		first.candidates = -1;
	second.rows[0] = second.rows[--second.row_count];
	gemp_nested_line(
		e, 0, "const uint row = gemp_lower_together(GEMP_GROUP_PASS begin_%d, 0, p.vertices + 1, entry + 1) - 1;",
		view);
	gemp_nested_line(e, 0, "uint mine_%d = 0, mine_%d = 0;", v0, v1);
	gemp_nested_line(e, 0, "int pass = lane < count && entry + lane < p.entries;");
	gemp_nested_line(e, 0, "if (pass) {");
	gemp_nested_line(e, 0, "uint v_%d = mine_%d = gemp_row_from(begin_%d, p.vertices, row, entry + lane);", v0, v0,
	                 view);
	gemp_nested_line(e, 0, "uint v_%d = mine_%d = near_%d[entry + lane];", v1, v1, view);
	gemp_nested_line(e, 0, "pass = pivots[v_%d >> 5] >> (v_%d & 31) & 1;", v0, v0);
	gemp_nested_emit_tests(e, &first, gemp_variable_of('v', v0).text, NULL);
	gemp_nested_emit_tests(e, &second, gemp_variable_of('v', v1).text, NULL);
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "uint todo = gemp_ballot(pass);");
}

/* In plans of three levels each row of lanes has an entry of its own, since only the last level is left. */
static void emit_entry_a_row(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_nested_line(e, 0, "const uint ready = popcount(todo);");
	gemp_nested_line(e, 0, "spent += ready;");
	gemp_nested_line(e, 0, "for (uint k = 0; k < ready; k += ROWS) {");
	gemp_nested_line(e, 0, "uint b = gemp_nth(todo, k + lane / ROW_LANES), n = 0;");
	for (int s = 0; s < 2; s++)
		gemp_nested_line(e, 0, "uint v_%d = gemp_shuffle(mine_%d, b);", plan->steps[s].vertex, plan->steps[s].vertex);
	gemp_nested_line(e, 0, "if (k + lane / ROW_LANES < ready) {");
	gemp_nested_emit_leaf(e);
	gemp_nested_line(e, 0, "}");
	gemp_nested_emit_sum(e);
	gemp_nested_line(e, 0, "}");
}

/* In deeper plans all lanes work on the same entry, one after another. */
static void emit_each_entry(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_nested_line(e, 0, "while (todo) {");
	gemp_nested_line(e, 0, "const uint which = lowest(todo);");
	gemp_nested_line(e, 0, "todo &= todo - 1;");
	for (int s = 0; s < 2; s++)
		gemp_nested_line(e, 0, "const uint v_%d = gemp_shuffle(mine_%d, which);", plan->steps[s].vertex,
		                 plan->steps[s].vertex);
	gemp_nested_emit_first_marks(e, false);
	gemp_nested_emit_level(e, 1);
	gemp_nested_line(e, 0, "}");
}

/* The lanes' counts are added up, and an overflow of 64 bits is noted. */
static void emit_end(gemp_nested_emitter *e)
{
	if (!e->options->shared)
		gemp_nested_emit_first_marks(e, true);
	gemp_nested_line(e, 0, "for (uint d = GEMP_LANES / 2; d; d /= 2) {");
	gemp_nested_line(e, 0, "ulong other = gemp_shuffle64(found, lane ^ d);");
	gemp_nested_line(e, 0, "found += other;");
	gemp_nested_line(e, 0, "over |= found < other;");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "if (lane == 0 && found) {");
	gemp_nested_line(e, 0, "ulong before = atom_add((__global ulong *)(control + GEMP_NESTED_FOUND), found);");
	gemp_nested_line(e, 0, "over |= before + found < found;");
	gemp_nested_line(e, 0, "}");
	gemp_nested_line(e, 0, "if (over)");
	gemp_nested_line(e, 0, "\tcontrol[GEMP_NESTED_OVERFLOW] = 1;");
}

/* Lists are named by macros and not by variables, which would keep a register through all loops. */
void gemp_nested_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_nested *nested,
                      const gemp_nested_options *options)
{
	gemp_nested_emitter e = { .text = text, .plan = plan, .nested = nested, .options = options };
	gemp_text_print(text,
	                "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
	                "#define GEMP_LANES %d\n#define ROW_LANES %d\n",
	                options->lanes, options->row_lanes);
	if (options->folded)
		gemp_text_print(text, "#define FOLDED %zuu\n", options->shared * 32);
	gemp_text_print(text, "%s\n", fixed);
	for (size_t l = 0; l < nested->list_count; l++) /* no variable: that is a register kept through all loops */
		gemp_nested_line(&e, (int)l, "#define list_$ (lists + ((ulong)gemp_worker() * %zu + $) * p.room)",
		                 nested->list_count);
	emit_arguments(&e);
	gemp_nested_line(&e, 0, "{");
	emit_variables(&e);
	gemp_nested_line(&e, 0, "for (;;) {");
	emit_take(&e);
	emit_entries(&e);
	if (nested->levels == 3)
		emit_entry_a_row(&e);
	else
		emit_each_entry(&e);
	gemp_nested_line(&e, 0, "}");
	emit_end(&e);
	gemp_nested_line(&e, 0, "}");
}
