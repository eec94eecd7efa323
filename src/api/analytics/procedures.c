/* A query may have changed its graph, so an analysis works on the shard that the query gives, under the name of the
 * graph that was opened. An engine is made once for all sources of an analysis. The members that an algorithm does not
 * use are NULL. */

#include "api/analytics/procedures.h"

#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "api/analytics/pagerank.h"
#include "api/components.h"
#include "core/memory.h"

struct gemp_procedures {
	gemp_graph graph; /* a copy, whose shard is that of the query */
	gemp_cypher_algorithm algorithm;
	gemp_analysis analysis; /* components use only its job */
	gemp_pagerank *pagerank;
	gemp_bfs *bfs;
	gemp_sssp *sssp;
	double *jump; /* [layout.own] by local vertex */
};

static void end_analysis(void *self)
{
	gemp_procedures *p = self;
	gemp_pagerank_free(p->pagerank);
	gemp_bfs_free(p->bfs);
	gemp_sssp_free(p->sssp);
	gemp_free(p->jump);
	gemp_analysis_free(&p->analysis);
	p->analysis = (gemp_analysis){ 0 };
	p->pagerank = NULL;
	p->bfs = NULL;
	p->sssp = NULL;
	p->jump = NULL;
}

/* BEGINNING */

/* Collective. *jump gets 1 for each vertex to which jumps lead. */
static gemp_code make_jumps(gemp_procedures *p, const gemp_cypher_analysis *what)
{
	const gemp_shard *graph = p->graph.shard;
	const gemp_layout *layout = &p->analysis.layout;
	if (!what->jump_count)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(layout->comm, GEMP_NEW(p->jump, layout->own)));
	for (size_t i = 0; i < what->jump_count; i++)
		if (what->jumps[i] >= graph->first_vertex && what->jumps[i] - graph->first_vertex < graph->rows)
			p->jump[layout->local[what->jumps[i] - graph->first_vertex]] = 1;
	return GEMP_OK;
}

static gemp_code begin_pagerank(gemp_procedures *p, const gemp_cypher_analysis *what)
{
	GEMP_TRY(gemp_pagerank_check(&p->analysis.settings));
	GEMP_TRY(gemp_pagerank_layout(&p->analysis));
	return make_jumps(p, what);
}

static gemp_code begin_bfs(gemp_procedures *p, const gemp_cypher_analysis *what)
{
	gemp_analysis *a = &p->analysis;
	GEMP_TRY(gemp_analysis_layout(a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT }));
	return gemp_bfs_new(&p->bfs, &a->layout, a->job.device, &(gemp_bfs_options){ .any = !what->others });
}

static gemp_code begin_sssp(gemp_procedures *p, const gemp_cypher_analysis *what)
{
	gemp_analysis *a = &p->analysis;
	GEMP_TRY(gemp_analysis_layout(a, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
	                                                        .wanted = GEMP_LAYOUT_LENGTHS,
	                                                        .not_negative = true }));
	return gemp_sssp_new(&p->sssp, &a->layout, a->job.device, &(gemp_sssp_options){ .any = !what->others });
}

/* Settings that are not given keep their defaults. */
static gemp_analysis_settings settings_of(const gemp_cypher_analysis *what)
{
	gemp_analysis_settings settings;
	gemp_analysis_settings_init(&settings);
	settings.precision = what->precision;
	if (what->damping >= 0)
		settings.damping = what->damping;
	if (what->tolerance >= 0)
		settings.tolerance = what->tolerance;
	if (what->iterations >= 0)
		settings.max_iterations = what->iterations < UINT32_MAX ? (uint32_t)what->iterations : UINT32_MAX;
	return settings;
}

static gemp_code begin_analysis(void *self, gemp_runtime *runtime, gemp_shard *graph, const gemp_cypher_analysis *what)
{
	static const gemp_analysis_kind kind = { .name = "procedure" };
	gemp_procedures *p = self;
	const gemp_analysis_settings settings = settings_of(what);
	gemp_edge_selection edges;
	gemp_edge_selection_init(&edges);
	edges.edge_types = what->types;
	edges.edge_type_count = what->type_count;
	edges.direction = what->direction;
	edges.weight = what->weight;
	end_analysis(p);
	p->graph.shard = graph;
	p->algorithm = what->algorithm;
	GEMP_TRY(gemp_analysis_begin(&p->analysis, &kind, NULL, &p->graph, &edges, &settings, NULL));
	p->analysis.job.runtime = runtime;
	switch (what->algorithm) {
	case GEMP_CY_PAGERANK: return begin_pagerank(p, what);
	case GEMP_CY_BFS: return begin_bfs(p, what);
	case GEMP_CY_SSSP: return begin_sssp(p, what);
	default: return gemp_edge_job_device(&p->analysis.job); /* components: the first device of each rank */
	}
}

/* RUNNING */

