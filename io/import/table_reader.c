/* Threads read files in blocks of lines. CSV is read record by record as soon as quotes enclose a newline, which does
 * not end a record. Rank 0 finds the size, the compression and the header of each file. Each rank then computes
 * its part of the files without communication. */

#include "io/import/table_reader.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/file/stream.h"
#include "io/text/integer_pairs.h"
#include "io/text/lines.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* A requested format applies to all files. The exception is snap: vertex files beside an edge list are tables. */
static const gemp_format *format_of(const char *path, bool edges, const gemp_format *requested)
{
	const gemp_format *found = gemp_format_by_ending(path);
	if (requested && (edges || requested != &gemp_format_snap))
		return requested;
	return edges || found == &gemp_format_csv ? found : &gemp_format_tsv;
}

/* Tests whether the format has quotes, as in RFC 4180, which may enclose newlines. */
static bool is_quoted(const gemp_format *format)
{
	return format == &gemp_format_csv || format == &gemp_format_neo4j;
}

/* What rank 0 broadcasts for each file. */
typedef struct file_header {
	uint64_t size;
	uint64_t compressed;
	uint64_t header_size; /* bytes of the first record, which follows this struct */
} file_header;

/* Local. Only rank 0 inspects the files, so all ranks see the same file even if it changes in the meantime. */
static gemp_code inspect_file(const gemp_input *input, gemp_text *headers)
{
	gemp_stream_info info;
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	char *record;
	size_t size;
	GEMP_TRY(gemp_stream_inspect(input->path, &info));
	GEMP_TRY(gemp_stream_open(&stream, input->path, 0, GEMP_STREAM_END));
	GEMP_TRY(gemp_stream_next(stream, is_quoted(input->format), &record, &size));
	file_header found = { info.size, info.compressed, size };
	gemp_text_add(headers, &found, sizeof found);
	gemp_text_add(headers, record, found.header_size);
	return gemp_text_status(headers);
}

/* UTF-8 is checked before the record is cut, since messages quote cells. */
static gemp_code split_cells(gemp_cells *cells, const gemp_format *format, char *record, size_t size)
{
	GEMP_TRY(gemp_utf8_require(record, size));
	return format == &gemp_format_tsv ? gemp_cells_tsv(cells, record, size)
	       : is_quoted(format)        ? gemp_cells_csv(cells, record, size)
	                                  : gemp_cells_blanks(cells, record, size);
}

/* An edge list has no header. A first line that looks like the header of a table is refused, since it would become an
 * edge from "src" to "dst". */
static gemp_code pair_header(gemp_header *header, const char *record, size_t size)
{
	static const char *const beginnings[] = { "src\t", "src,", "src ", "source\t", "source,", "source " };
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		size_t length = strlen(beginnings[i]);
		if (size >= length && memcmp(record, beginnings[i], length) == 0)
			return gemp_fail(GEMP_EDATA, "this is a header, and edge lists have none; name the format tsv or csv");
	}
	return gemp_header_pair(header);
}

/* The caller adds file and line 1 to messages. */
static gemp_code parse_header(gemp_input *input, gemp_cells *cells, char *record, size_t size)
{
	if (input->format == &gemp_format_snap)
		return pair_header(&input->header, record, size);
	GEMP_TRY(split_cells(cells, input->format, record, size));
	return (input->format == &gemp_format_neo4j ? gemp_header_parse_neo4j : gemp_header_parse)(&input->header,
	                                                                                           input->edges, cells);
}

/* The ranks share a plain file by byte ranges. A compressed file is large if it exceeds a sixteenth of a block and one
 * rank's part of all compressed bytes. All ranks decompress a large file and take its blocks in turn. Each other
 * compressed file and each CSV file goes to one rank as a whole. *dealt: the rank that gets the next whole file. */
