/* group: the rows of a projection with aggregates.
 *
 * Rows with equal origins and equivalent values of the columns without aggregates are one group. Groups are in the
 * order of their first rows. Without such columns each origin has one group, also if it has no rows. */

#ifndef GEMP_CYPHER_CLAUSE_GROUP_H
#define GEMP_CYPHER_CLAUSE_GROUP_H

#include "cypher/clause/engine.h"

/* Adds a row of columns to `out` for each group; its parts do not depend on `in`. (*source)[out->rows], which the
 * caller frees, has the first row of each group in `in`, or SIZE_MAX for a group without rows. */
gemp_code gemp_cypher_group(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, const gemp_cypher_table *in,
                            gemp_cypher_table *out, size_t **source);

#endif
