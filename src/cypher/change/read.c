/* Elements with their changes, as the evaluator reads them. */

#include "cypher/change/change.h"
#include "cypher/search/search.h"

#include <stdio.h>
#include <string.h>

static const gemp_cypher_graph *stored(const gemp_cypher_change *change)
{
	return gemp_cypher_search_stored(change->search);
}

static gemp_datum node_of(uint64_t id)
{
	return (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = id };
}

static gemp_datum relationship_of(uint64_t id)
{
	return (gemp_datum){ .kind = GEMP_DATUM_RELATIONSHIP, .id = id };
}

/* *record becomes NULL if the element is unchanged. */
static gemp_code find(gemp_cypher_change *change, gemp_datum element, const gemp_cypher_record **record)
{
	*record = gemp_cypher_is_ghost(element.id) ? NULL : gemp_cypher_change_find(change, element);
	if (gemp_cypher_is_ghost(element.id) || (*record && (*record)->deleted))
		return gemp_cypher_change_fail_deleted(element);
	return GEMP_OK;
}

static gemp_code labels(void *self, uint64_t node, gemp_arena *arena, gemp_datum *list)
{
	gemp_cypher_change *change = self;
	const gemp_cypher_record *record;
	GEMP_TRY(find(change, node_of(node), &record));
	if (record && record->name)
		return gemp_cypher_change_set_list(change, record->name - 1, list);
	return stored(change)->labels(stored(change)->self, node, arena, list);
}

static gemp_code property(void *self, gemp_datum element, const char *name, gemp_arena *arena, gemp_datum *out)
{
	gemp_cypher_change *change = self;
	const gemp_cypher_record *record;
	uint32_t number;
	GEMP_TRY(find(change, element, &record));
	*out = gemp_datum_null();
	if (record && record->setting) {
		GEMP_TRY(gemp_cypher_change_name(change, name, &number));
		for (uint32_t at = record->setting; at; at = change->settings[at - 1].next)
			if (change->settings[at - 1].name == number) {
				*out = change->settings[at - 1].value;
				return GEMP_OK;
			}
	}
	if (gemp_cypher_is_created(element.id))
		return GEMP_OK;
	return stored(change)->property(stored(change)->self, element, name, arena, out);
}

static gemp_code add_entry(gemp_datum_entry **entries, size_t *count, const char *key, gemp_datum value)
{
	const gemp_datum_entry entry = { key, value };
	return GEMP_APPEND(*entries, *count, &entry);
}

static bool is_set(const gemp_cypher_change *change, const gemp_cypher_record *record, const char *key)
{
	for (uint32_t at = record->setting; at; at = change->settings[at - 1].next) {
		const gemp_string name = gemp_bytes_at(&change->names.list, change->settings[at - 1].name);
		if (strlen(key) == name.size && memcmp(key, name.bytes, name.size) == 0)
			return true;
	}
	return false;
}

static gemp_code properties(void *self, gemp_datum element, gemp_arena *arena, gemp_datum *map)
{
	gemp_cypher_change *change = self;
	const gemp_cypher_record *record;
	GEMP_OWNED gemp_datum_entry *entries = NULL;
	size_t count = 0;
	gemp_datum old = { 0 };
	GEMP_TRY(find(change, element, &record));
	if (!gemp_cypher_is_created(element.id))
		GEMP_TRY(stored(change)->properties(stored(change)->self, element, arena, &old));
	if (!record) {
		*map = old;
		return GEMP_OK;
	}
	for (uint32_t i = 0; i < old.size; i++)
		if (!is_set(change, record, old.entries[i].key))
			GEMP_TRY(add_entry(&entries, &count, old.entries[i].key, old.entries[i].value));
	for (uint32_t at = record->setting; at; at = change->settings[at - 1].next) {
		const gemp_cypher_setting *setting = &change->settings[at - 1];
		const gemp_string name = gemp_bytes_at(&change->names.list, setting->name);
		const char *key = gemp_arena_copy(arena, name.bytes, name.size);
		if (!key)
			return GEMP_ENOMEM;
		if (!gemp_datum_is_null(setting->value))
			GEMP_TRY(add_entry(&entries, &count, key, setting->value));
	}
	return gemp_datum_map(map, arena, entries, count);
}

/* The type is copied, since the names of the graph end with the next patch. A deleted relationship still has a type. */
static gemp_code type(void *self, uint64_t relationship, gemp_arena *arena, gemp_datum *string)
{
	gemp_cypher_change *change = self;
	gemp_datum name;
	if (gemp_cypher_is_ghost(relationship)) {
		*string = change->ghosts[relationship ^ GEMP_CY_GHOST].name;
		return GEMP_OK;
	}
	if (gemp_cypher_is_created(relationship)) {
		const gemp_cypher_record *record = gemp_cypher_change_find(change, relationship_of(relationship));
		const gemp_string text = gemp_bytes_at(&change->names.list, record->name);
		return gemp_datum_string(string, arena, text.bytes, text.size);
	}
	GEMP_TRY(stored(change)->type(stored(change)->self, relationship, arena, &name));
	return gemp_datum_string(string, arena, name.text, name.size);
}

static gemp_code ends(void *self, uint64_t relationship, uint64_t *from, uint64_t *to)
{
	gemp_cypher_change *change = self;
	if (gemp_cypher_is_ghost(relationship)) {
		*from = change->ghosts[relationship ^ GEMP_CY_GHOST].from;
		*to = change->ghosts[relationship ^ GEMP_CY_GHOST].to;
		return GEMP_OK;
	}
	if (gemp_cypher_is_created(relationship)) {
		const gemp_cypher_record *record = gemp_cypher_change_find(change, relationship_of(relationship));
		*from = record->from;
		*to = record->to;
		return GEMP_OK;
	}
	return stored(change)->ends(stored(change)->self, relationship, from, to);
}

/* A created node gets its key from the patch. Its number gives it the same place in the order of keys before. */
static gemp_code key(void *self, uint64_t node, gemp_arena *arena, gemp_datum *out)
{
	gemp_cypher_change *change = self;
	char text[32];
	if (gemp_cypher_is_ghost(node)) {
		*out = change->ghosts[node ^ GEMP_CY_GHOST].name;
		return GEMP_OK;
	}
	if (!gemp_cypher_is_created(node))
		return stored(change)->key(stored(change)->self, node, arena, out);
	const int64_t number = change->first_key + (int64_t)(node ^ GEMP_CY_CREATED);
	*out = gemp_datum_integer(number);
	if (!change->string_keys)
		return GEMP_OK;
	const int size = snprintf(text, sizeof text, "#%lld", (long long)number);
	return gemp_datum_string(out, arena, text, (size_t)size);
}

void gemp_cypher_change_read_init(gemp_cypher_change *change)
{
	change->graph = (gemp_cypher_graph){ .self = change,
		                                 .labels = labels,
		                                 .property = property,
		                                 .properties = properties,
		                                 .type = type,
		                                 .ends = ends,
		                                 .key = key };
}
