/* derive: patterns made from a pattern so that each can be searched for by one plan.
 *
 * A variant gives every path of variable length one length and expands it into edges through vertices of its own,
 * which are repeatable; a path of length 0 makes its ends one vertex. A component is one connected part of a variant.
 * Neither has clauses, optionals, or conditions that need a search of their own (gemp_pattern_needs_search): the
 * caller tests those.
 *
 * Variants whose lengths are images of each other under an automorphism of the pattern have the same matches, so one
 * of each class is searched.
 */

#ifndef GEMP_PATTERN_PLAN_DERIVE_H
#define GEMP_PATTERN_PLAN_DERIVE_H

#include "pattern/symmetry/permutation_group.h"

/* [NOT] EXISTS of a single edge between two vertices of the pattern, which a plan tests itself. */
bool gemp_pattern_is_edge_test(const gemp_pattern *pattern, const gemp_expr *expr);
/* An expression with an EXISTS or COUNT that no plan can test. */
bool gemp_pattern_needs_search(const gemp_pattern *pattern, const gemp_expr *expr);

typedef struct gemp_derived {
	gemp_pattern *pattern;                 /* owned */
	int vertex[GEMP_MAX_PATTERN_VERTICES]; /* of the original: its vertex here; -1: none */
	int edge[GEMP_MAX_PATTERN_EDGES];      /* of the original: its (first) edge here; -1: none, or a path */
	int path[GEMP_MAX_PATTERN_EDGES];      /* of the original: its first inner vertex here, if it is longer than 1 */
} gemp_derived;

void gemp_derived_free(gemp_derived *derived);

/* length[edge_count] within min_hops..max_hops of each edge. *impossible: under these semantics no match has these
 * lengths (a path of length 0 between two variables that have to differ), and nothing is made. */
gemp_code gemp_pattern_variant(gemp_derived *out, const gemp_pattern *pattern, const uint32_t *length,
                               gemp_semantics semantics, bool *impossible);
/* The part of a variant that has the vertices with part[v] == index, with the conditions whose elements all lie in
 * it. */
gemp_code gemp_pattern_component(gemp_derived *out, const gemp_pattern *pattern, const int *part, int index);

/* The automorphisms of the original that keep the lengths, as permutations of the variant's points. */
gemp_code gemp_variant_symmetry(gemp_symmetry **out, const gemp_pattern *pattern, const uint32_t *length,
                                const gemp_derived *variant);
/* Is `length` the first, by lexicographic order, of the assignments that the automorphisms make of it? One of each
 * class has to be searched for. */
gemp_code gemp_variant_is_canonical(const gemp_symmetry *symmetry, const gemp_pattern *pattern, const uint32_t *length,
                                    bool *first);

#endif
