/* match: the command match searches for patterns (gemp/query.h), and transform changes a graph by rules (gemp/rules.h)
 * or by a query (gemp/query.h).
 *
 * Options that contradict each other are refused before the graph is opened, since opening it may take minutes. Only
 * the options that motifs do not accept are refused later. */

#include "cli/report/report_run.h"
#include "cli/settings.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { MATCH_PREVIEW = 20, MAX_LANES = 1024 };

/* An --output that ends in .dot or .graphml has the meaning of --subgraph. */
static bool is_drawing(const char *path)
{
	const char *ending = path ? strrchr(path, '.') : NULL;
	return ending && (strcmp(ending, ".dot") == 0 || strcmp(ending, ".graphml") == 0);
}

/* Returns the file of rows that --output names, or NULL. */
static const char *rows_path(const gemp_options *options)
{
	return is_drawing(options->output) ? NULL : options->output;
}

/* Local. GEMP_EUSAGE for options that contradict each other or have no effect in the mode. */
static gemp_code check_options(const gemp_options *options)
{
	int queries = (options->argument_count == 2) + (options->query_file != NULL) + (options->query_graph != NULL) +
	              (options->pattern != NULL);
	if (queries != 1)
		return gemp_fail(GEMP_EUSAGE,
		                 "match needs exactly one query, and has %s: QUERY, --query-file, --query-graph "
		                 "or --pattern",
		                 queries ? "several" : "none");
	if (options->query_graph || options->pattern)
		GEMP_TRY(gemp_options_refuse(options, "param",
		                             "gives values to the text of a query, which --query-graph and "
		                             "--pattern do not have; leave it out"));
	if (options->count && rows_path(options))
		return gemp_fail(GEMP_EUSAGE, "--count makes no rows for --output to write; leave one of the two out");
	if (options->estimate)
		GEMP_TRY(
			gemp_options_refuse(options, "output|subgraph|limit|profile|draw",
		                        "has no effect with --estimate, which finds no matches; leave one of the two out"));
	if (options->count_per)
		GEMP_TRY(gemp_options_refuse(options, "count|subgraph|limit|estimate|draw",
		                             "cannot be combined with --count-per; leave one of the two out"));
	if (gemp_is_stdout(options->output) && gemp_is_stdout(options->json))
		return gemp_fail(GEMP_EUSAGE, "--output - and --json - both want stdout; give one of them a file");
	if (options->lanes > MAX_LANES)
		return gemp_fail(GEMP_EUSAGE, "--lanes: %" PRIu64 " is more than %d", options->lanes, MAX_LANES);
	return gemp_checkpoint_options_check(options);
}

/* MOTIFS */

/* "motifs:K" means all connected patterns of K vertices, which gemp_graph_motifs counts. */
static bool is_motifs(const char *pattern)
{
	return pattern && strncasecmp(pattern, "motifs", 6) == 0 && (!pattern[6] || pattern[6] == ':');
}

/* Collective. The library prints the counts into the report. */
static gemp_code match_motifs(gemp_graph *graph, const gemp_options *options, const gemp_query_settings *settings,
                              gemp_report *report)
{
	gemp_motif motifs[GEMP_MOTIFS_MAX];
	size_t count;
	GEMP_TRY(
		gemp_options_refuse(options, "subgraph|limit|draw|order|explain|profile|symmetry|pivot|estimate|count-per",
	                        "is for a single pattern, and --pattern motifs counts many; search for one of them with "
	                        "--pattern edges:..."));
	if (is_drawing(options->output))
		return gemp_fail(GEMP_EUSAGE, "--output %s: motifs are counts; the ending must be .tsv, .csv, .jsonl or .h5",
		                 options->output);
	GEMP_TRY(gemp_graph_motifs(graph, options->pattern, settings, motifs, &count, report));
	return options->output && count ? gemp_graph_motifs_write(graph, options->output, motifs, count) : GEMP_OK;
}

/* QUERIES */

/* Collective. Opens the query. check_options has ensured that there is exactly one query. `script` is the text of
 * --query-file, or NULL. */
