/* If all keys are integers, the ends of an edge are two numbers of 8 bytes, and no dictionary is needed. Blocks of ends
 * are sent to the ranks that own the hashes of the keys. With vertices_from_edges the owners first collect the distinct
 * keys in sets. Then the owners look up the ids of the keys and send the ids back, and the ids replace the keys.
 * Lookups prefetch the slots of 32 keys at a time, as the tables are larger than the caches. */

#include "partition/build/integer_keys.h"

#include "comm/exchange.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/dense_keys.h"

#include <math.h>
#include <string.h>

enum { GROUP = 32, FIRST_SLOTS = 256 }; /* GROUP: numbers whose slots are prefetched together */

static const uint64_t free_slot = UINT64_MAX;

/* Numbers that all threads insert. Each thread reads all numbers and inserts the numbers of its shard. */
typedef struct shard_insert {
	gemp_integer_set *set;
	const uint64_t *numbers;
	size_t count;
} shard_insert;

/* There is at least one shard for each thread, up to GEMP_MAX_SET_SHARDS. One thread at a time fills a shard, so no
 * locks are needed. */
void gemp_integer_set_init(gemp_integer_set *set)
{
	*set = (gemp_integer_set){ .shard_count = 1 };
	while (set->shard_count < gemp_threads() && set->shard_count < GEMP_MAX_SET_SHARDS)
		set->shard_count *= 2;
}

void gemp_integer_set_free(gemp_integer_set *set)
{
	for (size_t s = 0; s < set->shard_count; s++)
		gemp_free(set->shards[s].slots);
	*set = (gemp_integer_set){ 0 };
}

/* Open addressing. The number that marks a free slot cannot be stored in a slot, so has_last says whether this number
 * is in the set. */
static void insert(struct gemp_integer_shard *shard, uint64_t number, uint64_t hash)
{
	size_t mask = shard->slot_count - 1, slot = hash & mask;
	if (number == free_slot) {
		shard->count += !shard->has_last;
		shard->has_last = true;
		return;
	}
	while (shard->slots[slot] != free_slot) {
		if (shard->slots[slot] == number)
			return;
		slot = (slot + 1) & mask;
	}
	shard->slots[slot] = number;
	shard->count++;
}

/* Makes at least half of the slots free after the insertion of `more` further numbers. */
static gemp_code reserve_slots(struct gemp_integer_shard *shard, size_t more)
{
	struct gemp_integer_shard larger = { .slot_count = shard->slot_count ? shard->slot_count : FIRST_SLOTS };
	if (2 * (shard->count + more) <= shard->slot_count)
		return GEMP_OK;
	while (2 * (shard->count + more) > larger.slot_count)
		larger.slot_count *= 2;
	GEMP_TRY(GEMP_NEW(larger.slots, larger.slot_count));
	for (size_t i = 0; i < larger.slot_count; i++)
		larger.slots[i] = free_slot;
	for (size_t i = 0; i < shard->slot_count; i++)
		if (shard->slots[i] != free_slot)
			insert(&larger, shard->slots[i], gemp_mix(shard->slots[i]));
	gemp_free(shard->slots);
	larger.count = shard->count;
	larger.has_last = shard->has_last;
	*shard = larger;
	return GEMP_OK;
}

