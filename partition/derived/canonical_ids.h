/* canonical_ids: the ids that the builder gives. A vertex has the rank of (hash of its key, key) among all vertices, and a rank
 * owns a range of hashes. Keys are compared by their key ranks. */

#ifndef GEMP_PARTITION_CANONICAL_IDS_H
#define GEMP_PARTITION_CANONICAL_IDS_H

#include "partition/derived/relabel.h"

/* Collective. Fills r->id, and bounds, keys, labels and attributes of r->to. string_keys: as gemp_builder_options has it. */
gemp_code gemp_canonical_vertices(gemp_relabel *r, bool string_keys);

#endif
