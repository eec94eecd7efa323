/* emit: the text of a match kernel, specialised for a plan: a state machine (emit_step.h), or on a CPU device that has
 * all rows a nest of loops (emit_loops.h).
 *
 * No text of the user's enters a kernel: names are numbers, and literals have become bitmaps. The same plan and options
 * give the same text, so that the program cache finds the binary again.
 */

#ifndef GEMP_MATCH_CODEGEN_EMIT_H
#define GEMP_MATCH_CODEGEN_EMIT_H

#include "core/text.h"
#include "match/codegen/kernel_text.h"

/* An item: header (bit 0: has crossed ranks), for VERIFY the checks left (2 words), vertices in the order they are
 * bound, edges in the order they are bound (2 words each, low first). */
gemp_code gemp_item_layout_new(gemp_item_layout *out, const gemp_plan *plan, const gemp_emit_options *options);

/* Arguments of kernel `match`, in order: params; begin_k, near_k (and edge_k, if edges live) of each view; own, bounds
 * (unless all_resident); id_of (unless all_resident and not listed); key_rank (if keys are compared: by slot);
 * candidates, candidate_words; tasks; out, out_capacity, out_base; state; result (if listed); tables (if the plan
 * counts by two-paths: a u32 a vertex for each worker, all 0 between launches); marks (if there are: GEMP_MARK_BYTES
 * for each worker, the same); passed (if profile: the counters); per (if matches count at vertices: a count a slot);
 * control, with the items in each area of out behind it. `fixed` is the text of match.clh.
 *
 * Results are what sinks take as it is: vertex ids, row by row, of result_capacity rows; from the next even word on
 * edges, row by row. */
void gemp_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_item_layout *layout,
               const gemp_emit_options *options);

#endif
