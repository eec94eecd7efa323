/* analysis_call: CALL of a graph algorithm, such as gemp.bfs(source, {types: ['KNOWS']}).
 *
 * Rank 0 evaluates the arguments of each row, and all ranks run the algorithm (search/analysis.h). A row whose
 * arguments are those of the row before takes the same result, so a call that depends on no variable runs once. */

#ifndef GEMP_CYPHER_CLAUSE_ANALYSIS_CALL_H
#define GEMP_CYPHER_CLAUSE_ANALYSIS_CALL_H

#include "cypher/clause/engine.h"
#include "cypher/function/procedure.h"

/* Extends each row by the rows of the algorithm, in the order of keys. The values of `in` must outlive `out`. */
gemp_code gemp_cypher_call_analysis(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                                    const gemp_cypher_procedure *procedure, const gemp_cypher_table *in,
                                    gemp_cypher_table *out);

#endif
