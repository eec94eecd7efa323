/* group_packets: groups of a set as bytes, packed and merged by all threads, for other ranks and for runs on disk.
 *
 * A packet is the size of a group and the group (gemp_group_states_pack). Local. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_PACKETS_H
#define GEMP_QUERY_CLAUSE_GROUP_PACKETS_H

#include "query/clause/group_order.h"

/* Appends the packets of `count` groups of a list: groups picked[0..count) or, if picked is NULL, those from `first`
 * on. end[i] becomes the size of `out` behind packet i; it may be NULL. */
gemp_code gemp_group_packets_pack(const gemp_group_set *set, const gemp_group_list *list, const uint32_t *picked,
                                  size_t first, size_t count, gemp_text *out, uint64_t *end);
/* Merges the groups of packets into the partitions of the set. */
gemp_code gemp_group_packets_merge(gemp_group_set *set, const char *bytes, size_t size);

#endif
