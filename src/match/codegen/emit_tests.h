/* emit_tests: the text of what a step tests without reading a row: distinctness, key ranks, candidates, edges; and of
 * marks and tables, which answer other tests at the price of one load.
 */

#ifndef GEMP_MATCH_CODEGEN_EMIT_TESTS_H
#define GEMP_MATCH_CODEGEN_EMIT_TESTS_H

#include "core/text.h"
#include "match/codegen/adjacency_marks.h"

/* What becomes of a vertex or edge that fails: a line `if (<condition>) <reject>` each; those that read memory are
 * asked only after `guard` ("" or "x && "). */
typedef struct gemp_rejection {
	const char *guard, *reject;
} gemp_rejection;

/* self: the vertex that is tested; the bound ones are v_0, v_1, ... */
void gemp_emit_vertex_filters(gemp_text *text, const gemp_plan *plan, const gemp_step *step, const char *self,
                              const gemp_rejection *rejection);
/* edge: the edge that is tested; the bound ones are e_0, e_1, ... */
void gemp_emit_edge_filters(gemp_text *text, const gemp_plan *plan, const gemp_step *step, const char *edge,
                            const gemp_rejection *rejection);

/* The ranges, as variables: the first two words in place of each bitmap, first slot and number of slots. */
void gemp_emit_ranges(gemp_text *t, const gemp_plan *plan);

/* Marks: the text that sets, counts on and clears marks (match/codegen/adjacency_marks.h) in a nest of loops.
 *
 * A mark is set when it pays: that of a row of the pivot at the first look, the others when the rows that were walked
 * along without it are as long as setting it takes. Variables of mark m: fill_m (it is set), seen_m, cost_m, known_m.
 */

/* Is mark m set whenever somebody looks? Else only if fill_m. */
bool gemp_mark_certain(const gemp_plan *plan, const gemp_adjacency_mark *mark);

/* What the body of step s begins with, and ends with. */
void gemp_emit_mark_variables(gemp_text *text, const gemp_plan *plan, const gemp_adjacency_marks *marks, int s);
void gemp_emit_mark_clearing(gemp_text *text, const gemp_plan *plan, const gemp_adjacency_marks *marks, int s);
/* Before step s walks along positions [b_s, z_s): sets what pays. */
void gemp_emit_mark_setting(gemp_text *text, const gemp_plan *plan, const gemp_adjacency_marks *marks, int s);

/* Tables: counting the last vertex by a table of two-paths.
 *
 * The last vertex t hangs on the pivot r and on one other vertex y. For each pivot a worker fills table[x] with the number
 * of t beside r and x that can be the last vertex; a partial match then counts table[y] less those of its own vertices
 * that are among them, and t is never enumerated. Both views go either way, so that a row tells of both ends.
 */

/* fill: the code that fills the table of the pivot just taken; else the code that clears that of the pivot before. */
void gemp_emit_table(gemp_text *text, const gemp_plan *plan, bool fill);

/* Declares w: what the partial match counts that the last-but-one step has completed with a vertex of that name.
 * marks: NULL where there are none. */
void gemp_emit_leaf(gemp_text *text, const gemp_plan *plan, const gemp_adjacency_marks *marks, const char *latest);

#endif
