#include "partition/builder.h"

#include "core/memory.h"
#include "core/random.h"
#include "partition/builder_state.h"

#include <string.h>

enum { LINE_BITS = 40, DEFAULT_BATCH = 64 << 20 };

static gemp_code copy_text(const char **text, const char *otherwise)
{
	const char *from = *text ? *text : otherwise;
	*text = from ? gemp_strdup(from) : NULL;
	return from && !*text ? GEMP_ENOMEM : GEMP_OK;
}

gemp_code gemp_builder_new(gemp_builder **out, const gemp_comm *comm, const gemp_builder_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_builder *builder = NULL;
	*out = NULL;
	code = GEMP_NEW(builder, 1);
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
done:
	gemp_builder_free(builder);
	return code;
}

static void free_input(gemp_builder *builder)
{
	gemp_bytes_free(&builder->vertices.keys);
	gemp_free(builder->vertices.records);
	gemp_table_free(&builder->vertices.values);
	gemp_dictionary_free(&builder->labels);
	gemp_free(builder->edges);
	gemp_table_free(&builder->edge_values);
	gemp_dictionary_free(&builder->ends);
	gemp_dictionary_free(&builder->types);
}

void gemp_builder_free(gemp_builder *builder)
{
	if (!builder)
		return;
	free_input(builder);
	for (size_t i = 0; i < builder->file_count; i++)
		gemp_free(builder->files[i]);
	gemp_free(builder->files);
	gemp_text_free(&builder->scratch);
	gemp_free((char *)builder->options.default_label);
	gemp_free((char *)builder->options.default_type);
	gemp_free(builder);
}

gemp_code gemp_builder_file(gemp_builder *builder, const char *path, uint32_t *file)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(builder->files, builder->file_capacity, builder->file_count + 1));
	builder->files[builder->file_count] = gemp_strdup(path);
	if (!builder->files[builder->file_count])
		return GEMP_ENOMEM;
	*file = (uint32_t)++builder->file_count;
done:
	return code;
}

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
	return add_column(&builder->vertices.values, "vertex", name, type, column);
}

gemp_code gemp_builder_edge_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column)
{
	return add_column(&builder->edge_values, "edge", name, type, column);
}

static uint64_t place_code(gemp_place place)
{
	uint64_t line = place.line >> LINE_BITS ? (UINT64_C(1) << LINE_BITS) - 1 : place.line;
	return (uint64_t)place.file << LINE_BITS | line;
}

static gemp_code encode(gemp_builder *builder, const gemp_value *key)
{
	if (key->null || (key->type != GEMP_INTEGER && key->type != GEMP_STRING))
		return gemp_fail(GEMP_EDATA, "the id of a vertex must be an integer or a string");
	if (key->type == GEMP_INTEGER)
		builder->has_integer_key = true;
	else
		builder->has_string_key = true;
	return gemp_key_encode(key, &builder->scratch);
}

gemp_code gemp_builder_vertex(gemp_builder *builder, const gemp_value *key, const char *labels, size_t labels_size,
                              gemp_place place)
{
	gemp_code code = GEMP_OK;
	gemp_vertex_list *list = &builder->vertices;
	struct gemp_vertex_record record = { .place = place_code(place) };
	const char *otherwise = builder->options.default_label;
	if (!labels_size && otherwise) {
		labels = otherwise;
		labels_size = strlen(otherwise);
	}
	GEMP_TRY(encode(builder, key));
	GEMP_TRY(gemp_dictionary_add(&builder->labels, labels, labels_size, &record.labels));
	GEMP_TRY(GEMP_RESERVE(list->records, list->capacity, list->keys.count + 1));
	list->records[list->keys.count] = record;
	GEMP_TRY(gemp_bytes_add(&list->keys, builder->scratch.data, builder->scratch.size));
done:
	return code;
}

gemp_code gemp_builder_pad(gemp_column *column, size_t rows)
{
	gemp_code code = gemp_column_loaded(column) ? GEMP_OK : gemp_column_reserve(column, 0, 0);
	while (code == GEMP_OK && column->rows < rows)
		code = gemp_column_add(column, &(gemp_value){ .type = column->type, .null = true });
	return code;
}

