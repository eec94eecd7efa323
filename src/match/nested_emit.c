#include "match/nested_emit.h"

#include "match/nested_loop.h"
#include "match/nested_parts.h"

static void emit_arguments(gemp_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_put(e, "__kernel void nested(gemp_nested_params p,");
	for (size_t v = 0; v < plan->view_count; v++)
		gemp_put(e, "\t__global const uint *restrict begin_%zu, __global const uint *restrict near_%zu,", v, v);
	if (plan->keys)
		gemp_put(e, "\t__global const uint *restrict key_rank,");
	gemp_put(e, "\t__global const uint *restrict pivots,");
	gemp_put(e, "\t__global const uint *restrict candidates, uint candidate_words,");
	if (e->nested->list_count)
		gemp_put(e, "\t__global uint *lists,");
	if (e->nested->leaf == GEMP_LEAF_MARKED && !e->options->shared)
		gemp_put(e, "\t__global uint *marks,");
	gemp_put(e, "\t__global gemp_nested_part *parts, __global uint *control)");
}

static void emit_variables(gemp_emitter *e)
{
	gemp_put(e, "GEMP_GROUP_DECLARE");
	gemp_put(e, "const uint lane = gemp_lane();");
	gemp_put(e, "ulong found = 0;");
	gemp_put(e, "uint over = 0, spent = 0, rested = NOW;");
	if (e->nested->leaf == GEMP_LEAF_MARKED) {
		if (e->options->shared) { /* of a size that the compiler knows: drivers make room for too few groups else */
			gemp_put(e, "__local uint marks[%zu];", e->options->shared * e->options->in_group);
			gemp_put(e, "__local uint *bits = marks + get_local_id(0) / GEMP_LANES %% %zu * %zu;", e->options->in_group,
			         e->options->shared);
		} else {
			gemp_put(e, "__global uint *bits = marks + (ulong)gemp_worker() * p.words;");
		}
	}
	if (e->nested->leaf == GEMP_LEAF_MARKED && e->options->shared) { /* those in global memory are left clean */
		gemp_put(e, "for (uint i = lane; i < p.words; i += GEMP_LANES)");
		gemp_put(e, "\tbits[i] = 0;");
		gemp_put(e, "gemp_sync();");
	}
	if (e->nested->leaf == GEMP_LEAF_MARKED && e->nested->marks.level == 0)
		gemp_put(e, "uint marked_for = ~0u;");
	gemp_put(e, "if (lane == 0)");
	gemp_put(e, "\tatomic_inc(&control[GEMP_NESTED_ACTIVE]);");
}

/* What there is to do next: entries [entry, entry + chunk), or a part of one. */
static void emit_take(gemp_emitter *e)
{
	gemp_put(e, "gemp_nested_part part = { 0, 0, ~0u, 0, ~0u, 0 };");
	gemp_put(e, "uint count = 0;");
	gemp_put(e, "if (lane == 0) {");
	gemp_put(e, "\tuint t = spent < p.budget ? atomic_inc(&control[GEMP_NESTED_NEXT]) : p.tasks;");
	gemp_put(e, "\tif (t < p.tasks) {");
	gemp_put(e, "\t\tt += p.first;");
	gemp_put(e, "\t\tpart.entry = (t / p.width * p.columns + p.column + t %% p.width) * p.chunk;");
	gemp_put(e, "\t\tcount = p.chunk;");
	gemp_put(e, "\t} else {");
	gemp_put(e, "\t\tcount = gemp_wait(control, parts, p.queue, &part);");
	gemp_put(e, "\t}");
	gemp_put(e, "}");
	gemp_put(e, "count = gemp_shuffle(count, 0);");
	gemp_put(e, "if (!count)");
	gemp_put(e, "\tbreak;");
	gemp_put(e, "const uint entry = gemp_shuffle(part.entry, 0);");
	gemp_emit_part(e);
}

