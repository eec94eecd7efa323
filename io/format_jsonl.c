/* JSON lines. Attributes are found in a first reading, on all ranks together; the second one feeds the builder. */
#include "io/format.h"

#include "core/memory.h"
#include "io/json_record.h"
#include "io/lines.h"
#include "partition/builder_bytes.h"

#include <string.h>

/* Types that the values of an attribute have. */
enum { SEEN_INTEGER = 1, SEEN_FLOAT = 2, SEEN_BOOLEAN = 4, SEEN_STRING = 8 };

/* The attributes of vertices, or of edges. */
typedef struct attributes {
	gemp_dictionary mine; /* as this rank met them */
	uint32_t *seen;       /* [seen_capacity >= mine.list.count] SEEN_* */
	size_t seen_capacity;
	gemp_bytes all;       /* of all ranks, sorted: the builder's columns */
	gemp_type *types;     /* [all.count] */
} attributes;

typedef struct reader {
	const gemp_comm *comm;
	gemp_json_record record;
	attributes attributes[2]; /* of vertices, of edges */
	uint64_t vertices;        /* of all ranks */
	gemp_builder *builder;
	uint32_t file;            /* of the lines being visited */
} reader;

static bool is_blank(const gemp_line *line)
{
	return strspn(line->text, " \t\r") >= line->size;
}

static gemp_code unfit(const char *name, const json_t *value, const char *remedy)
{
	return gemp_fail(GEMP_EDATA, "attribute '%.80s' is %s; %s", name, gemp_json_kind(value), remedy);
}

static gemp_code see(attributes *self, const char *name, const json_t *value)
{
	static const uint32_t bits[] = { [JSON_INTEGER] = SEEN_INTEGER, [JSON_REAL] = SEEN_FLOAT,
	                                 [JSON_TRUE] = SEEN_BOOLEAN,
		                         [JSON_FALSE] = SEEN_BOOLEAN, [JSON_STRING] = SEEN_STRING, [JSON_NULL] = 0 };
	gemp_code code = GEMP_OK;
	size_t known = self->mine.list.count;
	uint32_t index;
	if (json_is_array(value) || json_is_object(value))
		return unfit(name, value, "values are numbers, strings, booleans and null; write its parts as "
		             "attributes");
	if (*name == '\0')
		return gemp_fail(GEMP_EDATA, "an attribute has an empty name; give it one");
	GEMP_TRY(GEMP_RESERVE(self->seen, self->seen_capacity, known + 1));
	GEMP_TRY(gemp_dictionary_add(&self->mine, name, strlen(name), &index));
	if (index == known)
		self->seen[index] = 0;
	self->seen[index] |= bits[json_typeof(value)];
done:
	return code;
}

static gemp_code see_line(void *self, const gemp_line *line)
{
	reader *reader = self;
	gemp_code code = GEMP_OK;
	const char *name;
	json_t *value;
	if (is_blank(line))
		return GEMP_OK;
	GEMP_TRY(gemp_json_record_read(&reader->record, line->text, line->size));
	reader->vertices += !reader->record.edge;
	json_object_foreach(reader->record.properties, name, value)
		if (gemp_json_record_is_attribute(&reader->record, name))
			GEMP_TRY(see(&reader->attributes[reader->record.edge], name, value));
done:
	return code;
}

static gemp_type type_of(uint32_t seen)
{
	return seen & SEEN_STRING || !seen ? GEMP_STRING
	       : seen & SEEN_FLOAT         ? GEMP_FLOAT
	       : seen & SEEN_INTEGER       ? GEMP_INTEGER
	                                   : GEMP_BOOLEAN;
}

/* Collective. The names and types on which all ranks agree. */
static gemp_code join(attributes *self, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	uint32_t *seen = NULL;
	GEMP_TRY(gemp_bytes_union(comm, &self->mine.list, &self->all));
	code = GEMP_NEW(seen, self->all.count);
	if (code == GEMP_OK)
		code = GEMP_NEW(self->types, self->all.count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < self->mine.list.count; i++) {
		size_t size;
		const char *name = gemp_bytes_at(&self->mine.list, i, &size);
		seen[gemp_bytes_find(&self->all, name, size)] = self->seen[i];
	}
	if (self->all.count > 0)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, seen, (int)self->all.count, MPI_UINT32_T, MPI_BOR, comm->world));
	for (size_t i = 0; i < self->all.count; i++)
		self->types[i] = type_of(seen[i]);
