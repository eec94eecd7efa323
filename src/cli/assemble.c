/* assemble_report: what assemble says of reads, k-mers, unitigs and the path. */

#include "assembly/contig.h"
#include "assembly/unitig_links.h"
#include "cli/report/report_run.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/file/local_file.h"
#include "io/file/output.h"
#include "io/text/fasta.h"

#include <inttypes.h>
#include <string.h>

static void set_count(json_t *json, const char *name, uint64_t count)
{
	json_object_set_new(json, name, gemp_json_count(count));
}

static void gemp_report_reads(gemp_report *report, const gemp_fasta *reads)
{
	json_t *json = json_object();
	set_count(json, "sequences", reads->sequences);
	set_count(json, "letters", reads->letters);
	set_count(json, "bytes", reads->bytes);
	gemp_report_set(report, "reads", json);
	gemp_report_detail(report, "  %-11s %s sequences, %s letters\n", "reads", gemp_grouped(reads->sequences).text,
	                   gemp_grouped(reads->letters).text);
}

/* GEMP_EDATA where none is left. */
static gemp_code gemp_report_kmers(gemp_report *report, const gemp_kmer_graph *graph, uint64_t min_count)
{
	json_t *json = json_object();
	json_object_set_new(json, "k", json_integer(graph->k));
	json_object_set_new(json, "both_strands", json_boolean(graph->both_strands));
	set_count(json, "occurrences", graph->occurrences);
	set_count(json, "distinct", graph->distinct);
	set_count(json, "kept", graph->kept);
	set_count(json, "edges", graph->edges);
	gemp_report_set(report, "kmers", json);
	gemp_report_detail(report, "  %-11s %s of %u letters, %s distinct, %s kept\n", "k-mers",
	                   gemp_grouped(graph->occurrences).text, graph->k, gemp_grouped(graph->distinct).text,
	                   gemp_grouped(graph->kept).text);
	if (graph->kept)
		return GEMP_OK;
	if (graph->distinct)
		return gemp_fail(GEMP_EDATA,
		                 "none of %" PRIu64 " distinct k-mers occurs %" PRIu64 " times; give a smaller "
		                 "--min-count, or, where reads are few, a shorter --kmer",
		                 graph->distinct, min_count);
	return gemp_fail(GEMP_EDATA, "no sequence has %u letters A, C, G, T behind one another; take a shorter --kmer",
	                 graph->k);
}

/* Collective. */
static void gemp_report_unitigs(gemp_report *report, const gemp_unitigs *unitigs)
{
	uint64_t longest, middle;
	gemp_unitigs_lengths(unitigs, &longest, &middle);
	json_t *json = json_object();
	set_count(json, "count", unitigs->total);
	set_count(json, "letters", unitigs->letters);
	set_count(json, "longest", longest);
	set_count(json, "n50", middle);
	gemp_report_set(report, "unitigs", json);
	gemp_report_print(report, "%s of %s; the longest has %s, N50 is %s\n", gemp_counted(unitigs->total, "unitig").text,
	                  gemp_counted(unitigs->letters, "letter").text, gemp_grouped(longest).text,
	                  gemp_grouped(middle).text);
}

static json_t *json_of_vertices(const gemp_contig *contig, unsigned k)
{
	json_t *list = json_array();
	for (size_t i = 0; i < contig->examples; i++) {
		const gemp_contig_vertex *vertex = &contig->example[i];
		char word[GEMP_KMER_MAX + 1] = "";
		json_t *json = json_object();
		for (unsigned p = 0; p < k - 1; p++)
			word[p] = gemp_kmer_letter(vertex->word, k - 1, p);
		json_object_set_new(json, "word", json_string(word));
		set_count(json, "in", vertex->in);
		set_count(json, "out", vertex->out);
		json_array_append_new(list, json);
	}
	return list;
}

/* Why there is no path, and what might help. strands: 2, where each unitig is there in both directions. */
static void print_reason(const gemp_report *report, const gemp_contig *contig, unsigned strands)
{
	switch (contig->verdict) {
	case GEMP_CONTIG_UNBALANCED:
		gemp_report_print(report,
		                  "No Eulerian path: %s vertices have not as many unitigs in as out; are there "
		                  "errors left (--min-count), or is a unitig there more often than --copies says?\n",
		                  gemp_grouped(contig->unbalanced).text);
		break;
	case GEMP_CONTIG_DISCONNECTED:
		gemp_report_print(report,
		                  "No Eulerian path: %s components; do reads leave gaps, or is --kmer too long for "
		                  "them?\n",
		                  gemp_grouped(contig->components / strands).text);
		break;
	case GEMP_CONTIG_STRANDS:
		gemp_report_print(report,
		                  "No Eulerian path: the two strands hang together, as the genome has some word "
		                  "and its reverse complement; a longer --kmer may tell them apart, or --strands one\n");
		break;
	case GEMP_CONTIG_TOO_LARGE:
		gemp_report_print(report, "No Eulerian path was looked for: %s unitigs are too many\n",
		                  gemp_grouped(contig->copies).text);
		break;
	default:
		gemp_report_print(report, "An Eulerian %s over %s, of %s\n", gemp_contig_verdict_name[contig->verdict],
		                  gemp_counted(contig->copies / strands, "unitig").text,
		                  gemp_counted(contig->sequences.total_letters, "letter").text);
	}
}

