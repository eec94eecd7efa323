/* group_items: the items of a clause with aggregates. They are evaluated in two steps: keys and arguments of aggregates
 * for each row, and items for each group, as expressions over the columns of the groups, which are keys and
 * aggregates. Local. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_ITEMS_H
#define GEMP_QUERY_CLAUSE_GROUP_ITEMS_H

#include "core/arena.h"
#include "pattern/model/pattern.h"
#include "query/clause/folded_groups.h"
#include "query/rows/frame.h"

typedef struct gemp_group_items {
	size_t key_count;
	const gemp_expr **keys; /* [key_count] items without an aggregate, by which rows are grouped */
	size_t aggregate_count, aggregate_capacity;
	const gemp_expr **aggregates; /* [aggregate_count] in order of appearance */
	const gemp_expr **arguments;  /* [aggregate_count] NULL for count(*) */
	const gemp_expr **made;       /* [aggregate_count] what a stage of groups is to make of the arguments */
	gemp_arena nodes;             /* the new nodes; they share children and names with the clause's own trees */
} gemp_group_items;               /* {0} is empty */

/* Finds the keys and the aggregates of all items. The expressions are borrowed. */
gemp_code gemp_group_items_new(gemp_group_items *out, const gemp_clause *clause);
void gemp_group_items_free(gemp_group_items *items);

/* The arguments are folded groups: columns of the rows from `column` on. DISTINCT has been applied to them. */
gemp_code gemp_group_items_fold(gemp_group_items *items, const gemp_folded_groups *groups, size_t column);

/* Rewrites an item as an expression over the columns of groups. A key or an aggregate becomes a column. An attribute of
 * a grouped vertex stays an attribute of the key. The operands of any other expression are rewritten. GEMP_EUSAGE if
 * the item reads, beside an aggregate, a variable by which rows are not grouped. The new nodes live as long as
 * `items`. */
gemp_code gemp_group_items_rewrite(gemp_group_items *items, const gemp_frame *columns, const gemp_expr *expr,
                                   const gemp_expr **out);

#endif
