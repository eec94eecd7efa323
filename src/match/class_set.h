/* class_set: records of classes in several tables, by their hashes, so that threads add to them at once.
 *
 * A block of records is filled by the caller (records, hash, place), ordered by place, and added: the records of each
 * table by one thread. Of two records of one class the one with the smaller embedding is kept.
 */
#ifndef GEMP_MATCH_CLASS_SET_H
#define GEMP_MATCH_CLASS_SET_H

#include "match/class_table.h"
#include "match/record.h"

enum {
	GEMP_MOST_CLASS_TABLES = 64,
	GEMP_CLASS_AWAY = GEMP_MOST_CLASS_TABLES, /* places of records that go elsewhere, */
	GEMP_CLASS_NOWHERE,                       /* or are not wanted */
	GEMP_CLASS_PLACES
};

typedef struct gemp_class_set {
	const gemp_record_form *form; /* borrowed */
	size_t table_count;           /* a power of two */
	gemp_class_table table[GEMP_MOST_CLASS_TABLES];
} gemp_class_set;

typedef struct gemp_class_block {
	size_t capacity, count;
	uint32_t *records;  /* [count * form->words] */
	uint64_t *hash;     /* [count] */
	uint8_t *place;     /* [count] a table, or GEMP_CLASS_AWAY or _NOWHERE */
	uint32_t *order;    /* [count] by place */
	size_t begin[GEMP_CLASS_PLACES + 1];
	size_t *histogram;
} gemp_class_block;

/* budget: bytes of all tables together. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget);
void gemp_class_set_free(gemp_class_set *set);
void gemp_class_set_budget(gemp_class_set *set, size_t budget);
size_t gemp_class_set_count(const gemp_class_set *set);
void gemp_class_set_keep(gemp_class_set *set, gemp_keep_function *keep, void *context);
void gemp_class_set_clear(gemp_class_set *set); /* keeps its memory */

uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash);

/* One record. *fits is false where its table would pass its budget: then it was not added. */
gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits);
/* Those of a block that is in order. Where a table has no room for all of its records, none is added: fits[table] is
 * false. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block,
                                   bool fits[GEMP_MOST_CLASS_TABLES]);

/* The embeddings of the next `room` records from a place (at first all 0) on, or of fewer at the end; returns how
 * many. */
typedef struct gemp_class_place {
	size_t table, record;
} gemp_class_place;
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_place *at, size_t room, gemp_vertex *vertices,
                           gemp_edge *edges);

gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity);
void gemp_class_block_free(gemp_class_block *block);
void gemp_class_block_sort(gemp_class_block *block); /* of count, places set: makes order and begin */

#endif
