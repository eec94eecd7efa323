/* match: searches of patterns, by the modes of gemp/query.h. */

#include "cli/handles.h"
#include "cli/query_options.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { PREVIEW = 20, MAX_LANES = 1024 };

/* GEMP_EUSAGE if one of these options is given. */
static gemp_code refuse(const gemp_options *options, const char *const *names, size_t count, const char *why)
{
	for (size_t i = 0; i < count; i++)
		if (gemp_options_has(options, names[i]))
			return gemp_fail(GEMP_EUSAGE, "--%s: %s", names[i], why);
	return GEMP_OK;
}

/* Each mode has options that mean nothing to it. */
static gemp_code check_mode(const gemp_options *options)
{
	static const char *const of_estimate[] = { "output", "subgraph", "limit", "profile" };
	static const char *const of_count_per[] = { "count", "subgraph", "limit", "estimate" };
	if (options->estimate)
		GEMP_TRY(refuse(options, of_estimate, 4,
		                "--estimate finds no matches, it estimates their number; leave one of them out"));
	if (options->count_per)
		GEMP_TRY(refuse(options, of_count_per, 4, "--count-per gives a count for each vertex; leave one of them out"));
	return GEMP_OK;
}

/* An --output that ends in .dot or .graphml is a --subgraph. */
static bool is_drawing(const char *path)
{
	static const char *const endings[] = { ".dot", ".graphml" };
	const size_t length = path ? strlen(path) : 0;
	for (size_t i = 0; i < 2; i++)
		if (length >= strlen(endings[i]) && strcmp(path + length - strlen(endings[i]), endings[i]) == 0)
			return true;
	return false;
}

static const char *rows_path(const gemp_options *options)
{
	return is_drawing(options->output) ? NULL : options->output;
}

static bool is_dash(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Local. Finds options that do not go together before anything is opened. */
static gemp_code check(const gemp_options *options)
{
	int queries = (options->argument_count == 2) + (options->query_file != NULL) + (options->query_graph != NULL) +
	              (options->pattern != NULL);
	if (queries != 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "match needs one query, and has %s: QUERY, --query-file, --query-graph "
		                 "or --pattern",
		                 queries ? "more" : "none");
	if (options->parameters.count && (options->query_graph || options->pattern))
		return gemp_fail(GEMP_EUSAGE, "--param gives values to a query's text; --query-graph and --pattern have none");
	if (options->count && rows_path(options))
		return gemp_fail(GEMP_EUSAGE, "--count makes no rows to write; leave out --output, or --count");
	if (is_dash(options->output) && is_dash(options->json))
		return gemp_fail(GEMP_EUSAGE, "--output - and --json - both want stdout; give one of them a file");
	if (options->lanes > MAX_LANES)
		return gemp_fail(GEMP_EUSAGE, "--lanes: %" PRIu64 " is more than %d", options->lanes, MAX_LANES);
	GEMP_TRY(check_mode(options));
	return gemp_checkpoint_options_check(options);
}

/* MOTIFS */

/* "motifs:K" names many patterns, which gemp_graph_motifs counts. */
static bool is_motifs(const char *pattern)
{
	return pattern && strncasecmp(pattern, "motifs", 6) == 0 && (!pattern[6] || pattern[6] == ':');
}

static gemp_code match_motifs(gemp_graph *graph, const gemp_options *options, const gemp_query_settings *settings,
                              gemp_report *report)
{
	static const char *const others[] = { "output",  "subgraph", "limit", "order",    "explain",
		                                  "profile", "symmetry", "pivot", "estimate", "count-per" };
	gemp_motif motifs[GEMP_MOTIFS_MAX];
	size_t count;
	GEMP_TRY(refuse(options, others, sizeof others / sizeof *others,
	                "--pattern motifs counts many patterns, one after the other; count one of them with --pattern "
	                "edges:..."));
	return gemp_graph_motifs(graph, options->pattern, settings, motifs, &count, report);
}

/* QUERIES */

static gemp_code open_query(gemp_query **out, gemp_graph *graph, const gemp_options *options, const char *script,
                            const gemp_query_settings *settings)
{
	if (script)
		return gemp_query_open_script(out, graph, script, options->query_file, settings);
	if (options->query_graph)
		return gemp_query_open_query_graph(out, graph, options->query_graph, options->query_labels, settings);
	if (options->pattern)
		return gemp_query_open_pattern(out, graph, options->pattern, settings);
	return gemp_query_open(out, graph, options->arguments[1], settings);
}

/* Collective. Binds the parameters, and calls the function of the mode. */
static gemp_code run(gemp_query *query, const gemp_options *options, gemp_report *report)
{
	for (size_t i = 0; i < options->parameters.count; i++)
		GEMP_TRY(gemp_query_bind(query, options->parameters.items[i]));
	if (options->estimate)
		return gemp_query_sample(query, options->estimate_seconds, options->seed, NULL, report);
	if (options->count_per)
		return gemp_query_count_per(query, options->count_per, rows_path(options), NULL, report);
	return options->count ? gemp_query_count(query, NULL, report)
	                      : gemp_query_write(query, rows_path(options), NULL, report);
}

static gemp_code match(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *script = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	gemp_query_settings settings = gemp_query_options(options);
	settings.preview = PREVIEW;
	settings.subgraph = options->subgraph ? options->subgraph : is_drawing(options->output) ? options->output : NULL;
	GEMP_TRY(check(options));
	if (rows_path(options))
		GEMP_TRY(gemp_file_may_write_rows(context, "output", rows_path(options)));
	if (options->query_file)
		GEMP_TRY(gemp_file_read_text(&script, context, "--query-file", options->query_file));
	if (!options->checkpoint && gemp_context_rank(context) == 0)
		gemp_process_on_signal(
			GEMP_SIGNAL_SAY,
			"gemp-mpi: ended by a signal, and nothing of the search is kept; --checkpoint FOLDER keeps "
			"what is finished\n");
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	if (is_motifs(options->pattern))
		return match_motifs(graph, options, &settings, report);
	GEMP_TRY(open_query(&query, graph, options, script, &settings));
	return run(query, options, report);
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
