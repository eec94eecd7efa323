/* assembly: gemp_assemble, which assembles DNA from reads. The steps make k-mers, their graph, unitigs, and the
 * Eulerian path over the unitigs. Each step has its part of the report. The files are written at the end. */

#include "gemp/assembly.h"

#include "api/report.h"
#include "assembly/contig.h"
#include "assembly/unitigs.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "io/file/output.h"
#include "io/text/fasta.h"

#include <inttypes.h>
#include <string.h>

GEMP_SETTINGS(gemp_assembly_settings, .kmer = GEMP_KMER_MAX, .min_count = 1)

/* REPORT */

static void report_reads(gemp_report *report, const gemp_fasta *reads)
{
	gemp_report_set(
		report, "reads",
		gemp_json_counts({ "sequences", reads->sequences }, { "letters", reads->letters }, { "bytes", reads->bytes }));
	gemp_report_detail(report, "  %-11s %s sequences, %s letters\n", "reads", gemp_grouped(reads->sequences).text,
	                   gemp_grouped(reads->letters).text);
}

/* Fails with GEMP_EDATA and a remedy if no k-mer is left. */
static gemp_code report_kmers(gemp_report *report, const gemp_kmer_graph *graph, uint64_t min_count)
{
	json_t *json = json_object();
	json_object_set_new(json, "k", json_integer(graph->k));
	json_object_set_new(json, "both_strands", json_boolean(graph->both_strands));
	gemp_json_set_counts(json, { "occurrences", graph->occurrences }, { "distinct", graph->distinct },
	                     { "kept", graph->kept }, { "edges", graph->edges });
	gemp_report_set(report, "kmers", json);
	gemp_report_detail(report, "  %-11s %s of %u letters, %s distinct, %s kept\n", "k-mers",
	                   gemp_grouped(graph->occurrences).text, graph->k, gemp_grouped(graph->distinct).text,
	                   gemp_grouped(graph->kept).text);
	if (graph->kept)
		return GEMP_OK;
	if (graph->distinct)
		return gemp_fail(GEMP_EDATA,
		                 "none of %" PRIu64 " distinct k-mers occurs %" PRIu64 " times; give a smaller "
		                 "min-count, or, where reads are few, a shorter kmer",
		                 graph->distinct, min_count);
	return gemp_fail(GEMP_EDATA, "no sequence has %u letters A, C, G, T behind one another; take a shorter kmer",
	                 graph->k);
}

/* Collective. N50 is the largest length such that the unitigs of at least this length have half of all letters. */
static void report_unitigs(gemp_report *report, const gemp_unitigs *unitigs)
{
	uint64_t longest, middle;
	gemp_unitigs_lengths(unitigs, &longest, &middle);
	gemp_report_set(report, "unitigs",
	                gemp_json_counts({ "count", unitigs->total }, { "letters", unitigs->letters },
	                                 { "longest", longest }, { "n50", middle }));
	gemp_report_print(report, "%s of %s; the longest has %s, N50 is %s\n", gemp_counted(unitigs->total, "unitig").text,
	                  gemp_counted(unitigs->letters, "letter").text, gemp_grouped(longest).text,
	                  gemp_grouped(middle).text);
}

/* Returns some vertices with unequal in- and out-degree, as examples of places where a path ends. */
static json_t *json_of_vertices(const gemp_contig *contig, unsigned k)
{
	json_t *list = json_array();
	for (size_t i = 0; i < contig->examples; i++) {
		const gemp_contig_vertex *vertex = &contig->example[i];
		char word[GEMP_KMER_MAX + 1] = "";
		for (unsigned p = 0; p < k - 1; p++)
			word[p] = gemp_kmer_letter(vertex->word, k - 1, p);
		json_t *json = json_pack("{s:s}", "word", word);
		json_array_append_new(list, gemp_json_set_counts(json, { "in", vertex->in }, { "out", vertex->out }));
	}
	return list;
}

/* Prints the kind and the length of the path, or the reason why there is no path, with a possible remedy. `strands` is
 * 2 if each unitig occurs in both directions, otherwise 1. */
