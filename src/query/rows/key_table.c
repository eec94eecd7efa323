#include "query/rows/key_table.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"

#include <string.h>

/* A slot: 32 bits of hash above, 1 + number of the key below, so that most unequal keys are rejected without reading them. */
enum { INDEX_BITS = 32, MIN_SLOTS = 64 };
static const uint64_t index_mask = (UINT64_C(1) << INDEX_BITS) - 1;

void gemp_key_table_free(gemp_key_table *table)
{
	gemp_free_all(table->begin, table->hash, table->bytes, table->slots);
	*table = (gemp_key_table){ 0 };
}

uint64_t gemp_key_hash(const void *key, size_t size)
{
	return gemp_hash(key, size, 0);
}

/* The low bits of the hash choose the slot; the bits stored in the slot are the upper ones, which are independent
 * of them. */
static size_t first_slot(const gemp_key_table *table, uint64_t hash)
{
	return hash & (table->slot_count - 1);
}

/* The key is known to be new, so no keys are compared. */
static void insert_slot(gemp_key_table *table, uint64_t hash, size_t index)
{
	size_t slot = first_slot(table, hash);
	while (table->slots[slot])
		slot = (slot + 1) & (table->slot_count - 1);
	table->slots[slot] = (hash & ~index_mask) | (index + 1);
}

/* Linear probing with a load of at most 2/3; stored hashes make growing independent of the keys. */
static gemp_code grow_slots(gemp_key_table *table)
{
	uint64_t *slots;
	if (table->slot_count && (table->count + 1) * 3 <= table->slot_count * 2)
		return GEMP_OK;
	if (table->count + 1 >= index_mask)
		return gemp_fail(GEMP_ENOMEM, "%zu groups or values on one rank are more than a table holds; use more ranks",
		                 table->count);
	size_t count = table->slot_count ? 2 * table->slot_count : MIN_SLOTS;
	GEMP_PROPAGATE(GEMP_NEW(slots, count));
	gemp_free(table->slots);
	table->slots = slots;
	table->slot_count = count;
	for (size_t i = 0; i < table->count; i++)
		insert_slot(table, table->hash[i], i);
	return GEMP_OK;
}

/* Reserves memory for one more key. begin has one element more than hash, so both grow to the same capacity. */
static gemp_code grow_keys(gemp_key_table *table, size_t size)
{
	size_t wanted = table->count + 1, capacity = table->capacity;
	size_t used = table->count ? table->begin[table->count] : 0;
	GEMP_PROPAGATE(GEMP_RESERVE(table->bytes, table->bytes_capacity, used + size));
	if (wanted > capacity) {
		GEMP_PROPAGATE(GEMP_RESERVE(table->hash, capacity, wanted));
		uint64_t *begin = gemp_realloc(table->begin, capacity + 1, sizeof *begin);
		if (!begin)
			return GEMP_ENOMEM;
		if (!table->begin)
			begin[0] = 0;
		table->begin = begin;
		table->capacity = capacity;
	}
	return GEMP_OK;
}

static bool is_key(const gemp_key_table *table, size_t index, const void *key, size_t size)
{
	size_t own;
	const char *bytes = gemp_key_bytes(table, index, &own);
	return own == size && (size == 0 || memcmp(bytes, key, size) == 0);
}

/* All memory is reserved before the table changes, so that a failure leaves it as it was. */
gemp_code gemp_key_table_add(gemp_key_table *table, const void *key, size_t size, uint64_t hash, size_t *index,
                             bool *added)
{
	*added = false;
	if (table->slot_count)
		for (size_t slot = first_slot(table, hash); table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
			*index = (table->slots[slot] & index_mask) - 1;
			if ((table->slots[slot] ^ hash) >> INDEX_BITS == 0 && is_key(table, *index, key, size))
				return GEMP_OK;
		}
	GEMP_PROPAGATE(grow_slots(table));
	GEMP_PROPAGATE(grow_keys(table, size));
	*index = table->count++;
	if (size)
		memcpy(table->bytes + table->begin[*index], key, size);
	table->begin[*index + 1] = table->begin[*index] + size;
	table->hash[*index] = hash;
	insert_slot(table, hash, *index);
	*added = true;
	return GEMP_OK;
}

