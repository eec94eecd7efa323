#include "command/files.h"
#include "command/quantity.h"
#include "command/report.h"

#include "core/memory.h"
#include "io/output.h"
#include "io/reads.h"
#include "sequence/contig.h"
#include "sequence/links.h"
#include "sequence/spell.h"

#include <inttypes.h>
#include <string.h>

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static bool rows_on_stdout(const gemp_options *options)
{
	return is_stdout(options->output) || is_stdout(options->unitigs) || is_stdout(options->gfa);
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
	else if (options->kmer < GEMP_KMER_SHORTEST || options->kmer > GEMP_KMER_LONGEST)
		code = gemp_fail(GEMP_EUSAGE, "--kmer %" PRIu64 ": k-mers have %d to %d letters here", options->kmer,
		                 GEMP_KMER_SHORTEST, GEMP_KMER_LONGEST);
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
	return gemp_kmer_bag_add(self, letters, size);
}

/* Collective. The k-mers of all files. */
static gemp_code read_files(gemp_kmer_bag *bag, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	const gemp_options *options = report->options;
	gemp_reads sum = { 0 };
	for (size_t f = 0; f < options->argument_count; f++) {
		gemp_reads reads;
		GEMP_TRY(gemp_reads_visit(&reads, report->comm, options->arguments[f], f, take_letters, bag));
		GEMP_TRY(gemp_kmer_bag_join(bag, report->comm));
		sum.sequences += reads.sequences;
		sum.letters += reads.letters;
		sum.bytes += reads.bytes;
	}
	gemp_report_set(report, "reads", json_pack("{s:o, s:o, s:o}", "sequences", gemp_json_count(sum.sequences), "letters",
	                                           gemp_json_count(sum.letters), "bytes", gemp_json_count(sum.bytes)));
	gemp_report_detail(report, "  %-11s %s sequences, %s letters\n", "reads", gemp_grouped(sum.sequences).text,
	                   gemp_grouped(sum.letters).text);
done:
	return code;
}

static gemp_code report_kmers(gemp_report *report, const gemp_kmer_graph *graph)
{
	gemp_report_set(report, "kmers", json_pack("{s:i, s:b, s:o, s:o, s:o, s:o}", "k", (int)graph->k, "both_strands",
	                                           graph->both, "occurrences", gemp_json_count(graph->occurrences), "distinct",
	                                           gemp_json_count(graph->distinct), "kept", gemp_json_count(graph->kept),
	                                           "edges", gemp_json_count(graph->edges)));
	gemp_report_detail(report, "  %-11s %s of %u letters, %s distinct, %s kept\n", "k-mers",
	                   gemp_grouped(graph->occurrences).text, graph->k, gemp_grouped(graph->distinct).text,
	                   gemp_grouped(graph->kept).text);
	if (graph->kept)
		return GEMP_OK;
	if (graph->distinct)
		return gemp_fail(GEMP_EDATA, "none of %" PRIu64 " distinct k-mers occurs %" PRIu64 " times; --min-count is less, or "
		                 "--kmer is shorter, where reads are few", graph->distinct, report->options->min_count);
	return gemp_fail(GEMP_EDATA, "no sequence has %u letters A, C, G, T behind one another; take a shorter --kmer", graph->k);
}

