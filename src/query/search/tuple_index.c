#include "query/search/tuple_index.h"

#include "core/memory.h"
#include "core/random.h"
#include "primitive/record_table.h"

#include <string.h>

/* DENSE: an array over all vertices, of 4 bytes a vertex, is used if there is at least one tuple for so many vertices.
 * SMALL: graphs that always have it. */
enum { DENSE = 32, SMALL = 1 << 16 };

/* Tuples of one or two vertices are one number, whose finaliser costs less than a hash of bytes. */
uint64_t gemp_tuple_hash(const gemp_vertex *tuple, size_t width)
{
	return width <= 2 ? gemp_mix(tuple[0] | (uint64_t)tuple[width - 1] << 32)
	                  : gemp_hash(tuple, width * sizeof *tuple, 0);
}

gemp_code gemp_tuple_index_init(gemp_tuple_index *index, size_t width, uint64_t vertices, size_t expected)
{
	*index = (gemp_tuple_index){ .width = width, .vertices = vertices };
	if (width == 1 && vertices < UINT32_MAX && (vertices <= SMALL || vertices / DENSE <= expected))
		return GEMP_NEW(index->of_vertex, vertices + 1);
	index->slot_count = gemp_slot_capacity(0, expected);
	return GEMP_NEW(index->slots, index->slot_count);
}

void gemp_tuple_index_free(gemp_tuple_index *index)
{
	gemp_free_all(index->tuples, index->of_vertex, index->slots);
	*index = (gemp_tuple_index){ 0 };
}

static gemp_code append(gemp_tuple_index *index, const gemp_vertex *tuple, size_t *number)
{
	if (index->count == UINT32_MAX - 1)
		return gemp_fail(GEMP_ENOMEM, "more than 2^32 - 2 different tuples ask for a sub-pattern at once");
	GEMP_TRY(GEMP_RESERVE(index->tuples, index->capacity, (index->count + 1) * index->width));
	memcpy(index->tuples + index->count * index->width, tuple, index->width * sizeof *tuple);
	*number = index->count++;
	return GEMP_OK;
}

static bool is_equal(const gemp_tuple_index *index, size_t number, const gemp_vertex *tuple)
{
	const gemp_vertex *other = index->tuples + number * index->width;
	for (size_t i = 0; i < index->width; i++)
		if (other[i] != tuple[i])
			return false;
	return true;
}

/* Makes place for one more tuple. Slots know 32 bits of the hashes of their tuples, from which the new places
 * follow. */
static gemp_code grow(gemp_tuple_index *index)
{
	const size_t slot_count = gemp_slot_capacity(index->slot_count, index->count + 1);
	uint64_t *slots;
	if (slot_count == index->slot_count)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(slots, slot_count));
	for (size_t i = 0; i < index->slot_count; i++)
		if (index->slots[i])
			gemp_slot_occupy(slots, slot_count, (uint32_t)(index->slots[i] >> 32), gemp_slot_index(index->slots[i]));
	gemp_free(index->slots);
	index->slots = slots;
	index->slot_count = slot_count;
	return GEMP_OK;
}

static size_t find_in_slots(const gemp_tuple_index *index, const gemp_vertex *tuple, uint32_t tag)
{
	size_t at;
	GEMP_FOR_SLOTS (at, index->slots, index->slot_count, tag)
		if (is_equal(index, gemp_slot_index(index->slots[at]), tuple))
			return gemp_slot_index(index->slots[at]);
	return SIZE_MAX;
}

gemp_code gemp_tuple_index_add(gemp_tuple_index *index, const gemp_vertex *tuple, size_t *number)
{
	if (index->of_vertex) {
		uint32_t *place = &index->of_vertex[tuple[0]];
		*number = *place - (size_t)1;
		if (*place)
			return GEMP_OK;
		GEMP_TRY(append(index, tuple, number));
		*place = (uint32_t)*number + 1;
		return GEMP_OK;
	}
	const uint32_t tag = gemp_slot_tag(gemp_tuple_hash(tuple, index->width));
	*number = find_in_slots(index, tuple, tag);
	if (*number != SIZE_MAX)
		return GEMP_OK;
	GEMP_TRY(grow(index));
	GEMP_TRY(append(index, tuple, number));
	gemp_slot_occupy(index->slots, index->slot_count, tag, *number);
	return GEMP_OK;
}

size_t gemp_tuple_index_find(const gemp_tuple_index *index, const gemp_vertex *tuple)
{
	if (index->of_vertex)
		return (size_t)index->of_vertex[tuple[0]] - 1;
	return find_in_slots(index, tuple, gemp_slot_tag(gemp_tuple_hash(tuple, index->width)));
}
