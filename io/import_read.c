/* The records of an import: blocks of text, cut into pieces that threads take; CSV one record after another. */
#include "io/import_input.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "io/stream.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

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
	gemp_visit *visit;
	void *const *selves;
	char *text; /* the block */
	size_t size;
	size_t first_piece;        /* of the block, in the input */
	bool counting;             /* the first reading: lines of pieces are not yet known */
	bool visiting;             /* else the block is another rank's, and only counted */
	bool header;               /* the block's first line is one */
	uint64_t lines[PIECES];    /* of the block's pieces */
	uint64_t before[PIECES];   /* in the file, before the piece; right from the second reading on */
	atomic_size_t failed;      /* the lowest piece of the block that failed */
	failure *failures;         /* [threads] */
	const char *what;          /* for progress */
	uint64_t done;             /* bytes of the inputs before this one */
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
static void read_piece(void *context, unsigned thread, size_t piece)
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
static void know_lines(reading *r)
{
	uint64_t before = r->input->lines_before + r->input->lines;
	for (size_t p = 0; p < PIECES; p++) {
		r->before[p] = before;
		before += r->counting ? 0 : r->input->piece_lines[r->first_piece + p];
	}
}

static gemp_code note_lines(reading *r)
{
	gemp_code code = GEMP_OK;
	gemp_input *input = r->input;
	if (r->counting) {
		GEMP_TRY(GEMP_RESERVE(input->piece_lines, input->piece_capacity, r->first_piece + PIECES));
		memcpy(input->piece_lines + r->first_piece, r->lines, sizeof r->lines);
		input->piece_count = r->first_piece + PIECES;
	}
	for (size_t p = 0; p < PIECES; p++)
		input->lines += input->piece_lines[r->first_piece + p];
	r->first_piece += PIECES;
done:
	return code;
}

static gemp_code read_block(reading *r, uint64_t *line)
{
	gemp_code code = GEMP_OK;
	know_lines(r);
	r->failed = SIZE_MAX;
	if (r->counting || r->visiting)
		gemp_parallel_for(PIECES, read_piece, r);
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
	gemp_blocks *blocks = NULL;
	gemp_input *input = r->input;
	uint64_t turn = (uint64_t)(input - r->inputs->input);
	r->counting = input->piece_count == 0;
	r->first_piece = 0;
	r->header = input->bytes.begin == 0 && input->format != &gemp_format_snap;
	uint64_t share = input->bytes.end == GEMP_STREAM_END ? 1 : (uint64_t)comm->size; /* rank 0's speaks for all */
	GEMP_TRY(gemp_blocks_open(&blocks, input->path, input->bytes.begin, input->bytes.end));
	for (;; turn++) {
		GEMP_TRY(gemp_blocks_next(blocks, &r->text, &r->size));
		if (!r->size)
			break;
		r->visiting = !input->in_turns || turn % (uint64_t)comm->size == (uint64_t)comm->rank;
		GEMP_TRY(read_block(r, line));
		r->header = false;
		gemp_progress(r->what, r->done + gemp_blocks_position(blocks) * share, r->inputs->bytes, 0);
	}
done:
	gemp_blocks_close(blocks);
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
		if (!inputs->input[i].in_turns) /* all ranks have counted all of those */
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
	gemp_code code = GEMP_OK;
	gemp_inputs *inputs = r->inputs;
	for (*which = 0; *which < inputs->count; ++*which) {
		r->input = &inputs->input[*which];
		GEMP_TRY(read_input(r, comm, line));
		r->done += r->input->size;
	}
done:
	return code;
}

gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit *visit, void *const *selves,
                           const char *what)
{
	enum { LINE_BITS = 40 };
	gemp_code code = GEMP_OK, counted;
	size_t which = 0;
	uint64_t line = 0, place = 0;
	reading *r = NULL;
	code = GEMP_NEW(r, 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(r->failures, inputs->threads);
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
