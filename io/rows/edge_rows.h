/* edge_rows: edges in the user's keys, a row each: source, type, edge (its number in its type's order), target. */

#ifndef GEMP_IO_ROWS_EDGE_ROWS_H
#define GEMP_IO_ROWS_EDGE_ROWS_H

#include "comm/comm.h"
#include "topology/edge_pairs.h"

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