static void gemp_report_contig(gemp_report *report, const gemp_contig *contig, const gemp_kmer_graph *graph)
{
	json_t *json = json_object();
	json_object_set_new(json, "found", json_boolean(contig->sequences.total > 0));
	json_object_set_new(json, "verdict", json_string(gemp_contig_verdict_name[contig->verdict]));
	set_count(json, "edges", contig->unitigs);
	set_count(json, "copies", contig->copies);
	set_count(json, "unbalanced", contig->unbalanced);
	json_object_set_new(json, "vertices", json_of_vertices(contig, graph->k));
	json_object_set_new(json, "components", contig->components ? gemp_json_count(contig->components) : json_null());
	set_count(json, "letters", contig->sequences.total_letters);
	if (contig->coverage > 0)
		json_object_set_new(json, "coverage", json_real(contig->coverage));
	gemp_report_set(report, "path", json);
	print_reason(report, contig, graph->both_strands ? 2 : 1);
}

/* Collective. mine: of this rank. */
static void gemp_report_sent(gemp_report *report, const gemp_traffic *mine)
{
	uint64_t sums[] = { mine->bytes, mine->messages }, rounds = mine->rounds;
	gemp_comm_sum(report->comm, sums, 2);
	gemp_comm_max(report->comm, &rounds, 1);
	gemp_report_exchange(report, &(gemp_traffic){ sums[0], sums[1], rounds }, -1, NULL);
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static gemp_code check_place(const char *option, const char *path)
{
	return !path || is_stdout(path) ? GEMP_OK : gemp_file_may_write(option, path);
}

static gemp_code check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (!options->output)
		code = gemp_fail(GEMP_EUSAGE, "assemble needs the FASTA file to write: --output contigs.fa");
	else if (options->kmer < GEMP_KMER_MIN || options->kmer > GEMP_KMER_MAX)
		code = gemp_fail(GEMP_EUSAGE, "--kmer %" PRIu64 ": k-mers have %d to %d letters here", options->kmer,
		                 GEMP_KMER_MIN, GEMP_KMER_MAX);
	else if (is_stdout(options->output) + is_stdout(options->unitigs) + is_stdout(options->gfa) > 1)
		code = gemp_fail(GEMP_EUSAGE, "--output, --unitigs and --gfa: only one of them can be -, which is stdout");
	if (code == GEMP_OK && comm->rank == 0)
		code = check_place("--output", options->output);
	if (code == GEMP_OK && comm->rank == 0)
		code = check_place("--unitigs", options->unitigs);
	if (code == GEMP_OK && comm->rank == 0)
		code = check_place("--gfa", options->gfa);
	return gemp_comm_agree(comm, code);
}

static gemp_code take_letters(void *self, const char *letters, size_t size)
{
	return gemp_kmer_counter_add(self, letters, size);
}

/* Collective. The k-mers of all files. */
static gemp_code read_files(gemp_kmer_counter *bag, gemp_report *report, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_fasta sum = { 0 };
	for (size_t f = 0; f < options->argument_count; f++) {
		gemp_fasta reads;
		GEMP_TRY(gemp_fasta_visit(&reads, report->comm, options->arguments[f], f, take_letters, bag));
		GEMP_TRY(gemp_kmer_counter_join(bag, report->comm));
		sum.sequences += reads.sequences;
		sum.letters += reads.letters;
		sum.bytes += reads.bytes;
	}
	gemp_report_reads(report, &sum);
done:
	return code;
}

/* Collective. */
static gemp_code write_part(gemp_output *output, const gemp_comm *comm, gemp_code code, gemp_text *text)
{
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_output_write(output, text->data, text->size));
	gemp_text_clear(text);
done:
	return code;
}

/* Collective. Unitigs and links between them as GFA 1. */
static gemp_code write_gfa(const gemp_comm *comm, const char *path, const gemp_sequences *sequences,
                           const gemp_unitigs *u, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_output *output = NULL;
	gemp_text text = { 0 };
	gemp_unitig_link *links = NULL;
	size_t count;
	GEMP_TRY(gemp_unitig_links_find(&links, &count, u, traffic));
	GEMP_TRY(gemp_output_open(&output, comm, path));
	if (comm->rank == 0)
		gemp_text_print(&text, "H\tVN:Z:1.0\tks:i:%u\n", u->graph->k);
	GEMP_TRY(write_part(output, comm, gemp_text_status(&text), &text));
	GEMP_TRY(write_part(output, comm, gemp_sequences_gfa(sequences, "unitig", &text), &text));
	for (size_t i = 0; i < count; i++)
		gemp_text_print(&text, "L\tunitig%" PRIu64 "\t%c\tunitig%" PRIu64 "\t%c\t%uM\n", links[i].from + 1,
		                links[i].from_back ? '-' : '+', links[i].to + 1, links[i].to_back ? '-' : '+', u->graph->k - 1);
	GEMP_TRY(write_part(output, comm, gemp_text_status(&text), &text));
	code = gemp_output_close(output);
	output = NULL;
done:
	gemp_output_abandon(output);
	gemp_text_free(&text);
	gemp_free(links);
	return code;
}

