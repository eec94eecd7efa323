/* JSON lines. All ranks together read the files twice. The first pass finds the attributes and their types, and the
 * second pass feeds the builder. */

#include "core/status.h"
#include "graph/json_text.h"
#include "io/import/import.h"
#include "io/import/import_columns.h"
#include "io/text/lines.h"
#include "partition/build/builder.h"

#include <jansson.h>
#include <string.h>

/* RECORDS: a line of JSON becomes a vertex or an edge.
 *
 * A line has one of two shapes, which the member `type` distinguishes. The first shape is that of Neo4j's APOC:
 *   {"type":"node","id":"0","labels":["User"],"properties":{"name":"Adam"}}
 *   {"type":"relationship","id":"0","label":"KNOWS","start":{"id":"0"},"end":{"id":"1"},"properties":{"since":1993}}
 * The id of a relationship is not kept, nor are the labels and properties that `start` and `end` repeat. The second
 * shape is a plain object with the names of tables:
 *   {"id":1,"labels":["User"],"name":"Adam"}
 *   {"src":1,"dst":2,"type":"KNOWS","since":1993}
 * For a vertex, the first existing member of `labels`, `type` and `label` is a list of labels or a text "A;B". */

typedef struct gemp_json_record {
	json_t *root; /* owned; all pointers below point into this tree */
	bool edge;
	gemp_value ends[2];  /* key of a vertex; or source and target of an edge */
	gemp_text names;     /* labels, separated by ';', or the type; "" if there is none */
	json_t *properties;  /* NULL: no properties; in the plain shape the root itself */
	const char *skip[3]; /* members of `properties` that are not attributes; unused entries are NULL */
} gemp_json_record;

/* Jansson parses one line at a time. The record owns the tree and borrows all values from it. */

static void gemp_json_record_free(gemp_json_record *record)
{
	json_decref(record->root);
	gemp_text_free(&record->names);
	*record = (gemp_json_record){ 0 };
}

/* Tests whether a member of `properties` is an attribute, and not the key, the labels, the type or an end. */
static bool gemp_json_record_is_attribute(const gemp_json_record *record, const char *name)
{
	for (size_t i = 0; i < sizeof record->skip / sizeof *record->skip; i++)
		if (record->skip[i] && strcmp(record->skip[i], name) == 0)
			return false;
	return true;
}

/* An id is an integer or a string; any other JSON value names no vertex. */
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

/* Appends a label or a type. */
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

/* Appends a list of labels, a single label, or nothing (NULL or null). */
static gemp_code add_labels(gemp_text *out, json_t *value, const char *where)
{
	if (!json_is_array(value))
		return value && !json_is_null(value) ? add_name(out, value, where) : GEMP_OK;
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *label = json_array_get(value, i);
		if (json_is_string(label) && strchr(json_string_value(label), ';'))
			return gemp_fail(GEMP_EDATA, "label '%.40s' has a semicolon, which separates labels; rename it",
			                 json_string_value(label));
		GEMP_TRY(add_name(out, label, where));
	}
	return GEMP_OK;
}

/* An unknown member is refused, since it would be lost silently. */
static gemp_code check_members(json_t *object, const char *what, const char *const *known)
{
	const char *name;
	json_t *value;
	json_object_foreach (object, name, value) {
		size_t i = 0;
		while (known[i] && strcmp(known[i], name) != 0)
			i++;
		if (!known[i])
			return gemp_fail(GEMP_EDATA, "a %s has no member '%.40s'; attributes stand in \"properties\"", what, name);
	}
	return GEMP_OK;
}

/* The member `properties` is optional and must be an object. */
static gemp_code take_properties(gemp_json_record *record)
{
	record->properties = json_object_get(record->root, "properties");
	if (record->properties && !json_is_object(record->properties))
		return gemp_fail(GEMP_EDATA, "'properties' is %s where an object must stand",
		                 gemp_json_kind(record->properties));
	return GEMP_OK;
}

/* Reads a node in the shape of Neo4j's APOC. */
static gemp_code read_node(gemp_json_record *record)
{
	static const char *const known[] = { "type", "id", "labels", "properties", NULL };
	GEMP_TRY(check_members(record->root, "node", known));
	GEMP_TRY(read_key(&record->ends[0], json_object_get(record->root, "id"), "'id'"));
	GEMP_TRY(add_labels(&record->names, json_object_get(record->root, "labels"), "labels"));
	return take_properties(record);
}

