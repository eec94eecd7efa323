/* The records of an import: blocks of text, cut into pieces that threads take; CSV one record after another. */

#include "io/import/table_reader.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/threads.h"
#include "io/file/stream.h"
#include "io/text/lines.h"

#include <inttypes.h>
#include <stdatomic.h>
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
typedef struct file_header {
	uint64_t size;
	uint64_t compressed;
	uint64_t header_size; /* bytes of the first record follow */
} file_header;

static gemp_code inspect_file(const gemp_input *input, gemp_text *told)
{
	gemp_code code = GEMP_OK;
	gemp_stream_info info;
	gemp_stream *stream = NULL;
	char *record;
	size_t size;
	GEMP_TRY(gemp_stream_inspect(input->path, &info));
	GEMP_TRY(gemp_stream_open(&stream, input->path, 0, GEMP_STREAM_END));
	GEMP_TRY(gemp_stream_next(stream, is_quoted(input->format), &record, &size));
	file_header found = { info.size, info.compressed, size };
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
	       : is_quoted(format)        ? gemp_cells_csv(cells, record, size)
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
		GEMP_THEN(input->format == &gemp_format_neo4j ? gemp_header_parse_neo4j(&input->header, input->edges, cells)
		                                              : gemp_header_parse(&input->header, input->edges, cells));
	}
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s:1: ", input->path) : code;
}

/* Plain files go to all by byte range. Compressed ones that are more than one rank's part of all that is compressed are
 * unpacked by all, who then take blocks in turn. Other compressed files and CSV go whole to one rank each, in turn. */
static void assign_ranges(gemp_input *input, const gemp_comm *comm, const file_header *found, uint64_t compressed,
                          int *dealt)
{
	gemp_block_range all = { 0, GEMP_STREAM_END }, none = { 0, 0 };
	bool large = found->size > gemp_lines_block_size / 16 && found->size > compressed / (uint64_t)comm->size;
	input->size = found->size;
	input->round_robin = found->compressed && !is_quoted(input->format) && large && comm->size > 1;
	if (input->round_robin) {
		input->bytes = all;
	} else if (found->compressed || is_quoted(input->format)) {
		input->bytes = *dealt == comm->rank ? all : none;
		*dealt = (*dealt + 1) % comm->size;
	} else {
		input->bytes = gemp_comm_block(comm, found->size);
	}
}

/* What rank 0 told of one file; *told moves behind it. */
static file_header decode_header(char **told, char **header)
{
	file_header found;
	memcpy(&found, *told, sizeof found);
	*header = *told + sizeof found;
	*told = *header + found.header_size;
	return found;
}

static gemp_code receive_headers(gemp_inputs *inputs, const gemp_comm *comm, char *told)
{
	int dealt = 0;
	uint64_t compressed = 0;
	char *header, *at = told;
	for (size_t i = 0; i < inputs->count; i++) {
		file_header found = decode_header(&at, &header);
		inputs->bytes += found.size;
		compressed += found.compressed ? found.size : 0;
	}
	inputs->threads = gemp_threads();
	GEMP_PROPAGATE(GEMP_NEW(inputs->cells, inputs->threads));
	for (size_t i = 0; i < inputs->count; i++) {
		file_header found = decode_header(&told, &header);
		assign_ranges(&inputs->input[i], comm, &found, compressed, &dealt);
		GEMP_PROPAGATE(parse_header(&inputs->input[i], &inputs->cells[0], header, found.header_size));
	}
	return GEMP_OK;
}

static gemp_code list_inputs(gemp_inputs *inputs, const gemp_import_options *options)
{
	size_t vertex_files = options->vertex_file_count;
	inputs->count = vertex_files + options->edge_file_count;
	GEMP_PROPAGATE(GEMP_NEW(inputs->input, inputs->count));
	for (size_t i = 0; i < inputs->count; i++) {
		gemp_input *input = &inputs->input[i];
		input->edges = i >= vertex_files;
		input->path = input->edges ? options->edge_files[i - vertex_files] : options->vertex_files[i];
		input->format = format_of(input->path, input->edges, options->format);
	}
	return GEMP_OK;
}

