/* folded_groups: rows that stand for all matches, or for all distinct rows of WITH DISTINCT, that agree in one vertex
 * or in a value of it. They have the aggregates of these instead of their vertices, and no match was enumerated
 * (query/search/group_folds.h). A clause groups them further. */

#ifndef GEMP_QUERY_CLAUSE_FOLDED_GROUPS_H
#define GEMP_QUERY_CLAUSE_FOLDED_GROUPS_H

#include "graph/column.h"

/* The argument of an aggregate. Row i stands for times[i] values that are not NULL: it has their sum for sum and avg,
 * their minimum or maximum for min and max, and any value for count. */
typedef struct gemp_folded_argument {
	gemp_column values; /* [rows] */
	uint64_t *times;    /* [rows] */
} gemp_folded_argument;

typedef struct gemp_folded_groups {
	bool distinct;         /* the rows are those of WITH DISTINCT, which is not to be applied again */
	size_t rows;           /* of this rank */
	gemp_vertex *vertices; /* [rows] the image of the only vertex that clauses read; NULL: they read none */
	uint64_t *times;       /* [rows] matches, or distinct rows */
	size_t argument_count;
	gemp_folded_argument *arguments; /* [argument_count] of the first clause's aggregates, without count(*) */
} gemp_folded_groups;

#endif
