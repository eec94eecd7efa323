#include "match/codegen/nested_kernel.h"

#include "match/codegen/nested_loops.h"

static void emit_arguments(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_emit_line(e, "__kernel void nested(gemp_nested_params p,");
	for (size_t v = 0; v < plan->view_count; v++)
		gemp_emit_line(e, "\t__global const uint *restrict begin_%zu, __global const uint *restrict near_%zu,", v, v);
	if (plan->keys)
		gemp_emit_line(e, "\t__global const uint *restrict key_rank,");
	gemp_emit_line(e, "\t__global const uint *restrict pivots,");
	gemp_emit_line(e, "\t__global const uint *restrict candidates, uint candidate_words,");
	if (e->nested->list_count)
		gemp_emit_line(e, "\t__global uint *lists,");
	if (e->nested->leaf == GEMP_LEAF_MARKED && !e->options->shared)
		gemp_emit_line(e, "\t__global uint *marks,");
	gemp_emit_line(e, "\t__global gemp_nested_part *parts, __global uint *control)");
}

static void emit_variables(gemp_nested_emitter *e)
{
	gemp_emit_line(e, "GEMP_GROUP_DECLARE");
	gemp_emit_line(e, "const uint lane = gemp_lane();");
	gemp_emit_line(e, "ulong found = 0;");
	gemp_emit_line(e, "uint over = 0, spent = 0, rested = NOW;");
	if (e->nested->leaf == GEMP_LEAF_MARKED) {
		if (e->options->shared) { /* of a size that the compiler knows: drivers make room for too few groups else */
			gemp_emit_line(e, "__local uint marks[%zu];", e->options->shared * e->options->in_group);
			gemp_emit_line(e, "__local uint *bits = marks + get_local_id(0) / GEMP_LANES %% %zu * %zu;",
			               e->options->in_group, e->options->shared);
		} else {
			gemp_emit_line(e, "__global uint *bits = marks + (ulong)gemp_worker() * p.words;");
		}
	}
	if (e->nested->leaf == GEMP_LEAF_MARKED && e->options->shared) { /* those in global memory are left clean */
		gemp_emit_line(e, "for (uint i = lane; i < p.words; i += GEMP_LANES)");
		gemp_emit_line(e, "\tbits[i] = 0;");
		gemp_emit_line(e, "gemp_sync();");
	}
	if (e->nested->leaf == GEMP_LEAF_MARKED && e->nested->marks.level == 0)
		gemp_emit_line(e, "uint marked_for = ~0u;");
	gemp_emit_line(e, "if (lane == 0)");
	gemp_emit_line(e, "\tatomic_inc(&control[GEMP_NESTED_ACTIVE]);");
}

/* What there is to do next: entries [entry, entry + chunk), or a part of one. */
static void emit_take(gemp_nested_emitter *e)
{
	gemp_emit_line(e, "gemp_nested_part part = { 0, 0, ~0u, 0, ~0u, 0 };");
	gemp_emit_line(e, "uint count = 0;");
	gemp_emit_line(e, "if (lane == 0) {");
	gemp_emit_line(e, "\tuint t = spent < p.budget ? atomic_inc(&control[GEMP_NESTED_NEXT]) : p.tasks;");
	gemp_emit_line(e, "\tif (t < p.tasks) {");
	gemp_emit_line(e, "\t\tt += p.first;");
	gemp_emit_line(e, "\t\tpart.entry = (t / p.width * p.columns + p.column + t %% p.width) * p.chunk;");
	gemp_emit_line(e, "\t\tcount = p.chunk;");
	gemp_emit_line(e, "\t} else {");
	gemp_emit_line(e, "\t\tcount = gemp_wait(control, parts, p.queue, &part);");
	gemp_emit_line(e, "\t}");
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "count = gemp_shuffle(count, 0);");
	gemp_emit_line(e, "if (!count)");
	gemp_emit_line(e, "\tbreak;");
	gemp_emit_line(e, "const uint entry = gemp_shuffle(part.entry, 0);");
	gemp_nested_emit_part(e);
}

