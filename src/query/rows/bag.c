#include "query/rows/bag.h"

#include "query/rows/accumulator.h"

void gemp_bag_free(gemp_bag *bag)
{
	gemp_code_table_free(&bag->pairs);
	gemp_free_all(bag->next, bag->times, bag->head);
	*bag = (gemp_bag){ 0 };
}

size_t gemp_bag_memory(const gemp_bag *bag)
{
	return gemp_code_table_memory(&bag->pairs) + bag->times_capacity * sizeof *bag->times +
	       (bag->next_capacity + bag->head_capacity) * sizeof *bag->next;
}

/* The numbers of new pairs ascend, so a pair is new exactly if its number is that of the next value. */
gemp_code gemp_bag_add(gemp_bag *bag, const uint64_t *pairs, const uint64_t *times, size_t count, size_t groups)
{
	uint32_t numbers[GEMP_BAG_BLOCK];
	size_t values = bag->pairs.count;
	bag->pairs.words = 1;
	GEMP_CHECK(count <= GEMP_BAG_BLOCK);
	if (groups)
		GEMP_TRY(GEMP_RESERVE_GROUP(bag->head, bag->head_capacity, groups - 1));
	GEMP_TRY(GEMP_RESERVE(bag->next, bag->next_capacity, values + count));
	GEMP_TRY(GEMP_RESERVE(bag->times, bag->times_capacity, values + count));
	GEMP_TRY(gemp_code_table_add(&bag->pairs, pairs, NULL, count, numbers));
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == values) {
			const size_t group = pairs[i] >> 32;
			bag->next[values] = bag->head[group];
			bag->times[values++] = 0;
			bag->head[group] = (uint32_t)values;
		}
		bag->times[numbers[i]] += times[i];
	}
	return GEMP_OK;
}

/* A group beyond the capacity of head[] has no value yet. */
uint32_t gemp_bag_first(const gemp_bag *bag, size_t group)
{
	return group < bag->head_capacity ? bag->head[group] : 0;
}

/* Callers allocate arrays for a group's values before they read them. */
size_t gemp_bag_count(const gemp_bag *bag, size_t group)
{
	size_t count = 0;
	for (uint32_t at = gemp_bag_first(bag, group); at; at = gemp_bag_next(bag, at))
		count++;
	return count;
}
