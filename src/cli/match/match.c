/* census: match --pattern motifs:K. */

#include "api/context_state.h"
#include "cli/graph_job.h"
#include "cli/match/answer.h"
#include "cli/match/match_report.h"
#include "cli/match/resumable_search.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/signals.h"
#include "io/file/output.h"
#include "io/file/stream.h"
#include "io/graph_file/graph_file_read.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"
#include "pattern/shapes/query_graph.h"
#include "query/motifs.h"
#include "query/output/subgraph_sink.h"

#include <string.h>

/* Local. What options say that has no meaning for a census is refused. */
static gemp_code gemp_census_check(const gemp_options *options)
{
	static const char *const others[] = { "output",  "subgraph", "limit", "order",    "explain",
		                                  "profile", "symmetry", "pivot", "estimate", "count-per" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (gemp_options_has(options, others[i]))
			return gemp_fail(GEMP_EUSAGE,
			                 "--%s: --pattern %s counts many patterns, one after the other; count one of them with "
			                 "--pattern edges:...",
			                 others[i], options->pattern);
	if (options->semantics != GEMP_ISO && options->semantics != GEMP_INDUCED)
		return gemp_fail(GEMP_EUSAGE,
		                 "--semantics %s: motifs are counted as subgraphs; say iso (edge-induced) or induced "
		                 "(vertex-induced)",
		                 gemp_semantics_name[options->semantics]);
	if (options->distinct == GEMP_BY_VERTICES || options->distinct == GEMP_BY_NOTHING)
		return gemp_fail(GEMP_EUSAGE, "--distinct %s: motifs are counted as subgraphs; leave it out",
		                 gemp_distinct_name[options->distinct]);
	return GEMP_OK;
}

static gemp_code report_kinds(gemp_report *report, const gemp_options *options, const gemp_census *census,
                              const gemp_motifs *motifs)
{
	gemp_code code = GEMP_OK;
	gemp_text edges = { 0 };
	json_t *list = json_array();
	bool induced = options->semantics == GEMP_INDUCED;
	gemp_report_print(report, "%d patterns of %d vertices, %s\n\n%22s  %8s  pattern\n", census->kinds, census->vertices,
	                  induced ? "vertex-induced (no further edge among their vertices)" : "edge-induced (any subgraph)",
	                  "count", "seconds");
	for (int k = 0; k < census->kinds; k++) {
		gemp_text_clear(&edges);
		gemp_text_print(&edges, "edges:");
		gemp_census_text(census, k, &edges);
		GEMP_TRY(gemp_text_status(&edges));
		gemp_report_print(report, "%22s  %8.3f  %s\n", gemp_grouped(motifs->counts[k]).text, motifs->seconds[k],
		                  edges.data);
		json_array_append_new(list, json_pack("{s:s,s:i,s:o,s:f}", "pattern", edges.data, "edges",
		                                      __builtin_popcount(census->edges[k]), "count",
		                                      gemp_json_count(motifs->counts[k]), "seconds", motifs->seconds[k]));
	}
	gemp_report_print(report, "\n");
	gemp_report_set(report, "query", json_string(options->pattern));
	gemp_report_set(report, "semantics", json_string(gemp_semantics_name[options->semantics]));
	gemp_report_set(report, "motifs", json_incref(list));
done:
	json_decref(list);
	gemp_text_free(&edges);
	return code;
}

/* Collective. All connected patterns of so many vertices counted, as a table and as JSON. */
static gemp_code gemp_census_answer(gemp_report *report, const gemp_options *options, gemp_comm *comm,
                                    gemp_shard *graph, int vertices, const gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *context = NULL;
	gemp_census census;
	gemp_motifs motifs = { 0 };
	const gemp_match_options how = { .semantics = (gemp_semantics)options->semantics,
		                             .count_by_formula = options->count_by == 0,
		                             .replicate = options->replicate,
		                             .exchange = (gemp_exchange_mode)options->exchange,
		                             .launch_factor = options->launch_factor,
		                             .lanes = (int)options->lanes };
	gemp_census_new(&census, vertices);
	GEMP_TRY(gemp_context_runtime(&context, report->context, true, timers));
	gemp_report_graph(report, graph);
	if (!options->dry_run)
		GEMP_TRY(gemp_motifs_count(&motifs, context, graph, &census, &how));
	if (!options->dry_run)
		GEMP_TRY(gemp_comm_agree(comm, report_kinds(report, options, &census, &motifs)));
	gemp_report_seconds(report, &context->timers, true);
	GEMP_TRY(gemp_report_devices(report, context));
	gemp_report_memory(report, gemp_runtime_device_peak(context));
done:
	return code;
}

enum { PREVIEW = 20, MOST_LANES = 1024 };

/* There are four ways to ask, and one is to be taken. */
static gemp_code check(const gemp_options *options)
{
	int asked = (options->argument_count == 2) + (options->query_file != NULL) + (options->query_graph != NULL) +
	            (options->pattern != NULL);
	if (asked != 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "match needs one query, and has %s: QUERY, --query-file, --query-graph "
		                 "or --pattern",
		                 asked ? "more" : "none");
	if (options->parameters.count && (options->query_graph || options->pattern))
		return gemp_fail(GEMP_EUSAGE, "--param gives values to a query's text; --query-graph and --pattern have none");
	if (options->count && gemp_answer_rows_path(options))
		return gemp_fail(GEMP_EUSAGE, "--count makes no rows to write; leave out --output, or --count");
	if (options->lanes > MOST_LANES)
		return gemp_fail(GEMP_EUSAGE, "--lanes: %" GEMP_PRICOUNT " is more than %d", options->lanes, MOST_LANES);
	return GEMP_OK;
}

/* --param, once each. */
static gemp_code read_parameters(gemp_query_parameter *parameters, const gemp_list *list)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < list->count; i++) {
		GEMP_TRY(gemp_query_parameter_read(&parameters[i], list->items[i]));
		for (size_t j = 0; j < i; j++)
			if (strcmp(parameters[j].name, parameters[i].name) == 0)
				return gemp_fail(GEMP_EUSAGE, "--param %s: there are two values for $%s; leave one out", list->items[i],
				                 parameters[i].name);
	}
