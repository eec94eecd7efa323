#include "cli/euler/euler_sequence.h"
#include "cli/report/report_run.h"

#include "assembly/overlap.h"
#include "core/quantity.h"
#include "generate/generate.h"
#include "io/file/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

gemp_code gemp_euler_sequence_check(const gemp_options *options)
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

bool gemp_euler_sequence_on_stdout(const gemp_options *options)
{
	return options->sequence && !options->output && !gemp_json_on_stdout(options);
}

gemp_code gemp_euler_sequence_graph(gemp_shard **out, const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_generate_options how;
	char number[24];
	GEMP_TRY(gemp_generate_init(&how, "debruijn"));
	snprintf(number, sizeof number, "%zu", strlen(options->alphabet));
	GEMP_TRY(gemp_generate_set(&how, "alphabet", number));
	snprintf(number, sizeof number, "%" PRIu64, options->word_length);
	GEMP_TRY(gemp_generate_set(&how, "length", number));
	GEMP_TRY(gemp_generate_set(&how, "keys", "numbers"));
	GEMP_TRY(gemp_generate(out, comm, &how));
done:
	return code;
}

/* Collective. The head and the two stretches, then the end of the line. */
static gemp_code write_text(gemp_output *output, const gemp_comm *comm, const gemp_overlap *overlap, bool circular)
{
	gemp_code code = GEMP_OK;
	size_t head = overlap->word, size;
	if (circular && overlap->edges < head)
		head = (size_t)overlap->edges;
	GEMP_TRY(gemp_output_write(output, overlap->head, comm->rank == 0 ? head : 0));
	for (int stretch = 0; stretch < 2; stretch++) {
		const char *letters = gemp_overlap_stretch(overlap, stretch, circular, &size);
		GEMP_TRY(gemp_output_write(output, letters, size));
	}
	GEMP_TRY(gemp_output_write(output, "\n", comm->rank == 0));
done:
	return code;
}

gemp_code gemp_euler_sequence_write(gemp_report *report, const gemp_options *options, const gemp_shard *graph,
                                    const gemp_euler_edges *edges, const gemp_euler_order *order)
{
	gemp_code code = GEMP_OK;
	gemp_overlap overlap = { 0 };
	gemp_output *output = NULL;
	bool circular = options->circular && edges->path_end == GEMP_NO_VERTEX;
	const char *path = options->output ? options->output : gemp_euler_sequence_on_stdout(options) ? "-" : NULL;
	GEMP_TRY(gemp_overlap_new(&overlap, report->comm, graph, edges, order, options->alphabet));
	uint64_t letters = overlap.edges + (circular ? 0 : overlap.word);
	gemp_report_set(report, "sequence",
	                json_pack("{s:o, s:o, s:b}", "letters", gemp_json_count(letters), "word",
	                          gemp_json_count(overlap.word + 1), "circular", circular));
	gemp_report_detail(report, "%s in which each of %s of %s is once\n", gemp_counted(letters, "letter").text,
	                   gemp_counted(overlap.edges, "word").text, gemp_counted(overlap.word + 1, "letter").text);
	if (path) {
		GEMP_TRY(gemp_output_open(&output, report->comm, path));
		GEMP_TRY(write_text(output, report->comm, &overlap, circular));
		code = gemp_output_close(output);
		output = NULL;
	}
done:
	gemp_output_abandon(output);
	gemp_overlap_free(&overlap);
	return code;
}
