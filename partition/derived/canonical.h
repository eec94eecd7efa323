/* canonical: the same graph with the ids that the builder would give. A vertex has the rank of (hash of its key, key) among all
 * vertices, and a rank owns a range of hashes. Keys are compared by their key ranks, so that no key travels to be sorted. */

#ifndef GEMP_PARTITION_DERIVED_CANONICAL_H
#define GEMP_PARTITION_DERIVED_CANONICAL_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "partition/derived/renumber.h"

/* Collective. *graph, whose keys, labels, attributes and rows by source are loaded, becomes that which the builder
 * makes of its vertices and edges, hash included; rows by target are made when they are needed. After an error it is
 * good for gemp_shard_free only. string_keys: as gemp_builder_options has it. */
gemp_code gemp_shard_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys);

/* Collective; keys are loaded. Did the graph take keys that look like integers as strings? Then who makes a graph of
 * them again must say so (gemp_builder_options.string_keys). Ids tell, since they come from a hash of the keys. */
gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_shard *graph, bool *out);

#endif