done:
	gemp_free(seen);
	return code;
}

static gemp_code declare(reader *reader, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_text name = { 0 };
	uint32_t file;
	for (size_t i = 0; i < options->edge_file_count; i++)
		GEMP_TRY(gemp_builder_file(reader->builder, options->edge_files[i], &file));
	for (size_t edges = 0; edges < 2; edges++) {
		const attributes *attributes = &reader->attributes[edges];
		for (size_t i = 0; i < attributes->all.count; i++) {
			size_t size, column;
			const char *bytes = gemp_bytes_at(&attributes->all, i, &size);
			gemp_text_clear(&name);
			gemp_text_add(&name, bytes, size);
			GEMP_TRY(gemp_text_status(&name));
			GEMP_TRY((edges ? gemp_builder_edge_column : gemp_builder_vertex_column)(
				reader->builder, name.data, attributes->types[i], &column));
		}
	}
done:
	gemp_text_free(&name);
	return code;
}

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
		return unfit(name, value, remedy);
	}
	return GEMP_OK;
}

static gemp_code add_values(reader *reader)
{
	gemp_code code = GEMP_OK;
	const gemp_json_record *record = &reader->record;
	const attributes *attributes = &reader->attributes[record->edge];
	const char *name;
	json_t *value;
	json_object_foreach(record->properties, name, value) {
		gemp_value read;
		if (json_is_null(value) || !gemp_json_record_is_attribute(record, name))
			continue;
		size_t column = gemp_bytes_find(&attributes->all, name, strlen(name));
		GEMP_TRY(read_value(&read, attributes->types[column], name, value));
		GEMP_TRY(record->edge ? gemp_builder_edge_value(reader->builder, column, &read)
		                      : gemp_builder_vertex_value(reader->builder, column, &read));
	}
done:
	return code;
}

static gemp_code feed_line(void *self, const gemp_line *line)
{
	reader *reader = self;
	gemp_code code = GEMP_OK;
	const gemp_json_record *record = &reader->record;
	gemp_place place = { reader->file, line->line };
	if (is_blank(line))
		return GEMP_OK;
	GEMP_TRY(gemp_json_record_read(&reader->record, line->text, line->size));
	const char *names = record->names.size ? record->names.data : "";
	if (record->edge)
		GEMP_TRY(gemp_builder_edge(reader->builder, &record->ends[0], &record->ends[1], names,
		                           record->names.size, place));
	else
		GEMP_TRY(gemp_builder_vertex(reader->builder, &record->ends[0], names, record->names.size, place));
	code = add_values(reader);
done:
	return code;
}

static gemp_code visit_files(reader *reader, gemp_lines *lines, size_t count, gemp_visit_line *visit)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < count; i++) {
		reader->file = (uint32_t)i + 1;
		GEMP_TRY(gemp_lines_visit(&lines[i], reader->comm, visit, reader));
	}
done:
	return code;
}

static void free_attributes(attributes *self)
{
	gemp_dictionary_free(&self->mine);
	gemp_free(self->seen);
	gemp_bytes_free(&self->all);
	gemp_free(self->types);
}

static gemp_code read_jsonl(gemp_graph **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	size_t count = options->edge_file_count;
	reader self = { .comm = comm };
	gemp_lines *lines = NULL;
	gemp_builder_options built = gemp_format_builder(options);
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(lines, count)));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_lines_open(&lines[i], comm, options->edge_files[i], NULL, i));
	GEMP_TRY(visit_files(&self, lines, count, see_line));
	self.vertices = gemp_comm_sum1(comm, self.vertices);
	GEMP_TRY(join(&self.attributes[0], comm));
	GEMP_TRY(join(&self.attributes[1], comm));
	built.vertices_from_edges = self.vertices == 0;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self, options)));
	GEMP_TRY(visit_files(&self, lines, count, feed_line));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	gemp_builder_free(self.builder);
	gemp_json_record_free(&self.record);
	free_attributes(&self.attributes[0]);
	free_attributes(&self.attributes[1]);
	gemp_free(lines);
	return code;
}

const gemp_format gemp_format_jsonl = {
	.name = "jsonl",
	.endings = ".jsonl .ndjson",
	.summary = "JSON lines: a vertex or an edge a line, as Neo4j's APOC exports them, or plain objects",
	.read = read_jsonl,
};
