/* bits_union: unites bitmaps of vertices of all ranks, by id. Bits travel as coded lists of ids where these are shorter
 * than the words of a bitmap. The bytes that this rank sends are added to the runtime's traffic. */

#ifndef GEMP_MATCH_FILTER_BITS_UNION_H
#define GEMP_MATCH_FILTER_BITS_UNION_H

#include "graph/graph.h"
#include "partition/runtime.h"

/* Collective. bits[words] becomes the union of the bits of all ranks. A reduction of words counts as a ring, in which
 * each rank sends nearly all words twice. code: the result of the caller's earlier steps on this rank. */
gemp_code gemp_bits_unite(gemp_runtime *context, gemp_code code, uint32_t *bits, size_t words);

/* Collective. Adds to bits[words] the bits of this rank's own vertices that are set on other ranks. */
gemp_code gemp_bits_to_owners(gemp_runtime *context, gemp_code code, const gemp_shard *graph, uint32_t *bits,
                              size_t words);

#endif
