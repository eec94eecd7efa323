#include "io/import_input.h"

#include "core/memory.h"
#include "core/text.h"
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

/* Compressed files and CSV go whole to one rank each, in turn; others to all by byte range. */
static void share_out(gemp_input *input, const gemp_comm *comm, const facts *found, int *dealt)
{
	gemp_span all = { 0, GEMP_STREAM_END }, none = { 0, 0 };
	if (found->compressed || is_quoted(input->format)) {
		input->bytes = *dealt == comm->rank ? all : none;
		*dealt = (*dealt + 1) % comm->size;
	} else {
		input->bytes = gemp_share(comm, found->size);
	}
}

static gemp_code take_facts(gemp_inputs *inputs, const gemp_comm *comm, char *told)
{
	gemp_code code = GEMP_OK;
	int dealt = 0;
	for (size_t i = 0; i < inputs->count; i++) {
		facts found;
		memcpy(&found, told, sizeof found);
		told += sizeof found;
		share_out(&inputs->input[i], comm, &found, &dealt);
		GEMP_TRY(parse_header(&inputs->input[i], &inputs->cells, told, found.header_size));
		told += found.header_size;
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
	for (size_t i = 0; i < inputs->count && inputs->input; i++)
		gemp_header_free(&inputs->input[i].header);
	gemp_free(inputs->input);
	gemp_cells_free(&inputs->cells);
	*inputs = (gemp_inputs){ 0 };
}

static bool is_skipped(const gemp_format *format, const char *record, size_t size)
{
	return size == 0 || (format == &gemp_format_snap && (record[0] == '#' || strspn(record, " \t") >= size));
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

/* One record after another; *line is where a failure of the record's content stands, 0 for others. */
static gemp_code read_share(gemp_input *input, gemp_stream *stream, gemp_cells *cells, gemp_visit *visit, void *self,
                            uint64_t *line)
{
	gemp_code code = GEMP_OK;
	bool quoted = is_quoted(input->format);
	bool header = input->bytes.begin == 0 && input->format != &gemp_format_snap;
	for (;;) {
		char *record;
		size_t size;
		*line = 0;
		GEMP_TRY(gemp_stream_next(stream, quoted, &record, &size));
		input->lines = gemp_stream_line(stream) - 1; /* before this record; of all once there is no more */
		if (!record)
			break;
		bool skip = header || is_skipped(input->format, record, size);
		header = false;
		if (skip)
			continue;
		*line = gemp_stream_line(stream);
		GEMP_TRY(cut(cells, input->format, record, size));
		if (cells->count != input->header.count)
			code = wrong_count(input, cells->count);
		else
			code = visit(self, input, cells, input->lines_before + *line);
		if (code != GEMP_OK)
			break;
	}
done:
	return code;
}

/* Lines of lower ranks, for all files. A rank that failed has not counted all, but its own error comes first. */
static gemp_code count_lines(gemp_inputs *inputs, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	uint64_t *lines = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(lines, 2 * inputs->count)));
	uint64_t *before = lines + inputs->count;
	for (size_t i = 0; i < inputs->count; i++)
		lines[i] = inputs->input[i].lines;
	GEMP_MPI(MPI_Exscan(lines, before, (int)inputs->count, MPI_UINT64_T, MPI_SUM, comm->world));
	for (size_t i = 0; i < inputs->count; i++)
		inputs->input[i].lines_before = before[i]; /* the block was zeroed for rank 0 */
done:
	gemp_free(lines);
	return code;
}

gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit *visit, void *self)
{
	gemp_code code = GEMP_OK, counted;
	const gemp_input *failed = NULL;
	uint64_t line = 0;
	for (size_t i = 0; i < inputs->count && code == GEMP_OK; i++) {
		gemp_input *input = &inputs->input[i];
		gemp_stream *stream = NULL;
		if (input->bytes.begin == input->bytes.end)
			continue;
		failed = input;
		code = gemp_stream_open(&stream, input->path, input->bytes.begin, input->bytes.end);
		if (code == GEMP_OK)
			code = read_share(input, stream, &inputs->cells, visit, self, &line);
		gemp_stream_close(stream);
	}
	counted = count_lines(inputs, comm);
	if (counted != GEMP_OK)
		return counted;
	if (code == GEMP_EDATA && line > 0)
		gemp_fail_in(code, "%s:%" PRIu64 ": ", failed->path, failed->lines_before + line);
	return gemp_comm_agree(comm, code);
}
