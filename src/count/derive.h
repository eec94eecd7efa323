/* derive: turns a sum of terms (distinct_edges.h) into a linear combination of sums (count/plan.h). Host only.
 *
 * A core is chosen among the term's vertices. The other vertices are attached to the core one after the other, and each
 * contributes a factor: a vertex table if it has one neighbour left, a support if its two neighbours are adjacent. The
 * sum also counts maps in which an attached vertex coincides with another vertex. These maps are terms with one vertex
 * less, which are derived in the same way and subtracted (inclusion and exclusion). The search chooses the core for
 * which the cost of the sum and of all its corrections is least. It memoises terms in a hash table of SLOTS entries and
 * gives up beyond MAX_TERMS terms. */

#ifndef GEMP_COUNT_DERIVE_H
#define GEMP_COUNT_DERIVE_H

#include "count/distinct_edges.h"

/* There is at least one term. *found becomes false, and *out unspecified, if some term has no known sums. codegrees:
 * expressions may contain the symbol `g`. ordered: expressions may contain the symbols `u` and `o`, and PATH_PAIRS sums
 * are allowed. */
gemp_code gemp_derive(gemp_derivation *out, const gemp_term_sum *terms, bool codegrees, bool ordered, bool *found);

#endif
