/* Ids by hash, then key, and vertices to the ranks that own them. */

#include "partition/derived/canonical_ids.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/base/dictionary.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

enum { PIECE = 1 << 14 };

/* Keys are ordered as their ranks are. */
typedef struct record {
	uint64_t hash;
	uint32_t key_rank, label_set;
	uint64_t came; /* which of those that came it is */
} record;

typedef struct sorting {
	gemp_canonical_state *c;
	record *records; /* [count] */
	size_t count;
	int *owner;       /* [from->rows]; NULL: one rank */
	size_t longest;   /* key, encoded */
	char *scratch;    /* [threads][longest] */
	uint64_t *begin;  /* [BUCKETS + 1] */
	size_t most;      /* records in a bucket */
	record *sorted;   /* [count] */
	record *spare;    /* [threads][most] */
	uint64_t *order;  /* [count] */
	gemp_vertex *ids; /* [count] of those that came */
} sorting;

static size_t end_of(size_t piece, size_t count)
{
	return (piece + 1) * PIECE < count ? (piece + 1) * PIECE : count;
}

/* The hash of a key as the builder has it; scratch: room for it encoded. */
static uint64_t hash_key(const sorting *s, size_t row, char *scratch)
{
	gemp_value key = gemp_column_get(&s->c->from->keys, row);
	unsigned char bytes[GEMP_INTEGER_KEY_SIZE] = { GEMP_KEY_OF_INTEGER };
	int64_t integer = key.integer;
	bool is_integer = key.type == GEMP_INTEGER ||
	                  (!s->c->string_keys && gemp_canonical_integer(key.string.bytes, key.string.size, &integer));
	if (!is_integer) {
		scratch[0] = GEMP_KEY_OF_STRING;
		memcpy(scratch + 1, key.string.bytes, key.string.size);
		return gemp_hash(scratch, key.string.size + 1, s->c->from->seed);
	}
	uint64_t number = gemp_integer_number(integer);
	for (int i = 8; i > 0; i--, number >>= 8)
		bytes[i] = (unsigned char)number;
	return gemp_hash(bytes, sizeof bytes, s->c->from->seed);
}

static void hash_piece(void *context, unsigned thread, size_t piece)
{
	const sorting *s = context;
	const gemp_shard *from = s->c->from;
	for (size_t row = piece * PIECE; row < end_of(piece, from->rows); row++) {
		uint64_t hash = hash_key(s, row, s->scratch + thread * s->longest);
		s->records[row] = (record){ hash, from->key_ranks[row], from->label_set_of[row], 0 };
		if (s->owner)
			s->owner[row] = (int)((unsigned __int128)hash * (unsigned)s->c->comm->size >> 64);
	}
}

/* Local. */
static gemp_code hash_keys(sorting *s)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *from = s->c->from;
	s->longest = 1;
	for (size_t row = 0; row < from->rows && from->keys.type == GEMP_STRING; row++)
		if (from->keys.offsets[row + 1] - from->keys.offsets[row] >= s->longest)
			s->longest = (size_t)(from->keys.offsets[row + 1] - from->keys.offsets[row]) + 1;
	GEMP_TRY(GEMP_NEW(s->scratch, s->longest * gemp_threads()));
	GEMP_TRY(GEMP_NEW(s->records, from->rows));
	if (s->c->comm->size > 1)
		GEMP_TRY(GEMP_NEW(s->owner, from->rows));
	gemp_parallel_for((from->rows + PIECE - 1) / PIECE, hash_piece, s);
	s->count = from->rows;
done:
	return code;
}

/* ORDER: hashes are spread evenly, so records go into buckets by their hash that fit a cache, a piece's records for one
 * bucket together; then each bucket is sorted by one thread, through finer ones */

enum { BUCKETS = 1 << 10, FINE = 1 << 12 };

static uint64_t part_of(const sorting *s, uint64_t hash, uint64_t parts)
{
	uint64_t size = (uint64_t)s->c->comm->size;
	return (uint64_t)((unsigned __int128)hash * (size * parts) >> 64) - (uint64_t)s->c->comm->rank * parts;
}

