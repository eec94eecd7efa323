/* Vertices are sorted by (hash, key). Hashes are spread evenly, so a rank's range of hashes is divided into 1,024 equal
 * buckets, each of which fits into a cache. One thread sorts a bucket: it distributes the records over 4,096 finer
 * buckets and sorts these by insertion. The position of a vertex in the sorted order is its new id. The new ids are
 * sent back to the ranks that had the vertices. */

#include "partition/derived/canonical.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/content_hash.h"
#include "partition/build/dictionary.h"
#include "partition/build/rows_source.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

/* Local. Makes the new graph with the schema of the old graph. A loader makes the rows by target. */
static gemp_code start_relabel(gemp_relabel *r)
{
	GEMP_TRY(GEMP_NEW(r->to, 1));
	GEMP_TRY(gemp_shard_copy_schema(r->to, r->from));
	r->to->loader = gemp_rows_source(r->comm);
	return GEMP_NEW(r->id, r->from->rows);
}

/* A vertex on its way to the owner of its hash. The vertex keeps its label set. */
typedef struct key_record {
	uint64_t hash;
	uint32_t key_rank, label_set;
	uint64_t index; /* index of the record among the received records */
} key_record;

/* The state of the sort by (hash, key): the received records, the buckets, and the resulting permutation. */
typedef struct hash_sort {
	gemp_relabel *r;
	bool string_keys;
	key_record *records; /* [count] */
	size_t count;
	int *owner;         /* [from->rows]; NULL if there is one rank */
	size_t max_key;     /* bytes of the longest encoded key */
	char *scratch;      /* [threads][max_key] */
	uint64_t *begin;    /* [BUCKETS + 1] */
	size_t max_bucket;  /* records of the largest bucket */
	key_record *sorted; /* [count] */
	key_record *spare;  /* [threads][max_bucket] */
	uint64_t *order;    /* [count] */
	gemp_vertex *ids;   /* [count] new ids of the received vertices, in the order in which they were received */
} hash_sort;

enum { CHUNK = 1 << 14 }; /* keys that a thread takes at a time */

/* Computes the hash of a key as the builder computes it. scratch[max_key] gets the encoded key. */
static uint64_t hash_key(const hash_sort *s, size_t row, char *scratch)
{
	gemp_value key = gemp_column_get(&s->r->from->keys, row);
	unsigned char bytes[GEMP_INTEGER_KEY_SIZE] = { GEMP_KEY_OF_INTEGER };
	int64_t integer = key.integer;
	bool is_integer = key.type == GEMP_INTEGER ||
	                  (!s->string_keys && gemp_canonical_integer(key.string.bytes, key.string.size, &integer));
	if (!is_integer) {
		scratch[0] = GEMP_KEY_OF_STRING;
		memcpy(scratch + 1, key.string.bytes, key.string.size);
		return gemp_hash(scratch, key.string.size + 1, s->r->from->seed);
	}
	uint64_t number = gemp_integer_number(integer);
	for (int i = 8; i > 0; i--, number >>= 8)
		bytes[i] = (unsigned char)number;
	return gemp_hash(bytes, sizeof bytes, s->r->from->seed);
}

/* The hash of a vertex determines its owner, as in the builder. */
static void hash_chunk(void *context, unsigned thread, size_t chunk)
{
	const hash_sort *s = context;
	const gemp_shard *from = s->r->from;
	for (size_t row = chunk * CHUNK; row < from->rows && row < (chunk + 1) * CHUNK; row++) {
		uint64_t hash = hash_key(s, row, s->scratch + thread * s->max_key);
		s->records[row] = (key_record){ hash, from->key_ranks[row], from->label_set_of[row], 0 };
		if (s->owner)
			s->owner[row] = (int)((unsigned __int128)hash * (unsigned)s->r->comm->size >> 64);
	}
}

/* Local. Hashes all keys and finds the owners of the hashes. The longest key determines the size of a thread's scratch
 * memory. */
