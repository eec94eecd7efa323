/* components: gemp_graph_components. The engine (topology/components.h) names a component by its vertex with the
 * smallest id, which depends on the random partition. Users get the smallest key of the component. The rank that owns
 * the vertex with the smallest id finds it: each rank sends the smallest key among its own vertices of the
 * component. */

#include "api/components.h"

#include "api/edge_job.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/search.h"
#include "gemp/analytics.h"
#include "io/picture/graph_drawing.h"
#include "io/rows/edge_rows.h"
#include "io/rows/vertex_keys.h"
#include "primitive/distinct.h"

#include <stdio.h>
#include <string.h>

GEMP_RELEASE(gemp_edge_rows_abandon, gemp_edge_rows *)

/* The state that the steps of one call share. */
typedef struct component_search {
	gemp_edge_job job;
	gemp_topology_settings settings;
	gemp_csr *csr;    /* [count] rows of the selected relations */
	size_t *relation; /* [count] indices of the selected relations */
	size_t count;
	gemp_components found;
} component_search;

static void free_search(component_search *s)
{
	gemp_components_free(&s->found);
	gemp_free_all(s->csr, s->relation);
	gemp_edge_job_free(&s->job);
}

/* NAMES */

/* The vertex with the smallest key among the vertices of a component that one rank owns. */
typedef struct component_name {
	gemp_vertex component, vertex;
	uint32_t key_rank;
} component_name;

/* Lowers *min to the number of a vertex. The high half of the number is the rank of the vertex's key in the order of
 * keys, so the smallest number belongs to the smallest key. */
static void lower_to(uint64_t *min, gemp_vertex vertex, uint32_t key_rank)
{
	*min = gemp_min(*min, (uint64_t)key_rank << 32 | vertex);
}

typedef struct name_context {
	gemp_vertex first;
	uint64_t *min; /* [rows] the minimum of the component that the engine names after this row; UINT64_MAX: none yet */
} name_context;

/* Handler of gemp_request_run. The answer about a component is the minimum over the vertices that all ranks have
 * sent. */
static gemp_code answer_names(void *self, const void *records, size_t count, uint64_t *answers)
{
	const name_context *context = self;
	const component_name *asked = records;
	for (size_t i = 0; i < count; i++)
		lower_to(&context->min[asked[i].component - context->first], asked[i].vertex, asked[i].key_rank);
	for (size_t i = 0; i < count; i++)
		answers[i] = context->min[asked[i].component - context->first];
	return GEMP_OK;
}

/* A rank sends one request for each component of its vertices. */
gemp_code gemp_components_name_by_keys(gemp_components *found, const gemp_comm *comm, const gemp_shard *shard)
{
	GEMP_OWNED component_name *asked = NULL;
	GEMP_OWNED uint64_t *min = NULL, *own = NULL, *answers = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *distinct = NULL;
	size_t count = 0;
	gemp_code code = gemp_distinct_host(GEMP_KEY_U32, found->component, found->rows, &distinct, &count);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(min, found->rows), GEMP_ARRAY(own, count), GEMP_ARRAY(answers, count),
	                       GEMP_ARRAY(asked, count), GEMP_ARRAY(owner, count)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	const gemp_vertex *names = distinct;
	memset(min, 0xff, found->rows * sizeof *min);
	memset(own, 0xff, count * sizeof *own);
	for (size_t row = 0; row < found->rows; row++)
		lower_to(&own[gemp_range_find_u32(names, count, found->component[row])],
		         (gemp_vertex)(shard->first_vertex + row), shard->key_ranks[row]);
	for (size_t i = 0; i < count; i++) {
		asked[i] = (component_name){ names[i], (gemp_vertex)own[i], (uint32_t)(own[i] >> 32) };
		owner[i] = gemp_shard_owner(shard, names[i]);
	}
	name_context context = { (gemp_vertex)shard->first_vertex, min };
	const gemp_request request = { .records = asked,
		                           .count = count,
		                           .size = sizeof *asked,
		                           .owner = owner,
		                           .handler = answer_names,
		                           .self = &context };
	GEMP_TRY(gemp_request_run(comm, GEMP_OK, &request, answers));
	for (size_t row = 0; row < found->rows; row++)
		found->component[row] = (gemp_vertex)answers[gemp_range_find_u32(names, count, found->component[row])];
	return GEMP_OK;
}

/* FILES */

/* Local. Selects the edges of the spanning forest that belong to selected relation number `type`. The caller gets their
 * numbers within the relation, and their pairs of source and target. In the engine's numbering `before` edges precede
 * this relation. */
