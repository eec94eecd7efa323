/* Making and copying of values. An array of parts is one piece of an arena. Maps are sorted by the bytes of their
 * keys, so that a key is found by binary search and two maps are compared side by side. */

#include "cypher/value/datum.h"

#include "core/search.h"

#include <stdlib.h>

const char *const gemp_datum_kind_name[GEMP_DATUM_KINDS] = {
	[GEMP_DATUM_NULL] = "Null",
	[GEMP_DATUM_BOOLEAN] = "Boolean",
	[GEMP_DATUM_INTEGER] = "Integer",
	[GEMP_DATUM_FLOAT] = "Float",
	[GEMP_DATUM_STRING] = "String",
	[GEMP_DATUM_LIST] = "List",
	[GEMP_DATUM_MAP] = "Map",
	[GEMP_DATUM_NODE] = "Node",
	[GEMP_DATUM_RELATIONSHIP] = "Relationship",
	[GEMP_DATUM_PATH] = "Path",
	[GEMP_DATUM_DATE] = "Date",
	[GEMP_DATUM_LOCAL_TIME] = "LocalTime",
	[GEMP_DATUM_TIME] = "Time",
	[GEMP_DATUM_LOCAL_DATETIME] = "LocalDateTime",
	[GEMP_DATUM_DATETIME] = "DateTime",
	[GEMP_DATUM_DURATION] = "Duration",
};

static gemp_code check_size(size_t count, const char *parts)
{
	if (count < UINT32_MAX)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE, "a value of the query would have %zu %s; the limit is 2^32 - 2", count, parts);
}

/* The level above parts of `depth` levels. */
static gemp_code next_depth(unsigned depth, uint16_t *out)
{
	if (depth >= GEMP_DATUM_MAX_DEPTH)
		return gemp_fail(GEMP_EUSAGE, "lists and maps of the query are nested more than %d levels deep; nest fewer",
		                 GEMP_DATUM_MAX_DEPTH);
	*out = (uint16_t)(depth + 1);
	return GEMP_OK;
}

gemp_code gemp_datum_string(gemp_datum *out, gemp_arena *arena, const char *bytes, size_t size)
{
	GEMP_TRY(check_size(size, "bytes"));
	const char *text = gemp_arena_copy(arena, bytes, size);
	if (!text)
		return GEMP_ENOMEM;
	*out = (gemp_datum){ .kind = GEMP_DATUM_STRING, .size = (uint32_t)size, .text = text };
	return GEMP_OK;
}

gemp_code gemp_datum_list_of(gemp_datum *out, const gemp_datum *items, size_t count)
{
	unsigned depth = 0;
	GEMP_TRY(check_size(count, "elements"));
	for (size_t i = 0; i < count; i++)
		depth = items[i].depth > depth ? items[i].depth : depth;
	gemp_datum list = { .kind = GEMP_DATUM_LIST, .size = (uint32_t)count, .items = items };
	GEMP_TRY(next_depth(depth, &list.depth));
	*out = list;
	return GEMP_OK;
}

static gemp_code copy_items(gemp_datum **out, gemp_arena *arena, const gemp_datum *items, size_t count)
{
	GEMP_TRY(check_size(count, "elements"));
	GEMP_TRY(GEMP_ARENA_NEW(arena, *out, count));
	if (count)
		memcpy(*out, items, count * sizeof *items);
	return GEMP_OK;
}

gemp_code gemp_datum_list(gemp_datum *out, gemp_arena *arena, const gemp_datum *items, size_t count)
{
	gemp_datum *copy;
	GEMP_TRY(copy_items(&copy, arena, items, count));
	return gemp_datum_list_of(out, copy, count);
}

gemp_code gemp_datum_path(gemp_datum *out, gemp_arena *arena, const gemp_datum *items, size_t count)
{
	gemp_datum *copy;
	GEMP_TRY(copy_items(&copy, arena, items, count));
	*out = (gemp_datum){ .kind = GEMP_DATUM_PATH, .size = (uint32_t)count, .items = copy };
	return GEMP_OK;
}

/* Pointers to equal keys stay in the order of the array, so the last of them is the last entry with that key. */
static int compare_entries(const void *a, const void *b)
{
	const gemp_datum_entry *left = *(const gemp_datum_entry *const *)a, *right = *(const gemp_datum_entry *const *)b;
	int order = strcmp(left->key, right->key);
	return order ? order : (left > right) - (left < right);
}

gemp_code gemp_datum_map(gemp_datum *out, gemp_arena *arena, const gemp_datum_entry *entries, size_t count)
{
	GEMP_OWNED const gemp_datum_entry **order = NULL;
	gemp_datum_entry *sorted;
	size_t size = 0;
	unsigned depth = 0;
	GEMP_TRY(check_size(count, "entries"));
	GEMP_TRY(GEMP_NEW(order, count));
	GEMP_TRY(GEMP_ARENA_NEW(arena, sorted, count));
	for (size_t i = 0; i < count; i++)
		order[i] = &entries[i];
	qsort(order, count, sizeof *order, compare_entries);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && strcmp(order[i]->key, order[i + 1]->key) == 0)
			continue;
		sorted[size] = (gemp_datum_entry){ gemp_arena_copy(arena, order[i]->key, strlen(order[i]->key)),
			                               order[i]->value };
		if (!sorted[size].key)
			return GEMP_ENOMEM;
		depth = sorted[size].value.depth > depth ? sorted[size].value.depth : depth;
		size++;
	}
	gemp_datum map = { .kind = GEMP_DATUM_MAP, .size = (uint32_t)size, .entries = sorted };
	GEMP_TRY(next_depth(depth, &map.depth));
	*out = map;
	return GEMP_OK;
}

