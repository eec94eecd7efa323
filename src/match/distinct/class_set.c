#include "match/distinct/class_set.h"

#include "core/threads.h"

#include <string.h>

enum {
	CHUNK = 1 << 15,          /* number of records that one thread sorts at a time */
	AHEAD = 32,               /* number of records that are added together, so that their memory is prefetched */
	WORTH_DIVIDING = 32 << 20 /* bytes; a set with a smaller budget has one place */
};

static size_t chunks_of(size_t count)
{
	return (count + CHUNK - 1) / CHUNK;
}

/* A small set has one place, since sorting its blocks would cost more than several threads save. */
void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget)
{
	const size_t places = form->packed ? GEMP_MAX_CLASS_PLACES : GEMP_MAX_CLASS_TABLES;
	*set = (gemp_class_set){ .form = form, .place_count = budget < WORTH_DIVIDING ? 1 : places };
	if (form->packed)
		gemp_number_set_init(&set->numbers, form->words / 2, form->hash_mask);
	else
		for (size_t t = 0; t < set->place_count; t++)
			gemp_record_table_init(&set->table[t], form->words, form->key_words, 0);
	gemp_class_set_budget(set, budget);
}

/* The number of tables for records that are not packed. */
static size_t table_count(const gemp_class_set *set)
{
	return set->form->packed ? 0 : set->place_count;
}

void gemp_class_set_free(gemp_class_set *set)
{
	gemp_number_set_free(&set->numbers);
	for (size_t t = 0; t < GEMP_MAX_CLASS_TABLES; t++)
		gemp_record_table_free(&set->table[t]);
}

/* Hashes distribute classes evenly, so all tables get the same budget. */
void gemp_class_set_budget(gemp_class_set *set, size_t budget)
{
	set->numbers.budget = budget;
	for (size_t t = 0; t < table_count(set); t++)
		set->table[t].budget = budget == SIZE_MAX ? budget : budget / set->place_count;
}

size_t gemp_class_set_count(const gemp_class_set *set)
{
	size_t count = gemp_number_set_count(&set->numbers);
	for (size_t t = 0; t < table_count(set); t++)
		count += set->table[t].count;
	return count;
}

size_t gemp_class_set_slots(const gemp_class_set *set)
{
	return set->numbers.slot_count;
}

void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context)
{
	gemp_number_set_retain(&set->numbers, keep, context);
	for (size_t t = 0; t < table_count(set); t++)
		gemp_record_table_retain(&set->table[t], keep, context);
}

void gemp_class_set_clear(gemp_class_set *set)
{
	gemp_number_set_clear(&set->numbers);
	for (size_t t = 0; t < table_count(set); t++)
		gemp_record_table_clear(&set->table[t]);
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
		return gemp_number_set_add(&set->numbers, record, fits);
	GEMP_TRY(gemp_record_table_add(&set->table[gemp_class_set_place(set, hash)], record, hash, &found, &added));
	*fits = found != NULL;
	if (found && !added)
		keep_smaller(set->form, record, found);
	return GEMP_OK;
}

/* The arguments of add_records and add_numbers. */
typedef struct add_context {
	gemp_class_set *set;
	const gemp_class_block *block;
	const bool *fits;
	size_t turn;                        /* maximum number of packed records that are added at each place in one turn */
	size_t done[GEMP_MAX_CLASS_PLACES]; /* number of the block's records that have been added at each place */
} add_context;

