#include "match/codegen/nested_kernel.h"

/* Writes text; `$` becomes `number`, the number of a view, a vertex or a list. */
#define PUT(number, ...) gemp_put(e->w, number, __VA_ARGS__)

/* nested_search.c sets the arguments in the same order. */
static void put_arguments(const gemp_nested_emitter *e)
{
	PUT(0, "__kernel void nested(gemp_nested_params p,\n");
	for (int v = 0; v < (int)e->plan->view_count; v++)
		PUT(v, "\t__global const uint *restrict begin_$, __global const uint *restrict near_$,\n");
	if (e->plan->keys)
		PUT(0, "\t__global const uint *restrict key_rank,\n");
	PUT(0, "\t__global const uint *restrict pivots,\n"
	       "\t__global const uint *restrict candidates, uint candidate_words,\n");
	if (e->nested->list_count)
		PUT(0, "\t__global uint *lists,\n");
	if (e->nested->leaf == GEMP_LEAF_MARKED && !e->options->shared)
		PUT(0, "\t__global uint *marks,\n");
	PUT(0, "\t__global gemp_nested_part *parts, __global uint *control)\n");
}

/* Declares the bitmap of the last level. The bitmap is in local memory if it fits there; otherwise each worker has a
 * bitmap in global memory, which every launch leaves clean. The size of local memory is a constant of the kernel,
 * because drivers otherwise run too few groups at a time. */
static void put_bitmap(const gemp_nested_emitter *e)
{
	if (e->options->shared)
		PUT((int)e->options->in_group,
		    "__local uint marks[%zu];\n"
		    "__local uint *bits = marks + get_local_id(0) / GEMP_LANES %% $ * %zu;\n"
		    "for (uint i = lane; i < p.words; i += GEMP_LANES)\n"
		    "\tbits[i] = 0;\n"
		    "gemp_sync();\n",
		    e->options->shared * e->options->in_group, e->options->shared);
	else
		PUT(0, "__global uint *bits = marks + (ulong)gemp_worker() * p.words;\n");
	if (e->nested->marks.level == 0)
		PUT(0, "uint marked_for = ~0u;\n");
}

/* `spent` counts the rows that a worker has searched in this launch, and `rested` is the time of its last check for
 * waiting workers. */
static void put_variables(const gemp_nested_emitter *e)
{
	PUT(0, "GEMP_GROUP_DECLARE\n"
	       "const uint lane = gemp_lane();\n"
	       "ulong found = 0;\n"
	       "uint over = 0, spent = 0, rested = NOW;\n");
	if (e->nested->leaf == GEMP_LEAF_MARKED)
		put_bitmap(e);
	PUT(0, "if (lane == 0)\n"
	       "\tatomic_inc(&control[GEMP_NESTED_ACTIVE]);\n");
}

/* A worker takes the next chunk of entries. If no chunk is left, or if the worker has searched p.budget rows in this
 * launch, it waits until another worker gives it a part. */
static void put_take(const gemp_nested_emitter *e)
{
	PUT(0, "gemp_nested_part part = { 0, 0, ~0u, 0, ~0u, 0 };\n"
	       "uint count = 0;\n"
	       "if (lane == 0) {\n"
	       "uint t = spent < p.budget ? atomic_inc(&control[GEMP_NESTED_NEXT]) : p.tasks;\n"
	       "if (t < p.tasks) {\n"
	       "t += p.first;\n"
	       "part.entry = (t / p.width * p.columns + p.column + t %% p.width) * p.chunk;\n"
	       "count = p.chunk;\n"
	       "} else {\n"
	       "count = gemp_wait(control, parts, p.queue, &part);\n"
	       "}\n"
	       "}\n"
	       "count = gemp_shuffle(count, 0);\n"
	       "if (!count)\n"
	       "\tbreak;\n"
	       "const uint entry = gemp_shuffle(part.entry, 0);\n");
	gemp_nested_put_part(e);
}

