/* group_request: tells the search of a query which vertices the clauses read, and which groups they want, so that
 * devices can group rows before the host gets them (match/groups/grouping.h).
 *
 * The clauses get rows with multiplicities then, so all aggregates are exact. Groups may be left out early only if a
 * group of the clause is a group of vertices, and if a number of rows decides: in WITH … WHERE count >= n, or in
 * ORDER BY count DESC LIMIT k. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_REQUEST_H
#define GEMP_QUERY_CLAUSE_GROUP_REQUEST_H

#include "match/planner/match_options.h"
#include "pattern/model/pattern.h"

/* Returns {0} if no clause groups rows, or if a clause reads edges or sub-patterns. */
gemp_group_request gemp_clause_group_request(const gemp_pattern *pattern);

#endif
