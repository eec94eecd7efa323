/* tree_walk: visits all patterns of a query, with their conditions, and all expressions. */

#ifndef GEMP_CYPHER_SYNTAX_TREE_WALK_H
#define GEMP_CYPHER_SYNTAX_TREE_WALK_H

#include "cypher/syntax/tree.h"

/* where: WHERE of the MATCH or of the pattern comprehension; NULL: none. */
typedef gemp_code gemp_cypher_pattern_visitor(void *self, const gemp_cypher_pattern *pattern,
                                              const gemp_cypher_expr *where);

/* Visits the patterns of MATCH, CREATE and MERGE, of pattern predicates and of pattern comprehensions, in the order of
 * the text, also those within other patterns. */
gemp_code gemp_cypher_tree_patterns(const gemp_cypher_tree *tree, gemp_cypher_pattern_visitor *visit, void *self);

typedef gemp_code gemp_cypher_expr_visitor(void *self, const gemp_cypher_expr *expr);
/* The same, and also visits every expression before its children. */
gemp_code gemp_cypher_tree_walk(const gemp_cypher_tree *tree, gemp_cypher_pattern_visitor *visit,
                                gemp_cypher_expr_visitor *visit_expr, void *self);
/* The same for one clause, with the queries within it. */
gemp_code gemp_cypher_clause_walk(const gemp_cypher_clause *clause, gemp_cypher_pattern_visitor *visit,
                                  gemp_cypher_expr_visitor *visit_expr, void *self);

/* True if the clause itself changes the graph. A CALL { } does so by the clauses within it. */
bool gemp_cypher_clause_updates(const gemp_cypher_clause *clause);

#endif
