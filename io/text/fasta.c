/* The number of a line in the file gives its place among the four lines of a FASTQ sequence, so a rank may begin
 * anywhere in the file. If the letters and the quality of a sequence lie on two ranks, the ranks compare the two
 * lengths at the end. */

#include "io/text/fasta.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/file/stream.h"
#include "io/text/lines.h"

#include <inttypes.h>

enum { NAME, LETTERS, PLUS, QUALITY, FASTQ_LINES };

typedef struct fasta_reader {
	gemp_visit_letters *visit;
	void *self;
	uint64_t sequences, letters;
	uint64_t lines; /* lines of the whole file */
	bool fastq;
	/* for FASTQ, where the quality of a sequence may lie on another rank than its letters: */
	bool seen;             /* this rank has read letters */
	uint64_t last_letters; /* number of letters of the last sequence on this rank */
	bool waiting;          /* this rank has not read the quality of its last sequence */
	/* line and size of a quality that this rank read before any letters; line 0: none */
	uint64_t orphan_line, orphan_size;
} fasta_reader;

/* All letters, which include the IUPAC codes of nucleotides and amino acids; '-' and '.' for gaps; '*' for a stop
 * codon. */
static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '*';
}

static size_t without_blanks(const char *text, size_t size)
{
	while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
		size--;
	return size;
}

/* Every byte is checked, since this check also detects a file of another format. */
static gemp_code visit_letters(fasta_reader *r, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!is_letter(text[i]))
			return gemp_fail(GEMP_EDATA, "byte %zu ('%c') is no letter of a sequence; %s", i + 1,
			                 text[i] > ' ' && text[i] < 0x7f ? text[i] : '?',
			                 r->fastq ? "a FASTQ sequence has four lines: @name, letters, +, quality"
			                          : "names of FASTA sequences begin with >");
	r->letters += size;
	return size ? r->visit(r->self, text, size) : GEMP_OK;
}

/* A visit of size 0 separates sequences. */
static gemp_code begin_sequence(fasta_reader *r)
{
	r->sequences++;
	return r->visit(r->self, NULL, 0);
}

/* A header begins a new sequence. Any other line continues the current sequence. */
static gemp_code fasta_line(void *self, const gemp_line *line)
{
	fasta_reader *r = self;
	size_t size = without_blanks(line->text, line->size);
	if (size && line->text[0] == '>')
		return begin_sequence(r);
	return visit_letters(r, line->text, size);
}

/* The usual causes are a truncated file and a quality that is broken into several lines. */
static gemp_code wrong_quality(uint64_t signs, uint64_t letters)
{
	return gemp_fail(GEMP_EDATA,
	                 "%" PRIu64 " signs of quality for %" PRIu64 " letters; is the file cut, or does it have "
	                 "sequences of several lines? Then make it FASTA",
	                 signs, letters);
}

/* If this rank has not read the letters, check_orphans compares the lengths later. */
static gemp_code quality_line(fasta_reader *r, const gemp_line *line, size_t size)
{
	if (!r->seen) {
		r->orphan_line = line->line;
		r->orphan_size = size;
	} else if (size != r->last_letters) {
		return wrong_quality(size, r->last_letters);
	}
	r->waiting = false;
	return GEMP_OK;
}

/* Lines are numbered through the whole file. So (line - 1) % 4 gives the line's part of its sequence, even if this rank
 * begins within a sequence. */
