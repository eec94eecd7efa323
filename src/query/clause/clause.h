/* clause: properties of WITH and RETURN that decide how matches are searched for, and the rewriting of grouping
 * clauses.
 *
 * Before the search: does a clause distinguish embeddings, does it only count them, may the search stop early, which
 * elements of a row does it read? For a clause with aggregates, gemp_grouping turns its items into expressions over
 * the columns that grouping yields: keys [key_count], then aggregates [aggregate_count].
 */

#ifndef GEMP_QUERY_CLAUSE_CLAUSE_H
#define GEMP_QUERY_CLAUSE_CLAUSE_H

#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

/* Some clause distinguishes or counts embeddings: WITH, DISTINCT, an aggregate. Otherwise there is a row for each match. */
bool gemp_clause_wants_embeddings(const gemp_pattern *pattern);
/* The first clause only counts rows and reads nothing of them, so that one row with a multiplicity can stand for all. */
bool gemp_clause_only_counts(const gemp_pattern *pattern);
/* A row is written for each match as it is found, and any n rows satisfy LIMIT n, so that the search may stop. */
bool gemp_clause_streams(const gemp_pattern *pattern);
/* Bit e: the clause reads edge e of a row, so that the search must identify it. */
uint64_t gemp_clause_edges(const gemp_pattern *pattern);
/* used[gemp_pattern_row_vertices + gemp_pattern_row_edges + sub_count]: true for the parts of a row that the clause reads. */
void gemp_clause_uses(const gemp_pattern *pattern, bool *used);

/* GROUPING. */

typedef struct gemp_grouping {
	size_t key_count;
	const gemp_expr **keys; /* [key_count] of the items without an aggregate; owned array */
	size_t aggregate_count, aggregate_capacity;
	const gemp_expr **aggregates; /* [aggregate_count] in order of appearance; owned array */
	size_t made_count, made_capacity;
	void **made; /* [made_count] new nodes; owned */
} gemp_grouping; /* {0} */

/* keys and aggregates of all items of a clause. */
gemp_code gemp_grouping_begin(gemp_grouping *rewrite, const gemp_clause *clause);
/* An item as an expression of columns, which are keys and aggregates; its nodes live as long as the rewrite. What is neither
 * is GEMP_EUSAGE: a variable beside an aggregate that rows are not grouped by. */
gemp_code gemp_grouping_item(gemp_grouping *rewrite, const gemp_frame *columns, const gemp_expr *item,
                             const gemp_expr **out);
void gemp_grouping_free(gemp_grouping *rewrite);

#endif
