/* clause_rows: writes the rows of a query that was executed clause by clause.
 *
 * A column whose values all have one primitive type is a column of this type, and a column of relationships is a column
 * of edges. Nodes are written as their keys and temporal values as strings. A column of lists, maps, paths or mixed
 * values has the JSON text of each value. */

#ifndef GEMP_API_MATCH_CLAUSE_ROWS_H
#define GEMP_API_MATCH_CLAUSE_ROWS_H

#include "cypher/run.h"
#include "io/rows/row_writer.h"

/* Collective. Rank 0 has the rows, of which the first `count` are written; `count` of other ranks is 0. keys: the type
 * of the graph's keys. The caller closes the writer *out, which gives the file its name. The names of the columns must
 * live until then, but not the result. */
gemp_code gemp_clause_rows_write(gemp_row_writer **out, const gemp_comm *comm, const gemp_cypher_result *result,
                                 gemp_type keys, uint64_t count, const gemp_rows_options *options);

#endif