gemp_code gemp_inputs_open(gemp_inputs *inputs, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_text text = { 0 };
	void *told = NULL;
	*inputs = (gemp_inputs){ 0 };
	code = list_inputs(inputs, options);
	for (size_t i = 0; comm->rank == 0 && code == GEMP_OK && i < inputs->count; i++)
		code = inspect_file(&inputs->input[i], &text);
	GEMP_TRY(gemp_comm_agree(comm, code));
	told = text.data;
	GEMP_TRY(gemp_comm_broadcast(comm, &told, &text.size));
	GEMP_TRY(gemp_comm_agree(comm, receive_headers(inputs, comm, told)));
done:
	gemp_free(told ? told : text.data);
	return code;
}

void gemp_inputs_free(gemp_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count && inputs->input; i++) {
		gemp_header_free(&inputs->input[i].header);
		gemp_free(inputs->input[i].chunk_lines);
	}
	gemp_free(inputs->input);
	for (unsigned t = 0; t < inputs->threads && inputs->cells; t++)
		gemp_cells_free(&inputs->cells[t]);
	gemp_free(inputs->cells);
	*inputs = (gemp_inputs){ 0 };
}

static bool gemp_input_is_quoted(const gemp_input *input)
{
	return is_quoted(input->format);
}

/* For import_read.c. Is this record none, and its cells, which must be as many as the header names. */
static bool gemp_input_skips(const gemp_input *input, const char *record, size_t size)
{
	return size == 0 || (input->format == &gemp_format_snap && (record[0] == '#' || strspn(record, " \t") >= size));
}

static gemp_code wrong_count(const gemp_input *input, size_t found)
{
	size_t wanted = input->header.count;
	const char *fields = found == 1 ? "field" : "fields";
	if (input->format == &gemp_format_snap)
		return gemp_fail(GEMP_EDATA,
		                 "%zu %s where an edge list has 2; "
		                 "a table with a header is read by --format tsv or csv",
		                 found, fields);
	return gemp_fail(GEMP_EDATA, "%zu %s where the header has %zu; %s", found, fields, wanted,
	                 input->format == &gemp_format_tsv ? "separate fields by one tab, leave a missing value empty"
	                                                   : "separate fields by a comma, quote a value with commas");
}

static gemp_code gemp_input_cut(const gemp_input *input, gemp_cells *cells, char *record, size_t size)
{
	gemp_code code = cut(cells, input->format, record, size);
	if (code == GEMP_OK && cells->count != input->header.count)
		code = wrong_count(input, cells->count);
	return code;
}

enum { PIECES = 64 }; /* of a block */

/* The first failure that a thread met, in the order of the file. */
typedef struct failure {
	gemp_code code;
	size_t piece;
	uint64_t line; /* of the piece, from 1; 0: not of a line's content */
	char message[GEMP_MESSAGE_SIZE];
} failure;

typedef struct reading {
	gemp_inputs *inputs;
	gemp_input *input;
	gemp_visit_record *visit;
	void *const *selves;
	char *text; /* the block */
	size_t size;
	size_t first_piece;      /* of the block, in the input */
	bool counting;           /* the first reading: lines of pieces are not yet known */
	bool visiting;           /* else the block is another rank's, and only counted */
	bool header;             /* the block's first line is one */
	uint64_t lines[PIECES];  /* of the block's pieces */
	uint64_t before[PIECES]; /* in the file, before the piece; right from the second reading on */
	atomic_size_t failed;    /* the lowest piece of the block that failed */
	failure *failures;       /* [threads] */
	const char *what;        /* for progress */
	uint64_t done;           /* bytes of the inputs before this one */
} reading;

/* Where the piece begins: at a line. */
static size_t piece_begin(const reading *r, size_t piece)
{
	size_t at = r->size / PIECES * piece + r->size % PIECES * piece / PIECES;
	if (at == 0 || at >= r->size)
		return at < r->size ? at : r->size;
	const char *newline = memchr(r->text + at - 1, '\n', r->size - at + 1);
	return newline ? (size_t)(newline - r->text) + 1 : r->size;
}

static gemp_code visit_line(const reading *r, unsigned thread, size_t piece, char *record, size_t size, uint64_t line)
{
	gemp_cells *cells = &r->inputs->cells[thread];
	if (size && record[size - 1] == '\r')
		size--;
	if ((r->header && record == r->text) || gemp_input_skips(r->input, record, size))
		return GEMP_OK;
	gemp_code code = gemp_input_cut(r->input, cells, record, size);
	return code == GEMP_OK ? r->visit(r->selves[thread], r->input, cells, r->before[piece] + line) : code;
}