/* Each lane tests an entry. */
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
	gemp_emit_line(
		e, "const uint row = gemp_lower_together(GEMP_GROUP_PASS begin_%d, 0, p.vertices + 1, entry + 1) - 1;", view);
	gemp_emit_line(e, "uint mine_%d = 0, mine_%d = 0;", v0, v1);
	gemp_emit_line(e, "int pass = lane < count && entry + lane < p.entries;");
	gemp_emit_line(e, "if (pass) {");
	e->depth++;
	gemp_emit_line(e, "uint v_%d = mine_%d = gemp_row_from(begin_%d, p.vertices, row, entry + lane);", v0, v0, view);
	gemp_emit_line(e, "uint v_%d = mine_%d = near_%d[entry + lane];", v1, v1, view);
	gemp_emit_line(e, "pass = pivots[v_%d >> 5] >> (v_%d & 31) & 1;", v0, v0);
	char name[16];
	gemp_nested_emit_tests(e, &first, gemp_nested_vertex_name(name, v0), NULL);
	gemp_nested_emit_tests(e, &second, gemp_nested_vertex_name(name, v1), NULL);
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "uint todo = gemp_ballot(pass);");
}

/* Plans of three levels: each row has an entry of its own. */
static void emit_entry_a_row(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_emit_line(e, "const uint ready = popcount(todo);");
	gemp_emit_line(e, "spent += ready;");
	gemp_emit_line(e, "for (uint k = 0; k < ready; k += ROWS) {");
	e->depth++;
	gemp_emit_line(e, "uint b = gemp_nth(todo, k + lane / ROW_LANES), n = 0;");
	for (int s = 0; s < 2; s++)
		gemp_emit_line(e, "uint v_%d = gemp_shuffle(mine_%d, b);", plan->steps[s].vertex, plan->steps[s].vertex);
	gemp_emit_line(e, "if (k + lane / ROW_LANES < ready) {");
	e->depth++;
	gemp_nested_emit_leaf(e);
	e->depth--;
	gemp_emit_line(e, "}");
	gemp_nested_emit_sum(e);
	e->depth--;
	gemp_emit_line(e, "}");
}

static void emit_each_entry(gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_emit_line(e, "while (todo) {");
	e->depth++;
	gemp_emit_line(e, "const uint which = lowest(todo);");
	gemp_emit_line(e, "todo &= todo - 1;");
	for (int s = 0; s < 2; s++)
		gemp_emit_line(e, "const uint v_%d = gemp_shuffle(mine_%d, which);", plan->steps[s].vertex,
		               plan->steps[s].vertex);
	gemp_nested_emit_first_marks(e, false);
	gemp_nested_emit_level(e, 1);
	e->depth--;
	gemp_emit_line(e, "}");
}

static void emit_end(gemp_nested_emitter *e)
{
	if (!e->options->shared)
		gemp_nested_emit_first_marks(e, true);
	gemp_emit_line(e, "for (uint d = GEMP_LANES / 2; d; d /= 2) {");
	gemp_emit_line(e, "\tulong other = gemp_shuffle64(found, lane ^ d);");
	gemp_emit_line(e, "\tfound += other;");
	gemp_emit_line(e, "\tover |= found < other;");
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "if (lane == 0 && found) {");
	gemp_emit_line(e, "\tulong before = atom_add((__global ulong *)(control + GEMP_NESTED_FOUND), found);");
	gemp_emit_line(e, "\tover |= before + found < found;");
	gemp_emit_line(e, "}");
	gemp_emit_line(e, "if (over)");
	gemp_emit_line(e, "\tcontrol[GEMP_NESTED_OVERFLOW] = 1;");
}

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
		gemp_emit_line(&e, "#define list_%zu (lists + ((ulong)gemp_worker() * %zu + %zu) * p.room)", l,
		               nested->list_count, l);
	emit_arguments(&e);
	gemp_emit_line(&e, "{");
	e.depth++;
	emit_variables(&e);
	gemp_emit_line(&e, "for (;;) {");
	e.depth++;
	emit_take(&e);
	emit_entries(&e);
	if (nested->levels == 3)
		emit_entry_a_row(&e);
	else
		emit_each_entry(&e);
	e.depth--;
	gemp_emit_line(&e, "}");
	emit_end(&e);
	e.depth--;
	gemp_emit_line(&e, "}");
}
