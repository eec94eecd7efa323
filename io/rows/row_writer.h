/* row_writer: writes projected rows as a preview for people, as a file (TSV, CSV, JSON lines or HDF5, by the path's
 * ending), or to a table in memory. All functions are collective unless their comment says otherwise. */

#ifndef GEMP_IO_ROWS_ROW_WRITER_H
#define GEMP_IO_ROWS_ROW_WRITER_H

#include "core/memory.h"
#include "graph/graph.h"
#include "io/rows/result_file.h"
#include "io/rows/row_text.h"
#include "pattern/symmetry/permutation_group.h"

#include <stdio.h>

typedef struct gemp_row_writer gemp_row_writer;

typedef struct gemp_rows_options {
	const char *path; /* ends in .tsv, .csv, .jsonl or .h5; "-": TSV on stdout; NULL: a preview for people */
	uint64_t limit;   /* maximal number of rows that are written or shown, over all ranks */
	/* each match is replaced by the smallest match of its class, compared by user keys; NULL: matches stay as they
	 * are */
	const gemp_stab_chain *chain;
	const char *semantics, *distinct;
	bool count_loops; /* COUNT { (v)-[:T]->() } counts loops, see gemp_degree_loops */
	/* on rank 0 the file that the preview is printed to; NULL on other ranks, or on all for no preview */
	FILE *preview;
	gemp_table *table; /* {0} or NULL. A table takes this rank's rows instead of a file; an edge takes three columns */
} gemp_rows_options;

/* Local. True if all rows up to the limit are wanted (path or table), false if a preview suffices. */
bool gemp_rows_wants_all(const gemp_rows_options *options);

/* Checks before the computation that the path has a known ending and that rank 0 can write there. option: the name of
 * the setting that gives the path, for messages. A path of NULL is GEMP_OK. */
gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path);

/* columns[count] give names and types. The strings of the options and the names of the columns must live as long as the
 * writer. */
gemp_code gemp_row_writer_open(gemp_row_writer **out, const gemp_comm *comm, const gemp_projected *columns,
                               size_t count, const gemp_rows_options *options);
gemp_code gemp_row_writer_write(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows);
/* Completes the file or prints the preview, and frees the writer. writer may be NULL. */
gemp_code gemp_row_writer_close(gemp_row_writer *writer, const gemp_result_info *info);
void gemp_row_writer_abandon(gemp_row_writer *writer);
GEMP_RELEASE(gemp_row_writer_abandon, gemp_row_writer *)

/* TURNS: the ranks write their rows in rank order, one rank at a time.
 *
 * In a turn, a callback fills the columns with at most 2^18 rows of one rank. The other ranks take part in the turn
 * without rows. Turns bound the memory for keys that other ranks own. If the ranks own consecutive ranges, the order of
 * the rows does not depend on the number of ranks. With at_once all ranks write all their rows in a single turn, so no
 * rank waits for the turns of others. This suits columns that need no keys of other ranks.
 *
 * Call gemp_row_turns_open, then gemp_row_turns_add any number of times, then gemp_row_turns_close; or call
 * gemp_row_turns_write, which does all three. All functions are collective. */

typedef struct gemp_row_column {
	const char *name; /* must live as long as the writer */
	gemp_type type;
} gemp_row_column;

/* Collective. Fills `columns` with this rank's rows first .. first + count - 1. The columns are empty and have their
 * types. count is 0 on the ranks that do not have the turn. If the callback communicates, the ranks must agree on their
 * codes before each exchange; the caller agrees on the code that the callback returns. */
typedef gemp_code gemp_row_fill(void *self, gemp_projected *columns, size_t first, size_t count);

typedef struct gemp_row_turns {
	const gemp_comm *comm;
	const gemp_row_column *columns; /* [count] */
	size_t count;
	gemp_row_fill *fill;
	void *self;
	const char *path;      /* as in gemp_rows_options; NULL: a preview, unless there is a table */
	gemp_table *table;     /* as in gemp_rows_options */
	FILE *preview;         /* as in gemp_rows_options */
	uint64_t shown;        /* maximal number of rows of a preview, over all ranks */
	gemp_result_info info; /* attributes of an HDF5 file */
	bool at_once;
	gemp_row_writer *writer; /* set by open, NULL after close */
} gemp_row_turns;

/* The description of rows that a command computes without a pattern. `what` names the result and takes the pattern's
 * place. */
gemp_result_info gemp_row_info(const char *what, const gemp_shard *graph);

/* Opens the file. Call this before the computation, so that a path that cannot be written to is found early. */
gemp_code gemp_row_turns_open(gemp_row_turns *turns);
/* Writes this rank's next `rows` rows. `first` of the callback counts from 0 in each call. */
gemp_code gemp_row_turns_add(gemp_row_turns *turns, uint64_t rows);
/* Completes the file; does nothing if the turns are not open. */
gemp_code gemp_row_turns_close(gemp_row_turns *turns);
void gemp_row_turns_abandon(gemp_row_turns *turns);
gemp_code gemp_row_turns_write(gemp_row_turns *turns, uint64_t rows);

/* For callbacks. Collective. Fills the column with the keys of ids[count]. */
gemp_code gemp_row_fill_keys(gemp_projected *column, const gemp_comm *comm, const gemp_shard *graph,
                             const gemp_vertex *ids, size_t count);
/* Local. Fills the column with rows first .. first + count - 1 of `from`. */
gemp_code gemp_row_fill_slice(gemp_projected *column, const gemp_column *from, size_t first, size_t count);
/* Local. Appends one integer. */
gemp_code gemp_row_fill_integer(gemp_projected *column, uint64_t value);

#endif
