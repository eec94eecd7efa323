/* emit_loops: the match kernel of a CPU device that has every row: one work-item a core and in it a nest of loops, one
 * a step of the plan, with marks (adjacency_marks.h) in place of searches in rows.
 *
 * Where matches are listed, a worker gathers some of them (its stage) before it reserves rows of the result buffer.
 * Where the buffer is full, it writes the position of each loop to its state and returns; in the next launch it goes
 * straight back to these positions. So nothing is found twice or lost.
 */

#ifndef GEMP_MATCH_CODEGEN_EMIT_LOOPS_H
#define GEMP_MATCH_CODEGEN_EMIT_LOOPS_H

#include "match/codegen/kernel_text.h"

/* Deeper nests are left to the state machine. */
enum { GEMP_MAX_LOOPS = 12 };

bool gemp_loops_possible(const gemp_plan *plan);

/* Words of a worker's state. */
uint32_t gemp_loops_state_words(const gemp_plan *plan, const gemp_emit_options *options, uint32_t tuple_words);

/* The body of the kernel, behind its arguments. */
void gemp_emit_loops(const gemp_match_emitter *m);

#endif
