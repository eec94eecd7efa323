#include "partition/build/integer_keys.h"

#include "comm/exchange.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { GROUP = 32, FIRST_SLOTS = 256 }; /* GROUP: numbers whose slots are fetched together */

static const uint64_t free_slot = UINT64_MAX;

typedef struct shard_insert {
	gemp_integer_set *set;
	const uint64_t *numbers;
	size_t count;
} shard_insert;

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

static void insert(struct gemp_integer_shard *share, uint64_t number, uint64_t hash)
{
	size_t mask = share->slot_count - 1, slot = hash & mask;
	if (number == free_slot) {
		share->count += !share->has_last;
		share->has_last = true;
		return;
	}
	while (share->slots[slot] != free_slot) {
		if (share->slots[slot] == number)
			return;
		slot = (slot + 1) & mask;
	}
	share->slots[slot] = number;
	share->count++;
}

/* So that after `more` further numbers half of the slots are free. */
static gemp_code reserve_slots(struct gemp_integer_shard *share, size_t more)
{
	gemp_code code = GEMP_OK;
	struct gemp_integer_shard larger = { .slot_count = share->slot_count ? share->slot_count : FIRST_SLOTS };
	if (2 * (share->count + more) <= share->slot_count)
		return GEMP_OK;
	while (2 * (share->count + more) > larger.slot_count)
		larger.slot_count *= 2;
	GEMP_TRY(GEMP_NEW(larger.slots, larger.slot_count));
	for (size_t i = 0; i < larger.slot_count; i++)
		larger.slots[i] = free_slot;
	for (size_t i = 0; i < share->slot_count; i++)
		if (share->slots[i] != free_slot)
			insert(&larger, share->slots[i], gemp_mix(share->slots[i]));
	gemp_free(share->slots);
	larger.count = share->count;
	larger.has_last = share->has_last;
	*share = larger;
done:
	return code;
}

static gemp_code insert_group(struct gemp_integer_shard *share, const uint64_t *numbers, const uint64_t *hashes,
                              size_t count)
{
	gemp_code code = reserve_slots(share, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		__builtin_prefetch(&share->slots[hashes[i] & (share->slot_count - 1)], 1);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		insert(share, numbers[i], hashes[i]);
	return code;
}

/* All numbers of one share: the highest bits of the hash choose it. */
static void add_to_shard(void *context, unsigned thread, size_t number)
{
	(void)thread;
	shard_insert *a = context;
	struct gemp_integer_shard *share = &a->set->shards[number];
	uint64_t group[GROUP], hashes[GROUP];
	size_t waiting = 0;
	share->code = GEMP_OK;
	for (size_t i = 0; i < a->count && share->code == GEMP_OK; i++) {
		uint64_t hash = gemp_mix(a->numbers[i]);
		if (((unsigned __int128)hash * a->set->shard_count >> 64) != number)
			continue;
		group[waiting] = a->numbers[i];
		hashes[waiting++] = hash;
		if (waiting == GROUP) {
			share->code = insert_group(share, group, hashes, waiting);
			waiting = 0;
		}
	}
	if (share->code == GEMP_OK && waiting)
		share->code = insert_group(share, group, hashes, waiting);
}

gemp_code gemp_integer_set_add(gemp_integer_set *set, const uint64_t *numbers, size_t count)
{
	shard_insert a = { set, numbers, count };
	gemp_parallel_for(set->shard_count, add_to_shard, &a);
	for (size_t s = 0; s < set->shard_count; s++)
		if (set->shards[s].code != GEMP_OK)
			return gemp_fail(GEMP_ENOMEM, "out of memory for the ids of vertices; use more ranks");
	return GEMP_OK;
}

enum {
	BLOCK = 1 << 19,             /* keys in one round of an exchange */
	PIECE = 1 << 13,             /* keys that a thread looks up at a time */
	BUILDER_INTEGERS_GROUP = 32, /* keys whose place in memory is fetched together */
};

/* A block of this rank's keys on its way to their owners. */
typedef struct block {
	const gemp_builder *builder;
	const uint64_t *keys;
	size_t count;
	int *owner; /* [BLOCK]; NULL where there is one rank */
} block;

static void owner_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const block *b = context;
	uint64_t hashes[BUILDER_INTEGERS_GROUP];
	size_t end = (piece + 1) * PIECE < b->count ? (piece + 1) * PIECE : b->count;
	for (size_t at = piece * PIECE; at < end; at += BUILDER_INTEGERS_GROUP) {
		size_t count = end - at < BUILDER_INTEGERS_GROUP ? end - at : BUILDER_INTEGERS_GROUP;
		gemp_hash_keys(b->keys + at, count, GEMP_KEY_OF_INTEGER, b->builder->options.seed, hashes);
		for (size_t i = 0; i < count; i++)
			b->owner[at + i] = gemp_builder_key_owner(b->builder, hashes[i]);
	}
}

