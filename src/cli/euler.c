/* euler: an Euler circuit or path of a graph, or the text that it spells, by gemp/euler.h.
 *
 * With --sequence and no file the graph is made here: that of all words of some letters (de Bruijn). A graph without circuit is an
 * error with a whole report, which says why.
 */

#include "gemp/euler.h"
#include "cli/edge_options.h"
#include "cli/handles.h"
#include "cli/report/report_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Letters are printed as they are, one byte each. */
static gemp_code check_alphabet(const char *alphabet)
{
	size_t size = strlen(alphabet);
	if (size < 2)
		return gemp_fail(GEMP_EUSAGE, "--alphabet %s: words need two letters or more", alphabet);
	for (size_t i = 0; i < size; i++) {
		if (alphabet[i] <= ' ' || alphabet[i] > '~')
			return gemp_fail(GEMP_EUSAGE, "--alphabet %s: letters are signs of ASCII, without blanks", alphabet);
		if (memchr(alphabet, alphabet[i], i))
			return gemp_fail(GEMP_EUSAGE, "--alphabet %s: %c is there twice", alphabet, alphabet[i]);
	}
	return GEMP_OK;
}

/* Do the arguments and options go together, with and without --sequence? */
static gemp_code check_sequence(const gemp_options *options)
{
	bool made = options->argument_count == 0;
	if (!options->sequence && (options->alphabet || options->word_length || options->circular))
		return gemp_fail(GEMP_EUSAGE, "--alphabet, --length and --circular are for --sequence");
	if (made && !(options->sequence && options->alphabet && options->word_length))
		return gemp_fail(GEMP_EUSAGE, "euler needs a graph file, or --sequence with --alphabet and --length");
	if (!made && options->word_length)
		return gemp_fail(GEMP_EUSAGE, "--length is for a graph of all words; that of %s has its own",
		                 options->arguments[0]);
	if (made && options->word_length < 2)
		return gemp_fail(GEMP_EUSAGE, "--length 1: words have two letters or more");
	return options->alphabet ? check_alphabet(options->alphabet) : GEMP_OK;
}

/* Collective. The graph of the file, or the one whose edges are all words of --length letters of --alphabet. */
static gemp_code open_graph(gemp_graph **out, gemp_context *context, const gemp_options *options)
{
	char letters[24], length[24];
	if (options->argument_count)
		return gemp_graph_open(out, context, options->arguments[0]);
	snprintf(letters, sizeof letters, "%zu", strlen(options->alphabet));
	snprintf(length, sizeof length, "%" PRIu64, options->word_length);
	const gemp_generator_parameter parameters[] = { { .name = "alphabet", .value = letters },
		                                            { .name = "length", .value = length },
		                                            { .name = "keys", .value = "numbers" } };
	return gemp_graph_generate(out, context, "debruijn", parameters, 3, 1, 1);
}

/* Says what is missing, and whether a path would do. */
static gemp_code fail_none(const gemp_options *options, const gemp_euler_outcome *outcome)
{
	const char *file = options->argument_count ? options->arguments[0] : "the graph";
	if (outcome->has_path)
		return gemp_fail(GEMP_EDATA, "%s has no Euler circuit, but a path: give --path", file);
	if (outcome->unbalanced)
		return gemp_fail(GEMP_EDATA, "%s has no Euler circuit: %" PRIu64 " vertices have %s", file, outcome->unbalanced,
		                 outcome->undirected ? "an odd number of edges" : "other in- than out-degrees");
	return gemp_fail(GEMP_EDATA, "%s has no Euler circuit: its edges are in %" PRIu64 " components that do not meet",
	                 file, outcome->components);
}

static gemp_code euler(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_euler_outcome outcome = { 0 };
	const gemp_edge_selection edges = gemp_edge_options(options);
	const bool on_stdout = options->sequence && !options->output && !gemp_json_on_stdout(options);
	const gemp_euler_settings settings = { .size = sizeof settings,
		                                   .path = options->path,
		                                   .place = (gemp_placement)options->on,
		                                   .verify = options->verify_order,
		                                   .output = on_stdout ? "-" : options->output,
		                                   .drawing = options->dot,
		                                   .sequence = options->sequence,
		                                   .circular = options->circular,
		                                   .alphabet = options->alphabet };
	GEMP_TRY(check_sequence(options));
	GEMP_TRY(open_graph(&graph, context, options));
	GEMP_TRY(gemp_graph_euler(NULL, graph, &edges, &settings, &outcome, report));
	return outcome.kind == GEMP_EULER_NONE ? fail_none(options, &outcome) : GEMP_OK;
}

const gemp_command gemp_command_euler = {
	.name = "euler",
	.bit = GEMP_ON_EULER,
	.arguments = "G.h5 [--relation TYPE] [--path] [--verify] [--sequence] [-o FILE]\n"
				 "--sequence --alphabet LETTERS --length N [-o FILE]",
	.summary = "Finds an Euler circuit or path: every edge once",
	.text =
		"A circuit goes along each edge once and ends where it began. There is one if all edges hang together and "
		"each vertex has as many in-edges as out-edges; a path takes one vertex with an out-edge more, where it "
		"starts, and one with an in-edge more, where it ends. Undirected edges may be gone along either way: there "
		"each vertex needs an even number of them, and of a path two have an odd one. In-edges are paired with "
		"out-edges, the circuits that come of it are joined over a spanning forest of the circuit graph, and the "
		"places of edges found by list ranking. If there is none, the report says why, and the exit code is 65.\n"
		"Rows are place, source, type, edge and target: edge is the number among the edges of its type, which tells "
		"parallel ones apart. With --sequence, of a graph whose vertices are words, they are the text that the "
		"circuit spells.\n"
		"One rank takes its device or its threads, several ranks take the threads of all.\n",
	.examples = "gemp-mpi euler roads.h5 --verify -o tour.tsv\n"
				"# one type of edges; from one vertex to another\n"
				"gemp-mpi euler city.h5 --relation STREET --path -o tour.h5\n"
				"mpirun -n 8 gemp-mpi euler large.h5 --json - --quiet\n"
				"# the shortest string of keys that has every PIN of four digits in it\n"
				"gemp-mpi euler --sequence --alphabet 0123456789 --length 4\n",
	.min_arguments = 0,
	.max_arguments = 1,
	.run = euler,
};
