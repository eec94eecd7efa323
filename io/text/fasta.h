/* fasta: the letters of sequences in FASTA and FASTQ files, plain, gzip or Zstandard, read by all ranks together.
 *
 * A plain file is shared by byte range, as io/text/lines.h has it: of a FASTA sequence of many lines some may lie on
 * one rank and some on the next. A compressed file goes whole to one rank.
 *   FASTA: '>' and a name, then lines of letters. Empty lines are left out.
 *   FASTQ: four lines a sequence: '@' and a name, letters, '+', as many signs of quality as letters. The file's
 *          first byte tells which format it is.
 * Letters are A to Z in upper or lower case, '-', '.' and '*'; blanks at the end of a line do not count.
 */

#ifndef GEMP_IO_TEXT_FASTA_H
#define GEMP_IO_TEXT_FASTA_H

#include "comm/comm.h"

/* Given letters that follow those of the call before; size 0: they do not, another sequence begins. Fails with neither
 * file nor line. */
typedef gemp_code gemp_visit_letters(void *self, const char *letters, size_t size);

typedef struct gemp_fasta {
	uint64_t sequences, letters; /* of all ranks */
	uint64_t bytes;              /* of the file as stored */
} gemp_fasta;

/* Collective. Visits the letters of this rank's part of the file, in their order. Errors name file and line; all ranks
 * return alike. `turn` deals out compressed files: rank turn % ranks reads this one. */
gemp_code gemp_fasta_visit(gemp_fasta *out, const gemp_comm *comm, const char *path, size_t turn,
                           gemp_visit_letters *visit, void *self);

#endif
