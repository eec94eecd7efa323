/* topology: the degrees, the lists of edges and the reversal of a graph, with their files and reports. A rank reads the
 * rows by source of its own vertices. All ranks work on their devices, or all of them on their hosts. */

#include "gemp/primitives.h"

#include "api/edge_job.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/threads.h"
#include "io/rows/edge_rows.h"
#include "topology/reverse.h"

#include <string.h>

/* DEGREES */

/* Local. Adds a column of counts with a row for each vertex. */
static gemp_code add_counts(gemp_table *table, const char *name, const uint64_t *values, size_t rows)
{
	gemp_column *column;
	GEMP_TRY(gemp_table_add(table, name, GEMP_INTEGER, &column));
	GEMP_TRY(gemp_column_reserve(column, rows, 0));
	if (rows)
		memcpy(column->integers, values, rows * sizeof *values); /* a row has fewer than 2^63 edges */
	column->rows = table->rows = rows;
	return GEMP_OK;
}

/* Moves the rows of the undirected relations to the front. `csr` has the rows of the selected relations in their
 * order. Returns the number of undirected relations. */
static size_t undirected_first(gemp_csr *csr, const bool *relations, const gemp_shard *shard)
{
	size_t undirected = 0;
	for (size_t r = 0, selected = 0; r < shard->relation_count; r++) {
		if (!relations[r])
			continue;
		if (!shard->relations[r].directed) {
			const gemp_csr directed = csr[undirected];
			csr[undirected++] = csr[selected];
			csr[selected] = directed;
		}
		selected++;
	}
	return undirected;
}

/* The degrees of undirected edges, which are added to those of all edges. */
typedef struct undirected_degrees {
	gemp_vertex_degrees *found;
	const gemp_vertex_degrees *both;
	const gemp_csr *csr;
	size_t count;
} undirected_degrees;

static void add_range(void *context, size_t begin, size_t end)
{
	const undirected_degrees *u = context;
	for (size_t row = begin; row < end; row++) {
		uint64_t loops = 0;
		for (size_t k = 0; k < u->count; k++)
			for (uint64_t e = u->csr[k].begin[row]; e < u->csr[k].begin[row + 1]; e++)
				loops += u->csr[k].target[e] == u->csr[k].first + row;
		u->found->out[row] += u->both->in[row] - loops;
		u->found->in[row] += u->both->out[row] - loops;
	}
}

/* Collective. An undirected edge counts at both ends in both columns; an undirected loop counts once in each column.
 * This function changes the order of csr[]. */
static gemp_code count_both_ways(gemp_vertex_degrees *found, gemp_csr *csr, const gemp_edge_job *job)
{
	GEMP_OWNED_BY(gemp_vertex_degrees_free) gemp_vertex_degrees both = { 0 };
	const size_t undirected = undirected_first(csr, job->relations, job->shard);
	if (!undirected)
		return GEMP_OK;
	GEMP_TRY(gemp_vertex_degrees_new(&both, job->comm, found->on_device ? job->device : NULL,
	                                 found->on_device ? GEMP_PLACE_DEVICE : GEMP_PLACE_HOST, job->shard->bounds, csr,
	                                 undirected));
	gemp_for_elements(found->rows, add_range, &(undirected_degrees){ found, &both, csr, undirected });
	found->traffic.bytes += both.traffic.bytes;
	found->traffic.messages += both.traffic.messages;
	found->traffic.rounds += both.traffic.rounds;
	found->seconds += both.seconds;
	found->transfers += both.transfers;
	found->exchange += both.exchange;
	return GEMP_OK;
}

/* Collective. Reports the histogram of degrees, and the rate at which targets were counted. */
static gemp_code report_degrees(gemp_edge_job *job, const gemp_vertex_degrees *found, const gemp_csr *csr, size_t count)
{
	gemp_degree_histogram degrees = { 0 };
	const uint64_t edges = gemp_csr_all_edges(csr, count);
	gemp_degrees_directed(&degrees, job->comm, found);
	gemp_report_set(job->report, "directed", gemp_degrees_report(job->report, &degrees));
	gemp_report_detail(job->report, "\n");
	GEMP_TRY(gemp_report_rate(job->report, found->on_device ? job->device : NULL, found->seconds, found->transfers,
	                          4 * edges + (found->on_device ? 4 : 8) * (uint64_t)found->rows));
	gemp_edge_job_exchange(job, &found->traffic, gemp_comm_sum1(job->comm, edges));
	gemp_edge_job_between_devices(job, found->on_device, found->exchange);
	return gemp_edge_job_report(job);
}