static gemp_code open_query(gemp_query **out, gemp_graph *graph, const gemp_options *options, const char *script,
                            const gemp_query_settings *settings)
{
	if (script)
		return gemp_query_open_script(out, graph, script,
		                              gemp_is_stdout(options->query_file) ? "stdin" : options->query_file, settings);
	if (options->query_graph)
		return gemp_query_open_query_graph(out, graph, options->query_graph, options->query_labels, settings);
	if (options->pattern)
		return gemp_query_open_pattern(out, graph, options->pattern, settings);
	return gemp_query_open(out, graph, options->arguments[1], settings);
}

/* Collective. Binds the parameters and calls the function of the mode. */
static gemp_code run_query(gemp_query *query, const gemp_options *options, gemp_report *report)
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

/* The query file is read before the graph, so that a missing file is found early. */
static gemp_code match(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *script = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	gemp_query_settings settings = gemp_query_options(options);
	settings.preview = MATCH_PREVIEW;
	settings.picture = options->draw;
	settings.subgraph = options->subgraph ? options->subgraph : is_drawing(options->output) ? options->output : NULL;
	GEMP_TRY(check_options(options));
	if (rows_path(options))
		GEMP_TRY(gemp_file_may_write_rows(context, "output", rows_path(options)));
	if (options->query_file)
		GEMP_TRY(gemp_file_read_text(&script, context, "--query-file", options->query_file));
	if (!options->checkpoint && gemp_context_rank(context) == 0)
		gemp_process_on_signal(
			GEMP_SIGNAL_SAY,
			"gemp-mpi: stopped by a signal; the results so far are lost. --checkpoint FOLDER would save finished work, "
			"if the query is one search\n");
	if (is_motifs(options->pattern))
		gemp_context_expect_devices(context, options->arguments[0]);
	else
		gemp_context_expect_queries(context, options->arguments[0]);
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	if (is_motifs(options->pattern))
		return match_motifs(graph, options, &settings, report);
	GEMP_TRY(open_query(&query, graph, options, script, &settings));
	return run_query(query, options, report);
}

const gemp_command gemp_command_match = {
	.name = "match",
	.bit = GEMP_ON_MATCH,
	.arguments = "G.h5 QUERY\nG.h5 --query-file FILE\nG.h5 --query-graph FILE\nG.h5 --pattern NAME",
	.summary = "Finds every occurrence of a pattern in a graph",
	.text =
		"QUERY is openCypher that only reads (docs/query-language.md). One MATCH with OPTIONAL MATCH, WITH and RETURN is one "
		"search on the devices, and so is a chain of MATCH whose WITH only pass variables on; every other query runs "
		"clause by clause, and its MATCH are searches. "
		"Each rank owns a random part of the graph and searches from its own vertices on its device. Adjacency rows "
		"of other ranks are fetched, or partial matches are sent to the owners of the rows.\n"
		"As in openCypher, the edges of a match are distinct, vertices may repeat, and each match is a row. --pattern and "
		"--query-graph count subgraphs, whose vertices are distinct. --semantics and --distinct change this.\n"
		"The report has the number of matches as --semantics and --distinct define them and, where it follows from "
		"the search, the number of embeddings: mappings of the pattern's vertices and edges.\n",
	.examples =
		"gemp-mpi match movies.h5 \"MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE p.name CONTAINS 'Jack' "
		"RETURN p.name, m.name\"\n"
		"gemp-mpi match movies.h5 \"MATCH (a)-[:ACTS_IN]->(m) RETURN a.name, count(m) AS n ORDER BY n DESC LIMIT 9\"\n"
		"gemp-mpi match movies.h5 --query-file three-films.cypher --param least=3\n"
		"mpirun -n 8 gemp-mpi match wiki.h5 --pattern clique:4 --count\n"
		"gemp-mpi match movies.h5 --query-file casts.cypher --semantics iso --distinct orbit --dry-run --draw casts.svg\n"
		"gemp-mpi match wiki.h5 --pattern motifs:4 --semantics induced\n"
		"mpirun -n 8 gemp-mpi match hprd.h5 --query-graph q1.graph --count --json -\n"
		"mpirun -n 8 gemp-mpi match movies.h5 --query-file casts.cypher -o casts.tsv --replicate 64M\n",
	.argument_count = { 1, 2 },
	.run = match,
};

