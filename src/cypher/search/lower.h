/* lower: conditions of openCypher as conditions of a search (pattern/model/expr.h), if both mean the same.
 *
 * A condition is lowered if its variables are elements of the searched pattern, and if it consists of AND, OR, XOR,
 * NOT, label tests, comparisons of properties and id() with constants or with each other, IN a list of constants, IS
 * NULL, STARTS WITH, ENDS WITH and CONTAINS, between values of the type that the graph stores. Every other condition
 * is left to the evaluator of rows. Constants are literals and parameters. */

#ifndef GEMP_CYPHER_SEARCH_LOWER_H
#define GEMP_CYPHER_SEARCH_LOWER_H

#include "cypher/syntax/tree.h"
#include "graph/graph.h"
#include "pattern/model/expr.h"

typedef struct gemp_cypher_lowering {
	const gemp_shard *graph;
	const gemp_source *source;
	const gemp_datum *parameters;
	/* Finds the element of the searched pattern that has this slot; returns false if there is none. */
	bool (*element)(void *self, int slot, int *variable, bool *edge);
	void *self;
} gemp_cypher_lowering;

/* *out becomes NULL if the condition cannot be lowered. */
gemp_code gemp_cypher_lower(const gemp_cypher_lowering *l, const gemp_cypher_expr *condition, gemp_expr **out);
/* The same for `variable.name = value`, which an entry of a property map demands. */
gemp_code gemp_cypher_lower_entry(const gemp_cypher_lowering *l, int variable, bool edge, const gemp_cypher_expr *entry,
                                  gemp_expr **out);
/* The test that a vertex has a label of the list's element, or of its group. *out becomes NULL if no vertex can have
 * it, since the graph does not know the names. */
gemp_code gemp_cypher_lower_label(const gemp_cypher_lowering *l, int variable, const gemp_cypher_label *label,
                                  gemp_expr **out);

/* Returns false unless the expression is a literal or a parameter, maybe with a sign. */
bool gemp_cypher_constant(const gemp_datum *parameters, const gemp_cypher_expr *expr, gemp_datum *out);

#endif
