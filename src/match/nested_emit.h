/* nested_emit: the text of a nested kernel. No text of the user's enters it. */
#ifndef GEMP_MATCH_NESTED_EMIT_H
#define GEMP_MATCH_NESTED_EMIT_H

#include "match/nested_shape.h"

typedef struct gemp_nested_options {
	int lanes, row_lanes;  /* of a worker; that go through the last row together */
	size_t shared;         /* words of a worker's bitmap in local memory; 0: bitmaps are in global memory */
	bool folded;           /* they are not enough for all slots: what seems marked is tested */
	size_t in_group;       /* workers of a group */
} gemp_nested_options;

/* Arguments of kernel `nested`, in order: params; begin_k, near_k of each view; key_rank (if keys are compared); pivots
 * (a bitmap); candidates, candidate_words; lists (if there are any); marks (if the leaf is marked, in global memory);
 * parts;
 * control. `fixed` is the text of nested.clh. */
void gemp_nested_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_nested *nested,
                      const gemp_nested_options *options);

#endif