static gemp_code hash_keys(hash_sort *s)
{
	const gemp_shard *from = s->r->from;
	s->max_key = 1;
	for (size_t row = 0; row < from->rows && from->keys.type == GEMP_STRING; row++)
		if (from->keys.offsets[row + 1] - from->keys.offsets[row] >= s->max_key)
			s->max_key = (size_t)(from->keys.offsets[row + 1] - from->keys.offsets[row]) + 1;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->scratch, s->max_key * gemp_threads()), GEMP_ARRAY(s->records, from->rows)));
	if (s->r->comm->size > 1)
		GEMP_TRY(GEMP_NEW(s->owner, from->rows));
	gemp_parallel_for((from->rows + CHUNK - 1) / CHUNK, hash_chunk, s);
	s->count = from->rows;
	return GEMP_OK;
}

enum { BUCKETS = 1 << 10, FINE = 1 << 12 }; /* buckets of a rank's range of hashes, and fine buckets of each bucket */

/* The rank's range of hashes is divided into equal buckets. Hashes are spread evenly, so the buckets have about the
 * same number of records. */
static uint64_t bucket_of(const hash_sort *s, uint64_t hash, uint64_t buckets)
{
	uint64_t size = (uint64_t)s->r->comm->size;
	return (uint64_t)((unsigned __int128)hash * (size * buckets) >> 64) - (uint64_t)s->r->comm->rank * buckets;
}

/* A thread counts its range in an array of its own first, so it updates each shared counter at most once per range. */
static void count_records(const hash_sort *s, size_t begin, size_t end, uint64_t counts[BUCKETS])
{
	memset(counts, 0, BUCKETS * sizeof *counts);
	for (size_t i = begin; i < end; i++)
		counts[bucket_of(s, s->records[i].hash, BUCKETS)]++;
}

/* begin[b + 1] becomes the size of bucket b. */
static void count_range(void *context, size_t begin, size_t end)
{
	const hash_sort *s = context;
	uint64_t counts[BUCKETS];
	count_records(s, begin, end, counts);
	for (size_t b = 0; b < BUCKETS; b++)
		if (counts[b])
			__atomic_fetch_add(&s->begin[b + 1], counts[b], __ATOMIC_RELAXED);
}

/* Moves the records to their buckets. begin[b] becomes the end of bucket b. */
static void place_range(void *context, size_t begin, size_t end)
{
	const hash_sort *s = context;
	uint64_t next[BUCKETS];
	count_records(s, begin, end, next);
	for (size_t b = 0; b < BUCKETS; b++)
		if (next[b])
			next[b] = __atomic_fetch_add(&s->begin[b], next[b], __ATOMIC_RELAXED);
	for (size_t i = begin; i < end; i++) {
		key_record *to = &s->sorted[next[bucket_of(s, s->records[i].hash, BUCKETS)]++];
		*to = s->records[i];
		to->index = i;
	}
}

/* Equal hashes are ordered by key rank, which is the order of the keys themselves. */
static bool precedes(const key_record *a, const key_record *b)
{
	return a->hash < b->hash || (a->hash == b->hash && a->key_rank < b->key_rank);
}

/* Insertion is fast here, as a fine bucket has about one record. */
static void insert(key_record *records, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		key_record r = records[i];
		size_t to = i;
		for (; to > 0 && precedes(&r, &records[to - 1]); to--)
			records[to] = records[to - 1];
		records[to] = r;
	}
}

/* Sorts records[count]; spare[count] is overwritten. */
static void sort_bucket(const hash_sort *s, uint64_t bucket, key_record *records, size_t count, key_record *spare)
{
	uint32_t begin[FINE + 1] = { 0 };
	uint64_t fine = (uint64_t)BUCKETS * FINE;
	for (size_t i = 0; i < count; i++)
		begin[bucket_of(s, records[i].hash, fine) - bucket * FINE + 1]++;
	for (size_t f = 0; f < FINE; f++)
		begin[f + 1] += begin[f];
	for (size_t i = 0; i < count; i++)
		spare[begin[bucket_of(s, records[i].hash, fine) - bucket * FINE]++] = records[i];
	memcpy(records, spare, count * sizeof *records);
	for (size_t f = 0, first = 0; f < FINE; first = begin[f++])
		insert(records + first, begin[f] - first);
}