static void count_records(const sorting *s, size_t piece, uint64_t counts[BUCKETS])
{
	memset(counts, 0, BUCKETS * sizeof *counts);
	for (size_t i = piece * PIECE; i < end_of(piece, s->count); i++)
		counts[part_of(s, s->records[i].hash, BUCKETS)]++;
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const sorting *s = context;
	uint64_t counts[BUCKETS];
	count_records(s, piece, counts);
	for (size_t b = 0; b < BUCKETS; b++)
		if (counts[b])
			__atomic_fetch_add(&s->begin[b + 1], counts[b], __ATOMIC_RELAXED);
}

/* begin[b] becomes where bucket b ends. */
static void place_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const sorting *s = context;
	uint64_t next[BUCKETS];
	count_records(s, piece, next);
	for (size_t b = 0; b < BUCKETS; b++)
		if (next[b])
			next[b] = __atomic_fetch_add(&s->begin[b], next[b], __ATOMIC_RELAXED);
	for (size_t i = piece * PIECE; i < end_of(piece, s->count); i++) {
		record *to = &s->sorted[next[part_of(s, s->records[i].hash, BUCKETS)]++];
		*to = s->records[i];
		to->came = i;
	}
}

static bool precedes(const record *a, const record *b)
{
	return a->hash < b->hash || (a->hash == b->hash && a->key_rank < b->key_rank);
}

static void insert(record *records, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		record r = records[i];
		size_t to = i;
		for (; to > 0 && precedes(&r, &records[to - 1]); to--)
			records[to] = records[to - 1];
		records[to] = r;
	}
}

/* spare: room for as many. */
static void sort_bucket(const sorting *s, uint64_t bucket, record *records, size_t count, record *spare)
{
	uint32_t begin[FINE + 1] = { 0 };
	uint64_t fine = (uint64_t)BUCKETS * FINE;
	for (size_t i = 0; i < count; i++)
		begin[part_of(s, records[i].hash, fine) - bucket * FINE + 1]++;
	for (size_t f = 0; f < FINE; f++)
		begin[f + 1] += begin[f];
	for (size_t i = 0; i < count; i++)
		spare[begin[part_of(s, records[i].hash, fine) - bucket * FINE]++] = records[i];
	memcpy(records, spare, count * sizeof *records);
	for (size_t f = 0, first = 0; f < FINE; first = begin[f++])
		insert(records + first, begin[f] - first);
}

static void sort_piece(void *context, unsigned thread, size_t bucket)
{
	const sorting *s = context;
	uint64_t first = bucket ? s->begin[bucket - 1] : 0;
	if (s->begin[bucket] > first)
		sort_bucket(s, bucket, s->sorted + first, s->begin[bucket] - first, s->spare + thread * s->most);
}

static void assign_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const sorting *s = context;
	gemp_shard *to = s->c->to;
	for (size_t i = piece * PIECE; i < end_of(piece, s->count); i++) {
		s->order[i] = s->sorted[i].came;
		to->key_ranks[i] = s->sorted[i].key_rank;
		to->label_set_of[i] = s->sorted[i].label_set;
		s->ids[s->sorted[i].came] = (gemp_vertex)(to->first_vertex + i);
	}
}

static gemp_code sort_records(sorting *s)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(s->begin, BUCKETS + 1));
	GEMP_TRY(GEMP_NEW(s->sorted, s->count));
	gemp_parallel_for((s->count + PIECE - 1) / PIECE, count_piece, s);
	for (size_t b = 0; b < BUCKETS; b++) {
		s->most = s->begin[b + 1] > s->most ? (size_t)s->begin[b + 1] : s->most;
		s->begin[b + 1] += s->begin[b];
	}
	GEMP_TRY(GEMP_NEW(s->spare, s->most * gemp_threads()));
	gemp_parallel_for((s->count + PIECE - 1) / PIECE, place_piece, s);
	gemp_parallel_for(BUCKETS, sort_piece, s);
	gemp_free(s->records);
	s->records = NULL;
	GEMP_TRY(GEMP_NEW(s->order, s->count));
	GEMP_TRY(GEMP_NEW(s->ids, s->count));
	GEMP_TRY(GEMP_NEW(s->c->to->key_ranks, s->count));
	GEMP_TRY(GEMP_NEW(s->c->to->label_set_of, s->count));
	gemp_parallel_for((s->count + PIECE - 1) / PIECE, assign_piece, s);
