#include "command/assemble_report.h"

#include "command/quantity.h"

#include <inttypes.h>

static void set_count(json_t *json, const char *name, uint64_t count)
{
	json_object_set_new(json, name, gemp_json_count(count));
}

void gemp_report_reads(gemp_report *report, const gemp_reads *reads)
{
	json_t *json = json_object();
	set_count(json, "sequences", reads->sequences);
	set_count(json, "letters", reads->letters);
	set_count(json, "bytes", reads->bytes);
	gemp_report_set(report, "reads", json);
	gemp_report_detail(report, "  %-11s %s sequences, %s letters\n", "reads", gemp_grouped(reads->sequences).text,
	                   gemp_grouped(reads->letters).text);
}

gemp_code gemp_report_kmers(gemp_report *report, const gemp_kmer_graph *graph)
{
	json_t *json = json_object();
	json_object_set_new(json, "k", json_integer(graph->k));
	json_object_set_new(json, "both_strands", json_boolean(graph->both));
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
		                 "--min-count, or, where reads are few, a shorter --kmer", graph->distinct,
		                 report->options->min_count);
	return gemp_fail(GEMP_EDATA, "no sequence has %u letters A, C, G, T behind one another; take a shorter --kmer",
	                 graph->k);
}

void gemp_report_unitigs(gemp_report *report, const gemp_unitigs *unitigs)
{
	uint64_t longest, middle;
	gemp_unitigs_lengths(unitigs, &longest, &middle);
	json_t *json = json_object();
	set_count(json, "count", unitigs->all);
	set_count(json, "letters", unitigs->letters);
	set_count(json, "longest", longest);
	set_count(json, "n50", middle);
	gemp_report_set(report, "unitigs", json);
	gemp_report_print(report, "%s of %s; the longest has %s, N50 is %s\n",
	                  gemp_counted(unitigs->all, "unitig").text, gemp_counted(unitigs->letters, "letter").text,
	                  gemp_grouped(longest).text, gemp_grouped(middle).text);
}

static json_t *json_of_vertices(const gemp_contig *contig, unsigned k)
{
	json_t *list = json_array();
	for (size_t i = 0; i < contig->examples; i++) {
		const gemp_contig_vertex *vertex = &contig->example[i];
		char word[GEMP_KMER_LONGEST + 1] = "";
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
		gemp_report_print(report, "No Eulerian path: %s vertices have not as many unitigs in as out; are there "
		                  "errors left (--min-count), or is a unitig there more often than --copies says?\n",
		                  gemp_grouped(contig->unbalanced).text);
		break;
	case GEMP_CONTIG_APART:
		gemp_report_print(report,
		                  "No Eulerian path: %s components; do reads leave gaps, or is --kmer too long for "
		                  "them?\n", gemp_grouped(contig->components / strands).text);
		break;
	case GEMP_CONTIG_STRANDS:
		gemp_report_print(report, "No Eulerian path: the two strands hang together, as the genome has some word "
		                  "and its reverse complement; a longer --kmer may tell them apart, or --strands one\n");
		break;
	case GEMP_CONTIG_TOO_LARGE:
		gemp_report_print(report, "No Eulerian path was looked for: %s unitigs are too many\n",
		                  gemp_grouped(contig->copies).text);
		break;
	default:
		gemp_report_print(report, "An Eulerian %s over %s, of %s\n",
		                  gemp_contig_verdict_name[contig->verdict],
		                  gemp_counted(contig->copies / strands, "unitig").text,
		                  gemp_counted(contig->sequences.letters_of_all, "letter").text);
	}
}

void gemp_report_contig(gemp_report *report, const gemp_contig *contig, const gemp_kmer_graph *graph)
{
	json_t *json = json_object();
	json_object_set_new(json, "found", json_boolean(contig->sequences.all > 0));
	json_object_set_new(json, "verdict", json_string(gemp_contig_verdict_name[contig->verdict]));
	set_count(json, "edges", contig->unitigs);
	set_count(json, "copies", contig->copies);
	set_count(json, "unbalanced", contig->unbalanced);
	json_object_set_new(json, "vertices", json_of_vertices(contig, graph->k));
	json_object_set_new(json, "components", contig->components ? gemp_json_count(contig->components) : json_null());
	set_count(json, "letters", contig->sequences.letters_of_all);
	if (contig->coverage > 0)
		json_object_set_new(json, "coverage", json_real(contig->coverage));
	gemp_report_set(report, "path", json);
	print_reason(report, contig, graph->both ? 2 : 1);
}

void gemp_report_sent(gemp_report *report, const gemp_traffic *mine)
{
	uint64_t sums[] = { mine->bytes, mine->messages }, rounds = mine->rounds;
	gemp_comm_sum(report->comm, sums, 2);
	gemp_comm_max(report->comm, &rounds, 1);
	gemp_report_exchange(report, &(gemp_traffic){ sums[0], sums[1], rounds }, -1, NULL);
}
