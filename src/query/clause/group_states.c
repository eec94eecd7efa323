#include "query/clause/group_states.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_group_states_init(gemp_group_states *table, const gemp_group_form *form)
{
	*table = (gemp_group_states){ .keys = { .words = form->words } };
	return GEMP_COPY(table->aggregates, form->aggregates, form->aggregate_count);
}

void gemp_group_states_clear(gemp_group_states *table, const gemp_group_form *form)
{
	gemp_code_table_free(&table->keys);
	for (size_t i = 0; table->aggregates && i < form->aggregate_count; i++)
		gemp_aggregate_free(&table->aggregates[i]);
}

void gemp_group_states_free(gemp_group_states *table, const gemp_group_form *form)
{
	gemp_group_states_clear(table, form);
	gemp_free(table->aggregates);
	*table = (gemp_group_states){ 0 };
}

size_t gemp_group_states_memory(const gemp_group_states *table, const gemp_group_form *form)
{
	size_t bytes = gemp_code_table_memory(&table->keys);
	for (size_t i = 0; i < form->aggregate_count; i++)
		bytes += gemp_aggregate_memory(&table->aggregates[i]);
	return bytes;
}

/* ADDING */

gemp_code gemp_group_states_add(gemp_group_states *table, const gemp_group_form *form, const gemp_coded_rows *block,
                                const uint32_t *rows, size_t begin, size_t count)
{
	uint32_t numbers[GEMP_BAG_BLOCK];
	for (size_t at = 0; at < count; at += GEMP_BAG_BLOCK) {
		gemp_grouped_rows r = { .frame = block->frame, .groups = numbers };
		r.count = gemp_min(count - at, (size_t)GEMP_BAG_BLOCK);
		GEMP_TRY(gemp_code_table_add(&table->keys, block->keys + (rows ? 0 : (begin + at) * form->words),
		                             rows ? rows + at : NULL, r.count, numbers));
		r.group_count = table->keys.count;
		r.first = block->first + (rows ? 0 : begin + at);
		r.rows = rows ? rows + at : NULL;
		for (size_t i = 0; i < form->aggregate_count; i++) {
			const int argument = form->arguments[i];
			GEMP_TRY(gemp_aggregate_add(&table->aggregates[i], &r,
			                            argument < 0 ? NULL : &block->frame->columns[argument], block->codes[i],
			                            block->first));
		}
	}
	return GEMP_OK;
}

gemp_code gemp_group_states_merge(gemp_group_states *table, const gemp_group_form *form, const gemp_group_states *from,
                                  const uint32_t *source, size_t count)
{
	uint32_t target[GEMP_BAG_BLOCK];
	for (size_t at = 0; at < count; at += GEMP_BAG_BLOCK) {
		const size_t block = gemp_min(count - at, (size_t)GEMP_BAG_BLOCK);
		GEMP_TRY(gemp_code_table_add(&table->keys, from->keys.keys, source + at, block, target));
		for (size_t i = 0; i < form->aggregate_count; i++)
			GEMP_TRY(gemp_aggregate_merge(&table->aggregates[i], &from->aggregates[i], target, source + at, block,
			                              table->keys.count));
	}
	return GEMP_OK;
}

/* KEYS */

uint64_t gemp_group_hash(const gemp_group_form *form, const uint64_t *key)
{
	uint64_t hash = 0;
	for (size_t k = 0; k < form->key_count; k++)
		hash = gemp_mix((hash ^ gemp_codes_digest(form->codes, &form->keys[k], gemp_group_states_code(key, k))) +
		                GEMP_RANDOM_STEP);
	return hash;
}

/* BYTES */

void gemp_group_states_pack_key(const gemp_group_form *form, const uint64_t *key, gemp_text *out)
{
	for (size_t k = 0; k < form->key_count; k++)
		gemp_codes_pack(form->codes, &form->keys[k], gemp_group_states_code(key, k), out);
}

gemp_code gemp_group_states_pack(const gemp_group_states *table, const gemp_group_form *form, size_t group,
                                 gemp_text *out)
{
	gemp_group_states_pack_key(form, gemp_code_table_key(&table->keys, group), out);
	for (size_t i = 0; i < form->aggregate_count; i++)
		GEMP_TRY(gemp_aggregate_pack(&table->aggregates[i], form->codes, group, out));
	return gemp_text_status(out);
}

gemp_code gemp_group_states_unpack_key(const gemp_group_form *form, const char **at, uint64_t *key)
{
	memset(key, 0, form->words * sizeof *key);
	for (size_t k = 0; k < form->key_count; k++) {
		uint32_t code;
		GEMP_TRY(gemp_codes_unpack(form->codes, &form->keys[k], at, &code));
		key[k / 2] |= (uint64_t)code << (k % 2 ? 32 : 0);
	}
	return GEMP_OK;
}

gemp_code gemp_group_states_unpack(gemp_group_states *table, const gemp_group_form *form, const uint64_t *key,
                                   const char **at)
{
	uint32_t group;
	GEMP_TRY(gemp_code_table_add(&table->keys, key, NULL, 1, &group));
	for (size_t i = 0; i < form->aggregate_count; i++)
		GEMP_TRY(gemp_aggregate_unpack(&table->aggregates[i], form->codes, group, table->keys.count, at));
	return GEMP_OK;
}
