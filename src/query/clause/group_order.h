/* group_order: the order of groups and their owners, from the hashes of their keys.
 *
 * Groups ascend by the hash of their keys (gemp_group_hash), which is the same on all ranks. They are pushed in blocks,
 * which are ranges of hashes, and rank r owns the r-th part of the range of each block. The concatenation of the ranks'
 * groups is therefore the same for any number of ranks, and for any blocks. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_ORDER_H
#define GEMP_QUERY_CLAUSE_GROUP_ORDER_H

#include "comm/comm.h"
#include "query/clause/group_set.h"

/* Of 2^bits blocks of equal ranges, which have whole parts, the upper bits of the hash select one. The multiplication
 * maps the other bits to a rank. */
static inline int gemp_group_owner(uint64_t hash, unsigned bits, int ranks)
{
	return (int)((hash << bits >> 32) * (uint64_t)ranks >> 32);
}

/* The groups of a set's partitions, in order. */
typedef struct gemp_group_list {
	size_t count;
	uint64_t *hash;                     /* [count] ascending */
	uint32_t *group;                    /* [count] numbers in the tables of the parts */
	size_t begin[GEMP_GROUP_PARTS + 1]; /* part p has the groups begin[p] to begin[p + 1] - 1 */
} gemp_group_list;

void gemp_group_list_free(gemp_group_list *list);
/* Local. Lists the groups of the set's partitions that rank `owner` of `ranks` ranks owns, or all groups if owner < 0.
 * */
gemp_code gemp_group_list_make(gemp_group_list *list, const gemp_group_set *set, unsigned bits, int owner, int ranks);

/* The table that has group i of the list. */
static inline const gemp_group_states *gemp_group_list_table(const gemp_group_list *list, const gemp_group_set *set,
                                                             size_t i)
{
	return &set->parts[gemp_group_part(list->hash[i])];
}

#endif
