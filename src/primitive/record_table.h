/* record_table: an open-addressing hash table of records of one size, compared exactly; and the slots that it shares
 * with tables of other records.
 *
 * A slot is a number of 64 bits: 32 bits of hash (the tag) above, 1 + the index of a record below; 0 is free. The table
 * grows without reading records, and most unequal records are rejected by their tags. Slots are probed linearly.
 * Records are never removed one by one, so a free slot ends every search.
 *
 * Records lie in segments, each twice as long as the one before, and are never moved. At most three of four slots are
 * taken. Bounded: an addition that would grow the table past its budget is not made, and the caller gives up some
 * records (gemp_record_table_retain). Local.
 */

#ifndef GEMP_PRIMITIVE_RECORD_TABLE_H
#define GEMP_PRIMITIVE_RECORD_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SLOTS */

/* The product's upper half depends on all bits of the hash: callers use ranges of its halves for owners and passes. */
static inline uint32_t gemp_slot_tag(uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Multiplication maps a tag to its first slot without a division, whatever the number of slots. */
static inline size_t gemp_slot_home(uint32_t tag, size_t slot_count)
{
	return (size_t)((uint64_t)tag * slot_count >> 32);
}

static inline size_t gemp_slot_next(size_t at, size_t slot_count)
{
	return at + 1 < slot_count ? at + 1 : 0;
}

static inline size_t gemp_slot_index(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

/* Takes the first free slot for a record that is known to be new. */
static inline void gemp_slot_occupy(uint64_t *slots, size_t slot_count, uint32_t tag, size_t index)
{
	size_t at = gemp_slot_home(tag, slot_count);
	while (slots[at])
		at = gemp_slot_next(at, slot_count);
	slots[at] = (uint64_t)tag << 32 | (index + 1);
}

/* A loop over the slots that may have a record with this tag; without a `break`, `at` is the free slot behind them. */
#define GEMP_FOR_SLOTS(at, slots, slot_count, tag)                                \
	for ((at) = gemp_slot_home((tag), (slot_count)); (slot_count) && (slots)[at]; \
	     (at) = gemp_slot_next((at), (slot_count)))                               \
		if ((slots)[at] >> 32 == (tag))

/* The number of slots, twice `slot_count` as often as needed and 64 at least, that leaves one of four free. */
static inline size_t gemp_slot_capacity(size_t slot_count, size_t records)
{
	size_t slots = slot_count ? slot_count : 64;
	while (slots - slots / 4 < records)
		slots *= 2;
	return slots;
}

/* RECORDS */

enum { GEMP_RECORD_SEGMENTS = 26, GEMP_FIRST_SEGMENT = 64 }; /* records of the first */

typedef struct gemp_record_table {
	size_t words, key_words; /* of a record; the first of them that are compared */
	size_t budget;           /* bytes */
	size_t count, capacity;  /* records */
	uint32_t *segment[GEMP_RECORD_SEGMENTS];
	size_t slot_count;
	uint64_t *slots; /* [slot_count] hash bits above, 1 + index of a record below; 0: free */
	size_t old_count;
	uint64_t *old; /* [old_count] slots that were outgrown: not moved yet, or moved (old_count is 0) */
} gemp_record_table;

void gemp_record_table_init(gemp_record_table *table, size_t words, size_t key_words, size_t budget);
void gemp_record_table_free(gemp_record_table *table);

/* The index-th record. */
static inline uint32_t *gemp_record_table_record(const gemp_record_table *table, size_t index)
{
	size_t from_first = index / GEMP_FIRST_SEGMENT + 1;
	unsigned s = 63 - (unsigned)__builtin_clzll(from_first);
	return table->segment[s] + (index - GEMP_FIRST_SEGMENT * (((size_t)1 << s) - 1)) * table->words;
}

/* The record of the table with this key: found, or added (*added); the pointer holds until records are forgotten.
 * *found is NULL where an addition would pass the budget. Whatever fails leaves the table as it was. */
gemp_code gemp_record_table_add(gemp_record_table *table, const uint32_t *record, uint64_t hash, uint32_t **found,
                                bool *added);

/* The record with this key, or NULL. */
uint32_t *gemp_record_table_find(const gemp_record_table *table, const uint32_t *record, uint64_t hash);

/* Fetch ahead, for all of a block of records: first their slots, then what these lead to. */
void gemp_record_table_prefetch(const gemp_record_table *table, uint64_t hash);
void gemp_record_table_prefetch_record(const gemp_record_table *table, uint64_t hash);

/* Forgets the records for which keep is false; keep gives the hash of those that stay. */
typedef bool gemp_retain_function(void *context, const uint32_t *record, uint64_t *hash);
void gemp_record_table_retain(gemp_record_table *table, gemp_retain_function *keep, void *context);
void gemp_record_table_clear(gemp_record_table *table); /* keeps its memory */

/* An addition in parts, for several threads that work on a table each. One thread reserves memory for `extra`
 * additions, if the budget allows (*fits). Any thread rehashes and adds, which cannot fail. One thread frees the slots
 * that were outgrown. */
gemp_code gemp_record_table_reserve(gemp_record_table *table, size_t extra, bool *fits);
void gemp_record_table_rehash(gemp_record_table *table);
uint32_t *gemp_record_table_add_reserved(gemp_record_table *table, const uint32_t *record, uint64_t hash, bool *added);
void gemp_record_table_trim(gemp_record_table *table);

#endif
