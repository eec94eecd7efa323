#include "match/distinct/class_table.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_SLOTS = 64 };
static const size_t most_slots = (size_t)1 << 31; /* so that an index and 1 fit into 32 bits */

/* Owners and passes are ranges of the hash's two halves; the product's upper half depends on all bits of both. */
static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Multiplication maps the tag to a place without a division, whatever the number of slots. */
static size_t home_of(uint32_t tag, size_t slot_count)
{
	return (size_t)((uint64_t)tag * slot_count >> 32);
}

void gemp_class_table_init(gemp_class_table *table, size_t words, size_t key_words, size_t budget)
{
	*table = (gemp_class_table){ .words = words, .key_words = key_words, .budget = budget };
}

void gemp_class_table_free(gemp_class_table *table)
{
	for (size_t s = 0; s < GEMP_CLASS_SEGMENTS; s++)
		gemp_free(table->segment[s]);
	gemp_free_all(table->slots, table->old);
	*table = (gemp_class_table){ 0 };
}

/* Linear probing: records are never removed one by one, so that a free slot ends every search. */
static void occupy(uint64_t *slots, size_t slot_count, uint64_t slot)
{
	size_t at = home_of((uint32_t)(slot >> 32), slot_count);
	while (slots[at])
		at = at + 1 < slot_count ? at + 1 : 0;
	slots[at] = slot;
}

/* Records are of one size. */
static size_t record_bytes(const gemp_class_table *table, size_t records)
{
	return records * table->words * sizeof(uint32_t);
}

/* Large tables are met at random: fewer, larger pages. */
static void prefer_large_pages(void *block, size_t size)
{
	enum { PAGE = 2 << 20 };
	uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)block + size) / PAGE * PAGE;
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* Doubles the slots until three of four hold what is needed. While slots move, old and new ones are there at once, and
 * both count. */
static gemp_code grow_slots(gemp_class_table *table, size_t needed, bool *fits)
{
	size_t larger = table->slot_count ? table->slot_count : FIRST_SLOTS;
	uint64_t *slots;
	while (larger - larger / 4 < needed && larger <= most_slots)
		larger *= 2;
	size_t bytes = record_bytes(table, table->capacity) + (larger + table->slot_count) * sizeof *table->slots;
	*fits = bytes <= table->budget && larger <= most_slots;
	if (!*fits)
		return GEMP_OK;
	if (GEMP_NEW(slots, larger) != GEMP_OK)
		return GEMP_ENOMEM;
	prefer_large_pages(slots, larger * sizeof *slots);
	table->old = table->slots;
	table->old_count = table->slot_count;
	table->slots = slots;
	table->slot_count = larger;
	return GEMP_OK;
}

/* The segment behind the last one, or as much of it as the budget allows. */
static gemp_code add_segment(gemp_class_table *table, size_t most)
{
	size_t begin = 0, length = GEMP_FIRST_SEGMENT, s = 0;
	for (; begin + length <= table->capacity; length *= 2, s++)
		begin += length;
	if (length > most - begin)
		length = most - begin;
	uint32_t *records = gemp_realloc(table->segment[s], length, table->words * sizeof *records);
	if (!records)
		return GEMP_ENOMEM;
	prefer_large_pages(records, record_bytes(table, length));
	table->segment[s] = records;
	table->capacity = begin + length;
	return GEMP_OK;
}

/* Segments are added until they hold what is needed; the last one may be shorter, as the budget allows. */
static gemp_code grow_records(gemp_class_table *table, size_t needed, bool *fits)
{
	size_t slots = table->slot_count * sizeof *table->slots;
	size_t most = table->budget > slots ? (table->budget - slots) / record_bytes(table, 1) : 0;
	*fits = needed <= most;
	while (*fits && table->capacity < needed)
		GEMP_PROPAGATE(add_segment(table, most));
	return GEMP_OK;
}

/* The same where several threads work, each on its own table: memory for `extra` additions is taken beforehand, if the
 * budget allows (*fits), by one thread; settled and filled by any; and what was outgrown is given back, by one. */
static gemp_code gemp_class_table_reserve(gemp_class_table *table, size_t extra, bool *fits)
{
	size_t needed = table->count + extra;
	*fits = true;
	if (needed > table->slot_count - table->slot_count / 4)
		GEMP_PROPAGATE(grow_slots(table, needed, fits));
	if (*fits && needed > table->capacity)
		GEMP_PROPAGATE(grow_records(table, needed, fits));
	return GEMP_OK;
}

