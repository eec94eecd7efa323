/* project: WITH and RETURN: columns, groups, DISTINCT, ORDER BY, SKIP, LIMIT and WHERE, in this order.
 *
 * ORDER BY and WHERE see the columns behind the slots of the row before the clause. A projection that only passes
 * variables on moves values within the table, and makes no other. */

#ifndef GEMP_CYPHER_CLAUSE_PROJECT_H
#define GEMP_CYPHER_CLAUSE_PROJECT_H

#include "cypher/clause/engine.h"

/* `in` is consumed: its values are moved, or its arena joins that of `out`, or it stays for its owner to free. */
gemp_code gemp_cypher_project(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                              gemp_cypher_table *out);

/* Drops the rows for which `where` is not true. The row of the condition is [slots of old | slots of rows | scratch];
 * row i of `rows` extends row source[i] of `old` (source NULL: row i; old NULL: no slots). source[], if given, is
 * filtered, too. */
gemp_code gemp_cypher_filter(gemp_cypher_engine *engine, const gemp_cypher_expr *where, size_t slots,
                             const gemp_cypher_table *old, size_t *source, gemp_cypher_table *rows);

#endif