static gemp_code copy_map(gemp_datum *out, gemp_arena *arena, gemp_datum value)
{
	gemp_datum_entry *entries;
	GEMP_TRY(GEMP_ARENA_NEW(arena, entries, value.size));
	for (size_t i = 0; i < value.size; i++) {
		entries[i].key = gemp_arena_copy(arena, value.entries[i].key, strlen(value.entries[i].key));
		if (!entries[i].key)
			return GEMP_ENOMEM;
		GEMP_TRY(gemp_datum_copy(&entries[i].value, arena, value.entries[i].value));
	}
	out->entries = entries;
	return GEMP_OK;
}

static gemp_code copy_moment(gemp_datum *out, gemp_arena *arena, gemp_datum value)
{
	gemp_moment *moment;
	GEMP_TRY(GEMP_ARENA_NEW(arena, moment, 1));
	*moment = *value.moment;
	out->moment = moment;
	if (moment->zone)
		moment->zone = gemp_arena_copy(arena, value.moment->zone, strlen(value.moment->zone));
	return !value.moment->zone || moment->zone ? GEMP_OK : GEMP_ENOMEM;
}

static gemp_code copy_duration(gemp_datum *out, gemp_arena *arena, gemp_datum value)
{
	gemp_duration *duration;
	GEMP_TRY(GEMP_ARENA_NEW(arena, duration, 1));
	*duration = *value.duration;
	out->duration = duration;
	return GEMP_OK;
}

/* Recurses GEMP_DATUM_MAX_DEPTH levels at most. */
gemp_code gemp_datum_copy(gemp_datum *out, gemp_arena *arena, gemp_datum value)
{
	gemp_datum *items = NULL;
	*out = value;
	switch (value.kind) {
	case GEMP_DATUM_STRING: return gemp_datum_string(out, arena, value.text, value.size);
	case GEMP_DATUM_PATH: return gemp_datum_path(out, arena, value.items, value.size);
	case GEMP_DATUM_LIST:
		GEMP_TRY(GEMP_ARENA_NEW(arena, items, value.size));
		for (size_t i = 0; i < value.size; i++)
			GEMP_TRY(gemp_datum_copy(&items[i], arena, value.items[i]));
		out->items = items;
		return GEMP_OK;
	case GEMP_DATUM_MAP: return copy_map(out, arena, value);
	case GEMP_DATUM_TIME:
	case GEMP_DATUM_LOCAL_DATETIME:
	case GEMP_DATUM_DATETIME: return copy_moment(out, arena, value);
	case GEMP_DATUM_DURATION: return copy_duration(out, arena, value);
	default: return GEMP_OK;
	}
}

gemp_code gemp_datum_of_value(gemp_datum *out, gemp_arena *arena, const gemp_value *value)
{
	*out = gemp_datum_null();
	if (value->null)
		return GEMP_OK;
	switch (value->type) {
	case GEMP_INTEGER: *out = gemp_datum_integer(value->integer); break;
	case GEMP_FLOAT: *out = gemp_datum_float(value->real); break;
	case GEMP_BOOLEAN: *out = gemp_datum_boolean(value->truth); break;
	case GEMP_STRING: return gemp_datum_string(out, arena, value->string.bytes, value->string.size);
	case GEMP_LIST: return gemp_datum_of_json(out, arena, value->string.bytes, value->string.size);
	}
	return GEMP_OK;
}

const gemp_datum *gemp_datum_find(gemp_datum map, const char *key)
{
	size_t at = 0;
	GEMP_PARTITION_POINT(at, 0, map.size, strcmp(map.entries[at].key, key) < 0);
	return at < map.size && strcmp(map.entries[at].key, key) == 0 ? &map.entries[at].value : NULL;
}

/* The depth of values is bounded, so recursion is safe. */
gemp_code gemp_datum_visit_elements(const gemp_datum *value, gemp_datum_visitor *visit, void *self)
{
	switch (value->kind) {
	case GEMP_DATUM_NODE:
	case GEMP_DATUM_RELATIONSHIP: return visit(self, value);
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_PATH:
		for (uint32_t i = 0; i < value->size; i++)
			GEMP_TRY(gemp_datum_visit_elements(&value->items[i], visit, self));
		return GEMP_OK;
	case GEMP_DATUM_MAP:
		for (uint32_t i = 0; i < value->size; i++)
			GEMP_TRY(gemp_datum_visit_elements(&value->entries[i].value, visit, self));
		return GEMP_OK;
	default: return GEMP_OK;
	}
}
