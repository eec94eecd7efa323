/* derive: turns a term (term.h) into a linear combination of sums (count/plan.h). Host only.
 *
 * A core is chosen among the term's vertices. The other vertices are attached to it one after the other, and each
 * contributes a factor: a vertex table where it has one neighbour left, a support where its two neighbours are
 * adjacent. An attached vertex may coincide with others; those cases are terms with one vertex less, which are derived
 * likewise and subtracted (inclusion and exclusion). The search takes the core whose sums, together with the sums of
 * all corrections, cost least. It memoises terms in a hash table of SLOTS entries and gives up beyond MAX_TERMS.
 */

#ifndef GEMP_COUNT_DERIVE_H
#define GEMP_COUNT_DERIVE_H

#include "count/term.h"

/* *found becomes false, and *out is unspecified, where no sums are known that count the term. codegrees: expressions
 * may contain g; ordered: they may contain u and o, and PATH_PAIRS sums are allowed. */
gemp_code gemp_derive(gemp_derivation *out, const gemp_term *term, bool codegrees, bool ordered, bool *found);

#endif
