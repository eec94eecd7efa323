/* lookup: values of other ranks' vertices, asked of their owners. */
#ifndef GEMP_IO_LOOKUP_H
#define GEMP_IO_LOOKUP_H

#include "comm/exchange.h"
#include "graph/graph.h"

/* Collective. column: this rank's part of a column of vertices, [graph->rows]. out gets the values of ids[0..count)
 * (any ids, repeated ones too), initialised here, and place[i] the row of ids[i] in it. Nothing to free after an
 * error. */
gemp_code gemp_lookup(const gemp_comm *comm, const gemp_graph *graph, const gemp_column *column, const gemp_vertex *ids,
                      size_t count, gemp_column *out, size_t *place);

#endif
