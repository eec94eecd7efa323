/* class_set: a set of classes of embeddings, which has each class once. match/distinct/record_form.h says what a
 * record is.
 *
 * Hashes distribute the records over places. Packed records are in one primitive/number_set.h, whose places these are;
 * all others are in a primitive/record_table.h for each place. The caller fills a block of records (records, hash,
 * place), sorts it by place and adds it. One thread adds the records of a place. Of several records of one class, the
 * set keeps the record with the smallest embedding. Local.
 *
 * A block of packed records should not be small beside the slots of the set. Memory is then read and written nearly in
 * sequence: sorting a block streams the block, and adding it goes through one leaf of the set after another. */

#ifndef GEMP_MATCH_DISTINCT_CLASS_SET_H
#define GEMP_MATCH_DISTINCT_CLASS_SET_H

#include "match/distinct/record_form.h"
#include "primitive/number_set.h"
#include "primitive/record_table.h"

enum {
	GEMP_MAX_CLASS_TABLES = 64,
	GEMP_MAX_CLASS_PLACES = GEMP_NUMBER_PLACES,
	GEMP_CLASS_REMOTE = GEMP_MAX_CLASS_PLACES, /* in place of a place: another rank owns the record, */
	GEMP_CLASS_DROPPED,                        /* or the record is not wanted */
	GEMP_CLASS_BUCKETS
};

typedef struct gemp_class_set {
	const gemp_record_form *form;                   /* borrowed */
	size_t place_count;                             /* a power of two */
	gemp_number_set numbers;                        /* packed records */
	gemp_record_table table[GEMP_MAX_CLASS_TABLES]; /* a table for each place; packed records do not use them */
} gemp_class_set;

typedef struct gemp_class_block {
	size_t capacity, count;
	uint32_t *records; /* [count * form->words] */
	uint64_t *hash;    /* [count]; NULL if records are packed, whose hashes cost less than memory */
	/* [count] number of a place, GEMP_CLASS_REMOTE or GEMP_CLASS_DROPPED */
	uint16_t *place;
	uint32_t *order;                               /* [count] indices of the records, sorted by place[]; or NULL and */
	uint32_t *sorted;                              /* [count * form->words] packed records, sorted by place[] */
	size_t words;                                  /* words of a record */
	size_t bucket_offsets[GEMP_CLASS_BUCKETS + 1]; /* for each value of place[], the first index in order[] */
	size_t *histogram;                             /* [chunks][GEMP_CLASS_BUCKETS] scratch of the sort */
} gemp_class_block;

/* `budget` is the maximum bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
/* the number of slots for packed records; 0 for other records */
size_t gemp_class_set_slots(const gemp_class_set *set);
void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* Removes all records and keeps the memory. */

/* The place of records with this hash. For tables, the multiplication selects bits that determine neither the owner,
 * nor the pass, nor the slot in the table. */
static inline uint16_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash)
{
	if (set->place_count == 1)
		return 0;
	return (uint16_t)(set->form->packed ? gemp_number_place(hash)
	                                    : hash * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (GEMP_MAX_CLASS_TABLES - 1));
}

/* Adds one record. If the set would exceed its budget, the record is not added and *fits becomes false. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Adds the records of a sorted block. If the set would exceed its budget, some records of a place are not added, and
 * fits[place] becomes false. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MAX_CLASS_PLACES]);

/* Copies the embeddings of at most `capacity` records, beginning at the cursor ({0} at first), and advances the cursor.
 * Returns the number of rows. */
typedef struct gemp_class_cursor {
	size_t table, record;
} gemp_class_cursor;
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices,
                           gemp_edge *edges);

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity);
void gemp_class_block_free(gemp_class_block *block);
/* Makes order[] or sorted[], and bucket_offsets[], from count and place[]. */
void gemp_class_block_sort(gemp_class_block *block);

/* The record at this place of the sorted block. */
static inline const uint32_t *gemp_class_block_record(const gemp_class_block *block, size_t at)
{
	return block->sorted ? block->sorted + at * block->words : block->records + block->order[at] * block->words;
}

#endif