/* The slots of a group are prefetched before the first slot is read, as the table is larger than the caches. */
static gemp_code insert_group(struct gemp_integer_shard *shard, const uint64_t *numbers, const uint64_t *hashes,
                              size_t count)
{
	gemp_code code = reserve_slots(shard, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		__builtin_prefetch(&shard->slots[hashes[i] & (shard->slot_count - 1)], 1);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		insert(shard, numbers[i], hashes[i]);
	return code;
}

/* Inserts all numbers of one shard. The highest bits of a number's hash choose its shard. */
static void add_to_shard(void *context, unsigned thread, size_t number)
{
	(void)thread;
	shard_insert *a = context;
	struct gemp_integer_shard *shard = &a->set->shards[number];
	uint64_t group[GROUP], hashes[GROUP];
	size_t waiting = 0;
	shard->code = GEMP_OK;
	for (size_t i = 0; i < a->count && shard->code == GEMP_OK; i++) {
		uint64_t hash = gemp_mix(a->numbers[i]);
		if (((unsigned __int128)hash * a->set->shard_count >> 64) != number)
			continue;
		group[waiting] = a->numbers[i];
		hashes[waiting++] = hash;
		if (waiting == GROUP) {
			shard->code = insert_group(shard, group, hashes, waiting);
			waiting = 0;
		}
	}
	if (shard->code == GEMP_OK && waiting)
		shard->code = insert_group(shard, group, hashes, waiting);
}

/* Every thread reads and hashes all numbers, and only the insertions are divided. If one shard fails, the function
 * fails. */
gemp_code gemp_integer_set_add(gemp_integer_set *set, const uint64_t *numbers, size_t count)
{
	shard_insert a = { set, numbers, count };
	gemp_parallel_for(set->shard_count, add_to_shard, &a);
	for (size_t s = 0; s < set->shard_count; s++)
		if (set->shards[s].code != GEMP_OK)
			return gemp_fail(GEMP_ENOMEM, "out of memory for the ids of vertices; use more ranks");
	return GEMP_OK;
}

enum { BLOCK = 1 << 19 }; /* keys in one round of an exchange */

/* A block of this rank's keys that is sent to the owners of the keys. */
typedef struct key_block {
	const gemp_builder *builder;
	const uint64_t *keys;
	size_t count;
	int *owner; /* [block size]; NULL if there is one rank */
} key_block;

/* gemp_hash_keys hashes the keys of a group together. */
static void find_owners(void *context, size_t begin, size_t end)
{
	const key_block *b = context;
	uint64_t hashes[GROUP];
	for (size_t at = begin; at < end; at += GROUP) {
		size_t count = end - at < GROUP ? end - at : GROUP;
		gemp_hash_keys(b->keys + at, count, GEMP_KEY_OF_INTEGER, b->builder->options.seed, hashes);
		for (size_t i = 0; i < count; i++)
			b->owner[at + i] = gemp_builder_key_owner(b->builder, hashes[i]);
	}
}

/* The keys of one round that this rank owns. They come from the blocks of all ranks. If there is one rank, `keys`
 * borrows the keys of its block. */
typedef struct received_keys {
	const uint64_t *keys; /* [count] */
	size_t count;
	void *owned;  /* the memory of `keys`; NULL if `keys` is borrowed */
	size_t *from; /* [ranks + 1] offset of the keys of each rank */
} received_keys;

static void free_received(received_keys *received)
{
	gemp_free_all(received->owned, received->from);
}

/* Collective. Sends the keys of a block to the ranks that own them. */
static gemp_code send_to_owners(const key_block *b, received_keys *out)
{
	*out = (received_keys){ .keys = b->keys, .count = b->count };
	if (!b->owner)
		return GEMP_OK;
	gemp_for_elements(b->count, find_owners, (void *)(uintptr_t)b);
	GEMP_TRY(gemp_exchange_records(b->builder->comm, GEMP_OK, b->keys, b->count, sizeof *b->keys, b->owner, &out->owned,
	                               &out->from, NULL));
	out->keys = out->owned;
	out->count = out->from[b->builder->comm->size];
	return GEMP_OK;
}

/* Returns an even number of keys, so both ends of an edge are in the same block. */
static size_t block_size(const gemp_builder *builder)
{
	size_t keys = builder->options.batch / sizeof(uint64_t);
	return keys < 2 ? 2 : keys < BLOCK ? keys / 2 * 2 : BLOCK;
}

/* Local. A single rank needs no owners. */
static gemp_code new_owners(const gemp_builder *builder, int **owner)
{
	return builder->comm->size > 1 ? GEMP_NEW(*owner, block_size(builder)) : GEMP_OK;
}

/* Collective. Adds the ends of one block to the sets of their owners. */
static gemp_code collect_block(const key_block *b, gemp_integer_set *set)
{
	GEMP_OWNED_BY(free_received) received_keys received = { 0 };
	GEMP_TRY(send_to_owners(b, &received));
	return gemp_comm_agree(b->builder->comm, gemp_integer_set_add(set, received.keys, received.count));
}

/* Local. Copies all numbers of the set to one array. */
static gemp_code list_numbers(const gemp_integer_set *set, uint64_t **numbers, size_t *count)
{
	size_t at = 0;
	*count = 0;
	for (size_t s = 0; s < set->shard_count; s++)
		*count += set->shards[s].count;
	GEMP_TRY(GEMP_NEW(*numbers, *count));
	for (size_t s = 0; s < set->shard_count; s++) {
		const struct gemp_integer_shard *shard = &set->shards[s];
		for (size_t i = 0; i < shard->slot_count; i++)
			if (shard->slots[i] != free_slot)
				(*numbers)[at++] = shard->slots[i];
		if (shard->has_last)
			(*numbers)[at++] = free_slot;
	}
	return GEMP_OK;
}

/* Returns the keys of one round. The block of a rank that has sent all of its keys is empty. */
static key_block block_at(const gemp_builder *builder, const gemp_edge_list *edges, uint64_t round, int *owner)
{
	gemp_block_range own = gemp_exchange_round(round, 2 * edges->count, block_size(builder));
	return (key_block){ builder, edges->count ? edges->ends + own.begin : NULL, own.end - own.begin, owner };
}

/* All ranks make as many rounds as the rank with the most edges, since each round is an exchange. */
gemp_code gemp_builder_distinct_ends(gemp_builder *builder, uint64_t **numbers, size_t *count)
{
	bool dense;
	GEMP_OWNED_BY(gemp_integer_set_free) gemp_integer_set set;
	GEMP_OWNED int *owner = NULL;
	gemp_builder_part none;
	gemp_integer_set_init(&set);
	GEMP_TRY(gemp_dense_ends(builder, &dense, numbers, count));
	if (dense)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(builder->comm, new_owners(builder, &owner)));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		const gemp_edge_list *edges = &gemp_builder_part_at(builder, p, &none)->edges;
		for (uint64_t round = 0, last = gemp_exchange_rounds(builder->comm, 2 * edges->count, block_size(builder));
		     round < last; round++) {
			key_block b = block_at(builder, edges, round, owner);
			gemp_progress("finding vertices", round, last, 0);
			GEMP_TRY(collect_block(&b, &set));
		}
	}
	return gemp_comm_agree(builder->comm, list_numbers(&set, numbers, count));
}

