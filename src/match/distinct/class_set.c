#include "match/distinct/class_set.h"

#include "core/threads.h"

#include <string.h>

enum {
	CHUNK = 1 << 13,          /* number of records that one thread sorts at a time */
	AHEAD = 32,               /* number of records that are added together, so that their memory is prefetched */
	MIN_ROOM = 64,            /* slots are reserved for this number of packed records, or an eighth of the slots */
	WORTH_DIVIDING = 32 << 20 /* bytes; a set with a smaller budget has one table */
};

static size_t chunks_of(size_t count)
{
	return (count + CHUNK - 1) / CHUNK;
}

/* A small set has one table, since sorting its blocks by table would cost more than several threads save. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget)
{
	*set = (gemp_class_set){ .form = form, .table_count = budget < WORTH_DIVIDING ? 1 : GEMP_MAX_CLASS_TABLES };
	for (size_t t = 0; t < set->table_count; t++) {
		if (form->packed)
			gemp_number_set_init(&set->numbers[t], form->words / 2, form->hash_mask);
		else
			gemp_record_table_init(&set->table[t], form->words, form->key_words, 0);
	}
	gemp_class_set_budget(set, budget);
}

void gemp_class_set_free(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++) {
		gemp_record_table_free(&set->table[t]);
		gemp_number_set_free(&set->numbers[t]);
	}
}

/* Hashes distribute classes evenly, so all tables get the same budget. */
void gemp_class_set_budget(gemp_class_set *set, size_t budget)
{
	for (size_t t = 0; t < set->table_count; t++)
		set->table[t].budget = set->numbers[t].budget = budget == SIZE_MAX ? budget : budget / set->table_count;
}

size_t gemp_class_set_count(const gemp_class_set *set)
{
	size_t count = 0;
	for (size_t t = 0; t < set->table_count; t++)
		count += set->table[t].count + set->numbers[t].count;
	return count;
}

size_t gemp_class_set_slots(const gemp_class_set *set)
{
	size_t slots = 0;
	for (size_t t = 0; t < set->table_count; t++)
		slots += set->numbers[t].slot_count;
	return slots;
}

void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context)
{
	for (size_t t = 0; t < set->table_count; t++) {
		if (set->form->packed)
			gemp_number_set_retain(&set->numbers[t], keep, context);
		else
			gemp_record_table_retain(&set->table[t], keep, context);
	}
}

void gemp_class_set_clear(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++) {
		gemp_record_table_clear(&set->table[t]);
		gemp_number_set_clear(&set->numbers[t]);
	}
}

/* The multiplication selects bits that determine neither the owner, nor the pass, nor the slot in the table. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash)
{
	return (uint8_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (set->table_count - 1));
}

/* The smallest embedding represents a class, so the choice does not depend on the order of arrival. */
static void keep_smaller(const gemp_record_form *form, const uint32_t *record, uint32_t *found)
{
	if (gemp_record_smaller(form, record, found))
		memcpy(found, record, form->words * sizeof *record);
}

gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits)
{
	uint32_t *found;
	bool added;
	if (set->form->packed)
		return gemp_number_set_add(&set->numbers[gemp_class_set_place(set, hash)], record, fits);
	GEMP_TRY(gemp_record_table_add(&set->table[gemp_class_set_place(set, hash)], record, hash, &found, &added));
	*fits = found != NULL;
	if (found && !added)
		keep_smaller(set->form, record, found);
	return GEMP_OK;
}

/* The arguments of add_to_table. */
typedef struct add_context {
	gemp_class_set *set;
	const gemp_class_block *block;
	const bool *fits;
	size_t done[GEMP_MAX_CLASS_TABLES]; /* number of the block's records that each table has looked at */
} add_context;

static size_t records_left(const add_context *a, size_t t)
{
	const size_t *begin = a->block->bucket_offsets + t;
	return a->fits[t] ? begin[1] - begin[0] - a->done[t] : 0;
}

/* Adds some records in three passes: it prefetches slots, then prefetches the records of these slots, then compares
 * records. Accesses to large tables are random, and with three passes the latencies of many records overlap. */