/* One thread sorts a bucket, which fits into a cache. */
static void sort_one(void *context, unsigned thread, size_t bucket)
{
	const hash_sort *s = context;
	uint64_t first = bucket ? s->begin[bucket - 1] : 0;
	if (s->begin[bucket] > first)
		sort_bucket(s, bucket, s->sorted + first, s->begin[bucket] - first, s->spare + thread * s->max_bucket);
}

/* The position of a vertex in the sorted order gives its new id. The permutation is kept, as the columns of the
 * vertices are permuted by it. */
static void assign_range(void *context, size_t begin, size_t end)
{
	const hash_sort *s = context;
	gemp_shard *to = s->r->to;
	for (size_t i = begin; i < end; i++) {
		s->order[i] = s->sorted[i].index;
		to->key_ranks[i] = s->sorted[i].key_rank;
		to->label_set_of[i] = s->sorted[i].label_set;
		s->ids[s->sorted[i].index] = (gemp_vertex)(to->first_vertex + i);
	}
}

/* Local. The received records are freed before the arrays of the result are allocated. */
static gemp_code sort_records(hash_sort *s)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->begin, BUCKETS + 1), GEMP_ARRAY(s->sorted, s->count)));
	gemp_for_elements(s->count, count_range, s);
	for (size_t b = 0; b < BUCKETS; b++) {
		s->max_bucket = s->begin[b + 1] > s->max_bucket ? (size_t)s->begin[b + 1] : s->max_bucket;
		s->begin[b + 1] += s->begin[b];
	}
	GEMP_TRY(GEMP_NEW(s->spare, s->max_bucket * gemp_threads()));
	gemp_for_elements(s->count, place_range, s);
	gemp_parallel_for(BUCKETS, sort_one, s);
	gemp_free(s->records);
	s->records = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(s->order, s->count), GEMP_ARRAY(s->ids, s->count),
	                      GEMP_ARRAY(s->r->to->key_ranks, s->count), GEMP_ARRAY(s->r->to->label_set_of, s->count)));
	gemp_for_elements(s->count, assign_range, s);
	return GEMP_OK;
}

/* Collective. Each rank contributes the number of its vertices. A sum over the ranks and a prefix sum turn the numbers
 * into bounds. */
static void set_bounds(const hash_sort *s)
{
	gemp_shard *to = s->r->to;
	to->bounds[s->r->comm->rank + 1] = s->count;
	gemp_comm_sum(s->r->comm, to->bounds, s->r->comm->size + 1);
	for (int r = 0; r < s->r->comm->size; r++)
		to->bounds[r + 1] += to->bounds[r];
	to->first_vertex = to->bounds[s->r->comm->rank];
	to->rows = s->count;
}

/* Collective. Records are sent to the owners of their hashes and sorted there. The new ids are sent back to the ranks
 * that had the vertices. */
static gemp_code assign_ids(hash_sort *s)
{
	const gemp_comm *comm = s->r->comm;
	void *came = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_TRY(gemp_comm_agree(comm, hash_keys(s)));
	if (s->owner) {
		GEMP_TRY(gemp_exchange_records(comm, GEMP_OK, s->records, s->count, sizeof *s->records, s->owner, &came, &from,
		                               NULL));
		gemp_free(s->records);
		s->records = came;
		s->count = from[comm->size];
	}
	set_bounds(s);
	GEMP_TRY(gemp_comm_agree(comm, sort_records(s)));
	if (s->owner)
		return gemp_exchange_answers(comm, GEMP_OK, s->ids, sizeof *s->ids, from, s->owner, s->r->from->rows, s->r->id,
		                             NULL);
	gemp_free(s->r->id);
	s->r->id = s->ids;
	s->ids = NULL;
	return GEMP_OK;
}

static void free_hash_sort(hash_sort *s)
{
	gemp_free_all(s->scratch, s->records, s->owner, s->begin, s->sorted, s->spare, s->order, s->ids);
}

/* Collective. Sets r->id, and the bounds, keys, labels and attributes of r->to. string_keys: as gemp_builder_options
 * has it. */