/* Collective. Makes rows of values[own] by local vertex, without `none`. others: [own] by local vertex, or NULL. */
static gemp_code make_rows(gemp_cypher_analysis_rows *out, const gemp_layout *layout, gemp_column_values type,
                           const void *values, uint64_t none, const gemp_vertex *others)
{
	gemp_table table = { 0 };
	gemp_code code = gemp_vertex_column_add(&table, "value", layout, type, values, none);
	const gemp_column *column = code == GEMP_OK ? table.columns : NULL;
	GEMP_THEN(GEMP_NEW(out->rows, layout->own));
	out->real = type == GEMP_VALUES_DOUBLE;
	for (size_t row = 0; code == GEMP_OK && row < layout->own; row++) {
		if (column->null && column->null[row])
			continue;
		gemp_cypher_analysis_row *one = &out->rows[out->count++];
		one->vertex = layout->id[layout->local[row]];
		one->other = others ? others[layout->local[row]] : GEMP_NO_VERTEX;
		if (out->real)
			one->real = column->floats[row];
		else
			one->integer = column->integers[row];
	}
	gemp_table_free(&table);
	return gemp_comm_agree(layout->comm, code);
}

static gemp_code run_pagerank(gemp_procedures *p, gemp_cypher_analysis_rows *out)
{
	GEMP_OWNED_BY(gemp_pagerank_result_free) gemp_pagerank_result found = { 0 };
	gemp_pagerank_free(p->pagerank);
	p->pagerank = NULL;
	GEMP_TRY(gemp_pagerank_solve(&p->pagerank, &p->analysis, p->jump, &found));
	gemp_pagerank_warn(&p->analysis, &found);
	return make_rows(out, &p->analysis.layout, GEMP_VALUES_DOUBLE, found.rank, 0, NULL);
}

static gemp_code run_bfs(gemp_procedures *p, gemp_vertex source, gemp_cypher_analysis_rows *out)
{
	gemp_bfs_result found;
	GEMP_TRY(gemp_bfs_run(p->bfs, source, &found));
	return make_rows(out, &p->analysis.layout, GEMP_VALUES_U32, found.level, GEMP_NO_LEVEL, found.parent);
}

static gemp_code run_sssp(gemp_procedures *p, gemp_vertex source, gemp_cypher_analysis_rows *out)
{
	gemp_sssp_result found;
	GEMP_TRY(gemp_analysis_name_weight(&p->analysis, gemp_sssp_run(p->sssp, source, &found)));
	const bool integers = found.distance != NULL;
	return make_rows(out, &p->analysis.layout, integers ? GEMP_VALUES_U64 : GEMP_VALUES_DOUBLE,
	                 integers ? (const void *)found.distance : found.real, GEMP_NO_DISTANCE, found.predecessor);
}

/* A row's `other` is the vertex that names the component. */
static gemp_code run_components(gemp_procedures *p, gemp_cypher_analysis_rows *out)
{
	GEMP_OWNED_BY(gemp_components_free) gemp_components found = { 0 };
	GEMP_OWNED gemp_csr *csr = NULL;
	gemp_edge_job *job = &p->analysis.job;
	const gemp_shard *graph = p->graph.shard;
	size_t count;
	GEMP_TRY(gemp_edge_job_connections(job, &csr, NULL, &count));
	GEMP_TRY(gemp_components_find(&found, job->comm, job->device, graph->bounds, csr, count,
	                              &(gemp_components_options){ .place = GEMP_PLACE_AUTO }));
	GEMP_TRY(gemp_shard_load_keys(p->graph.shard));
	GEMP_TRY(gemp_components_name_by_keys(&found, job->comm, graph));
	GEMP_TRY(gemp_comm_agree(job->comm, GEMP_NEW(out->rows, found.rows)));
	out->count = found.rows;
	for (size_t row = 0; row < found.rows; row++)
		out->rows[row] = (gemp_cypher_analysis_row){ .vertex = (gemp_vertex)(graph->first_vertex + row),
			                                         .other = found.component[row] };
	return GEMP_OK;
}

static gemp_code run_analysis(void *self, gemp_vertex source, gemp_cypher_analysis_rows *out)
{
	gemp_procedures *p = self;
	*out = (gemp_cypher_analysis_rows){ 0 };
	switch (p->algorithm) {
	case GEMP_CY_PAGERANK: return run_pagerank(p, out);
	case GEMP_CY_BFS: return run_bfs(p, source, out);
	case GEMP_CY_SSSP: return run_sssp(p, source, out);
	default: return run_components(p, out);
	}
}

gemp_code gemp_procedures_new(gemp_procedures **out, gemp_cypher_analyses *functions, gemp_graph *graph)
{
	GEMP_TRY(GEMP_NEW(*out, 1));
	(*out)->graph = *graph;
	*functions = (gemp_cypher_analyses){ *out, begin_analysis, run_analysis, end_analysis };
	return GEMP_OK;
}

void gemp_procedures_free(gemp_procedures *procedures)
{
	if (procedures)
		end_analysis(procedures);
	gemp_free(procedures);
}