static gemp_code pick_tree(const component_search *s, size_t type, uint64_t before, uint64_t **numbers,
                           gemp_edge_pair **pairs, size_t *count)
{
	const gemp_csr *csr = &s->csr[type];
	uint64_t end = before + gemp_csr_edges(csr);
	const gemp_components *found = &s->found;
	*count = 0;
	for (size_t i = 0; i < found->tree_count; i++)
		*count += found->tree[i] >= before && found->tree[i] < end;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(*numbers, *count), GEMP_ARRAY(*pairs, *count)));
	for (size_t i = 0, to = 0; i < found->tree_count; i++) {
		if (found->tree[i] < before || found->tree[i] >= end)
			continue;
		uint64_t edge = found->tree[i] - before;
		(*numbers)[to] = edge;
		(*pairs)[to++] = (gemp_edge_pair){ csr->first + (gemp_vertex)gemp_csr_row(csr, edge), csr->target[edge] };
	}
	return GEMP_OK;
}

/* Collective. Writes the rows of one edge type of the forest. */
static gemp_code write_tree_type(component_search *s, gemp_edge_rows *rows, size_t type, uint64_t before)
{
	GEMP_OWNED uint64_t *numbers = NULL;
	GEMP_OWNED gemp_edge_pair *pairs = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(s->job.comm, pick_tree(s, type, before, &numbers, &pairs, &count)));
	return gemp_edge_rows_add(rows, s->relation[type], numbers, pairs, count);
}

/* Collective. Writes the file of the spanning forest. */
static gemp_code write_tree(component_search *s)
{
	GEMP_OWNED_BY(gemp_edge_rows_abandon_at) gemp_edge_rows *rows = NULL;
	uint64_t before = 0;
	GEMP_TRY(gemp_edge_rows_open(&rows, s->job.comm, s->job.shard, s->settings.tree, "spanning forest"));
	for (size_t type = 0; type < s->count; type++) {
		GEMP_TRY(write_tree_type(s, rows, type, before));
		before += gemp_csr_edges(&s->csr[type]);
	}
	return gemp_edge_rows_close(GEMP_MOVE(rows));
}

/* Collective. Draws the graph with its spanning forest. Edges are numbered one type behind the other on each rank. */
static gemp_code draw(const component_search *s)
{
	const gemp_comm *comm = s->job.comm;
	const uint64_t own = gemp_csr_all_edges(s->csr, s->count);
	GEMP_OWNED gemp_forest_edge *edges = NULL;
	size_t at = 0;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(edges, own)));
	for (size_t type = 0; type < s->count; type++) {
		const gemp_csr *csr = &s->csr[type];
		const bool directed = s->job.shard->relations[s->relation[type]].directed;
		for (size_t row = 0; row < csr->rows; row++)
			for (uint64_t e = csr->begin[row]; e < csr->begin[row + 1]; e++)
				edges[at++] = (gemp_forest_edge){ csr->first + (gemp_vertex)row, csr->target[e], 0, directed };
	}
	for (size_t i = 0; i < s->found.tree_count; i++)
		edges[s->found.tree[i]].in_forest = 1;
	return gemp_forest_drawing_write(comm, s->job.shard, edges, own, s->settings.drawing);
}

