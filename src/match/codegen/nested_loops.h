/* nested_loop: the loops of a nested kernel, written from the outermost inwards. */

#ifndef GEMP_MATCH_CODEGEN_NESTED_LOOPS_H
#define GEMP_MATCH_CODEGEN_NESTED_LOOPS_H

#include "match/codegen/nested_text.h"

/* `pass` stays true if candidate c passes the filters. which: variable that tells from which of the rows it comes, or
 * NULL. */
void gemp_nested_emit_tests(gemp_nested_emitter *e, const gemp_nested_filters *filters, const char *c,
                            const char *which);

/* Marks that only the task's first vertex decides about stay as they are while it is the same; at the end they are
 * wiped. */
void gemp_nested_emit_first_marks(gemp_nested_emitter *e, bool end);
/* Everything below a vertex just bound. */
void gemp_nested_emit_level(gemp_nested_emitter *e, int level);
/* The last level: adds to n what a lane finds. */
void gemp_nested_emit_leaf(gemp_nested_emitter *e);
/* n of all lanes of a row goes to `found`. */
void gemp_nested_emit_sum(gemp_nested_emitter *e);

#endif