/* Each lane reads one entry of the second step's view and tests the entry's two vertices. */
static void put_entries(const gemp_nested_emitter *e)
{
	const gemp_plan *plan = e->plan;
	int v0 = plan->steps[0].vertex, v1 = plan->steps[1].vertex, view = plan->steps[1].checks[0].view;
	gemp_nested_filters first, second;
	gemp_nested_filters_of(&first, plan, &plan->steps[0], 0);
	gemp_nested_filters_of(&second, plan, &plan->steps[1], gemp_nested_bound(plan, 0));
	if (!plan->pivot_off)
		first.candidates = -1;
	second.rows[0] = second.rows[--second.row_count];
	PUT(view,
	    "const uint row = gemp_lower_together(GEMP_GROUP_PASS begin_$, 0, p.vertices + 1, entry + 1) - 1;\n"
	    "uint mine_%d = 0, mine_%d = 0;\n"
	    "int pass = lane < count && entry + lane < p.entries;\n"
	    "if (pass) {\n"
	    "uint v_%d = mine_%d = gemp_row_from(begin_$, p.vertices, row, entry + lane);\n"
	    "uint v_%d = mine_%d = near_$[entry + lane];\n"
	    "pass = pivots[v_%d >> 5] >> (v_%d & 31) & 1;\n",
	    v0, v1, v0, v0, v1, v1, v0, v0);
	gemp_nested_put_tests(e, &first, gemp_variable("v", v0).text, NULL);
	gemp_nested_put_tests(e, &second, gemp_variable("v", v1).text, NULL);
	PUT(0, "}\nuint todo = gemp_ballot(pass);\n");
}

/* In plans of three levels only the last level is left, so each group of ROW_LANES lanes takes an entry of its own. */
static void put_entry_a_row(const gemp_nested_emitter *e)
{
	PUT(0, "const uint ready = popcount(todo);\n"
	       "spent += ready;\n"
	       "for (uint k = 0; k < ready; k += ROWS) {\n"
	       "uint b = gemp_nth(todo, k + lane / ROW_LANES), n = 0;\n");
	for (int s = 0; s < 2; s++)
		PUT(e->plan->steps[s].vertex, "uint v_$ = gemp_shuffle(mine_$, b);\n");
	PUT(0, "if (k + lane / ROW_LANES < ready) {\n");
	gemp_nested_put_leaf(e);
	PUT(0, "}\n");
	gemp_nested_put_sum(e);
	PUT(0, "}\n");
}

/* In deeper plans all lanes of a worker work on one entry at a time. */
static void put_each_entry(const gemp_nested_emitter *e)
{
	PUT(0, "while (todo) {\n"
	       "const uint which = lowest(todo);\n"
	       "todo &= todo - 1;\n");
	for (int s = 0; s < 2; s++)
		PUT(e->plan->steps[s].vertex, "const uint v_$ = gemp_shuffle(mine_$, which);\n");
	gemp_nested_put_first_marks(e, false);
	gemp_nested_put_level(e, 1);
	PUT(0, "}\n");
}

/* Adds up the counts of the lanes, and notes an overflow of 64 bits. */
static void put_end(const gemp_nested_emitter *e)
{
	if (!e->options->shared)
		gemp_nested_put_first_marks(e, true);
	PUT(0, "for (uint d = GEMP_LANES / 2; d; d /= 2) {\n"
	       "ulong other = gemp_shuffle64(found, lane ^ d);\n"
	       "found += other;\n"
	       "over |= found < other;\n"
	       "}\n"
	       "if (lane == 0 && found) {\n"
	       "ulong before = atom_add((__global ulong *)(control + GEMP_NESTED_FOUND), found);\n"
	       "over |= before + found < found;\n"
	       "}\n"
	       "if (over)\n"
	       "\tcontrol[GEMP_NESTED_OVERFLOW] = 1;\n");
}

/* Macros name the lists, because variables would keep a register through all loops. */
void gemp_nested_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_nested *nested,
                      const gemp_nested_options *options)
{
	gemp_kernel_writer writer = { .text = text };
	const gemp_nested_emitter emitter = { .w = &writer, .plan = plan, .nested = nested, .options = options };
	const gemp_nested_emitter *e = &emitter;
	gemp_text_print(text,
	                "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
	                "#define GEMP_LANES %d\n#define ROW_LANES %d\n",
	                options->lanes, options->row_lanes);
	if (options->folded)
		gemp_text_print(text, "#define FOLDED %zuu\n", options->shared * 32);
	gemp_text_print(text, "%s\n", fixed);
	for (int l = 0; l < (int)nested->list_count; l++)
		PUT(l, "#define list_$ (lists + ((ulong)gemp_worker() * %zu + $) * p.room)\n", nested->list_count);
	put_arguments(e);
	PUT(0, "{\n");
	put_variables(e);
	PUT(0, "for (;;) {\n");
	put_take(e);
	put_entries(e);
	if (nested->levels == 3)
		put_entry_a_row(e);
	else
		put_each_entry(e);
	PUT(0, "}\n");
	put_end(e);
	PUT(0, "}\n");
}
