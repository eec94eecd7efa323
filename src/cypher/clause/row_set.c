#include "cypher/clause/row_set.h"

#include "core/memory.h"
#include "core/random.h"
#include "primitive/record_table.h"

void gemp_cypher_row_set_free(gemp_cypher_row_set *set)
{
	gemp_cypher_table_free(&set->rows);
	gemp_free(set->slots);
	*set = (gemp_cypher_row_set){ 0 };
}

static uint64_t hash_row(const gemp_datum *row, size_t width, size_t origin)
{
	uint64_t hash = gemp_mix(origin + GEMP_RANDOM_STEP);
	for (size_t c = 0; c < width; c++)
		hash = gemp_mix(hash + GEMP_RANDOM_STEP) ^ gemp_datum_hash(row[c]);
	return hash;
}

static bool rows_equal(const gemp_cypher_row_set *set, size_t index, const gemp_datum *row, size_t origin)
{
	const gemp_datum *other = gemp_cypher_table_row(&set->rows, index);
	if (gemp_cypher_table_origin(&set->rows, index) != origin)
		return false;
	for (size_t c = 0; c < set->rows.width; c++)
		if (!gemp_datum_equivalent(row[c], other[c]))
			return false;
	return true;
}

/* Tags alone decide the places in the larger table, so growing reads no values. */
static gemp_code grow(gemp_cypher_row_set *set)
{
	const size_t slot_count = gemp_slot_capacity(set->slot_count, set->rows.rows + 1);
	uint64_t *slots;
	if (slot_count == set->slot_count)
		return GEMP_OK;
	if (set->rows.rows >= UINT32_MAX - 1)
		return gemp_fail(GEMP_ENOMEM, "more than 2^32 distinct rows; add conditions, or group by fewer values");
	GEMP_TRY(GEMP_NEW(slots, slot_count));
	for (size_t i = 0; i < set->slot_count; i++)
		if (set->slots[i])
			gemp_slot_occupy(slots, slot_count, (uint32_t)(set->slots[i] >> 32), gemp_slot_index(set->slots[i]));
	gemp_free(set->slots);
	set->slots = slots;
	set->slot_count = slot_count;
	return GEMP_OK;
}

static gemp_code store_row(gemp_cypher_row_set *set, const gemp_datum *row, size_t origin)
{
	gemp_datum *cells;
	GEMP_TRY(gemp_cypher_table_add(&set->rows, &cells));
	if (set->rows.with_origin)
		set->rows.origin[set->rows.rows - 1] = origin;
	for (size_t c = 0; c < set->rows.width; c++)
		if (set->copies)
			GEMP_TRY(gemp_datum_copy(&cells[c], &set->rows.arena, row[c]));
		else
			cells[c] = row[c];
	return GEMP_OK;
}

static bool find(const gemp_cypher_row_set *set, const gemp_datum *row, size_t origin, uint32_t tag, size_t *index)
{
	size_t at;
	GEMP_FOR_SLOTS (at, set->slots, set->slot_count, tag) {
		*index = gemp_slot_index(set->slots[at]);
		if (rows_equal(set, *index, row, origin))
			return true;
	}
	return false;
}

bool gemp_cypher_row_set_find(const gemp_cypher_row_set *set, const gemp_datum *row, size_t origin, size_t *index)
{
	const size_t own = set->rows.with_origin ? origin : 0;
	return find(set, row, own, gemp_slot_tag(hash_row(row, set->rows.width, own)), index);
}

gemp_code gemp_cypher_row_set_add(gemp_cypher_row_set *set, const gemp_datum *row, size_t origin, size_t *index,
                                  bool *added)
{
	if (!set->rows.with_origin)
		origin = 0;
	const uint32_t tag = gemp_slot_tag(hash_row(row, set->rows.width, origin));
	*added = false;
	GEMP_TRY(grow(set));
	if (find(set, row, origin, tag, index))
		return GEMP_OK;
	*index = set->rows.rows;
	GEMP_TRY(store_row(set, row, origin));
	gemp_slot_occupy(set->slots, set->slot_count, tag, *index);
	*added = true;
	return GEMP_OK;
}
