/* Jansson parses one line at a time; the record borrows all values from the tree that it keeps. */

#include "io/import/json_record.h"

#include <string.h>

/* For messages: what stands where something else is needed. */
const char *gemp_json_kind(const json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "an integer", [JSON_REAL] = "a float",   [JSON_TRUE] = "a boolean",
		[JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
	};
	return value ? kinds[json_typeof(value)] : "missing";
}

void gemp_json_record_free(gemp_json_record *record)
{
	json_decref(record->root);
	gemp_text_free(&record->names);
	*record = (gemp_json_record){ 0 };
}

/* Members that gave key, labels or ends are left out. */
bool gemp_json_record_is_attribute(const gemp_json_record *record, const char *name)
{
	for (size_t i = 0; i < sizeof record->skip / sizeof *record->skip; i++)
		if (record->skip[i] && strcmp(record->skip[i], name) == 0)
			return false;
	return true;
}

/* Ids of JSON are numbers or strings; true and null name no vertex. */
static gemp_code read_key(gemp_value *out, const json_t *value, const char *where)
{
	if (json_is_integer(value))
		*out = (gemp_value){ .type = GEMP_INTEGER, .integer = json_integer_value(value) };
	else if (json_is_string(value) && json_string_length(value) > 0)
		*out = (gemp_value){ .type = GEMP_STRING, .string = { json_string_value(value), json_string_length(value) } };
	else
		return gemp_fail(GEMP_EDATA, "%s is %s; ids are integers or strings that are not empty", where,
		                 json_is_string(value) ? "an empty string" : gemp_json_kind(value));
	return GEMP_OK;
}

/* A label or a type, which the builder would cut at a semicolon. */
static gemp_code add_name(gemp_text *out, const json_t *value, const char *where)
{
	if (!json_is_string(value))
		return gemp_fail(GEMP_EDATA, "'%s' holds %s; names of labels and types are strings", where,
		                 gemp_json_kind(value));
	const char *name = json_string_value(value);
	if (out->size > 0)
		gemp_text_add(out, ";", 1);
	gemp_text_add(out, name, json_string_length(value));
	return gemp_text_status(out);
}

/* A list of labels, one label, or nothing. */
static gemp_code add_labels(gemp_text *out, json_t *value, const char *where)
{
	gemp_code code = GEMP_OK;
	if (!json_is_array(value))
		return value && !json_is_null(value) ? add_name(out, value, where) : GEMP_OK;
	for (size_t i = 0; i < json_array_size(value) && code == GEMP_OK; i++) {
		const json_t *label = json_array_get(value, i);
		if (json_is_string(label) && strchr(json_string_value(label), ';'))
			return gemp_fail(GEMP_EDATA, "label '%.40s' has a semicolon, which separates labels; rename it",
			                 json_string_value(label));
		code = add_name(out, label, where);
	}
	return code;
}

/* Unknown members would be lost silently, so that they are refused. */
static gemp_code check_members(json_t *object, const char *what, const char *const *known)
{
	const char *name;
	json_t *value;
	json_object_foreach(object, name, value)
	{
		size_t i = 0;
		while (known[i] && strcmp(known[i], name) != 0)
			i++;
		if (!known[i])
			return gemp_fail(GEMP_EDATA, "a %s has no member '%.40s'; attributes stand in \"properties\"", what, name);
	}
	return GEMP_OK;
}

/* Properties are optional, but an object if they are there. */
static gemp_code take_properties(gemp_json_record *record)
{
	record->properties = json_object_get(record->root, "properties");
	if (record->properties && !json_is_object(record->properties))
		return gemp_fail(GEMP_EDATA, "'properties' is %s where an object must stand",
		                 gemp_json_kind(record->properties));
	return GEMP_OK;
}

/* The shape of Neo4j's APOC. */
static gemp_code read_node(gemp_json_record *record)
{
	static const char *const known[] = { "type", "id", "labels", "properties", NULL };
	GEMP_PROPAGATE(check_members(record->root, "node", known));
	GEMP_PROPAGATE(read_key(&record->ends[0], json_object_get(record->root, "id"), "'id'"));
	GEMP_PROPAGATE(add_labels(&record->names, json_object_get(record->root, "labels"), "labels"));
	return take_properties(record);
}

