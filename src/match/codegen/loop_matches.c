#include "match/codegen/loop_matches.h"

#include "match/codegen/two_path_lists.h"

enum { STAGE_TUPLES = 64 }; /* number of matches that a worker gathers before it reserves rows of the result buffer */

/* STATE of a worker, in words. Word 0: 0 nothing is kept, 1 the worker stopped in a task, 2 only matches are kept,
 * which found no place in the result buffer. Word 1: the number of kept matches. Word 2: the pivot has lists
 * (two_path_lists.h). The vertices of the task follow, then the number of the slice and the number of slices (if tasks
 * are sliced), the position of each loop, and the matches. */
enum { STATE_STAGED = 1, STATE_LISTS = 2 };

uint32_t gemp_task_words(const gemp_plan *plan)
{
	return plan->arguments ? (uint32_t)plan->arguments : 1;
}

/* The offsets of wide rows take two words. */
uint32_t gemp_position_word(const gemp_plan *plan, const gemp_emit_options *options, int s)
{
	return GEMP_STATE_TASK + gemp_task_words(plan) + (options->sliced ? 2 : 0) +
	       (uint32_t)(s - plan->root - 1) * (options->wide ? 2 : 1);
}

static uint32_t stage_word(const gemp_plan *plan, const gemp_emit_options *options)
{
	return gemp_position_word(plan, options, (int)plan->step_count);
}

/* The stage of a listing worker follows the positions of the loops. A counting worker has no stage. */
uint32_t gemp_loops_state_words(const gemp_plan *plan, const gemp_emit_options *options, uint32_t tuple_words)
{
	return stage_word(plan, options) + (options->listed ? STAGE_TUPLES * tuple_words : 0);
}

void gemp_put_stage_begin(const gemp_match_emitter *m)
{
	gemp_put(m->w, STATE_STAGED,
	         "__global uint *stage = s + %u;\n"
	         "uint resuming = p.resume && s[0] == 1;\n"
	         "uint staged = p.resume && s[0] ? s[$] : 0;\n",
	         stage_word(m->plan, m->options));
	if (m->options->lists)
		gemp_put_lists_worker(m, STATE_LISTS);
}

/* Copies as many staged matches as fit into the result buffer. */
static void put_flush(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0,
	         "staged = gemp_flush(control, p.result_capacity, id_of, result, stage, staged, %d, %d, &found);\n",
	         m->plan->vertex_count, m->plan->live_edges ? m->plan->edge_count : 0);
}

void gemp_put_stage_end(const gemp_match_emitter *m)
{
	gemp_put(m->w, 0, "if (staged && leave != GEMP_PARK)\n");
	put_flush(m);
	if (m->options->lists)
		gemp_put(m->w, STATE_LISTS, "s[$] = filled;\n");
	gemp_put(m->w, STATE_STAGED,
	         "s[0] = leave == GEMP_PARK ? 1 : staged ? 2 : 0; s[$] = staged;\n"
	         "if (s[0])\n\tatomic_inc(&control[GEMP_CONTROL_PARKED]);\n");
}

/* The entry at which the worker stops is read again by the next launch, and counts then. */
void gemp_put_room(const gemp_match_emitter *m)
{
	gemp_put(m->w, STAGE_TUPLES, "if (staged == $)\n");
	put_flush(m);
	gemp_put(m->w, STAGE_TUPLES, "if (staged == $) {\n");
	for (int s = m->plan->root + 1; s <= m->last; s++) {
		uint32_t at = gemp_position_word(m->plan, m->options, s);
		gemp_put(m->w, s, "s[%u] = (uint)i_$;\n", at);
		if (m->options->wide)
			gemp_put(m->w, s, "s[%u] = (uint)(i_$ >> 32);\n", at + 1);
	}
	if (m->options->profile && m->last > m->plan->root)
		gemp_put(m->w, 0, "mine[%zu]--;\n", m->plan->step_count + (size_t)m->last);
	gemp_put(m->w, 0, "leave = GEMP_PARK; break;\n}\n");
}

static void put_result(const gemp_match_emitter *m)
{
	const gemp_plan *plan = m->plan;
	gemp_put(m->w, 0, "__global uint *r = stage + staged * %u;\n", m->layout->tuple_words);
	for (int v = 0; v < plan->vertex_count; v++)
		gemp_put(m->w, v, "r[$] = v_$;\n");
	for (int f = 0; plan->live_edges && f < plan->edge_count; f++)
		gemp_put(m->w, f, "r[%d] = (uint)e_$; r[%d] = (uint)(e_$ >> 32);\n", plan->vertex_count + 2 * f,
		         plan->vertex_count + 2 * f + 1);
	gemp_put(m->w, 0, "staged += pass;\n");
	if (m->options->first_only && m->last > plan->root)
		gemp_put(m->w, 0, "if (pass) { leave = GEMP_NEXT_TASK; break; }\n");
}

bool gemp_counts_at(const gemp_match_emitter *m, int s)
{
	return m->plan->steps[s].kind != GEMP_BIND_EDGE && m->options->per >> m->plan->steps[s].vertex & 1;
}

/* A plan with two-paths counts as many matches as the table has for the last vertex, which is not enumerated. */
void gemp_put_match(const gemp_match_emitter *m)
{
	int v = m->plan->steps[m->last].vertex;
	if (m->options->listed) {
		put_result(m);
	} else if (m->plan->two_paths) {
		gemp_put_leaf(m, gemp_variable("v", v).text);
		gemp_put(m->w, 0, "found += w;\n");
		if (m->options->profile)
			gemp_put(m->w, m->last + 1, "mine[$] += w;\n");
	} else {
		gemp_put(m->w, 0, "found++;\n");
	}
	if (gemp_counts_at(m, m->last))
		gemp_put(m->w, v, m->options->listed ? "if (pass) atom_inc(&per[v_$]);\n" : "atom_inc(&per[v_$]);\n");
}
