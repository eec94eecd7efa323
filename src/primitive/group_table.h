/* group_table: groups of records in the memory of a device, as a hash table.
 *
 * A record is `words` numbers of 64 bits: a key, which is not 0, a number of rows, and values. Records with equal keys
 * become one group, whose words are the sums or the maxima of their words. table[slots][words] has a group in each slot
 * whose key is not 0. The table grows until it has max_slots slots; records that then find no slot are left to the
 * caller.
 *
 * The hash of a key names the rank that owns its group. Each rank first has groups of its own records. After
 * gemp_group_table_exchange each rank has the whole groups that it owns. */

#ifndef GEMP_PRIMITIVE_GROUP_TABLE_H
#define GEMP_PRIMITIVE_GROUP_TABLE_H

#include "comm/comm.h"
#include "core/memory.h"
#include "kernels/primitive/group_table_abi.h"
#include "primitive/device_exchange.h"
#include "primitive/toolbox.h"

typedef struct gemp_group_table {
	gemp_toolbox *box;       /* borrowed */
	size_t words;            /* of a record */
	uint32_t maxima;         /* bit i: word i is a maximum; otherwise it is a sum */
	size_t slots, max_slots; /* powers of two */
	uint64_t groups;
	gemp_buffer table;
	gemp_buffer left[2]; /* records that found no slot: of the last launch, and of the one before */
	gemp_buffer figures; /* [GEMP_GROUP_FIGURES] */
	gemp_buffer bins;    /* [GEMP_GROUP_BINS] of 64 bits */
} gemp_group_table;

/* Local. Makes an empty table. */
gemp_code gemp_group_table_new(gemp_group_table **out, gemp_toolbox *box, size_t words, uint32_t maxima, size_t slots,
                               size_t max_slots);
void gemp_group_table_free(gemp_group_table *table);
GEMP_RELEASE(gemp_group_table_free, gemp_group_table *)
/* Local. Removes all groups, and keeps the memory. */
gemp_code gemp_group_table_clear(gemp_group_table *table);

/* Local. Adds the first `count` records of a buffer; those with key 0 are left out. *left becomes the number of records
 * that found no slot, which are in table->left[0] until the next call. */
gemp_code gemp_group_table_add(gemp_group_table *table, const gemp_buffer *records, size_t count, size_t *left);

/* Collective. Sends every group to the rank that owns it, a part of the table at a time; the device then has room for
 * two tables, or fewer groups find a slot. lost(self, count) is called on a rank where received records find no slot;
 * they are in table->left[0]. */
typedef gemp_code gemp_group_lost(void *self, size_t count);
gemp_code gemp_group_table_exchange(gemp_group_table *table, const gemp_comm *comm, gemp_group_lost *lost, void *self);

/* Collective. *min_rows becomes a number such that at least `top` groups of all ranks have so many rows, and not many
 * more than necessary; 1 if there are at most `top` groups. */
gemp_code gemp_group_table_threshold(gemp_group_table *table, const gemp_comm *comm, uint64_t top, uint64_t *min_rows);

/* Collective, before gemp_group_table_exchange. Removes groups that have too few rows on all ranks together, so that
 * few groups need to be exchanged: fewer than min_rows, or than the `top` groups with most rows have (0: only min_rows
 * counts). The groups that stay keep the rows of all ranks. Removes none if most of them would stay.
 *
 * This is the second phase of TPUT (Cao and Wang 2004): a group of all R ranks with n rows has n / R rows on a rank.
 * The keys of the groups that have so many rows somewhere go to all ranks, and each keeps its groups with these
 * keys. */
gemp_code gemp_group_table_narrow(gemp_group_table *table, const gemp_comm *comm, uint64_t top, uint64_t min_rows);

/* Local. Copies the groups with at least min_rows rows of some slots from *slot on to `out`, which may be {0} and
 * becomes large enough. *count becomes their number, and *slot the number of the next slot; table->slots: all are
 * done. */
gemp_code gemp_group_table_take(gemp_group_table *table, size_t *slot, uint64_t min_rows, gemp_buffer *out,
                                size_t *count);

#endif