/* Collective. The longest unitig, and N50: unitigs that are at least so long have half of the letters. */
static void report_unitigs(gemp_report *report, const gemp_unitigs *u)
{
	uint64_t longest = 0, low, high;
	for (size_t i = 0; i < u->count; i++)
		if (u->unitig[i].kept && u->unitig[i].kmers > longest)
			longest = u->unitig[i].kmers;
	gemp_comm_max(report->comm, &longest, 1);
	for (low = 1, high = longest; low < high;) {
		uint64_t middle = low + (high - low + 1) / 2, letters = 0;
		for (size_t i = 0; i < u->count; i++)
			if (u->unitig[i].kept && u->unitig[i].kmers >= middle)
				letters += u->unitig[i].kmers + u->graph->k - 1;
		if (2 * gemp_comm_sum1(report->comm, letters) >= u->letters)
			low = middle;
		else
			high = middle - 1;
	}
	uint64_t more = u->graph->k - 1;
	gemp_report_set(report, "unitigs", json_pack("{s:o, s:o, s:o, s:o}", "count", gemp_json_count(u->all), "letters",
	                                             gemp_json_count(u->letters), "longest", gemp_json_count(longest + more),
	                                             "n50", gemp_json_count(low + more)));
	gemp_report_print(report, "%s unitigs of %s letters; the longest has %s, half of all letters are in those of %s or more\n",
	                  gemp_grouped(u->all).text, gemp_grouped(u->letters).text, gemp_grouped(longest + more).text,
	                  gemp_grouped(low + more).text);
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
static gemp_code write_gfa(const gemp_comm *comm, const char *path, const gemp_sequences *sequences, const gemp_unitigs *u,
                           gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	gemp_output *output = NULL;
	gemp_text text = { 0 };
	gemp_link *links = NULL;
	size_t count;
	GEMP_TRY(gemp_links_find(&links, &count, u, traffic));
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

static json_t *json_of_vertices(const gemp_contig *contig, unsigned k)
{
	json_t *list = json_array();
	for (size_t i = 0; i < contig->examples; i++) {
		char word[GEMP_KMER_LONGEST + 1] = "";
		for (unsigned p = 0; p < k - 1; p++)
			word[p] = gemp_kmer_letter(contig->example[i].word, k - 1, p);
		json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "word", word, "in", gemp_json_count(contig->example[i].in),
		                                      "out", gemp_json_count(contig->example[i].out)));
	}
	return list;
}

/* Why there is no path, and what might help. */
static void print_reason(const gemp_report *report, const gemp_contig *contig)
{
	switch (contig->verdict) {
	case GEMP_CONTIG_UNBALANCED:
		gemp_report_print(report, "No Eulerian path: %s vertices do not have as many unitigs in as out; are there errors left "
		                  "(--min-count), or other numbers of --copies?\n", gemp_grouped(contig->unbalanced).text);
		break;
	case GEMP_CONTIG_APART:
		gemp_report_print(report, "No Eulerian path: %s components; do reads leave gaps, or is --kmer too long for them?\n",
		                  gemp_grouped(contig->components / (report->options->strands == 0 ? 2 : 1)).text);
		break;
	case GEMP_CONTIG_STRANDS:
		gemp_report_print(report, "No Eulerian path: the two strands hang together, as the genome has some word and its "
		                  "reverse complement; a longer --kmer may tell them apart, or --strands one\n");
		break;
	case GEMP_CONTIG_TOO_LARGE:
		gemp_report_print(report, "No Eulerian path was looked for: %s unitigs are too many\n",
		                  gemp_grouped(contig->copies).text);
		break;
	default:
		gemp_report_print(report, "An Eulerian %s over %s unitigs, of %s letters\n",
		                  gemp_contig_verdict_name[contig->verdict],
		                  gemp_grouped(report->options->strands == 0 ? contig->copies / 2 : contig->copies).text,
		                  gemp_grouped(contig->sequences.letters_of_all).text);
	}
}

static void report_contig(gemp_report *report, const gemp_contig *contig, unsigned k)
{
	json_t *json = json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "verdict",
	                         gemp_contig_verdict_name[contig->verdict], "found", contig->sequences.all > 0, "edges",
	                         gemp_json_count(contig->unitigs), "copies", gemp_json_count(contig->copies), "unbalanced",
	                         gemp_json_count(contig->unbalanced), "vertices", json_of_vertices(contig, k), "components",
	                         contig->components ? gemp_json_count(contig->components) : json_null(), "letters",
	                         gemp_json_count(contig->sequences.letters_of_all));
	if (contig->coverage > 0)
		json_object_set_new(json, "coverage", json_real(contig->coverage));
	gemp_report_set(report, "path", json);
	print_reason(report, contig);
}

