/* emit: the text of a match kernel that is specialised for one plan. The kernel is a state machine (emit_step.h), or a
 * nest of loops (emit_loops.h) on a CPU device that has all rows.
 *
 * No text of the user enters a kernel: names become numbers, and literals become bitmaps. The same plan and the same
 * options give the same text, so the program cache finds the binary again. */

#ifndef GEMP_MATCH_CODEGEN_EMIT_H
#define GEMP_MATCH_CODEGEN_EMIT_H

#include "core/text.h"
#include "match/codegen/kernel_text.h"

/* Computes the layouts of items, matches and states. An item of a stage after the first has a header (bit 0: the item
 * has crossed ranks), for a VERIFY stage the open checks (2 words), the vertices in the order they are bound, and the
 * edges in the order they are bound (2 words each, the low word first). */
gemp_code gemp_item_layout_new(gemp_item_layout *out, const gemp_plan *plan, const gemp_emit_options *options);

/* Writes the kernel `match`. `fixed` is the text of match.clh. The arguments of the kernel, in order:
 *
 * - params
 * - begin_k, near_k, and edge_k if plan->live_edges: row offsets, column indices and edges of each view k
 * - own, bounds: unless all_resident
 * - id_of: unless all rows are resident and matches are only counted
 * - key_rank, by slot: if keys are compared
 * - candidates, candidate_words
 * - tasks
 * - out, out_capacity, out_base
 * - state
 * - result: if listed
 * - tables: if the plan counts by two-paths; a u32 for each vertex and worker, all 0 between launches
 * - lists: if there are lists of two-paths; 2 * vertices + list_capacity + 1 words for each worker. The first 2 *
 *   vertices words of a worker are 0 between launches unless it has stopped in a task
 * - marks: if there are marks; GEMP_MARK_BYTES for each worker, all 0 between launches
 * - passed: the counters of a profile
 * - per: if matches are counted at vertices; one count for each slot
 * - control, followed by the number of items in each area of out
 *
 * The result buffer has the form that sinks take: vertex ids row by row, for result_capacity rows, then edges row by
 * row, which begin at an even word. */
void gemp_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_item_layout *layout,
               const gemp_emit_options *options);

#endif