static void note_failure(reading *r, unsigned thread, size_t piece, gemp_code code, uint64_t line)
{
	failure *own = &r->failures[thread];
	size_t lowest = r->failed;
	while (piece < lowest && !atomic_compare_exchange_weak(&r->failed, &lowest, piece))
		;
	if (own->code != GEMP_OK && own->piece < piece)
		return;
	own->code = code;
	own->piece = piece;
	own->line = code == GEMP_EDATA ? line : 0;
	memcpy(own->message, gemp_message(), strlen(gemp_message()) + 1);
}

/* Pieces before one that fails are read to their ends, so that the first failure is the file's first. */
static void read_chunk(void *context, unsigned thread, size_t piece)
{
	reading *r = context;
	size_t at = piece_begin(r, piece), end = piece_begin(r, piece + 1);
	uint64_t line = 0;
	gemp_code code = GEMP_OK;
	if (piece > r->failed)
		return;
	while (at < end && code == GEMP_OK) {
		char *newline = memchr(r->text + at, '\n', end - at);
		size_t size = newline ? (size_t)(newline - r->text) - at : end - at;
		line++;
		if (r->visiting)
			code = visit_line(r, thread, piece, r->text + at, size, line);
		at += size + 1;
	}
	r->lines[piece] = line;
	if (code != GEMP_OK)
		note_failure(r, thread, piece, code, line);
}

/* Fails as the lowest piece did. */
static gemp_code first_failure(const reading *r, uint64_t *line)
{
	for (unsigned t = 0; t < r->inputs->threads; t++) {
		const failure *own = &r->failures[t];
		if (own->code == GEMP_OK || own->piece != r->failed)
			continue;
		*line = own->line;
		for (size_t p = 0; p < own->piece && own->line; p++)
			*line += r->lines[p];
		return gemp_fail(own->code, "%s", own->message);
	}
	return GEMP_OK;
}

/* How many lines come before each piece of the block, where that is known. */
static void number_lines(reading *r)
{
	uint64_t before = r->input->lines_before + r->input->lines;
	for (size_t p = 0; p < PIECES; p++) {
		r->before[p] = before;
		before += r->counting ? 0 : r->input->chunk_lines[r->first_piece + p];
	}
}

static gemp_code note_lines(reading *r)
{
	gemp_input *input = r->input;
	if (r->counting) {
		GEMP_PROPAGATE(GEMP_RESERVE(input->chunk_lines, input->chunk_capacity, r->first_piece + PIECES));
		memcpy(input->chunk_lines + r->first_piece, r->lines, sizeof r->lines);
		input->chunk_count = r->first_piece + PIECES;
	}
	for (size_t p = 0; p < PIECES; p++)
		input->lines += input->chunk_lines[r->first_piece + p];
	r->first_piece += PIECES;
	return GEMP_OK;
}

static gemp_code read_block(reading *r, uint64_t *line)
{
	gemp_code code = GEMP_OK;
	number_lines(r);
	r->failed = SIZE_MAX;
	if (r->counting || r->visiting)
		gemp_parallel_for(PIECES, read_chunk, r);
	GEMP_TRY(first_failure(r, line));
	GEMP_TRY(note_lines(r));
done:
	if (*line)
		*line += r->input->lines;
	return code;
}

/* *line: where in this rank's share a failure of a record's content stands; 0 for others. */
static gemp_code read_blocks(reading *r, const gemp_comm *comm, uint64_t *line)
{
	gemp_code code = GEMP_OK;
	gemp_line_blocks *blocks = NULL;
	gemp_input *input = r->input;
	uint64_t turn = (uint64_t)(input - r->inputs->input);
	r->counting = input->chunk_count == 0;
	r->first_piece = 0;
	r->header = input->bytes.begin == 0 && input->format != &gemp_format_snap;
	uint64_t share = input->bytes.end == GEMP_STREAM_END ? 1 : (uint64_t)comm->size; /* rank 0's speaks for all */
	GEMP_TRY(gemp_line_blocks_open(&blocks, input->path, input->bytes.begin, input->bytes.end));
	for (;; turn++) {
		GEMP_TRY(gemp_line_blocks_next(blocks, &r->text, &r->size));
		if (!r->size)
			break;
		r->visiting = !input->round_robin || turn % (uint64_t)comm->size == (uint64_t)comm->rank;
		GEMP_TRY(read_block(r, line));
		r->header = false;
		gemp_progress(r->what, r->done + gemp_line_blocks_position(blocks) * share, r->inputs->bytes, 0);
	}
done:
	gemp_line_blocks_close(blocks);
	return code;
}

