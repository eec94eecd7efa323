#include "primitive/record_table.h"

#include "core/memory.h"

#include <string.h>
static const size_t most_slots = (size_t)1 << 31; /* an index + 1 must fit into 32 bits */

void gemp_record_table_init(gemp_record_table *table, size_t words, size_t key_words, size_t budget)
{
	*table = (gemp_record_table){ .words = words, .key_words = key_words, .budget = budget };
}

void gemp_record_table_free(gemp_record_table *table)
{
	for (size_t s = 0; s < GEMP_RECORD_SEGMENTS; s++)
		gemp_free(table->segment[s]);
	gemp_free_all(table->slots, table->old);
	*table = (gemp_record_table){ 0 };
}

/* Bytes of this number of records, which have one size. */
static size_t record_bytes(const gemp_record_table *table, size_t records)
{
	return records * table->words * sizeof(uint32_t);
}

/* Doubles the slots until at most three of four are used. Old and new slots exist at the same time, so the budget
 * includes both. */
static gemp_code grow_slots(gemp_record_table *table, size_t needed, bool *fits)
{
	size_t larger = gemp_slot_capacity(table->slot_count, needed);
	uint64_t *slots;
	size_t bytes = record_bytes(table, table->capacity) + (larger + table->slot_count) * sizeof *table->slots;
	*fits = bytes <= table->budget && larger <= most_slots;
	if (!*fits)
		return GEMP_OK;
	if (GEMP_NEW(slots, larger) != GEMP_OK)
		return GEMP_ENOMEM;
	table->old = table->slots;
	table->old_count = table->slot_count;
	table->slots = slots;
	table->slot_count = larger;
	return GEMP_OK;
}

/* Adds the segment behind the last one, or as much of it as the budget allows. */
static gemp_code add_segment(gemp_record_table *table, size_t most)
{
	size_t begin = 0, length = GEMP_FIRST_SEGMENT, s = 0;
	for (; begin + length <= table->capacity; length *= 2, s++)
		begin += length;
	if (length > most - begin)
		length = most - begin;
	uint32_t *records = gemp_realloc(table->segment[s], length, table->words * sizeof *records);
	if (!records)
		return GEMP_ENOMEM;
	table->segment[s] = records;
	table->capacity = begin + length;
	return GEMP_OK;
}

/* Adds segments until they hold `needed` records. The budget may make the last one shorter. */
static gemp_code grow_records(gemp_record_table *table, size_t needed, bool *fits)
{
	size_t slots = table->slot_count * sizeof *table->slots;
	size_t most = table->budget > slots ? (table->budget - slots) / record_bytes(table, 1) : 0;
	*fits = needed <= most;
	while (*fits && table->capacity < needed)
		GEMP_TRY(add_segment(table, most));
	return GEMP_OK;
}

gemp_code gemp_record_table_reserve(gemp_record_table *table, size_t extra, bool *fits)
{
	size_t needed = table->count + extra;
	*fits = true;
	if (needed > table->slot_count - table->slot_count / 4)
		GEMP_TRY(grow_slots(table, needed, fits));
	if (*fits && needed > table->capacity)
		GEMP_TRY(grow_records(table, needed, fits));
	return GEMP_OK;
}

/* Moves the records of the old slots to the new slots. It allocates no memory, so any thread may do it. */
void gemp_record_table_rehash(gemp_record_table *table)
{
	for (size_t s = 0; s < table->old_count; s++)
		if (table->old[s])
			gemp_slot_occupy(table->slots, table->slot_count, (uint32_t)(table->old[s] >> 32),
			                 gemp_slot_index(table->old[s]));
	table->old_count = 0;
}

/* Moves the records that are still in the old slots, and frees the old slots. */
void gemp_record_table_trim(gemp_record_table *table)
{
	gemp_record_table_rehash(table);
	gemp_free(table->old);
	table->old = NULL;
}

/* Compares only the key: an embedding beside the key may differ between records of one class. */
static bool same_key(const gemp_record_table *table, const uint32_t *a, const uint32_t *b)
{
	for (size_t w = 0; w < table->key_words; w++)
		if (a[w] != b[w])
			return false;
	return true;
}

