/* filters: the text of what a step tests without reading a row: distinctness, keys, candidates, edges. */
#ifndef GEMP_MATCH_FILTERS_H
#define GEMP_MATCH_FILTERS_H

#include "core/text.h"
#include "pattern/plan.h"

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

/* Text that is true for slots `self` which the bitmap of a pattern vertex has, or, of plan->ranges, its range. */
void gemp_emit_candidate(gemp_text *t, const gemp_plan *plan, int vertex, const char *self);
/* The ranges, as variables: the first two words in place of each bitmap, first slot and number of slots. */
void gemp_emit_ranges(gemp_text *t, const gemp_plan *plan);

#endif
