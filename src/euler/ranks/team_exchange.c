#include "euler/ranks/team_exchange.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <string.h>

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound)
{
	*subset = (gemp_euler_subset){ .words = bound / 64 + 1 };
	return GEMP_NEW(subset->word, subset->words);
}

/* Computes an exclusive prefix sum over the words. Afterwards the index of a member takes one popcount within its
 * word. */
void gemp_euler_subset_seal(gemp_euler_subset *subset)
{
	size_t count = 0;
	for (size_t word = 0; word < subset->words; word++) {
		subset->word[word].before = count;
		count += (size_t)__builtin_popcountll(subset->word[word].bits);
	}
	subset->count = count;
}

void gemp_euler_subset_list(const gemp_euler_subset *subset, uint64_t *out)
{
	for (size_t word = 0; word < subset->words; word++)
		GEMP_EACH_BIT (subset->word[word].bits, bit)
			*out++ = word * 64 + bit;
}

void gemp_euler_subset_free(gemp_euler_subset *subset)
{
	gemp_free(subset->word);
	*subset = (gemp_euler_subset){ 0 };
}

enum { RECORDS_PER_CHUNK = 2048 };

gemp_code gemp_euler_exchange_new(gemp_euler_exchange *exchange, gemp_euler_team *team, size_t size, bool replies)
{
	*exchange = (gemp_euler_exchange){ .team = team, .size = size, .replies = replies };
	return gemp_new_all(GEMP_ARRAY(exchange->count, GEMP_EULER_MAX_CHUNKS * team->teams),
	                    GEMP_ARRAY(exchange->send_size, team->teams), GEMP_ARRAY(exchange->receive_size, team->teams));
}

/* Arrays grow to the size for the largest round and are kept. The capacity is set last. So after a failure some arrays
 * may be larger than the capacity says, which is harmless. */
static gemp_code reserve(gemp_euler_exchange *exchange, size_t count)
{
	if (count <= exchange->capacity)
		return GEMP_OK;
	void *array;
#define LARGER(pointer, size)                              \
	if (!(array = gemp_realloc((pointer), count, (size)))) \
		return GEMP_ENOMEM;                                \
	(pointer) = array
	LARGER(exchange->stage, exchange->size);
	LARGER(exchange->send, exchange->size);
	LARGER(exchange->owner, sizeof *exchange->owner);
	if (exchange->encode) {
		LARGER(exchange->encoded, exchange->encoded_max);
	}
	if (exchange->replies) {
		LARGER(exchange->tag, sizeof *exchange->tag);
		LARGER(exchange->position, sizeof *exchange->position);
	}
#undef LARGER
	exchange->capacity = count;
	return GEMP_OK;
}

/* There are at most GEMP_EULER_MAX_CHUNKS chunks, which keeps the counts by chunk and team small. */
gemp_code gemp_euler_exchange_open(gemp_euler_exchange *exchange, size_t count)
{
	size_t chunks = (count + RECORDS_PER_CHUNK - 1) / RECORDS_PER_CHUNK;
	exchange->chunks = chunks < 1 ? 1 : chunks < GEMP_EULER_MAX_CHUNKS ? chunks : GEMP_EULER_MAX_CHUNKS;
	for (size_t c = 0; c <= exchange->chunks; c++)
		exchange->begin[c] = gemp_chunk_begin(count, exchange->chunks, c);
	memset(exchange->put, 0, sizeof exchange->put);
	memset(exchange->count, 0, GEMP_EULER_MAX_CHUNKS * exchange->team->teams * sizeof *exchange->count);
	return exchange->team->teams > 1 ? reserve(exchange, count) : GEMP_OK;
}

/* Counting sort by team. The counts of the chunk have become the places of its first record for each team. So threads
 * write without synchronisation, and the records for a team keep their order. */
static void sort_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	gemp_euler_exchange *exchange = context;
	size_t *to = exchange->count + chunk * exchange->team->teams;
	for (size_t i = exchange->begin[chunk]; i < exchange->begin[chunk] + exchange->put[chunk]; i++) {
		size_t at = to[exchange->owner[i]]++;
		memcpy(exchange->send + at * exchange->size, exchange->stage + i * exchange->size, exchange->size);
		if (exchange->replies)
			exchange->position[i] = (uint32_t)at;
	}
}

/* Collective. One reduction sums up failures and remaining work. Only if some rank has failed, a second reduction
 * distributes the message. */
static gemp_code agree(const gemp_euler_exchange *exchange, gemp_code code, uint64_t *left)
{
	uint64_t sums[2] = { code != GEMP_OK, left ? *left : 0 };
	for (size_t c = 0; c < exchange->chunks; c++)
		sums[1] += exchange->put[c];
	gemp_comm_sum(exchange->team->comm, sums, 2);
	if (left)
		*left = sums[1];
	return sums[0] ? gemp_comm_agree(exchange->team->comm, code) : GEMP_OK;
}

