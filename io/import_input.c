#include "io/import_input.h"

#include "core/memory.h"
#include "core/text.h"
#include "core/threads.h"
#include "io/stream.h"

#include <inttypes.h>
#include <string.h>

/* --format says what edges are; vertices are tables also beside an edge list. */
static const gemp_format *format_of(const char *path, bool edges, const gemp_format *asked)
{
	const gemp_format *found = gemp_format_by_ending(path);
	if (asked && (edges || asked != &gemp_format_snap))
		return asked;
	return edges || found == &gemp_format_csv ? found : &gemp_format_tsv;
}

/* RFC 4180: quotes, and newlines inside them. */
static bool is_quoted(const gemp_format *format)
{
	return format == &gemp_format_csv || format == &gemp_format_neo4j;
}

/* What rank 0 finds out about a file and tells the others. */
typedef struct facts {
	uint64_t size;
	uint64_t compressed;
	uint64_t header_size; /* bytes of the first record follow */
} facts;

static gemp_code look_at(const gemp_input *input, gemp_text *told)
{
	gemp_code code = GEMP_OK;
	gemp_stream_info info;
	gemp_stream *stream = NULL;
	char *record;
	size_t size;
	GEMP_TRY(gemp_stream_inspect(input->path, &info));
	GEMP_TRY(gemp_stream_open(&stream, input->path, 0, GEMP_STREAM_END));
	GEMP_TRY(gemp_stream_next(stream, is_quoted(input->format), &record, &size));
	facts found = { info.size, info.compressed, size };
	gemp_text_add(told, &found, sizeof found);
	gemp_text_add(told, record, found.header_size);
	code = gemp_text_status(told);
done:
	gemp_stream_close(stream);
	return code;
}

static gemp_code cut(gemp_cells *cells, const gemp_format *format, char *record, size_t size)
{
	gemp_code code = gemp_utf8_require(record, size);
	if (code != GEMP_OK)
		return code;
	return format == &gemp_format_tsv ? gemp_cells_tsv(cells, record, size)
	       : is_quoted(format) ? gemp_cells_csv(cells, record, size)
	                                   : gemp_cells_blanks(cells, record, size);
}

/* A list of edges has no header; one that begins like a table is not taken for an edge from "src" to "dst". */
static gemp_code pair_header(gemp_header *header, const char *record, size_t size)
{
	static const char *const beginnings[] = { "src\t", "src,", "src ", "source\t", "source,", "source " };
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		size_t length = strlen(beginnings[i]);
		if (size >= length && memcmp(record, beginnings[i], length) == 0)
			return gemp_fail(GEMP_EDATA, "this is a header, and edge lists have none; "
			                 "say --format tsv or csv");
	}
	return gemp_header_pair(header);
}

static gemp_code parse_header(gemp_input *input, gemp_cells *cells, char *record, size_t size)
{
	gemp_code code;
	if (input->format == &gemp_format_snap) {
		code = pair_header(&input->header, record, size);
	} else {
		code = cut(cells, input->format, record, size);
		if (code == GEMP_OK)
			code = input->format == &gemp_format_neo4j
			               ? gemp_header_parse_neo4j(&input->header, input->edges, cells)
			               : gemp_header_parse(&input->header, input->edges, cells);
	}
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s:1: ", input->path) : code;
}

/* Plain files go to all by byte range. Compressed ones that are more than one rank's part of all that is compressed are
 * unpacked by all, who then take blocks in turn. Other compressed files and CSV go whole to one rank each, in turn. */
static void share_out(gemp_input *input, const gemp_comm *comm, const facts *found, uint64_t compressed, int *dealt)
{
	gemp_span all = { 0, GEMP_STREAM_END }, none = { 0, 0 };
	bool large = found->size > gemp_block_size / 16 && found->size > compressed / (uint64_t)comm->size;
	input->size = found->size;
	input->in_turns = found->compressed && !is_quoted(input->format) && large && comm->size > 1;
	if (input->in_turns) {
		input->bytes = all;
	} else if (found->compressed || is_quoted(input->format)) {
		input->bytes = *dealt == comm->rank ? all : none;
		*dealt = (*dealt + 1) % comm->size;
	} else {
		input->bytes = gemp_share(comm, found->size);
	}
}

