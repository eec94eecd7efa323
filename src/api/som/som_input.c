/* This module reads the vectors of an array or a file; som/features computes the features of vertices. Both become a
 * gemp_vectors with a name for each column, so training and application do not depend on the source. */

#include "api/som/som_input.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/arrays/vectors.h"
#include "io/rows/row_writer.h"
#include "som/map/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

GEMP_SETTINGS(gemp_som_data)

/* An array or a file has no graph, so its job has only clocks and a report. */
gemp_code gemp_som_input_begin(gemp_som_input *out, gemp_context *context, const gemp_som_data *data,
                               gemp_report *report)
{
	*out = (gemp_som_input){ .context = context, .data = gemp_som_data_from(data) };
	data = &out->data;
	out->name = data->graph ? data->graph->name : data->path ? data->path : "the array";
	if (data->graph)
		return gemp_edge_job_begin(&out->job, data->graph, data->edges, report);
	out->job = (gemp_edge_job){ .comm = &context->comm, .reports = report != NULL };
	out->job.report = gemp_report_or(report, &out->job.none, context);
	return GEMP_OK;
}

void gemp_som_input_free(gemp_som_input *input)
{
	gemp_features_free(&input->features);
	gemp_vectors_free(&input->vectors);
	gemp_edge_job_free(&input->job);
}

/* Local. Names the columns after the features. If `features` is NULL, the names are x1, x2, ..., as for a table without
 * header. */
static gemp_code name_columns(gemp_vectors *vectors, const gemp_features *features)
{
	char name[16];
	GEMP_TRY(GEMP_NEW(vectors->names, vectors->dims));
	for (uint32_t c = 0; c < vectors->dims; c++) {
		snprintf(name, sizeof name, "x%" PRIu32, c + 1);
		vectors->names[c] = gemp_strdup(features ? features->items[c].name : name);
		if (!vectors->names[c])
			return GEMP_ENOMEM;
	}
	return GEMP_OK;
}

/* Collective. Copies the array of the caller and counts its missing values. */
static gemp_code copy_array(gemp_vectors *out, const gemp_comm *comm, const gemp_som_data *data)
{
	const size_t size = data->count * data->dims;
	uint64_t missing = 0;
	*out = (gemp_vectors){ .count = data->count, .dims = data->dims, .total = gemp_comm_sum1(comm, data->count) };
	gemp_code code = GEMP_NEW(out->x, size);
	GEMP_THEN(name_columns(out, NULL));
	if (code == GEMP_OK && size)
		memcpy(out->x, data->vectors, size * sizeof *out->x);
	for (size_t i = 0; i < size; i++)
		missing += isnan(data->vectors[i]) != 0;
	out->missing = gemp_comm_sum1(comm, missing);
	return gemp_comm_agree(comm, code);
}

/* GRAPHS */

/* Local. Parses the features for a training, or takes the features of the map, and checks them against the graph's
 * schema. */
static gemp_code choose_features(gemp_som_input *input, const gemp_som_model *model)
{
	const gemp_som_data *data = &input->data;
	if (model)
		GEMP_TRY(gemp_features_of_map(&input->features, model->name, model->map.names, model->map.dims));
	else
		GEMP_TRY(gemp_features_parse(&input->features, data->features ? data->features : ""));
	if (input->features.count > GEMP_SOM_MAX_DIMS)
		return gemp_fail(GEMP_EUSAGE,
		                 "features: %zu are more than the %d that vectors of a map may have; leave some out",
		                 input->features.count, GEMP_SOM_MAX_DIMS);
	return gemp_features_check(&input->features, data->graph->shard, input->name);
}

/* Collective. Computes the features of all vertices of this rank, in the order of ids. */
static gemp_code find_features(gemp_som_input *input, bool keys)
{
	const gemp_edge_job *job = &input->job;
	gemp_shard *shard = job->shard;
	gemp_vectors *out = &input->vectors;
	*out = (gemp_vectors){ .count = shard->rows,
		                   .dims = (uint32_t)input->features.count,
		                   .total = shard->vertex_count };
	if (keys)
		GEMP_TRY(gemp_shard_load_keys(shard));
	gemp_code code = GEMP_NEW(out->x, out->count * out->dims);
	GEMP_THEN(name_columns(out, &input->features));
	if (keys) {
		GEMP_THEN(gemp_column_init(&out->keys, "key", shard->keys.type));
		GEMP_THEN(gemp_column_append(&out->keys, &shard->keys));
	}
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	const gemp_features_source source = {
		.context = job->runtime, .graph = shard, .relations = job->relations, .path = input->name
	};
	if (out->total)
		GEMP_TRY(gemp_features_find(&input->features, &source, out->x));
	for (size_t i = 0; i < input->features.count; i++)
		out->missing += input->features.items[i].missing;
	return GEMP_OK;
}

