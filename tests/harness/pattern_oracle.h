/* pattern_oracle: references for tests of several layers: the group of all permutations of a pattern's vertices, and
 * the truth of a condition for one match, evaluated on the host. */

#ifndef TESTS_HARNESS_PATTERN_ORACLE_H
#define TESTS_HARNESS_PATTERN_ORACLE_H

#include "core/memory.h"
#include "pattern/condition/evaluate.h"
#include "pattern/symmetry/permutation_group.h"

/* Swaps of consecutive vertices generate the symmetric group. The group has no edge points. */
static inline gemp_code full_symmetry(gemp_symmetry **out, size_t vertices)
{
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *symmetry = NULL;
	GEMP_TRY(GEMP_NEW(symmetry, 1));
	symmetry->vertices = symmetry->points = vertices;
	GEMP_TRY(GEMP_NEW(symmetry->images, vertices * vertices));
	for (size_t first = 0; first + 1 < vertices; first++) {
		int *images = symmetry->images + symmetry->count++ * vertices;
		for (size_t i = 0; i < vertices; i++)
			images[i] = (int)(i == first ? i + 1 : i == first + 1 ? i - 1 : i);
	}
	GEMP_TRY(gemp_symmetry_finish(symmetry));
	*out = symmetry;
	symmetry = NULL;
	return GEMP_OK;
}

/* Returns false also if the condition cannot be computed. */
static inline bool expr_is_true(const gemp_expr *expr, const gemp_scope *scope)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	bool truth = false;
	gemp_expr_test(expr, scope, &scratch, &truth);
	return truth;
}

#endif
