/* aggregate_result: the results of aggregates (clause/aggregate.h), one row for each group.
 *
 * A sum of floats is rounded once, to the nearest double, ties to even; a mean is the correctly rounded quotient of the
 * exact sum. A list is JSON with its members in the order of ORDER BY. Local; threads may call the functions
 * concurrently, with columns of their own. */

#ifndef GEMP_QUERY_CLAUSE_AGGREGATE_RESULT_H
#define GEMP_QUERY_CLAUSE_AGGREGATE_RESULT_H

#include "query/clause/aggregate.h"
#include "query/rows/elements.h"

/* Appends the members of a group's list, in the order of the bag, to a column that has *rows rows. */
gemp_code gemp_aggregate_members(const gemp_aggregate *aggregate, const gemp_codes *codes, size_t group,
                                 gemp_frame_column *out, size_t *rows);
/* Appends the group's result. `elements` has the keys of the vertices and edges in lists. A sum beyond 64 bits is
 * GEMP_EDATA. */
gemp_code gemp_aggregate_finish(const gemp_aggregate *aggregate, const gemp_codes *codes, size_t group,
                                const gemp_elements *elements, gemp_column *out);

#endif
