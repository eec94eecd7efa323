/* procedure: CALL of a procedure: the names that a graph has.
 *
 *     CALL db.labels() YIELD label        CALL db.relationshipTypes() YIELD relationshipType
 *     CALL db.propertyKeys() YIELD propertyKey
 *
 * Each gives one row for each name, in ascending order. */

#ifndef GEMP_CYPHER_CLAUSE_PROCEDURE_H
#define GEMP_CYPHER_CLAUSE_PROCEDURE_H

#include "cypher/clause/engine.h"

/* Returns the column of the procedure of this name, or NULL if there is none. Names are compared without regard to
 * case. */
const char *gemp_cypher_procedure_column(const char *name);
/* The procedures that there are, for messages: "db.labels(), ...". */
extern const char gemp_cypher_procedure_names[];

/* Extends each row by a name in slot width_in, unless the clause yields nothing. */
gemp_code gemp_cypher_call_procedure(gemp_cypher_engine *engine, const gemp_cypher_clause *clause,
                                     gemp_cypher_table *in, gemp_cypher_table *out);

#endif
