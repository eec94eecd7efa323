/* Adding of vertices and edges. A part holds everything that was added through the builder itself or through one
 * branch: vertices as encoded keys with their places and values, and edges as two 64-bit ends each. While the ends of a
 * part's edges are integer keys, an end is the key itself. The first end with a string key turns all ends of the part
 * into indices of a dictionary; the ends are then "coded". No function here exchanges vertices or edges. The stages in
 * build_graph.c read the parts. */

#include "partition/build/builder_state.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"
#include "graph/column_bulk.h"
#include "partition/build/builder.h"

#include <string.h>

enum { DEFAULT_BATCH = 64 << 20 };

/* The builder outlives the options of its caller, so the builder owns copies of the texts. */
static gemp_code copy_text(const char **text, const char *otherwise)
{
	const char *from = *text ? *text : otherwise;
	*text = from ? gemp_strdup(from) : NULL;
	return from && !*text ? GEMP_ENOMEM : GEMP_OK;
}

/* The first part belongs to the builder itself, and each joined branch adds parts. */
static gemp_code add_part(gemp_builder *builder)
{
	gemp_code code = GEMP_RESERVE(builder->parts, builder->part_capacity, builder->part_count + 1);
	if (code == GEMP_OK)
		builder->parts[builder->part_count++] = (gemp_builder_part){ 0 };
	return code;
}

