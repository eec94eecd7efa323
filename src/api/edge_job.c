/* The writer of graph files writes the attributes of a graph. To write result columns as attributes without a copy,
 * this module lends their arrays to the graph in memory, under the attributes' names, while the file is written. */

#include "api/edge_job.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "graph/column_bulk.h"
#include "graph/either_rows.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_weight.h"
#include "io/graph_file/graph_file_write.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"
#include "partition/build/content_hash.h"

#include <inttypes.h>
#include <math.h>

GEMP_SETTINGS(gemp_edge_selection)
GEMP_SETTINGS(gemp_topology_settings)

/* THE JOB */

/* The direction is checked here for all functions on edges, since C accepts any number for an enumeration. The
 * comparison is unsigned, so it also refuses negative numbers. */
gemp_code gemp_edge_job_begin(gemp_edge_job *out, gemp_graph *graph, const gemp_edge_selection *edges,
                              gemp_report *report)
{
	*out = (gemp_edge_job){ .graph = graph,
		                    .shard = graph->shard,
		                    .comm = &graph->context->comm,
		                    .edges = gemp_edge_selection_from(edges),
		                    .reports = report != NULL,
		                    .timers = gemp_graph_take_timers(graph) };
	out->report = gemp_report_or(report, &out->none, graph->context);
	if ((unsigned)out->edges.direction > GEMP_EITHER_WAY)
		return gemp_fail(GEMP_EUSAGE, "direction %d is none of gemp_edge_direction", (int)out->edges.direction);
	return gemp_graph_select(&out->relations, graph, &out->edges);
}

/* Hosts are faster with fewer edges and vertices, and opening a device takes longer than their work. */
enum { DEVICE_MIN = 1 << 14 };

static bool is_small(const gemp_edge_job *job)
{
	uint64_t items = job->shard->vertex_count;
	for (size_t r = 0; r < job->shard->relation_count; r++)
		items += job->relations[r] ? job->shard->relations[r].edge_count : 0;
	return items < DEVICE_MIN;
}

/* Paths are checked before the device is opened, since opening takes longer. If the library chooses among the devices
 * and finds none, hosts do the work. */
gemp_code gemp_topology_job_begin(gemp_edge_job *out, gemp_topology_settings *chosen, gemp_graph *graph,
                                  const gemp_edge_selection *edges, const gemp_topology_settings *settings,
                                  gemp_report *report)
{
	*chosen = gemp_topology_settings_from(settings);
	GEMP_TRY(gemp_edge_job_begin(out, graph, edges, report));
	GEMP_TRY(gemp_rows_path_check(out->comm, "output", chosen->output));
	GEMP_TRY(gemp_rows_path_check(out->comm, "tree", chosen->tree));
	const bool checks = chosen->drawing && out->comm->rank == 0;
	GEMP_TRY(gemp_comm_agree(out->comm, checks ? gemp_file_may_write("dot", chosen->drawing) : GEMP_OK));
	if (chosen->place == GEMP_PLACE_HOST || (chosen->place == GEMP_PLACE_AUTO && is_small(out)))
		return GEMP_OK;
	const gemp_code code = gemp_edge_job_device(out);
	const bool automatic = chosen->place == GEMP_PLACE_AUTO && !graph->context->devices;
	return code == GEMP_ENODEVICE && automatic ? GEMP_OK : code;
}

/* Checks that at least one selected edge type has the attribute, and that the attribute is a number in each type that
 * has it. The layout finds edges without a value. */
gemp_code gemp_edge_job_check_weight(const gemp_edge_job *job)
{
	const char *weight = job->edges.weight;
	bool any = !weight || job->shard->relation_count == 0;
	for (size_t r = 0; r < job->shard->relation_count && weight; r++) {
		const gemp_column *column = job->relations[r] ? gemp_table_find(&job->shard->relations[r].props, weight) : NULL;
		any |= column != NULL;
		if (column && column->type != GEMP_INTEGER && column->type != GEMP_FLOAT)
			return gemp_fail(GEMP_EUSAGE, "weight %s: this attribute of edges %s is %s; weights are integers or floats",
			                 weight, job->shard->relations[r].name, gemp_type_name[column->type]);
	}
	return any ? GEMP_OK
	           : gemp_fail(
					 GEMP_EUSAGE,
					 "weight %s: no selected edges have this attribute; `gemp-mpi info %s` lists those that they have",
					 weight, job->graph->name);
}

