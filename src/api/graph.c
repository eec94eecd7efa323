/* graph: opens, imports, generates, builds and closes a gemp_graph, and manages gemp_columns, which are tables of typed
 * columns of this rank.
 *
 * A graph keeps the seconds that it took until a report takes them (gemp_graph_take_timers). It keeps the steps of its
 * making for the throughput, and the names of its input files for the provenance of a graph file. A view of a column
 * points into the table, so the program gets the rows without a copy. */

#include "api/graph.h"

#include "core/memory.h"
#include "core/node_memory.h"
#include "generate/generate.h"
#include "graph/column_bulk.h"
#include "graph/kept.h"
#include "io/graph_file/graph_file_read.h"
#include "io/import/import.h"
#include "partition/build/builder.h"

#include <string.h>

GEMP_SETTINGS(gemp_import_settings, .seed = 1)
GEMP_RELEASE(gemp_graph_close, gemp_graph *)
GEMP_RELEASE(gemp_graph_builder_close, gemp_graph_builder *)
GEMP_RELEASE(gemp_columns_close, gemp_columns *)

/* OPEN AND CLOSE */

/* The caller never frees the shard: if there is no memory for the graph, this function frees the shard; otherwise
 * gemp_graph_close does. */
gemp_code gemp_graph_of_shard(gemp_graph **out, gemp_context *context, gemp_shard *shard, const char *name)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	*out = NULL;
	gemp_code code = GEMP_NEW(graph, 1);
	if (code == GEMP_OK) {
		*graph = (gemp_graph){ .context = context, .shard = shard, .name = gemp_strdup(name) };
		code = graph->name ? GEMP_OK : GEMP_ENOMEM;
	} else {
		gemp_shard_free(shard);
	}
	GEMP_TRY(gemp_comm_agree(&context->comm, code));
	*out = GEMP_MOVE(graph);
	return GEMP_OK;
}

/* Only the schema is read. Later functions load the parts of the file that they need. */
gemp_code gemp_graph_open(gemp_graph **out, gemp_context *context, const char *path)
{
	gemp_shard *shard = NULL;
	double since = gemp_now();
	*out = NULL;
	GEMP_TRY(gemp_graph_file_open(&shard, &context->comm, path, context->trust));
	GEMP_TRY(gemp_graph_of_shard(out, context, shard, path));
	gemp_timers_add(&(*out)->timers, GEMP_PHASE_READ, since);
	return GEMP_OK;
}

/* An eighth of the memory that the user allows, or of what the node has left, but no more than bitmaps and statistics
 * of large graphs need: a bitmap of 10^9 vertices takes 125 MB. */
gemp_code gemp_graph_keep_results(const gemp_graph *graph)
{
	enum { PART = 8 };
	const size_t max = (size_t)1 << 30, given = graph->context->budgets.host_memory;
	gemp_shard *shard = graph->shard;
	if (shard->kept)
		return GEMP_OK;
	const size_t left = given ? given : (size_t)gemp_memory_available() / (size_t)graph->context->comm.node_size;
	const gemp_code code = gemp_comm_agree(&graph->context->comm,
	                                       gemp_kept_new(&shard->kept, gemp_min(left / PART, max)));
	if (code != GEMP_OK) {
		gemp_kept_free(shard->kept);
		shard->kept = NULL;
	}
	return code;
}

gemp_timers gemp_graph_take_timers(gemp_graph *graph)
{
	gemp_timers timers = graph->timers;
	graph->timers = (gemp_timers){ 0 };
	return timers;
}

void gemp_graph_close(gemp_graph *graph)
{
	if (!graph)
		return;
	gemp_shard_free(graph->shard);
	gemp_source_hashes_free(graph->input_hashes);
	gemp_paths_free(&graph->inputs);
	gemp_free_all(graph->name, graph);
}

uint64_t gemp_graph_vertex_count(const gemp_graph *graph)
{
	return graph->shard->vertex_count;
}

uint64_t gemp_graph_edge_count(const gemp_graph *graph)
{
	return gemp_shard_edges(graph->shard);
}

uint64_t gemp_graph_local_vertex_count(const gemp_graph *graph)
{
	return graph->shard->rows;
}

uint64_t gemp_graph_hash(const gemp_graph *graph)
{
	return graph->shard->hash;
}

/* *out is allocated before the names are looked up, so the caller must free it also if a name is unknown. */
gemp_code gemp_graph_select(bool **out, const gemp_graph *graph, const gemp_edge_selection *selection)
{
	const gemp_shard *shard = graph->shard;
	size_t named = selection ? selection->edge_type_count : 0;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, GEMP_NEW(*out, shard->relation_count)));
	for (size_t i = 0; i < shard->relation_count; i++)
		(*out)[i] = named == 0;
	for (size_t i = 0; i < named; i++) {
		const gemp_relation *relation = gemp_shard_relation(shard, selection->edge_types[i]);
		if (!relation)
			return gemp_fail(GEMP_EUSAGE, "relation %s: %s has no edges of this type; `gemp-mpi info` lists its types",
			                 selection->edge_types[i], graph->name);
		(*out)[relation - shard->relations] = true;
	}
	return GEMP_OK;
}

