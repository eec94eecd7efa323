/* FASTQ's four lines follow from the line number in the file, which each rank knows; whether quality and
 * letters have one length is compared across ranks where a sequence lies on two. */

#include "io/text/fasta.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/file/stream.h"
#include "io/text/lines.h"

#include <inttypes.h>

enum { NAME, LETTERS, PLUS, QUALITY, FASTQ_LINES };

/* FASTQ compares each quality line with its letters, which may lie on a lower rank: what is left over is
 * kept here. */
typedef struct fasta_reader {
	gemp_visit_letters *visit;
	void *self;
	uint64_t sequences, letters;
	uint64_t lines; /* of the whole file */
	/* FASTQ: as many signs of quality as letters, which may be another rank's. */
	uint64_t last_letters;             /* of the last sequence whose signs have not come yet */
	uint64_t orphan_line, orphan_size; /* the signs that came before any letters; line 0: none */
	bool waiting, seen;                /* signs for last_letters; any letters */
	bool fastq;
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

/* Letters are checked byte by byte, since a wrong file is most likely found here. */
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

/* The usual causes are a cut file and sequences of several lines, which FASTQ cannot tell from quality. */
static gemp_code wrong_quality(uint64_t signs, uint64_t letters)
{
	return gemp_fail(GEMP_EDATA,
	                 "%" PRIu64 " signs of quality for %" PRIu64 " letters; is the file cut, or does it have "
	                 "sequences of several lines? Then make it FASTA",
	                 signs, letters);
}

/* Without letters seen on this rank the line waits for check_orphans. */
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

/* The place within four lines follows from the line number in the file, so that ranks may begin anywhere. */
static gemp_code fastq_line(void *self, const gemp_line *line)
{
	fasta_reader *r = self;
	uint64_t place = (line->line - 1) % FASTQ_LINES;
	size_t size = without_blanks(line->text, line->size);
	if (place == NAME && size == 0)
		return GEMP_OK; /* behind the last one; letters behind it are seen as a name without @ */
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

/* Collective. Signs of quality whose letters are a lower rank's. */
static gemp_code check_orphans(const fasta_reader *r, const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	struct {
		uint64_t waiting, letters;
	} mine = { r->waiting, r->last_letters }, *all = NULL;
	size_t *begin = NULL;
	GEMP_TRY_DONE(gemp_comm_allgather(comm, GEMP_OK, &mine, sizeof mine, (void **)&all, &begin));
	for (int q = comm->rank - 1; q >= 0 && r->orphan_line; q--) {
		if (!all[q].waiting)
			continue;
		if (all[q].letters != r->orphan_size) {
			code = wrong_quality(r->orphan_size, all[q].letters);
			gemp_fail_in(code, "%s:%" PRIu64 ": ", path, r->orphan_line);
		}
		break;
	}
	code = gemp_comm_agree(comm, code);
done:
	gemp_free_all(all, begin);
	return code;
}

/* Rank 0 looks at the first byte of the text. */
static gemp_code find_format(bool *fastq, const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	char *text = NULL;
	size_t size = 0;
	uint64_t found = 0;
	if (comm->rank == 0) {
		code = gemp_stream_open(&stream, path, 0, GEMP_STREAM_END);
		while (code == GEMP_OK && size == 0) {
			code = gemp_stream_next(stream, false, &text, &size);
			if (!text)
				break;
		}
		if (code == GEMP_OK && (size == 0 || (text[0] != '>' && text[0] != '@')))
			code = gemp_fail(GEMP_EDATA,
			                 "%s:%" PRIu64 ": is neither FASTA, which begins with >, nor FASTQ, which begins with @",
			                 path, size ? gemp_stream_line(stream) : 1);
		found = code == GEMP_OK && text[0] == '@';
		gemp_stream_close(stream);
	}
	code = gemp_comm_agree(comm, code);
	GEMP_MPI(MPI_Bcast(&found, 1, MPI_UINT64_T, 0, comm->world));
	*fastq = found;
	return code;
}

/* Orphans are compared last, when every rank knows its first and last lines. */
gemp_code gemp_fasta_visit(gemp_fasta *out, const gemp_comm *comm, const char *path, size_t turn,
                           gemp_visit_letters *visit, void *self)
{
	gemp_lines lines;
	fasta_reader r = { .visit = visit, .self = self };
	GEMP_TRY(gemp_lines_open(&lines, comm, path, NULL, turn));
	GEMP_TRY(find_format(&r.fastq, comm, path));
	r.lines = lines.items;
	GEMP_TRY(gemp_lines_visit(&lines, comm, r.fastq ? fastq_line : fasta_line, &r));
	if (r.fastq)
		GEMP_TRY(check_orphans(&r, comm, path));
	*out = (gemp_fasta){ gemp_comm_sum1(comm, r.sequences), gemp_comm_sum1(comm, r.letters), lines.size };
	return GEMP_OK;
}