gemp_code gemp_edge_job_device(gemp_edge_job *job)
{
	double since = gemp_now();
	if (job->runtime)
		GEMP_TRY(gemp_runtime_open_devices(job->runtime));
	else
		GEMP_TRY(gemp_context_runtime(&job->runtime, job->graph->context, GEMP_NEED_FIRST_DEVICE, NULL));
	job->device = job->runtime->device;
	gemp_timers_add(&job->timers, GEMP_PHASE_BUILD, since);
	return GEMP_OK;
}

void gemp_edge_job_free(gemp_edge_job *job)
{
	gemp_columns_close(job->columns);
	gemp_free(job->relations);
}

void gemp_edge_job_hand_over(gemp_edge_job *job, gemp_columns **out)
{
	if (out)
		*out = GEMP_MOVE(job->columns);
}

/* Loads the rows by source of a relation; or, if `either`, the merged rows of a symmetric relation whose rows by source
 * would have to be made from them. */
static gemp_code load_rows(gemp_shard *shard, size_t index, bool either, gemp_csr *out)
{
	const gemp_relation *relation = &shard->relations[index];
	either &= relation->merged && gemp_relation_is_symmetric(relation) && !(relation->loaded & GEMP_LOAD_OUT);
	GEMP_TRY(gemp_shard_load_relation(shard, index, either ? GEMP_LOAD_EITHER : GEMP_LOAD_OUT));
	*out = either ? gemp_csr_either(shard, index) : gemp_csr_out(shard, index);
	return GEMP_OK;
}

/* All rows are loaded before the work, so the time of the work contains no reading. */
static gemp_code load_selected(gemp_edge_job *job, bool directed, bool either, gemp_csr **out, size_t **relation,
                               size_t *count)
{
	gemp_shard *shard = job->shard;
	double since = gemp_now();
	gemp_code code = GEMP_NEW(*out, shard->relation_count);
	*count = 0;
	if (relation)
		GEMP_THEN(GEMP_NEW(*relation, shard->relation_count));
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	for (size_t r = 0; r < shard->relation_count; r++) {
		if (!job->relations[r] || (directed && !shard->relations[r].directed))
			continue;
		GEMP_TRY(load_rows(shard, r, either, &(*out)[*count]));
		if (relation)
			(*relation)[*count] = r;
		++*count;
	}
	gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
	return GEMP_OK;
}

gemp_code gemp_edge_job_rows(gemp_edge_job *job, bool directed, gemp_csr **out, size_t **relation, size_t *count)
{
	return load_selected(job, directed, false, out, relation, count);
}

gemp_code gemp_edge_job_connections(gemp_edge_job *job, gemp_csr **out, size_t **relation, size_t *count)
{
	return load_selected(job, false, true, out, relation, count);
}

void gemp_edge_job_exchange(gemp_edge_job *job, const gemp_traffic *traffic, gemp_count edges)
{
	if (job->comm->size == 1)
		return;
	const gemp_traffic all = gemp_report_traffic(job->report, traffic);
	double each = edges ? (double)all.bytes / (double)edges : 0;
	gemp_report_detail(job->report, "  %-10s %.2f bytes an edge\n", "", each);
	gemp_report_set(job->report, "bytes_per_edge", json_real(each));
}

void gemp_edge_job_between_devices(gemp_edge_job *job, bool on_devices, double seconds)
{
	if (job->comm->size == 1 || !on_devices)
		return;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, job->comm->world));
	gemp_report_detail(job->report, "  %-10s %10.3f ms between devices\n", "", 1e3 * seconds);
	gemp_report_set(job->report, "exchange_seconds", json_real(seconds));
}

gemp_code gemp_edge_job_report(gemp_edge_job *job)
{
	gemp_report_graph(job->report, job->shard);
	return gemp_report_resources(job->report, job->runtime, &job->timers);
}

/* COLUMNS */

/* Adds a column in which all rows are NULL. */
static gemp_code add_column(gemp_column **out, gemp_table *found, const char *name, gemp_type type, size_t rows)
{
	GEMP_TRY(gemp_table_add(found, name, type, out));
	found->rows = rows;
	return gemp_column_pad(*out, rows);
}

/* Local. GEMP_EDATA if a value, such as a sum of weights, exceeds the largest signed integer. */
static gemp_code fill_integers(gemp_column *column, const gemp_layout *layout, gemp_column_values type,
                               const void *values, uint64_t none)
{
	const uint32_t *narrow = values;
	const uint64_t *wide = values;
	for (size_t row = 0; row < layout->own; row++) {
		const gemp_vertex v = layout->local[row];
		const uint64_t value = type == GEMP_VALUES_U32 ? narrow[v] : wide[v];
		if (value == none)
			continue;
		if (value > INT64_MAX)
			return gemp_fail(GEMP_EDATA,
			                 "%s: %" PRIu64 " is more than a column of integers holds (2^63 - 1); give smaller "
			                 "weights, or floats",
			                 column->name, value);
		column->integers[row] = (int64_t)value;
		column->null[row] = 0;
	}
	return GEMP_OK;
}