void gemp_key_table_prefetch(const gemp_key_table *table, uint64_t hash)
{
	if (table->slot_count)
		__builtin_prefetch(&table->slots[first_slot(table, hash)]);
}

size_t gemp_key_table_memory(const gemp_key_table *table)
{
	return table->capacity * 2 * sizeof(uint64_t) + table->bytes_capacity + table->slot_count * sizeof *table->slots;
}

void gemp_bag_free(gemp_bag *bag)
{
	gemp_key_table_free(&bag->keys);
	gemp_free_all(bag->next, bag->times, bag->head);
	*bag = (gemp_bag){ 0 };
}

size_t gemp_bag_memory(const gemp_bag *bag)
{
	size_t numbers = bag->capacity + bag->times_capacity + bag->head_capacity;
	return gemp_key_table_memory(&bag->keys) + numbers * sizeof *bag->next;
}

/* New groups have no values. */
static gemp_code reserve_head(gemp_bag *bag, size_t group)
{
	size_t before = bag->head_capacity;
	gemp_code code = GEMP_RESERVE(bag->head, bag->head_capacity, group + 1);
	if (code == GEMP_OK && bag->head_capacity > before)
		memset(bag->head + before, 0, (bag->head_capacity - before) * sizeof *bag->head);
	return code;
}

/* The key is the group's number followed by the cell; short ones need no allocation. */
static gemp_code key_of_cell(gemp_bag *bag, uint64_t group, const char *cell, size_t size, size_t *index, bool *added)
{
	enum { INLINE_BYTES = 256 };
	char inline_key[INLINE_BYTES], *key = inline_key;
	GEMP_OWNED_BY(gemp_text_free) gemp_text longer = { 0 };
	if (sizeof group + size > INLINE_BYTES) {
		gemp_text_add(&longer, &group, sizeof group);
		gemp_text_add(&longer, cell, size);
		GEMP_PROPAGATE(gemp_text_status(&longer));
		key = longer.data;
	} else {
		memcpy(inline_key, &group, sizeof group);
		memcpy(inline_key + sizeof group, cell, size);
	}
	size += sizeof group;
	return gemp_key_table_add(&bag->keys, key, size, gemp_key_hash(key, size), index, added);
}

/* The values of a group form a linked list through next[], the latest first. */
gemp_code gemp_bag_add(gemp_bag *bag, size_t group, const char *cell, size_t size, uint64_t times)
{
	size_t index;
	bool added;
	GEMP_PROPAGATE(reserve_head(bag, group));
	GEMP_PROPAGATE(GEMP_RESERVE(bag->next, bag->capacity, bag->keys.count + 1));
	GEMP_PROPAGATE(GEMP_RESERVE(bag->times, bag->times_capacity, bag->keys.count + 1));
	GEMP_PROPAGATE(key_of_cell(bag, group, cell, size, &index, &added));
	if (added) {
		bag->next[index] = bag->head[group];
		bag->head[group] = index + 1;
		bag->times[index] = 0;
	}
	bag->times[index] += times;
	return GEMP_OK;
}

uint64_t gemp_bag_first(const gemp_bag *bag, size_t group)
{
	return group < bag->head_capacity ? bag->head[group] : 0;
}

uint64_t gemp_bag_next(const gemp_bag *bag, uint64_t at)
{
	return bag->next[at - 1];
}

/* The key is the group's number and the cell; the caller gets the cell. */
const char *gemp_bag_cell(const gemp_bag *bag, uint64_t at, size_t *size)
{
	const char *key = gemp_key_bytes(&bag->keys, at - 1, size);
	*size -= sizeof(uint64_t);
	return key + sizeof(uint64_t);
}

uint64_t gemp_bag_times(const gemp_bag *bag, uint64_t at)
{
	return bag->times[at - 1];
}
