/* key_kind: what kind of keys a graph has. */
#ifndef GEMP_IO_KEY_KIND_H
#define GEMP_IO_KEY_KIND_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective; keys are loaded. Did the graph take keys that look like integers as strings? Then who makes a graph of
 * them again must say so (gemp_builder_options.string_keys). Ids tell, since they come from a hash of the keys. */
gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_graph *graph, bool *out);

#endif