/* Moves the slots that were outgrown; any thread may do it, since it takes no memory. */
static void gemp_class_table_rehash(gemp_class_table *table)
{
	for (size_t s = 0; s < table->old_count; s++)
		if (table->old[s])
			occupy(table->slots, table->slot_count, table->old[s]);
	table->old_count = 0;
}

/* Gives back the slots that were outgrown. */
static void gemp_class_table_trim(gemp_class_table *table)
{
	gemp_class_table_rehash(table);
	gemp_free(table->old);
	table->old = NULL;
}

/* Only the key is compared; an embedding beside it may differ within a class. */
static bool same_key(const gemp_class_table *table, const uint32_t *a, const uint32_t *b)
{
	for (size_t w = 0; w < table->key_words; w++)
		if (a[w] != b[w])
			return false;
	return true;
}

/* The record with this key, or NULL and the slot where it would stand. */
static uint32_t *find(const gemp_class_table *table, const uint32_t *record, uint32_t tag, size_t *slot)
{
	size_t at = home_of(tag, table->slot_count);
	for (; table->slot_count && table->slots[at]; at = at + 1 < table->slot_count ? at + 1 : 0) {
		if (table->slots[at] >> 32 != tag)
			continue;
		uint32_t *other = gemp_class_table_record(table, (uint32_t)table->slots[at] - 1);
		if (same_key(table, other, record))
			return other;
	}
	*slot = at;
	return NULL;
}

/* Records are appended to the last segment, in which gemp_class_table_reserve has made room. */
static uint32_t *place(gemp_class_table *table, const uint32_t *record, uint32_t tag, size_t slot)
{
	uint32_t *placed = gemp_class_table_record(table, table->count);
	for (size_t w = 0; w < table->words; w++)
		placed[w] = record[w];
	table->slots[slot] = (uint64_t)tag << 32 | ++table->count;
	return placed;
}

/* Adds to memory that gemp_class_table_reserve has taken, and so cannot fail. */
static uint32_t *gemp_class_table_add_reserved(gemp_class_table *table, const uint32_t *record, uint64_t hash,
                                               bool *added)
{
	uint32_t tag = tag_of(hash);
	size_t slot = 0;
	uint32_t *found = find(table, record, tag, &slot);
	*added = !found;
	return found ? found : place(table, record, tag, slot);
}

/* Looks first, since most records of a long search are known already and an addition may have to grow the table. */
gemp_code gemp_class_table_add(gemp_class_table *table, const uint32_t *record, uint64_t hash, uint32_t **found,
                               bool *added)
{
	gemp_code code = GEMP_OK;
	size_t slot = 0;
	bool fits;
	*found = find(table, record, tag_of(hash), &slot);
	*added = false;
	if (*found)
		return GEMP_OK;
	code = gemp_class_table_reserve(table, 1, &fits);
	gemp_class_table_trim(table);
	if (code == GEMP_OK && fits)
		*found = gemp_class_table_add_reserved(table, record, hash, added);
	return code;
}

void gemp_class_table_prefetch(const gemp_class_table *table, uint64_t hash)
{
	if (table->slot_count)
		__builtin_prefetch(&table->slots[home_of(tag_of(hash), table->slot_count)], 1);
}

/* Looks at four slots at most: a later one would cost more than it saves. */
void gemp_class_table_prefetch_record(const gemp_class_table *table, uint64_t hash)
{
	uint32_t tag = tag_of(hash);
	size_t at = home_of(tag, table->slot_count);
	for (size_t end = at + 4; at < end && at < table->slot_count && table->slots[at]; at++)
		if (table->slots[at] >> 32 == tag) {
			__builtin_prefetch(gemp_class_table_record(table, (uint32_t)table->slots[at] - 1));
			return;
		}
}

