/* automorphism: the automorphisms of a pattern, by nauty (McKay and Piperno 2014).
 *
 * The pattern is encoded as one coloured digraph: a node for each vertex and edge, for each EXISTS, COUNT and OPTIONAL
 * MATCH, and for each operator of a condition between several elements. Conditions on one element are part of its
 * node's colour, a text. Automorphisms of the digraph that preserve colours are those of the pattern; nauty reports
 * generators, which permutation_group.h turns into stabiliser chains. Not thread-safe, since nauty calls back without
 * a context.
 */

#ifndef GEMP_PATTERN_SYMMETRY_AUTOMORPHISM_H
#define GEMP_PATTERN_SYMMETRY_AUTOMORPHISM_H

#include "pattern/symmetry/permutation_group.h"

/* use_return: the items of RETURN must be kept, if the query has a RETURN. Columns that are shown only by default
 * distinguish no vertices. */
gemp_code gemp_automorphism_find(gemp_symmetry **out, const gemp_pattern *pattern, bool use_return);

#endif