static gemp_code set_value(gemp_table *table, size_t index, size_t rows, const gemp_value *value)
{
	gemp_code code = GEMP_OK;
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
	GEMP_TRY(gemp_builder_pad(column, rows - 1));
	GEMP_TRY(gemp_column_add(column, value));
done:
	return code;
}

gemp_code gemp_builder_vertex_value(gemp_builder *builder, size_t column, const gemp_value *value)
{
	return set_value(&builder->vertices.values, column, builder->vertices.keys.count, value);
}

gemp_code gemp_builder_edge_value(gemp_builder *builder, size_t column, const gemp_value *value)
{
	return set_value(&builder->edge_values, column, builder->edge_count, value);
}

static gemp_code add_end(gemp_builder *builder, const gemp_value *key, uint32_t *index)
{
	gemp_code code = encode(builder, key);
	if (code == GEMP_OK)
		code = gemp_dictionary_add(&builder->ends, builder->scratch.data, builder->scratch.size, index);
	return code;
}

gemp_code gemp_builder_edge(gemp_builder *builder, const gemp_value *source, const gemp_value *target, const char *type,
                            size_t type_size, gemp_place place)
{
	gemp_code code = GEMP_OK;
	gemp_edge_record edge = { .place = place_code(place) };
	if (!type_size) {
		type = builder->options.default_type;
		type_size = strlen(type);
	}
	GEMP_TRY(add_end(builder, source, &edge.source));
	GEMP_TRY(add_end(builder, target, &edge.target));
	GEMP_TRY(gemp_dictionary_add(&builder->types, type, type_size, &edge.type));
	GEMP_TRY(GEMP_RESERVE(builder->edges, builder->edge_capacity, builder->edge_count + 1));
	builder->edges[builder->edge_count++] = edge;
done:
	return code;
}

void gemp_builder_place_print(const gemp_builder *builder, uint64_t place, gemp_text *out)
{
	uint64_t file = place >> LINE_BITS, line = place & ((UINT64_C(1) << LINE_BITS) - 1);
	if (file && file <= builder->file_count)
		gemp_text_print(out, "%s:%" PRIu64, builder->files[file - 1], line);
	else
		gemp_text_print(out, "record %" PRIu64, line);
}

void gemp_builder_key_print(const char *key, size_t size, gemp_text *out)
{
	gemp_value value = gemp_key_decode(key, size);
	gemp_text_print(out, "'");
	gemp_value_print(&value, out);
	gemp_text_print(out, "'");
}

gemp_code gemp_builder_complain(const gemp_builder *builder, uint64_t place, uint64_t count, const char *message)
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

uint64_t gemp_builder_key_hash(const gemp_builder *builder, const char *key, size_t size)
{
	return gemp_hash(key, size, builder->options.seed);
}

int gemp_builder_key_owner(const gemp_builder *builder, uint64_t hash)
{
	return (int)((unsigned __int128)hash * (unsigned)builder->comm->size >> 64);
}

static gemp_code build(gemp_builder *builder, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_builder_keys(builder));
	GEMP_TRY(gemp_builder_vertices(builder, graph));
	GEMP_TRY(gemp_builder_labels(builder, graph));
	GEMP_TRY(gemp_builder_ends(builder, graph));
	GEMP_TRY(gemp_builder_edges(builder, graph));
	GEMP_TRY(gemp_builder_ranks(builder, graph));
	GEMP_TRY(gemp_graph_content_hash(builder->comm, graph, &graph->hash));
done:
	return code;
}

gemp_code gemp_builder_finish(gemp_builder *builder, gemp_graph **out)
{
	gemp_code code = GEMP_OK;
	gemp_graph *graph = NULL;
	*out = NULL;
	code = GEMP_NEW(graph, 1);
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	graph->rank = builder->comm->rank;
	graph->ranks = builder->comm->size;
	graph->seed = builder->options.seed;
	GEMP_TRY(build(builder, graph));
	*out = graph;
	graph = NULL;
done:
	free_input(builder);
	builder->vertices = (gemp_vertex_list){ 0 };
	builder->edges = NULL;
	builder->edge_count = builder->edge_capacity = 0;
	builder->has_integer_key = builder->has_string_key = false;
	gemp_graph_free(graph);
	return code;
}
