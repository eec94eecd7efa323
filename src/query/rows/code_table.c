#include "query/rows/code_table.h"

#include "primitive/record_table.h"

#include <string.h>

enum { BLOCK = 64 }; /* keys whose slots are prefetched together */

void gemp_code_table_free(gemp_code_table *table)
{
	gemp_free_all(table->keys, table->slots);
	*table = (gemp_code_table){ .words = table->words };
}

size_t gemp_code_table_memory(const gemp_code_table *table)
{
	return (table->capacity * table->words + table->slot_count) * sizeof(uint64_t);
}

/* Makes room for `more` keys, so that a block is added without tests. */
static gemp_code reserve(gemp_code_table *table, size_t more)
{
	const size_t wanted = table->count + more, slot_count = gemp_slot_capacity(table->slot_count, wanted);
	uint64_t *slots;
	if (wanted >= UINT32_MAX)
		return gemp_fail(GEMP_ENOMEM, "%zu groups or values in one table are too many; use more ranks", table->count);
	if (wanted > table->capacity) {
		const size_t capacity = gemp_grown_capacity(table->capacity, wanted);
		uint64_t *keys = gemp_realloc(table->keys, capacity * table->words, sizeof *keys);
		if (!keys)
			return GEMP_ENOMEM;
		table->keys = keys;
		table->capacity = capacity;
	}
	if (slot_count == table->slot_count)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(slots, slot_count));
	gemp_free(table->slots);
	table->slots = slots;
	table->slot_count = slot_count;
	for (size_t i = 0; i < table->count; i++)
		gemp_slot_occupy(slots, slot_count,
		                 gemp_slot_tag(gemp_code_table_hash(gemp_code_table_key(table, i), table->words)), i);
	return GEMP_OK;
}

/* Returns the number of the key, which is added if it is new. There is room for it. */
static uint32_t find_or_add(gemp_code_table *table, const uint64_t *key, uint32_t tag)
{
	const size_t words = table->words;
	size_t slot;
	GEMP_FOR_SLOTS (slot, table->slots, table->slot_count, tag) {
		const size_t number = gemp_slot_index(table->slots[slot]);
		const uint64_t *known = gemp_code_table_key(table, number);
		size_t w = 0;
		while (w < words && known[w] == key[w])
			w++;
		if (w == words)
			return (uint32_t)number;
	}
	for (size_t w = 0; w < words; w++)
		table->keys[table->count * words + w] = key[w];
	table->slots[slot] = (uint64_t)tag << 32 | (table->count + 1);
	return (uint32_t)table->count++;
}

gemp_code gemp_code_table_add(gemp_code_table *table, const uint64_t *keys, const uint32_t *rows, size_t count,
                              uint32_t *numbers)
{
	uint32_t tags[BLOCK];
	for (size_t first = 0; first < count; first += BLOCK) {
		const size_t block = gemp_min(count - first, (size_t)BLOCK);
		GEMP_TRY(reserve(table, block));
		for (size_t i = 0; i < block; i++) {
			const size_t row = rows ? rows[first + i] : first + i;
			tags[i] = gemp_slot_tag(gemp_code_table_hash(keys + row * table->words, table->words));
			__builtin_prefetch(&table->slots[gemp_slot_home(tags[i], table->slot_count)]);
		}
		for (size_t i = 0; i < block; i++) {
			const size_t row = rows ? rows[first + i] : first + i;
			numbers[first + i] = find_or_add(table, keys + row * table->words, tags[i]);
		}
	}
	return GEMP_OK;
}