/* IMPORT */

/* Collective. Makes a graph of a shard that was made in these steps since the time `since`, and takes over the
 * shard. */
static gemp_code new_graph(gemp_graph **out, gemp_context *context, gemp_shard *shard, const char *name,
                           const gemp_step_times *steps, double since)
{
	GEMP_TRY(gemp_graph_of_shard(out, context, shard, name));
	(*out)->steps = *steps;
	gemp_timers_add(&(*out)->timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

/* Programs list formats by number, since the table of formats has no end mark. */
bool gemp_import_format_at(size_t index, const char **name, const char **endings, const char **summary)
{
	size_t count;
	const gemp_format *const *all = gemp_formats(&count);
	if (index >= count)
		return false;
	*name = all[index]->name;
	*endings = all[index]->endings;
	*summary = all[index]->summary;
	return true;
}

/* The list of input files is made before the import, since the content of a folder may change meanwhile and the
 * provenance must name the files that were read. */
gemp_code gemp_graph_import(gemp_graph **out, gemp_context *context, const gemp_import_settings *settings)
{
	const gemp_import_settings chosen = gemp_import_settings_from(settings);
	gemp_shard *shard = NULL;
	const gemp_format *format = NULL;
	GEMP_OWNED_BY(gemp_paths_free) gemp_paths inputs = { 0 };
	GEMP_OWNED_BY(gemp_source_hashes_free_at)
	gemp_source_hashes *hashes = NULL; /* reads `inputs`, so it is freed first */
	gemp_step_times steps = { 0 };
	*out = NULL;
	if (chosen.format)
		GEMP_TRY(gemp_format_parse(&format, chosen.format));
	const gemp_import_options how = { .vertex_file_count = chosen.vertex_file_count,
		                              .vertex_files = chosen.vertex_files,
		                              .edge_file_count = chosen.edge_file_count,
		                              .edge_files = chosen.edge_files,
		                              .format = format,
		                              .metamodel = chosen.metamodel,
		                              .undirected = chosen.undirected,
		                              .merge_parallel = chosen.merge_parallel,
		                              .seed = chosen.seed,
		                              .default_label = chosen.default_label,
		                              .default_type = chosen.default_type,
		                              .merged_rows = true,
		                              .steps = &steps };
	gemp_code code = gemp_import_files(&inputs, &how);
	double since = gemp_now();
	GEMP_THEN(gemp_source_hashes_begin(&hashes, &context->comm, (const char *const *)inputs.path, inputs.count));
	GEMP_TRY(gemp_comm_agree(&context->comm, code));
	GEMP_TRY(gemp_import(&shard, &context->comm, &how));
	GEMP_TRY(new_graph(out, context, shard, chosen.edge_file_count ? chosen.edge_files[0] : "imported graph", &steps,
	                   since));
	(*out)->inputs = inputs;
	(*out)->input_hashes = GEMP_MOVE(hashes);
	inputs = (gemp_paths){ 0 };
	return GEMP_OK;
}

/* GENERATORS */

/* The message about a wrong parameter names the place where the user wrote it. */
gemp_code gemp_graph_generate(gemp_graph **out, gemp_context *context, const char *generator,
                              const gemp_generator_parameter *parameters, size_t parameter_count, uint64_t seed,
                              uint64_t relabel_seed)
{
	gemp_shard *shard = NULL;
	gemp_generate_options how;
	gemp_step_times steps = { 0 };
	*out = NULL;
	GEMP_TRY(gemp_generate_init(&how, generator));
	for (size_t i = 0; i < parameter_count; i++) {
		const gemp_code code = gemp_generate_set(&how, parameters[i].name, parameters[i].value);
		if (code != GEMP_OK && parameters[i].place)
			gemp_fail_in(code, "%s: ", parameters[i].place);
		GEMP_TRY(code);
	}
	how.seed = seed;
	how.relabel_seed = relabel_seed;
	how.merged_rows = true;
	how.steps = &steps;
	double since = gemp_now();
	GEMP_TRY(gemp_generate(&shard, &context->comm, &how));
	return new_graph(out, context, shard, generator, &steps, since);
}

/* BUILDER */

struct gemp_graph_builder {
	gemp_context *context;
	gemp_builder *builder;
	size_t weight; /* the index of the edge column `weight` */
};

gemp_code gemp_graph_builder_open(gemp_graph_builder **out, gemp_context *context, uint64_t seed)
{
	GEMP_OWNED_BY(gemp_graph_builder_close_at) gemp_graph_builder *building = NULL;
	const gemp_builder_options how = { .seed = seed, .vertices_from_edges = true };
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(&context->comm, GEMP_NEW(building, 1)));
	building->context = context;
	GEMP_TRY(gemp_builder_new(&building->builder, &context->comm, &how));
	GEMP_TRY(gemp_comm_agree(&context->comm,
	                         gemp_builder_edge_column(building->builder, "weight", GEMP_FLOAT, &building->weight)));
	*out = GEMP_MOVE(building);
	return GEMP_OK;
}

void gemp_graph_builder_close(gemp_graph_builder *building)
{
	if (!building)
		return;
	gemp_builder_free(building->builder);
	gemp_free(building);
}

static gemp_value integer_key(int64_t key)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = key };
}

