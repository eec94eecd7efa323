#include "partition/builder.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/steps.h"
#include "partition/builder_state.h"

#include <string.h>

enum { DEFAULT_BATCH = 64 << 20 };

static gemp_code copy_text(const char **text, const char *otherwise)
{
	const char *from = *text ? *text : otherwise;
	*text = from ? gemp_strdup(from) : NULL;
	return from && !*text ? GEMP_ENOMEM : GEMP_OK;
}

static gemp_code add_part(gemp_builder *builder)
{
	gemp_code code = GEMP_RESERVE(builder->parts, builder->part_capacity, builder->part_count + 1);
	if (code == GEMP_OK)
		builder->parts[builder->part_count++] = (gemp_builder_part){ 0 };
	return code;
}

gemp_code gemp_builder_new(gemp_builder **out, const gemp_comm *comm, const gemp_builder_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_builder *builder = NULL;
	*out = NULL;
	code = GEMP_NEW(builder, 1);
	if (code == GEMP_OK)
		code = add_part(builder);
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

static void free_vertices(gemp_vertex_list *list)
{
	gemp_bytes_free(&list->keys);
	gemp_free(list->records);
	gemp_table_free(&list->values);
	*list = (gemp_vertex_list){ 0 };
}

void gemp_builder_part_free(gemp_builder_part *part)
{
	gemp_text_free(&part->scratch);
	free_vertices(&part->vertices);
	gemp_dictionary_free(&part->labels);
	gemp_edge_list_free(&part->edges);
	gemp_dictionary_free(&part->ends);
	gemp_dictionary_free(&part->types);
	gemp_table_free(&part->edge_values);
	*part = (gemp_builder_part){ 0 };
}

static void free_input(gemp_builder *builder)
{
	for (size_t p = 0; p < builder->part_count; p++)
		gemp_builder_part_free(&builder->parts[p]);
	if (builder->part_count)
		builder->part_count = 1;
	free_vertices(&builder->vertices);
	gemp_dictionary_free(&builder->labels);
}

void gemp_builder_free(gemp_builder *builder)
{
	if (!builder)
		return;
	free_input(builder);
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

static gemp_code copy_columns(gemp_table *to, const gemp_table *from)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < from->count && code == GEMP_OK; c++)
		code = gemp_table_add(to, from->columns[c].name, from->columns[c].type, NULL);
	return code;
}

gemp_code gemp_builder_branch(gemp_builder **out, gemp_builder *root)
{
	gemp_code code = GEMP_OK;
	gemp_builder *branch = NULL;
	*out = NULL;
	GEMP_TRY(GEMP_NEW(branch, 1));
	branch->root = root;
	branch->comm = root->comm;
	branch->options = root->options;
	GEMP_TRY(add_part(branch));
	GEMP_TRY(copy_columns(&branch->parts[0].vertices.values, &root->parts[0].vertices.values));
	GEMP_TRY(copy_columns(&branch->parts[0].edge_values, &root->parts[0].edge_values));
	*out = branch;
	branch = NULL;
done:
	gemp_builder_free(branch);
	return code;
}

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

size_t gemp_builder_most_parts(const gemp_builder *builder)
{
	uint64_t most = builder->part_count;
	gemp_comm_max(builder->comm, &most, 1);
	return most;
}

gemp_builder_part *gemp_builder_part_at(gemp_builder *builder, size_t part, gemp_builder_part *none)
{
	*none = (gemp_builder_part){ 0 };
	return part < builder->part_count ? &builder->parts[part] : none;
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
	gemp_steps *steps = builder->options.steps;
	gemp_steps_next(steps, "vertices");
	GEMP_TRY(gemp_builder_keys(builder));
	GEMP_TRY(gemp_builder_vertices(builder, graph));
	GEMP_TRY(gemp_builder_labels(builder, graph));
	gemp_steps_next(steps, "ids");
	GEMP_TRY(gemp_builder_ends(builder, graph));
	GEMP_TRY(gemp_builder_edges(builder, graph));
	gemp_steps_next(steps, "keys");
	GEMP_TRY(gemp_builder_ranks(builder, graph));
	gemp_steps_next(steps, "hash");
	GEMP_TRY(gemp_graph_content_hash(builder->comm, graph, &graph->hash));
	gemp_steps_next(steps, NULL);
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
	gemp_graph_free(graph);
	return code;
}