done:
	return code;
}

/* Text of a query, or of several in a file, with the values of --param. */
static gemp_code parse(gemp_script *out, const char *text, const char *file, const gemp_list *list)
{
	gemp_code code = GEMP_OK;
	gemp_query_parameter *parameters = NULL;
	GEMP_TRY(GEMP_NEW(parameters, list->count));
	GEMP_TRY(read_parameters(parameters, list));
	if (file)
		code = gemp_script_parse(out, text, file, parameters, list->count);
	else
		code = gemp_pattern_parse_with(out->queries, text, NULL, parameters, list->count);
done:
	for (size_t i = 0; parameters && i < list->count; i++)
		gemp_query_parameter_free(&parameters[i]);
	gemp_free(parameters);
	return code;
}

/* A query graph is read by a path; the others read what rank 0 has read. Collective. */
static gemp_code read_queries(gemp_script *out, const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	char *text = NULL;
	if (options->query_file) {
		GEMP_TRY(gemp_file_read(&text, comm, "--query-file", options->query_file));
		code = parse(out, text, options->query_file, &options->parameters);
		goto done;
	}
	code = GEMP_NEW(out->queries, 1);
	if (code == GEMP_OK) {
		out->count = 1;
		if (options->query_graph)
			code = gemp_pattern_query_graph(out->queries, options->query_graph, options->query_labels);
		else if (options->pattern)
			code = gemp_pattern_named(out->queries, options->pattern);
		else
			code = parse(out, options->arguments[1], NULL, &options->parameters);
	}
done:
	gemp_free(text);
	return gemp_comm_agree(comm, code);
}

