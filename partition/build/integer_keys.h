/* integer_keys: graphs whose keys are all integers need no dictionaries. This module has sets of distinct integers, the
 * index of the keys that a rank owns, and the replacement of the ends of edges by ids. */

#ifndef GEMP_PARTITION_BUILD_INTEGER_KEYS_H
#define GEMP_PARTITION_BUILD_INTEGER_KEYS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

enum { GEMP_MAX_SET_SHARDS = 64 };

/* A set of numbers, sharded by hash. One thread at a time changes a shard. */
typedef struct gemp_integer_set {
	size_t shard_count; /* a power of two */
	struct gemp_integer_shard {
		size_t count, slot_count; /* slots: a power of two, or 0 */
		uint64_t *slots;          /* [slot_count] UINT64_MAX: free */
		bool has_last;            /* UINT64_MAX is in the set */
		gemp_code code;
	} shards[GEMP_MAX_SET_SHARDS];
} gemp_integer_set;

void gemp_integer_set_init(gemp_integer_set *set);
void gemp_integer_set_free(gemp_integer_set *set);
gemp_code gemp_integer_set_add(gemp_integer_set *set, const uint64_t *numbers, size_t count);

/* Collective. The distinct ends of all edges, each on the rank that owns the key, are added to `list` as implied
 * vertices with the label set of index `labels`. */
gemp_code gemp_builder_integer_vertices(gemp_builder *builder, gemp_vertex_list *list, uint32_t labels);

/* The keys that this rank owns are sorted by hash, and their hashes are spread evenly over the rank's range: bucket b
 * has the owned keys begin[b] .. begin[b + 1] - 1. A bucket has about one key, so a lookup needs no search. */
typedef struct gemp_key_index {
	unsigned ranks;
	int shift;       /* place in this rank's range of hashes >> shift = bucket */
	uint32_t *begin; /* [buckets + 1]; the caller frees */
} gemp_key_index;

gemp_code gemp_key_index_new(gemp_key_index *index, const gemp_builder *builder);
/* hash * ranks, modulo 2^64, is where the hash lies in its owner's range; it ascends with the hash. */
static inline uint64_t gemp_key_index_bucket(const gemp_key_index *index, uint64_t hash)
{
	return hash * index->ranks >> index->shift;
}

/* Edges with an end that is no vertex: their number on this rank, and the edge with the lowest place. */
typedef struct gemp_unknown_end {
	uint64_t place, count;
	bool source;   /* else the target */
	gemp_text key; /* encoded; a failed addition is recorded in it */
} gemp_unknown_end;

/* Local. Checks the ids that an edge of the list has got as ends. True: an end is unknown, and the edge has the lowest
 * place so far, so the caller sets the key. */
bool gemp_unknown_end_note(gemp_unknown_end *unknown, const gemp_vertex ends[2], const gemp_edge_list *edges,
                           size_t edge);
void gemp_unknown_end_free(gemp_unknown_end *unknown);

/* Collective. Replaces the ends of all edges by ids. Unknown ends are noted; they are no failure here. */
gemp_code gemp_builder_integer_ids(gemp_builder *builder, const gemp_shard *graph, gemp_unknown_end *unknown);

#endif