static size_t records_left(const add_context *a, size_t place)
{
	const size_t *begin = a->block->bucket_offsets + place;
	return a->fits[place] ? begin[1] - begin[0] - a->done[place] : 0;
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
static void add_records(void *context, unsigned thread, size_t t)
{
	add_context *a = context;
	const size_t begin = a->block->bucket_offsets[t], count = records_left(a, t);
	(void)thread;
	if (!count)
		return;
	gemp_record_table_rehash(&a->set->table[t]);
	for (size_t at = begin; at < begin + count; at += AHEAD)
		add_ahead(&a->set->table[t], a, a->block->order + at, gemp_min(begin + count - at, AHEAD));
	a->done[t] = count;
}

/* One thread adds packed records of a range of places, up to a place whose leaf is full. */
static void add_numbers(void *context, unsigned thread, size_t range)
{
	add_context *a = context;
	const size_t count = a->set->place_count, ranges = gemp_min(gemp_number_set_ranges(&a->set->numbers), count);
	const gemp_class_block *block = a->block;
	(void)thread;
	for (size_t p = range * (count / ranges); p < (range + 1) * (count / ranges); p++) {
		const size_t left = gemp_min(records_left(a, p), a->turn), begin = block->bucket_offsets[p] + a->done[p];
		const uint32_t *numbers = block->sorted + begin * block->words;
		const size_t added = gemp_number_set_add_some(&a->set->numbers, (const uint64_t *)(const void *)numbers, left);
		a->done[p] += added;
		if (added < left)
			return;
	}
}

/* Small blocks are added by the calling thread, since threads would cost more than they save. */
static void add_all(add_context *a, size_t ranges, gemp_loop_body *body)
{
	if (a->block->count > CHUNK)
		gemp_parallel_for(ranges, body, a);
	else
		for (size_t range = 0; range < ranges; range++)
			body(a, 0, range);
}

/* The calling thread makes room before all threads add records, and releases the unused memory afterwards (see
 * gemp_record_table_reserve). */
static gemp_code add_block_of_records(add_context *a, bool *fits)
{
	gemp_class_set *set = a->set;
	gemp_code code = GEMP_OK;
	for (size_t t = 0; t < set->place_count && code == GEMP_OK; t++)
		if (records_left(a, t))
			code = gemp_record_table_reserve(&set->table[t], records_left(a, t), &fits[t]);
	if (code == GEMP_OK)
		add_all(a, set->place_count, add_records);
	for (size_t t = 0; t < set->place_count; t++)
		gemp_record_table_trim(&set->table[t]);
	return code;
}

/* Makes room for the next packed record of each place. *left becomes the number of places that have one. */
static gemp_code grow_numbers(add_context *a, bool *fits, size_t *left)
{
	gemp_number_set *numbers = &a->set->numbers;
	const gemp_class_block *block = a->block;
	*left = 0;
	for (size_t p = 0; p < a->set->place_count; p++) {
		if (!records_left(a, p))
			continue;
		const size_t at = block->bucket_offsets[p] + a->done[p];
		GEMP_TRY(gemp_number_set_grow(numbers, block->sorted + at * block->words, &fits[p]));
		*left += fits[p];
	}
	return GEMP_OK;
}

/* Packed records are mostly known already, so the set grows only when a leaf is full. Places have turns: if all records
 * of the first places were added first, these would fill a set that is small beside the block, and splits would not
 * divide its leaves evenly. The turns become longer until the set grows. */
static gemp_code add_block_of_numbers(add_context *a, bool *fits)
{
	const gemp_number_set *numbers = &a->set->numbers;
	size_t left = a->block->count, slots = 0;
	while (left) {
		a->turn = slots == numbers->slot_count ? 2 * a->turn : numbers->slot_count / 8 / a->set->place_count + 1;
		slots = numbers->slot_count;
		add_all(a, gemp_min(gemp_number_set_ranges(numbers), a->set->place_count), add_numbers);
		GEMP_TRY(grow_numbers(a, fits, &left));
	}
	return GEMP_OK;
}

gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block, bool fits[GEMP_MAX_CLASS_PLACES])
{
	add_context a = { .set = set, .block = block, .fits = fits };
	memset(fits, true, set->place_count * sizeof *fits);
	return set->form->packed ? add_block_of_numbers(&a, fits) : add_block_of_records(&a, fits);
}

