/* query_text: the queries of a text, each read by one of two front ends.
 *
 * A query that is one search with clauses behind it becomes a pattern (pattern/semantic/parse.h). Every other query of
 * openCypher becomes a syntax tree (cypher/syntax/tree.h), which src/cypher executes clause by clause. Such a query has
 * only the sense of openCypher. A query that both front ends read becomes a pattern, since its search is faster, unless
 * its text has the name of an attribute of JSON (graph/json_text.h). Such a query keeps its tree: if the types of the
 * graph make the pattern impossible, as in a string and a number that are added, the tree is executed. */

#ifndef GEMP_API_MATCH_QUERY_TEXT_H
#define GEMP_API_MATCH_QUERY_TEXT_H

#include "api/match/query.h"
#include "cypher/check/check.h"

typedef struct gemp_query_form {
	gemp_pattern *pattern;  /* NULL: the query is executed clause by clause */
	bool bound;             /* the pattern is bound to the graph already */
	gemp_cypher_tree tree;  /* used if there is no pattern */
	gemp_query *lender;     /* the query that the tree belongs to; NULL: to the form */
	gemp_arena arena;       /* of the values of parameters */
	gemp_datum *parameters; /* [tree.parameter_count]; NULL: only the pattern can run */
	char *text;             /* with empty lines in place of the queries before it */
} gemp_query_form;

typedef struct gemp_query_forms {
	size_t count;
	gemp_query_form *items; /* [count] */
} gemp_query_forms;

/* Local. Reads the queries with the values of their parameters. `clauses`: each query of a text becomes a syntax tree,
 * also if it could be one search. Call gemp_query_forms_free also after a failure. */
gemp_code gemp_query_forms_read(gemp_query_forms *out, gemp_query *query, bool clauses);
/* The query executes the tree of the form, which then belongs to the form. */
void gemp_query_form_take_tree(gemp_query_form *form);
void gemp_query_forms_free(gemp_query_forms *forms);

/* Local. Checks the text of a single query whose parameters have no values yet, and keeps its tree. */
gemp_code gemp_query_text_check(gemp_query *query);

#endif