static void report_traffic(gemp_report *report, const gemp_traffic *mine)
{
	uint64_t sums[] = { mine->bytes, mine->messages }, rounds = mine->rounds;
	gemp_comm_sum(report->comm, sums, 2);
	gemp_comm_max(report->comm, &rounds, 1);
	gemp_report_exchange(report, &(gemp_traffic){ sums[0], sums[1], rounds }, -1, NULL);
}

/* Collective. The Eulerian path, if there is one; else, and with --unitigs, the unitigs. */
static gemp_code write_files(const gemp_report *report, const gemp_contig *contig, const gemp_unitigs *unitigs,
                             gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_options *options = report->options;
	gemp_sequences sequences = { 0 };
	bool found = contig->sequences.all > 0;
	if (found)
		GEMP_TRY(write_fasta(report->comm, options->output, &contig->sequences, "contig"));
	if (!found || options->unitigs || options->gfa)
		GEMP_TRY(gemp_spell_unitigs(&sequences, unitigs, traffic));
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

static gemp_code run(gemp_report *report, gemp_timers *timers)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = report->comm;
	const gemp_options *options = report->options;
	gemp_copying copying = (gemp_copying)options->copies;
	gemp_kmer_bag bag = { 0 };
	gemp_kmer_graph graph = { 0 };
	gemp_unitigs unitigs = { 0 };
	gemp_contig contig = { 0 };
	double since = gemp_now();
	GEMP_TRY(gemp_comm_agree(comm, gemp_kmer_bag_new(&bag, (unsigned)options->kmer, options->strands == 0)));
	GEMP_TRY(read_files(&bag, report));
	since = gemp_timers_add(timers, GEMP_READ, since);
	GEMP_TRY(gemp_kmer_graph_new(&graph, comm, &bag, options->min_count, copying == GEMP_COPIES_BY_COUNT));
	GEMP_TRY(report_kmers(report, &graph));
	GEMP_TRY(gemp_unitigs_new(&unitigs, &graph));
	report_unitigs(report, &unitigs);
	GEMP_TRY(gemp_contig_new(&contig, &unitigs, copying, &graph.traffic));
	report_contig(report, &contig, graph.k);
	since = gemp_timers_add(timers, GEMP_CONVERT, since);
	GEMP_TRY(write_files(report, &contig, &unitigs, &graph.traffic));
	gemp_timers_add(timers, GEMP_WRITE, since);
	report_traffic(report, &graph.traffic);
done:
	gemp_contig_free(&contig);
	gemp_unitigs_free(&unitigs);
	gemp_kmer_graph_free(&graph);
	gemp_kmer_bag_free(&bag);
	return code;
}

static gemp_code assemble(gemp_comm *comm, const gemp_options *options)
{
	gemp_report report;
	gemp_timers timers = { 0 };
	gemp_code code = check(comm, options);
	if (code == GEMP_OK)
		code = gemp_report_new(&report, comm, options, rows_on_stdout(options));
	if (code != GEMP_OK)
		return code;
	code = run(&report, &timers);
	if (code == GEMP_OK) {
		gemp_report_seconds(&report, &timers, false);
		gemp_report_memory(&report, 0);
	}
	return gemp_report_finish(&report, code);
}

const gemp_command gemp_command_assemble = {
	.name = "assemble",
	.bit = GEMP_ON_ASSEMBLE,
	.arguments = "READS... -o contigs.fa",
	.summary = "Assembles DNA from reads: counts k-mers and joins them to unitigs",
	.text = "Reads are FASTA or FASTQ, plain, .gz or .zst.\n",
	.examples = "gemp-mpi assemble reads.fastq.gz -k 31 --min-count 3 -o contigs.fa\n"
		"mpirun -n 8 gemp-mpi assemble left.fq right.fq -k 25 -o contigs.fa\n",
	.least = 1,
	.most = SIZE_MAX,
	.run = assemble,
};
