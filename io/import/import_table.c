/* Lists of edges whose ids are all integers are read in one pass, which feeds the builder and finds the types at the
 * same time. If an id turns out to be no integer, the builder is thrown away.
 *
 * All threads of all ranks read other tables in two passes. The first pass infers types: each thread collects evidence,
 * which is joined at the end of the pass. The second pass feeds the builder. Thread 0 feeds it directly, and each other
 * thread feeds a branch of it. The branches are joined in the order of the threads. */

#include "core/status.h"
#include "io/import/table_reader.h"
#include "partition/build/builder.h"

#include <string.h>

/* The state of an import. Arrays of two hold vertices at [0] and edges at [1], as gemp_input.edges does. */
typedef struct table_import {
	gemp_inputs inputs;
	gemp_schema schemas[2];
	uint32_t string_keys;          /* not 0 if a key is no canonical integer, or if keys are stated as strings */
	uint32_t stated_keys;          /* not 0 if keys are stated as strings */
	struct thread_reader *readers; /* [inputs.threads] */
	void **selves;                 /* [inputs.threads] pointer to each reader */
	gemp_builder *builder;
} table_import;

/* The state of one thread. */
typedef struct thread_reader {
	gemp_schema schemas[2]; /* the columns are shared, the evidence is the thread's own */
	uint32_t string_keys;
	gemp_text keys[2];     /* memory for ids with a group */
	gemp_text json;        /* memory for a value of JSON */
	gemp_builder *builder; /* the import's builder, or a branch of it */
	bool contradicted;     /* the first pass has fed the builder, but an id is no integer */
} thread_reader;

/* Puts the column's name in front of the message of a failure. */
static gemp_code in_column(gemp_code code, const gemp_field *field)
{
	return code == GEMP_EDATA ? gemp_fail_in(code, "column '%s': ", field->name) : code;
}

/* A single key that is no canonical integer makes all keys strings. */
static gemp_code observe_key(thread_reader *self, const gemp_field *field, const gemp_text_cell *cell)
{
	gemp_value value;
	if (cell->size == 0)
		return gemp_fail(GEMP_EDATA, "the id is empty; every vertex and every end of an edge needs one");
	if (field->stated && field->type == GEMP_INTEGER)
		return gemp_scalar_read(&value, GEMP_INTEGER, cell->bytes, cell->size);
	if (!self->string_keys)
		self->string_keys = field->group || !(gemp_scalar_looks(cell->bytes, cell->size) & GEMP_LOOKS_INTEGER);
	return GEMP_OK;
}

/* First pass: adds the record's cells to the evidence. */
static gemp_code observe_record(void *context, const gemp_input *input, const gemp_cells *cells, uint64_t line)
{
	thread_reader *self = context;
	(void)line;
	for (size_t i = 0; i < cells->count; i++) {
		const gemp_field *field = &input->header.fields[i];
		gemp_code code = GEMP_OK;
		if (gemp_field_is_key(field))
			code = observe_key(self, field, &cells->cell[i]);
		if (gemp_field_is_attribute(field))
			gemp_schema_observe(&self->schemas[input->edges], field->column, &cells->cell[i]);
		if (code != GEMP_OK)
			return in_column(code, field);
	}
	return GEMP_OK;
}

/* Columns with the same name in several files are one column. */
static gemp_code join_schemas(table_import *self)
{
	for (size_t i = 0; i < self->inputs.count; i++) {
		gemp_input *input = &self->inputs.input[i];
		gemp_code code = gemp_schema_join(&self->schemas[input->edges], &input->header, input->path);
		if (code != GEMP_OK)
			return code == GEMP_EDATA ? gemp_fail_in(code, "%s:1: ", input->path) : code;
		for (size_t f = 0; f < input->header.count; f++) {
			const gemp_field *field = &input->header.fields[f];
			self->stated_keys |= gemp_field_is_key(field) && field->stated && field->type == GEMP_STRING;
			self->string_keys |= self->stated_keys;
		}
	}
	return GEMP_OK;
}

/* Each thread gets its own evidence, and all threads share the columns. */
static gemp_code copy_evidence(gemp_schema *to, const gemp_schema *from)
{
	to->columns = from->columns;
	to->count = from->count;
	GEMP_TRY(GEMP_NEW(to->evidence, from->count));
	if (from->count)
		memcpy(to->evidence, from->evidence, from->count * sizeof *from->evidence);
	return GEMP_OK;
}

