#include "topology/reverse.h"
#include "cli/graph_job.h"
#include "cli/graph_output.h"
#include "cli/report/report_run.h"
#include "core/quantity.h"

static gemp_code reverse(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_graph_job job = { 0 };
	gemp_reverse_stats figures;
	gemp_code code = options->output ? gemp_graph_output_check(comm, options) : GEMP_OK;
	if (code != GEMP_OK)
		return code;
	GEMP_TRY(gemp_graph_job_open(&job, context, options, report));
	double since = gemp_now();
	GEMP_TRY(gemp_shard_load_outgoing(job.graph));
	since = gemp_timers_add(&job.timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_shard_reverse(job.graph, comm, job.relations, job.device, (gemp_placement)options->on, &figures));
	gemp_timers_add(&job.timers, GEMP_PHASE_CONVERT, since);
	gemp_report_print(report, "%s turned round\n", gemp_counted(figures.edges, "edge").text);
	gemp_report_set(report, "turned", gemp_json_count(figures.edges));
	gemp_graph_job_exchange(&job, &figures.traffic, figures.edges);
	GEMP_TRY(gemp_graph_job_rate(&job, figures.on_device, figures.seconds, figures.transfers, figures.bytes));
	if (options->output)
		GEMP_TRY(gemp_graph_output(report, options, job.graph, NULL, 0, &job.timers, NULL));
	else
		GEMP_TRY(gemp_graph_job_report(&job));
done:
	gemp_graph_job_free(&job);
	return code;
}

const gemp_command gemp_command_reverse = {
	.name = "reverse",
	.bit = GEMP_ON_REVERSE,
	.arguments = "G.h5 [--relation TYPE] [-o H.h5]",
	.summary = "Turns the edges of a graph round",
	.text = "Each edge leads from its target to its source (the matrix is transposed). Vertices stay as they are, "
			"those without edges too, attributes go with their edges, and parallel edges keep their order. Edges "
			"without a direction are left alone. One rank takes its device or its threads; of several each takes "
			"the edges that lead to its vertices.\n",
	.examples = "gemp-mpi reverse citations.h5 -o cited-by.h5\n"
				"gemp-mpi reverse city.h5 --relation ONE_WAY -o back.h5\n",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = reverse,
};
