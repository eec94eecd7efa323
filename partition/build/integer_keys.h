/* integer_keys: the stages of the builder for graphs whose keys are all integers. Such graphs need no dictionaries.
 * This module has sets of distinct integers, the index of the keys that a rank owns, and the replacement of the ends of
 * edges by ids. */

#ifndef GEMP_PARTITION_BUILD_INTEGER_KEYS_H
#define GEMP_PARTITION_BUILD_INTEGER_KEYS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"
#include "partition/build/edge_list.h"

enum { GEMP_MAX_SET_SHARDS = 64 };

/* A set of numbers, divided into shards by hash. Only one thread at a time may change a shard. */
typedef struct gemp_integer_set {
	size_t shard_count; /* a power of two */
	struct gemp_integer_shard {
		size_t count, slot_count; /* slot_count: a power of two, or 0 */
		uint64_t *slots;          /* [slot_count] UINT64_MAX if the slot is free */
		bool has_last;            /* whether UINT64_MAX is in the set */
		gemp_code code;
	} shards[GEMP_MAX_SET_SHARDS];
} gemp_integer_set;

void gemp_integer_set_init(gemp_integer_set *set);
void gemp_integer_set_free(gemp_integer_set *set);
gemp_code gemp_integer_set_add(gemp_integer_set *set, const uint64_t *numbers, size_t count);

/* Collective. *numbers becomes the distinct ends of all edges whose keys this rank owns. The caller frees
 * *numbers[*count]. */
gemp_code gemp_builder_distinct_ends(gemp_builder *builder, uint64_t **numbers, size_t *count);

/* An index of the keys that this rank owns, for integers and strings. The keys are sorted by hash, and the hashes are
 * spread evenly over the rank's range of hashes. Bucket b has the owned keys begin[b] .. begin[b + 1] - 1. A bucket has
 * about one key, so a lookup compares about one key. */
typedef struct gemp_key_index {
	unsigned ranks;
	int shift;       /* bucket = place of a hash in this rank's range of hashes >> `shift` */
	uint32_t *begin; /* [buckets + 1]; the caller frees */
} gemp_key_index;

gemp_code gemp_key_index_new(gemp_key_index *index, const gemp_builder *builder);
/* hash * ranks, modulo 2^64, is the place of the hash in the range of its owner. The place ascends with the hash. */
static inline uint64_t gemp_key_index_bucket(const gemp_key_index *index, uint64_t hash)
{
	return hash * index->ranks >> index->shift;
}

/* Collective. Replaces the ends of all edges by ids. Unknown ends are noted and do not make this function fail. */
gemp_code gemp_builder_integer_ids(gemp_builder *builder, const gemp_shard *graph, gemp_unknown_end *unknown);

#endif