/* Reads the id of an end. The labels and properties of the end are ignored, since the node has them, too. */
static gemp_code read_end(gemp_value *out, json_t *root, const char *name, const char *where)
{
	static const char *const known[] = { "id", "labels", "properties", NULL };
	json_t *end = json_object_get(root, name);
	if (!json_is_object(end))
		return gemp_fail(GEMP_EDATA, "'%s' is %s where an object with an id must stand", name, gemp_json_kind(end));
	GEMP_TRY(check_members(end, name, known));
	return read_key(out, json_object_get(end, "id"), where);
}

/* Reads a relationship in the shape of Neo4j's APOC, where `label` is the type. */
static gemp_code read_relationship(gemp_json_record *record)
{
	static const char *const known[] = { "type", "id", "label", "start", "end", "properties", NULL };
	json_t *label = json_object_get(record->root, "label");
	record->edge = true;
	GEMP_TRY(check_members(record->root, "relationship", known));
	GEMP_TRY(read_end(&record->ends[0], record->root, "start", "'id' of 'start'"));
	GEMP_TRY(read_end(&record->ends[1], record->root, "end", "'id' of 'end'"));
	if (label)
		GEMP_TRY(add_name(&record->names, label, "label"));
	return take_properties(record);
}

/* Returns the member with the first of the names that exists, and marks it as no attribute. Returns NULL if none
 * exists. */
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

/* Reads an object in the plain shape, whose members are named as in the header of a table. */
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
		GEMP_TRY(read_key(&record->ends[0], source, "the source"));
		GEMP_TRY(read_key(&record->ends[1], target, "the target"));
		return type && !json_is_null(type) ? add_name(&record->names, type, "type") : GEMP_OK;
	}
	if (!json_object_get(record->root, "id"))
		return gemp_fail(GEMP_EDATA, "neither a vertex nor an edge; a vertex has a member 'id', an edge 'src' "
		                             "and 'dst'");
	skipped = 0;
	memset(record->skip, 0, sizeof record->skip);
	GEMP_TRY(read_key(&record->ends[0], take(record, &skipped, ids), "'id'"));
	json_t *list = take(record, &skipped, labels);
	return add_labels(&record->names, list, record->skip[1]);
}

/* Replaces the content of the record, which is {0} at first. Duplicate members are refused, since only one of them
 * could be kept. */
static gemp_code gemp_json_record_read(gemp_json_record *record, const char *text, size_t size)
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

typedef struct jsonl_reader {
	const gemp_comm *comm;
	gemp_json_record record;
	gemp_inferred_columns columns[2]; /* [0]: columns of vertices; [1]: columns of edges */
	uint64_t vertices;                /* number of vertices in the files, finally over all ranks */
	gemp_builder *builder;
	gemp_text json; /* of the current value */
	uint32_t file;  /* number of the current file */
} jsonl_reader;

static bool is_blank(const gemp_line *line)
{
	return strspn(line->text, " \t\r") >= line->size;
}

static gemp_code observe_value(gemp_inferred_columns *columns, const char *name, const json_t *value)
{
	static const uint32_t seen[] = {
		[JSON_INTEGER] = GEMP_SEEN_INTEGER, [JSON_REAL] = GEMP_SEEN_FLOAT,    [JSON_TRUE] = GEMP_SEEN_BOOLEAN,
		[JSON_FALSE] = GEMP_SEEN_BOOLEAN,   [JSON_STRING] = GEMP_SEEN_STRING, [JSON_NULL] = 0,
		[JSON_ARRAY] = GEMP_SEEN_JSON,      [JSON_OBJECT] = GEMP_SEEN_JSON
	};
	if (*name == '\0')
		return gemp_fail(GEMP_EDATA, "an attribute has an empty name; give it one");
	return gemp_inferred_columns_observe(columns, name, seen[json_typeof(value)]);
}

/* First pass: collects the names and types of attributes. */
static gemp_code observe_line(void *self, const gemp_line *line)
{
	jsonl_reader *reader = self;
	const char *name;
	json_t *value;
	if (is_blank(line))
		return GEMP_OK;
	GEMP_TRY(gemp_json_record_read(&reader->record, line->text, line->size));
	reader->vertices += !reader->record.edge;
	json_object_foreach (reader->record.properties, name, value)
		if (gemp_json_record_is_attribute(&reader->record, name))
			GEMP_TRY(observe_value(&reader->columns[reader->record.edge], name, value));
	return GEMP_OK;
}

/* If a column has both integers and floats, it holds floats. Lists, objects and every other mixture of types make it a
 * column of JSON. */
