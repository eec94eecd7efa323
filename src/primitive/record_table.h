/* record_table: an open-addressing hash table of records of one size, which are compared exactly; and the slots, which
 * tables of other records use, too.
 *
 * A slot is a number of 64 bits: the upper half is 32 bits of hash (the tag), the lower half is 1 + the index of a
 * record. A free slot is 0. The table grows without reading records, and most unequal records are rejected by their
 * tags. Slots are probed linearly. Single records are never removed, so a free slot ends every search.
 *
 * Records lie in segments, each twice as long as the one before, and are never moved. At most three of four slots are
 * used. The table has a budget: an addition that would exceed it is not made, and the caller then forgets some records
 * (gemp_record_table_retain). Local. */

#ifndef GEMP_PRIMITIVE_RECORD_TABLE_H
#define GEMP_PRIMITIVE_RECORD_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SLOTS */

/* The upper half of the product depends on all bits of the hash. Callers use ranges of the hash's halves for owners and
 * passes, so the tag must not be a part of the hash. */
static inline uint32_t gemp_slot_tag(uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* A multiplication maps a tag to its first slot, without a division, for any number of slots. */
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

/* Takes the first free slot for a record that is not in the table. */
static inline void gemp_slot_occupy(uint64_t *slots, size_t slot_count, uint32_t tag, size_t index)
{
	size_t at = gemp_slot_home(tag, slot_count);
	while (slots[at])
		at = gemp_slot_next(at, slot_count);
	slots[at] = (uint64_t)tag << 32 | (index + 1);
}

/* Loops over the slots whose records have this tag. Without a `break`, `at` ends at the free slot behind them. */
#define GEMP_FOR_SLOTS(at, slots, slot_count, tag)                                \
	for ((at) = gemp_slot_home((tag), (slot_count)); (slot_count) && (slots)[at]; \
	     (at) = gemp_slot_next((at), (slot_count)))                               \
		if ((slots)[at] >> 32 == (tag))

/* Returns the number of slots for `records` records, of which at most three of four are used: slot_count, or 64 if that
 * is 0, doubled as often as needed. */
static inline size_t gemp_slot_capacity(size_t slot_count, size_t records)
{
	size_t slots = slot_count ? slot_count : 64;
	while (slots - slots / 4 < records)
		slots *= 2;
	return slots;
}

/* RECORDS */

enum { GEMP_RECORD_SEGMENTS = 26, GEMP_FIRST_SEGMENT = 64 }; /* number of segments; records of the first segment */

typedef struct gemp_record_table {
	size_t words, key_words; /* words: words of a record; key_words: words of the key, with which the record begins */
	size_t budget;           /* maximum bytes of the table */
	size_t count, capacity;  /* count: number of records; capacity: number of records that the segments can hold */
	uint32_t *segment[GEMP_RECORD_SEGMENTS];
	size_t slot_count;
	uint64_t *slots; /* [slot_count] hash bits above, 1 + index of a record below; 0: free */
	size_t old_count;
	/* [old_count] the slots before the table grew, until the table is trimmed; old_count is 0 after their records have
	 * moved */
	uint64_t *old;
} gemp_record_table;

void gemp_record_table_init(gemp_record_table *table, size_t words, size_t key_words, size_t budget);
void gemp_record_table_free(gemp_record_table *table);

/* Returns the record with this index. */
static inline uint32_t *gemp_record_table_record(const gemp_record_table *table, size_t index)
{
	size_t from_first = index / GEMP_FIRST_SEGMENT + 1;
	unsigned s = 63 - (unsigned)__builtin_clzll(from_first);
	return table->segment[s] + (index - GEMP_FIRST_SEGMENT * (((size_t)1 << s) - 1)) * table->words;
}

/* Finds the record with this key, or adds it (*added). The pointer is valid until records are forgotten. *found becomes
 * NULL if an addition would exceed the budget. A failure leaves the table unchanged. */
gemp_code gemp_record_table_add(gemp_record_table *table, const uint32_t *record, uint64_t hash, uint32_t **found,
                                bool *added);

/* Returns the record with this key, or NULL. */
uint32_t *gemp_record_table_find(const gemp_record_table *table, const uint32_t *record, uint64_t hash);

/* Fetch data of one record into the cache. A caller first prefetches the slots of a whole block of records, and then
 * the records in these slots. */
void gemp_record_table_prefetch(const gemp_record_table *table, uint64_t hash);
void gemp_record_table_prefetch_record(const gemp_record_table *table, uint64_t hash);

/* Forgets the records for which keep returns false. keep sets the hash of the other records. */
typedef bool gemp_retain_function(void *context, const uint32_t *record, uint64_t *hash);
void gemp_record_table_retain(gemp_record_table *table, gemp_retain_function *keep, void *context);
void gemp_record_table_clear(gemp_record_table *table); /* keeps the memory */

/* An addition in steps, for several threads that each work on one table. One thread reserves memory for `extra`
 * additions, if the budget allows (*fits). Any thread rehashes and adds, which cannot fail. One thread trims, which
 * frees the old slots. */
gemp_code gemp_record_table_reserve(gemp_record_table *table, size_t extra, bool *fits);
void gemp_record_table_rehash(gemp_record_table *table);
uint32_t *gemp_record_table_add_reserved(gemp_record_table *table, const uint32_t *record, uint64_t hash, bool *added);
void gemp_record_table_trim(gemp_record_table *table);

#endif