/* Memory is reserved for all edges at once, so long arrays are not copied while the builder's list grows. */
gemp_code gemp_graph_builder_edges(gemp_graph_builder *building, const char *type, size_t count, const int64_t *source,
                                   const int64_t *target, const double *weights)
{
	GEMP_TRY(gemp_builder_reserve_edges(building->builder, count));
	for (size_t i = 0; i < count; i++) {
		const gemp_value from = integer_key(source[i]), to = integer_key(target[i]);
		GEMP_TRY(gemp_builder_edge(building->builder, &from, &to, type, strlen(type), (gemp_place){ 0, i + 1 }));
		if (!weights)
			continue;
		const gemp_value weight = { .type = GEMP_FLOAT, .real = weights[i] };
		GEMP_TRY(gemp_builder_edge_value(building->builder, building->weight, &weight));
	}
	return GEMP_OK;
}

/* The place of a key is its position in the array, from 1 on; messages about the key show it. */
gemp_code gemp_graph_builder_vertices(gemp_graph_builder *building, const char *label, size_t count,
                                      const int64_t *keys)
{
	for (size_t i = 0; i < count; i++) {
		const gemp_value key = integer_key(keys[i]);
		GEMP_TRY(gemp_builder_vertex(building->builder, &key, label ? label : "", label ? strlen(label) : 0,
		                             (gemp_place){ 0, i + 1 }));
	}
	return GEMP_OK;
}

/* The builder is closed also after a failure, so the caller must not close it again. */
gemp_code gemp_graph_builder_finish(gemp_graph_builder *building, gemp_graph **out)
{
	gemp_shard *shard = NULL;
	gemp_context *context = building->context;
	*out = NULL;
	gemp_code code = gemp_builder_finish(building->builder, &shard);
	gemp_graph_builder_close(building);
	return code == GEMP_OK ? gemp_graph_of_shard(out, context, shard, "graph in memory") : code;
}

/* COLUMNS */

gemp_code gemp_columns_new(gemp_columns **out, const gemp_context *context)
{
	*out = NULL;
	return gemp_comm_agree(&context->comm, GEMP_NEW(*out, 1));
}

void gemp_columns_close(gemp_columns *columns)
{
	if (!columns)
		return;
	gemp_table_free(&columns->table);
	gemp_free(columns);
}

size_t gemp_columns_count(const gemp_columns *columns)
{
	return columns->table.count;
}

size_t gemp_columns_rows(const gemp_columns *columns)
{
	return columns->table.rows;
}

/* Only the array of the column's type is set; the other pointers are NULL. */
static void view_of(gemp_column_view *out, const gemp_column *column)
{
	*out = (gemp_column_view){ .name = column->name,
		                       .type = column->type,
		                       .rows = column->rows,
		                       .integers = column->integers,
		                       .floats = column->floats,
		                       .booleans = column->booleans,
		                       .offsets = column->offsets,
		                       .bytes = column->bytes,
		                       .null = column->null };
}

bool gemp_columns_at(const gemp_columns *columns, size_t index, gemp_column_view *out)
{
	if (index >= columns->table.count)
		return false;
	view_of(out, &columns->table.columns[index]);
	return true;
}

bool gemp_columns_find(const gemp_columns *columns, const char *name, gemp_column_view *out)
{
	const gemp_column *column = gemp_table_find(&columns->table, name);
	if (column)
		view_of(out, column);
	return column != NULL;
}

/* Keys are copied, since columns may outlive the graph. */
gemp_code gemp_graph_keys(gemp_columns **out, gemp_graph *graph)
{
	GEMP_OWNED_BY(gemp_columns_close_at) gemp_columns *columns = NULL;
	gemp_column *key;
	const gemp_shard *shard = graph->shard;
	*out = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph->shard));
	GEMP_TRY(gemp_columns_new(&columns, graph->context));
	gemp_code code = gemp_table_add(&columns->table, "key", shard->keys.type, &key);
	GEMP_THEN(gemp_column_append(key, &shard->keys));
	columns->table.rows = shard->rows;
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, code));
	*out = GEMP_MOVE(columns);
	return GEMP_OK;
}