static void add_ahead(gemp_record_table *table, const add_context *a, const uint32_t *order, size_t count)
{
	const gemp_record_form *form = a->set->form;
	const uint64_t *hash = a->block->hash;
	for (size_t i = 0; i < count; i++) {
		__builtin_prefetch(a->block->records + order[i] * form->words);
		gemp_record_table_prefetch(table, hash[order[i]]);
	}
	for (size_t i = 0; i < count; i++)
		gemp_record_table_prefetch_record(table, hash[order[i]]);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *record = a->block->records + order[i] * form->words;
		bool added;
		uint32_t *found = gemp_record_table_add_reserved(table, record, hash[order[i]], &added);
		if (!added)
			keep_smaller(form, record, found);
	}
}

/* One thread adds the records of a table, so no slot needs a lock. */
static void add_to_table(void *context, unsigned thread, size_t t)
{
	add_context *a = context;
	const size_t begin = a->block->bucket_offsets[t] + a->done[t], count = records_left(a, t);
	(void)thread;
	if (!count)
		return;
	if (a->set->form->packed) {
		a->done[t] += gemp_number_set_add_reserved(&a->set->numbers[t], a->block->sorted + begin * a->block->words,
		                                           count);
		return;
	}
	gemp_record_table_rehash(&a->set->table[t]);
	for (size_t at = begin; at < begin + count; at += AHEAD)
		add_ahead(&a->set->table[t], a, a->block->order + at, gemp_min(begin + count - at, AHEAD));
	a->done[t] += count;
}

/* Reserves memory of a table. Packed records are mostly known already, and tables that had a place for each of them would
 * soon be eight times as large as needed, so they get a few places. */
static gemp_code reserve_table(const add_context *a, size_t t, bool *fits)
{
	gemp_number_set *numbers = &a->set->numbers[t];
	const size_t left = records_left(a, t);
	if (!a->set->form->packed)
		return gemp_record_table_reserve(&a->set->table[t], left, fits);
	return gemp_number_set_reserve(numbers, gemp_min(left, gemp_max(numbers->slot_count / 8, MIN_ROOM)), fits);
}

/* The calling thread reserves memory before all threads add records, and releases the unused memory afterwards (see
 * gemp_record_table_reserve). Tables that are full before all records were added get another turn. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block, bool fits[GEMP_MAX_CLASS_TABLES])
{
	gemp_code code = GEMP_OK;
	add_context a = { .set = set, .block = block, .fits = fits };
	size_t left = block->count;
	memset(fits, true, set->table_count * sizeof *fits);
	while (left && code == GEMP_OK) {
		for (size_t t = 0; t < set->table_count && code == GEMP_OK; t++)
			if (records_left(&a, t))
				code = reserve_table(&a, t, &fits[t]);
		if (code == GEMP_OK && left > CHUNK)
			gemp_parallel_for(set->table_count, add_to_table, &a);
		for (size_t t = 0; t < set->table_count && code == GEMP_OK && left <= CHUNK; t++)
			add_to_table(&a, 0, t);
		left = 0;
		for (size_t t = 0; t < set->table_count; t++) {
			gemp_record_table_trim(&set->table[t]);
			gemp_number_set_trim(&set->numbers[t]);
			left += records_left(&a, t);
		}
	}
	return code;
}

/* Copies packed records from the cursor on. The cursor counts slots. */
static size_t read_numbers(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices)
{
	size_t rows = 0;
	for (; at->table < set->table_count; at->table++, at->record = 0) {
		const gemp_number_set *numbers = &set->numbers[at->table];
		for (; at->record < numbers->slot_count; at->record++) {
			const uint64_t *slot = numbers->slots + at->record * numbers->width;
			if (!*slot)
				continue;
			if (rows == capacity)
				return rows;
			gemp_record_read(set->form, (const uint32_t *)(const void *)slot,
			                 vertices + rows++ * (size_t)set->form->vertex_count, NULL);
		}
	}
	return rows;
}

