/* components: gemp_graph_components. The engine (topology/components.h) names a component by the vertex with the smallest id, which depends
 * on the random partition. Users get the smallest key instead: the owner of a component's first name reduces what all ranks know.
 */

#include "gemp/analytics.h"

#include "api/analytics/vertex_output.h"
#include "api/edge_job.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/search.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"
#include "primitive/distinct.h"
#include "topology/components.h"

#include <stdio.h>
#include <string.h>

/* What the steps of one call share. */
typedef struct finding {
	gemp_edge_job job;
	gemp_topology_settings settings;
	gemp_csr *csr;    /* [count] of the selected relations */
	size_t *relation; /* [count] which they are */
	size_t count;
	gemp_components found;
} finding;

/* NAMES */

/* The vertex with the smallest key of those in a component that a rank knows of. */
typedef struct component_least {
	gemp_vertex component, vertex;
	uint32_t key_rank;
} component_least;

/* Key ranks are above the vertex, so that the least number has the smallest key. */
static void take_least(uint64_t *least, const component_least *one)
{
	const uint64_t number = (uint64_t)one->key_rank << 32 | one->vertex;
	if (number < *least)
		*least = number;
}

typedef struct least_context {
	gemp_vertex first;
	uint64_t *least; /* [rows] of the components that this rank names, as take_least writes them */
} least_context;

static gemp_code answer_least(void *self, const void *records, size_t count, uint64_t *answers)
{
	const least_context *context = self;
	const component_least *asked = records;
	for (size_t i = 0; i < count; i++)
		take_least(&context->least[asked[i].component - context->first], &asked[i]);
	for (size_t i = 0; i < count; i++)
		answers[i] = context->least[asked[i].component - context->first];
	return GEMP_OK;
}

/* Collective. Names components by the vertices with the smallest keys in them, which the caller knows, instead of by the least
 * ids, which the random partition made. The owner of a component's first name reduces what all ranks know of it. */
static gemp_code name_by_keys(gemp_components *found, const gemp_comm *comm, const gemp_shard *shard)
{
	gemp_code code = GEMP_OK;
	least_context context = { .first = (gemp_vertex)shard->first_vertex };
	component_least *asked = NULL;
	uint64_t *own = NULL, *answers = NULL;
	int *owner = NULL;
	void *distinct = NULL;
	size_t count = 0;
	code = gemp_distinct_host(GEMP_KEY_U32, found->component, found->rows, &distinct, &count);
	GEMP_THEN(GEMP_NEW(context.least, found->rows));
	GEMP_THEN(GEMP_NEW(own, count));
	GEMP_THEN(GEMP_NEW(answers, count));
	GEMP_THEN(GEMP_NEW(asked, count));
	GEMP_THEN(GEMP_NEW(owner, count));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	const gemp_vertex *names = distinct;
	for (size_t row = 0; row < found->rows; row++)
		context.least[row] = UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		own[i] = UINT64_MAX;
	for (size_t row = 0; row < found->rows; row++) {
		const component_least one = { .vertex = (gemp_vertex)(shard->first_vertex + row),
			                          .key_rank = shard->key_ranks[row] };
		take_least(&own[gemp_range_find_u32(names, count, found->component[row])], &one);
	}
	for (size_t i = 0; i < count; i++) {
		asked[i] = (component_least){ names[i], (gemp_vertex)own[i], (uint32_t)(own[i] >> 32) };
		owner[i] = gemp_shard_owner(shard, names[i]);
	}
	const gemp_request request = { .records = asked,
		                           .count = count,
		                           .size = sizeof *asked,
		                           .owner = owner,
		                           .handler = answer_least,
		                           .self = &context };
	GEMP_TRY_DONE(gemp_request_run(comm, GEMP_OK, &request, answers));
	for (size_t row = 0; row < found->rows; row++)
		found->component[row] = (gemp_vertex)answers[gemp_range_find_u32(names, count, found->component[row])];
done:
	gemp_free_all(distinct, context.least, own, answers, asked, owner);
	return code;
}

/* FILES */

