/* check: resolves the names of a syntax tree, and refuses a query without a meaning before it runs.
 *
 * Every variable gets a slot in the rows of its clause. The row after WITH has the columns of WITH in slots 0, 1, ...;
 * a MATCH or UNWIND appends slots for its new variables, so slots of earlier variables do not move. Anonymous nodes
 * and relationships of a named path get slots as if they had names; other anonymous elements get none. `*` in WITH and
 * RETURN becomes items for all variables, in the order of their names, in front of the other items.
 *
 * Items of WITH and RETURN are evaluated on the row before the clause. WHERE and ORDER BY are evaluated on that row
 * with the columns behind it: column i stands in slot width_in + i. If the clause groups or is DISTINCT, WHERE and
 * ORDER BY read only columns: there, an expression that equals an item has become a variable with the slot of its
 * column. So the slots of the old row may then be NULL, and ORDER BY has no aggregates.
 *
 * A query within an expression begins with the row of the expression: its first query->width_in slots. The same holds
 * for a pattern within an expression and pattern->width_in. Slots of the pattern's own variables, and scratch slots of
 * its expressions, are among the scratch slots of the clause; those of an inner query are not.
 *
 * Aggregates of a projection are numbered; expr->aggregate is the number. An expression with an aggregate may use,
 * beside it, only constants, parameters, and variables and properties that are columns of the projection. So it may be
 * evaluated on any row of a group. */

#ifndef GEMP_CYPHER_CHECK_CHECK_H
#define GEMP_CYPHER_CHECK_CHECK_H

#include "cypher/syntax/tree.h"

/* Returns GEMP_EUSAGE with the place in the text: an unknown or doubly declared variable, a variable of another type
 * (a node used as a path), wrong arguments, an aggregate where none may stand, and so on. */
gemp_code gemp_cypher_check(gemp_cypher_tree *tree);

/* Slots of a row while expressions of the clause are evaluated on it: the row, the columns behind it, scratch slots. */
static inline int gemp_cypher_clause_slots(const gemp_cypher_clause *clause)
{
	const bool projects = clause->kind == GEMP_CY_WITH || clause->kind == GEMP_CY_RETURN;
	return (projects ? clause->width_in : 0) + clause->width_out + clause->scratch;
}

/* count, sum, avg, min, max, collect, stDev, stDevP, percentileCont, percentileDisc; without regard to case. */
bool gemp_cypher_is_aggregate(const char *name);
/* The expression is count(*) or the call of an aggregate. */
bool gemp_cypher_calls_aggregate(const gemp_cypher_expr *expr);
/* The expression or a part of it is an aggregate; queries within it do not count. */
bool gemp_cypher_has_aggregate(const gemp_cypher_expr *expr);

#endif
