/* table_reader: the tables of an import (TSV, CSV, SNAP, Neo4j) as records, of which each rank reads a part.
 *
 * Rank 0 reads the first record of each file and broadcasts it. Plain files are divided by byte range; all ranks unpack
 * large compressed files and take their blocks in turn; other compressed files, and CSV, which cannot be read from its
 * middle because of quoted newlines, go whole to one rank each. Threads visit the chunks of a block (io/text/lines.h).
 * The first reading counts lines, so line numbers are those of the file from the second reading on.
 */

#ifndef GEMP_IO_IMPORT_TABLE_READER_H
#define GEMP_IO_IMPORT_TABLE_READER_H

#include "io/import/import.h"
#include "io/import/import_columns.h"

typedef struct gemp_input {
	const char *path; /* borrowed */
	bool edges;
	const gemp_format *format; /* gemp_format_tsv, csv, snap or neo4j */
	gemp_header header;
	uint32_t file;          /* the builder's index of it */
	uint64_t size;          /* bytes of the file as stored */
	gemp_block_range bytes; /* this rank reads the lines that begin there */
	bool round_robin;       /* compressed: each of R ranks unpacks the whole file and visits every R-th block */
	uint64_t lines;         /* of this rank's part, known after it was read */
	uint64_t lines_before;  /* of lower ranks, known after gemp_inputs_read */
} gemp_input;

typedef struct gemp_inputs {
	size_t count;
	gemp_input *input; /* [count] vertex files, then edge files */
	unsigned threads;  /* threads that read; the number does not change */
	gemp_cells *cells; /* [threads] of the records being read */
	uint64_t bytes;    /* of all files as stored */
} gemp_inputs;

/* Collective. Finds formats, reads headers (rank 0, for all ranks) and divides the files among the ranks. */
gemp_code gemp_inputs_open(gemp_inputs *inputs, const gemp_comm *comm, const gemp_import_options *options);
void gemp_inputs_free(gemp_inputs *inputs);

/* Is called for each record, cut into as many cells as the header names. The caller puts file and line in front of
 * messages. */
typedef gemp_code gemp_visit_record(void *self, const gemp_input *input, const gemp_cells *cells, uint64_t line);

/* Collective. Visits every record of this rank's parts from several threads, each with its own of selves[threads].
 * `line` is right from the second reading on, since the first one counts lines. Errors, also those of `visit`, name
 * file and line; all ranks return the same code. `what` is shown as progress. */
gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit_record *visit, void *const *selves,
                           const char *what);

#endif