/* The arguments of read_records. */
typedef struct read_task {
	const gemp_record_form *form;
	const gemp_record_table *table;
	size_t first;
	gemp_vertex *vertices;
	gemp_edge *edges;
} read_task;

/* Copies a range of records to the rows of a batch. */
static void read_records(void *context, size_t range, size_t begin, size_t end)
{
	const read_task *r = context;
	(void)range;
	for (size_t i = begin; i < end; i++)
		gemp_record_read(r->form, gemp_record_table_record(r->table, r->first + i),
		                 r->vertices + i * (size_t)r->form->vertex_count, r->edges + i * (size_t)r->form->edge_count);
}

/* Tables are read one after another. All threads read one table. */
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices,
                           gemp_edge *edges)
{
	const gemp_record_form *form = set->form;
	size_t rows = 0;
	if (form->packed)
		return read_numbers(set, at, capacity, vertices);
	while (at->table < set->table_count && rows < capacity) {
		const gemp_record_table *table = &set->table[at->table];
		size_t left = table->count - at->record, count = gemp_min(left, capacity - rows);
		read_task r = { form, table, at->record, vertices + rows * (size_t)form->vertex_count,
			            edges + rows * (size_t)form->edge_count };
		gemp_for_chunks(count, CHUNK, read_records, &r);
		rows += count;
		at->record = count < left ? at->record + count : 0;
		at->table += count == left;
	}
	return rows;
}

/* A larger block replaces the block. Its records are not kept. */
gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity)
{
	if (capacity <= block->capacity)
		return GEMP_OK;
	gemp_class_block_free(block);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(block->records, capacity * form->words), GEMP_ARRAY(block->table, capacity),
	                      GEMP_ARRAY(block->histogram, chunks_of(capacity) * GEMP_CLASS_PLACES)));
	if (form->packed)
		GEMP_TRY(GEMP_NEW(block->sorted, capacity * form->words));
	else
		GEMP_TRY(gemp_new_all(GEMP_ARRAY(block->hash, capacity), GEMP_ARRAY(block->order, capacity)));
	block->words = form->words;
	block->capacity = capacity;
	return GEMP_OK;
}

void gemp_class_block_free(gemp_class_block *block)
{
	gemp_free_all(block->records, block->hash, block->table, block->order, block->sorted, block->histogram);
	*block = (gemp_class_block){ 0 };
}

/* First pass of the counting sort: counts the records of each table in a chunk. */
static void count_places(void *context, size_t chunk, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *histogram = block->histogram + chunk * GEMP_CLASS_PLACES;
	memset(histogram, 0, GEMP_CLASS_PLACES * sizeof *histogram);
	for (size_t i = begin; i < end; i++)
		histogram[block->table[i]]++;
}

/* Second pass: writes the records of each table after the records of earlier chunks, which makes the sort stable. */
static void order_records(void *context, size_t chunk, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *next = block->histogram + chunk * GEMP_CLASS_PLACES;
	for (size_t i = begin; i < end; i++) {
		size_t place = next[block->table[i]]++;
		if (block->sorted && block->words == 2) /* a copy of constant size needs no call */
			memcpy(block->sorted + place * 2, block->records + i * 2, 2 * sizeof *block->records);
		else if (block->sorted)
			memcpy(block->sorted + place * block->words, block->records + i * block->words,
			       block->words * sizeof *block->records);
		else
			block->order[place] = (uint32_t)i;
	}
}

/* A stable counting sort by table[], on all threads. */
void gemp_class_block_sort(gemp_class_block *block)
{
	size_t chunks = chunks_of(block->count), at = 0;
	gemp_for_chunks(block->count, CHUNK, count_places, block);
	for (size_t place = 0; place < GEMP_CLASS_PLACES; place++) {
		block->bucket_offsets[place] = at;
		for (size_t chunk = 0; chunk < chunks; chunk++) {
			size_t *here = &block->histogram[chunk * GEMP_CLASS_PLACES + place], count = *here;
			*here = at;
			at += count;
		}
	}
	block->bucket_offsets[GEMP_CLASS_PLACES] = at;
	gemp_for_chunks(block->count, CHUNK, order_records, block);
}