static void assign_ranges(gemp_input *input, const gemp_comm *comm, const file_header *found, uint64_t compressed,
                          int *dealt)
{
	gemp_block_range all = { 0, GEMP_STREAM_END }, none = { 0, 0 };
	bool large = found->size > gemp_limits_now()->lines_block / 16 && found->size > compressed / (uint64_t)comm->size;
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

/* Decodes what rank 0 has sent for one file. *headers advances to the next file. */
static file_header decode_header(char **headers, char **header)
{
	file_header found;
	memcpy(&found, *headers, sizeof found);
	*header = *headers + sizeof found;
	*headers = *header + found.header_size;
	return found;
}

/* Whether each record is a source and a target that may be integers. */
static bool has_pairs(const gemp_input *input)
{
	const gemp_field *fields = input->header.fields;
	return input->edges && !is_quoted(input->format) && input->header.count == 2 &&
	       fields[0].role == GEMP_ROLE_SOURCE && fields[1].role == GEMP_ROLE_TARGET && !fields[0].group &&
	       !fields[1].group;
}

/* Local. The headers are decoded twice, since the assignment of compressed files needs the sum of their sizes. */
static gemp_code receive_headers(gemp_inputs *inputs, const gemp_comm *comm, char *headers)
{
	int dealt = 0;
	uint64_t compressed = 0;
	char *header, *at = headers;
	for (size_t i = 0; i < inputs->count; i++) {
		file_header found = decode_header(&at, &header);
		inputs->bytes += found.size;
		compressed += found.compressed ? found.size : 0;
	}
	inputs->threads = gemp_threads();
	GEMP_TRY(GEMP_NEW(inputs->cells, inputs->threads));
	for (size_t i = 0; i < inputs->count; i++) {
		file_header found = decode_header(&headers, &header);
		assign_ranges(&inputs->input[i], comm, &found, compressed, &dealt);
		gemp_code code = parse_header(&inputs->input[i], &inputs->cells[0], header, found.header_size);
		if (code != GEMP_OK)
			return code == GEMP_EDATA ? gemp_fail_in(code, "%s:1: ", inputs->input[i].path) : code;
		inputs->input[i].pairs = has_pairs(&inputs->input[i]);
	}
	return GEMP_OK;
}

/* Vertex files come first, which is also the builder's numbering. */
static gemp_code list_inputs(gemp_inputs *inputs, const gemp_import_options *options)
{
	size_t vertex_files = options->vertex_file_count;
	inputs->count = vertex_files + options->edge_file_count;
	GEMP_TRY(GEMP_NEW(inputs->input, inputs->count));
	for (size_t i = 0; i < inputs->count; i++) {
		gemp_input *input = &inputs->input[i];
		input->edges = i >= vertex_files;
		input->path = input->edges ? options->edge_files[i - vertex_files] : options->vertex_files[i];
		input->format = format_of(input->path, input->edges, options->format);
	}
	return GEMP_OK;
}

/* A single agreement covers rank 0's codes for all files, and a single broadcast covers all headers. */
gemp_code gemp_inputs_open(gemp_inputs *inputs, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_text text = { 0 };
	*inputs = (gemp_inputs){ 0 };
	gemp_code code = list_inputs(inputs, options);
	for (size_t i = 0; comm->rank == 0 && code == GEMP_OK && i < inputs->count; i++)
		code = inspect_file(&inputs->input[i], &text);
	GEMP_OWNED void *headers = text.data;
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_comm_broadcast(comm, &headers, &text.size));
	return gemp_comm_agree(comm, receive_headers(inputs, comm, headers));
}

/* The inputs may be opened only in part, after a failure. */
void gemp_inputs_free(gemp_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count && inputs->input; i++)
		gemp_header_free(&inputs->input[i].header);
	gemp_free(inputs->input);
	for (unsigned t = 0; t < inputs->threads && inputs->cells; t++)
		gemp_cells_free(&inputs->cells[t]);
	gemp_free(inputs->cells);
	*inputs = (gemp_inputs){ 0 };
}

/* Empty lines, and comments in edge lists, are not records. */
static bool skips(const gemp_input *input, const char *record, size_t size)
{
	return size == 0 || (input->format == &gemp_format_snap && (record[0] == '#' || strspn(record, " \t") >= size));
}

/* The message gives a remedy that depends on the format. */
static gemp_code wrong_count(const gemp_input *input, size_t found)
{
	size_t wanted = input->header.count;
	const char *fields = found == 1 ? "field" : "fields";
	if (input->format == &gemp_format_snap)
		return gemp_fail(GEMP_EDATA,
		                 "%zu %s where an edge list has 2; a table with a header is read as format tsv or csv", found,
		                 fields);
	return gemp_fail(GEMP_EDATA, "%zu %s where the header has %zu; %s", found, fields, wanted,
	                 input->format == &gemp_format_tsv ? "separate fields by one tab, leave a missing value empty"
	                                                   : "separate fields by a comma, quote a value with commas");
}

/* A record must have as many cells as the header has names. */
static gemp_code split_record(const gemp_input *input, gemp_cells *cells, char *record, size_t size)
{
	gemp_code code = split_cells(cells, input->format, record, size);
	if (code == GEMP_OK && cells->count != input->header.count)
		code = wrong_count(input, cells->count);
	return code;
}

