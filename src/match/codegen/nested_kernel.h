/* nested_kernel: the text of a nested kernel, the search of a GPU that has all rows and only counts. nested_shape.h
 * decides about lists and marks, and nested_loops.h writes the loops; this module writes what is around them:
 * arguments, tasks, and the sum at the end.
 */

#ifndef GEMP_MATCH_CODEGEN_NESTED_KERNEL_H
#define GEMP_MATCH_CODEGEN_NESTED_KERNEL_H

#include "match/codegen/nested_loops.h"

/* Arguments of kernel `nested`, in order: params; begin_k, near_k of each view; key_rank (if keys are compared); pivots
 * (a bitmap); candidates, candidate_words; lists (if there are any); marks (if the leaf is marked, in global memory);
 * parts;
 * control. `fixed` is the text of nested.clh. */
void gemp_nested_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_nested *nested,
                      const gemp_nested_options *options);

#endif
