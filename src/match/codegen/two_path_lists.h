/* two_path_lists: lists of the candidates of a last vertex with two neighbours, in a nest of loops that lists matches.
 *
 * The last vertex t is adjacent to the pivot r and to one other vertex y. Without lists a worker walks a row for every
 * partial match and rejects most entries: those of cycle:4 in a graph of translations are seven for each match. With
 * lists, a worker walks the two-paths r - x - y of a pivot and lists the middles x of each y in the order of their
 * slots. The loop of the last step then reads the list of y instead of a row, and every entry passes both checks.
 *
 * A worker has ends[vertices][2] and list[list_capacity + 1]. The list of y is list[ends[y][0]], ..., up to but without
 * list[ends[y][1]]; y has no list if both are 0. `filled` is 1 if the present pivot has lists. They are made when the
 * rows walked without them are as long as the two-paths, so a pivot with few partial matches has none, and
 * neither has a pivot with more two-paths than list_capacity. A worker that stops within a pivot keeps its lists;
 * otherwise all ends are 0 again when it leaves the pivot. Local. */

#ifndef GEMP_MATCH_CODEGEN_TWO_PATH_LISTS_H
#define GEMP_MATCH_CODEGEN_TWO_PATH_LISTS_H

#include "match/codegen/kernel_text.h"

/* True if lists can serve the last step of the plan: its vertex has two neighbours, the pivot and a vertex that is
 * bound at least two steps after the pivot. Marks must include that of the pivot's row. */
bool gemp_lists_possible(const gemp_plan *plan, const gemp_adjacency_marks *marks);
/* The view whose rows have the ends of two-paths from their middles. */
int gemp_lists_view(const gemp_plan *plan);

/* Write the declarations of a worker, whose state has `filled` in the word `at`, and those of a pivot. */
void gemp_put_lists_worker(const gemp_match_emitter *m, uint32_t at);
void gemp_put_lists_pivot(const gemp_match_emitter *m);
/* Writes the choice of the list of y as the positions [b_s, z_s) of the last step, and opens a block for the choice of
 * a row, for pivots without lists. */
void gemp_put_lists(const gemp_match_emitter *m);
/* Writes the clearing of the lists, at the end of a pivot. */
void gemp_put_lists_clearing(const gemp_match_emitter *m);

#endif
