/* emit_step: one step of the plan as a case of the match kernel's state machine.
 *
 * A worker has `lanes` lanes and goes through a row in chunks of `lanes` entries. Variables of step S: [cur_S, end_S)
 * is the rest of the row, todo_S has the lanes whose candidates are not tested yet (open lanes), mask_S the lanes that
 * passed the tests and are not visited yet, and from_S is the source whose row is walked. A partial match whose next
 * row is on another rank is written to the outbox. */

#ifndef GEMP_MATCH_CODEGEN_EMIT_STEP_H
#define GEMP_MATCH_CODEGEN_EMIT_STEP_H

#include "match/codegen/kernel_text.h"

/* A plan with more steps keeps its variables in memory. There v_i is also VERTEX(i), so checks can be written as a
 * loop. */
enum { GEMP_MAX_STEPS_IN_REGISTERS = 10 };

/* True if a search in a row begins where the last search of the same check ended. This holds if not all rows are
 * resident, a worker has one lane, and the plan is short. Check J of step S then has a variable last_S_J. */
bool gemp_emit_keeps_offsets(const gemp_plan *plan, const gemp_emit_options *options);

/* A set of bits with one bit for each check of the step. */
static inline unsigned long long gemp_check_bits(const gemp_step *step)
{
	return step->kind == GEMP_BIND_EDGE || step->check_count == 0 ? 0 : UINT64_MAX >> (64 - step->check_count);
}

/* Writes the case of step s. The case tests the open lanes and visits the lanes that passed, one after another. The
 * case of the last step counts or writes the matches of these lanes instead. Then the case goes on to the next lanes of
 * the row, and at the row's end back to the step before. A lane whose next row is on another rank sends its partial
 * match and is finished. A lane that finds no place in the outbox stays open, and the worker stops. */
void gemp_emit_step(const gemp_match_emitter *m, int s);

#endif