static bool is_dash(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static gemp_code check_subgraph(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	const char *path = gemp_answer_subgraph_path(options), *option = options->subgraph ? "--subgraph" : "--output";
	if (!path)
		return GEMP_OK;
	if (options->pattern || options->query_graph)
		code = gemp_fail(GEMP_EUSAGE,
		                 "%s %s: --pattern and --query-graph match the simple graph, where an edge is no "
		                 "longer one of the file; write the pattern as a query",
		                 option, path);
	if (code == GEMP_OK)
		code = gemp_subgraph_sink_check(path);
	if (code == GEMP_OK && comm->rank == 0)
		code = gemp_file_may_write(option, path);
	return gemp_comm_agree(comm, code);
}

static gemp_code check_output(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	const char *path = gemp_answer_rows_path(options);
	GEMP_TRY(check_subgraph(comm, options));
	if (!path)
		return GEMP_OK;
	if (is_dash(path) && is_dash(options->json))
		code = gemp_fail(GEMP_EUSAGE, "--output - and --json - both want stdout; give one of them a file");
	else
		code = gemp_rows_path_check(comm, "output", path);
	code = gemp_comm_agree(comm, code);
done:
	return code;
}

static gemp_code check_several(const gemp_options *options, size_t count)
{
	if (count > 1 && is_dash(options->output))
		return gemp_fail(GEMP_EUSAGE,
		                 "--output -: %s has %zu queries, whose rows have columns of their own; name a file, and "
		                 "each gets one with its number, or keep one query in the file",
		                 options->query_file, count);
	return GEMP_OK;
}

/* --pattern motifs:K is many patterns: *motifs is K, or 0. */
static gemp_code check_motifs(const gemp_options *options, int *motifs)
{
	gemp_code code = GEMP_OK;
	*motifs = 0;
	if (options->pattern)
		code = gemp_census_named(options->pattern, motifs);
	return code == GEMP_OK && *motifs ? gemp_census_check(options) : code;
}

/* A search that keeps what it has finished ends after a step, any other at once; rank 0 says so for all. */
static void expect_signals(const gemp_comm *comm, const gemp_options *options)
{
	if (!options->checkpoint && comm->rank == 0)
		gemp_signals_set_message(
			"gemp-mpi: ended by a signal, and nothing of the search is kept; --checkpoint FOLDER keeps what is "
			"finished\n");
}

static gemp_code match(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_script script = { 0 };
	gemp_shard *graph = NULL;
	gemp_timers timers = { 0 };
	int motifs = 0;
	gemp_code code = check(options);
	if (code == GEMP_OK)
		code = check_motifs(options, &motifs);
	if (code == GEMP_OK)
		code = check_output(comm, options);
	if (code != GEMP_OK)
		return code;
	if (!motifs)
		GEMP_TRY(read_queries(&script, comm, options));
	GEMP_TRY(check_several(options, script.count));
	GEMP_TRY(gemp_resumable_check(options, script.count));
	expect_signals(comm, options);
	double since = gemp_now();
	GEMP_TRY(gemp_graph_file_open(&graph, comm, options->arguments[0]));
	gemp_timers_add(&timers, GEMP_PHASE_READ, since);
	code = motifs ? gemp_census_answer(report, options, comm, graph, motifs, &timers)
	              : gemp_answer(report, options, comm, graph, script.queries, script.count, PREVIEW, &timers);
done:
	gemp_shard_free(graph);
	gemp_script_free(&script);
	return code;
}

const gemp_command gemp_command_match = {
	.name = "match",
	.bit = GEMP_ON_MATCH,
	.arguments = "G.h5 QUERY\nG.h5 --query-file FILE\nG.h5 --query-graph FILE\nG.h5 --pattern NAME",
	.summary = "Finds every occurrence of a pattern in a graph",
	.text =
		"QUERY is openCypher-shaped: MATCH paths WHERE conditions, OPTIONAL MATCH, WITH, RETURN, ORDER BY, SKIP, LIMIT; "
		"EXISTS { }, COUNT { }, paths of variable length, aggregates and $parameters (docs/query-language.md). Each rank owns "
		"a random part of the graph, searches from its own vertices on its device, and sends what crosses to "
		"the owners.\n"
		"The report gives matches in the chosen sense and, where they follow from it, embeddings: mappings of "
		"the pattern's vertices and edges.\n",
	.examples =
		"gemp-mpi match movies.h5 \"MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE p.name CONTAINS 'Jack' "
		"RETURN p.name, m.name\"\n"
		"gemp-mpi match movies.h5 \"MATCH (a)-[:ACTS_IN]->(m) RETURN a.name, count(m) AS n ORDER BY n DESC LIMIT 9\"\n"
		"gemp-mpi match movies.h5 --query-file three-films.cypher --param least=3\n"
		"mpirun -n 8 gemp-mpi match wiki.h5 --pattern clique:4 --count\n"
		"gemp-mpi match wiki.h5 --pattern motifs:4 --semantics induced\n"
		"mpirun -n 8 gemp-mpi match hprd.h5 --query-graph q1.graph --count --json -\n"
		"mpirun -n 8 gemp-mpi match movies.h5 --query-file casts.cypher -o casts.tsv --replicate 64M\n",
	.min_arguments = 1,
	.max_arguments = 2,
	.run = match,
};
