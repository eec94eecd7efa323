/* euler: the commands euler and assemble. euler finds Euler circuits and paths (gemp/euler.h). assemble makes genomes,
 * which are the text of an Eulerian path over reads (gemp/assembly.h).
 *
 * With --sequence and no graph file, euler makes the de Bruijn graph of all words of --length letters. A graph without
 * a circuit is an error, but its report is complete and gives the reason. */

#include "cli/report/report_run.h"
#include "cli/settings.h"

#include <gemp/assembly.h>
#include <gemp/euler.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Each letter of the text is one byte, which must be printable. */
static gemp_code check_alphabet(const char *alphabet)
{
	size_t size = strlen(alphabet);
	if (size < 2)
		return gemp_fail(GEMP_EUSAGE, "--alphabet %s: an alphabet needs two letters or more", alphabet);
	for (size_t i = 0; i < size; i++) {
		if (alphabet[i] <= ' ' || alphabet[i] > '~')
			return gemp_fail(GEMP_EUSAGE, "--alphabet %s: letters must be printable ASCII characters other than blanks",
			                 alphabet);
		if (memchr(alphabet, alphabet[i], i))
			return gemp_fail(GEMP_EUSAGE, "--alphabet %s: %c occurs twice", alphabet, alphabet[i]);
	}
	return GEMP_OK;
}

/* GEMP_EUSAGE for options that contradict each other or the arguments. */
static gemp_code check_sequence(const gemp_options *options)
{
	const bool made = options->argument_count == 0; /* the graph of all words is made, and no file is read */
	if (!options->sequence)
		GEMP_TRY(gemp_options_refuse(options, "alphabet|length|circular", "needs --sequence"));
	if (made && !(options->sequence && options->alphabet && options->word_length))
		return gemp_fail(GEMP_EUSAGE, "euler needs a graph file, or --sequence with --alphabet and --length");
	if (!made && options->word_length)
		return gemp_fail(GEMP_EUSAGE,
		                 "--length %" PRIu64 ": the words of %s have a length already; leave --length or the file out",
		                 options->word_length, options->arguments[0]);
	if (made && options->word_length < 2)
		return gemp_fail(GEMP_EUSAGE, "--length 1: words need two letters or more");
	return options->alphabet ? check_alphabet(options->alphabet) : GEMP_OK;
}

/* Collective. Opens the graph file, or makes the graph whose edges are all words of --length letters of --alphabet. */
static gemp_code open_graph(gemp_graph **out, gemp_context *context, const gemp_options *options)
{
	char letters[24], length[24];
	if (options->argument_count)
		return gemp_graph_open(out, context, options->arguments[0]);
	/* Numbers need less memory than words as keys. The library spells the words by the alphabet. */
	snprintf(letters, sizeof letters, "%zu", strlen(options->alphabet));
	snprintf(length, sizeof length, "%" PRIu64, options->word_length);
	const gemp_generator_parameter parameters[] = { { .name = "alphabet", .value = letters },
		                                            { .name = "length", .value = length },
		                                            { .name = "keys", .value = "numbers" } };
	return gemp_graph_generate(out, context, "debruijn", parameters, 3, 1, 1);
}

/* The message says what the graph lacks for an Euler circuit, and whether there is a path. */
static gemp_code fail_without_circuit(const gemp_options *options, const gemp_euler_outcome *outcome)
{
	const char *file = options->argument_count ? options->arguments[0] : "the graph";
	if (outcome->has_path)
		return gemp_fail(GEMP_EDATA, "%s has no Euler circuit, but a path; add --path", file);
	if (outcome->unbalanced)
		return gemp_fail(GEMP_EDATA, "%s has no Euler circuit: %" PRIu64 " vertices have %s", file, outcome->unbalanced,
		                 outcome->undirected ? "an odd number of edges" : "unequal in- and out-degree");
	return gemp_fail(GEMP_EDATA, "%s has no Euler circuit: its edges lie in %" PRIu64 " components", file,
	                 outcome->components);
}