void gemp_class_table_clear(gemp_class_table *table)
{
	table->count = 0;
	if (table->slot_count)
		memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

/* Records that stay move up in place, so that this takes no memory: it runs when the budget is met. */
void gemp_class_table_retain(gemp_class_table *table, gemp_retain_function *keep, void *context)
{
	size_t count = table->count;
	gemp_class_table_clear(table);
	for (size_t i = 0; i < count; i++) {
		uint64_t hash;
		const uint32_t *record = gemp_class_table_record(table, i);
		if (!keep(context, record, &hash))
			continue;
		if (i != table->count)
			memcpy(gemp_class_table_record(table, table->count), record, table->words * sizeof *record);
		occupy(table->slots, table->slot_count, (uint64_t)tag_of(hash) << 32 | ++table->count);
	}
}

enum {
	PIECE = 1 << 13,          /* records that one thread orders at a time */
	AHEAD = 32,               /* records worked on together, so that memory is fetched ahead */
	WORTH_DIVIDING = 32 << 20 /* bytes; smaller sets are one table */
};

static size_t pieces_of(size_t count)
{
	return (count + PIECE - 1) / PIECE;
}

/* TABLES */

void gemp_class_set_init(gemp_class_set *set, const gemp_record_form *form, size_t budget)
{
	*set = (gemp_class_set){ .form = form, .table_count = budget < WORTH_DIVIDING ? 1 : GEMP_MAX_CLASS_TABLES };
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_init(&set->table[t], form->words, form->key_words, 0);
	gemp_class_set_budget(set, budget);
}

void gemp_class_set_free(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_free(&set->table[t]);
}

void gemp_class_set_budget(gemp_class_set *set, size_t budget)
{
	for (size_t t = 0; t < set->table_count; t++)
		set->table[t].budget = budget == SIZE_MAX ? budget : budget / set->table_count;
}

size_t gemp_class_set_count(const gemp_class_set *set)
{
	size_t count = 0;
	for (size_t t = 0; t < set->table_count; t++)
		count += set->table[t].count;
	return count;
}

void gemp_class_set_retain(gemp_class_set *set, gemp_retain_function *keep, void *context)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_retain(&set->table[t], keep, context);
}

void gemp_class_set_clear(gemp_class_set *set)
{
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_clear(&set->table[t]);
}

/* Bits that neither owners, passes nor places in a table are told by. */
uint8_t gemp_class_set_place(const gemp_class_set *set, uint64_t hash)
{
	return (uint8_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (set->table_count - 1));
}

/* The smaller embedding represents its class, so that the choice does not depend on the order of arrival. */
static void keep_smaller(const gemp_record_form *form, const uint32_t *record, uint32_t *found)
{
	if (gemp_record_smaller(form, record, found))
		memcpy(found, record, form->words * sizeof *record);
}

gemp_code gemp_class_set_add(gemp_class_set *set, const uint32_t *record, uint64_t hash, bool *fits)
{
	uint32_t *found;
	bool added;
	GEMP_PROPAGATE(gemp_class_table_add(&set->table[gemp_class_set_place(set, hash)], record, hash, &found, &added));
	*fits = found != NULL;
	if (found && !added)
		keep_smaller(set->form, record, found);
	return GEMP_OK;
}

/* What threads share that add a block's records to the tables of a set. */
typedef struct add_context {
	gemp_class_set *set;
	const gemp_class_block *block;
	const bool *fits;
} add_context;

/* Adds some records in three passes: slots are fetched first, then the records that they lead to, then records are
 * compared. Large tables are met at random, and the latencies of many records overlap. */
static void add_ahead(gemp_class_table *table, const add_context *a, const uint32_t *order, size_t count)
{
	const gemp_record_form *form = a->set->form;
	const uint64_t *hash = a->block->hash;
	for (size_t i = 0; i < count; i++) {
		__builtin_prefetch(a->block->records + order[i] * form->words);
		gemp_class_table_prefetch(table, hash[order[i]]);
	}
	for (size_t i = 0; i < count; i++)
		gemp_class_table_prefetch_record(table, hash[order[i]]);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *record = a->block->records + order[i] * form->words;
		bool added;
		uint32_t *found = gemp_class_table_add_reserved(table, record, hash[order[i]], &added);
		if (!added)
			keep_smaller(form, record, found);
	}
}

/* Each table is the work of one thread, so that no slot is locked. */
static void add_to_table(void *context, unsigned thread, size_t t)
{
	const add_context *a = context;
	(void)thread;
	if (!a->fits[t])
		return;
	gemp_class_table_rehash(&a->set->table[t]);
	size_t end = a->block->bucket_offsets[t + 1];
	for (size_t at = a->block->bucket_offsets[t]; at < end; at += AHEAD)
		add_ahead(&a->set->table[t], a, a->block->order + at, end - at < AHEAD ? end - at : AHEAD);
}

/* Memory is taken by this thread before, and given back after, the threads add records; see gemp_class_table_reserve. */
gemp_code gemp_class_set_add_block(gemp_class_set *set, const gemp_class_block *block, bool fits[GEMP_MAX_CLASS_TABLES])
{
	gemp_code code = GEMP_OK;
	add_context a = { set, block, fits };
	for (size_t t = 0; t < set->table_count && code == GEMP_OK; t++)
		code = gemp_class_table_reserve(&set->table[t], block->bucket_offsets[t + 1] - block->bucket_offsets[t],
		                                &fits[t]);
	if (code == GEMP_OK && block->count > PIECE)
		gemp_parallel_for(set->table_count, add_to_table, &a);
	for (size_t t = 0; t < set->table_count && code == GEMP_OK && block->count <= PIECE; t++)
		add_to_table(&a, 0, t);
	for (size_t t = 0; t < set->table_count; t++)
		gemp_class_table_trim(&set->table[t]);
	return code;
}