/* Local. Infinite distances and NaN stay NULL. */
static void fill_floats(gemp_column *column, const gemp_layout *layout, const double *values)
{
	for (size_t row = 0; row < layout->own; row++)
		if (isfinite(values[layout->local[row]])) {
			column->floats[row] = values[layout->local[row]];
			column->null[row] = 0;
		}
}

/* A new column has only NULLs, and only the vertices with a value are written. */
gemp_code gemp_vertex_column_add(gemp_table *found, const char *name, const gemp_layout *layout,
                                 gemp_column_values type, const void *values, uint64_t none)
{
	const bool floats = type == GEMP_VALUES_DOUBLE;
	gemp_column *column = NULL;
	gemp_code code = add_column(&column, found, name, floats ? GEMP_FLOAT : GEMP_INTEGER, layout->own);
	if (code == GEMP_OK && floats)
		fill_floats(column, layout, values);
	else
		GEMP_THEN(fill_integers(column, layout, type, values, none));
	GEMP_TRY(gemp_comm_agree(layout->comm, code));
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}

/* One request to each rank fetches the keys of all its vertices. */
gemp_code gemp_vertex_column_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                  const gemp_vertex *values)
{
	const gemp_comm *comm = layout->comm;
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_OWNED uint64_t *rows = NULL;
	size_t count = 0;
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	gemp_column *column = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	gemp_code code = gemp_new_all(GEMP_ARRAY(ids, layout->own), GEMP_ARRAY(rows, layout->own));
	GEMP_THEN(add_column(&column, found, name, graph->keys.type, layout->own));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t row = 0; row < layout->own; row++)
		if (values[layout->local[row]] != GEMP_NO_VERTEX) {
			ids[count] = values[layout->local[row]];
			rows[count++] = row;
		}
	GEMP_TRY(gemp_vertex_keys_fetch(&keys, comm, graph, ids, count));
	GEMP_TRY(gemp_comm_agree(comm, gemp_column_scatter(column, rows, count, &keys)));
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}

/* ROWS */

typedef struct row_source {
	const gemp_shard *graph;
	const gemp_table *columns;
} row_source;

/* Callback of the row writer. Fills the key and the columns of the rows first .. first + count - 1. */
static gemp_code fill_rows(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const row_source *rows = self;
	GEMP_TRY(gemp_row_fill_slice(&columns[0], &rows->graph->keys, first, count));
	for (size_t c = 0; c < rows->columns->count; c++)
		GEMP_TRY(gemp_row_fill_slice(&columns[1 + c], &rows->columns->columns[c], first, count));
	return GEMP_OK;
}

/* The ranks write in turn, so the rows have the order of ids. */
gemp_code gemp_vertex_output_rows(gemp_graph *graph, const char *path, const char *what, const gemp_table *columns)
{
	gemp_shard *shard = graph->shard;
	const gemp_comm *comm = &graph->context->comm;
	row_source rows = { shard, columns };
	GEMP_OWNED gemp_row_column *heads = NULL;
	GEMP_TRY(gemp_shard_load_keys(shard));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(heads, 1 + columns->count)));
	heads[0] = (gemp_row_column){ "key", shard->keys.type };
	for (size_t c = 0; c < columns->count; c++)
		heads[1 + c] = (gemp_row_column){ columns->columns[c].name, columns->columns[c].type };
	gemp_row_turns turns = { .comm = comm,
		                     .columns = heads,
		                     .count = 1 + columns->count,
		                     .fill = fill_rows,
		                     .self = &rows,
		                     .path = path,
		                     .info = gemp_row_info(what, shard) };
	return gemp_row_turns_write(&turns, shard->rows);
}

/* INTO A GRAPH FILE */

/* Makes the name of a new attribute. If there is one column, the name is the prefix ("pagerank"). Otherwise it is the
 * prefix and the name of the column ("bfs_level", "bfs_parent"). */
static gemp_code attribute_name(gemp_text *out, const char *prefix, const char *column, size_t count)
{
	gemp_text_clear(out);
	gemp_text_print(out, count > 1 ? "%s_%s" : "%s", prefix, column);
	return gemp_text_status(out);
}

static const char *prefix_of(const gemp_vertex_output *output, const char *function)
{
	return output->column ? output->column : function;
}