/* Each lane tests an entry. */
static void emit_entries(gemp_emitter *e)
{
	const gemp_plan *plan = e->plan;
	int v0 = plan->steps[0].vertex, v1 = plan->steps[1].vertex, view = plan->steps[1].checks[0].view;
	gemp_filters first, second;
	gemp_filters_of(&first, plan, &plan->steps[0], 0);
	gemp_filters_of(&second, plan, &plan->steps[1], gemp_nested_seen(plan, 0));
	if (!plan->pivot_off)
		first.candidates = -1;
	second.rows[0] = second.rows[--second.row_count];
	gemp_put(e, "const uint row = gemp_lower_together(GEMP_GROUP_PASS begin_%d, 0, p.vertices + 1, entry + 1) - 1;", view);
	gemp_put(e, "uint mine_%d = 0, mine_%d = 0;", v0, v1);
	gemp_put(e, "int pass = lane < count && entry + lane < p.entries;");
	gemp_put(e, "if (pass) {");
	e->depth++;
	gemp_put(e, "uint v_%d = mine_%d = gemp_row_from(begin_%d, p.vertices, row, entry + lane);", v0, v0, view);
	gemp_put(e, "uint v_%d = mine_%d = near_%d[entry + lane];", v1, v1, view);
	gemp_put(e, "pass = pivots[v_%d >> 5] >> (v_%d & 31) & 1;", v0, v0);
	char name[16];
	gemp_emit_tests(e, &first, gemp_vertex_name(name, v0), NULL);
	gemp_emit_tests(e, &second, gemp_vertex_name(name, v1), NULL);
	e->depth--;
	gemp_put(e, "}");
	gemp_put(e, "uint todo = gemp_ballot(pass);");
}

/* Plans of three levels: each row has an entry of its own. */
static void emit_entry_a_row(gemp_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_put(e, "const uint ready = popcount(todo);");
	gemp_put(e, "spent += ready;");
	gemp_put(e, "for (uint k = 0; k < ready; k += ROWS) {");
	e->depth++;
	gemp_put(e, "uint b = gemp_nth(todo, k + lane / ROW_LANES), n = 0;");
	for (int s = 0; s < 2; s++)
		gemp_put(e, "uint v_%d = gemp_shuffle(mine_%d, b);", plan->steps[s].vertex, plan->steps[s].vertex);
	gemp_put(e, "if (k + lane / ROW_LANES < ready) {");
	e->depth++;
	gemp_emit_leaf_loop(e);
	e->depth--;
	gemp_put(e, "}");
	gemp_emit_sum(e);
	e->depth--;
	gemp_put(e, "}");
}

static void emit_each_entry(gemp_emitter *e)
{
	const gemp_plan *plan = e->plan;
	gemp_put(e, "while (todo) {");
	e->depth++;
	gemp_put(e, "const uint which = lowest(todo);");
	gemp_put(e, "todo &= todo - 1;");
	for (int s = 0; s < 2; s++)
		gemp_put(e, "const uint v_%d = gemp_shuffle(mine_%d, which);", plan->steps[s].vertex, plan->steps[s].vertex);
	gemp_emit_marks_of_first(e, false);
	gemp_emit_level(e, 1);
	e->depth--;
	gemp_put(e, "}");
}

static void emit_end(gemp_emitter *e)
{
	if (!e->options->shared)
		gemp_emit_marks_of_first(e, true);
	gemp_put(e, "for (uint d = GEMP_LANES / 2; d; d /= 2) {");
	gemp_put(e, "\tulong other = gemp_shuffle64(found, lane ^ d);");
	gemp_put(e, "\tfound += other;");
	gemp_put(e, "\tover |= found < other;");
	gemp_put(e, "}");
	gemp_put(e, "if (lane == 0 && found) {");
	gemp_put(e, "\tulong before = atom_add((__global ulong *)(control + GEMP_NESTED_FOUND), found);");
	gemp_put(e, "\tover |= before + found < found;");
	gemp_put(e, "}");
	gemp_put(e, "if (over)");
	gemp_put(e, "\tcontrol[GEMP_NESTED_OVERFLOW] = 1;");
}

void gemp_nested_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_nested *nested,
                      const gemp_nested_options *options)
{
	gemp_emitter e = { .text = text, .plan = plan, .nested = nested, .options = options };
	gemp_text_print(text, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
	                "#define GEMP_LANES %d\n#define ROW_LANES %d\n",
	                options->lanes, options->row_lanes);
	if (options->folded)
		gemp_text_print(text, "#define FOLDED %zuu\n", options->shared * 32);
	gemp_text_print(text, "%s\n", fixed);
	for (size_t l = 0; l < nested->list_count; l++) /* no variable: that is a register kept through all loops */
		gemp_put(&e, "#define list_%zu (lists + ((ulong)gemp_worker() * %zu + %zu) * p.room)", l, nested->list_count, l);
	emit_arguments(&e);
	gemp_put(&e, "{");
	e.depth++;
	emit_variables(&e);
	gemp_put(&e, "for (;;) {");
	e.depth++;
	emit_take(&e);
	emit_entries(&e);
	if (nested->levels == 3)
		emit_entry_a_row(&e);
	else
		emit_each_entry(&e);
	e.depth--;
	gemp_put(&e, "}");
	emit_end(&e);
	e.depth--;
	gemp_put(&e, "}");
}
