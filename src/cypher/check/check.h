/* check: resolves the names of a syntax tree, and refuses a query without a meaning before it runs.
 *
 * Every variable gets a slot in the rows of its clause. The row after WITH has the columns of WITH in slots 0, 1, ...; a
 * MATCH or UNWIND appends slots for its new variables, so slots of earlier variables do not move. Anonymous nodes and
 * relationships get no slot, unless a named path contains them; then they get scratch slots. Scratch slots lie behind
 * width_out of a clause. In WITH and RETURN, WHERE and ORDER BY may read columns of the clause and, where openCypher
 * allows it, variables before it: the columns stand in slots width_in, width_in + 1, ... while they are evaluated
 * (item->slot is the slot in the next row, and width_in + item->slot the slot beside the old row).
 *
 * Aggregates of a projection are numbered; expr->aggregate is the number. An expression with an aggregate may use, beside
 * it, only constants, parameters, and expressions that are columns of the projection without aggregates. */

#ifndef GEMP_CYPHER_CHECK_CHECK_H
#define GEMP_CYPHER_CHECK_CHECK_H

#include "cypher/syntax/tree.h"

/* Returns GEMP_EUSAGE with the place in the text: an unknown or doubly declared variable, a variable of another type
 * (a node used as a path), wrong arguments, an aggregate where none may stand, and so on. */
gemp_code gemp_cypher_check(gemp_cypher_tree *tree);

/* count, sum, avg, min, max, collect, stDev, stDevP, percentileCont, percentileDisc; without regard to case. */
bool gemp_cypher_is_aggregate(const char *name);

#endif