/* A graph that already has an attribute of this name is refused before the work, since the new file would have two
 * attributes of one name. */
gemp_code gemp_vertex_output_check(const gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   const char *const *names, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &graph->context->comm;
	const char *into = output->into;
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	GEMP_TRY(gemp_rows_path_check(comm, "output", output->output));
	if (!into && output->column)
		code = gemp_fail(GEMP_EUSAGE, "column %s names an attribute of the graph that `into` writes; give `into`, too",
		                 output->column);
	else if (into && !gemp_file_ends_in(into, ".h5"))
		code = gemp_fail(GEMP_EUSAGE, "into %s: this is to be a graph file, whose name ends in .h5", into);
	else if (into && comm->rank == 0)
		code = gemp_file_may_write("into", into);
	for (size_t i = 0; into && i < count && code == GEMP_OK; i++) {
		code = attribute_name(&name, prefix_of(output, function), names[i], count);
		if (code == GEMP_OK && gemp_table_find(&graph->shard->attributes, name.data))
			code = gemp_fail(GEMP_EUSAGE,
			                 "into %s: vertices of %s have an attribute '%s' already; give another name by `column`",
			                 into, graph->name, name.data);
	}
	return gemp_comm_agree(comm, code);
}

/* A graph to whose attributes result columns have been lent. The members restore the graph when the columns are
 * returned. */
typedef struct lending {
	gemp_shard *graph;
	size_t attributes; /* the number of the graph's own attributes */
	uint64_t hash;
} lending;

/* Gives the arrays of the columns to the graph as attributes, until return_columns. */
static gemp_code lend_columns(gemp_shard *graph, const char *prefix, const gemp_table *columns)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	for (size_t i = 0; i < columns->count; i++) {
		gemp_column *column = NULL;
		GEMP_TRY(attribute_name(&name, prefix, columns->columns[i].name, columns->count));
		GEMP_TRY(gemp_table_add(&graph->attributes, name.data, columns->columns[i].type, &column));
		char *own = column->name;
		*column = columns->columns[i];
		column->name = own;
	}
	return GEMP_OK;
}

/* Frees the names of the lent columns. Their arrays belong to the lender. */
static void return_columns(lending *lent)
{
	gemp_table *attributes = &lent->graph->attributes;
	while (attributes->count > lent->attributes) {
		gemp_column *last = &attributes->columns[--attributes->count];
		gemp_free(last->name);
		*last = (gemp_column){ 0 };
	}
	lent->graph->hash = lent->hash;
}

/* Collective. If the graph came from a file, its matrices keep their values and it keeps its indexes. */
static gemp_code write_into(gemp_graph *graph, const gemp_vertex_output *output, const char *prefix,
                            const gemp_table *columns, gemp_report *report)
{
	gemp_shard *shard = graph->shard;
	const gemp_comm *comm = &graph->context->comm;
	GEMP_OWNED_BY(return_columns) lending lent = { shard, shard->attributes.count, shard->hash };
	const char *weight = NULL;
	const gemp_provenance provenance = { .command = output->command ? output->command : "libgemp",
		                                 .version = gemp_version() };
	GEMP_TRY(gemp_shard_load_all(shard));
	if (shard->loader.free) /* a loader that reads a file */
		GEMP_TRY(gemp_graph_file_matrix_values(&weight, comm, shard, graph->name));
	GEMP_TRY(gemp_comm_agree(comm, lend_columns(shard, prefix, columns)));
	GEMP_TRY(gemp_shard_content_hash(comm, shard, &shard->hash));
	GEMP_TRY(gemp_graph_file_write_weighted(comm, shard, output->into, &provenance, weight, false, true));
	if (!report)
		return GEMP_OK;
	gemp_report_detail(report, "Wrote attribute%s ", columns->count == 1 ? "" : "s");
	for (size_t i = lent.attributes; i < shard->attributes.count; i++)
		gemp_report_detail(report, "%s`%s`", i > lent.attributes ? ", " : "", shard->attributes.columns[i].name);
	gemp_report_detail(report, " to %s (%s)\n", output->into, gemp_counted(shard->vertex_count, "vertex").text);
	gemp_report_set(report, "into", json_string(output->into));
	return GEMP_OK;
}

gemp_code gemp_vertex_output_write(gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   gemp_table *columns, gemp_report *report)
{
	if (output->output)
		GEMP_TRY(gemp_vertex_output_rows(graph, output->output, function, columns));
	return output->into ? write_into(graph, output, prefix_of(output, function), columns, report) : GEMP_OK;
}