/* The number of buckets is the smallest power of two that is not below the number of keys, but at least 2, so a bucket
 * has about one key. A prefix sum turns the counts of the buckets into offsets. */
gemp_code gemp_key_index_new(gemp_key_index *index, const gemp_builder *builder)
{
	const gemp_bytes *keys = &builder->vertices.keys;
	int bits = 1;
	while (bits < 32 && (uint64_t)1 << bits < keys->count)
		bits++;
	*index = (gemp_key_index){ .ranks = (unsigned)builder->comm->size, .shift = 64 - bits };
	size_t buckets = (size_t)1 << bits;
	GEMP_TRY(GEMP_NEW(index->begin, buckets + 1));
	for (size_t i = 0; i < keys->count; i++)
		index->begin[gemp_key_index_bucket(index, gemp_builder_key_hash(builder, gemp_bytes_at(keys, i))) + 1]++;
	for (size_t b = 0; b < buckets; b++)
		index->begin[b + 1] += index->begin[b];
	return GEMP_OK;
}

/* The lookup of integer keys on the rank that owns the keys, and the keys of one round. */
typedef struct integer_lookup {
	gemp_key_index index;
	uint64_t seed;
	gemp_vertex first;
	uint64_t *owned;      /* [rows] the owned keys by id */
	const uint64_t *keys; /* the keys of this round */
	gemp_vertex *ids;     /* [capacity] ids of `keys` */
	size_t capacity;
} integer_lookup;

/* Makes the index, and the owned keys as numbers. */
static gemp_code new_lookup(integer_lookup *l, const gemp_builder *builder, const gemp_shard *graph)
{
	const gemp_bytes *keys = &builder->vertices.keys;
	*l = (integer_lookup){ .seed = builder->options.seed, .first = (gemp_vertex)graph->first_vertex };
	GEMP_TRY(gemp_key_index_new(&l->index, builder));
	GEMP_TRY(GEMP_NEW(l->owned, graph->rows));
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t big;
		memcpy(&big, keys->bytes + keys->begin[v] + 1, sizeof big);
		l->owned[v] = __builtin_bswap64(big);
	}
	return GEMP_OK;
}

