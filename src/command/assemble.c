#include "command/assemble_report.h"
#include "command/files.h"

#include "core/memory.h"
#include "io/output.h"
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
		code = gemp_fail(GEMP_EUSAGE,
		                 "--output, --unitigs and --gfa: only one of them can be -, which is stdout");
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
		                links[i].from_back ? '-' : '+', links[i].to + 1, links[i].to_back ? '-' : '+',
		                u->graph->k - 1);
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
	GEMP_TRY(gemp_report_kmers(report, &graph));
	GEMP_TRY(gemp_unitigs_new(&unitigs, &graph));
	gemp_report_unitigs(report, &unitigs);
	GEMP_TRY(gemp_contig_new(&contig, &unitigs, copying, &graph.traffic));
	gemp_report_contig(report, &contig, &graph);
	since = gemp_timers_add(timers, GEMP_CONVERT, since);
	GEMP_TRY(write_files(report, &contig, &unitigs, &graph.traffic));
	gemp_timers_add(timers, GEMP_WRITE, since);
	gemp_report_sent(report, &graph.traffic);
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
	.summary = "Assembles DNA from reads: k-mers, unitigs, and the Eulerian path over them",
	.text = "Reads are FASTA or FASTQ, plain, .gz or .zst. Their words of K letters A, C, G and T are counted, "
		"over all ranks, and joined to unitigs, the ways that nothing branches off. If an Eulerian path or "
		"circuit goes over all unitigs, as often as --copies says, what it spells is written, and else the "
		"unitigs; the report says why. Files do not depend on the number of ranks.\n",
	.examples = "gemp-mpi assemble reads.fastq.gz -k 31 --min-count 3 -o contigs.fa\n"
		"mpirun -n 8 gemp-mpi assemble 1.fq 2.fq -k 25 -o contigs.fa --unitigs unitigs.fa --gfa graph.gfa\n"
		"# a genome's own k-mers, each as often as it has them\n"
		"gemp-mpi assemble genome.fa -k 15 --strands one --copies count -o again.fa\n",
	.least = 1,
	.most = SIZE_MAX,
	.run = assemble,
};
