/* The line number in the file says which of FASTQ's four lines it is, so a rank may begin anywhere. If a sequence lies
 * on two ranks, these compare the lengths of letters and quality at the end. */

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
	uint64_t lines; /* of the whole file */
	bool fastq;
	/* Of FASTQ, whose lines of quality may lie on another rank than their letters: */
	bool seen;                         /* this rank has read letters */
	uint64_t last_letters;             /* how many the last sequence has */
	bool waiting;                      /* the quality of the last sequence was not read */
	uint64_t orphan_line, orphan_size; /* quality that was read before any letters; line 0: none */
} fasta_reader;

/* IUPAC's codes of nucleotides and amino acids, gaps and stops. */
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

/* Letters are checked byte by byte, since a file of another format is mostly found out here. */
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

/* An empty visit separates sequences. */
static gemp_code begin_sequence(fasta_reader *r)
{
	r->sequences++;
	return r->visit(r->self, NULL, 0);
}

/* A header begins a sequence wherever it stands; other lines go on with the last one. */
static gemp_code fasta_line(void *self, const gemp_line *line)
{
	fasta_reader *r = self;
	size_t size = without_blanks(line->text, line->size);
	if (size && line->text[0] == '>')
		return begin_sequence(r);
	return visit_letters(r, line->text, size);
}

/* The usual causes are a truncated file and sequences of several lines, which look like quality. */
static gemp_code wrong_quality(uint64_t signs, uint64_t letters)
{
	return gemp_fail(GEMP_EDATA,
	                 "%" PRIu64 " signs of quality for %" PRIu64 " letters; is the file cut, or does it have "
	                 "sequences of several lines? Then make it FASTA",
	                 signs, letters);
}

/* Quality without letters on this rank is compared by check_orphans. */
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

/* Lines are numbered through the file, so (line - 1) % 4 is the part of a sequence, also on a rank that begins within
 * it. */
static gemp_code fastq_line(void *self, const gemp_line *line)
{
	fasta_reader *r = self;
	uint64_t place = (line->line - 1) % FASTQ_LINES;
	size_t size = without_blanks(line->text, line->size);
	if (place == NAME && size == 0)
		return GEMP_OK; /* behind the last sequence; letters behind the empty line fail as a name without @ */
	if (place == NAME && line->text[0] != '@')
		return gemp_fail(GEMP_EDATA, "a FASTQ sequence begins with @ here; each has four lines: @name, letters, "
		                             "+, quality");
	if (place == NAME && line->line + FASTQ_LINES - 1 > r->lines)
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

/* Collective. Compares quality that was read before any letters with the last letters of a lower rank. */
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

/* Local. The first byte of the text says which format the file has. */
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

/* Rank 0 finds the format for all ranks. Orphans are compared last, when every rank knows its first and last lines. */
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