/* Collective. Makes the column if the caller or a file needs it, and writes the files. */
static gemp_code write_results(component_search *s, bool wanted)
{
	gemp_edge_job *job = &s->job;
	const gemp_components *found = &s->found;
	GEMP_OWNED_BY(gemp_column_free) gemp_column key = { 0 };
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_keys(job->shard));
	if (wanted || s->settings.output) {
		GEMP_TRY(gemp_components_name_by_keys(&s->found, job->comm, job->shard));
		GEMP_TRY(gemp_columns_new(&job->columns, job->graph->context));
		GEMP_TRY(gemp_vertex_keys_fetch(&key, job->comm, job->shard, found->component, found->rows));
		GEMP_TRY(gemp_comm_agree(job->comm, gemp_table_add_column(&job->columns->table, "component", &key)));
		job->columns->table.rows = found->rows;
	}
	if (s->settings.output)
		GEMP_TRY(gemp_vertex_output_rows(job->graph, s->settings.output, "components", &job->columns->table));
	if (s->settings.tree)
		GEMP_TRY(write_tree(s));
	if (s->settings.drawing)
		GEMP_TRY(draw(s));
	gemp_timers_add(&job->timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

/* REPORT */

/* Reports a histogram of component sizes, in classes of powers of 2. */
static void report_sizes(const component_search *s)
{
	const gemp_components *found = &s->found;
	json_t *list = json_array();
	gemp_report_detail(s->job.report, "\n  %-27s %13s\n", "vertices", "components");
	for (unsigned k = 1; k < GEMP_COMPONENT_CLASSES; k++) {
		uint64_t from = (uint64_t)1 << (k - 1), to = 2 * from - 1;
		char range[100];
		if (!found->classes[k])
			continue;
		snprintf(range, sizeof range, from == to ? "%s" : "%s to %s", gemp_grouped(from).text, gemp_grouped(to).text);
		gemp_report_detail(s->job.report, "  %-27s %13s\n", range, gemp_grouped(found->classes[k]).text);
		json_array_append_new(list,
		                      gemp_json_counts({ "from", from }, { "to", to }, { "components", found->classes[k] }));
	}
	gemp_report_detail(s->job.report, "\n");
	gemp_report_set(s->job.report, "sizes", list);
}

/* The number of edges in a spanning forest is the number of vertices minus the number of components. */
static void report_counts(const component_search *s)
{
	const gemp_components *found = &s->found;
	gemp_report *report = s->job.report;
	gemp_count vertices = s->job.shard->vertex_count;
	gemp_report_print(report, "%s, %s of them %s; the largest has %s of %s\n",
	                  gemp_counted(found->count, "component").text, gemp_grouped(found->isolated).text,
	                  found->isolated == 1 ? "a single vertex" : "single vertices", gemp_grouped(found->largest).text,
	                  gemp_counted(vertices, "vertex").text);
	gemp_report_set_counts(report, { "components", found->count }, { "single_vertices", found->isolated },
	                       { "with_edges", found->with_edges }, { "largest", found->largest });
	if (s->settings.tree)
		gemp_report_set(report, "tree_edges", gemp_json_count(vertices - found->count));
	report_sizes(s);
}

/* Collective. The rate counts each copied target and each row as read once, and each component as written once. */
static gemp_code report_result(component_search *s)
{
	const gemp_components *found = &s->found;
	const gemp_comm *comm = s->job.comm;
	uint64_t rows = found->rows, edges = 0;
	for (size_t type = 0; type < s->count; type++)
		edges += s->job.shard->relations[s->relation[type]].edge_count;
	report_counts(s);
	GEMP_TRY(gemp_report_rate(s->job.report, found->on_device ? s->job.device : NULL, found->seconds, found->transfers,
	                          4 * found->entries + s->count * (found->on_device ? 4 : 8) * (rows + 1) + 4 * rows));
	gemp_edge_job_exchange(&s->job, &found->traffic, edges);
	if (comm->size > 1) {
		gemp_edge_job_between_devices(&s->job, found->on_device, found->exchange);
		gemp_report_detail(s->job.report, "  %-10s %u of contraction\n", "rounds", found->rounds);
		gemp_report_set(s->job.report, "contraction_rounds", json_integer(found->rounds));
	}
	return gemp_edge_job_report(&s->job);
}

gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                const gemp_topology_settings *settings, uint64_t *component_count, gemp_report *report)
{
	GEMP_OWNED_BY(free_search) component_search s = { 0 };
	if (out)
		*out = NULL;
	GEMP_TRY(gemp_topology_job_begin(&s.job, &s.settings, graph, edges, settings, report));
	const bool numbered = s.settings.tree || s.settings.drawing; /* edges of the forest have numbers */
	GEMP_TRY(numbered ? gemp_edge_job_rows(&s.job, false, &s.csr, &s.relation, &s.count)
	                  : gemp_edge_job_connections(&s.job, &s.csr, &s.relation, &s.count));
	if (s.settings.drawing)
		GEMP_TRY(gemp_drawing_check(s.settings.drawing, s.job.shard->vertex_count,
		                            gemp_comm_sum1(s.job.comm, gemp_csr_all_edges(s.csr, s.count))));
	double since = gemp_now();
	const gemp_components_options how = { .place = s.settings.place,
		                                  .tree = numbered,
		                                  .counts_only = !(out || s.settings.output || numbered) };
	GEMP_TRY(gemp_components_find(&s.found, s.job.comm, s.job.device, graph->shard->bounds, s.csr, s.count, &how));
	gemp_timers_add_less(&s.job.timers, s.found.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since,
	                     s.found.exchange + s.found.build);
	s.job.timers.seconds[GEMP_PHASE_EXCHANGE] += s.found.exchange;
	s.job.timers.seconds[GEMP_PHASE_BUILD] += s.found.build;
	if (out || s.settings.output || s.settings.tree || s.settings.drawing)
		GEMP_TRY(write_results(&s, out != NULL));
	if (s.job.reports)
		GEMP_TRY(report_result(&s));
	if (component_count)
		*component_count = s.found.count;
	gemp_edge_job_hand_over(&s.job, out);
	return GEMP_OK;
}