static size_t pieces(size_t count)
{
	return (count + PIECE - 1) / PIECE;
}

/* Collective. The keys of a block on their owners: *came is [*count], and the caller's to free if it is not the
 * block's. */
static gemp_code group_by_owner(const block *b, const uint64_t **came, size_t **from, size_t *count)
{
	gemp_code code = GEMP_OK;
	void *keys = NULL;
	if (!b->owner) {
		*came = b->keys;
		*count = b->count;
		return GEMP_OK;
	}
	gemp_parallel_for(pieces(b->count), owner_piece, (void *)b);
	GEMP_TRY(gemp_exchange_records(b->builder->comm, b->keys, b->count, sizeof *b->keys, b->owner, &keys, from, NULL));
	*came = keys;
	*count = (*from)[b->builder->comm->size];
done:
	return code;
}

static size_t block_size(const gemp_builder *builder)
{
	size_t keys = builder->options.batch / sizeof(uint64_t);
	return keys < 2 ? 2 : keys < BLOCK ? keys / 2 * 2 : BLOCK; /* both ends of an edge */
}

static gemp_code new_owners(const gemp_builder *builder, int **owner)
{
	gemp_code code = GEMP_OK;
	*owner = NULL;
	if (builder->comm->size > 1)
		code = GEMP_NEW(*owner, block_size(builder));
	return gemp_comm_agree(builder->comm, code);
}

static gemp_code collect_block(const block *b, gemp_integer_set *set)
{
	gemp_code code = GEMP_OK;
	const uint64_t *came = NULL;
	size_t *from = NULL, count = 0;
	GEMP_TRY(group_by_owner(b, &came, &from, &count));
	code = gemp_comm_agree(b->builder->comm, gemp_integer_set_add(set, came, count));
done:
	if (came != b->keys)
		gemp_free((void *)came);
	gemp_free(from);
	return code;
}

static gemp_code add_vertex(gemp_vertex_list *list, uint64_t key, uint32_t labels)
{
	gemp_code code = GEMP_OK;
	char bytes[GEMP_INTEGER_KEY_SIZE] = { GEMP_KEY_OF_INTEGER };
	uint64_t big = __builtin_bswap64(key);
	memcpy(bytes + 1, &big, sizeof big);
	GEMP_TRY(GEMP_RESERVE(list->records, list->capacity, list->keys.count + 1));
	list->records[list->keys.count] = (struct gemp_vertex_record){ GEMP_PLACE_IMPLIED, labels };
	code = gemp_bytes_add(&list->keys, bytes, sizeof bytes);
done:
	return code;
}

/* The set is given back share by share. */
static gemp_code add_all(gemp_vertex_list *list, gemp_integer_set *set, uint32_t labels)
{
	gemp_code code = GEMP_OK;
	size_t count = list->keys.count;
	for (size_t s = 0; s < set->shard_count; s++)
		count += set->shards[s].count;
	GEMP_TRY(GEMP_RESERVE(list->records, list->capacity, count));
	for (size_t s = 0; s < set->shard_count; s++) {
		struct gemp_integer_shard *share = &set->shards[s];
		for (size_t i = 0; i < share->slot_count; i++)
			if (share->slots[i] != UINT64_MAX)
				GEMP_TRY(add_vertex(list, share->slots[i], labels));
		if (share->has_last)
			GEMP_TRY(add_vertex(list, UINT64_MAX, labels));
		gemp_free(share->slots);
		share->slots = NULL;
	}
	for (size_t c = 0; c < list->values.count; c++)
		GEMP_TRY(gemp_builder_pad(&list->values.columns[c], list->keys.count));
done:
	return code;
}

/* Collective. As many rounds as the rank with the longest list needs. */
static uint64_t rounds(const gemp_builder *builder, size_t count)
{
	uint64_t needed = (count + block_size(builder) - 1) / block_size(builder);
	gemp_comm_max(builder->comm, &needed, 1);
	return needed;
}

