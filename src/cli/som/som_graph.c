#include "cli/som/som_graph.h"

#include "api/analytics/vertex_output.h"
#include "cli/graph_job.h"
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "som/map/search.h"

#include <string.h>

bool gemp_som_is_graph(const char *place)
{
	return !strstr(place, ".h5:") && gemp_file_ends_in(place, ".h5");
}

gemp_code gemp_som_check_vectors(const gemp_options *options, const char *place)
{
	static const char *const names[] = { "features", "relation", "into", "column" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (gemp_options_has(options, names[i]) && !gemp_som_is_graph(place))
			return gemp_fail(GEMP_EUSAGE, "--%s is for the vertices of a graph, and %s is no graph file (G.h5)",
			                 names[i], place);
	if (gemp_som_is_graph(place))
		return gemp_fail(GEMP_EUSAGE,
		                 "%s: of a graph say which numbers of its vertices are the vectors, as in --features "
		                 "degree,pagerank; of an HDF5 file of vectors name the dataset, as in %s:/vectors",
		                 place, place);
	return GEMP_OK;
}

void gemp_som_graph_free(gemp_som_graph *g)
{
	gemp_features_free(&g->features);
	*g = (gemp_som_graph){ 0 };
}

/* A view of the job's graph, for functions of the library. */
static gemp_graph graph_of(const gemp_som_graph *g)
{
	return (
		gemp_graph){ .context = g->job->report->context, .shard = g->job->graph, .name = (char *)(uintptr_t)g->path };
}

static gemp_vertex_output output_of(const gemp_options *options)
{
	return (gemp_vertex_output){ .into = options->into, .column = options->column, .command = options->as_given };
}

gemp_code gemp_som_graph_open(gemp_som_graph *out, gemp_graph_job *job, const char *path, const char *map_path,
                              const gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = job->comm;
	const gemp_options *options = job->options;
	*out = (gemp_som_graph){ .job = job, .path = path };
	code = map_path ? gemp_features_of_map(&out->features, map_path, map->names, map->dims)
	                : gemp_features_parse(&out->features, options->features);
	if (code == GEMP_OK && !map_path && out->features.count > GEMP_SOM_MAX_DIMS)
		code = gemp_fail(GEMP_EUSAGE,
		                 "--features: %zu are more than the %d that vectors of a map may have; leave some out",
		                 out->features.count, GEMP_SOM_MAX_DIMS);
	if (code == GEMP_OK && options->key_column)
		code = gemp_fail(GEMP_EUSAGE, "--key %s is a column of a table, and %s is a graph: its vertices have keys",
		                 options->key_column, path);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_graph_job_read(job, path));
	GEMP_TRY(gemp_comm_agree(comm, gemp_features_check(&out->features, job->graph, path)));
	const gemp_graph graph = graph_of(out);
	const gemp_vertex_output output = output_of(options);
	code = gemp_vertex_output_check(&graph, &output, "som", gemp_som_unit_columns, GEMP_SOM_MAP_COLUMNS);
done:
	return code;
}

/* VECTORS */

static gemp_code name_columns(gemp_vectors *v, const gemp_features *features)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(v->names, v->dims));
	for (uint32_t c = 0; c < v->dims && code == GEMP_OK; c++) {
		v->names[c] = gemp_strdup(features->items[c].name);
		code = v->names[c] ? GEMP_OK : GEMP_ENOMEM;
	}
done:
	return code;
}

static gemp_code take_keys(gemp_column *keys, const gemp_shard *graph)
{
	gemp_code code = gemp_column_init(keys, "key", graph->keys.type);
	return code == GEMP_OK ? gemp_column_append(keys, &graph->keys) : code;
}

gemp_code gemp_som_graph_vectors(gemp_vectors *out, gemp_som_graph *g, bool keys)
{
	gemp_code code = GEMP_OK;
	const gemp_graph_job *job = g->job;
	const gemp_features_source source = {
		.context = job->context, .graph = job->graph, .relations = job->relations, .path = g->path
	};
	*out = (gemp_vectors){ .count = g->job->graph->rows,
		                   .dims = (uint32_t)g->features.count,
		                   .total = g->job->graph->vertex_count };
	if (keys)
		GEMP_TRY(gemp_shard_load_keys(g->job->graph));
	code = GEMP_NEW(out->x, out->count * out->dims);
	if (code == GEMP_OK)
		code = name_columns(out, &g->features);
	if (code == GEMP_OK && keys)
		code = take_keys(&out->keys, g->job->graph);
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	if (out->total)
		GEMP_TRY(gemp_features_find(&g->features, &source, out->x));
	for (size_t i = 0; i < g->features.count; i++)
		out->missing += g->features.items[i].missing;
done:
	if (code != GEMP_OK)
		gemp_vectors_free(out);
	return code;
}

/* REPORT */

void gemp_som_graph_report(const gemp_som_graph *g)
{
	gemp_report *report = g->job->report;
	json_t *list = json_array();
	gemp_report_detail(report, "\n  %-24s %12s %12s %12s %10s %9s\n", "feature", "least", "mean", "greatest", "missing",
	                   "seconds");
	for (size_t i = 0; i < g->features.count; i++) {
		const gemp_feature *f = &g->features.items[i];
		gemp_report_detail(report, "  %-24s %12.6g %12.6g %12.6g %10llu %9.3f\n", f->name, f->min, f->mean, f->max,
		                   (unsigned long long)f->missing, f->seconds);
		json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:f}", "name", f->name, "least",
		                                      gemp_json_real(f->min), "mean", gemp_json_real(f->mean), "greatest",
		                                      gemp_json_real(f->max), "missing", gemp_json_count(f->missing), "seconds",
		                                      f->seconds));
	}
	gemp_report_set(report, "features", list);
	gemp_report_graph(report, g->job->graph);
}

/* BACK INTO THE GRAPH */

gemp_code gemp_som_graph_write(gemp_som_graph *g, const gemp_som_unit_list *units, const gemp_som_map *map)
{
	gemp_code code = GEMP_OK;
	gemp_table found = { 0 };
	const gemp_graph_job *job = g->job;
	if (!job->options->into)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(job->comm, gemp_som_unit_list_add(&found, units, map, g->job->graph->rows)));
	gemp_graph graph = graph_of(g);
	const gemp_vertex_output output = output_of(job->options);
	code = gemp_vertex_output_write(&graph, &output, "som", &found, job->report);
done:
	gemp_table_free(&found);
	return code;
}
