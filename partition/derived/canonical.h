/* canonical: the same graph with the ids that the builder would give. A vertex has the rank of (hash of its key, key)
 * among all vertices, and a rank owns a range of hashes. Keys are compared by their key ranks, so no key travels to be
 * sorted. */

#ifndef GEMP_PARTITION_DERIVED_CANONICAL_H
#define GEMP_PARTITION_DERIVED_CANONICAL_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "partition/derived/renumber.h"

/* Collective. *graph becomes the graph that the builder would make from its vertices and edges, with the same hash.
 * Keys, labels, attributes and rows by source are loaded before; rows by target are made when they are needed. After an
 * error the graph may only be freed. string_keys: as gemp_builder_options has it. */
gemp_code gemp_shard_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys);

/* Collective; keys are loaded. Are keys that look like integers strings in this graph? A caller that builds a graph
 * from its keys must then set gemp_builder_options.string_keys. The order of the ids shows it, since ids follow the
 * hashes of the keys. */
gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_shard *graph, bool *out);

#endif