static block block_at(const gemp_builder *builder, const gemp_edge_list *edges, uint64_t round, int *owner)
{
	size_t size = block_size(builder), all = 2 * edges->count, at = round * size < all ? round * size : all;
	return (block){ builder, all ? edges->ends + at : NULL, all - at < size ? all - at : size, owner };
}

gemp_code gemp_builder_integer_vertices(gemp_builder *builder, gemp_vertex_list *list, uint32_t labels)
{
	gemp_code code = GEMP_OK;
	gemp_integer_set set;
	gemp_builder_part none;
	int *owner = NULL;
	gemp_integer_set_init(&set);
	GEMP_TRY(new_owners(builder, &owner));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		const gemp_edge_list *edges = &gemp_builder_part_at(builder, p, &none)->edges;
		for (uint64_t round = 0, last = rounds(builder, 2 * edges->count); round < last; round++) {
			block b = block_at(builder, edges, round, owner);
			gemp_progress("finding vertices", round, last, 0);
			GEMP_TRY(collect_block(&b, &set));
		}
	}
	code = gemp_comm_agree(builder->comm, add_all(list, &set, labels));
done:
	gemp_integer_set_free(&set);
	gemp_free(owner);
	return code;
}

/* Finds keys among the owned ones, which are sorted by hash: `start` leads to the few whose hashes begin alike. */
typedef struct integer_index {
	const gemp_builder *builder;
	int shift; /* of the place in this rank's range of hashes, to its bucket */
	gemp_vertex first;
	uint32_t *start;      /* [buckets + 1] */
	uint64_t *owned;      /* [rows] keys by id */
	const uint64_t *keys; /* [count] that are looked up now */
	size_t count;
	gemp_vertex *ids; /* [capacity] of these */
	size_t capacity;
} integer_index;

static uint64_t bucket_of(const integer_index *index, uint64_t hash)
{
	return hash * (unsigned)index->builder->comm->size >> index->shift;
}

static gemp_code new_index(integer_index *index, const gemp_builder *builder, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	int bits = 1;
	while (bits < 32 && (uint64_t)1 << bits < graph->rows)
		bits++;
	*index = (integer_index){ .builder = builder, .shift = 64 - bits, .first = (gemp_vertex)graph->first_vertex };
	size_t buckets = (size_t)1 << bits;
	GEMP_TRY(GEMP_NEW(index->start, buckets + 1));
	GEMP_TRY(GEMP_NEW(index->owned, graph->rows));
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t hash, big;
		memcpy(&big, builder->vertices.keys.bytes + builder->vertices.keys.begin[v] + 1, sizeof big);
		index->owned[v] = __builtin_bswap64(big);
		gemp_hash_keys(&index->owned[v], 1, GEMP_KEY_OF_INTEGER, builder->options.seed, &hash);
		index->start[bucket_of(index, hash) + 1]++;
	}
	for (size_t b = 0; b < buckets; b++)
		index->start[b + 1] += index->start[b];
done:
	return code;
}

static void find_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const integer_index *index = context;
	uint64_t bucket[BUILDER_INTEGERS_GROUP];
	size_t end = (piece + 1) * PIECE < index->count ? (piece + 1) * PIECE : index->count;
	for (size_t at = piece * PIECE; at < end; at += BUILDER_INTEGERS_GROUP) {
		size_t count = end - at < BUILDER_INTEGERS_GROUP ? end - at : BUILDER_INTEGERS_GROUP;
		gemp_hash_keys(index->keys + at, count, GEMP_KEY_OF_INTEGER, index->builder->options.seed, bucket);
		for (size_t i = 0; i < count; i++) {
			bucket[i] = bucket_of(index, bucket[i]);
			__builtin_prefetch(&index->start[bucket[i]]);
		}
		for (size_t i = 0; i < count; i++)
			__builtin_prefetch(&index->owned[index->start[bucket[i]]]);
		for (size_t i = 0; i < count; i++) {
			uint32_t v = index->start[bucket[i]], last = index->start[bucket[i] + 1];
			while (v < last && index->owned[v] != index->keys[at + i])
				v++;
			index->ids[at + i] = v < last ? index->first + v : GEMP_NO_VERTEX;
		}
	}
}

/* Local. The ids of keys that this rank owns, in index->ids. */
static gemp_code find(integer_index *index, const uint64_t *keys, size_t count)
{
	gemp_code code = GEMP_RESERVE(index->ids, index->capacity, count);
	index->keys = keys;
	index->count = count;
	if (code == GEMP_OK)
		gemp_parallel_for(pieces(count), find_piece, index);
	return code;
}