/* Threads write only to their own reader. */
static gemp_code new_readers(table_import *self)
{
	GEMP_TRY(GEMP_NEW(self->selves, self->inputs.threads));
	GEMP_TRY(GEMP_NEW(self->readers, self->inputs.threads));
	for (unsigned t = 0; t < self->inputs.threads; t++) {
		thread_reader *reader = &self->readers[t];
		self->selves[t] = reader;
		reader->string_keys = self->string_keys;
		GEMP_TRY(copy_evidence(&reader->schemas[0], &self->schemas[0]));
		GEMP_TRY(copy_evidence(&reader->schemas[1], &self->schemas[1]));
	}
	return GEMP_OK;
}

static void free_readers(table_import *self)
{
	for (unsigned t = 0; t < self->inputs.threads && self->readers; t++) {
		thread_reader *reader = &self->readers[t];
		gemp_free_all(reader->schemas[0].evidence, reader->schemas[1].evidence);
		gemp_text_free(&reader->keys[0]);
		gemp_text_free(&reader->keys[1]);
		gemp_text_free(&reader->json);
	}
	gemp_free_all(self->readers, self->selves);
}

/* Collective. The evidence of all threads on all ranks gives the types. The evidence is a set of bits, so a
 * bitwise or joins it. */
static void resolve_types(table_import *self, const gemp_comm *comm)
{
	for (unsigned t = 0; t < self->inputs.threads; t++)
		self->string_keys |= self->readers[t].string_keys;
	for (int side = 0; side < 2; side++) {
		gemp_schema *schema = &self->schemas[side];
		for (unsigned t = 0; t < self->inputs.threads; t++)
			for (size_t c = 0; c < schema->count; c++)
				schema->evidence[c] |= self->readers[t].schemas[side].evidence[c];
		if (schema->count > 0)
			GEMP_MPI(
				MPI_Allreduce(MPI_IN_PLACE, schema->evidence, (int)schema->count, MPI_UINT32_T, MPI_BOR, comm->world));
		gemp_schema_resolve(schema);
	}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &self->string_keys, 1, MPI_UINT32_T, MPI_BOR, comm->world));
}

/* All ranks declare the same files and columns, so the builder numbers the columns as the schemas do. */
static gemp_code declare(table_import *self)
{
	size_t column;
	for (size_t i = 0; i < self->inputs.count; i++)
		GEMP_TRY(gemp_builder_file(self->builder, self->inputs.input[i].path, &self->inputs.input[i].file));
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < self->schemas[side].count; i++) {
			const gemp_schema_column *declared = &self->schemas[side].columns[i];
			GEMP_TRY((side ? gemp_builder_edge_column : gemp_builder_vertex_column)(self->builder, declared->name,
			                                                                        declared->type, &column));
		}
	return GEMP_OK;
}

/* The index of the field with this role; header->count if there is none. */
static size_t field_of(const gemp_header *header, gemp_field_role role)
{
	size_t i = 0;
	while (i < header->count && header->fields[i].role != role)
		i++;
	return i;
}

/* The key borrows its bytes from the cell or, if the field has a group, from *text. */
static gemp_code read_key(gemp_value *key, const thread_reader *self, const gemp_input *input, const gemp_cells *cells,
                          gemp_field_role role, gemp_text *text)
{
	size_t i = field_of(&input->header, role);
	const char *group = input->header.fields[i].group, *bytes = cells->cell[i].bytes;
	size_t size = cells->cell[i].size;
	if (group) {
		gemp_text_clear(text);
		gemp_text_print(text, "%s:", group);
		gemp_text_add(text, bytes, size);
		GEMP_TRY(gemp_text_status(text));
		bytes = text->data;
		size = text->size;
	}
	gemp_code code = gemp_scalar_read(key, self->string_keys ? GEMP_STRING : GEMP_INTEGER, bytes, size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "id ") : code;
}

/* The value borrows its bytes from the cell or, if it is JSON, from self->json. */
static gemp_code read_value(gemp_value *value, thread_reader *self, const gemp_field *field, gemp_type type,
                            const gemp_text_cell *cell)
{
	if (type != GEMP_LIST)
		return gemp_scalar_read(value, type, cell->bytes, cell->size);
	gemp_text_clear(&self->json);
	GEMP_TRY(field->tag ? gemp_json_text_tagged(&self->json, field->tag, cell->bytes, cell->size)
	                    : gemp_json_text_read(&self->json, cell->bytes, cell->size));
	*value = (gemp_value){ .type = GEMP_LIST,
		                   .null = !self->json.size,
		                   .string = { self->json.data, self->json.size } };
	return GEMP_OK;
}