/* Both texts are copied even if the first copy fails, since gemp_builder_free frees both. */
gemp_code gemp_builder_new(gemp_builder **out, const gemp_comm *comm, const gemp_builder_options *options)
{
	GEMP_OWNED_BY(gemp_builder_free_at) gemp_builder *builder = NULL;
	*out = NULL;
	gemp_code code = GEMP_NEW(builder, 1);
	GEMP_THEN(add_part(builder));
	if (code == GEMP_OK) {
		builder->comm = comm;
		builder->options = *options;
		gemp_builder_options *own = &builder->options;
		if (!own->vertex_limit || own->vertex_limit > GEMP_MAX_VERTICES)
			own->vertex_limit = GEMP_MAX_VERTICES;
		if (!own->batch)
			own->batch = DEFAULT_BATCH;
		code = copy_text(&own->default_label, NULL);
		gemp_code other = copy_text(&own->default_type, "E");
		code = code == GEMP_OK ? other : code;
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	*out = builder;
	builder = NULL;
	return GEMP_OK;
}

void gemp_vertex_list_free(gemp_vertex_list *list)
{
	gemp_bytes_free(&list->keys);
	gemp_free(list->records);
	gemp_table_free(&list->values);
	*list = (gemp_vertex_list){ 0 };
}

/* The part is empty afterwards and may be filled again. */
void gemp_builder_part_free(gemp_builder_part *part)
{
	gemp_text_free(&part->scratch);
	gemp_vertex_list_free(&part->vertices);
	gemp_dictionary_free(&part->labels);
	gemp_edge_list_free(&part->edges);
	gemp_dictionary_free(&part->end_keys);
	gemp_dictionary_free(&part->types);
	gemp_table_free(&part->edge_values);
	*part = (gemp_builder_part){ 0 };
}

/* The first part stays, without columns. After gemp_builder_finish the builder may only be freed. */
void gemp_builder_clear(gemp_builder *builder)
{
	for (size_t p = 0; p < builder->part_count; p++)
		gemp_builder_part_free(&builder->parts[p]);
	if (builder->part_count)
		builder->part_count = 1;
	gemp_vertex_list_free(&builder->vertices);
	gemp_dictionary_free(&builder->labels);
}

/* A branch borrows the texts in the options of its root, so the root must be freed after the branch. */
void gemp_builder_free(gemp_builder *builder)
{
	if (!builder)
		return;
	gemp_builder_clear(builder);
	gemp_free(builder->parts);
	for (size_t i = 0; i < builder->file_count && !builder->root; i++)
		gemp_free(builder->files[i]);
	gemp_free(builder->files);
	if (!builder->root) {
		gemp_free((char *)builder->options.default_label);
		gemp_free((char *)builder->options.default_type);
	}
	gemp_free(builder);
}

/* The branch copies the columns of the root without rows, so an index of a column means the same in every branch. */
gemp_code gemp_builder_branch(gemp_builder **out, gemp_builder *root)
{
	GEMP_OWNED_BY(gemp_builder_free_at) gemp_builder *branch = NULL;
	*out = NULL;
	GEMP_TRY(GEMP_NEW(branch, 1));
	branch->root = root;
	branch->comm = root->comm;
	branch->options = root->options;
	GEMP_TRY(add_part(branch));
	GEMP_TRY(gemp_table_copy_schema(&branch->parts[0].vertices.values, &root->parts[0].vertices.values));
	GEMP_TRY(gemp_table_copy_schema(&branch->parts[0].edge_values, &root->parts[0].edge_values));
	*out = branch;
	branch = NULL;
	return GEMP_OK;
}

/* Parts are not concatenated. Joining therefore takes no time, and each part is freed as soon as it has been sent. */
gemp_code gemp_builder_join(gemp_builder *branch)
{
	gemp_builder *root = branch->root;
	gemp_code code = add_part(root);
	if (code == GEMP_OK) {
		root->parts[root->part_count - 1] = branch->parts[0];
		branch->parts[0] = (gemp_builder_part){ 0 };
	}
	gemp_builder_free(branch);
	return code;
}

/* Ranks have different numbers of parts, but all ranks must call each exchange equally often. */
size_t gemp_builder_max_parts(const gemp_builder *builder)
{
	uint64_t most = builder->part_count;
	gemp_comm_max(builder->comm, &most, 1);
	return most;
}

/* A rank with fewer parts than another rank takes part in the remaining exchanges with an empty part. */
gemp_builder_part *gemp_builder_part_at(gemp_builder *builder, size_t part, gemp_builder_part *none)
{
	*none = (gemp_builder_part){ 0 };
	return part < builder->part_count ? &builder->parts[part] : none;
}

/* File numbers begin at 1, as the number 0 in a place means "no file". */
gemp_code gemp_builder_file(gemp_builder *builder, const char *path, uint32_t *file)
{
	GEMP_TRY(GEMP_RESERVE(builder->files, builder->file_capacity, builder->file_count + 1));
	builder->files[builder->file_count] = gemp_strdup(path);
	if (!builder->files[builder->file_count])
		return GEMP_ENOMEM;
	*file = (uint32_t)++builder->file_count;
	return GEMP_OK;
}

/* Messages show keys in quotes, as a key may contain blanks. */
void gemp_builder_print_key(gemp_string key, gemp_text *out)
{
	gemp_value value = gemp_key_decode(key);
	gemp_text_print(out, "'");
	gemp_value_print(&value, out);
	gemp_text_print(out, "'");
}

/* A maximum over the complements of the places finds the lowest place. Only the rank with this place fails, and the
 * agreement carries its message to all ranks. */
gemp_code gemp_builder_report(const gemp_builder *builder, uint64_t place, uint64_t count, const char *message)
{
	uint64_t total = gemp_comm_sum1(builder->comm, count), lowest = ~(count ? place : UINT64_MAX);
	if (!total)
		return GEMP_OK;
	gemp_comm_max(builder->comm, &lowest, 1);
	gemp_code code = GEMP_OK;
	if (count && place == ~lowest) {
		code = gemp_fail(GEMP_EDATA, "%s", message);
		if (total > 1)
			code = gemp_fail(GEMP_EDATA, "%s (and %" PRIu64 " more like this)", message, total - 1);
	}
	return gemp_comm_agree(builder->comm, code);
}

/* The hash depends on the seed, so ids do not follow the order of keys, and another seed gives another random order. */
uint64_t gemp_builder_key_hash(const gemp_builder *builder, gemp_string key)
{
	return gemp_hash(key.bytes, key.size, builder->options.seed);
}

/* A product with 128 bits maps the range of hashes to the ranks evenly and without a division. */
int gemp_builder_key_owner(const gemp_builder *builder, uint64_t hash)
{
	return (int)((unsigned __int128)hash * (unsigned)builder->comm->size >> 64);
}

enum { LINE_BITS = 40 };

/* A column with the same name and type is the same column, whichever file declares it. */
static gemp_code add_column(gemp_table *table, const char *kind, const char *name, gemp_type type, size_t *index)
{
	gemp_column *known = gemp_table_find(table, name);
	if (!known) {
		*index = table->count;
		return gemp_table_add(table, name, type, NULL);
	}
	*index = (size_t)(known - table->columns);
	if (known->type != type)
		return gemp_fail(GEMP_EDATA, "%s column '%s' is of type %s in one place and %s in another; state its type",
		                 kind, name, gemp_type_name[known->type], gemp_type_name[type]);
	return GEMP_OK;
}

gemp_code gemp_builder_vertex_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column)
{
	return add_column(&builder->parts[0].vertices.values, "vertex", name, type, column);
}