/* Returns the record with this key; or NULL, and *slot becomes the slot where it would be. */
static uint32_t *find_slot(const gemp_record_table *table, const uint32_t *record, uint32_t tag, size_t *slot)
{
	size_t at;
	GEMP_FOR_SLOTS (at, table->slots, table->slot_count, tag) {
		uint32_t *other = gemp_record_table_record(table, gemp_slot_index(table->slots[at]));
		if (same_key(table, other, record))
			return other;
	}
	*slot = at;
	return NULL;
}

/* Appends the record to the last segment, in which gemp_record_table_reserve has made room. */
static uint32_t *append_record(gemp_record_table *table, const uint32_t *record, uint32_t tag, size_t slot)
{
	uint32_t *placed = gemp_record_table_record(table, table->count);
	for (size_t w = 0; w < table->words; w++)
		placed[w] = record[w];
	table->slots[slot] = (uint64_t)tag << 32 | ++table->count;
	return placed;
}

uint32_t *gemp_record_table_find(const gemp_record_table *table, const uint32_t *record, uint64_t hash)
{
	size_t slot;
	return find_slot(table, record, gemp_slot_tag(hash), &slot);
}

/* Cannot fail, since gemp_record_table_reserve has allocated the memory. */
uint32_t *gemp_record_table_add_reserved(gemp_record_table *table, const uint32_t *record, uint64_t hash, bool *added)
{
	uint32_t tag = gemp_slot_tag(hash);
	size_t slot = 0;
	uint32_t *found = find_slot(table, record, tag, &slot);
	*added = !found;
	return found ? found : append_record(table, record, tag, slot);
}

/* Searches first, because most records of a long search are known already and an addition may have to grow the
 * table. */
gemp_code gemp_record_table_add(gemp_record_table *table, const uint32_t *record, uint64_t hash, uint32_t **found,
                                bool *added)
{
	size_t slot = 0;
	bool fits;
	*found = find_slot(table, record, gemp_slot_tag(hash), &slot);
	*added = false;
	if (*found)
		return GEMP_OK;
	gemp_code code = gemp_record_table_reserve(table, 1, &fits);
	gemp_record_table_trim(table);
	if (code == GEMP_OK && fits)
		*found = gemp_record_table_add_reserved(table, record, hash, added);
	return code;
}

/* Fetches the cache line of the record's first slot, which mostly has the following slots, too. */
void gemp_record_table_prefetch(const gemp_record_table *table, uint64_t hash)
{
	if (table->slot_count)
		__builtin_prefetch(&table->slots[gemp_slot_home(gemp_slot_tag(hash), table->slot_count)], 1);
}

/* Looks at four slots at most; a later slot would cost more than it saves. */
void gemp_record_table_prefetch_record(const gemp_record_table *table, uint64_t hash)
{
	uint32_t tag = gemp_slot_tag(hash);
	size_t at = gemp_slot_home(tag, table->slot_count);
	for (size_t end = at + 4; at < end && at < table->slot_count && table->slots[at]; at++)
		if (table->slots[at] >> 32 == tag) {
			__builtin_prefetch(gemp_record_table_record(table, gemp_slot_index(table->slots[at])));
			return;
		}
}

/* Keeps the memory, since callers fill the table again. */
void gemp_record_table_clear(gemp_record_table *table)
{
	table->count = 0;
	if (table->slot_count)
		memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

/* Moves the kept records up in place. This allocates no memory, because it runs when the budget is used up. */
void gemp_record_table_retain(gemp_record_table *table, gemp_retain_function *keep, void *context)
{
	size_t count = table->count;
	gemp_record_table_clear(table);
	for (size_t i = 0; i < count; i++) {
		uint64_t hash;
		const uint32_t *record = gemp_record_table_record(table, i);
		if (!keep(context, record, &hash))
			continue;
		if (i != table->count)
			memcpy(gemp_record_table_record(table, table->count), record, table->words * sizeof *record);
		gemp_slot_occupy(table->slots, table->slot_count, gemp_slot_tag(hash), table->count++);
	}
}
