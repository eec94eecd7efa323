/* derive: patterns that are made from another pattern, the original, so that one plan can search for each of them.
 *
 * A variant gives every path of variable length one length, and expands the path into edges through new vertices, which
 * are repeatable. A path of length 0 makes its ends one vertex; two arguments stay two vertices that must be equal. A
 * component is one connected part of a variant. Variants and components have neither clauses nor optionals, and no
 * conditions that need a search of their own (gemp_pattern_needs_search); the caller tests these conditions.
 *
 * If an automorphism of the pattern maps one assignment of lengths to another, it also maps the matches of the one to
 * those of the other. So one assignment of each class is searched. */

#ifndef GEMP_PATTERN_PLAN_DERIVE_H
#define GEMP_PATTERN_PLAN_DERIVE_H

#include "pattern/symmetry/permutation_group.h"

/* True for [NOT] EXISTS of a single edge between two vertices of the pattern. A plan tests this itself. */
bool gemp_pattern_is_edge_test(const gemp_pattern *pattern, const gemp_expr *expr);
/* True for an expression with an EXISTS or COUNT that no plan can test. */
bool gemp_pattern_needs_search(const gemp_pattern *pattern, const gemp_expr *expr);

typedef struct gemp_derived {
	gemp_pattern *pattern;                 /* owned */
	int vertex[GEMP_MAX_PATTERN_VERTICES]; /* [vertex of the original] its vertex here; -1: none */
	/* [edge of the original] its edge, or the first edge of its path, here; -1: none */
	int edge[GEMP_MAX_PATTERN_EDGES];
	/* [edge of the original] first inner vertex of its path here; -1: the length is 0 or 1 */
	int path[GEMP_MAX_PATTERN_EDGES];
} gemp_derived;

void gemp_derived_free(gemp_derived *derived);

/* Makes a variant. length[edge_count]: a length within min_hops..max_hops of each edge. *impossible becomes true, and
 * nothing is made, if no match can have these lengths under these semantics (a path of length 0 between two variables
 * that must differ). */
gemp_code gemp_pattern_variant(gemp_derived *out, const gemp_pattern *pattern, const uint32_t *length,
                               gemp_semantics semantics, bool *impossible);
/* Makes the component of a variant with the vertices v for which part[v] == index, and with the conditions that use
 * only elements of this component. */
gemp_code gemp_pattern_component(gemp_derived *out, const gemp_pattern *pattern, const int *part, int index);

/* Finds the automorphisms of the original that keep the lengths, as permutations of the variant's points. */
gemp_code gemp_variant_symmetry(gemp_symmetry **out, const gemp_pattern *pattern, const uint32_t *length,
                                const gemp_derived *variant);
/* *first becomes true if `length` is lexicographically the first of the assignments to which the automorphisms map it.
 * Only this assignment of a class is searched. GEMP_EUSAGE if there are too many assignments. */
gemp_code gemp_variant_is_canonical(const gemp_symmetry *symmetry, const gemp_pattern *pattern, const uint32_t *length,
                                    bool *first);

#endif