gemp_code gemp_builder_edge_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column)
{
	return add_column(&builder->parts[0].edge_values, "edge", name, type, column);
}

/* Encodes file and line in one number that sorts by file, then by line. A line above 2^40 - 1 is encoded as 2^40 -
 * 1. */
static uint64_t place_code(gemp_place place)
{
	uint64_t line = place.line >> LINE_BITS ? (UINT64_C(1) << LINE_BITS) - 1 : place.line;
	return (uint64_t)place.file << LINE_BITS | line;
}

/* Refuses keys of other types. Notes string keys, as a graph in which all keys are integers needs no dictionary. */
static gemp_code check_key(gemp_builder_part *part, const gemp_value *key)
{
	if (key->null || (key->type != GEMP_INTEGER && key->type != GEMP_STRING))
		return gemp_fail(GEMP_EDATA, "the id of a vertex must be an integer or a string");
	part->has_string_key |= key->type == GEMP_STRING;
	return GEMP_OK;
}

/* The record is stored before the key is counted, so the list is consistent if adding the key fails. */
gemp_code gemp_builder_vertex(gemp_builder *builder, const gemp_value *key, const char *labels, size_t labels_size,
                              gemp_place place)
{
	gemp_builder_part *part = &builder->parts[0];
	gemp_vertex_list *list = &part->vertices;
	struct gemp_vertex_record record = { .place = place_code(place) };
	const char *otherwise = builder->options.default_label;
	if (!labels_size && otherwise) {
		labels = otherwise;
		labels_size = strlen(otherwise);
	}
	GEMP_TRY(check_key(part, key));
	GEMP_TRY(gemp_key_encode(key, &part->scratch));
	GEMP_TRY(gemp_dictionary_add(&part->labels, labels, labels_size, &record.labels));
	GEMP_TRY(GEMP_RESERVE(list->records, list->capacity, list->keys.count + 1));
	list->records[list->keys.count] = record;
	return gemp_bytes_add(&list->keys, part->scratch.data, part->scratch.size);
}

/* A column ends at the last row with a value. Rows before this row without a value are NULL. */
static gemp_code set_value(gemp_table *table, size_t index, size_t rows, const gemp_value *value)
{
	gemp_value real = { .type = GEMP_FLOAT };
	GEMP_CHECK(index < table->count && rows > 0);
	gemp_column *column = &table->columns[index];
	if (value->null)
		return GEMP_OK;
	if (column->type == GEMP_FLOAT && value->type == GEMP_INTEGER) {
		real.real = (double)value->integer;
		value = &real;
	}
	if (value->type != column->type)
		return gemp_fail(GEMP_EDATA, "column '%s' is of type %s, but a value is of type %s", column->name,
		                 gemp_type_name[column->type], gemp_type_name[value->type]);
	if (column->rows >= rows)
		return gemp_fail(GEMP_EDATA, "column '%s' has two values for one row", column->name);
	GEMP_TRY(gemp_column_pad(column, rows - 1));
	return gemp_column_add(column, value);
}

gemp_code gemp_builder_vertex_value(gemp_builder *builder, size_t column, const gemp_value *value)
{
	gemp_vertex_list *list = &builder->parts[0].vertices;
	return set_value(&list->values, column, list->keys.count, value);
}

gemp_code gemp_builder_edge_value(gemp_builder *builder, size_t column, const gemp_value *value)
{
	gemp_builder_part *part = &builder->parts[0];
	return set_value(&part->edge_values, column, part->edges.count, value);
}

/* Finds the index of a key in the part's dictionary, and adds the key if it is new. */
static gemp_code code_key(gemp_builder_part *part, const gemp_value *key, uint64_t *end)
{
	uint32_t index = 0;
	gemp_code code = gemp_key_encode(key, &part->scratch);
	GEMP_THEN(gemp_dictionary_add(&part->end_keys, part->scratch.data, part->scratch.size, &index));
	*end = index;
	return code;
}

