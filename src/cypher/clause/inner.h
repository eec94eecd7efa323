/* inner: patterns and queries within expressions: the truth of a pattern, pattern comprehensions, EXISTS, COUNT and
 * COLLECT.
 *
 * An answer for a table of rows is one search of the pattern for all rows, or one execution of the query whose rows
 * carry the number of the row that they belong to. A single row is a table of one row. */

#ifndef GEMP_CYPHER_CLAUSE_INNER_H
#define GEMP_CYPHER_CLAUSE_INNER_H

#include "cypher/clause/engine.h"

/* Makes the engine's cursors and environments call this module. */
void gemp_cypher_inner_install(gemp_cypher_engine *engine);

#endif
