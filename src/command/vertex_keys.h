/* vertex_keys: keys of vertices that any rank owns. */
#ifndef GEMP_COMMAND_VERTEX_KEYS_H
#define GEMP_COMMAND_VERTEX_KEYS_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. out, which is initialised here, becomes the keys of ids[0..count). Keys are loaded. */
gemp_code gemp_vertex_keys(gemp_column *out, const gemp_comm *comm, const gemp_graph *graph, const gemp_vertex *ids,
                           size_t count);

#endif
