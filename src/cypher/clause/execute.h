/* execute: the clauses of a query, one after the other; UNION; CALL { ... }.
 *
 * Each clause turns the table of rows into the next one. Within a query that runs for many rows of an outer query at
 * once, rows have the number of their outer row as origin, and every clause works on the rows of each origin alone. */

#ifndef GEMP_CYPHER_CLAUSE_EXECUTE_H
#define GEMP_CYPHER_CLAUSE_EXECUTE_H

#include "cypher/clause/engine.h"

/* Makes the engine's cursors and clauses call this module and inner.h. */
void gemp_cypher_execute_install(gemp_cypher_engine *engine);

/* Executes a query. The rows of `in` have query->width_in slots; `in` is consumed. `out` gets the columns of RETURN,
 * or, if the query has none, the rows of its last clause. If `in` has origins 0, 1, ..., so has `out`. */
gemp_code gemp_cypher_execute(gemp_cypher_engine *engine, const gemp_cypher_query *query, gemp_cypher_table *in,
                              gemp_cypher_table *out);

#endif
