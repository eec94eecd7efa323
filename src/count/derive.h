/* derive: from a term (term.h) to sums (count_plan.h). Host only.
 *
 * A core is chosen among the term's vertices; the others hang on it one after the other, and what they contribute becomes
 * a factor: a vertex table where they hang on one vertex, the support where they hang on an edge. They may then coincide
 * with others: those cases are terms with one vertex less, derived likewise and taken off. Of all cores the one is taken
 * whose sums, with those of all that is taken off, cost least.
 */
#ifndef GEMP_COUNT_DERIVE_H
#define GEMP_COUNT_DERIVE_H

#include "core/status.h"
#include "count/count_plan.h"
#include "count/polynomial.h"
#include "count/term.h"

/* All factors are so many times too large, so that a part of them is whole. */
enum { GEMP_DERIVATION_SCALE = 720 };

typedef struct gemp_derivation {
	gemp_polynomial sums[GEMP_SUM_NEIGHBOURS + 1];   /* by kind, those that have an expression */
	int64_t joined, path_pairs, cliques[GEMP_MAX_TERM + 1]; /* factors; cliques by size */
	size_t table_count;
	gemp_monomial tables[GEMP_TABLES];          /* of the symbols of place 1 and the support 01; [0] is empty */
} gemp_derivation;

/* *found is false, and *out not to be used, where no sums are known that count the term. codegrees: sums may ask for g;
 * ordered: for u and o, and PATH_PAIRS is one of them. */
gemp_code gemp_derive(gemp_derivation *out, const gemp_term *term, bool codegrees, bool ordered,
                      bool *found);

#endif
