/* procedure: CALL of a procedure (function/procedure.h).
 *
 * Procedures of db give one row for each name that the graph has, in ascending order. Those of gemp are analyses
 * (clause/analysis_call.h). */

#ifndef GEMP_CYPHER_CLAUSE_PROCEDURE_H
#define GEMP_CYPHER_CLAUSE_PROCEDURE_H

#include "cypher/clause/engine.h"

/* Extends each row by the columns that the clause yields. Takes over the values of `in`. */
gemp_code gemp_cypher_call_procedure(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                                     gemp_cypher_table *in, gemp_cypher_table *out);

#endif
