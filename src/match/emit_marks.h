/* emit_marks: the text that sets, counts on and clears marks (match/marks.h) in a nest of loops.
 *
 * A mark is set when it pays: that of a row of the pivot at the first look, the others when the rows that were walked
 * along without it are as long as setting it takes. Variables of mark m: fill_m (it is set), seen_m, cost_m, known_m.
 */
#ifndef GEMP_MATCH_EMIT_MARKS_H
#define GEMP_MATCH_EMIT_MARKS_H

#include "core/text.h"
#include "match/marks.h"

/* Is mark m set whenever somebody looks? Else only if fill_m. */
bool gemp_mark_certain(const gemp_plan *plan, const gemp_mark *mark);

/* What the body of step s begins with, and ends with. */
void gemp_emit_mark_variables(gemp_text *text, const gemp_plan *plan, const gemp_marks *marks, int s);
void gemp_emit_mark_clearing(gemp_text *text, const gemp_plan *plan, const gemp_marks *marks, int s);
/* Before step s walks along positions [b_s, z_s): sets what pays. */
void gemp_emit_mark_setting(gemp_text *text, const gemp_plan *plan, const gemp_marks *marks, int s);

/* The greatest (or least) of bound vertices, as an expression. */
void gemp_emit_extreme(gemp_text *text, uint64_t vertices, bool greatest);

#endif