done:
	return code;
}

/* Collective. */
static void give_bounds(const sorting *s)
{
	gemp_shard *to = s->c->to;
	to->bounds[s->c->comm->rank + 1] = s->count;
	gemp_comm_sum(s->c->comm, to->bounds, s->c->comm->size + 1);
	for (int r = 0; r < s->c->comm->size; r++)
		to->bounds[r + 1] += to->bounds[r];
	to->first_vertex = to->bounds[s->c->comm->rank];
	to->rows = s->count;
}

/* Local. Answers to records that went to ranks owner[] come by rank, then in order: out[i] becomes that to record i.
 * place[ranks + 1] is zero. */
static void gemp_canonical_scatter(const int *owner, size_t count, const gemp_vertex *answers, size_t *place,
                                   size_t ranks, gemp_vertex *out)
{
	for (size_t i = 0; i < count; i++)
		place[owner[i] + 1]++;
	for (size_t r = 0; r < ranks; r++)
		place[r + 1] += place[r];
	for (size_t i = 0; i < count; i++)
		out[i] = answers[place[owner[i]]++];
}

/* Collective. New ids go back to those who had the vertices. */
static gemp_code return_ids(sorting *s, const size_t *from)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->c->comm;
	size_t ranks = (size_t)comm->size, *sizes = NULL, *place = NULL, capacity = 0;
	void *answers = NULL;
	code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(place, ranks + 1);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * sizeof *s->ids;
	GEMP_TRY(gemp_exchange(comm, s->ids, sizes, &answers, &capacity, sizes + ranks, NULL));
	gemp_canonical_scatter(s->owner, s->c->from->rows, answers, place, ranks, s->c->id);
done:
	gemp_free(sizes);
	gemp_free(place);
	gemp_free(answers);
	return code;
}

/* Collective. */
static gemp_code give_ids(sorting *s)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = s->c->comm;
	void *came = NULL;
	size_t *from = NULL;
	GEMP_TRY(gemp_comm_agree(comm, hash_keys(s)));
	if (s->owner) {
		GEMP_TRY(gemp_exchange_records(comm, s->records, s->count, sizeof *s->records, s->owner, &came, &from, NULL));
		gemp_free(s->records);
		s->records = came;
		s->count = from[comm->size];
	}
	give_bounds(s);
	GEMP_TRY(gemp_comm_agree(comm, sort_records(s)));
	if (s->owner) {
		code = return_ids(s, from);
	} else {
		gemp_free(s->c->id);
		s->c->id = s->ids;
		s->ids = NULL;
	}
done:
	gemp_free(from);
	return code;
}

/* Collective. */
static gemp_code move_columns(const sorting *s)
{
	gemp_code code = GEMP_OK;
	gemp_canonical_state *c = s->c;
	gemp_table *to = &c->to->attributes, *from = &c->from->attributes;
	c->to->keys = c->from->keys;
	c->from->keys = (gemp_column){ 0 };
	*to = *from;
	*from = (gemp_table){ 0 };
	to->rows = c->to->rows;
	GEMP_TRY(gemp_canonical_column(c->comm, &c->to->keys, s->owner, s->order, s->count));
	for (size_t i = 0; i < to->count; i++)
		GEMP_TRY(gemp_canonical_column(c->comm, &to->columns[i], s->owner, s->order, s->count));
done:
	return code;
}