/* TRANSFORM rewrites a graph by rules or by a query, or replays the change log of an earlier run. */

/* Local. GEMP_EUSAGE unless exactly one of the three is given, with options that have an effect on it. */
static gemp_code check_transform(const gemp_options *options)
{
	const int given = (options->argument_count == 2) + (options->query != NULL) + (options->query_file != NULL);
	if (given != 1)
		return gemp_fail(GEMP_EUSAGE, "transform needs exactly one of RULES, --query and --query-file, and has %s",
		                 given ? "several" : "none");
	if (options->argument_count == 2)
		return gemp_options_refuse(options, "rows",
		                           "is for the rows of a query, and rules have none; leave it out, or give --query");
	GEMP_TRY(gemp_options_refuse(options,
	                             "changes|dot|semantics|seed|max-steps|choose|rematch|checkpoint|resume|max-time",
	                             "is for rules and has no effect on a query; leave it out"));
	if (gemp_is_stdout(options->rows) && gemp_is_stdout(options->json))
		return gemp_fail(GEMP_EUSAGE, "--rows - and --json - both want stdout; give one of them a file");
	return GEMP_OK;
}

/* Collective. Opens the rules of the file in the second argument, and binds their parameters. The caller closes *out,
 * also after a failure. */
static gemp_code open_rules(gemp_rules **out, gemp_context *context, const gemp_options *options)
{
	gemp_rules_settings settings;
	GEMP_OWNED_BY(gemp_text_release_at) char *text = NULL;
	gemp_rules_settings_init(&settings);
	settings.name = options->arguments[1];
	settings.semantics = (gemp_semantics)options->semantics;
	settings.max_steps = options->max_steps;
	settings.seed = options->seed;
	settings.lenient = options->lenient;
	settings.combinations = options->combinations;
	settings.exchange = (gemp_exchange_mode)options->exchange;
	settings.replicate = options->replicate;
	settings.choose = (gemp_placement)options->choose;
	settings.rematch_all = options->rematch == 1;
	GEMP_TRY(gemp_file_read_text(&text, context, "RULES", options->arguments[1]));
	GEMP_TRY(gemp_rules_open(out, context, text, &settings));
	for (size_t i = 0; i < options->parameters.count; i++)
		GEMP_TRY(gemp_rules_bind(*out, options->parameters.items[i]));
	return GEMP_OK;
}

/* Collective. Changes the graph by the query of --query or --query-file, which is read before the graph. */
static gemp_code transform_by_query(gemp_context *context, const gemp_options *options, gemp_write_settings *write,
                                    gemp_report *report)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *script = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	gemp_query_settings settings;
	gemp_update_settings update;
	gemp_query_settings_init(&settings);
	settings.preview = MATCH_PREVIEW;
	settings.lenient = options->lenient;
	settings.explain = options->explain;
	settings.combinations = options->combinations;
	settings.exchange = (gemp_exchange_mode)options->exchange;
	settings.replicate = options->replicate;
	gemp_update_settings_init(&update);
	update.output = options->output;
	update.write = write;
	update.rows = options->rows;
	write->inputs = (const char *const *)&options->query_file;
	write->input_count = options->query_file && !gemp_is_stdout(options->query_file);
	if (options->rows)
		GEMP_TRY(gemp_file_may_write_rows(context, "rows", options->rows));
	if (options->query_file)
		GEMP_TRY(gemp_file_read_text(&script, context, "--query-file", options->query_file));
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	GEMP_TRY(script ? open_query(&query, graph, options, script, &settings)
	                : gemp_query_open(&query, graph, options->query, &settings));
	for (size_t i = 0; i < options->parameters.count; i++)
		GEMP_TRY(gemp_query_bind(query, options->parameters.items[i]));
	return gemp_query_update(query, &update, NULL, NULL, report);
}

/* With a checkpoint a signal ends the run after the current step. Without a checkpoint it ends the process at once, and
 * the handler on rank 0 prints the message. */
