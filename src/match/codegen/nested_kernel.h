/* nested_kernel: the text of a nested kernel, which a GPU runs if it has all rows and matches are only counted.
 * nested_shape.h chooses lists and marks, and nested_loops.h writes the loops. This module writes the text around the
 * loops: arguments, tasks, and the sum at the end. */

#ifndef GEMP_MATCH_CODEGEN_NESTED_KERNEL_H
#define GEMP_MATCH_CODEGEN_NESTED_KERNEL_H

#include "match/codegen/nested_loops.h"

/* Writes the kernel `nested`. `fixed` is the text of nested.clh. The arguments of the kernel, in order: params;
 * begin_k, near_k of each view k; key_rank (if keys are compared); pivots (a bitmap); candidates, candidate_words;
 * lists (if there are lists); marks (if the last level uses marks in global memory); parts; control. */
void gemp_nested_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_nested *nested,
                      const gemp_nested_options *options);

#endif