static gemp_code fastq_line(void *self, const gemp_line *line)
{
	fasta_reader *r = self;
	uint64_t place = (line->line - 1) % FASTQ_LINES;
	size_t size = without_blanks(line->text, line->size);
	bool whole = line->line - place + FASTQ_LINES - 1 <= r->lines; /* the file has all four lines */
	/* Up to three empty lines may end the file. A sequence after empty lines is refused, since its lines have wrong
	 * places. */
	if (size == 0 && (place == NAME || !whole))
		return GEMP_OK;
	if (place == NAME && line->text[0] != '@')
		return gemp_fail(GEMP_EDATA, "a FASTQ sequence begins with @ here; each has four lines: @name, letters, "
		                             "+, quality");
	if (place == NAME && !whole)
		return gemp_fail(GEMP_EDATA, "the file ends within this sequence; is it cut?");
	if (place == PLUS && (size == 0 || line->text[0] != '+'))
		return gemp_fail(GEMP_EDATA,
		                 "the third line of a FASTQ sequence begins with +; if sequences have several lines of "
		                 "letters, make it FASTA");
	if (place == QUALITY)
		return quality_line(r, line, size);
	if (place == LETTERS) {
		GEMP_TRY(begin_sequence(r));
		r->seen = r->waiting = true;
		r->last_letters = size;
		return visit_letters(r, line->text, size);
	}
	return GEMP_OK;
}

/* Collective. If this rank read a quality before any letters, compares its length with the letters of the nearest lower
 * rank that still waits for a quality. */
static gemp_code check_orphans(const fasta_reader *r, const gemp_comm *comm, const char *path)
{
	enum { WAITING, LETTER_COUNT, NUMBERS };
	gemp_code code = GEMP_OK;
	const uint64_t mine[NUMBERS] = { r->waiting, r->last_letters };
	GEMP_OWNED uint64_t *all = NULL; /* [ranks][NUMBERS] */
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(all, NUMBERS * (size_t)comm->size)));
	GEMP_MPI(MPI_Allgather(mine, NUMBERS, MPI_UINT64_T, all, NUMBERS, MPI_UINT64_T, comm->world));
	int rank = comm->rank - 1;
	while (rank >= 0 && !all[NUMBERS * rank + WAITING])
		rank--;
	const uint64_t letters = rank >= 0 ? all[NUMBERS * rank + LETTER_COUNT] : 0;
	if (rank >= 0 && r->orphan_line && letters != r->orphan_size) {
		code = wrong_quality(r->orphan_size, letters);
		gemp_fail_in(code, "%s:%" PRIu64 ": ", path, r->orphan_line);
	}
	return gemp_comm_agree(comm, code);
}

/* Local. The first character of the first line that is not empty gives the format. */
static gemp_code read_format(uint64_t *fastq, const char *path)
{
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	char *text = NULL;
	size_t size = 0;
	GEMP_TRY(gemp_stream_open(&stream, path, 0, GEMP_STREAM_END));
	do
		GEMP_TRY(gemp_stream_next(stream, false, &text, &size));
	while (text && size == 0);
	*fastq = text && text[0] == '@';
	if (*fastq || (text && text[0] == '>'))
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s:%" PRIu64
	                 ": is neither FASTA, which begins with >, nor FASTQ, which begins with @; convert the "
	                 "file",
	                 path, size ? gemp_stream_line(stream) : 1);
}

/* Rank 0 finds the format for all ranks. Orphaned qualities are compared at the end, when every rank has read all its
 * lines. */
gemp_code gemp_fasta_visit(gemp_fasta *out, const gemp_comm *comm, const char *path, size_t turn,
                           gemp_visit_letters *visit, void *self)
{
	gemp_lines lines;
	fasta_reader r = { .visit = visit, .self = self };
	uint64_t fastq = 0;
	GEMP_TRY(gemp_lines_open(&lines, comm, path, NULL, turn));
	GEMP_TRY(gemp_comm_agree(comm, comm->rank == 0 ? read_format(&fastq, path) : GEMP_OK));
	gemp_comm_max(comm, &fastq, 1);
	r.fastq = fastq;
	r.lines = lines.items;
	GEMP_TRY(gemp_lines_visit(&lines, comm, r.fastq ? fastq_line : fasta_line, &r));
	if (r.fastq)
		GEMP_TRY(check_orphans(&r, comm, path));
	*out = (gemp_fasta){ gemp_comm_sum1(comm, r.sequences), gemp_comm_sum1(comm, r.letters), lines.size };
	return GEMP_OK;
}