/* What threads share that copy records into a batch. */
typedef struct read_task {
	const gemp_record_form *form;
	const gemp_class_table *table;
	size_t first;
	gemp_vertex *vertices;
	gemp_edge *edges;
} read_task;

/* Threads copy ranges of records into the rows of a batch. */
static void read_records(void *context, size_t range, size_t begin, size_t end)
{
	const read_task *r = context;
	(void)range;
	for (size_t i = begin; i < end; i++)
		gemp_record_read(r->form, gemp_class_table_record(r->table, r->first + i),
		                 r->vertices + i * (size_t)r->form->vertex_count, r->edges + i * (size_t)r->form->edge_count);
}

/* Tables are read one after another, so that a cursor is two numbers. */
size_t gemp_class_set_read(const gemp_class_set *set, gemp_class_cursor *at, size_t room, gemp_vertex *vertices,
                           gemp_edge *edges)
{
	const gemp_record_form *form = set->form;
	size_t rows = 0;
	while (at->table < set->table_count && rows < room) {
		const gemp_class_table *table = &set->table[at->table];
		size_t left = table->count - at->record, count = left < room - rows ? left : room - rows;
		read_task r = { form, table, at->record, vertices + rows * (size_t)form->vertex_count,
			            edges + rows * (size_t)form->edge_count };
		gemp_for_chunks(count, PIECE, read_records, &r);
		rows += count;
		at->record = count < left ? at->record + count : 0;
		at->table += count == left;
	}
	return rows;
}

/* BLOCKS: a counting sort by place, each piece by one thread. */

/* A block is ordered by a counting sort by table, each range of records by one thread. */
gemp_code gemp_class_block_reserve(gemp_class_block *block, const gemp_record_form *form, size_t capacity)
{
	if (capacity <= block->capacity)
		return GEMP_OK;
	gemp_class_block_free(block);
	GEMP_PROPAGATE(GEMP_NEW(block->records, capacity * form->words));
	GEMP_PROPAGATE(GEMP_NEW(block->hash, capacity));
	GEMP_PROPAGATE(GEMP_NEW(block->table, capacity));
	GEMP_PROPAGATE(GEMP_NEW(block->order, capacity));
	GEMP_PROPAGATE(GEMP_NEW(block->histogram, pieces_of(capacity) * GEMP_CLASS_PLACES));
	block->capacity = capacity;
	return GEMP_OK;
}

void gemp_class_block_free(gemp_class_block *block)
{
	gemp_free_all(block->records, block->hash, block->table, block->order, block->histogram);
	*block = (gemp_class_block){ 0 };
}

/* The first pass of the counting sort: how many records of a range go to each place. */
static void count_places(void *context, size_t piece, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *histogram = block->histogram + piece * GEMP_CLASS_PLACES;
	memset(histogram, 0, GEMP_CLASS_PLACES * sizeof *histogram);
	for (size_t i = begin; i < end; i++)
		histogram[block->table[i]]++;
}

/* The second pass: each range writes behind what earlier ranges have of a place, so that the sort is stable. */
static void order_records(void *context, size_t piece, size_t begin, size_t end)
{
	gemp_class_block *block = context;
	size_t *next = block->histogram + piece * GEMP_CLASS_PLACES;
	for (size_t i = begin; i < end; i++)
		block->order[next[block->table[i]]++] = (uint32_t)i;
}

/* Counting sort by place; order[] then lists the records of each place in the order in which they came. */
void gemp_class_block_sort(gemp_class_block *block)
{
	size_t pieces = pieces_of(block->count), at = 0;
	gemp_for_chunks(block->count, PIECE, count_places, block);
	for (size_t place = 0; place < GEMP_CLASS_PLACES; place++) {
		block->bucket_offsets[place] = at;
		for (size_t piece = 0; piece < pieces; piece++) {
			size_t *here = &block->histogram[piece * GEMP_CLASS_PLACES + place], count = *here;
			*here = at;
			at += count;
		}
	}
	block->bucket_offsets[GEMP_CLASS_PLACES] = at;
	gemp_for_chunks(block->count, PIECE, order_records, block);
}
