/* fold_request: recognises clauses whose groups can be folded along the edges of a pattern that is a tree, without
 * enumerating matches (query/search/group_folds.h): groups by one vertex or by values of one vertex, with aggregates
 * that each read one vertex,
 *
 *     MATCH ... RETURN m.year, count(*), max(p.born), count(DISTINCT p)
 *     MATCH ... WITH DISTINCT p, g RETURN g.name, count(p)
 *
 * Local. */

#ifndef GEMP_QUERY_CLAUSE_FOLD_REQUEST_H
#define GEMP_QUERY_CLAUSE_FOLD_REQUEST_H

#include "pattern/model/pattern.h"

enum { GEMP_FOLD_ARGUMENTS = 12 };

typedef struct gemp_fold_argument {
	gemp_expr_kind kind;   /* GEMP_COUNT, SUM, MIN, MAX or AVG */
	int vertex;            /* whose value it is; -1: count of matches */
	bool distinct;         /* count of distinct vertices */
	const gemp_expr *expr; /* of the value: an attribute or the key of the vertex; NULL if there is none */
} gemp_fold_argument;

typedef struct gemp_fold_request {
	int key;       /* pattern vertex by which rows are grouped; -1: all rows are one group */
	bool whole;    /* rows with different vertices are in different groups */
	int attribute; /* 1 + the column of the graph's attributes that is all that the groups read of the vertex; 0: none */
	bool by_value; /* rows with different values of this attribute are in different groups */
	int other;     /* WITH DISTINCT key, other, whose rows are counted; -1: matches are counted */
	size_t count;
	gemp_fold_argument arguments[GEMP_FOLD_ARGUMENTS]; /* [count] without those of count(*), in order of appearance */
} gemp_fold_request;

/* False if the clauses are not of this form. The pattern is bound. */
bool gemp_fold_request_find(gemp_fold_request *out, const gemp_pattern *pattern);

#endif
