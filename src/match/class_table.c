#include "match/class_table.h"

#include "core/memory.h"

#include <string.h>

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
	gemp_free(table->records);
	gemp_free(table->slots);
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

/* While slots move, old and new are there at once. */
static gemp_code grow_slots(gemp_class_table *table, bool *fits)
{
	size_t larger = table->slot_count ? 2 * table->slot_count : FIRST_SLOTS;
	size_t bytes = record_bytes(table, table->capacity) + (larger + table->slot_count) * sizeof *table->slots;
	uint64_t *slots;
	*fits = bytes <= table->budget && larger <= most_slots;
	if (!*fits)
		return GEMP_OK;
	if (GEMP_NEW(slots, larger) != GEMP_OK)
		return GEMP_ENOMEM;
	for (size_t s = 0; s < table->slot_count; s++)
		if (table->slots[s])
			occupy(slots, larger, table->slots[s]);
	gemp_free(table->slots);
	table->slots = slots;
	table->slot_count = larger;
	return GEMP_OK;
}

static gemp_code grow_records(gemp_class_table *table, bool *fits)
{
	size_t larger = table->capacity + table->capacity / 4 + 16;
	*fits = record_bytes(table, larger) + table->slot_count * sizeof *table->slots <= table->budget;
	if (!*fits)
		return GEMP_OK;
	uint32_t *records = gemp_realloc(table->records, larger, table->words * sizeof *records);
	if (!records)
		return GEMP_ENOMEM;
	table->records = records;
	table->capacity = larger;
	return GEMP_OK;
}

/* At most three slots of four are taken. */
static gemp_code make_room(gemp_class_table *table, bool *fits)
{
	gemp_code code = GEMP_OK;
	*fits = true;
	if (table->count == table->capacity)
		GEMP_TRY(grow_records(table, fits));
	if (*fits && table->count >= table->slot_count - table->slot_count / 4)
		GEMP_TRY(grow_slots(table, fits));
done:
	return code;
}

gemp_code gemp_class_table_add(gemp_class_table *table, const uint32_t *record, uint64_t hash, uint32_t **found,
                               bool *added)
{
	uint32_t tag = tag_of(hash);
	size_t at = home_of(tag, table->slot_count);
	*added = false;
	for (; table->slot_count && table->slots[at]; at = at + 1 < table->slot_count ? at + 1 : 0) {
		if (table->slots[at] >> 32 != tag)
			continue;
		uint32_t *other = table->records + ((uint32_t)table->slots[at] - 1) * table->words;
		if (memcmp(other, record, table->key_words * sizeof *record) == 0) {
			*found = other;
			return GEMP_OK;
		}
	}
	gemp_code code = GEMP_OK;
	size_t slots_before = table->slot_count;
	bool fits;
	*found = NULL;
	GEMP_TRY(make_room(table, &fits));
	if (!fits)
		return GEMP_OK;
	memcpy(table->records + table->count * table->words, record, table->words * sizeof *record);
	*found = table->records + table->count * table->words;
	*added = true;
	uint64_t slot = (uint64_t)tag << 32 | ++table->count;
	if (table->slot_count == slots_before)
		table->slots[at] = slot;
	else
		occupy(table->slots, table->slot_count, slot);
done:
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
			__builtin_prefetch(table->records + ((uint32_t)table->slots[at] - 1) * table->words);
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
		const uint32_t *record = table->records + i * table->words;
		if (!keep(context, record, &hash))
			continue;
		if (i != table->count)
			memcpy(table->records + table->count * table->words, record, table->words * sizeof *record);
		occupy(table->slots, table->slot_count, (uint64_t)tag_of(hash) << 32 | ++table->count);
	}
}
