/* clause: what WITH and RETURN mean for the search, which goes on while rows are made. */

#ifndef GEMP_QUERY_CLAUSE_CLAUSE_H
#define GEMP_QUERY_CLAUSE_CLAUSE_H

#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

/* Some clause tells embeddings apart or counts them: WITH, DISTINCT, an aggregate. Else there is a row for each match. */
bool gemp_clause_wants_embeddings(const gemp_pattern *pattern);
/* The first clause only counts rows, and asks nothing else of them: one row and how often it is there do for all. */
bool gemp_clause_only_counts(const gemp_pattern *pattern);
/* A row is written for each match as it is found, and any n of them are what LIMIT n asks for: so the search may stop. */
bool gemp_clause_streams(const gemp_pattern *pattern);
/* Bit e: edge e of a row is spoken of, so that it has to be known which one it is. */
uint64_t gemp_clause_edges(const gemp_pattern *pattern);
/* used[gemp_pattern_row_vertices + gemp_pattern_row_edges + sub_count]: what of a row is spoken of. */
void gemp_clause_uses(const gemp_pattern *pattern, bool *used);

/* rewrite: expressions of a grouping clause turned into expressions of what grouping gives: keys, then aggregates. */

typedef struct gemp_grouping {
	size_t key_count;
	const gemp_expr **keys; /* [key_count] of the items without an aggregate; owned array */
	size_t aggregate_count, aggregate_capacity;
	const gemp_expr **aggregates; /* [aggregate_count] as they were met; owned array */
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
