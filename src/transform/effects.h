/* effects: how much a step changes. */
#ifndef GEMP_TRANSFORM_EFFECTS_H
#define GEMP_TRANSFORM_EFFECTS_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "pattern/rule.h"
#include "query/frame.h"

/* Of all ranks. What is merged into another counts as deleted; `set` are attributes set or removed, labels and types,
 * each once for an update of an element. */
typedef struct gemp_effects {
	uint64_t created_vertices, created_edges, deleted_vertices, deleted_edges, set;
} gemp_effects;

/* Collective. Of `applied` matches of all ranks; chosen[frame->rows]: nonzero for those at this one. */
void gemp_effects_find(gemp_effects *out, const gemp_comm *comm, const gemp_rule *rule, const gemp_frame *frame,
                       const uint8_t *chosen, uint64_t applied);
/* Local. What is deleted follows from the sizes of the graph before and after. */
void gemp_effects_compare(gemp_effects *out, uint64_t vertices_before, uint64_t edges_before, const gemp_graph *after);
void gemp_effects_add(gemp_effects *sum, const gemp_effects *one);

#endif
