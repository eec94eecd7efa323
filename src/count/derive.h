/* derive: from a term (term.h) to sums (count/plan.h). Host only.
 *
 * A core is chosen among the term's vertices; the others hang on it one after the other, and what they contribute becomes
 * a factor: a vertex table where they hang on one vertex, the support where they hang on an edge. They may then coincide
 * with others: those cases are terms with one vertex less, derived likewise and taken off. Of all cores the one is taken
 * whose sums, with those of all that is taken off, cost least.
 */

#ifndef GEMP_COUNT_DERIVE_H
#define GEMP_COUNT_DERIVE_H

#include "count/attachment.h"

/* *found is false, and *out not to be used, where no sums are known that count the term. codegrees: sums may ask for g;
 * ordered: for u and o, and PATH_PAIRS is one of them. */
gemp_code gemp_derive(gemp_derivation *out, const gemp_term *term, bool codegrees, bool ordered, bool *found);

#endif