/* An end that was added as an integer becomes the index of this integer as a key. */
gemp_code gemp_builder_part_code(gemp_builder_part *part)
{
	gemp_edge_list *edges = &part->edges;
	for (size_t i = 0; i < 2 * edges->count && !edges->coded; i++) {
		gemp_value key = { .type = GEMP_INTEGER, .integer = gemp_integer_of(edges->ends[i]) };
		GEMP_TRY(code_key(part, &key, &edges->ends[i]));
	}
	edges->coded = true;
	return GEMP_OK;
}

/* An end is stored as a number until some end of the part has a string key. */
static gemp_code read_end(gemp_builder_part *part, const gemp_value *key, uint64_t *end)
{
	if (part->edges.coded)
		return code_key(part, key, end);
	*end = gemp_integer_number(key->integer);
	return GEMP_OK;
}

/* Consecutive edges mostly have the same type, so the type of the last edge is compared first. */
static gemp_code read_type(gemp_builder_part *part, const char *type, size_t size)
{
	if (part->types.list.count) {
		const gemp_string last = gemp_bytes_at(&part->types.list, part->type);
		if (last.size == size && memcmp(last.bytes, type, size) == 0)
			return GEMP_OK;
	}
	return gemp_dictionary_add(&part->types, type, size, &part->type);
}

/* The first end that is a string turns all earlier ends of the part into indices. */
gemp_code gemp_builder_edge(gemp_builder *builder, const gemp_value *source, const gemp_value *target, const char *type,
                            size_t type_size, gemp_place place)
{
	gemp_builder_part *part = &builder->parts[0];
	uint64_t ends[2];
	if (!type_size) {
		type = builder->options.default_type;
		type_size = strlen(type);
	}
	GEMP_TRY(check_key(part, source));
	GEMP_TRY(check_key(part, target));
	if (!part->edges.coded && (source->type == GEMP_STRING || target->type == GEMP_STRING))
		GEMP_TRY(gemp_builder_part_code(part));
	GEMP_TRY(read_end(part, source, &ends[0]));
	GEMP_TRY(read_end(part, target, &ends[1]));
	GEMP_TRY(read_type(part, type, type_size));
	return gemp_edge_list_add(&part->edges, ends[0], ends[1], part->type, place_code(place));
}

/* Ends of a coded part are indices in its dictionary, so its edges are added one by one. */
gemp_code gemp_builder_integer_edges(gemp_builder *builder, const int64_t *ends, size_t count, const char *type,
                                     size_t type_size, gemp_place place, bool lines)
{
	gemp_builder_part *part = &builder->parts[0];
	if (!type_size) {
		type = builder->options.default_type;
		type_size = strlen(type);
	}
	if (!part->edges.coded) {
		GEMP_TRY(read_type(part, type, type_size));
		return gemp_edge_list_add_all(&part->edges, ends, count, part->type, place_code(place), lines);
	}
	for (size_t i = 0; i < count; i++, place.line += lines) {
		const gemp_value source = { .type = GEMP_INTEGER, .integer = ends[2 * i] };
		const gemp_value target = { .type = GEMP_INTEGER, .integer = ends[2 * i + 1] };
		GEMP_TRY(gemp_builder_edge(builder, &source, &target, type, type_size, place));
	}
	return GEMP_OK;
}

void gemp_builder_shift_lines(gemp_builder *builder, uint32_t file, uint64_t lines)
{
	for (size_t p = 0; p < builder->part_count; p++) {
		gemp_edge_list *edges = &builder->parts[p].edges;
		for (size_t r = 0; r < edges->run_count; r++)
			if (edges->runs[r].place >> LINE_BITS == file)
				edges->runs[r].place += lines;
	}
}

gemp_code gemp_builder_reserve_edges(gemp_builder *builder, size_t count)
{
	gemp_edge_list *edges = &builder->parts[0].edges;
	return gemp_edge_list_reserve(edges, edges->count + count);
}

/* A place of a generated graph has no file, and its line is the number of a record. */
void gemp_builder_place_print(const gemp_builder *builder, uint64_t place, gemp_text *out)
{
	uint64_t file = place >> LINE_BITS, line = place & ((UINT64_C(1) << LINE_BITS) - 1);
	if (file && file <= builder->file_count)
		gemp_text_print(out, "%s:%" PRIu64, builder->files[file - 1], line);
	else
		gemp_text_print(out, "record %" PRIu64, line);
}

bool gemp_builder_is_coded(const gemp_builder *builder)
{
	return builder->parts[0].edges.coded;
}
