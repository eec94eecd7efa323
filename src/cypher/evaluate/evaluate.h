/* evaluate: the value of an expression in one row.
 *
 * The evaluator walks the tree. It reads variables from the slots of the row, and elements of the graph through
 * gemp_cypher_graph. Results lie in the arena of the environment. The environment's `inner` answers patterns and
 * queries within expressions. */

#ifndef GEMP_CYPHER_EVALUATE_EVALUATE_H
#define GEMP_CYPHER_EVALUATE_EVALUATE_H

#include "cypher/evaluate/environment.h"

gemp_code gemp_cypher_evaluate(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out);
/* The truth of a condition. A value that is neither a boolean nor NULL is an error. */
gemp_code gemp_cypher_condition(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                gemp_truth *out);
#endif