/* A value that is not set is NULL, so NULL needs no call. */
static gemp_code add_values(thread_reader *self, const gemp_input *input, const gemp_cells *cells)
{
	const gemp_schema *schema = &self->schemas[input->edges];
	for (size_t i = 0; i < cells->count; i++) {
		const gemp_field *field = &input->header.fields[i];
		const gemp_text_cell *cell = &cells->cell[i];
		gemp_value value;
		if (!gemp_field_is_attribute(field) || cell->null)
			continue;
		gemp_code code = read_value(&value, self, field, schema->columns[field->column].type, cell);
		if (code != GEMP_OK)
			return in_column(code, field);
		GEMP_TRY(gemp_import_value(self->builder, input->edges, field->column, &value));
	}
	return GEMP_OK;
}

/* Second pass: adds the record to the builder. */
static gemp_code feed_record(void *context, const gemp_input *input, const gemp_cells *cells, uint64_t line)
{
	thread_reader *self = context;
	gemp_value ends[2];
	size_t named = field_of(&input->header, input->edges ? GEMP_ROLE_TYPE : GEMP_ROLE_LABELS);
	gemp_text_cell names = named < cells->count ? cells->cell[named] : (gemp_text_cell){ "", 0, true };
	GEMP_TRY(read_key(&ends[0], self, input, cells, input->edges ? GEMP_ROLE_SOURCE : GEMP_ROLE_KEY, &self->keys[0]));
	if (input->edges)
		GEMP_TRY(read_key(&ends[1], self, input, cells, GEMP_ROLE_TARGET, &self->keys[1]));
	GEMP_TRY(gemp_import_element(self->builder, input->edges, ends, names.bytes, names.size,
	                             (gemp_place){ input->file, line }));
	return add_values(self, input, cells);
}

/* Pairs of integers are read together, in either pass. */
static gemp_code feed_pairs(void *context, const gemp_input *input, const int64_t (*pairs)[2], size_t count,
                            uint64_t line)
{
	thread_reader *self = context;
	if (self->contradicted || self->string_keys)
		return GEMP_OK;
	return gemp_builder_integer_edges(self->builder, pairs[0], count, "", 0, (gemp_place){ input->file, line }, true);
}

/* Without this, the lists of edges of all threads grow step by step, and the threads wait for the system's page
 * tables. */
static gemp_code expect_pairs(void *context, size_t count)
{
	thread_reader *self = context;
	return gemp_builder_reserve_edges(self->builder, count);
}

/* Integers are evidence for nothing, as keys are integers until a key is none. */
static gemp_code observe_pairs(void *context, const gemp_input *input, const int64_t (*pairs)[2], size_t count,
                               uint64_t line)
{
	(void)context, (void)input, (void)pairs, (void)count, (void)line;
	return GEMP_OK;
}

/* The only pass. An id that is no integer is not reported here, since it makes all ids strings. */
static gemp_code observe_and_feed_record(void *context, const gemp_input *input, const gemp_cells *cells, uint64_t line)
{
	thread_reader *self = context;
	GEMP_TRY(observe_record(context, input, cells, line));
	if (self->contradicted || self->string_keys)
		return GEMP_OK;
	gemp_code code = feed_record(context, input, cells, line);
	self->contradicted = code == GEMP_EDATA;
	return self->contradicted ? GEMP_OK : code;
}

/* The first reader feeds the builder, and each other reader feeds a branch of it. */
static gemp_code new_branches(table_import *self)
{
	for (unsigned t = 0; t < self->inputs.threads; t++) {
		self->readers[t].string_keys = self->string_keys;
		self->readers[t].builder = self->builder;
		if (t)
			GEMP_TRY(gemp_builder_branch(&self->readers[t].builder, self->builder));
	}
	return GEMP_OK;
}

/* Branches are joined in the order of the threads, so the graph does not depend on timing. Joining frees a branch. */
static gemp_code join_branches(table_import *self)
{
	gemp_code code = GEMP_OK;
	for (unsigned t = 1; t < self->inputs.threads && code == GEMP_OK; t++) {
		code = gemp_builder_join(self->readers[t].builder);
		self->readers[t].builder = NULL;
	}
	return code;
}

/* Collective. Makes the builder and its branches. */
static gemp_code new_builder(table_import *self, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = options->vertex_file_count == 0;
	built.string_keys = self->stated_keys != 0;
	GEMP_TRY(gemp_builder_new(&self->builder, comm, &built));
	gemp_code code = declare(self);
	GEMP_THEN(new_branches(self));
	return gemp_comm_agree(comm, code);
}

