/* JSON lines. Attributes are found in a first reading, on all ranks together; the second one feeds the builder. */

#include "core/memory.h"
#include "io/import/column_inference.h"
#include "io/import/import.h"
#include "io/import/json_record.h"
#include "io/text/lines.h"
#include "partition/build/build_graph.h"
#include "partition/build/builder.h"

#include <string.h>

typedef struct reader {
	const gemp_comm *comm;
	gemp_json_record record;
	gemp_inferred_columns columns[2]; /* of vertices, of edges */
	uint64_t vertices;                /* of all ranks */
	gemp_builder *builder;
	uint32_t file; /* of the lines being visited */
} reader;

static bool is_blank(const gemp_line *line)
{
	return strspn(line->text, " \t\r") >= line->size;
}

static gemp_code reject_value(const char *name, const json_t *value, const char *remedy)
{
	return gemp_fail(GEMP_EDATA, "attribute '%.80s' is %s; %s", name, gemp_json_kind(value), remedy);
}

/* Lists and objects have no column type; they are refused with their name. */
static gemp_code observe_value(gemp_inferred_columns *columns, const char *name, const json_t *value)
{
	static const uint32_t seen[] = {
		[JSON_INTEGER] = GEMP_SEEN_INTEGER, [JSON_REAL] = GEMP_SEEN_FLOAT,    [JSON_TRUE] = GEMP_SEEN_BOOLEAN,
		[JSON_FALSE] = GEMP_SEEN_BOOLEAN,   [JSON_STRING] = GEMP_SEEN_STRING, [JSON_NULL] = 0
	};
	if (json_is_array(value) || json_is_object(value))
		return reject_value(name, value,
		                    "values are numbers, strings, booleans and null; write its parts as attributes");
	if (*name == '\0')
		return gemp_fail(GEMP_EDATA, "an attribute has an empty name; give it one");
	return gemp_inferred_columns_observe(columns, name, seen[json_typeof(value)]);
}

/* First pass: names and types of attributes. */
static gemp_code observe_line(void *self, const gemp_line *line)
{
	reader *reader = self;
	const char *name;
	json_t *value;
	if (is_blank(line))
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_json_record_read(&reader->record, line->text, line->size));
	reader->vertices += !reader->record.edge;
	json_object_foreach(reader->record.properties, name,
	                    value) if (gemp_json_record_is_attribute(&reader->record, name))
		GEMP_PROPAGATE(observe_value(&reader->columns[reader->record.edge], name, value));
	return GEMP_OK;
}

/* Numbers are floats if any of them is one; what is of another kind in other lines is refused there. */
static gemp_type type_of(uint32_t seen)
{
	return seen & GEMP_SEEN_STRING || !seen ? GEMP_STRING
	       : seen & GEMP_SEEN_FLOAT         ? GEMP_FLOAT
	       : seen & GEMP_SEEN_INTEGER       ? GEMP_INTEGER
	                                        : GEMP_BOOLEAN;
}

/* Columns of vertices and of edges are apart, even of one name. */
static gemp_code declare(reader *reader, const gemp_import_options *options)
{
	uint32_t file;
	for (size_t i = 0; i < options->edge_file_count; i++)
		GEMP_PROPAGATE(gemp_builder_file(reader->builder, options->edge_files[i], &file));
	GEMP_PROPAGATE(gemp_inferred_columns_declare(&reader->columns[0], reader->builder, gemp_builder_vertex_column));
	return gemp_inferred_columns_declare(&reader->columns[1], reader->builder, gemp_builder_edge_column);
}

/* Only integers and floats share a column; other mixtures are refused, since a value would change its
 * type. */
