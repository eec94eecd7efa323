/* Values are parsed by jansson and printed here, since jansson prints floats with 17 digits and members in the order of
 * the input. */

#include "graph/json_text.h"

#include "core/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const tag_name[GEMP_JSON_TAGS] = {
	[GEMP_JSON_DATE] = "$date",         [GEMP_JSON_LOCAL_TIME] = "$localtime",
	[GEMP_JSON_TIME] = "$time",         [GEMP_JSON_LOCAL_DATETIME] = "$localdatetime",
	[GEMP_JSON_DATETIME] = "$datetime", [GEMP_JSON_DURATION] = "$duration",
};

/* Sets *member to the only member of the object if its name is a tag. */
static gemp_json_tag find_tag(const json_t *value, const json_t **member)
{
	if (!json_is_object(value) || json_object_size(value) != 1)
		return GEMP_JSON_NO_TAG;
	for (int tag = GEMP_JSON_NO_TAG + 1; tag < GEMP_JSON_TAGS; tag++) {
		*member = json_object_get(value, tag_name[tag]);
		if (*member)
			return (gemp_json_tag)tag;
	}
	return GEMP_JSON_NO_TAG;
}

gemp_json_tag gemp_json_tag_of(const json_t *value, const char **text)
{
	const json_t *member = NULL;
	gemp_json_tag tag = find_tag(value, &member);
	*text = tag ? json_string_value(member) : NULL;
	return *text ? tag : GEMP_JSON_NO_TAG;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gemp_code add_value(gemp_text *out, const json_t *value, size_t depth);

static gemp_code add_array(gemp_text *out, const json_t *array, size_t depth)
{
	gemp_text_add(out, "[", 1);
	for (size_t i = 0; i < json_array_size(array); i++) {
		gemp_text_add(out, ",", i ? 1 : 0);
		GEMP_TRY(add_value(out, json_array_get(array, i), depth + 1));
	}
	gemp_text_add(out, "]", 1);
	return GEMP_OK;
}

static gemp_code add_members(gemp_text *out, const json_t *object, const char *const *names, size_t count, size_t depth)
{
	gemp_text_add(out, "{", 1);
	for (size_t i = 0; i < count; i++) {
		gemp_text_add(out, ",", i ? 1 : 0);
		gemp_json_string(out, names[i], strlen(names[i]));
		gemp_text_add(out, ":", 1);
		GEMP_TRY(add_value(out, json_object_get(object, names[i]), depth + 1));
	}
	gemp_text_add(out, "}", 1);
	return GEMP_OK;
}

static gemp_code add_object(gemp_text *out, const json_t *object, size_t depth)
{
	GEMP_OWNED const char **names = NULL;
	size_t count = 0;
	const char *name;
	json_t *member;
	const json_t *tagged = NULL;
	const gemp_json_tag tag = find_tag(object, &tagged);
	if (tag && !json_string_length(tagged))
		return gemp_fail(GEMP_EDATA,
		                 "\"%s\" is %s; it must be the text of a temporal value, such as {\"$date\":\"1984-10-11\"}",
		                 tag_name[tag], json_is_string(tagged) ? "an empty string" : gemp_json_kind(tagged));
	GEMP_TRY(GEMP_NEW(names, json_object_size(object)));
	json_object_foreach ((json_t *)(uintptr_t)object, name, member)
		names[count++] = name;
	if (count > 1)
		qsort(names, count, sizeof *names, compare_names);
	return add_members(out, object, names, count, depth);
}

/* Recurses GEMP_JSON_MAX_DEPTH levels at most. */
static gemp_code add_value(gemp_text *out, const json_t *value, size_t depth)
{
	if ((json_is_array(value) || json_is_object(value)) && depth == GEMP_JSON_MAX_DEPTH)
		return gemp_fail(GEMP_EDATA, "lists and objects are nested in more than %d levels; flatten the value",
		                 GEMP_JSON_MAX_DEPTH);
	switch (json_typeof(value)) {
	case JSON_OBJECT: return add_object(out, value, depth);
	case JSON_ARRAY: return add_array(out, value, depth);
	case JSON_STRING: gemp_json_string(out, json_string_value(value), json_string_length(value)); break;
	case JSON_INTEGER:
		gemp_value_print(&(gemp_value){ .type = GEMP_INTEGER, .integer = json_integer_value(value) }, out);
		break;
	case JSON_REAL: gemp_value_print(&(gemp_value){ .type = GEMP_FLOAT, .real = json_real_value(value) }, out); break;
	case JSON_TRUE: gemp_text_add(out, "true", 4); break;
	case JSON_FALSE: gemp_text_add(out, "false", 5); break;
	case JSON_NULL: gemp_text_add(out, "null", 4); break;
	}
	return GEMP_OK;
}

gemp_code gemp_json_text_add(gemp_text *out, const json_t *value)
{
	GEMP_TRY(add_value(out, value, 0));
	return gemp_text_status(out);
}

gemp_code gemp_json_text_read(gemp_text *out, const char *bytes, size_t size)
{
	json_error_t error;
	json_t *value = json_loadb(bytes, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	if (!value && json_error_code(&error) == json_error_out_of_memory)
		return gemp_fail(GEMP_ENOMEM, "no memory for a JSON value of %zu bytes", size);
	if (!value)
		return gemp_fail(GEMP_EDATA, "character %d of the value: %s; write one JSON value, such as [1,2] or \"text\"",
		                 error.position, error.text);
	gemp_code code = json_is_null(value) ? GEMP_OK : gemp_json_text_add(out, value);
	json_decref(value);
	return code;
}

gemp_code gemp_json_text_tagged(gemp_text *out, gemp_json_tag tag, const char *bytes, size_t size)
{
	if (size == 0)
		return gemp_fail(GEMP_EDATA, "an empty string is no %s", tag_name[tag] + 1);
	gemp_text_print(out, "{\"%s\":", tag_name[tag]);
	gemp_json_string(out, bytes, size);
	gemp_text_add(out, "}", 1);
	return gemp_text_status(out);
}

bool gemp_json_type_named(gemp_type *type, gemp_json_tag *tag, const char *name, size_t size)
{
	*type = GEMP_LIST;
	*tag = GEMP_JSON_NO_TAG;
	if (size == 4 && strncasecmp(name, "json", 4) == 0)
		return true;
	for (int i = GEMP_JSON_NO_TAG + 1; i < GEMP_JSON_TAGS; i++)
		if (strlen(tag_name[i]) == size + 1 && strncasecmp(tag_name[i] + 1, name, size) == 0)
			*tag = (gemp_json_tag)i;
	return *tag != GEMP_JSON_NO_TAG;
}
