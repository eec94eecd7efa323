/* emit_leaf: counting the last vertex by a table of two-paths.
 *
 * The last vertex t hangs on the pivot r and on one other vertex y. For each pivot a worker fills table[x] with the number
 * of t beside r and x that can be the last vertex; a partial match then counts table[y] less those of its own vertices
 * that are among them, and t is never enumerated. Both views go either way, so that a row tells of both ends.
 */
#ifndef GEMP_MATCH_EMIT_LEAF_H
#define GEMP_MATCH_EMIT_LEAF_H

#include "core/text.h"
#include "match/marks.h"

/* fill: the code that fills the table of the pivot just taken; else the code that clears that of the pivot before. */
void gemp_emit_table(gemp_text *text, const gemp_plan *plan, bool fill);

/* Declares w: what the partial match counts that the last-but-one step has completed with a vertex of that name.
 * marks: NULL where there are none. */
void gemp_emit_leaf(gemp_text *text, const gemp_plan *plan, const gemp_marks *marks, const char *latest);

#endif