static gemp_code read_value(gemp_value *out, gemp_type type, const char *name, const json_t *value)
{
	*out = (gemp_value){ .type = type };
	if (type == GEMP_STRING && json_is_string(value)) {
		out->string.bytes = json_string_value(value);
		out->string.size = json_string_length(value);
	} else if (type == GEMP_FLOAT && json_is_number(value)) {
		out->real = json_number_value(value);
	} else if (type == GEMP_INTEGER && json_is_integer(value)) {
		out->integer = json_integer_value(value);
	} else if (type == GEMP_BOOLEAN && json_is_boolean(value)) {
		out->truth = json_is_true(value);
	} else {
		char remedy[80];
		snprintf(remedy, sizeof remedy, "in other lines it is %s, so write it as one here too, or rename one",
		         type == GEMP_STRING ? "a string" : "a number");
		return reject_value(name, value, remedy);
	}
	return GEMP_OK;
}

/* The record says which members are no attributes. */
static gemp_code add_values(reader *reader)
{
	const gemp_json_record *record = &reader->record;
	const gemp_inferred_columns *columns = &reader->columns[record->edge];
	const char *name;
	json_t *value;
	json_object_foreach(record->properties, name, value)
	{
		gemp_value read;
		if (json_is_null(value) || !gemp_json_record_is_attribute(record, name))
			continue;
		size_t column = gemp_inferred_columns_find(columns, name);
		GEMP_PROPAGATE(read_value(&read, columns->types[column], name, value));
		GEMP_PROPAGATE(record->edge ? gemp_builder_edge_value(reader->builder, column, &read)
		                            : gemp_builder_vertex_value(reader->builder, column, &read));
	}
	return GEMP_OK;
}

/* Second pass: the columns are known to the builder. */
static gemp_code feed_line(void *self, const gemp_line *line)
{
	reader *reader = self;
	const gemp_json_record *record = &reader->record;
	gemp_place place = { reader->file, line->line };
	if (is_blank(line))
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_json_record_read(&reader->record, line->text, line->size));
	const char *names = record->names.size ? record->names.data : "";
	if (record->edge)
		GEMP_PROPAGATE(
			gemp_builder_edge(reader->builder, &record->ends[0], &record->ends[1], names, record->names.size, place));
	else
		GEMP_PROPAGATE(gemp_builder_vertex(reader->builder, &record->ends[0], names, record->names.size, place));
	return add_values(reader);
}

/* Files are read one after another by all ranks together. */
static gemp_code visit_files(reader *reader, gemp_lines *lines, size_t count, gemp_visit_line *visit)
{
	for (size_t i = 0; i < count; i++) {
		reader->file = (uint32_t)i + 1;
		GEMP_PROPAGATE(gemp_lines_visit(&lines[i], reader->comm, visit, reader));
	}
	return GEMP_OK;
}

/* Columns must be known to all ranks before the first vertex, so that files are read twice. */
static gemp_code read_jsonl(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	size_t count = options->edge_file_count;
	reader self = { .comm = comm };
	gemp_lines *lines = NULL;
	gemp_builder_options built = gemp_format_builder(options);
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(lines, count)));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_lines_open(&lines[i], comm, options->edge_files[i], NULL, i));
	GEMP_TRY(visit_files(&self, lines, count, observe_line));
	self.vertices = gemp_comm_sum1(comm, self.vertices);
	GEMP_TRY(gemp_inferred_columns_merge(&self.columns[0], comm, type_of));
	GEMP_TRY(gemp_inferred_columns_merge(&self.columns[1], comm, type_of));
	built.vertices_from_edges = self.vertices == 0;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self, options)));
	GEMP_TRY(visit_files(&self, lines, count, feed_line));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	gemp_builder_free(self.builder);
	gemp_json_record_free(&self.record);
	gemp_inferred_columns_free(&self.columns[0]);
	gemp_inferred_columns_free(&self.columns[1]);
	gemp_free(lines);
	return code;
}

const gemp_format gemp_format_jsonl = {
	.name = "jsonl",
	.endings = ".jsonl .ndjson",
	.summary = "JSON lines: a vertex or an edge a line, as Neo4j's APOC exports them, or plain objects",
	.read = read_jsonl,
};