static gemp_type type_of(uint32_t seen)
{
	switch (seen) {
	case 0:
	case GEMP_SEEN_STRING: return GEMP_STRING;
	case GEMP_SEEN_INTEGER: return GEMP_INTEGER;
	case GEMP_SEEN_FLOAT:
	case GEMP_SEEN_FLOAT | GEMP_SEEN_INTEGER: return GEMP_FLOAT;
	case GEMP_SEEN_BOOLEAN: return GEMP_BOOLEAN;
	default: return GEMP_LIST;
	}
}

/* Vertices and edges have separate columns, even for the same name. */
static gemp_code declare(jsonl_reader *reader, const gemp_import_options *options)
{
	GEMP_TRY(gemp_import_declare_files(reader->builder, options));
	return gemp_inferred_columns_declare(reader->columns, reader->builder);
}

/* Integers become floats in a column of floats. The text of JSON lies in the reader until the next value. */
static gemp_code read_value(jsonl_reader *reader, gemp_value *out, gemp_type type, const char *name,
                            const json_t *value)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_value){ .type = type };
	switch (type) {
	case GEMP_STRING: *out = gemp_string_value(json_string_value(value), json_string_length(value)); break;
	case GEMP_FLOAT: out->real = json_number_value(value); break;
	case GEMP_INTEGER: out->integer = json_integer_value(value); break;
	case GEMP_BOOLEAN: out->truth = json_is_true(value); break;
	case GEMP_LIST:
		gemp_text_clear(&reader->json);
		code = gemp_json_text_add(&reader->json, value);
		out->string = (gemp_string){ reader->json.data, reader->json.size };
	}
	return code == GEMP_EDATA ? gemp_fail_in(code, "attribute '%.80s': ", name) : code;
}

/* Sets all members that are attributes and not null. */
static gemp_code add_values(jsonl_reader *reader)
{
	const gemp_json_record *record = &reader->record;
	const gemp_inferred_columns *columns = &reader->columns[record->edge];
	const char *name;
	json_t *value;
	json_object_foreach (record->properties, name, value) {
		gemp_value read;
		if (json_is_null(value) || !gemp_json_record_is_attribute(record, name))
			continue;
		size_t column = gemp_inferred_columns_find(columns, name);
		GEMP_TRY(read_value(reader, &read, columns->types[column], name, value));
		GEMP_TRY(gemp_import_value(reader->builder, record->edge, column, &read));
	}
	return GEMP_OK;
}

/* Second pass: the builder knows the columns, so the record is added. */
static gemp_code feed_line(void *self, const gemp_line *line)
{
	jsonl_reader *reader = self;
	const gemp_json_record *record = &reader->record;
	gemp_place place = { reader->file, line->line };
	if (is_blank(line))
		return GEMP_OK;
	GEMP_TRY(gemp_json_record_read(&reader->record, line->text, line->size));
	GEMP_TRY(gemp_import_element(reader->builder, record->edge, record->ends,
	                             record->names.size ? record->names.data : "", record->names.size, place));
	return add_values(reader);
}

/* Collective. All ranks read one file after another together. */
static gemp_code visit_files(jsonl_reader *reader, gemp_lines *lines, size_t count, gemp_visit_line *visit)
{
	for (size_t i = 0; i < count; i++) {
		reader->file = (uint32_t)i + 1;
		GEMP_TRY(gemp_lines_visit(&lines[i], reader->comm, visit, reader));
	}
	return GEMP_OK;
}

static void free_reader(jsonl_reader *reader)
{
	gemp_builder_free(reader->builder);
	gemp_json_record_free(&reader->record);
	gemp_text_free(&reader->json);
	gemp_inferred_columns_free(reader->columns);
}

/* If the files have no vertices, the vertices come from the edges. A single rank may have read no vertex, so the ranks
 * sum their counts. */
static gemp_code read_jsonl(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	const size_t count = options->edge_file_count;
	GEMP_OWNED_BY(free_reader) jsonl_reader self = { .comm = comm };
	GEMP_OWNED gemp_lines *lines = NULL;
	gemp_builder_options built = gemp_format_builder(options);
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(lines, count)));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_lines_open(&lines[i], comm, options->edge_files[i], NULL, i));
	GEMP_TRY(visit_files(&self, lines, count, observe_line));
	self.vertices = gemp_comm_sum1(comm, self.vertices);
	GEMP_TRY(gemp_inferred_columns_merge(self.columns, comm, type_of));
	built.vertices_from_edges = self.vertices == 0;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self, options)));
	GEMP_TRY(visit_files(&self, lines, count, feed_line));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_jsonl = {
	.name = "jsonl",
	.endings = ".jsonl .ndjson",
	.summary = "JSON lines: a vertex or an edge a line, as Neo4j's APOC exports them, or plain objects",
	.read = read_jsonl,
};
