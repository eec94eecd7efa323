/* edge_rows: writes one row for each edge, with the user's keys. The columns are source, type, edge and target, where
 * `edge` is the number of the edge in its type's order. */

#ifndef GEMP_IO_ROWS_EDGE_ROWS_H
#define GEMP_IO_ROWS_EDGE_ROWS_H

#include "io/rows/row_writer.h"
#include "topology/csr.h"

typedef struct gemp_edge_rows gemp_edge_rows;

/* Collective, as all functions below. path ends in .tsv, .csv, .jsonl or .h5, or is "-" for TSV on stdout. what: see
 * gemp_row_info. The graph's keys must be loaded. */
gemp_code gemp_edge_rows_open(gemp_edge_rows **out, const gemp_comm *comm, const gemp_shard *graph, const char *path,
                              const char *what);
/* Writes edges of one relation that this rank owns. pairs[count]: ids of their ends. numbers[count]: their places among
 * the rank's edges of the relation; NULL: 0, 1, ..., count - 1. */
gemp_code gemp_edge_rows_add(gemp_edge_rows *rows, size_t relation, const uint64_t *numbers,
                             const gemp_edge_pair *pairs, size_t count);
/* Completes the file and frees. rows may be NULL. */
gemp_code gemp_edge_rows_close(gemp_edge_rows *rows);
void gemp_edge_rows_abandon(gemp_edge_rows *rows);

#endif
