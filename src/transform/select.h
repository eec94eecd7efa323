/* select: of the matches that a step has found those that it applies: not blocked, without conflicts, and numbered. */
#ifndef GEMP_TRANSFORM_SELECT_H
#define GEMP_TRANSFORM_SELECT_H

#include "partition/context.h"
#include "pattern/rule.h"
#include "query/frame.h"
#include "transform/step.h"

typedef struct gemp_selected {
	uint8_t *chosen;   /* [frame->rows] 1: it is applied; else 0 */
	uint64_t *numbers; /* [frame->rows] of a chosen match among those of all ranks, in the order of their keys; NULL:
	                      nobody asks, neither vertices that the rule creates nor a recorder */
} gemp_selected;

/* Collective. frame: rows of the rule's matches that this rank found. index: of the rule, for its priorities. Fills the
 * report's matches, blocked, conflicts, applied and rounds. The caller frees, also after an error. */
gemp_code gemp_select(gemp_selected *out, gemp_context *context, gemp_graph *graph, const gemp_rule *rule, size_t index,
                      const gemp_frame *frame, const gemp_step_options *options, gemp_step_report *report);
void gemp_selected_free(gemp_selected *selected);

#endif