/* Encodes the records for each team. send_size[] becomes the size of the encoded records. Returns the bytes to send. */
static const char *encode_records(gemp_euler_exchange *exchange)
{
	const char *from = exchange->send;
	char *to = exchange->encoded;
	if (!exchange->encode)
		return exchange->send;
	for (size_t t = 0; t < exchange->team->teams; t++) {
		size_t bytes = exchange->send_size[t];
		exchange->send_size[t] = exchange->encode(exchange->context, from, bytes / exchange->size, to);
		from += bytes;
		to += exchange->send_size[t];
	}
	return exchange->encoded;
}

/* The counts by chunk and team become offsets in send[]: first by team, as gemp_exchange requires, and within a team by
 * chunk. So the records for a team keep the order of their elements. */
gemp_code gemp_euler_exchange_send(gemp_euler_exchange *exchange, gemp_code code, uint64_t *left)
{
	size_t teams = exchange->team->teams, before = 0;
	exchange->received = 0;
	GEMP_TRY(agree(exchange, code, left));
	if (left && *left == 0)
		return GEMP_OK;
	for (size_t t = 0; t < teams; t++) {
		exchange->send_size[t] = 0;
		for (size_t c = 0; c < exchange->chunks; c++) {
			size_t count = exchange->count[c * teams + t];
			exchange->count[c * teams + t] = before;
			before += count;
			exchange->send_size[t] += count * exchange->size;
		}
	}
	gemp_parallel_for(exchange->chunks, sort_chunk, exchange);
	GEMP_TRY(gemp_exchange(exchange->team->comm, GEMP_OK, encode_records(exchange), exchange->send_size,
	                       &exchange->receive, &exchange->receive_capacity, exchange->receive_size,
	                       &exchange->team->traffic));
	for (size_t t = 0; t < teams; t++)
		exchange->received += exchange->receive_size[t] / exchange->size;
	return GEMP_OK;
}

void gemp_euler_exchange_free(gemp_euler_exchange *exchange)
{
	gemp_free_all(exchange->stage, exchange->owner, exchange->tag, exchange->position, exchange->count, exchange->send,
	              exchange->encoded, exchange->send_size, exchange->receive_size, exchange->receive);
	*exchange = (gemp_euler_exchange){ 0 };
}

/* One round of gemp_euler_bits_set. */
typedef struct bit_round {
	const uint64_t *numbers; /* the numbers of this round */
	const uint64_t *bounds;
	gemp_euler_exchange exchange;
} bit_round;

/* Sends each number to its owner, as the owner's local index. */
static void post_bits(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	bit_round *b = context;
	const gemp_euler_team *team = b->exchange.team;
	for (size_t i = b->exchange.begin[chunk]; i < b->exchange.begin[chunk + 1]; i++) {
		uint64_t number = b->numbers[i];
		size_t owner = b->bounds ? gemp_range_find(b->bounds, team->teams, number) : number % team->teams;
		gemp_number_write(gemp_euler_exchange_put(&b->exchange, chunk, owner, 0), 0,
		                  b->bounds ? number - b->bounds[owner] : number / team->teams, team->wide);
	}
}

/* Rounds bound the number of records in flight. Several teams may send the same number to its owner, since setting a
 * bit twice does no harm. */
gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	bit_round b = { .bounds = bounds };
	GEMP_TRY_DONE(
		gemp_comm_agree(team->comm, gemp_euler_exchange_new(&b.exchange, team, gemp_number_size(team->wide), false)));
	uint64_t rounds = gemp_exchange_rounds(team->comm, count, team->in_flight);
	for (uint64_t round = 0; round < rounds; round++) {
		gemp_block_range part = gemp_exchange_round(round, count, team->in_flight);
		b.numbers = numbers + part.begin;
		code = gemp_euler_exchange_open(&b.exchange, part.end - part.begin);
		if (code == GEMP_OK)
			gemp_parallel_for(b.exchange.chunks, post_bits, &b);
		GEMP_TRY_DONE(gemp_euler_exchange_send(&b.exchange, code, NULL));
		for (size_t i = 0; i < b.exchange.received; i++)
			gemp_bits64_set_atomic(bits, gemp_number_at(b.exchange.receive, i, team->wide));
	}
done:
	gemp_euler_exchange_free(&b.exchange);
	return code;
}

typedef struct query_state {
	const gemp_euler_request *request;
	bool wide;
	size_t teams;
	uint64_t *owned; /* [teams] how many numbers each team has */
	/* [4 * teams] bytes of requests sent, requests received, answers sent, and answers received */
	size_t *sizes;
	size_t *cursor;          /* [teams] */
	unsigned char *requests; /* a bit for each number, team by team; the bits of each team begin at a byte */
	void *received_requests, *answers, *received, *values;
	size_t requests_capacity, received_capacity;
} query_state;

