#include "cli/match/answer.h"
#include "cli/report/report_run.h"
#include "core/quantity.h"
#include "generate/generate.h"
#include "pattern/semantic/parse.h"

#include <errno.h>

static const char question[] = "MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person),\n"
							   "      (c:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(d:Person)\n"
							   "WHERE a.name CONTAINS 'Jack'\n"
							   "RETURN m.name AS film, a.name AS jack, b.name, c.name, d.name";

static void print_query(const gemp_report *report, const gemp_shard *graph)
{
	gemp_report_print(report,
	                  "gemp-mpi %s on %d rank%s: a made-up world of films, %s vertices and %s edges.\n"
	                  "Which four people, one of them named Jack, act in one film?\n\n%s\n\n",
	                  GEMP_VERSION, report->comm->size, report->comm->size == 1 ? "" : "s",
	                  gemp_grouped(graph->vertex_count).text, gemp_grouped(gemp_shard_edges(graph)).text, question);
}

static void print_next_steps(const gemp_report *report)
{
	const char *program = program_invocation_name; /* as it was called: it need not be on the PATH */
	gemp_report_detail(report,
	                   "\nWhat to type next:\n"
	                   "  %s generate movies -o movies.h5    # this graph as a file\n"
	                   "  %s info movies.h5                  # its labels, attributes and degrees\n"
	                   "  mpirun -q --oversubscribe --bind-to none -n 4 %s match movies.h5 \\\n"
	                   "      \"MATCH (a:Person)-[:ACTS_IN]->(m:Movie) WHERE m.year < 1930 RETURN a.name, m.name\"\n"
	                   "  %s help                            # everything else\n",
	                   program, program, program, program);
}

static gemp_code demo(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	enum { PREVIEW = 8 };
	gemp_pattern *pattern = NULL;
	gemp_shard *graph = NULL;
	gemp_timers timers = { 0 };
	gemp_generate_options how;
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	code = gemp_generate_init(&how, "movies");
	how.seed = options->seed;
	if (code == GEMP_OK)
		code = gemp_pattern_parse(&pattern, question, NULL);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_generate(&graph, comm, &how));
	gemp_timers_add(&timers, GEMP_PHASE_CONVERT, since);
	print_query(report, graph);
	GEMP_TRY(gemp_answer(report, options, comm, graph, &pattern, 1, PREVIEW, &timers));
	print_next_steps(report);
done:
	gemp_shard_free(graph);
	gemp_pattern_free(pattern);
	return code;
}

const gemp_command gemp_command_demo = {
	.name = "demo",
	.bit = GEMP_ON_DEMO,
	.arguments = "",
	.summary = "Makes a graph of films and people in memory and asks it a question",
	.text = "This is what runs when no command is given.\n",
	.examples = "mpirun -n 8 gemp-mpi\nmpirun -n 4 gemp-mpi demo --explain\n",
	.min_arguments = 0,
	.max_arguments = 0,
	.run = demo,
};