/* Collective. Makes the columns, and writes them to the file `path` unless it is NULL. */
static gemp_code write_degrees(gemp_edge_job *job, const char *path, const gemp_vertex_degrees *found)
{
	double since = gemp_now();
	GEMP_TRY(gemp_columns_new(&job->columns, job->graph->context));
	gemp_table *table = &job->columns->table;
	gemp_code code = add_counts(table, "out", found->out, found->rows);
	GEMP_THEN(add_counts(table, "in", found->in, found->rows));
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	if (path)
		GEMP_TRY(gemp_vertex_output_rows(job->graph, path, "degrees", table));
	gemp_timers_add(&job->timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

gemp_code gemp_graph_degrees(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                             const gemp_topology_settings *settings, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_edge_job_free) gemp_edge_job job = { 0 };
	GEMP_OWNED_BY(gemp_vertex_degrees_free) gemp_vertex_degrees found = { 0 };
	GEMP_OWNED gemp_csr *csr = NULL;
	gemp_topology_settings chosen;
	size_t count;
	if (out)
		*out = NULL;
	GEMP_TRY(gemp_topology_job_begin(&job, &chosen, graph, edges, settings, report));
	GEMP_TRY(gemp_edge_job_rows(&job, chosen.directed, &csr, NULL, &count));
	if (chosen.directed && graph->shard->relation_count && !count)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s has no edges with a direction of these types; `gemp-mpi info` shows degrees without",
		                 graph->name);
	double since = gemp_now();
	GEMP_TRY(gemp_vertex_degrees_new(&found, job.comm, job.device, chosen.place, graph->shard->bounds, csr, count));
	if (!chosen.directed)
		GEMP_TRY(count_both_ways(&found, csr, &job));
	gemp_timers_add_less(&job.timers, found.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since, found.exchange);
	job.timers.seconds[GEMP_PHASE_EXCHANGE] += found.exchange;
	if (out || chosen.output)
		GEMP_TRY(write_degrees(&job, chosen.output, &found));
	if (report)
		GEMP_TRY(report_degrees(&job, &found, csr, count));
	gemp_edge_job_hand_over(&job, out);
	return GEMP_OK;
}

/* EDGES */

/* A list of edges, and the figures of the types that are done. */
typedef struct edge_list {
	gemp_edge_job job;
	gemp_placement place;
	gemp_edge_rows *rows; /* NULL: no file is wanted */
	gemp_count edges;
	gemp_edge_pairs_stats figures;
	bool on_devices; /* of some type; the same on all ranks */
	uint64_t bytes, types;
} edge_list;

static void free_list(edge_list *l)
{
	gemp_edge_rows_abandon(l->rows);
	gemp_edge_job_free(&l->job);
}