static void set_signal_action(const gemp_context *context, const gemp_options *options, bool rules)
{
	if (options->checkpoint)
		gemp_process_on_signal(GEMP_SIGNAL_NOTE, NULL);
	else if (gemp_context_rank(context) == 0)
		gemp_process_on_signal(
			GEMP_SIGNAL_SAY,
			rules ? "gemp-mpi: stopped by a signal; no graph is written. --checkpoint FOLDER would save finished work\n"
				  : "gemp-mpi: stopped by a signal; no graph is written\n");
}

/* The second argument, if there is one, is a change log or a file of rules; its content shows which. The path of
 * --output is checked before the graph is opened, the other paths by the library. */
static gemp_code transform(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_rules_close_at) gemp_rules *rules = NULL;
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_write_settings write;
	gemp_rewrite_settings settings;
	bool replays = false;
	GEMP_TRY(check_transform(options));
	GEMP_TRY(gemp_checkpoint_options_check(options));
	GEMP_TRY(gemp_output_check(context, options));
	gemp_write_settings_init(&write);
	write.command = options->as_given;
	write.weight = options->weight;
	write.compressed = options->compress;
	if (options->argument_count == 1) {
		set_signal_action(context, options, false);
		return transform_by_query(context, options, &write, report);
	}
	write.inputs = (const char *const *)&options->arguments[1];
	write.input_count = 1;
	gemp_rewrite_settings_init(&settings);
	settings.output = options->output;
	settings.write = &write;
	settings.dot = options->dot;
	settings.changes = options->changes;
	settings.explain = options->explain;
	settings.checkpoint = gemp_checkpoint_options(options);
	GEMP_TRY(gemp_change_log_recognize(&replays, context, options->arguments[1]));
	if (replays)
		GEMP_TRY(gemp_options_refuse(options, "changes|param|seed|max-steps|explain|checkpoint",
		                             "has no effect on a change log, which is applied as it is; leave the option out"));
	else
		GEMP_TRY(open_rules(&rules, context, options));
	set_signal_action(context, options, !replays);
	GEMP_TRY(gemp_graph_open(&graph, context, options->arguments[0]));
	return replays ? gemp_graph_replay(graph, options->arguments[1], &settings, NULL, report)
	               : gemp_rules_run(rules, graph, &settings, NULL, report);
}

const gemp_command gemp_command_transform = {
	.name = "transform",
	.bit = GEMP_ON_TRANSFORM,
	.arguments =
		"G.h5 RULES -o H.h5\nG.h5 --query TEXT -o H.h5\nG.h5 --query-file FILE -o H.h5\nG.h5 CHANGES.jsonl -o H.h5",
	.summary = "Changes a graph by rules or by a query",
	.text =
		"RULES is a file of rules and of statements that run them: RULE name MATCH ... WHERE ... CREATE, SET, REMOVE, "
		"DELETE, and RUN with *, {n}, |, ONE and TRY (docs/rules.md). A step applies at once all matches of a rule "
		"that do not conflict: a match that writes what another match reads or writes waits for a later step. --seed "
		"decides which of two conflicting matches goes first.\n"
		"The resulting graph depends on the graph, the rules and the seed, not on the number of ranks.\n"
		"--query is a query of openCypher with CREATE, MERGE, SET, REMOVE, DELETE or FOREACH (docs/opencypher.md). It runs "
		"once, and each clause sees what the clauses before it have done. The rows of its RETURN are printed, or "
		"written to the file of --rows.\n"
		"CHANGES.jsonl is the file that --changes wrote for the same graph: its changes are made again, without "
		"matching.\n",
	.examples = "gemp-mpi transform railway.h5 repair.rules -o repaired.h5\n"
				"mpirun -n 8 gemp-mpi transform movies.h5 couples.rules --param least=3 -o couples.h5 --explain\n"
				"gemp-mpi transform movies.h5 --query \"MATCH (p:Person)-[:ACTS_IN]->(m) WITH p, count(m) AS n "
				"SET p.films = n RETURN p.name, n\" -o counted.h5 --rows films.tsv\n"
				"gemp-mpi transform railway.h5 repair.rules -o repaired.h5 --changes repair.jsonl\n"
				"gemp-mpi transform railway.h5 repair.jsonl -o again.h5\n",
	.argument_count = { 1, 2 },
	.run = transform,
};
