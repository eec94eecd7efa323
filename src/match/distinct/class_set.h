/* class_set: a set of classes of embeddings, which has each class once. match/distinct/record_form.h says what a
 * record is.
 *
 * Hashes distribute the records over several tables, to which threads add in parallel: primitive/number_set.h for packed
 * records, primitive/record_table.h for all others. The caller fills a block of records (records, hash, table), sorts it
 * by table and adds it. One thread adds the records of each table. Of several records of one class, the set keeps the
 * record with the smallest embedding. Local.
 *
 * A block of packed records should hold half as many records as the tables have slots. Memory is then read and written
 * nearly in sequence: sorting a block streams the block, and adding it goes through one table after another. */

#ifndef GEMP_MATCH_DISTINCT_CLASS_SET_H
#define GEMP_MATCH_DISTINCT_CLASS_SET_H

#include "match/distinct/record_form.h"
#include "primitive/number_set.h"
#include "primitive/record_table.h"

enum {
	GEMP_MAX_CLASS_TABLES = 64,
	GEMP_CLASS_REMOTE = GEMP_MAX_CLASS_TABLES, /* in place of a table: another rank owns the record, */
	GEMP_CLASS_DROPPED,                        /* or the record is not wanted */
	GEMP_CLASS_PLACES
};

typedef struct gemp_class_set {
	const gemp_record_form *form; /* borrowed */
	size_t table_count;           /* a power of two */
	gemp_record_table table[GEMP_MAX_CLASS_TABLES];
	gemp_number_set numbers[GEMP_MAX_CLASS_TABLES]; /* packed records; `table` is not used */
} gemp_class_set;

typedef struct gemp_class_block {
	size_t capacity, count;
	uint32_t *records; /* [count * form->words] */
	uint64_t *hash;    /* [count]; NULL if records are packed, whose hashes cost less than memory */
	/* [count] number of a table, GEMP_CLASS_REMOTE or GEMP_CLASS_DROPPED */
	uint8_t *table;
	uint32_t *order;                              /* [count] indices of the records, sorted by table[]; or NULL and */
	uint32_t *sorted;                             /* [count * form->words] packed records, sorted by table[] */
	size_t words;                                 /* words of a record */
	size_t bucket_offsets[GEMP_CLASS_PLACES + 1]; /* for each value of table[], the first index in order[] */
	size_t *histogram;                            /* [chunks][GEMP_CLASS_PLACES] scratch of the sort */
} gemp_class_block;

/* `budget` is the maximum bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
/* the number of records for which the tables of packed records have slots; 0 for other records */
size_t gemp_class_set_slots(const gemp_class_set *set);
void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* Removes all records and keeps the memory. */

/* The number of the table for records with this hash. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash);

/* Adds one record. If its table would exceed its budget, the record is not added and *fits becomes false. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Adds the records of a sorted block. If a table would exceed its budget, some of the table's records are not added,
 * and fits[table] becomes false. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MAX_CLASS_TABLES]);

/* Copies the embeddings of at most `capacity` records, beginning at the cursor ({0} at first), and advances the cursor.
 * Returns the number of rows. */
typedef struct gemp_class_cursor {
	size_t table, record;
} gemp_class_cursor;
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices,
                           gemp_edge *edges);

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity);
void gemp_class_block_free(gemp_class_block *block);
/* Makes order[] or sorted[], and bucket_offsets[], from count and table[]. */
void gemp_class_block_sort(gemp_class_block *block);

/* The record at this place of the sorted block. */
static inline const uint32_t *gemp_class_block_record(const gemp_class_block *block, size_t at)
{
	return block->sorted ? block->sorted + at * block->words : block->records + block->order[at] * block->words;
}

#endif
