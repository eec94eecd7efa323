#include "api/graph_report.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "io/rows/row_writer.h"

#include <string.h>

enum { KEY, OUT, IN, COLUMNS };

typedef struct counting {
	gemp_graph_job job;
	gemp_csr *csr; /* [count] of the chosen relations that are directed */
	size_t count;
	gemp_vertex_degrees found;
} counting;

/* Collective. */
static gemp_code count_edges(counting *c)
{
	gemp_code code = GEMP_OK;
	gemp_graph_job *job = &c->job;
	gemp_shard *graph = job->graph;
	double since = gemp_now();
	GEMP_TRY(gemp_comm_agree(job->comm, GEMP_NEW(c->csr, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++) {
		if (!job->relations[r] || !graph->relations[r].directed)
			continue;
		GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
		c->csr[c->count++] = gemp_csr_out(graph, r);
	}
	if (graph->relation_count && !c->count)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s has no edges with a direction of these types; `gemp-mpi info` shows "
		                 "degrees without",
		                 job->options->arguments[0]);
	since = gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_vertex_degrees_new(&c->found, job->comm, job->device, (gemp_placement)job->options->on, graph->bounds,
	                                 c->csr, c->count));
	gemp_timers_add(&job->timers, c->found.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since);
done:
	return code;
}

static gemp_code fill(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const counting *c = self;
	GEMP_PROPAGATE(gemp_row_fill_slice(&columns[KEY], &c->job.graph->keys, first, count));
	for (size_t row = first; row < first + count; row++) {
		GEMP_PROPAGATE(gemp_row_fill_integer(&columns[OUT], c->found.out[row]));
		GEMP_PROPAGATE(gemp_row_fill_integer(&columns[IN], c->found.in[row]));
	}
	return GEMP_OK;
}

/* Collective. */
static gemp_code write_rows(counting *c)
{
	gemp_code code = GEMP_OK;
	gemp_graph_job *job = &c->job;
	const gemp_row_column columns[COLUMNS] = {
		[KEY] = { "key", job->graph->keys.type }, [OUT] = { "out", GEMP_INTEGER }, [IN] = { "in", GEMP_INTEGER }
	};
	gemp_row_turns turns = { .comm = job->comm,
		                     .columns = columns,
		                     .count = COLUMNS,
		                     .fill = fill,
		                     .self = c,
		                     .path = job->options->output,
		                     .info = gemp_row_info("degrees", job->graph),
		                     .at_once = true };
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_keys(job->graph));
	GEMP_TRY(gemp_row_turns_write(&turns, c->found.rows));
	gemp_timers_add(&job->timers, GEMP_PHASE_WRITE, since);
done:
	return code;
}

/* Collective. */
static gemp_code report_result(counting *c, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_degree_histogram degrees = { 0 };
	const gemp_vertex_degrees *found = &c->found;
	gemp_degrees_directed(&degrees, c->job.comm, found);
	gemp_report_set(report, "directed", gemp_degrees_report(report, &degrees));
	gemp_report_detail(report, "\n");
	GEMP_TRY(gemp_graph_job_rate(&c->job, found->on_device, found->seconds, found->transfers,
	                             4 * gemp_csr_all_edges(c->csr, c->count) +
	                                 (found->on_device ? 4 : 8) * (uint64_t)found->rows));
	gemp_graph_job_exchange(&c->job, &found->traffic,
	                        gemp_comm_sum1(c->job.comm, gemp_csr_all_edges(c->csr, c->count)));
	GEMP_TRY(gemp_graph_job_report(&c->job));
done:
	return code;
}

static gemp_code degrees(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	counting c = { 0 };
	gemp_code code = gemp_rows_path_check(comm, "output", options->output);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_job_open(&c.job, context, options, report));
	GEMP_TRY(count_edges(&c));
	if (options->output)
		GEMP_TRY(write_rows(&c));
	GEMP_TRY(report_result(&c, report));
done:
	gemp_vertex_degrees_free(&c.found);
	gemp_free(c.csr);
	gemp_graph_job_free(&c.job);
	return code;
}

const gemp_command gemp_command_degrees = {
	.name = "degrees",
	.bit = GEMP_ON_DEGREES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Counts the edges that leave and reach each vertex",
	.text = "Of edges with a direction: vertices by out- and in-degree, sources, sinks, isolated ones, and how "
			"many have as many edges in as out, which all must have for an Euler circuit. Rows of FILE are key, "
			"out and in; a loop counts both ways.\n",
	.examples = "gemp-mpi degrees citations.h5 -o degrees.tsv\n"
				"mpirun -n 8 gemp-mpi degrees city.h5 --relation ONE_WAY\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = degrees,
};
