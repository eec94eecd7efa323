#ifndef GEMP_PATTERN_SYMMETRY_AUTOMORPHISM_H
#define GEMP_PATTERN_SYMMETRY_AUTOMORPHISM_H

#include "pattern/symmetry/permutation_group.h"

/* use_return: RETURN takes part, if the query has one: columns that are only shown by default tell nothing apart. */
gemp_code gemp_automorphism_find(gemp_symmetry **out, const gemp_pattern *pattern, bool use_return);

#endif