/* Without --output the text of --sequence goes to stdout, unless the JSON report goes there. */
static gemp_code euler(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	GEMP_OWNED_BY(gemp_graph_close_at) gemp_graph *graph = NULL;
	gemp_euler_outcome outcome = { 0 };
	const gemp_edge_selection edges = gemp_edge_options(options);
	const bool on_stdout = options->sequence && !options->output && !gemp_is_stdout(options->json);
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
	return outcome.kind == GEMP_EULER_NONE ? fail_without_circuit(options, &outcome) : GEMP_OK;
}

const gemp_command gemp_command_euler = {
	.name = "euler",
	.bit = GEMP_ON_EULER,
	.arguments = "G.h5 [--relation TYPE] [--path] [--verify] [--sequence] [-o FILE]\n"
				 "--sequence --alphabet LETTERS --length N [-o FILE]",
	.summary = "Finds an Euler circuit or path: every edge once",
	.text =
		"An Euler circuit uses each edge once and ends where it began. It exists if all edges are connected and every "
		"vertex has equal in- and out-degree. A path begins at a vertex with one more out-edge than in-edges and ends "
		"at one with one more in-edge. Undirected edges may be used in either direction: then every vertex needs an "
		"even number of edges, and a path joins two vertices with an odd number. If there is no circuit, the report "
		"says why, and the exit code is 65.\n"
		"The program pairs the in-edges of each vertex with its out-edges, joins the resulting circuits over a "
		"spanning forest of the circuit graph, and finds the position of each edge by list ranking.\n"
		"Rows are place, source, type, edge and target; edge is the number among the edges of its type, which "
		"distinguishes parallel edges. With --sequence the output is the text that the circuit of a graph of words "
		"spells.\n"
		"The devices of all ranks work together, or the threads of all ranks; --on chooses, and the report says which.\n",
	.examples = "gemp-mpi euler roads.h5 --verify -o tour.tsv\n"
				"# a path over one type of edges\n"
				"gemp-mpi euler city.h5 --relation STREET --path -o tour.h5\n"
				"mpirun -n 8 gemp-mpi euler large.h5 --json - --quiet\n"
				"# the shortest string of digits that contains every PIN of four digits\n"
				"gemp-mpi euler --sequence --alphabet 0123456789 --length 4\n",
	.argument_count = { 0, 1 },
	.run = euler,
};

/* The library checks the other settings. Its messages use the names of the options. */
static gemp_code assemble(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_assembly_settings settings;
	if (!options->output)
		return gemp_fail(GEMP_EUSAGE, "assemble needs the FASTA file to write: --output FILE");
	gemp_assembly_settings_init(&settings);
	settings.reads = (const char *const *)options->arguments;
	settings.read_count = options->argument_count;
	settings.kmer = options->kmer;
	settings.min_count = options->min_count;
	settings.one_strand = options->strands == 1;
	settings.copies = (gemp_assembly_copies)options->copies;
	settings.output = options->output;
	settings.unitigs = options->unitigs;
	settings.gfa = options->gfa;
	return gemp_assemble(context, &settings, report);
}

const gemp_command gemp_command_assemble = {
	.name = "assemble",
	.bit = GEMP_ON_ASSEMBLE,
	.arguments = "READS... -o contigs.fa",
	.summary = "Assembles DNA from reads: k-mers, unitigs, and the Eulerian path over them",
	.text =
		"Reads are FASTA or FASTQ, plain, .gz, .bz2 or .zst. All ranks count the k-mers of the reads and join them to "
		"unitigs, the paths without a branch. If an Eulerian path or circuit uses every unitig as often as --copies "
		"says, its text is written. Otherwise the unitigs are written, and the report says why. Files do not depend "
		"on the number of ranks.\n",
	.examples = "gemp-mpi assemble reads.fastq.gz -k 31 --min-count 3 -o contigs.fa\n"
				"mpirun -n 8 gemp-mpi assemble 1.fq 2.fq -k 25 -o contigs.fa --unitigs unitigs.fa --gfa graph.gfa\n"
				"# the k-mers of a genome, each as often as it occurs\n"
				"gemp-mpi assemble genome.fa -k 15 --strands one --copies count -o again.fa\n",
	.argument_count = { 1, SIZE_MAX },
	.run = assemble,
};