gemp_code gemp_canonical_vertices(gemp_canonical_state *c)
{
	gemp_code code = GEMP_OK;
	sorting s = { .c = c };
	GEMP_TRY(give_ids(&s));
	code = move_columns(&s);
done:
	gemp_free(s.scratch);
	gemp_free(s.records);
	gemp_free(s.owner);
	gemp_free(s.begin);
	gemp_free(s.sorted);
	gemp_free(s.spare);
	gemp_free(s.order);
	gemp_free(s.ids);
	return code;
}

gemp_code gemp_canonical_send(const gemp_comm *comm, void **records, size_t count, size_t size, const int *owner,
                              size_t *came)
{
	gemp_code code = GEMP_OK;
	void *received = NULL;
	size_t *from = NULL;
	*came = count;
	if (!owner)
		return GEMP_OK;
	GEMP_TRY(gemp_exchange_records(comm, *records, count, size, owner, &received, &from, NULL));
	gemp_free(*records);
	*records = received;
	*came = from[comm->size];
done:
	gemp_free(from);
	return code;
}

gemp_code gemp_canonical_column(const gemp_comm *comm, gemp_column *column, const int *owner, const uint64_t *order,
                                size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_column came = { 0 }, sorted = { 0 };
	if (owner) {
		GEMP_TRY(gemp_column_exchange(&came, comm, column, owner));
		gemp_column_free(column);
		*column = came;
	}
	GEMP_TRY(gemp_comm_agree(comm, gemp_column_gather(&sorted, column, NULL, order, count)));
	gemp_column_free(column);
	*column = sorted;
	sorted = (gemp_column){ 0 };
done:
	gemp_column_free(&sorted);
	return code;
}

typedef struct id_request {
	const gemp_canonical_state *c;
	const gemp_vertex *ids;
	size_t count;
	int *owner;
	gemp_vertex *out;
} id_request;

static void owner_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const id_request *a = context;
	for (size_t i = piece * PIECE; i < a->count && i < (piece + 1) * PIECE; i++)
		a->owner[i] = gemp_shard_owner(a->c->from, a->ids[i]);
}

static void answer_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const id_request *a = context;
	for (size_t i = piece * PIECE; i < a->count && i < (piece + 1) * PIECE; i++)
		a->out[i] = a->c->id[a->ids[i] - a->c->from->first_vertex];
}

/* Collective. */
static gemp_code request_owners(id_request *a)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = a->c->comm;
	size_t ranks = (size_t)comm->size, *from = NULL, *sizes = NULL, *place = NULL, capacity = 0;
	void *asked = NULL, *answers = NULL;
	code = GEMP_NEW(a->owner, a->count);
	if (code == GEMP_OK)
		code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(place, ranks + 1);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_parallel_for((a->count + PIECE - 1) / PIECE, owner_piece, a);
	GEMP_TRY(gemp_exchange_records(comm, a->ids, a->count, sizeof *a->ids, a->owner, &asked, &from, NULL));
	id_request here = { .c = a->c, .ids = asked, .count = from[ranks], .out = asked };
	gemp_parallel_for((here.count + PIECE - 1) / PIECE, answer_piece, &here);
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * sizeof *a->ids;
	GEMP_TRY(gemp_exchange(comm, asked, sizes, &answers, &capacity, sizes + ranks, NULL));
	gemp_canonical_scatter(a->owner, a->count, answers, place, ranks, a->out);
done:
	gemp_free(a->owner);
	gemp_free(from);
	gemp_free(sizes);
	gemp_free(place);
	gemp_free(asked);
	gemp_free(answers);
	return code;
}

gemp_code gemp_canonical_request(const gemp_canonical_state *c, const gemp_vertex *ids, size_t count, gemp_vertex *out)
{
	id_request a = { .c = c, .ids = ids, .count = count, .out = out };
	if (c->comm->size > 1)
		return request_owners(&a);
	gemp_parallel_for((count + PIECE - 1) / PIECE, answer_piece, &a);
	return GEMP_OK;
}
