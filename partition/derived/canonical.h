/* canonical: gives a graph the ids that the builder would give. The id of a vertex is its position among all vertices
 * in the order of (hash of its key, key), and a rank owns a range of hashes. Keys with equal hashes are compared by
 * their key ranks, so no key is sent for the sort. */

#ifndef GEMP_PARTITION_DERIVED_CANONICAL_H
#define GEMP_PARTITION_DERIVED_CANONICAL_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "partition/derived/renumber.h"

/* Collective. *graph becomes the graph that the builder would make from the vertices and edges of *graph, with the same
 * hash. Keys, labels, attributes and rows by source are loaded. Rows by target are made when they are needed. After an
 * error the graph may only be freed. string_keys: as gemp_builder_options has it. */
gemp_code gemp_shard_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys);

/* Collective. Keys are loaded. Finds whether some keys of this graph are strings in the canonical form of an integer. A
 * caller that builds a graph from these keys must then set gemp_builder_options.string_keys. The order of the ids shows
 * the type of a key, since ids follow the hashes of the keys. */
gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_shard *graph, bool *out);

#endif