typedef struct input_reader {
	gemp_inputs *inputs;
	gemp_input *input;
	gemp_visit_record *visit;
	void *const *selves;
	const char *header; /* the table's header, a line of the current block; NULL: the block has no header */
	const char *what;   /* name of the step, for progress */
	uint64_t done;      /* bytes of the inputs before the current one */
} input_reader;

/* Each thread uses its own cells and its own element of selves[threads], so no lock is needed. */
static gemp_code visit_line(void *self, unsigned thread, size_t chunk, const gemp_line *line)
{
	const input_reader *r = self;
	gemp_cells *cells = &r->inputs->cells[thread];
	(void)chunk;
	if (line->text == r->header || skips(r->input, line->text, line->size))
		return GEMP_OK;
	GEMP_TRY(split_record(r->input, cells, line->text, line->size));
	return r->visit(r->selves[thread], r->input, cells, line->line);
}

/* Lines of two integers are read together, up to the first other line, such as a comment. */
static gemp_code visit_pairs(void *self, unsigned thread, char **text, const char *end, uint64_t *line)
{
	enum { BATCH = 256 };
	const input_reader *r = self;
	int64_t pairs[BATCH][2];
	size_t count = BATCH;
	while (count == BATCH) {
		count = gemp_integer_pairs_read(text, end, r->input->format == &gemp_format_snap, pairs, BATCH);
		if (count)
			GEMP_TRY(r->inputs->visit_pairs(r->selves[thread], r->input, (const int64_t(*)[2])pairs, count, *line + 1));
		*line += count;
	}
	return GEMP_OK;
}

/* Local. Reads the rest of a stream record by record. header: the first record is the header. *line: as in
 * read_blocks. */
static gemp_code read_records(const input_reader *r, gemp_stream *stream, bool header, uint64_t *line)
{
	gemp_input *input = r->input;
	gemp_cells *cells = &r->inputs->cells[0];
	for (;;) {
		char *record;
		size_t size;
		*line = 0;
		GEMP_TRY(gemp_stream_next(stream, true, &record, &size));
		input->lines = gemp_stream_line(stream) - 1; /* lines before this record; at the end all lines */
		if (!record)
			break;
		bool skip = header || skips(input, record, size);
		header = false;
		if (skip)
			continue;
		*line = gemp_stream_line(stream);
		GEMP_TRY(split_record(input, cells, record, size));
		GEMP_TRY(r->visit(r->selves[0], input, cells, input->lines_before + *line));
	}
	return GEMP_OK;
}

/* Lines of a block whose quoted fields are searched for newlines. */
typedef struct quote_search {
	const gemp_line_chunks *chunks;
	atomic_bool open;
} quote_search;

static void search_chunk(void *context, unsigned thread, size_t index)
{
	quote_search *search = context;
	const char *at = search->chunks->chunk[index].text, *end = at + search->chunks->chunk[index].size;
	(void)thread;
	if (at == end || !memchr(at, '"', (size_t)(end - at)))
		return;
	for (const char *stop; at < end && !atomic_load_explicit(&search->open, memory_order_relaxed); at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		if (gemp_record_is_open(at, (size_t)(stop - at)))
			search->open = true;
	}
}

/* If no line of the block, taken as a record, ends within quotes, the records are the lines. */
static bool lines_are_records(const gemp_line_chunks *chunks)
{
	quote_search search = { .chunks = chunks };
	gemp_parallel_for(GEMP_LINE_CHUNKS, search_chunk, &search);
	return !search.open;
}

/* Estimates the lines of this rank's part from those of its first block. The threads take chunks as they are free, so
 * each of them may visit more than its share. */
static gemp_code expect_pairs(const input_reader *r, uint64_t lines, size_t bytes)
{
	const gemp_input *input = r->input;
	const unsigned threads = r->inputs->threads;
	if (!r->inputs->expect_pairs || input->bytes.end == GEMP_STREAM_END)
		return GEMP_OK;
	double all = (double)(input->bytes.end - input->bytes.begin) / (double)bytes * (double)lines;
	for (unsigned t = 0; t < threads; t++)
		GEMP_TRY(r->inputs->expect_pairs(r->selves[t], (size_t)(threads > 1 ? 1.25 * all / threads : 1.01 * all)));
	return GEMP_OK;
}

/* Local. After a failure in a record, *line is the record's line within this rank's part; after another failure it is
 * 0. From the first block on in which a quoted field has a newline, the rest of a CSV file is read record by record.
 * Every rank decompresses a round_robin file, visits its own blocks in turn, and only counts the lines of the other
 * blocks. */
