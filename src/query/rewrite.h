/* rewrite: expressions of a grouping clause turned into expressions of what grouping gives: keys, then aggregates. */
#ifndef GEMP_QUERY_REWRITE_H
#define GEMP_QUERY_REWRITE_H

#include "pattern/pattern.h"
#include "query/frame.h"

bool gemp_is_aggregate(const gemp_expr *expr);
bool gemp_has_aggregate(const gemp_expr *expr); /* itself, or within it */

typedef struct gemp_rewrite {
	size_t key_count;
	const gemp_expr **keys;       /* [key_count] of the items without an aggregate; owned array */
	size_t aggregate_count, aggregate_capacity;
	const gemp_expr **aggregates; /* [aggregate_count] as they were met; owned array */
	size_t made_count, made_capacity;
	void **made;                  /* [made_count] new nodes; owned */
} gemp_rewrite; /* {0} */

/* keys and aggregates of all items of a clause. */
gemp_code gemp_rewrite_begin(gemp_rewrite *rewrite, const gemp_clause *clause);
/* An item as an expression of columns, which are keys and aggregates; its nodes live as long as the rewrite. What is neither
 * is GEMP_EUSAGE: a variable beside an aggregate that rows are not grouped by. */
gemp_code gemp_rewrite_item(gemp_rewrite *rewrite, const gemp_frame *columns, const gemp_expr *item,
                            const gemp_expr **out);
void gemp_rewrite_free(gemp_rewrite *rewrite);

#endif