/* What rank 0 told of one file; *told moves behind it. */
static facts next_facts(char **told, char **header)
{
	facts found;
	memcpy(&found, *told, sizeof found);
	*header = *told + sizeof found;
	*told = *header + found.header_size;
	return found;
}

static gemp_code take_facts(gemp_inputs *inputs, const gemp_comm *comm, char *told)
{
	gemp_code code = GEMP_OK;
	int dealt = 0;
	uint64_t compressed = 0;
	char *header, *at = told;
	for (size_t i = 0; i < inputs->count; i++) {
		facts found = next_facts(&at, &header);
		inputs->bytes += found.size;
		compressed += found.compressed ? found.size : 0;
	}
	inputs->threads = gemp_threads();
	GEMP_TRY(GEMP_NEW(inputs->cells, inputs->threads));
	for (size_t i = 0; i < inputs->count; i++) {
		facts found = next_facts(&told, &header);
		share_out(&inputs->input[i], comm, &found, compressed, &dealt);
		GEMP_TRY(parse_header(&inputs->input[i], &inputs->cells[0], header, found.header_size));
	}
done:
	return code;
}

static gemp_code list_inputs(gemp_inputs *inputs, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	size_t vertex_files = options->vertex_file_count;
	inputs->count = vertex_files + options->edge_file_count;
	GEMP_TRY(GEMP_NEW(inputs->input, inputs->count));
	for (size_t i = 0; i < inputs->count; i++) {
		gemp_input *input = &inputs->input[i];
		input->edges = i >= vertex_files;
		input->path = input->edges ? options->edge_files[i - vertex_files] : options->vertex_files[i];
		input->format = format_of(input->path, input->edges, options->format);
	}
done:
	return code;
}

gemp_code gemp_inputs_open(gemp_inputs *inputs, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	void *told = NULL;
	*inputs = (gemp_inputs){ 0 };
	code = list_inputs(inputs, options);
	for (size_t i = 0; comm->rank == 0 && code == GEMP_OK && i < inputs->count; i++)
		code = look_at(&inputs->input[i], &text);
	GEMP_TRY(gemp_comm_agree(comm, code));
	told = text.data;
	GEMP_TRY(gemp_comm_broadcast(comm, &told, &text.size));
	GEMP_TRY(gemp_comm_agree(comm, take_facts(inputs, comm, told)));
done:
	gemp_free(told ? told : text.data);
	return code;
}

void gemp_inputs_free(gemp_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count && inputs->input; i++) {
		gemp_header_free(&inputs->input[i].header);
		gemp_free(inputs->input[i].piece_lines);
	}
	gemp_free(inputs->input);
	for (unsigned t = 0; t < inputs->threads && inputs->cells; t++)
		gemp_cells_free(&inputs->cells[t]);
	gemp_free(inputs->cells);
	*inputs = (gemp_inputs){ 0 };
}

bool gemp_input_is_quoted(const gemp_input *input)
{
	return is_quoted(input->format);
}

bool gemp_input_skips(const gemp_input *input, const char *record, size_t size)
{
	return size == 0 || (input->format == &gemp_format_snap && (record[0] == '#' || strspn(record, " \t") >= size));
}

static gemp_code wrong_count(const gemp_input *input, size_t found)
{
	size_t wanted = input->header.count;
	const char *fields = found == 1 ? "field" : "fields";
	if (input->format == &gemp_format_snap)
		return gemp_fail(GEMP_EDATA, "%zu %s where an edge list has 2; "
		                 "a table with a header is read by --format tsv or csv", found, fields);
	return gemp_fail(GEMP_EDATA, "%zu %s where the header has %zu; %s", found, fields, wanted,
	                 input->format == &gemp_format_tsv ? "separate fields by one tab, leave a missing value empty"
	                                                  : "separate fields by a comma, quote a value with commas");
}

gemp_code gemp_input_cut(const gemp_input *input, gemp_cells *cells, char *record, size_t size)
{
	gemp_code code = cut(cells, input->format, record, size);
	if (code == GEMP_OK && cells->count != input->header.count)
		code = wrong_count(input, cells->count);
	return code;
}