static gemp_code read_blocks(input_reader *r, const gemp_comm *comm, uint64_t *line)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	gemp_input *input = r->input;
	uint64_t turn = (uint64_t)(input - r->inputs->input);
	/* Only rank 0 shows progress. It multiplies its own progress by the number of ranks that read the file at the same
	 * time. */
	const uint64_t readers = input->bytes.end == GEMP_STREAM_END ? 1 : (uint64_t)comm->size;
	bool first = input->bytes.begin == 0 && input->format != &gemp_format_snap, expected = false;
	gemp_visit_many_lines *many = input->pairs && r->inputs->visit_pairs ? visit_pairs : NULL;
	GEMP_TRY(gemp_stream_open_blocks(&stream, input->path, input->bytes.begin, input->bytes.end));
	for (;; turn++, first = false) {
		char *text;
		size_t size;
		gemp_line_chunks chunks;
		gemp_line_failure failure = { 0 };
		GEMP_TRY(gemp_stream_next_block(stream, &text, &size));
		if (!size)
			break;
		gemp_line_chunks_cut(&chunks, text, size, input->lines_before + input->lines);
		if (is_quoted(input->format) && !lines_are_records(&chunks)) {
			gemp_stream_return_block(stream, size, input->lines + 1);
			return read_records(r, stream, first, line);
		}
		r->header = first ? text : NULL;
		if (many && !expected)
			GEMP_TRY(expect_pairs(r, chunks.lines, size));
		expected = true;
		if (!input->round_robin || turn % (uint64_t)comm->size == (uint64_t)comm->rank)
			code = gemp_line_chunks_visit_many(&chunks, many, visit_line, r, &failure);
		*line = failure.line ? failure.line - input->lines_before : 0;
		GEMP_TRY(code);
		input->lines += chunks.lines;
		gemp_progress(r->what, r->done + gemp_stream_position(stream) * readers, r->inputs->bytes, 0);
	}
	return code;
}

/* Collective. Sets lines_before of each file. A rank that failed has not counted all its lines. But then the failure
 * that is reported is its own or that of a lower rank, so the counts up to that failure are complete. */
static gemp_code count_lines(gemp_inputs *inputs, const gemp_comm *comm)
{
	GEMP_OWNED uint64_t *lines = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(lines, 2 * inputs->count)));
	uint64_t *before = lines + inputs->count;
	for (size_t i = 0; i < inputs->count; i++)
		lines[i] = inputs->input[i].lines;
	GEMP_MPI(MPI_Exscan(lines, before, (int)inputs->count, MPI_UINT64_T, MPI_SUM, comm->world));
	for (size_t i = 0; i < inputs->count; i++)
		if (!inputs->input[i].round_robin)             /* every rank counts all lines of such a file */
			inputs->input[i].lines_before = before[i]; /* MPI_Exscan leaves rank 0's zeros */
	return GEMP_OK;
}

/* Collective. If several ranks failed in a record, all ranks return the failure that is first in the order of files and
 * lines. So the message does not depend on the number of ranks. place: file and line; 0: another failure, or none. */
static gemp_code agree_on_first(const gemp_comm *comm, gemp_code code, uint64_t place)
{
	enum { NONE = 0 };
	uint64_t lowest = code == GEMP_EDATA && place != NONE ? ~place : NONE, own = lowest;
	gemp_comm_max(comm, &lowest, 1);
	return gemp_comm_agree(comm, own != lowest && own != NONE ? GEMP_OK : code);
}

/* A rank without a part of the file visits no lines. */
static gemp_code read_input(input_reader *r, const gemp_comm *comm, uint64_t *line)
{
	*line = 0;
	r->input->lines = 0;
	if (r->input->bytes.begin == r->input->bytes.end)
		return GEMP_OK;
	return read_blocks(r, comm, line);
}

/* Local. After a failure *which is the index of the file; *line: as in read_blocks. */
static gemp_code read_all(input_reader *r, const gemp_comm *comm, size_t *which, uint64_t *line)
{
	gemp_inputs *inputs = r->inputs;
	for (*which = 0; *which < inputs->count; ++*which) {
		r->input = &inputs->input[*which];
		GEMP_TRY(read_input(r, comm, line));
		r->done += r->input->size;
	}
	return GEMP_OK;
}

/* Lines are counted also after a failure: the number of the failing line in the file needs the counts of lower
 * ranks. */
gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit_record *visit, void *const *selves,
                           const char *what)
{
	enum { LINE_BITS = 40 };
	gemp_code code, counted;
	size_t which = 0;
	uint64_t line = 0, place = 0;
	input_reader r = { inputs, NULL, visit, selves, NULL, what, 0 };
	code = read_all(&r, comm, &which, &line);
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
