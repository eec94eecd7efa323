/* demo: makes a graph of films in memory and answers a question about it twice. First by the pipeline that the program
 * is made for: each rank owns a random part of the vertices, its device searches from the pivots of this part, partial
 * matches travel to the owners of the rows that they need, and hashes of canonical forms decide which rank keeps one of
 * each set of equivalent embeddings. The report has the part of each rank. Then by the default way, which is faster if
 * all rows fit on every rank. Without a command the program runs demo, which needs no file.
 *
 * The graph has 50,000 films. The work of a film grows with the cube of its cast, so in a graph of 5,000 films a rank
 * of eight can have 1.5 times the mean work; here the busiest rank has at most 1.12 times the mean (ten seeds each). */

#include "cli/demo_picture.h"
#include "cli/report/report_run.h"
#include "cli/settings.h"
#include "core/memory.h"
#include "core/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PREVIEW = 8 };

static const char demo_query[] = "MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person),\n"
								 "      (c:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(d:Person)\n"
								 "WHERE a.name CONTAINS 'Jack'\n"
								 "RETURN m.name AS film, a.name AS jack, b.name, c.name, d.name";

static const gemp_generator_parameter films[] = { { "films", "50000", NULL }, { "people", "60000", NULL } };
enum { FILM_PARAMETERS = sizeof films / sizeof *films };

/* A sentence states the question of the query, for readers who do not know the language. */
static void print_query(const gemp_report *report, const gemp_context *context, const gemp_graph *graph)
{
	int ranks = gemp_context_size(context);
	gemp_report_print(report,
	                  "gemp-mpi %s on %d rank%s: a made-up world of films, %s vertices and %s edges.\n"
	                  "Which four people, one of them named Jack, act in one film?\n\n%s\n\n",
	                  gemp_version(), ranks, ranks == 1 ? "" : "s", gemp_grouped(gemp_graph_vertex_count(graph)).text,
	                  gemp_grouped(gemp_graph_edge_count(graph)).text, demo_query);
}

/* The printed commands can be copied and run. */
static void print_next_steps(const gemp_report *report)
{
	const char *program = program_invocation_name; /* with its path, since the program may not be on the PATH */
	gemp_report_detail(report,
	                   "\nWhat to type next:\n"
	                   "  %s generate movies --films 50000 --people 60000 -o movies.h5    # this graph\n"
	                   "  %s info movies.h5                  # its labels, attributes and degrees\n"
	                   "  mpirun -q --oversubscribe --bind-to none -n 4 %s match movies.h5 \\\n"
	                   "      \"MATCH (a:Person)-[:ACTS_IN]->(m:Movie) WHERE m.year < 1930 RETURN a.name, m.name\"\n"
	                   "  %s help                            # everything else\n",
	                   program, program, program, program);
}

/* THE PIPELINE */

/* The four people are different, and their order does not matter. */
static gemp_query_settings demo_settings(const gemp_options *options)
{
	gemp_query_settings settings = gemp_query_options(options);
	settings.semantics = GEMP_ISO;
	settings.distinct = GEMP_BY_ORBIT;
	settings.preview = PREVIEW;
	return settings;
}

/* Options of the command line have precedence. */
static gemp_query_settings pipeline_settings(const gemp_options *options)
{
	gemp_query_settings settings = demo_settings(options);
	settings.symmetry_by_hash = settings.by_rank = true;
	if (!gemp_options_has(options, "exchange"))
		settings.exchange = GEMP_EXCHANGE_PUSH;
	if (!gemp_options_has(options, "replicate"))
		settings.replicate = 0;
	return settings;
}

/* Local. Reads the part of one rank from the report. */
static void read_rank(gemp_demo_rank *out, const gemp_report *report, int rank)
{
	const struct {
		const char *name;
		uint64_t *to;
	} fields[] = {
		{ "pivots", &out->pivots },
		{ "launches", &out->launches },
		{ "partial_matches_sent", &out->sent },
		{ "partial_matches_received", &out->received },
		{ "reads", &out->reads },
		{ "embeddings", &out->embeddings },
		{ "forms_sent", &out->forms_sent },
		{ "forms_received", &out->forms_received },
		{ "matches", &out->matches },
		{ "duplicates_removed", &out->duplicates }, /* null if --host-memory is short */
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		char path[64];
		snprintf(path, sizeof path, "by_rank.%d.%s", rank, fields[i].name);
		out->exact = gemp_report_count(report, path, fields[i].to);
	}
}