/* Each group takes three passes. A pass prefetches the memory that the next pass reads. */
static void find_range(void *context, size_t begin, size_t end)
{
	const integer_lookup *l = context;
	const uint32_t *start = l->index.begin;
	uint64_t bucket[GROUP];
	for (size_t at = begin; at < end; at += GROUP) {
		size_t count = end - at < GROUP ? end - at : GROUP;
		gemp_hash_keys(l->keys + at, count, GEMP_KEY_OF_INTEGER, l->seed, bucket);
		for (size_t i = 0; i < count; i++) {
			bucket[i] = gemp_key_index_bucket(&l->index, bucket[i]);
			__builtin_prefetch(&start[bucket[i]]);
		}
		for (size_t i = 0; i < count; i++)
			__builtin_prefetch(&l->owned[start[bucket[i]]]);
		for (size_t i = 0; i < count; i++) {
			uint32_t v = start[bucket[i]], last = start[bucket[i] + 1];
			while (v < last && l->owned[v] != l->keys[at + i])
				v++;
			l->ids[at + i] = v < last ? l->first + v : GEMP_NO_VERTEX;
		}
	}
}

/* Collective. Gets the ids of the block's keys from the owners of the keys. ids: [count of the block]. */
static gemp_code request_ids(const key_block *b, integer_lookup *l, gemp_vertex *ids)
{
	const gemp_comm *comm = b->builder->comm;
	GEMP_OWNED_BY(free_received) received_keys received = { 0 };
	GEMP_TRY(send_to_owners(b, &received));
	gemp_code code = GEMP_RESERVE(l->ids, l->capacity, received.count);
	if (code == GEMP_OK) {
		l->keys = received.keys;
		gemp_for_elements(received.count, find_range, l);
	}
	if (b->owner)
		return gemp_exchange_answers(comm, code, l->ids, sizeof *ids, received.from, b->owner, b->count, ids, NULL);
	if (code == GEMP_OK && b->count)
		memcpy(ids, l->ids, b->count * sizeof *ids);
	return code;
}

/* Collective. The ids are written over the keys from the start of the array. An id takes half the memory of a key, so
 * the ids never overwrite a key that has not been sent. If noting an unknown end fails, the failure is kept until the
 * last round, as the other ranks continue. */
static gemp_code replace_keys(gemp_builder *builder, gemp_edge_list *edges, integer_lookup *l, int *owner,
                              gemp_vertex *ids, gemp_unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	const size_t size = block_size(builder);
	for (uint64_t round = 0, last = gemp_exchange_rounds(builder->comm, 2 * edges->count, size); round < last;
	     round++) {
		key_block b = block_at(builder, edges, round, owner);
		gemp_progress("finding ids", round, last, 0);
		GEMP_TRY(request_ids(&b, l, ids));
		if (!b.count)
			continue;
		GEMP_THEN(gemp_unknown_ends_note(edges, (size_t)(b.keys - edges->ends), ids, b.count, unknown));
		memcpy((gemp_vertex *)edges->ends + round * size, ids, b.count * sizeof *ids);
	}
	GEMP_THEN(gemp_edge_list_use_ids(edges));
	return gemp_comm_agree(builder->comm, code);
}

static void free_lookup(integer_lookup *l)
{
	gemp_free_all(l->index.begin, l->owned, l->ids);
}

/* One index of the owned keys serves the ends of all parts. */
gemp_code gemp_builder_integer_ids(gemp_builder *builder, const gemp_shard *graph, gemp_unknown_end *unknown)
{
	GEMP_OWNED_BY(free_lookup) integer_lookup l = { 0 };
	GEMP_OWNED_BY(gemp_builder_part_free) gemp_builder_part none = { 0 };
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_OWNED int *owner = NULL;
	bool dense;
	GEMP_TRY(gemp_dense_ids(builder, graph, &dense, unknown));
	if (dense)
		return GEMP_OK;
	gemp_code code = new_owners(builder, &owner);
	GEMP_THEN(gemp_builder_encode_keys(builder, graph));
	GEMP_THEN(new_lookup(&l, builder, graph));
	GEMP_THEN(GEMP_NEW(ids, block_size(builder)));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		GEMP_TRY(replace_keys(builder, &gemp_builder_part_at(builder, p, &none)->edges, &l, owner, ids, unknown));
		gemp_edge_list_free(&none.edges);
	}
	return GEMP_OK;
}
