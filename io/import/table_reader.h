/* table_reader: reads the tables of an import (TSV, CSV, SNAP, Neo4j) as records. Each rank reads a part of them.
 *
 * Rank 0 reads the first record of each file and broadcasts it. The ranks share a plain file by byte ranges. All ranks
 * decompress a large compressed file and take its blocks in turn. Each other compressed file goes to one rank as a
 * whole. So does CSV, since quoted newlines prevent reading from the middle of a file. Threads visit the chunks of a
 * block (io/text/lines.h). The first reading counts the lines, so line numbers are correct from the second reading
 * on. */

#ifndef GEMP_IO_IMPORT_TABLE_READER_H
#define GEMP_IO_IMPORT_TABLE_READER_H

#include "io/import/import.h"
#include "io/import/import_columns.h"

typedef struct gemp_input {
	const char *path; /* borrowed */
	bool edges;
	const gemp_format *format; /* gemp_format_tsv, csv, snap or neo4j */
	gemp_header header;
	uint32_t file;          /* the builder's number of the file */
	uint64_t size;          /* bytes of the stored file */
	gemp_block_range bytes; /* this rank reads the lines that begin in this range */
	bool pairs;             /* a record is a source and a target without groups, and no quotes */
	bool round_robin;       /* each of R ranks decompresses the whole file and visits every R-th block */
	uint64_t lines;         /* lines of this rank's part, known after reading */
	uint64_t lines_before;  /* lines of lower ranks, known after gemp_inputs_read */
} gemp_input;

/* Visits consecutive records of a source and a target, all canonical integers. `line` is the line of the first one. */
typedef gemp_code gemp_visit_pairs(void *self, const gemp_input *input, const int64_t (*pairs)[2], size_t count,
                                   uint64_t line);

/* Is told about how many such records the thread will visit. */
typedef gemp_code gemp_expect_pairs(void *self, size_t count);

typedef struct gemp_inputs {
	size_t count;
	gemp_input *input; /* [count] vertex files first, then edge files */
	unsigned threads;  /* number of reading threads; constant */
	gemp_cells *cells; /* [threads] cells of each thread's current record */
	uint64_t bytes;    /* bytes of all stored files */
	/* NULL, or visits most records of inputs of pairs; the other records are visited one by one */
	gemp_visit_pairs *visit_pairs;
	gemp_expect_pairs *expect_pairs; /* NULL, or is called for each thread when the number can be estimated */
} gemp_inputs;

/* Collective. Finds the formats, reads the headers and divides the files among the ranks. */
gemp_code gemp_inputs_open(gemp_inputs *inputs, const gemp_comm *comm, const gemp_import_options *options);
void gemp_inputs_free(gemp_inputs *inputs);

/* Visits one record, which has as many cells as the header has names. gemp_inputs_read adds file and line to
 * messages. */
typedef gemp_code gemp_visit_record(void *self, const gemp_input *input, const gemp_cells *cells, uint64_t line);

/* Collective. Visits every record of this rank's parts. Several threads call `visit`, each with its own element of
 * selves[threads]. `line` is correct from the second reading on, since the first reading counts the lines. Errors of
 * this function and of `visit` name file and line. All ranks return the same code. what: name of the step, shown as
 * progress. */
gemp_code gemp_inputs_read(gemp_inputs *inputs, const gemp_comm *comm, gemp_visit_record *visit, void *const *selves,
                           const char *what);

#endif
