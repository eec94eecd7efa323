/* emit_loops: the match kernel of a CPU device that has all rows. Each core runs one work-item. A work-item (worker)
 * runs a nest of loops, one loop for each step of the plan, and uses marks (adjacency_marks.h) in place of searches in
 * rows.
 *
 * Where matches are listed, a worker gathers some matches (its stage) before it reserves rows of the result buffer. If
 * the buffer is full, the worker writes the position of each loop to its state and returns. In the next launch the
 * worker continues at these positions, so no match is found twice or lost. */

#ifndef GEMP_MATCH_CODEGEN_EMIT_LOOPS_H
#define GEMP_MATCH_CODEGEN_EMIT_LOOPS_H

#include "match/codegen/kernel_text.h"

/* the greatest depth of a nest; plans with more loops use the state machine */
enum { GEMP_MAX_LOOPS = 12 };

bool gemp_loops_possible(const gemp_plan *plan);

/* Writes the body of the kernel. The caller has written the arguments. */
void gemp_emit_loops(const gemp_match_emitter *m);

#endif