/* Local. The edges of the forest that are of one type, with their ends. */
static gemp_code pick_tree(const finding *f, size_t type, uint64_t before, uint64_t **numbers, gemp_edge_pair **pairs,
                           size_t *count)
{
	const gemp_csr *csr = &f->csr[type];
	uint64_t end = before + gemp_csr_edges(csr);
	const gemp_components *found = &f->found;
	*count = 0;
	for (size_t i = 0; i < found->tree_count; i++)
		*count += found->tree[i] >= before && found->tree[i] < end;
	GEMP_TRY(GEMP_NEW(*numbers, *count));
	GEMP_TRY(GEMP_NEW(*pairs, *count));
	for (size_t i = 0, to = 0; i < found->tree_count; i++) {
		if (found->tree[i] < before || found->tree[i] >= end)
			continue;
		uint64_t edge = found->tree[i] - before;
		(*numbers)[to] = edge;
		(*pairs)[to++] = (gemp_edge_pair){ csr->first + (gemp_vertex)gemp_csr_row(csr, edge), csr->target[edge] };
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code write_tree(finding *f)
{
	gemp_code code = GEMP_OK;
	const gemp_edge_job *job = &f->job;
	gemp_edge_rows *rows = NULL;
	uint64_t before = 0;
	GEMP_TRY_DONE(gemp_edge_rows_open(&rows, job->comm, job->shard, f->settings.tree, "spanning forest"));
	for (size_t type = 0; type < f->count; type++) {
		uint64_t *numbers = NULL;
		gemp_edge_pair *pairs = NULL;
		size_t count = 0;
		code = gemp_comm_agree(job->comm, pick_tree(f, type, before, &numbers, &pairs, &count));
		GEMP_THEN(gemp_edge_rows_add(rows, f->relation[type], numbers, pairs, count));
		gemp_free(numbers);
		gemp_free(pairs);
		GEMP_TRY_DONE(code);
		before += gemp_csr_edges(&f->csr[type]);
	}
	code = gemp_edge_rows_close(rows);
	rows = NULL;
done:
	gemp_edge_rows_abandon(rows);
	return code;
}

/* Collective. The column, if the caller or a file wants it, and the files. */
static gemp_code write(finding *f, gemp_columns **columns, bool wanted)
{
	gemp_code code = GEMP_OK;
	const gemp_edge_job *job = &f->job;
	GEMP_OWNED_BY(gemp_column_free) gemp_column key = { 0 };
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_keys(job->shard));
	if (wanted || f->settings.output) {
		GEMP_TRY(name_by_keys(&f->found, job->comm, job->shard));
		GEMP_TRY(gemp_columns_new(columns, job->graph->context));
		GEMP_TRY(gemp_vertex_keys_fetch(&key, job->comm, job->shard, f->found.component, f->found.rows));
		code = gemp_table_add_column(&(*columns)->table, "component", &key);
		(*columns)->table.rows = f->found.rows;
		GEMP_TRY(gemp_comm_agree(job->comm, code));
	}
	if (f->settings.output)
		GEMP_TRY(gemp_vertex_output_rows(job->graph, f->settings.output, "components", &(*columns)->table));
	if (f->settings.tree)
		GEMP_TRY(write_tree(f));
	gemp_timers_add(&f->job.timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

/* REPORT */

static void print_sizes(const finding *f)
{
	const gemp_components *found = &f->found;
	json_t *list = json_array();
	gemp_report_detail(f->job.report, "\n  %-27s %13s\n", "vertices", "components");
	for (unsigned k = 1; k < GEMP_COMPONENT_CLASSES; k++) {
		uint64_t from = (uint64_t)1 << (k - 1), to = 2 * from - 1;
		char range[100];
		if (!found->classes[k])
			continue;
		snprintf(range, sizeof range, from == to ? "%s" : "%s to %s", gemp_grouped(from).text, gemp_grouped(to).text);
		gemp_report_detail(f->job.report, "  %-27s %13s\n", range, gemp_grouped(found->classes[k]).text);
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "from", gemp_json_count(from), "to",
		                                      gemp_json_count(to), "components", gemp_json_count(found->classes[k])));
	}
	gemp_report_detail(f->job.report, "\n");
	gemp_report_set(f->job.report, "sizes", list);
}

static void report_counts(const finding *f)
{
	const gemp_components *found = &f->found;
	gemp_report *report = f->job.report;
	gemp_count vertices = f->job.shard->vertex_count;
	gemp_report_print(report, "%s, %s of them %s; the largest has %s of %s\n",
	                  gemp_counted(found->count, "component").text, gemp_grouped(found->isolated).text,
	                  found->isolated == 1 ? "a single vertex" : "single vertices", gemp_grouped(found->largest).text,
	                  gemp_counted(vertices, "vertex").text);
	gemp_report_set(report, "components", gemp_json_count(found->count));
	gemp_report_set(report, "single_vertices", gemp_json_count(found->isolated));
	gemp_report_set(report, "with_edges", gemp_json_count(found->with_edges));
	gemp_report_set(report, "largest", gemp_json_count(found->largest));
	if (f->settings.tree)
		gemp_report_set(report, "tree_edges", gemp_json_count(vertices - found->count));
	print_sizes(f);
}

/* Collective. */
static gemp_code report_result(finding *f)
{
	const gemp_components *found = &f->found;
	const gemp_comm *comm = f->job.comm;
	uint64_t rows = found->rows, edges = gemp_csr_all_edges(f->csr, f->count);
	report_counts(f);
	GEMP_TRY(gemp_edge_job_rate(&f->job, found->on_device, found->seconds, found->transfers,
	                            4 * edges + f->count * (found->on_device ? 4 : 8) * (rows + 1) + 4 * rows));
	gemp_edge_job_exchange(&f->job, &found->traffic, gemp_comm_sum1(comm, edges));
	if (comm->size > 1) {
		gemp_report_detail(f->job.report, "  %-10s %u of contraction\n", "rounds", found->rounds);
		gemp_report_set(f->job.report, "contraction_rounds", json_integer(found->rounds));
	}
	return gemp_edge_job_report(&f->job);
}

/* Collective. The settings are checked, and rows loaded. */
static gemp_code begin(finding *f, gemp_graph *graph, const gemp_edge_selection *edges,
                       const gemp_topology_settings *settings, gemp_report *report)
{
	gemp_topology_settings_init(&f->settings);
	if (settings)
		gemp_options_copy(&f->settings, sizeof f->settings, settings);
	GEMP_TRY(gemp_edge_job_begin(&f->job, graph, edges, report));
	GEMP_TRY(gemp_rows_path_check(f->job.comm, "output", f->settings.output));
	GEMP_TRY(gemp_rows_path_check(f->job.comm, "tree", f->settings.tree));
	GEMP_TRY(gemp_edge_job_place(&f->job, f->settings.place));
	return gemp_edge_job_rows(&f->job, false, &f->csr, &f->relation, &f->count);
}

gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                const gemp_topology_settings *settings, uint64_t *component_count, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	finding f = { 0 };
	gemp_columns *columns = NULL;
	if (out)
		*out = NULL;
	GEMP_TRY_DONE(begin(&f, graph, edges, settings, report));
	double since = gemp_now();
	const gemp_components_options how = { .place = f.settings.place, .tree = f.settings.tree != NULL };
	GEMP_TRY_DONE(gemp_components_find(&f.found, f.job.comm, f.job.device, graph->shard->bounds, f.csr, f.count, &how));
	gemp_timers_add(&f.job.timers, f.found.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since);
	if (out || f.settings.output || f.settings.tree)
		GEMP_TRY_DONE(write(&f, &columns, out != NULL));
	if (f.job.reports)
		GEMP_TRY_DONE(report_result(&f));
	if (component_count)
		*component_count = f.found.count;
	if (out) {
		*out = columns;
		columns = NULL;
	}
done:
	gemp_columns_close(columns);
	gemp_components_free(&f.found);
	gemp_free(f.csr);
	gemp_free(f.relation);
	gemp_edge_job_free(&f.job);
	return code;
}
