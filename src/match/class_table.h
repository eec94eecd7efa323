/* class_table: an open-addressing hash table of records of one size, stored exactly and compared exactly.
 *
 * Records lie in segments, each twice as long as the one before, and are never moved; a slot holds 32 bits of hash and
 * the record's index, so the table grows without reading records, and most unequal records are told apart without reading
 * them. Bounded: an addition that would grow the table past its budget is not made, and the caller gives up a part
 * (gemp_class_table_keep).
 */
#ifndef GEMP_MATCH_CLASS_TABLE_H
#define GEMP_MATCH_CLASS_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEMP_CLASS_SEGMENTS = 26, GEMP_FIRST_SEGMENT = 64 }; /* records of the first */

typedef struct gemp_class_table {
	size_t words, key_words; /* of a record; the first of them that are compared */
	size_t budget;           /* bytes */
	size_t count, capacity;  /* records */
	uint32_t *segment[GEMP_CLASS_SEGMENTS];
	size_t slot_count;
	uint64_t *slots;         /* [slot_count] hash bits above, 1 + index of a record below; 0: free */
	size_t old_count;
	uint64_t *old;           /* [old_count] slots that were outgrown: not moved yet, or moved (old_count is 0) */
} gemp_class_table;

void gemp_class_table_init(gemp_class_table *table, size_t words, size_t key_words, size_t budget);
void gemp_class_table_free(gemp_class_table *table);

/* The index-th record. */
static inline uint32_t *gemp_class_table_record(const gemp_class_table *table, size_t index)
{
	size_t from_first = index / GEMP_FIRST_SEGMENT + 1;
	unsigned s = 63 - (unsigned)__builtin_clzll(from_first);
	return table->segment[s] + (index - GEMP_FIRST_SEGMENT * (((size_t)1 << s) - 1)) * table->words;
}

/* The record of the table with this key: found, or added (*added); the pointer holds until records are forgotten. *found is
 * NULL where an addition would pass the budget. Whatever fails leaves the table as it was. */
gemp_code gemp_class_table_add(gemp_class_table *table, const uint32_t *record, uint64_t hash, uint32_t **found,
                               bool *added);
/* The same where several threads work, each on its own table: memory for `extra` additions is taken beforehand, if the
 * budget allows (*fits), by one thread; settled and filled by any; and what was outgrown is given back, by one. */
gemp_code gemp_class_table_reserve(gemp_class_table *table, size_t extra, bool *fits);
void gemp_class_table_settle(gemp_class_table *table);
uint32_t *gemp_class_table_add_reserved(gemp_class_table *table, const uint32_t *record, uint64_t hash, bool *added);
void gemp_class_table_trim(gemp_class_table *table);

/* Fetch ahead, for all of a block of records: first their slots, then what these lead to. */
void gemp_class_table_prefetch(const gemp_class_table *table, uint64_t hash);
void gemp_class_table_prefetch_record(const gemp_class_table *table, uint64_t hash);

/* Forgets the records for which keep is false; keep gives the hash of those that stay. */
typedef bool gemp_keep_function(void *context, const uint32_t *record, uint64_t *hash);
void gemp_class_table_keep(gemp_class_table *table, gemp_keep_function *keep, void *context);
void gemp_class_table_clear(gemp_class_table *table); /* keeps its memory */

#endif