/* Copies packed records from the cursor on. The cursor counts leaves and slots. */
static size_t read_numbers(const gemp_class_set *set, gemp_class_cursor *at, size_t capacity, gemp_vertex *vertices)
{
	const gemp_number_set *numbers = &set->numbers;
	size_t rows = 0;
	for (; numbers->leaf && at->table < (size_t)1 << numbers->level; at->table++, at->record = 0) {
		const gemp_number_leaf *leaf = &numbers->leaf[at->table];
		for (; at->record < leaf->slot_count; at->record++) {
			const uint64_t *slot = leaf->slots + at->record * numbers->width;
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
	while (at->table < set->place_count && rows < capacity) {
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

/* Resizes an array of a block. */
static gemp_code resize(void **array, size_t count, size_t size)
{
	void *larger = gemp_realloc(gemp_pointer_get(array), count, size);
	if (!larger)
		return GEMP_ENOMEM;
	gemp_pointer_set(array, larger);
	return GEMP_OK;
}

#define RESIZE(array, count) resize((void **)&(array), (count), sizeof *(array))

/* A block that becomes larger keeps its pages, since new ones are expensive, but its records have no meaning then. */
gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity)
{
	if (capacity <= block->capacity)
		return GEMP_OK;
	GEMP_TRY(RESIZE(block->records, capacity * form->words));
	GEMP_TRY(RESIZE(block->place, capacity));
	GEMP_TRY(RESIZE(block->histogram, chunks_of(capacity) * GEMP_CLASS_BUCKETS));
	if (form->packed) {
		GEMP_TRY(RESIZE(block->sorted, capacity * form->words));
	} else {
		GEMP_TRY(RESIZE(block->hash, capacity));
		GEMP_TRY(RESIZE(block->order, capacity));
	}
	block->words = form->words;
	block->capacity = capacity;
	return GEMP_OK;
}

void gemp_class_block_free(gemp_class_block *block)
{
	gemp_free_all(block->records, block->hash, block->place, block->order, block->sorted, block->histogram);
	*block = (gemp_class_block){ 0 };
}

/* First pass of the counting sort: counts the records of each place in a chunk. */
static void count_places(void *context, size_t chunk, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *histogram = block->histogram + chunk * GEMP_CLASS_BUCKETS;
	memset(histogram, 0, GEMP_CLASS_BUCKETS * sizeof *histogram);
	for (size_t i = begin; i < end; i++)
		histogram[block->place[i]]++;
}

/* Second pass: writes the records of each place after the records of earlier chunks, which makes the sort stable. */
static void order_records(void *context, size_t chunk, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *next = block->histogram + chunk * GEMP_CLASS_BUCKETS;
	for (size_t i = begin; i < end; i++) {
		size_t at = next[block->place[i]]++;
		if (block->sorted && block->words == 2) /* a copy of constant size needs no call */
			memcpy(block->sorted + at * 2, block->records + i * 2, 2 * sizeof *block->records);
		else if (block->sorted && block->words == 4)
			memcpy(block->sorted + at * 4, block->records + i * 4, 4 * sizeof *block->records);
		else if (block->sorted)
			memcpy(block->sorted + at * block->words, block->records + i * block->words,
			       block->words * sizeof *block->records);
		else
			block->order[at] = (uint32_t)i;
	}
}

/* A stable counting sort by place[], on all threads. */
void gemp_class_block_sort(gemp_class_block *block)
{
	size_t chunks = chunks_of(block->count), at = 0;
	gemp_for_chunks(block->count, CHUNK, count_places, block);
	for (size_t place = 0; place < GEMP_CLASS_BUCKETS; place++) {
		block->bucket_offsets[place] = at;
		for (size_t chunk = 0; chunk < chunks; chunk++) {
			size_t *here = &block->histogram[chunk * GEMP_CLASS_BUCKETS + place], count = *here;
			*here = at;
			at += count;
		}
	}
	block->bucket_offsets[GEMP_CLASS_BUCKETS] = at;
	gemp_for_chunks(block->count, CHUNK, order_records, block);
}
