/* row_turns: a file of rows that all ranks write in rank order, each rank its own rows.
 *
 * The ranks take turns of at most 2^18 rows: a callback fills the columns of the rank whose turn it is, and the other ranks
 * take part with no rows. This bounds the memory for keys that other ranks own, and the order of rows does not depend on
 * the number of ranks when ranks own consecutive ranges. With at_once all ranks fill all their rows in one turn, which is
 * faster, for columns that need no keys of other ranks.
 *
 * open, add (any number of times), and close; or write, which does all three. All functions are collective.
 */

#ifndef GEMP_IO_ROWS_ROW_TURNS_H
#define GEMP_IO_ROWS_ROW_TURNS_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "io/rows/row_writer.h"

typedef struct gemp_row_column {
	const char *name; /* must live as long as the writer */
	gemp_type type;
} gemp_row_column;

/* Collective. Fills this rank's rows first .. first + count - 1 into `columns`, which are empty and have their types; count
 * is 0 on the ranks without a turn. Code that differs between ranks must be agreed on before the next exchange; what the
 * callback returns need not be. */
typedef gemp_code gemp_row_fill(void *self, gemp_projected *columns, size_t first, size_t count);

typedef struct gemp_row_turns {
	const gemp_comm *comm;
	const gemp_row_column *columns; /* [count] */
	size_t count;
	gemp_row_fill *fill;
	void *self;
	const char *path;      /* as of gemp_rows_options; NULL: a preview */
	gemp_table *table;     /* as of gemp_rows_options: instead of a path */
	FILE *preview;         /* as of gemp_rows_options */
	uint64_t shown;        /* rows of a preview, over all ranks */
	gemp_result_info info; /* of HDF5 files */
	bool at_once;
	gemp_row_writer *writer; /* NULL but between open and close */
} gemp_row_turns;

/* The info of rows that a command makes without a pattern: what it finds stands in the pattern's place. */
gemp_result_info gemp_row_info(const char *what, const gemp_shard *graph);

/* Opened before the work, so that a path that cannot be written to is found early. */
gemp_code gemp_row_turns_open(gemp_row_turns *turns);
/* This rank's next `rows` rows; `first` of the callback counts from 0 in each call. */
gemp_code gemp_row_turns_add(gemp_row_turns *turns, uint64_t rows);
/* Takes turns that are not open. */
gemp_code gemp_row_turns_close(gemp_row_turns *turns);
void gemp_row_turns_abandon(gemp_row_turns *turns);
gemp_code gemp_row_turns_write(gemp_row_turns *turns, uint64_t rows);

/* For callbacks. Collective: the column becomes the keys of ids[count]. */
gemp_code gemp_row_fill_keys(gemp_projected *column, const gemp_comm *comm, const gemp_shard *graph,
                             const gemp_vertex *ids, size_t count);
/* Local: the column becomes rows first .. first + count - 1 of `from`. */
gemp_code gemp_row_fill_slice(gemp_projected *column, const gemp_column *from, size_t first, size_t count);
/* Local: appends one integer. */
gemp_code gemp_row_fill_integer(gemp_projected *column, uint64_t value);

#endif