static void print_reason(const gemp_report *report, const gemp_contig *contig, unsigned strands)
{
	switch (contig->verdict) {
	case GEMP_CONTIG_UNBALANCED:
		gemp_report_print(
			report,
			"No Eulerian path: %s vertices have unequal in- and out-degree; are there errors left (min-count), "
			"or does the genome have a unitig more often than copies says?\n",
			gemp_grouped(contig->unbalanced).text);
		break;
	case GEMP_CONTIG_DISCONNECTED:
		gemp_report_print(report,
		                  "No Eulerian path: %s components; do reads leave gaps, or is kmer too long for "
		                  "them?\n",
		                  gemp_grouped(contig->components / strands).text);
		break;
	case GEMP_CONTIG_STRANDS:
		gemp_report_print(report,
		                  "No Eulerian path: the two strands hang together, as the genome has some word "
		                  "and its reverse complement; a longer kmer may tell them apart, or reads of one strand\n");
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

/* Sets the field `path`: whether there is an Eulerian path, or the reason why there is none. */
static void report_contig(gemp_report *report, const gemp_contig *contig, const gemp_kmer_graph *graph)
{
	json_t *json = json_pack("{s:b, s:s}", "found", contig->sequences.total > 0, "verdict",
	                         gemp_contig_verdict_name[contig->verdict]);
	gemp_json_set_counts(json, { "edges", contig->unitigs }, { "copies", contig->copies },
	                     { "unbalanced", contig->unbalanced });
	json_object_set_new(json, "vertices", json_of_vertices(contig, graph->k));
	json_object_set_new(json, "components", contig->components ? gemp_json_count(contig->components) : json_null());
	json_object_set_new(json, "letters", gemp_json_count(contig->sequences.total_letters));
	if (contig->coverage > 0)
		json_object_set_new(json, "coverage", json_real(contig->coverage));
	gemp_report_set(report, "path", json);
	print_reason(report, contig, graph->both_strands ? 2 : 1);
}

/* CHECKS */

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Local. Checks the settings without opening a file. */
static gemp_code check_settings(const gemp_assembly_settings *settings)
{
	if (!settings->output)
		return gemp_fail(GEMP_EUSAGE, "output must name the FASTA file to write");
	if (settings->read_count == 0)
		return gemp_fail(GEMP_EUSAGE, "reads must name one file of reads at least");
	if (settings->kmer < GEMP_KMER_MIN || settings->kmer > GEMP_KMER_MAX)
		return gemp_fail(GEMP_EUSAGE, "kmer must have %d to %d letters; got %" PRIu64, GEMP_KMER_MIN, GEMP_KMER_MAX,
		                 settings->kmer);
	if ((unsigned)settings->copies > GEMP_COPIES_ONE)
		return gemp_fail(GEMP_EUSAGE, "copies %d is none of gemp_assembly_copies", (int)settings->copies);
	if (is_stdout(settings->output) + is_stdout(settings->unitigs) + is_stdout(settings->gfa) > 1)
		return gemp_fail(GEMP_EUSAGE, "only one of output, unitigs and gfa can be -, which is standard output");
	return GEMP_OK;
}

/* Collective. Checks before the work that the settings are right and that the files can be written. */
static gemp_code check_files(const gemp_comm *comm, const gemp_assembly_settings *settings)
{
	const char *const names[] = { "output", "unitigs", "gfa" };
	const char *const paths[] = { settings->output, settings->unitigs, settings->gfa };
	gemp_code code = check_settings(settings);
	for (size_t i = 0; i < 3 && comm->rank == 0; i++)
		if (paths[i] && !is_stdout(paths[i]))
			GEMP_THEN(gemp_file_may_write(names[i], paths[i]));
	return gemp_comm_agree(comm, code);
}

/* WORK */

/* Visitor of gemp_fasta_visit: counts the k-mers of a part of a sequence. */
static gemp_code count_letters(void *self, const char *letters, size_t size)
{
	return gemp_kmer_counter_add(self, letters, size);
}

/* Collective. Counts the k-mers of all files, one file after the other. */
static gemp_code read_files(gemp_kmer_counter *counter, gemp_report *report, const gemp_assembly_settings *settings)
{
	gemp_fasta sum = { 0 };
	for (size_t f = 0; f < settings->read_count; f++) {
		gemp_fasta reads;
		GEMP_TRY(gemp_fasta_visit(&reads, report->comm, settings->reads[f], f, count_letters, counter));
		GEMP_TRY(gemp_kmer_counter_join(counter, report->comm));
		sum.sequences += reads.sequences;
		sum.letters += reads.letters;
		sum.bytes += reads.bytes;
	}
	report_reads(report, &sum);
	return GEMP_OK;
}

/* Collective. Writes the texts of all ranks in rank order, and empties them. `code` is the result of making this rank's
 * text. */
static gemp_code write_part(gemp_output *output, const gemp_comm *comm, gemp_code code, gemp_text *text)
{
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_output_write(output, text->data, text->size));
	gemp_text_clear(text);
	return GEMP_OK;
}

/* Collective. Writes the unitigs and the links between them as GFA 1. Linked unitigs overlap by k - 1 letters. */
static gemp_code write_gfa(const gemp_comm *comm, const char *path, const gemp_sequences *sequences,
                           const gemp_unitigs *u, gemp_traffic *traffic)
{
	GEMP_OWNED_BY(gemp_output_abandon_at) gemp_output *output = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED gemp_unitig_link *links = NULL;
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
	return gemp_output_close(GEMP_MOVE(output));
}

/* Collective. Each rank writes the letters that it holds. A sequence may begin on one rank and end on the next rank. */
static gemp_code write_fasta(const gemp_comm *comm, const char *path, const gemp_sequences *sequences, const char *name)
{
	GEMP_OWNED_BY(gemp_output_abandon_at) gemp_output *output = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_TRY(gemp_output_open(&output, comm, path));
	GEMP_TRY(write_part(output, comm, gemp_sequences_fasta(sequences, name, &text), &text));
	return gemp_output_close(GEMP_MOVE(output));
}

/* Collective. Writes the Eulerian path to the output file, or the unitigs if there is no path. Also writes the unitigs
 * to the other files of the settings. */
static gemp_code write_files(const gemp_report *report, const gemp_assembly_settings *settings,
                             const gemp_contig *contig, const gemp_unitigs *unitigs, gemp_traffic *traffic)
{
	GEMP_OWNED_BY(gemp_sequences_free) gemp_sequences sequences = { 0 };
	bool found = contig->sequences.total > 0;
	if (found)
		GEMP_TRY(write_fasta(report->comm, settings->output, &contig->sequences, "contig"));
	if (!found || settings->unitigs || settings->gfa)
		GEMP_TRY(gemp_unitigs_spell(&sequences, unitigs, traffic));
	if (!found)
		GEMP_TRY(write_fasta(report->comm, settings->output, &sequences, "unitig"));
	if (settings->unitigs)
		GEMP_TRY(write_fasta(report->comm, settings->unitigs, &sequences, "unitig"));
	if (settings->gfa)
		GEMP_TRY(write_gfa(report->comm, settings->gfa, &sequences, unitigs, traffic));
	return GEMP_OK;
}

/* The results of all steps live until the end of the function, since unitigs refer to the graph of k-mers, and the path
 * refers to the unitigs. */
gemp_code gemp_assemble(gemp_context *context, const gemp_assembly_settings *settings, gemp_report *report)
{
	const gemp_comm *comm = &context->comm;
	const gemp_assembly_settings chosen = gemp_assembly_settings_from(settings);
	gemp_timers timers = { 0 };
	gemp_report none;
	GEMP_OWNED_BY(gemp_kmer_counter_free) gemp_kmer_counter counter = { 0 };
	GEMP_OWNED_BY(gemp_kmer_graph_free) gemp_kmer_graph graph = { 0 };
	GEMP_OWNED_BY(gemp_unitigs_free) gemp_unitigs unitigs = { 0 };
	GEMP_OWNED_BY(gemp_contig_free) gemp_contig contig = { 0 };
	double since = gemp_now();
	report = gemp_report_or(report, &none, context);
	GEMP_TRY(check_files(comm, &chosen));
	GEMP_TRY(gemp_comm_agree(comm, gemp_kmer_counter_new(&counter, (unsigned)chosen.kmer, !chosen.one_strand)));
	GEMP_TRY(read_files(&counter, report, &chosen));
	since = gemp_timers_add(&timers, GEMP_PHASE_READ, since);
	GEMP_TRY(gemp_kmer_graph_new(&graph, comm, &counter, chosen.min_count, chosen.copies == GEMP_COPIES_BY_COUNT));
	GEMP_TRY(report_kmers(report, &graph, chosen.min_count));
	GEMP_TRY(gemp_unitigs_new(&unitigs, &graph));
	report_unitigs(report, &unitigs);
	GEMP_TRY(gemp_contig_new(&contig, &unitigs, chosen.copies, &graph.traffic));
	report_contig(report, &contig, &graph);
	since = gemp_timers_add(&timers, GEMP_PHASE_CONVERT, since);
	GEMP_TRY(write_files(report, &chosen, &contig, &unitigs, &graph.traffic));
	gemp_timers_add(&timers, GEMP_PHASE_WRITE, since);
	gemp_report_traffic(report, &graph.traffic);
	gemp_report_seconds(report, &timers, false);
	gemp_report_memory(report, 0);
	return GEMP_OK;
}
