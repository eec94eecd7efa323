/* fasta: the letters of sequences in FASTA and FASTQ files, plain, gzip or Zstandard, read by all ranks together.
 *
 * A plain file is shared by byte range as in io/text/lines.h: the lines of a FASTA sequence may lie on several ranks. A
 * compressed file goes whole to one rank. The file's first byte says which format it is.
 *   FASTA: '>' and a name, then lines of letters. Empty lines are left out.
 *   FASTQ: four lines per sequence: '@' and a name, letters, '+', as many signs of quality as letters.
 * Letters are A to Z in upper or lower case, '-', '.' and '*'; blanks at the end of a line do not count.
 */

#ifndef GEMP_IO_TEXT_FASTA_H
#define GEMP_IO_TEXT_FASTA_H

#include "comm/comm.h"

/* Is called with letters that follow those of the call before; size 0: another sequence begins. The caller puts file
 * and line in front of messages. */
typedef gemp_code gemp_visit_letters(void *self, const char *letters, size_t size);

typedef struct gemp_fasta {
	uint64_t sequences, letters; /* of all ranks */
	uint64_t bytes;              /* of the file as stored */
} gemp_fasta;

/* Collective. Visits the letters of this rank's part of the file in their order. Errors name file and line; all ranks
 * return the same code. Rank turn % ranks reads a compressed file. */
gemp_code gemp_fasta_visit(gemp_fasta *out, const gemp_comm *comm, const char *path, size_t turn,
                           gemp_visit_letters *visit, void *self);

#endif