/* The request to a team is a bitmap over the team's numbers, so each number is requested once and answers need no
 * keys. */
static gemp_code pack_requests(query_state *a)
{
	size_t bytes = 0;
	const gemp_euler_subset *named = a->request->named;
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = bytes;
		a->sizes[t] = (a->owned[t] + 7) / 8;
		bytes += a->sizes[t];
	}
	GEMP_TRY(GEMP_NEW(a->requests, bytes));
	for (size_t word = 0; word < named->words; word++)
		GEMP_EACH_BIT (named->word[word].bits, bit) {
			uint64_t number = word * 64 + bit, k = number / a->teams;
			a->requests[a->cursor[number % a->teams] + k / 8] |= (unsigned char)(1u << (k % 8));
		}
	return GEMP_OK;
}

/* Counts the answers for each team. Every request is passed to request->receive before the first answer is computed,
 * since an answer may depend on all requests. */
static size_t count_requests(query_state *a)
{
	const gemp_euler_request *request = a->request;
	const unsigned char *bits = a->received_requests;
	size_t total = 0;
	for (size_t t = 0; t < a->teams; bits += a->sizes[a->teams + t++]) {
		size_t count = 0;
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++) {
			count += (size_t)__builtin_popcount(bits[byte]);
			if (request->receive)
				GEMP_EACH_BIT (bits[byte], bit)
					request->receive(request->context, t, byte * 8 + bit);
		}
		a->sizes[2 * a->teams + t] = count * gemp_number_size(a->wide);
		total += count;
	}
	return total;
}

/* Answers are in the order of the bits in each team's request. */
static gemp_code pack_answers(query_state *a)
{
	const gemp_euler_request *request = a->request;
	size_t at = 0;
	GEMP_TRY(gemp_numbers_new(&a->answers, count_requests(a), a->wide));
	const unsigned char *bits = a->received_requests;
	for (size_t t = 0; t < a->teams; bits += a->sizes[a->teams + t++])
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++)
			GEMP_EACH_BIT (bits[byte], bit)
				gemp_number_put(a->answers, at++, request->answer(request->context, byte * 8 + bit), a->wide);
	return GEMP_OK;
}

/* Answers arrive by team. This function puts them into the order of the numbers. */
static gemp_code order_answers(query_state *a)
{
	const gemp_euler_subset *named = a->request->named;
	size_t size = gemp_number_size(a->wide), at = 0, before = 0;
	GEMP_TRY(gemp_numbers_new(&a->values, named->count, a->wide));
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = before;
		before += a->sizes[3 * a->teams + t] / size;
	}
	for (size_t word = 0; word < named->words; word++)
		GEMP_EACH_BIT (named->word[word].bits, bit) {
			size_t *from = &a->cursor[(word * 64 + bit) % a->teams];
			gemp_number_put(a->values, at++, gemp_number_at(a->received, (*from)++, a->wide), a->wide);
		}
	return GEMP_OK;
}

/* Collective. Makes two exchanges: bitmaps go to the owners, and values come back. */
static gemp_code run_query(query_state *a)
{
	gemp_euler_team *team = a->request->team;
	const gemp_comm *comm = team->comm;
	size_t teams = a->teams;
	GEMP_MPI(MPI_Allgather(&a->request->own, 1, MPI_UINT64_T, a->owned, 1, MPI_UINT64_T, comm->world));
	gemp_code code = pack_requests(a);
	GEMP_TRY(gemp_exchange(comm, code, a->requests, a->sizes, &a->received_requests, &a->requests_capacity,
	                       a->sizes + teams, &team->traffic));
	code = pack_answers(a);
	GEMP_TRY(gemp_exchange(comm, code, a->answers, a->sizes + 2 * teams, &a->received, &a->received_capacity,
	                       a->sizes + 3 * teams, &team->traffic));
	return gemp_comm_agree(comm, order_answers(a));
}

/* *values is set only after both exchanges have succeeded, so after a failure the caller has nothing to free. */
gemp_code gemp_euler_query(const gemp_euler_request *request, void **values)
{
	gemp_euler_team *team = request->team;
	query_state a = { .request = request, .wide = team->wide, .teams = team->teams };
	gemp_code code = gemp_new_all(GEMP_ARRAY(a.owned, a.teams), GEMP_ARRAY(a.sizes, 4 * a.teams),
	                              GEMP_ARRAY(a.cursor, a.teams));
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, code));
	GEMP_TRY_DONE(run_query(&a));
	*values = a.values;
	a.values = NULL;
done:
	gemp_free_all(a.owned, a.sizes, a.cursor, a.requests, a.received_requests, a.answers, a.received, a.values);
	return code;
}