/* Collective. What owners found goes back to where the keys of the block came from. */
static gemp_code send_back(const block *b, const integer_index *index, const size_t *from, gemp_vertex *ids)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = b->builder->comm;
	size_t *sizes = NULL, *next = NULL, capacity = 0;
	void *came = NULL;
	code = GEMP_NEW(sizes, 2 * (size_t)comm->size);
	if (code == GEMP_OK)
		code = GEMP_NEW(next, (size_t)comm->size);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (int r = 0; r < comm->size; r++)
		sizes[r] = (from[r + 1] - from[r]) * sizeof *ids;
	GEMP_TRY(gemp_exchange(comm, index->ids, sizes, &came, &capacity, sizes + comm->size, NULL));
	for (int r = 1; r < comm->size; r++)
		next[r] = next[r - 1] + sizes[comm->size + r - 1] / sizeof *ids;
	for (size_t i = 0; i < b->count; i++)
		ids[i] = ((const gemp_vertex *)came)[next[b->owner[i]]++];
done:
	gemp_free(sizes);
	gemp_free(next);
	gemp_free(came);
	return code;
}

/* Collective. ids: [block's count] may lie where keys of the block were. */
static gemp_code request_ids(const block *b, integer_index *index, gemp_vertex *ids)
{
	gemp_code code = GEMP_OK;
	const uint64_t *came = NULL;
	size_t *from = NULL, count = 0;
	GEMP_TRY(group_by_owner(b, &came, &from, &count));
	GEMP_TRY(gemp_comm_agree(b->builder->comm, find(index, came, count)));
	if (b->owner)
		code = send_back(b, index, from, ids);
	else if (b->count)
		memcpy(ids, index->ids, b->count * sizeof *ids);
done:
	if (came != b->keys)
		gemp_free((void *)came);
	gemp_free(from);
	return code;
}

/* Before the ids take the place of the keys. */
static void note_unknown(const gemp_edge_list *edges, const block *b, const gemp_vertex *ids, gemp_unknown_end *unknown)
{
	size_t first = (size_t)(b->keys - edges->ends) / 2;
	for (size_t i = 0; i < b->count; i += 2) {
		if (ids[i] != GEMP_NO_VERTEX && ids[i + 1] != GEMP_NO_VERTEX)
			continue;
		uint64_t place = gemp_edge_list_place(edges, first + i / 2);
		if (unknown->count++ && place >= unknown->place)
			continue;
		unknown->place = place;
		unknown->source = ids[i] == GEMP_NO_VERTEX;
		unknown->key = b->keys[i + !unknown->source];
	}
}

static gemp_code replace(gemp_builder *builder, gemp_edge_list *edges, integer_index *index, int *owner,
                         gemp_vertex *ids, gemp_unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	size_t size = block_size(builder);
	for (uint64_t round = 0, last = rounds(builder, 2 * edges->count); round < last; round++) {
		block b = block_at(builder, edges, round, owner);
		gemp_progress("finding ids", round, last, 0);
		GEMP_TRY(request_ids(&b, index, ids));
		if (!b.count)
			continue;
		note_unknown(edges, &b, ids, unknown);
		memcpy((gemp_vertex *)edges->ends + round * size, ids, b.count * sizeof *ids);
	}
	code = gemp_comm_agree(builder->comm, gemp_edge_list_use_ids(edges));
done:
	return code;
}

gemp_code gemp_builder_integer_ids(gemp_builder *builder, const gemp_shard *graph, gemp_unknown_end *unknown)
{
	gemp_code code = GEMP_OK;
	integer_index index = { 0 };
	gemp_builder_part none = { 0 };
	gemp_vertex *ids = NULL;
	int *owner = NULL;
	GEMP_TRY(new_owners(builder, &owner));
	code = new_index(&index, builder, graph);
	if (code == GEMP_OK)
		code = GEMP_NEW(ids, block_size(builder));
	GEMP_TRY(gemp_comm_agree(builder->comm, code));
	for (size_t p = 0, parts = gemp_builder_max_parts(builder); p < parts; p++) {
		GEMP_TRY(replace(builder, &gemp_builder_part_at(builder, p, &none)->edges, &index, owner, ids, unknown));
		gemp_edge_list_free(&none.edges);
	}
done:
	gemp_edge_list_free(&none.edges);
	gemp_free(index.start);
	gemp_free(index.owned);
	gemp_free(index.ids);
	gemp_free(ids);
	gemp_free(owner);
	return code;
}
