/* fasta: all ranks together read the letters of sequences from a FASTA or FASTQ file that is plain, gzip or Zstandard.
 *
 * The ranks share a plain file by byte ranges as in io/text/lines.h, so the lines of a FASTA sequence may lie on
 * several ranks. One rank reads a compressed file as a whole. The first character of the first line that is not empty
 * gives the format:
 *   FASTA: '>' and a name, then lines of letters. Empty lines are skipped.
 *   FASTQ: four lines per sequence: '@' and a name; letters; '+'; a quality with one sign for each letter.
 * Letters are A to Z in upper or lower case, '-', '.' and '*'. Blanks at the end of a line do not count. */

#ifndef GEMP_IO_TEXT_FASTA_H
#define GEMP_IO_TEXT_FASTA_H

#include "comm/comm.h"

/* Receives letters that continue the letters of the previous call. size 0: a new sequence begins. The caller adds file
 * and line to messages. */
typedef gemp_code gemp_visit_letters(void *self, const char *letters, size_t size);

typedef struct gemp_fasta {
	uint64_t sequences, letters; /* totals over all ranks */
	uint64_t bytes;              /* size of the stored file */
} gemp_fasta;

/* Collective. Visits the letters of this rank's part of the file in their order. Rank turn % ranks reads a compressed
 * file. Errors name file and line, and all ranks return the same code. */
gemp_code gemp_fasta_visit(gemp_fasta *out, const gemp_comm *comm, const char *path, size_t turn,
                           gemp_visit_letters *visit, void *self);

#endif
