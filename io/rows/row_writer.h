/* row_writer: writes projected rows as a preview for people, as TSV, CSV, JSON lines or HDF5 by the path's ending, or
 * to a table in memory. All functions are collective unless they say otherwise. */

#ifndef GEMP_IO_ROWS_ROW_WRITER_H
#define GEMP_IO_ROWS_ROW_WRITER_H

#include "core/memory.h"
#include "graph/graph.h"
#include "io/rows/result_file.h"
#include "io/rows/row_text.h"
#include "pattern/symmetry/permutation_group.h"
#include "topology/csr.h"

#include <stdio.h>

typedef struct gemp_row_writer gemp_row_writer;

typedef struct gemp_rows_options {
	const char *path; /* ends in .tsv, .csv, .jsonl or .h5; "-": TSV on stdout; NULL: a preview for people */
	uint64_t limit;   /* rows that are written over all ranks; of a preview: rows that are shown */
	const gemp_stab_chain *chain; /* replaces each match by the smallest one of its class by user keys; NULL: none */
	const char *semantics, *distinct;
	bool count_loops;  /* in COUNT { (v)-[:T]->() }, see gemp_degree_loops */
	FILE *preview;     /* on rank 0 the file that the preview is printed to, NULL elsewhere; NULL on all: no preview */
	gemp_table *table; /* {0}, which takes this rank's rows instead of a file, an edge as three columns; NULL: none */
} gemp_rows_options;

/* Are all rows wanted, up to the limit, or only a preview? */
bool gemp_rows_wants_all(const gemp_rows_options *options);

/* Checks, before the work, the ending of the path that the setting `option` gives, and that rank 0 can write there.
 * NULL is GEMP_OK. */
gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path);

/* Columns give names and types; options' strings and columns' names must live as long as the writer. */
gemp_code gemp_row_writer_open(gemp_row_writer **out, const gemp_comm *comm, const gemp_projected *columns,
                               size_t count, const gemp_rows_options *options);
gemp_code gemp_row_writer_write(gemp_row_writer *writer, const gemp_projected *columns, size_t count, size_t rows);
/* Frees; takes NULL. */
gemp_code gemp_row_writer_close(gemp_row_writer *writer, const gemp_result_info *info);
void gemp_row_writer_abandon(gemp_row_writer *writer);
GEMP_RELEASE(gemp_row_writer_abandon, gemp_row_writer *)

/* TURNS: a file of rows that all ranks write in rank order, each rank its own rows.
 *
 * The ranks take turns of at most 2^18 rows: a callback fills the columns of the rank whose turn it is, and the other
 * ranks take part with no rows. This bounds the memory for keys that other ranks own, and the order of rows does not
 * depend on the number of ranks when ranks own consecutive ranges. With at_once all ranks fill all their rows in one
 * turn, which is faster, for columns that need no keys of other ranks.
 *
 * open, add (any number of times), and close; or write, which does all three. All functions are collective.
 */

typedef struct gemp_row_column {
	const char *name; /* must live as long as the writer */
	gemp_type type;
} gemp_row_column;

/* Collective. Fills this rank's rows first .. first + count - 1 into `columns`, which are empty and have their types;
 * count is 0 on the ranks without a turn. Code that differs between ranks must be agreed on before the next exchange;
 * what the callback returns need not be. */
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

/* EDGES in the user's keys, a row each: source, type, edge (its number in its type's order), target. */

typedef struct gemp_edge_rows gemp_edge_rows;

/* Collective, as all below. path: .tsv, .csv, .jsonl, .h5, or "-" for TSV on stdout. what: of the file's description.
 * Keys are loaded. */
gemp_code gemp_edge_rows_open(gemp_edge_rows **out, const gemp_comm *comm, const gemp_shard *graph, const char *path,
                              const char *what);
/* Own edges of one relation; those of lower ranks stand in front. numbers[count]: places among the rank's edges; NULL:
 * 0, 1, ...
 */
gemp_code gemp_edge_rows_add(gemp_edge_rows *rows, size_t relation, const uint64_t *numbers,
                             const gemp_edge_pair *pairs, size_t count);
/* Frees; takes NULL. */
gemp_code gemp_edge_rows_close(gemp_edge_rows *rows);
void gemp_edge_rows_abandon(gemp_edge_rows *rows);

#endif
