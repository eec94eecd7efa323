/* class_table: an open-addressing hash table of records of one size, compared exactly.
 *
 * Records lie in segments, each twice as long as the one before, and are never moved; a slot holds 32 bits of hash and
 * the record's index, so that the table grows without reading records, and most unequal records are told apart without
 * reading them. At most three of four slots are taken. Bounded: an addition that would grow the table past its budget
 * is not made, and the caller gives up some records (gemp_class_table_retain).
 */

#ifndef GEMP_MATCH_DISTINCT_CLASS_TABLE_H
#define GEMP_MATCH_DISTINCT_CLASS_TABLE_H

#include "match/distinct/record.h"

enum { GEMP_CLASS_SEGMENTS = 26, GEMP_FIRST_SEGMENT = 64 }; /* records of the first */

typedef struct gemp_class_table {
	size_t words, key_words; /* of a record; the first of them that are compared */
	size_t budget;           /* bytes */
	size_t count, capacity;  /* records */
	uint32_t *segment[GEMP_CLASS_SEGMENTS];
	size_t slot_count;
	uint64_t *slots; /* [slot_count] hash bits above, 1 + index of a record below; 0: free */
	size_t old_count;
	uint64_t *old; /* [old_count] slots that were outgrown: not moved yet, or moved (old_count is 0) */
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

/* Fetch ahead, for all of a block of records: first their slots, then what these lead to. */
void gemp_class_table_prefetch(const gemp_class_table *table, uint64_t hash);
void gemp_class_table_prefetch_record(const gemp_class_table *table, uint64_t hash);

/* Forgets the records for which keep is false; keep gives the hash of those that stay. */
typedef bool gemp_retain_function(void *context, const uint32_t *record, uint64_t *hash);
void gemp_class_table_retain(gemp_class_table *table, gemp_retain_function *keep, void *context);
void gemp_class_table_clear(gemp_class_table *table); /* keeps its memory */

/* A class set: records of classes in several tables, by their hashes, so that threads add to them at once.
 *
 * A block of records is filled by the caller (records, hash, place), ordered by place, and added: the records of each
 * table by one thread. Of two records of one class the one with the smaller embedding is kept.
 */

enum {
	GEMP_MAX_CLASS_TABLES = 64,
	GEMP_CLASS_REMOTE = GEMP_MAX_CLASS_TABLES, /* places of records that go elsewhere, */
	GEMP_CLASS_DROPPED,                        /* or are not wanted */
	GEMP_CLASS_PLACES
};

typedef struct gemp_class_set {
	const gemp_record_form *form; /* borrowed */
	size_t table_count;           /* a power of two */
	gemp_class_table table[GEMP_MAX_CLASS_TABLES];
} gemp_class_set;

typedef struct gemp_class_block {
	size_t capacity, count;
	uint32_t *records; /* [count * form->words] */
	uint64_t *hash;    /* [count] */
	uint8_t *table;    /* [count] a table, or GEMP_CLASS_REMOTE or _NOWHERE */
	uint32_t *order;   /* [count] by place */
	size_t bucket_offsets[GEMP_CLASS_PLACES + 1];
	size_t *histogram;
} gemp_class_block;

/* budget: bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* keeps its memory */

uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash);

/* One record. *fits is false where its table would pass its budget: then it was not added. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Those of a block that is in order. Where a table has no room for all of its records, none is added: fits[table] is
 * false. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MAX_CLASS_TABLES]);

/* The embeddings of the next `room` records from a place (at first all 0) on, or of fewer at the end; returns how
 * many. */
typedef struct gemp_class_cursor {
	size_t table, record;
} gemp_class_cursor;
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t room, gemp_vertex *vertices,
                           gemp_edge *edges);

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity);
void gemp_class_block_free(gemp_class_block *block);
void gemp_class_block_sort(gemp_class_block *block); /* of count, places set: makes order and begin */

#endif