/* Collective. The second pass. The types of columns and keys are known now. */
static gemp_code build_graph(table_import *self, const gemp_comm *comm, const gemp_import_options *options,
                             gemp_shard **out)
{
	GEMP_TRY(new_builder(self, comm, options));
	self->inputs.visit_pairs = self->string_keys ? NULL : feed_pairs;
	self->inputs.expect_pairs = expect_pairs;
	gemp_step_times_next(options->steps, "parse");
	GEMP_TRY(gemp_inputs_read(&self->inputs, comm, feed_record, self->selves, "parsing"));
	GEMP_TRY(gemp_comm_agree(comm, join_branches(self)));
	return gemp_builder_finish(self->builder, out);
}

/* The same on all ranks. Whether one pass suffices unless an id is no integer. */
static bool has_only_pairs(const table_import *self)
{
	bool pairs = !self->stated_keys;
	for (size_t i = 0; i < self->inputs.count; i++)
		pairs = pairs && self->inputs.input[i].pairs;
	return pairs;
}

static void free_builder(table_import *self)
{
	for (unsigned t = 1; t < self->inputs.threads && self->readers; t++) {
		gemp_builder_free(self->readers[t].builder);
		self->readers[t].builder = NULL;
	}
	gemp_builder_free(self->builder);
	self->builder = NULL;
}

/* Collective. The only pass. Places have the lines within a rank's part until lower ranks have counted their lines.
 * *done: whether the graph is made. */
static gemp_code build_in_one_pass(table_import *self, const gemp_comm *comm, const gemp_import_options *options,
                                   gemp_shard **out, bool *done)
{
	uint64_t contradicted = 0;
	*done = false;
	GEMP_TRY(new_builder(self, comm, options));
	self->inputs.visit_pairs = feed_pairs;
	self->inputs.expect_pairs = expect_pairs;
	gemp_step_times_next(options->steps, "parse");
	GEMP_TRY(gemp_inputs_read(&self->inputs, comm, observe_and_feed_record, self->selves, "parsing"));
	resolve_types(self, comm);
	for (unsigned t = 0; t < self->inputs.threads; t++)
		contradicted |= self->readers[t].contradicted || self->string_keys;
	gemp_comm_max(comm, &contradicted, 1);
	if (contradicted) {
		free_builder(self);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_comm_agree(comm, join_branches(self)));
	for (size_t i = 0; i < self->inputs.count; i++)
		gemp_builder_shift_lines(self->builder, self->inputs.input[i].file, self->inputs.input[i].lines_before);
	*done = true;
	return gemp_builder_finish(self->builder, out);
}

static void free_import(table_import *self)
{
	free_builder(self);
	free_readers(self);
	gemp_schema_free(&self->schemas[0]);
	gemp_schema_free(&self->schemas[1]);
	gemp_inputs_free(&self->inputs);
}

/* The first pass finds headers and types, and the second pass feeds the builder, unless one pass does both. */
static gemp_code read_tables(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_import) table_import self = { 0 };
	GEMP_TRY(gemp_inputs_open(&self.inputs, comm, options));
	gemp_code code = join_schemas(&self);
	GEMP_THEN(new_readers(&self));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (has_only_pairs(&self)) {
		bool done;
		GEMP_TRY(build_in_one_pass(&self, comm, options, out, &done));
		return done ? GEMP_OK : build_graph(&self, comm, options, out);
	}
	self.inputs.visit_pairs = observe_pairs;
	gemp_step_times_next(options->steps, "look");
	GEMP_TRY(gemp_inputs_read(&self.inputs, comm, observe_record, self.selves, "looking for types"));
	resolve_types(&self, comm);
	return build_graph(&self, comm, options, out);
}

const gemp_format gemp_format_tsv = {
	.name = "tsv",
	.endings = ".tsv",
	.summary = "tables with a header, fields separated by tabs, no quoting",
	.takes_vertices = true,
	.read = read_tables,
};

const gemp_format gemp_format_csv = {
	.name = "csv",
	.endings = ".csv",
	.summary = "tables with a header as RFC 4180 has them; \"\" is an empty string, nothing is NULL",
	.takes_vertices = true,
	.read = read_tables,
};

const gemp_format gemp_format_snap = {
	.name = "snap",
	.endings = ".txt .snap",
	.summary = "an edge list: two ids a line, # begins a comment",
	.takes_vertices = true,
	.read = read_tables,
};

const gemp_format gemp_format_neo4j = {
	.name = "neo4j",
	.endings = "",
	.summary = "CSV with the headers of neo4j-admin import: :ID, :LABEL, :START_ID, :END_ID, :TYPE, name:int",
	.takes_vertices = true,
	.read = read_tables,
};
