#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/rows/row_writer.h"

#include <string.h>

/* What was done for all types. */
typedef struct listing {
	gemp_graph_job job;
	gemp_edge_rows *rows; /* NULL: nobody wants them */
	gemp_count edges;
	gemp_edge_pairs_stats figures;
	uint64_t bytes, types;
} listing;

/* Collective. */
static gemp_code list_relation(listing *l, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_edge_pair *pairs = NULL;
	gemp_edge_pairs_stats figures = { 0 };
	gemp_graph_job *job = &l->job;
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_relation(job->graph, index, GEMP_LOAD_OUT));
	since = gemp_timers_add(&job->timers, GEMP_PHASE_READ, since);
	const gemp_csr csr = gemp_csr_out(job->graph, index);
	size_t count = (size_t)gemp_csr_edges(&csr);
	code = GEMP_NEW(pairs, count);
	if (code == GEMP_OK)
		code = gemp_edge_pairs(&csr, job->device, (gemp_placement)job->options->on, pairs, &figures);
	GEMP_TRY(gemp_comm_agree(job->comm, code));
	since = gemp_timers_add(&job->timers, figures.on_device ? GEMP_PHASE_KERNEL : GEMP_PHASE_RESOLVE, since);
	l->types++;
	l->edges += job->graph->relations[index].edge_count;
	l->figures.on_device |= figures.on_device;
	l->figures.seconds += figures.seconds;
	l->figures.transfers += figures.transfers;
	l->bytes += count * (sizeof *pairs + sizeof *csr.target) + (csr.rows + 1) * (figures.on_device ? 4 : 8);
	if (l->rows)
		GEMP_TRY(gemp_edge_rows_add(l->rows, index, NULL, pairs, count));
	gemp_timers_add(&job->timers, GEMP_PHASE_WRITE, since);
done:
	gemp_free(pairs);
	return code;
}

static gemp_code edges(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	listing l = { 0 };
	gemp_code code = gemp_rows_path_check(comm, "output", options->output);
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_job_open(&l.job, context, options, report));
	if (options->output) {
		GEMP_TRY(gemp_shard_load_keys(l.job.graph));
		GEMP_TRY(gemp_edge_rows_open(&l.rows, comm, l.job.graph, options->output, "edges"));
	}
	for (size_t r = 0; r < l.job.graph->relation_count; r++)
		if (l.job.relations[r])
			GEMP_TRY(list_relation(&l, r));
	code = gemp_edge_rows_close(l.rows);
	l.rows = NULL;
	GEMP_TRY(code);
	gemp_report_print(report, "%s of %s\n", gemp_counted(l.edges, "edge").text, gemp_counted(l.types, "type").text);
	gemp_report_set(report, "listed", gemp_json_count(l.edges));
	GEMP_TRY(gemp_graph_job_rate(&l.job, l.figures.on_device, l.figures.seconds, l.figures.transfers, l.bytes));
	GEMP_TRY(gemp_graph_job_report(&l.job));
done:
	gemp_edge_rows_abandon(l.rows);
	gemp_graph_job_free(&l.job);
	return code;
}

const gemp_command gemp_command_edges = {
	.name = "edges",
	.bit = GEMP_ON_EDGES,
	.arguments = "G.h5 [--relation TYPE] [-o FILE]",
	.summary = "Lists the edges of a graph as pairs of source and target",
	.text = "A graph file keeps the edges of each vertex in a row (CSR). This makes a pair of each, in equal "
			"shares however long the rows are, and tells how fast that was beside a copy in the same memory. Rows "
			"of FILE are source, type, edge and target: edge is the number among the edges of its type, which "
			"tells parallel ones apart.\n",
	.examples = "gemp-mpi edges movies.h5 --relation ACTS_IN -o acts.tsv\n"
				"gemp-mpi edges rmat20.h5 --on device --devices gpu\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = edges,
};
