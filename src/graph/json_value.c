#include "graph/json_value.h"

#include <jansson.h>
#include <math.h>

static int add_bytes(const char *bytes, size_t size, void *out)
{
	gemp_text_add(out, bytes, size);
	return 0;
}

/* Printable ASCII without quotes and backslashes needs no escapes; most strings are such, and skip jansson. */
static bool is_plain(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] < ' ' || (unsigned char)bytes[i] > '~' || bytes[i] == '"' || bytes[i] == '\\')
			return false;
	return true;
}

void gemp_json_string(gemp_text *out, const char *bytes, size_t size)
{
	if (is_plain(bytes, size)) {
		gemp_text_add(out, "\"", 1);
		gemp_text_add(out, bytes, size);
		gemp_text_add(out, "\"", 1);
		return;
	}
	json_t *string = json_stringn(bytes, size);
	if (!string)
		string = json_string("\xef\xbf\xbd");
	if (!string || json_dump_callback(string, add_bytes, out, JSON_ENCODE_ANY) != 0)
		out->failed = true;
	json_decref(string);
}

void gemp_json_value(gemp_text *out, const gemp_value *value)
{
	if (value->null || (value->type == GEMP_FLOAT && !isfinite(value->real)))
		gemp_text_add(out, "null", 4);
	else if (value->type == GEMP_STRING)
		gemp_json_string(out, value->string.bytes, value->string.size);
	else
		gemp_value_print(value, out);
}

void gemp_json_edge(gemp_text *out, const gemp_value *type, const gemp_value *source, const gemp_value *target)
{
	gemp_text_print(out, "{\"type\": ");
	gemp_json_value(out, type);
	gemp_text_print(out, ", \"source\": ");
	gemp_json_value(out, source);
	gemp_text_print(out, ", \"target\": ");
	gemp_json_value(out, target);
	gemp_text_add(out, "}", 1);
}

const char *gemp_json_kind(const json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "an integer", [JSON_REAL] = "a float",   [JSON_TRUE] = "a boolean",
		[JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
	};
	return value ? kinds[json_typeof(value)] : "missing";
}
