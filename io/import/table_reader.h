/* table_reader: the tables of an import (TSV, CSV, SNAP, Neo4j) as records, and each rank's share of them.
 *
 * Rank 0 reads the first record of each file and broadcasts it. Plain files are shared by byte range; large compressed
 * ones are unpacked by all ranks, which take blocks in turn; other compressed files and CSV, whose quoted newlines
 * forbid to begin in the middle, go whole to one rank each. Threads visit the chunks of a block (io/text/lines.h). The
 * first reading counts lines, so that line numbers are those of the file from the second reading on.
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
	uint64_t size;          /* of the file as stored */
	gemp_block_range bytes; /* this rank reads the lines that begin there */
	bool round_robin;       /* compressed: each rank unpacks it all and reads every so-manieth block */
	uint64_t lines;         /* of this rank's share, known after it was read */
	uint64_t lines_before;  /* of lower ranks, known after gemp_inputs_read */
} gemp_input;

typedef struct gemp_inputs {
	size_t count;
	gemp_input *input; /* [count] vertex files, then edge files */
	unsigned threads;  /* that read; it does not change */
	gemp_cells *cells; /* [threads] of the records being read */
	uint64_t bytes;    /* of all files as stored */
} gemp_inputs;

/* Collective. Finds formats, reads headers (rank 0, for all) and shares out the files. */
gemp_code gemp_inputs_open(gemp_inputs *inputs, const gemp_comm *comm, const gemp_import_options *options);
void gemp_inputs_free(gemp_inputs *inputs);

/* Given each record, cut into as many cells as the header names. Errors with neither file nor line. */
typedef gemp_code gemp_visit_record(void *self, const gemp_input *input, const gemp_cells *cells, uint64_t line);

/* Collective. Visits every record of this rank's shares, from several threads: each calls with its own of
 * selves[threads]. `line` is right from the second reading on, the first one counts. Errors, also those of `visit`,
 * name file and line; all ranks return alike. `what` is shown as progress. */
gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit_record *visit, void *const *selves,
                           const char *what);

#endif
