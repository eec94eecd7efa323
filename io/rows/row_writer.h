/* row_writer: where projected rows go: a preview for people, TSV, CSV, JSON lines, or HDF5, chosen by the path's
 * ending, or a table in memory. All functions are collective. */

#ifndef GEMP_IO_ROWS_ROW_WRITER_H
#define GEMP_IO_ROWS_ROW_WRITER_H

#include "io/rows/result_file.h"
#include "io/rows/row_text.h"
#include "pattern/symmetry/permutation_group.h"

#include <stdio.h>

typedef struct gemp_row_writer gemp_row_writer;

typedef struct gemp_rows_options {
	const char *path; /* by its ending .tsv .csv .jsonl .h5; "-": TSV on stdout; NULL: a preview for people */
	uint64_t limit;   /* rows written over all ranks; of a preview: rows shown, and no end to those taken */
	const gemp_stab_chain *chain; /* turn each match into the smallest by user keys of its class; NULL: as it is */
	const char *semantics, *distinct;
	bool count_loops; /* in COUNT { (v)-[:T]->() }, see gemp_degree_loops */
	FILE *preview;    /* where it is shown: on rank 0, NULL elsewhere; NULL on all: nowhere */
	gemp_table
		*table; /* instead of a path: takes this rank's rows, an edge as three columns; {0} at first; NULL: none */
} gemp_rows_options;

/* Are all rows wanted, up to the limit, or only a preview? */
bool gemp_rows_wants_all(const gemp_rows_options *options);

/* Before the work. Has `path`, which --`option` gives (NULL: does not), an ending of rows, and can rank 0 write there? */
gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path);

/* columns: names and types. options' strings and columns' names must live as long as the writer. */
gemp_code gemp_row_writer_open(gemp_row_writer **out, const gemp_comm *comm, const gemp_projected *columns,
                               size_t count, const gemp_rows_options *options);
gemp_code gemp_row_writer_write(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows);
/* Frees; takes NULL. */
gemp_code gemp_row_writer_close(gemp_row_writer *writer, const gemp_result_info *info);
void gemp_row_writer_abandon(gemp_row_writer *writer);

#endif
