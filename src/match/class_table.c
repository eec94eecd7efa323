#include "match/class_table.h"

#include "core/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_SLOTS = 64 };
static const size_t most_slots = (size_t)1 << 31; /* so that an index and 1 fit into 32 bits */

/* Owners and passes are ranges of the hash's two halves; the product's upper half depends on all bits of both. */
static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

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
	gemp_free(table->slots);
	gemp_free(table->old);
	*table = (gemp_class_table){ 0 };
}

static void occupy(uint64_t *slots, size_t slot_count, uint64_t slot)
{
	size_t at = home_of((uint32_t)(slot >> 32), slot_count);
	while (slots[at])
		at = at + 1 < slot_count ? at + 1 : 0;
	slots[at] = slot;
}

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

/* While slots move, old and new are there at once. */
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

static gemp_code grow_records(gemp_class_table *table, size_t needed, bool *fits)
{
	gemp_code code = GEMP_OK;
	size_t slots = table->slot_count * sizeof *table->slots;
	size_t most = table->budget > slots ? (table->budget - slots) / record_bytes(table, 1) : 0;
	*fits = needed <= most;
	while (*fits && table->capacity < needed)
		GEMP_TRY(add_segment(table, most));
done:
	return code;
}

/* At most three slots of four are taken. */
gemp_code gemp_class_table_reserve(gemp_class_table *table, size_t extra, bool *fits)
{
	gemp_code code = GEMP_OK;
	size_t needed = table->count + extra;
	*fits = true;
	if (needed > table->slot_count - table->slot_count / 4)
		GEMP_TRY(grow_slots(table, needed, fits));
	if (*fits && needed > table->capacity)
		GEMP_TRY(grow_records(table, needed, fits));
done:
	return code;
}

void gemp_class_table_settle(gemp_class_table *table)
{
	for (size_t s = 0; s < table->old_count; s++)
		if (table->old[s])
			occupy(table->slots, table->slot_count, table->old[s]);
	table->old_count = 0;
}

void gemp_class_table_trim(gemp_class_table *table)
{
	gemp_class_table_settle(table);
	gemp_free(table->old);
	table->old = NULL;
}

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

static uint32_t *place(gemp_class_table *table, const uint32_t *record, uint32_t tag, size_t slot)
{
	uint32_t *placed = gemp_class_table_record(table, table->count);
	for (size_t w = 0; w < table->words; w++)
		placed[w] = record[w];
	table->slots[slot] = (uint64_t)tag << 32 | ++table->count;
	return placed;
}

uint32_t *gemp_class_table_add_reserved(gemp_class_table *table, const uint32_t *record, uint64_t hash, bool *added)
{
	uint32_t tag = tag_of(hash);
	size_t slot = 0;
	uint32_t *found = find(table, record, tag, &slot);
	*added = !found;
	return found ? found : place(table, record, tag, slot);
}

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

void gemp_class_table_keep(gemp_class_table *table, gemp_keep_function *keep, void *context)
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