static gemp_code move_vertices(gemp_relabel *r, bool string_keys)
{
	GEMP_OWNED_BY(free_hash_sort) hash_sort s = { .r = r, .string_keys = string_keys };
	GEMP_TRY(assign_ids(&s));
	GEMP_TRY(gemp_column_move(r->comm, &r->to->keys, &r->from->keys, s.owner, s.order, s.count, r->consumes));
	return gemp_table_move(r->comm, &r->to->attributes, &r->from->attributes, s.owner, s.order, s.count, r->consumes);
}

/* The old graph is freed relation by relation, so at most one of its relations exists twice. */
gemp_code gemp_shard_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys)
{
	GEMP_OWNED_BY(gemp_relabel_free) gemp_relabel r = { .comm = comm, .from = *graph, .consumes = true };
	GEMP_TRY(gemp_comm_agree(comm, start_relabel(&r)));
	GEMP_TRY(move_vertices(&r, string_keys));
	for (size_t i = 0; i < r.from->relation_count; i++)
		GEMP_TRY(gemp_relabel_relation(&r, i));
	GEMP_TRY(gemp_shard_content_hash(comm, r.to, &r.to->hash));
	gemp_shard_free(*graph);
	*graph = r.to;
	r.to = NULL;
	return GEMP_OK;
}

/* The hashes of this rank's keys in the order of ids. They ascend if the ids were assigned in the order of these
 * hashes. */
typedef struct hash_order {
	uint64_t rows, first, last; /* number of keys, first hash, last hash */
	uint64_t wrong;             /* adjacent keys whose hashes descend */
} hash_order;

/* Compares the hash of the next key with the hash of the key before. */
static gemp_code check_hash_order(hash_order *as, gemp_value key, uint64_t seed, gemp_text *scratch)
{
	GEMP_TRY(gemp_key_encode(&key, scratch));
	uint64_t hash = gemp_hash(scratch->data, scratch->size, seed);
	if (as->rows++ == 0)
		as->first = hash;
	else
		as->wrong += hash < as->last;
	as->last = hash;
	return GEMP_OK;
}

typedef struct key_facts {
	hash_order mixed;
	uint64_t integers;     /* number of keys that are integers in canonical form */
	uint64_t highest_rank; /* highest key rank of these keys, + 1 */
} key_facts;

/* Local. Takes every string in the canonical form of an integer as this integer. */
static gemp_code collect_key_order(const gemp_shard *graph, key_facts *facts)
{
	gemp_code code = GEMP_OK;
	gemp_text scratch = { 0 };
	for (size_t row = 0; row < graph->rows && code == GEMP_OK; row++) {
		gemp_value key = gemp_column_get(&graph->keys, row), integer = { .type = GEMP_INTEGER };
		if (gemp_canonical_integer(key.string.bytes, key.string.size, &integer.integer)) {
			key = integer;
			facts->integers++;
			if (graph->key_ranks[row] >= facts->highest_rank)
				facts->highest_rank = (uint64_t)graph->key_ranks[row] + 1;
		}
		code = check_hash_order(&facts->mixed, key, graph->seed, &scratch);
	}
	gemp_text_free(&scratch);
	return code;
}

/* The last hash of a rank is compared with the first hash of the next rank that has vertices. */
gemp_code gemp_has_string_keys(const gemp_comm *comm, const gemp_shard *graph, bool *out)
{
	key_facts mine = { 0 }, all = { 0 };
	GEMP_OWNED void *gathered = NULL;
	GEMP_OWNED size_t *begin = NULL;
	*out = false;
	if (graph->keys.type != GEMP_STRING)
		return GEMP_OK;
	gemp_code code = collect_key_order(graph, &mine);
	GEMP_TRY(gemp_comm_allgather(comm, code, &mine, sizeof mine, &gathered, &begin));
	const key_facts *facts = gathered;
	for (int r = 0; r < comm->size; r++) {
		all.integers += facts[r].integers;
		all.highest_rank = facts[r].highest_rank > all.highest_rank ? facts[r].highest_rank : all.highest_rank;
		if (facts[r].mixed.rows == 0)
			continue;
		all.mixed.wrong += facts[r].mixed.wrong + (facts[r].mixed.first < all.mixed.last);
		all.mixed.last = facts[r].mixed.last;
	}
	*out = all.integers && (all.integers == graph->vertex_count || all.highest_rank > all.integers || all.mixed.wrong);
	return GEMP_OK;
}
