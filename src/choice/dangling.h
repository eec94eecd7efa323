/* dangling: matches that would leave an edge without an end: a vertex is deleted without DETACH, and not all of its
 * edges are deleted with it, by name or with a vertex at their other end that is deleted with DETACH. */
#ifndef GEMP_CHOICE_DANGLING_H
#define GEMP_CHOICE_DANGLING_H

#include "partition/context.h"
#include "pattern/rule_columns.h"
#include "query/frame.h"

/* Collective. They become GEMP_LEFT_OUT in choice[frame->rows]. */
gemp_code gemp_block_dangling(gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                              const gemp_rule_columns *columns, const gemp_frame *frame, uint8_t *choice);

#endif