/* Collective. */
static gemp_code write_fasta(const gemp_comm *comm, const char *path, const gemp_sequences *sequences, const char *name)
{
	gemp_code code = GEMP_OK;
	gemp_output *output = NULL;
	gemp_text text = { 0 };
	GEMP_TRY(gemp_output_open(&output, comm, path));
	GEMP_TRY(write_part(output, comm, gemp_sequences_fasta(sequences, name, &text), &text));
	code = gemp_output_close(output);
	output = NULL;
done:
	gemp_output_abandon(output);
	gemp_text_free(&text);
	return code;
}

/* Collective. The Eulerian path, if there is one; else, and with --unitigs, the unitigs. */
static gemp_code write_files(const gemp_report *report, const gemp_options *options, const gemp_contig *contig,
                             const gemp_unitigs *unitigs, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_sequences sequences = { 0 };
	bool found = contig->sequences.total > 0;
	if (found)
		GEMP_TRY(write_fasta(report->comm, options->output, &contig->sequences, "contig"));
	if (!found || options->unitigs || options->gfa)
		GEMP_TRY(gemp_unitigs_spell(&sequences, unitigs, traffic));
	if (!found)
		GEMP_TRY(write_fasta(report->comm, options->output, &sequences, "unitig"));
	if (options->unitigs)
		GEMP_TRY(write_fasta(report->comm, options->unitigs, &sequences, "unitig"));
	if (options->gfa)
		GEMP_TRY(write_gfa(report->comm, options->gfa, &sequences, unitigs, traffic));
done:
	gemp_sequences_free(&sequences);
	return code;
}

static gemp_code run(gemp_report *report, const gemp_options *options, gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = report->comm;
	gemp_contig_copying copying = (gemp_contig_copying)options->copies;
	gemp_kmer_counter bag = { 0 };
	gemp_kmer_graph graph = { 0 };
	gemp_unitigs unitigs = { 0 };
	gemp_contig contig = { 0 };
	double since = gemp_now();
	GEMP_TRY(gemp_comm_agree(comm, gemp_kmer_counter_new(&bag, (unsigned)options->kmer, options->strands == 0)));
	GEMP_TRY(read_files(&bag, report, options));
	since = gemp_timers_add(timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_kmer_graph_new(&graph, comm, &bag, options->min_count, copying == GEMP_COPIES_BY_COUNT));
	GEMP_TRY(gemp_report_kmers(report, &graph, options->min_count));
	GEMP_TRY(gemp_unitigs_new(&unitigs, &graph));
	gemp_report_unitigs(report, &unitigs);
	GEMP_TRY(gemp_contig_new(&contig, &unitigs, copying, &graph.traffic));
	gemp_report_contig(report, &contig, &graph);
	since = gemp_timers_add(timers, GEMP_PHASE_CONVERT, since);
	GEMP_TRY(write_files(report, options, &contig, &unitigs, &graph.traffic));
	gemp_timers_add(timers, GEMP_PHASE_WRITE, since);
	gemp_report_sent(report, &graph.traffic);
done:
	gemp_contig_free(&contig);
	gemp_unitigs_free(&unitigs);
	gemp_kmer_graph_free(&graph);
	gemp_kmer_counter_free(&bag);
	return code;
}

static gemp_code assemble(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	gemp_comm *comm = &context->comm;
	gemp_timers timers = { 0 };
	gemp_code code = check(comm, options);
	if (code != GEMP_OK)
		return code;
	code = run(report, options, &timers);
	if (code == GEMP_OK) {
		gemp_report_seconds(report, &timers, false);
		gemp_report_memory(report, 0);
	}
	return code;
}

const gemp_command gemp_command_assemble = {
	.name = "assemble",
	.bit = GEMP_ON_ASSEMBLE,
	.arguments = "READS... -o contigs.fa",
	.summary = "Assembles DNA from reads: k-mers, unitigs, and the Eulerian path over them",
	.text = "Reads are FASTA or FASTQ, plain, .gz or .zst. Their words of K letters A, C, G and T are counted, "
			"over all ranks, and joined to unitigs, the ways that nothing branches off. If an Eulerian path or "
			"circuit goes over all unitigs, as often as --copies says, what it spells is written, and else the "
			"unitigs; the report says why. Files do not depend on the number of ranks.\n",
	.examples = "gemp-mpi assemble reads.fastq.gz -k 31 --min-count 3 -o contigs.fa\n"
				"mpirun -n 8 gemp-mpi assemble 1.fq 2.fq -k 25 -o contigs.fa --unitigs unitigs.fa --gfa graph.gfa\n"
				"# a genome's own k-mers, each as often as it has them\n"
				"gemp-mpi assemble genome.fa -k 15 --strands one --copies count -o again.fa\n",
	.min_arguments = 1,
	.max_arguments = SIZE_MAX,
	.run = assemble,
};
