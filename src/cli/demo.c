/* demo: what runs when no command is given: a graph that is made in memory, and a question that touches what the program is for:
 * a pattern of five vertices, a condition on an attribute, rows in the user's own keys. It needs no file and takes a second.
 */

#include "cli/handles.h"
#include "cli/query_options.h"
#include "core/quantity.h"

#include <errno.h>

static const char question[] = "MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person),\n"
							   "      (c:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(d:Person)\n"
							   "WHERE a.name CONTAINS 'Jack'\n"
							   "RETURN m.name AS film, a.name AS jack, b.name, c.name, d.name";

/* The question stands before the rows, so that nobody has to know the language to follow. */
static void print_query(const gemp_report *report, const gemp_context *context, const gemp_graph *graph)
{
	int ranks = gemp_context_size(context);
	gemp_report_print(report,
	                  "gemp-mpi %s on %d rank%s: a made-up world of films, %s vertices and %s edges.\n"
	                  "Which four people, one of them named Jack, act in one film?\n\n%s\n\n",
	                  gemp_version(), ranks, ranks == 1 ? "" : "s", gemp_grouped(gemp_graph_vertex_count(graph)).text,
	                  gemp_grouped(gemp_graph_edge_count(graph)).text, question);
}

/* Commands that can be copied as they are. */
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
	enum { PREVIEW = 8 };
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	gemp_query_settings settings = gemp_query_options(options);
	settings.preview = PREVIEW;
	GEMP_TRY(gemp_graph_generate(&graph, context, "movies", NULL, 0, options->seed, 1));
	GEMP_TRY(gemp_query_open(&query, graph, question, &settings));
	print_query(report, context, graph);
	GEMP_TRY(gemp_query_write(query, NULL, NULL, report));
	print_next_steps(report);
	return GEMP_OK;
}

const gemp_command gemp_command_demo = {
	.name = "demo",
	.bit = GEMP_ON_DEMO,
	.arguments = "",
	.summary = "Makes a graph of films and people in memory and asks it a question",
	.text = "This is what runs when no command is given.\n",
	.examples = "mpirun -n 8 gemp-mpi\nmpirun -n 4 gemp-mpi demo --explain\n",
	.run = demo,
};
