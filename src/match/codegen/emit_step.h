/* emit_step: one operator of the plan as a case of the match kernel's state machine.
 *
 * A worker of `lanes` lanes goes through a row in steps of so many entries. Variables of step S: cur_S and end_S are
 * the rest of the row, todo_S the lanes to test, mask_S the lanes that passed and are still to be visited, from_S the
 * source whose row is walked. A partial match whose row is on another rank is written to the outbox.
 */

#ifndef GEMP_MATCH_CODEGEN_EMIT_STEP_H
#define GEMP_MATCH_CODEGEN_EMIT_STEP_H

#include "core/text.h"
#include "match/codegen/kernel_layout.h"

/* A plan of more steps keeps its values in memory: there v_i is also VERTEX(i), and checks can be a loop. */
enum { GEMP_MAX_STEPS_IN_REGISTERS = 10 };

/* Where partial matches travel and a row has one lane, a search in a row begins where the last one ended: OFFSET last_S_J for check J of step S. */
bool gemp_emit_keeps_offsets(const gemp_plan *plan, const gemp_emit_options *options);

/* One bit a check of the step. */
static inline unsigned long long gemp_check_bits(const gemp_step *step)
{
	return step->kind == GEMP_BIND_EDGE || step->check_count == 0 ? 0 : UINT64_MAX >> (64 - step->check_count);
}

/* The case of step s: test the lanes that are to do, then visit those that passed, one after another (or, at the last step,
 * count or write them together), then the next lanes of the row, then back to the step before. A lane whose next row is
 * elsewhere sends its partial match and is done with it; one that finds no room stays to do, and the worker stops. */
void gemp_emit_step(gemp_text *text, const gemp_plan *plan, const gemp_item_layout *layout,
                    const gemp_emit_options *options, int s);

#endif