/* Collective. Makes the pairs of source and target of one edge type, and writes them if a file is wanted. */
static gemp_code list_relation(edge_list *l, size_t index)
{
	GEMP_OWNED gemp_edge_pair *pairs = NULL;
	gemp_edge_pairs_stats figures = { 0 };
	gemp_edge_job *job = &l->job;
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_relation(job->shard, index, GEMP_LOAD_OUT));
	since = gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
	const gemp_csr csr = gemp_csr_out(job->shard, index);
	size_t count = (size_t)gemp_csr_edges(&csr);
	gemp_placement place = gemp_edge_pairs_place(&csr, job->comm, job->device, l->place);
	GEMP_TRY(gemp_comm_agree(job->comm, GEMP_NEW(pairs, count)));
	gemp_code code = gemp_comm_agree(job->comm, gemp_edge_pairs(&csr, job->device, place, pairs, &figures));
	if (code == GEMP_ENOMEM && l->place == GEMP_PLACE_AUTO && place == GEMP_PLACE_DEVICE) {
		place = GEMP_PLACE_HOST;
		code = gemp_comm_agree(job->comm, gemp_edge_pairs(&csr, NULL, place, pairs, &figures));
	}
	GEMP_TRY(code);
	const bool devices = place == GEMP_PLACE_DEVICE;
	since = gemp_timers_add(&job->timers, devices ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since);
	l->types++;
	l->edges += job->shard->relations[index].edge_count;
	l->on_devices |= devices;
	l->figures.seconds += figures.seconds;
	l->figures.transfers += figures.transfers;
	l->bytes += count * (sizeof *pairs + sizeof *csr.target) + (csr.rows + 1) * (devices ? 4 : 8);
	if (l->rows)
		GEMP_TRY(gemp_edge_rows_add(l->rows, index, NULL, pairs, count));
	gemp_timers_add(&job->timers, GEMP_PHASE_WRITE, since);
	return GEMP_OK;
}

gemp_code gemp_graph_list_edges(gemp_graph *graph, const gemp_edge_selection *edges,
                                const gemp_topology_settings *settings, uint64_t *edge_count, gemp_report *report)
{
	gemp_topology_settings chosen;
	GEMP_OWNED_BY(free_list) edge_list l = { 0 };
	GEMP_TRY(gemp_topology_job_begin(&l.job, &chosen, graph, edges, settings, report));
	l.place = chosen.place;
	if (chosen.output) {
		GEMP_TRY(gemp_shard_load_keys(graph->shard));
		GEMP_TRY(gemp_edge_rows_open(&l.rows, l.job.comm, graph->shard, chosen.output, "edges"));
	}
	for (size_t r = 0; r < graph->shard->relation_count; r++)
		if (l.job.relations[r])
			GEMP_TRY(list_relation(&l, r));
	GEMP_TRY(gemp_edge_rows_close(GEMP_MOVE(l.rows)));
	if (edge_count)
		*edge_count = l.edges;
	if (!report)
		return GEMP_OK;
	gemp_report_print(report, "%s of %s\n", gemp_counted(l.edges, "edge").text, gemp_counted(l.types, "type").text);
	gemp_report_set(report, "listed", gemp_json_count(l.edges));
	GEMP_TRY(
		gemp_report_rate(report, l.on_devices ? l.job.device : NULL, l.figures.seconds, l.figures.transfers, l.bytes));
	return gemp_edge_job_report(&l.job);
}

/* REVERSAL */

gemp_code gemp_graph_reverse(gemp_graph *graph, const gemp_edge_selection *edges,
                             const gemp_topology_settings *settings, uint64_t *edge_count, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_edge_job_free) gemp_edge_job job = { 0 };
	gemp_topology_settings chosen;
	gemp_reverse_stats figures;
	GEMP_TRY(gemp_topology_job_begin(&job, &chosen, graph, edges, settings, report));
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_outgoing(graph->shard));
	since = gemp_timers_add(&job.timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_shard_reverse(graph->shard, job.comm, job.relations, job.device, chosen.place, &figures));
	gemp_timers_add_less(&job.timers, GEMP_PHASE_CONVERT, since, figures.exchange);
	job.timers.seconds[GEMP_PHASE_EXCHANGE] += figures.exchange;
	if (edge_count)
		*edge_count = figures.edges;
	if (!report)
		return GEMP_OK;
	gemp_report_print(report, "%s reversed\n", gemp_counted(figures.edges, "edge").text);
	gemp_report_set(report, "turned", gemp_json_count(figures.edges));
	gemp_edge_job_exchange(&job, &figures.traffic, figures.edges);
	gemp_edge_job_between_devices(&job, figures.on_device, figures.exchange);
	GEMP_TRY(gemp_report_rate(report, figures.on_device ? job.device : NULL, figures.seconds, figures.transfers,
	                          figures.bytes));
	if (!chosen.unfinished)
		return gemp_edge_job_report(&job);
	graph->timers = job.timers; /* the report of gemp_graph_write contains the seconds */
	return GEMP_OK;
}