/* One record after another, for CSV: a newline inside quotes is none between records. */
static gemp_code read_records(const reading *r, uint64_t *line)
{
	gemp_code code = GEMP_OK;
	gemp_input *input = r->input;
	gemp_stream *stream = NULL;
	gemp_cells *cells = &r->inputs->cells[0];
	bool header = true;
	GEMP_TRY(gemp_stream_open(&stream, input->path, input->bytes.begin, input->bytes.end));
	for (;;) {
		char *record;
		size_t size;
		*line = 0;
		GEMP_TRY(gemp_stream_next(stream, true, &record, &size));
		input->lines = gemp_stream_line(stream) - 1; /* before this record; of all once there is no more */
		if (!record)
			break;
		bool skip = header || gemp_input_skips(input, record, size);
		header = false;
		if (skip)
			continue;
		*line = gemp_stream_line(stream);
		GEMP_TRY(gemp_input_cut(input, cells, record, size));
		GEMP_TRY(r->visit(r->selves[0], input, cells, input->lines_before + *line));
	}
done:
	gemp_stream_close(stream);
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
		if (!inputs->input[i].round_robin)             /* all ranks have counted all of those */
			inputs->input[i].lines_before = before[i]; /* the block was zeroed for rank 0 */
done:
	gemp_free(lines);
	return code;
}

/* Collective. Of failures that belong to lines only the first in the order of files and lines stays, so that the number of
 * ranks does not matter. */
static gemp_code agree_on_first(const gemp_comm *comm, gemp_code code, uint64_t place)
{
	enum { NONE = 0 };
	uint64_t lowest = code == GEMP_EDATA && place != NONE ? ~place : NONE, own = lowest;
	gemp_comm_max(comm, &lowest, 1);
	return gemp_comm_agree(comm, own != lowest && own != NONE ? GEMP_OK : code);
}

static gemp_code read_input(reading *r, const gemp_comm *comm, uint64_t *line)
{
	*line = 0;
	r->input->lines = 0;
	if (r->input->bytes.begin == r->input->bytes.end)
		return GEMP_OK;
	return gemp_input_is_quoted(r->input) ? read_records(r, line) : read_blocks(r, comm, line);
}

/* *which, *line: where a failure stands. */
static gemp_code read_all(reading *r, const gemp_comm *comm, size_t *which, uint64_t *line)
{
	gemp_inputs *inputs = r->inputs;
	for (*which = 0; *which < inputs->count; ++*which) {
		r->input = &inputs->input[*which];
		GEMP_PROPAGATE(read_input(r, comm, line));
		r->done += r->input->size;
	}
	return GEMP_OK;
}

gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit_record *visit, void *const *selves,
                           const char *what)
{
	enum { LINE_BITS = 40 };
	gemp_code code = GEMP_OK, counted;
	size_t which = 0;
	uint64_t line = 0, place = 0;
	reading *r = NULL;
	code = GEMP_NEW(r, 1);
	GEMP_THEN(GEMP_NEW(r->failures, inputs->threads));
	if (code == GEMP_OK) {
		r->inputs = inputs;
		r->visit = visit;
		r->selves = selves;
		r->what = what;
		code = read_all(r, comm, &which, &line);
	}
	if (r)
		gemp_free(r->failures);
	gemp_free(r);
	counted = count_lines(inputs, comm);
	if (counted != GEMP_OK)
		return counted;
	if (code == GEMP_EDATA && line > 0) {
		line += inputs->input[which].lines_before;
		place = (uint64_t)which << LINE_BITS | line;
		gemp_fail_in(code, "%s:%" PRIu64 ": ", inputs->input[which].path, line);
	}
	return agree_on_first(comm, code, place);
}
