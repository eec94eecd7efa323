/* emit_step: one operator of the plan as a case of the match kernel's state machine.
 *
 * A worker of `lanes` lanes goes through a row in steps of so many entries. Variables of step S: cur_S and end_S are
 * the rest of the row, todo_S the lanes to test, mask_S the lanes that passed and are still to be visited, from_S the
 * source whose row is walked. A partial match whose row is on another rank is written to the outbox.
 */

#ifndef GEMP_MATCH_CODEGEN_EMIT_STEP_H
#define GEMP_MATCH_CODEGEN_EMIT_STEP_H

#include "match/codegen/kernel_text.h"

/* A plan of more steps keeps its values in memory: there v_i is also VERTEX(i), and checks can be a loop. */
enum { GEMP_MAX_STEPS_IN_REGISTERS = 10 };

/* Does a search in a row begin where the last one ended? It does where partial matches travel and a row has one lane;
 * then check J of step S has a variable last_S_J. */
bool gemp_emit_keeps_offsets(const gemp_plan *plan, const gemp_emit_options *options);

/* One bit for each check of the step. */
static inline unsigned long long gemp_check_bits(const gemp_step *step)
{
	return step->kind == GEMP_BIND_EDGE || step->check_count == 0 ? 0 : UINT64_MAX >> (64 - step->check_count);
}

/* The case of step s. It tests the lanes that are to do, visits those that passed one after another (at the last step
 * it counts or writes them together), goes on to the next lanes of the row, and at the row's end back to the step
 * before. A lane whose next row is on another rank sends its partial match and is done with it. A lane that finds no
 * place in the outbox stays to do, and the worker stops. */
void gemp_emit_step(const gemp_match_emitter *m, int s);

#endif
