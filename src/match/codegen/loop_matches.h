/* loop_matches: what a worker of a nest of loops (emit_loops.h) does with a match, and the state in which a worker that
 * lists matches stops.
 *
 * A listing worker writes matches to a stage of its own. When the stage is full, one atomic addition reserves rows of
 * the result buffer, and the matches are copied there with ids in place of slots: the loads of the ids, most of which
 * miss the caches, then overlap. A worker whose stage and result buffer are both full
 * stores the position of each loop and stops; the next launch continues at these positions. The tests of the last step
 * are no branches: each candidate is written to the stage, and counts if it passed. Local. */

#ifndef GEMP_MATCH_CODEGEN_LOOP_MATCHES_H
#define GEMP_MATCH_CODEGEN_LOOP_MATCHES_H

#include "match/codegen/kernel_text.h"

/* The number of words of a worker's state. */
uint32_t gemp_loops_state_words(const gemp_plan *plan, const gemp_emit_options *options, uint32_t tuple_words);

/* The first word of the given vertices in the state of a worker. */
enum { GEMP_STATE_TASK = 3 };
/* The number of vertices of a task, which is a pivot or a seed. */
uint32_t gemp_task_words(const gemp_plan *plan);
/* The first word of the position of step s in the state. */
uint32_t gemp_position_word(const gemp_plan *plan, const gemp_emit_options *options, int s);

/* Write the beginning and the end of a worker. */
void gemp_put_stage_begin(const gemp_match_emitter *m);
void gemp_put_stage_end(const gemp_match_emitter *m);
/* Writes, before the tests of a candidate of the last step, that a worker without room for a match stops. */
void gemp_put_room(const gemp_match_emitter *m);
/* Writes how a match is listed if `pass` is 1, or counted. */
void gemp_put_match(const gemp_match_emitter *m);
/* True if matches are counted at the image of the vertex that step s binds. */
bool gemp_counts_at(const gemp_match_emitter *m, int s);

#endif
