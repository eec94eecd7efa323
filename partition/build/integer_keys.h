/* integer_keys: keys that are integers, without dictionaries: sets of distinct integers, the index of owned keys, and the ids of
 * the ends of edges where all keys of the graph are integers. */

#ifndef GEMP_PARTITION_BUILD_INTEGER_KEYS_H
#define GEMP_PARTITION_BUILD_INTEGER_KEYS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

enum { GEMP_MAX_SET_SHARDS = 64 };

/* Numbers are sharded by hash; each shard is one thread's at a time. */
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

/* Where all keys of a graph are integers, ends of edges are kept as numbers, and no rank needs a dictionary of them. */

/* Collective. The distinct ends of all edges, each on the rank that owns the key, are added to `list` as implied
 * vertices with the labels of that index. */
gemp_code gemp_builder_integer_vertices(gemp_builder *builder, gemp_vertex_list *list, uint32_t labels);

/* The keys that this rank owns are sorted by hash, and their hashes are spread evenly over the rank's range: bucket b has the
 * owned keys begin[b] .. begin[b + 1] - 1, about one, so that a lookup needs no search. */
typedef struct gemp_key_index {
	unsigned ranks;
	int shift;       /* of the place in this rank's range of hashes, to its bucket */
	uint32_t *begin; /* [buckets + 1]; the caller frees */
} gemp_key_index;

gemp_code gemp_key_index_new(gemp_key_index *index, const gemp_builder *builder);
/* hash * ranks, modulo 2^64, is where the hash lies in its owner's range; it ascends with the hash. */
static inline uint64_t gemp_key_index_bucket(const gemp_key_index *index, uint64_t hash)
{
	return hash * index->ranks >> index->shift;
}

/* Edges with an end that is no vertex: that of the lowest place, and how many there are on this rank. */
typedef struct gemp_unknown_end {
	uint64_t place, count;
	bool source;   /* else the target */
	gemp_text key; /* encoded; a failed addition is recorded in it */
} gemp_unknown_end;

/* Local. Notes an edge of the list whose ends have become `ends`. True: it is the first of all so far, and its key is to be set. */
bool gemp_unknown_end_note(gemp_unknown_end *unknown, const gemp_vertex ends[2], const gemp_edge_list *edges,
                           size_t edge);
void gemp_unknown_end_free(gemp_unknown_end *unknown);

/* Collective. Ids in place of the ends of all edges; unknown ends are noted, and are no failure here. */
gemp_code gemp_builder_integer_ids(gemp_builder *builder, const gemp_shard *graph, gemp_unknown_end *unknown);

#endif