/* Collective. The device is opened after a file is read, so that a bad file is found early. For a graph the device is
 * opened before the features are computed on it. */
gemp_code gemp_som_input_read(gemp_som_input *input, const gemp_som_model *model, bool keys)
{
	const gemp_comm *comm = input->job.comm;
	const gemp_som_data *data = &input->data;
	double since = gemp_now();
	if (data->graph)
		GEMP_TRY(gemp_comm_agree(comm, choose_features(input, model)));
	else if (data->path)
		GEMP_TRY(gemp_vectors_read(&input->vectors, comm, data->path, data->key_column));
	else
		GEMP_TRY(copy_array(&input->vectors, comm, data));
	if (!data->graph)
		gemp_timers_add(&input->job.timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_context_runtime(&input->job.runtime, input->context, GEMP_NEED_FIRST_DEVICE, &input->job.timers));
	if (!data->graph)
		return GEMP_OK;
	GEMP_TRY(find_features(input, keys));
	gemp_timers_add(&input->job.timers, GEMP_PHASE_CONVERT, since);
	return GEMP_OK;
}

/* UNITS INTO THE GRAPH */

gemp_code gemp_som_input_check_files(const gemp_som_input *input, const gemp_vertex_output *files)
{
	if (input->job.graph)
		return gemp_vertex_output_check(input->job.graph, files, "som", gemp_som_unit_columns, GEMP_SOM_MAP_COLUMNS);
	if (files->into)
		return gemp_fail(GEMP_EUSAGE, "into %s is for the vertices of a graph, and %s is no graph", files->into,
		                 input->name);
	return gemp_rows_path_check(input->job.comm, "output", files->output);
}

/* Only the units of vertices are written here. For vectors of a file, gemp_som_model_apply writes the rows. */
gemp_code gemp_som_input_write_units(gemp_som_input *input, const gemp_vertex_output *files,
                                     const gemp_som_unit_list *units, const gemp_som_map *map)
{
	GEMP_OWNED_BY(gemp_table_free) gemp_table columns = { 0 };
	double since = gemp_now();
	if (!input->job.graph || (!files->output && !files->into))
		return GEMP_OK;
	GEMP_TRY(
		gemp_comm_agree(input->job.comm, gemp_som_unit_list_add(&columns, units, map, input->vectors.count, false)));
	GEMP_TRY(gemp_vertex_output_write(input->job.graph, files, "som", &columns, input->job.report));
	gemp_timers_add(&input->job.timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

/* REPORT */

void gemp_som_report_errors(gemp_report *report, double quantisation, double topographic)
{
	gemp_report_set(report, "quantisation_error", gemp_json_real(quantisation));
	gemp_report_set(report, "topographic_error", gemp_json_real(topographic));
	if (isnan(quantisation))
		gemp_report_print(report, "No vector has a value, so none has a unit\n");
	else
		gemp_report_print(report,
		                  "Vectors are %.6g from their units in the mean (quantisation error); for %.2f %% the "
		                  "second-best unit is not beside the best (topographic error)\n",
		                  quantisation, 100 * topographic);
}

/* Reports the range of each feature, which shows the effect of scaling, and the graph. */
static void report_features(const gemp_som_input *input)
{
	gemp_report *report = input->job.report;
	json_t *list = json_array();
	gemp_report_detail(report, "\n  %-24s %12s %12s %12s %10s %9s\n", "feature", "least", "mean", "greatest", "missing",
	                   "seconds");
	for (size_t i = 0; i < input->features.count; i++) {
		const gemp_feature *f = &input->features.items[i];
		gemp_report_detail(report, "  %-24s %12.6g %12.6g %12.6g %10llu %9.3f\n", f->name, f->min, f->mean, f->max,
		                   (unsigned long long)f->missing, f->seconds);
		json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:f}", "name", f->name, "least",
		                                      gemp_json_real(f->min), "mean", gemp_json_real(f->mean), "greatest",
		                                      gemp_json_real(f->max), "missing", gemp_json_count(f->missing), "seconds",
		                                      f->seconds));
	}
	gemp_report_set(report, "features", list);
	gemp_report_graph(report, input->job.shard);
}

gemp_code gemp_som_input_report(gemp_som_input *input)
{
	if (input->job.graph)
		report_features(input);
	return gemp_report_resources(input->job.report, input->job.runtime, &input->job.timers);
}