/* Labels and properties of an end repeat those of the node. */
static gemp_code read_end(gemp_value *out, json_t *root, const char *name, const char *where)
{
	static const char *const known[] = { "id", "labels", "properties", NULL };
	json_t *end = json_object_get(root, name);
	if (!json_is_object(end))
		return gemp_fail(GEMP_EDATA, "'%s' is %s where an object with an id must stand", name, gemp_json_kind(end));
	GEMP_PROPAGATE(check_members(end, name, known));
	return read_key(out, json_object_get(end, "id"), where);
}

/* APOC's relationships have their type in `label`. */
static gemp_code read_relationship(gemp_json_record *record)
{
	static const char *const known[] = { "type", "id", "label", "start", "end", "properties", NULL };
	json_t *label = json_object_get(record->root, "label");
	record->edge = true;
	GEMP_PROPAGATE(check_members(record->root, "relationship", known));
	GEMP_PROPAGATE(read_end(&record->ends[0], record->root, "start", "'id' of 'start'"));
	GEMP_PROPAGATE(read_end(&record->ends[1], record->root, "end", "'id' of 'end'"));
	if (label)
		GEMP_PROPAGATE(add_name(&record->names, label, "label"));
	return take_properties(record);
}

/* The first of the names that the object has, which is then no attribute. */
static json_t *take(gemp_json_record *record, size_t *skipped, const char *const *names)
{
	for (; *names; names++) {
		json_t *value = json_object_get(record->root, *names);
		if (!value)
			continue;
		record->skip[(*skipped)++] = *names;
		return value;
	}
	return NULL;
}

/* Without APOC's `type` the members are those of a table's header. */
static gemp_code read_plain(gemp_json_record *record)
{
	static const char *const sources[] = { "src", "source", NULL }, *const targets[] = { "dst", "target", NULL };
	static const char *const ids[] = { "id", NULL }, *const labels[] = { "labels", "type", "label", NULL };
	static const char *const types[] = { "type", NULL };
	size_t skipped = 0;
	json_t *source = take(record, &skipped, sources), *target = take(record, &skipped, targets);
	record->properties = record->root;
	record->edge = source && target;
	if (record->edge) {
		json_t *type = take(record, &skipped, types);
		GEMP_PROPAGATE(read_key(&record->ends[0], source, "the source"));
		GEMP_PROPAGATE(read_key(&record->ends[1], target, "the target"));
		return type && !json_is_null(type) ? add_name(&record->names, type, "type") : GEMP_OK;
	}
	if (!json_object_get(record->root, "id"))
		return gemp_fail(GEMP_EDATA, "neither a vertex nor an edge; a vertex has a member 'id', an edge 'src' "
		                             "and 'dst'");
	skipped = 0;
	memset(record->skip, 0, sizeof record->skip);
	GEMP_PROPAGATE(read_key(&record->ends[0], take(record, &skipped, ids), "'id'"));
	json_t *list = take(record, &skipped, labels);
	return add_labels(&record->names, list, record->skip[1]);
}

/* Duplicate members are refused, as only one could be kept. */
gemp_code gemp_json_record_read(gemp_json_record *record, const char *text, size_t size)
{
	json_error_t error;
	json_decref(record->root);
	gemp_text_clear(&record->names);
	*record = (gemp_json_record){ .names = record->names };
	record->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!record->root && json_error_code(&error) == json_error_out_of_memory)
		return gemp_fail(GEMP_ENOMEM, "no memory for a line of JSON of %zu bytes", size);
	if (!record->root)
		return gemp_fail(GEMP_EDATA, "column %d: %s; each line must be one whole JSON object", error.column,
		                 error.text);
	if (!json_is_object(record->root))
		return gemp_fail(GEMP_EDATA, "%s where a JSON object must stand; each line is a vertex or an edge",
		                 gemp_json_kind(record->root));
	const char *type = json_string_value(json_object_get(record->root, "type"));
	if (type && strcmp(type, "node") == 0)
		return read_node(record);
	return type && strcmp(type, "relationship") == 0 ? read_relationship(record) : read_plain(record);
}