/* Returns true if the environment asks for UTF-8. The first variable that is set decides, as in setlocale. */
static bool shows_blocks(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* A first run takes seconds for the compiler, which the reader should not blame on the search. */
static void print_table(const gemp_report *report, const gemp_demo_rank *ranks, int count, const char *table)
{
	uint64_t builds = 0;
	gemp_report_print(report,
	                  "\nEach rank owns a random part of the graph and searches from the pivots in it.\n"
	                  "Partial matches go to the owners of the rows that they need next. Canonical\n"
	                  "forms of the embeddings go to the owners of their hashes, which keep one of\n"
	                  "each:\n\n%s",
	                  table);
	gemp_report_print(report, "\nwork: row entries that a device read; the busiest rank has %.2f times the mean\n",
	                  gemp_demo_imbalance(ranks, count));
	if (!ranks->exact)
		gemp_report_print(report,
		                  "duplicates: unknown, since --host-memory is short and the search ran several times\n");
	gemp_report_count(report, "program_builds", &builds);
	if (builds)
		gemp_report_print(report, "The program for the devices was compiled; the next run loads it and is faster.\n");
}

/* Local to rank 0, which has the report. Prints the table and writes the picture. */
static gemp_code show_ranks(const gemp_report *report, int count, const char *picture)
{
	GEMP_OWNED gemp_demo_rank *ranks = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(GEMP_NEW(ranks, (size_t)count));
	for (int r = 0; r < count; r++)
		read_rank(&ranks[r], report, r);
	gemp_demo_table(&text, ranks, count, shows_blocks());
	GEMP_TRY(gemp_text_status(&text));
	print_table(report, ranks, count, text.data);
	if (!picture)
		return GEMP_OK;
	gemp_text_clear(&text);
	gemp_demo_svg(&text, ranks, count);
	GEMP_TRY(gemp_text_status(&text));
	return gemp_file_replace(picture, text.data, text.size);
}

/* Collective. Runs the query with `settings`. */
static gemp_code ask(gemp_graph *graph, const gemp_query_settings *settings, gemp_query_result *result,
                     gemp_report *report)
{
	GEMP_OWNED_BY(gemp_query_close_at) gemp_query *query = NULL;
	GEMP_TRY(gemp_query_open(&query, graph, demo_query, settings));
	return gemp_query_write(query, NULL, result, report);
}

/* THE DEFAULT WAY */

/* Local. Says how the default way obtained rows, and where it searched. */
static void print_default(const gemp_report *to, const gemp_report *from, uint64_t matches)
{
	const char *place = "";
	double seconds = 0;
	gemp_report_text(from, "searched_on", &place);
	gemp_report_real(from, "seconds.elapsed.max", &seconds);
	gemp_report_print(to,
	                  "\nThe default way finds the same %s: every rank has all rows,\n"
	                  "order restrictions find each match once, and %s search.\n"
	                  "It takes %s s.\n",
	                  gemp_counted(matches, "match").text,
	                  strcmp(place, "host") == 0 ? "threads of the host" : "the devices",
	                  gemp_shown_seconds(seconds).text);
}

/* Collective. Answers the question by the default way, and compares the counts. */
static gemp_code compare(gemp_context *context, gemp_graph *graph, const gemp_options *options,
                         const gemp_query_result *expected, gemp_report *report)
{
	gemp_query_result result;
	GEMP_OWNED_BY(gemp_report_close_at) gemp_report *own = NULL;
	GEMP_OWNED_BY(gemp_text_release_at) char *json = NULL;
	gemp_query_settings settings = demo_settings(options);
	settings.explain = settings.profile = false;
	settings.exchange = GEMP_EXCHANGE_AUTO;
	settings.replicate = GEMP_REPLICATE_AUTO;
	GEMP_TRY(gemp_report_open(&own, context, NULL));
	GEMP_TRY(ask(graph, &settings, &result, own));
	if (result.matches != expected->matches)
		return gemp_fail(GEMP_EINTERNAL, "the default way finds %" PRIu64 " matches, hashing %" PRIu64, result.matches,
		                 expected->matches);
	print_default(report, own, result.matches);
	if (gemp_context_rank(context))
		return GEMP_OK;
	GEMP_TRY(gemp_report_json(own, &json));
	return gemp_report_set_json(report, "default_way", json);
}

/* Collective. Without an OpenCL device only threads of the host can search, and no rank has a part of its own. */
static gemp_code run_pipeline(gemp_context *context, gemp_graph *graph, const gemp_options *options,
                              gemp_report *report)
{
	gemp_query_result result;
	gemp_code code;
	const gemp_query_settings settings = pipeline_settings(options);
	GEMP_TRY(ask(graph, &settings, &result, report));
	if (options->dry_run)
		return GEMP_OK;
	code = gemp_context_rank(context) ? GEMP_OK : show_ranks(report, gemp_context_size(context), options->svg);
	GEMP_TRY(gemp_context_agree(context, code));
	return compare(context, graph, options, &result, report);
}

/* Collective. */
static gemp_code run_on_host(gemp_graph *graph, const gemp_options *options, gemp_report *report)
{
	gemp_query_settings settings = demo_settings(options);
	gemp_report_print(report, "There is no OpenCL device, so threads of the host search.\n\n");
	return ask(graph, &settings, NULL, report);
}

static gemp_code demo(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_code code = GEMP_OK;
	if (options->svg && gemp_context_rank(context) == 0)
		code = gemp_file_may_write("--svg", options->svg);
	GEMP_TRY(gemp_context_agree(context, code));
	GEMP_TRY(gemp_graph_generate(&graph, context, "movies", films, FILM_PARAMETERS, options->seed, 1));
	print_query(report, context, graph);
	code = run_pipeline(context, graph, options, report);
	if (code == GEMP_ENODEVICE && !options->devices && !options->svg)
		code = run_on_host(graph, options, report);
	GEMP_TRY(code);
	print_next_steps(report);
	return GEMP_OK;
}

const gemp_command gemp_command_demo = {
	.name = "demo",
	.bit = GEMP_ON_DEMO,
	.arguments = "",
	.summary = "Makes a graph of films and people in memory and asks it a question",
	.text =
		"The program runs this command when none is given. It answers the question first by exchange of partial "
		"matches and removal of duplicates by hash, and shows the part of each rank; then by the default way of the "
		"command match. The fields of --json are those of the first answer; default_way has those of the second.\n",
	.examples = "mpirun -n 8 gemp-mpi\nmpirun -n 8 gemp-mpi demo --seed 7 --svg ranks.svg\nmpirun -n 4 gemp-mpi demo "
				"--explain\n",
	.run = demo,
};
