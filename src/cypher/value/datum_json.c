/* Values from JSON: parameters, and columns of JSON. A tagged object is a temporal value (graph/json_text.h). */

#include "core/memory.h"
#include "cypher/temporal/duration.h"
#include "cypher/temporal/parse.h"
#include "cypher/temporal/parts.h"
#include "graph/json_text.h"

#include <jansson.h>

static gemp_code of_json(gemp_datum *out, gemp_arena *arena, const json_t *json);

/* A temporal value. The text is not in the arena. */
static gemp_code of_tagged(gemp_datum *out, gemp_arena *arena, gemp_json_tag tag, const char *text)
{
	static const gemp_datum_kind kinds[] = {
		[GEMP_JSON_DATE] = GEMP_DATUM_DATE,         [GEMP_JSON_LOCAL_TIME] = GEMP_DATUM_LOCAL_TIME,
		[GEMP_JSON_TIME] = GEMP_DATUM_TIME,         [GEMP_JSON_LOCAL_DATETIME] = GEMP_DATUM_LOCAL_DATETIME,
		[GEMP_JSON_DATETIME] = GEMP_DATUM_DATETIME, [GEMP_JSON_DURATION] = GEMP_DATUM_DURATION,
	};
	gemp_temporal_parts parts;
	gemp_duration duration;
	if (tag == GEMP_JSON_DURATION) {
		GEMP_TRY(gemp_duration_parse(text, &duration));
		return gemp_temporal_duration(arena, duration, out);
	}
	GEMP_TRY(gemp_temporal_parse(arena, kinds[tag], text, &parts));
	return gemp_temporal_join(arena, kinds[tag], &parts, out);
}

static gemp_code of_json_object(gemp_datum *out, gemp_arena *arena, const json_t *json)
{
	GEMP_OWNED gemp_datum_entry *entries = NULL;
	size_t count = 0;
	const char *text;
	const gemp_json_tag tag = gemp_json_tag_of(json, &text);
	if (tag)
		return of_tagged(out, arena, tag, text);
	GEMP_TRY(GEMP_NEW(entries, json_object_size(json)));
	const char *key;
	json_t *member;
	json_object_foreach ((json_t *)json, key, member) {
		entries[count].key = key;
		GEMP_TRY(of_json(&entries[count++].value, arena, member));
	}
	return gemp_datum_map(out, arena, entries, count);
}

/* jansson reads at most 2,048 levels. */
static gemp_code of_json(gemp_datum *out, gemp_arena *arena, const json_t *json)
{
	gemp_datum *items = NULL;
	switch (json_typeof(json)) {
	case JSON_OBJECT: return of_json_object(out, arena, json);
	case JSON_ARRAY:
		GEMP_TRY(GEMP_ARENA_NEW(arena, items, json_array_size(json)));
		for (size_t i = 0; i < json_array_size(json); i++)
			GEMP_TRY(of_json(&items[i], arena, json_array_get(json, i)));
		return gemp_datum_list_of(out, items, json_array_size(json));
	case JSON_STRING: return gemp_datum_string(out, arena, json_string_value(json), json_string_length(json));
	case JSON_INTEGER: *out = gemp_datum_integer(json_integer_value(json)); break;
	case JSON_REAL: *out = gemp_datum_float(json_real_value(json)); break;
	case JSON_TRUE: *out = gemp_datum_boolean(true); break;
	case JSON_FALSE: *out = gemp_datum_boolean(false); break;
	case JSON_NULL: *out = gemp_datum_null(); break;
	}
	return GEMP_OK;
}

gemp_code gemp_datum_of_json(gemp_datum *out, gemp_arena *arena, const char *bytes, size_t size)
{
	json_error_t error;
	json_t *json = json_loadb(bytes, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	if (!json)
		return gemp_fail(GEMP_EUSAGE, "'%.*s': expected JSON; %s", (int)gemp_min(size, 60), bytes, error.text);
	gemp_code code = of_json(out, arena, json);
	json_decref(json);
	return code;
}
