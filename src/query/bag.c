#include "query/bag.h"

#include "core/memory.h"
#include "core/text.h"

#include <string.h>

void gemp_bag_free(gemp_bag *bag)
{
	gemp_key_table_free(&bag->keys);
	gemp_free(bag->next);
	gemp_free(bag->times);
	gemp_free(bag->head);
	*bag = (gemp_bag){ 0 };
}

size_t gemp_bag_memory(const gemp_bag *bag)
{
	size_t numbers = bag->capacity + bag->times_capacity + bag->head_capacity;
	return gemp_key_table_memory(&bag->keys) + numbers * sizeof *bag->next;
}

static gemp_code reserve_head(gemp_bag *bag, size_t group)
{
	size_t before = bag->head_capacity;
	gemp_code code = GEMP_RESERVE(bag->head, bag->head_capacity, group + 1);
	if (code == GEMP_OK && bag->head_capacity > before)
		memset(bag->head + before, 0, (bag->head_capacity - before) * sizeof *bag->head);
	return code;
}

static gemp_code number_of(gemp_bag *bag, uint64_t group, const char *cell, size_t size, size_t *index, bool *added)
{
	enum { ROOM = 256 };
	gemp_code code = GEMP_OK;
	char room[ROOM], *key = room;
	gemp_text longer = { 0 };
	if (sizeof group + size > ROOM) {
		gemp_text_add(&longer, &group, sizeof group);
		gemp_text_add(&longer, cell, size);
		GEMP_TRY(gemp_text_status(&longer));
		key = longer.data;
	} else {
		memcpy(room, &group, sizeof group);
		memcpy(room + sizeof group, cell, size);
	}
	size += sizeof group;
	code = gemp_key_table_add(&bag->keys, key, size, gemp_key_hash(key, size), index, added);
done:
	gemp_text_free(&longer);
	return code;
}

gemp_code gemp_bag_add(gemp_bag *bag, size_t group, const char *cell, size_t size, uint64_t times)
{
	gemp_code code = GEMP_OK;
	size_t index;
	bool added;
	GEMP_TRY(reserve_head(bag, group));
	GEMP_TRY(GEMP_RESERVE(bag->next, bag->capacity, bag->keys.count + 1));
	GEMP_TRY(GEMP_RESERVE(bag->times, bag->times_capacity, bag->keys.count + 1));
	GEMP_TRY(number_of(bag, group, cell, size, &index, &added));
	if (added) {
		bag->next[index] = bag->head[group];
		bag->head[group] = index + 1;
		bag->times[index] = 0;
	}
	bag->times[index] += times;
done:
	return code;
}

uint64_t gemp_bag_first(const gemp_bag *bag, size_t group)
{
	return group < bag->head_capacity ? bag->head[group] : 0;
}

uint64_t gemp_bag_next(const gemp_bag *bag, uint64_t at)
{
	return bag->next[at - 1];
}

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
