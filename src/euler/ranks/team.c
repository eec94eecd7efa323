#include "euler/ranks/team.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/status.h"
#include "core/threads.h"

#include <string.h>

gemp_code gemp_euler_subset_new(gemp_euler_subset *subset, uint64_t bound)
{
	*subset = (gemp_euler_subset){ .words = bound / 64 + 1 };
	return GEMP_NEW(subset->word, subset->words);
}

void gemp_euler_subset_seal(gemp_euler_subset *subset)
{
	size_t count = 0;
	for (size_t word = 0; word < subset->words; word++) {
		subset->word[word].before = count;
		count += (size_t)__builtin_popcountll(subset->word[word].bits);
	}
	subset->count = count;
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

/* Arrays grow to the largest round and stay. */
static gemp_code reserve(gemp_euler_exchange *exchange, size_t count)
{
	gemp_code code = GEMP_OK;
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
	return code;
}

/* Chunks are at most GEMP_EULER_MAX_CHUNKS, so that counts by chunk and team stay small. */
gemp_code gemp_euler_exchange_open(gemp_euler_exchange *exchange, size_t count)
{
	size_t pieces = (count + RECORDS_PER_CHUNK - 1) / RECORDS_PER_CHUNK;
	exchange->pieces = pieces < 1 ? 1 : pieces < GEMP_EULER_MAX_CHUNKS ? pieces : GEMP_EULER_MAX_CHUNKS;
	for (size_t p = 0; p <= exchange->pieces; p++)
		exchange->begin[p] = (size_t)((unsigned __int128)count * p / exchange->pieces);
	memset(exchange->put, 0, sizeof exchange->put);
	memset(exchange->count, 0, GEMP_EULER_MAX_CHUNKS * exchange->team->teams * sizeof *exchange->count);
	return exchange->team->teams > 1 ? reserve(exchange, count) : GEMP_OK;
}

/* Counts by team give every chunk its places, so threads write without synchronisation and records of a team keep
 * their order. */
static void sort_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_euler_exchange *exchange = context;
	size_t *to = exchange->count + piece * exchange->team->teams;
	for (size_t i = exchange->begin[piece]; i < exchange->begin[piece] + exchange->put[piece]; i++) {
		size_t at = to[exchange->owner[i]]++;
		memcpy(exchange->send + at * exchange->size, exchange->stage + i * exchange->size, exchange->size);
		if (exchange->replies)
			exchange->position[i] = (uint32_t)at;
	}
}

/* One reduction tells of failures and of remaining work; a second one distributes the message only if some rank
 * failed. */
static gemp_code agree(const gemp_euler_exchange *exchange, gemp_code code, uint64_t *left)
{
	uint64_t facts[2] = { code != GEMP_OK, left ? *left : 0 };
	for (size_t p = 0; p < exchange->pieces; p++)
		facts[1] += exchange->put[p];
	gemp_comm_sum(exchange->team->comm, facts, 2);
	if (left)
		*left = facts[1];
	return facts[0] ? gemp_comm_agree(exchange->team->comm, code) : GEMP_OK;
}

/* Records are encoded one team after the other; send sizes become those of the encoded form. */
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

gemp_code gemp_euler_exchange_send(gemp_euler_exchange *exchange, gemp_code code, uint64_t *left)
{
	size_t teams = exchange->team->teams, before = 0;
	exchange->received = 0;
	GEMP_TRY(agree(exchange, code, left));
	if (left && *left == 0)
		return GEMP_OK;
	for (size_t t = 0; t < teams; t++) {
		exchange->send_size[t] = 0;
		for (size_t p = 0; p < exchange->pieces; p++) {
			size_t count = exchange->count[p * teams + t];
			exchange->count[p * teams + t] = before;
			before += count;
			exchange->send_size[t] += count * exchange->size;
		}
	}
	gemp_parallel_for(exchange->pieces, sort_piece, exchange);
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

/* Numbers are written as local indices of their owners. */
typedef struct bit_delivery {
	const gemp_euler_team *team;
	const uint64_t *numbers, *bounds;
	gemp_euler_exchange exchange;
} bit_delivery;

/* Each number goes to its owner as a local index. */
static void post_bits(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	bit_delivery *d = context;
	size_t teams = d->team->teams;
	for (size_t i = d->exchange.begin[piece]; i < d->exchange.begin[piece + 1]; i++) {
		uint64_t x = d->numbers[i];
		size_t owner = d->bounds ? gemp_range_find(d->bounds, teams, x) : x % teams;
		gemp_number_write(gemp_euler_exchange_put(&d->exchange, piece, owner, 0), 0,
		                  d->bounds ? x - d->bounds[owner] : x / teams, d->team->wide);
	}
}

gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	bit_delivery d = { .team = team, .bounds = bounds, .numbers = numbers };
	uint64_t rounds = (count + team->in_flight - 1) / team->in_flight;
	GEMP_TRY_DONE(
		gemp_comm_agree(team->comm, gemp_euler_exchange_new(&d.exchange, team, gemp_number_size(team->wide), false)));
	gemp_comm_max(team->comm, &rounds, 1);
	for (; rounds > 0; rounds--) {
		size_t now = count < team->in_flight ? count : team->in_flight;
		code = gemp_euler_exchange_open(&d.exchange, now);
		if (code == GEMP_OK)
			gemp_parallel_for(d.exchange.pieces, post_bits, &d);
		GEMP_TRY_DONE(gemp_euler_exchange_send(&d.exchange, code, NULL));
		for (size_t i = 0; i < d.exchange.received; i++)
			gemp_bits64_set_atomic(bits, gemp_number_at(d.exchange.receive, i, team->wide));
		d.numbers += now;
		count -= now;
	}
done:
	gemp_euler_exchange_free(&d.exchange);
	return code;
}

/* Sizes are those of requests sent and received and of answers sent and received, [teams] each. */
typedef struct query_state {
	const gemp_euler_request *request;
	bool wide;
	size_t teams;
	uint64_t *owned;         /* [teams] numbers of each team */
	size_t *sizes;           /* [4 * teams] bytes: of questions sent and received, of answers sent and received */
	size_t *cursor;          /* [teams] */
	unsigned char *requests; /* a bit for each number, team by team */
	void *received_requests, *answers, *received, *values;
	size_t requests_capacity, received_capacity;
} query_state;

/* A request is a bitmap over the owner's numbers, so each number is asked for once and answers need no keys. */
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
		GEMP_EACH_BIT(named->word[word].bits, bit)
		{
			uint64_t number = word * 64 + bit, k = number / a->teams;
			a->requests[a->cursor[number % a->teams] + k / 8] |= (unsigned char)(1u << (k % 8));
		}
	return GEMP_OK;
}

/* The number of answers for each team; `receive` is told of every request before the first answer. */
static size_t count_requests(query_state *a)
{
	const gemp_euler_request *request = a->request;
	const unsigned char *asked = a->received_requests;
	size_t total = 0;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++]) {
		size_t count = 0;
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++) {
			count += (size_t)__builtin_popcount(asked[byte]);
			if (request->receive)
				GEMP_EACH_BIT(asked[byte], bit)
			request->receive(request->context, t, byte * 8 + bit);
		}
		a->sizes[2 * a->teams + t] = count * gemp_number_size(a->wide);
		total += count;
	}
	return total;
}

/* Answers are in the order of the bits of each team's request. */
static gemp_code pack_answers(query_state *a)
{
	const gemp_euler_request *request = a->request;
	size_t at = 0;
	a->answers = gemp_calloc(count_requests(a), gemp_number_size(a->wide));
	if (!a->answers)
		return GEMP_ENOMEM;
	const unsigned char *asked = a->received_requests;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++])
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++)
			GEMP_EACH_BIT(asked[byte], bit)
	gemp_number_set(a->answers, at++, request->answer(request->context, byte * 8 + bit), a->wide);
	return GEMP_OK;
}

/* Answers arrive by team and are put into the order of the numbers. */
static gemp_code order_answers(query_state *a)
{
	const gemp_euler_subset *named = a->request->named;
	size_t size = gemp_number_size(a->wide), at = 0, before = 0;
	a->values = gemp_calloc(named->count, size);
	if (!a->values)
		return GEMP_ENOMEM;
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = before;
		before += a->sizes[3 * a->teams + t] / size;
	}
	for (size_t word = 0; word < named->words; word++)
		GEMP_EACH_BIT(named->word[word].bits, bit)
		{
			size_t *from = &a->cursor[(word * 64 + bit) % a->teams];
			gemp_number_set(a->values, at++, gemp_number_at(a->received, (*from)++, a->wide), a->wide);
		}
	return GEMP_OK;
}

/* Collective. Two exchanges: bitmaps there, values back. */
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

void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together)
{
	size_t ranks = (size_t)comm->size, rank = (size_t)comm->rank;
	*team = (gemp_euler_team){ .comm = comm,
		                       .teams = together ? 1 : ranks,
		                       .team = together ? 0 : rank,
		                       .members = together ? ranks : 1,
		                       .member = together ? rank : 0 };
}

void gemp_euler_team_fence(const gemp_euler_team *team)
{
	if (team->members == 1)
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	GEMP_MPI(MPI_Barrier(team->comm->world));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

uint64_t gemp_euler_team_before(const gemp_euler_team *team, uint64_t own, uint64_t *all)
{
	*all = own;
	if (team->members == 1)
		return 0;
	*all = gemp_comm_sum1(team->comm, own);
	return gemp_comm_exscan(team->comm, own);
}

void gemp_euler_team_part(const gemp_euler_team *team, size_t count, size_t *first, size_t *end)
{
	size_t each = count / team->members, more = count % team->members;
	*first = team->member * each + (team->member < more ? team->member : more);
	*end = *first + each + (team->member < more);
}

/* Every member clears its part, which also places the pages near its cores. */
static gemp_code new_shared(gemp_euler_team *team, gemp_euler_block *block)
{
	size_t size = gemp_max(block->size, gemp_limits_now()->shared_min), first, end;
	if (!gemp_shared_new(&block->shared, team->comm, size))
		return gemp_fail(GEMP_ENOMEM, "the ranks of this node have no room for %zu bytes in common", size);
	gemp_shared_range(&block->shared, block->size, &first, &end);
	memset((char *)block->shared.bytes + first, 0, end - first);
	block->at = block->shared.bytes;
	gemp_euler_team_fence(team);
	return GEMP_OK;
}

gemp_code gemp_euler_block_new(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size)
{
	*block = (gemp_euler_block){ .size = count * size };
	if (team->members > 1)
		return new_shared(team, block);
	block->at = gemp_calloc(count, size);
	return block->at ? GEMP_OK : GEMP_ENOMEM;
}

gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size)
{
	if (!block->at)
		return gemp_euler_block_new(team, block, count, size);
	if (team->members == 1) {
		void *larger = gemp_realloc(block->at, count, size);
		if (!larger)
			return GEMP_ENOMEM;
		block->at = larger;
		block->size = count * size;
		return GEMP_OK;
	}
	gemp_euler_block larger;
	gemp_code code = gemp_euler_block_new(team, &larger, count, size);
	if (code != GEMP_OK)
		return code;
	size_t first, end;
	gemp_euler_team_part(team, block->size, &first, &end);
	memcpy((char *)larger.at + first, (const char *)block->at + first, end - first);
	gemp_euler_team_fence(team);
	gemp_euler_block_free(block);
	*block = larger;
	return GEMP_OK;
}

void gemp_euler_block_free(gemp_euler_block *block)
{
	if (block->shared.bytes)
		gemp_shared_free(&block->shared);
	else
		gemp_free(block->at);
	*block = (gemp_euler_block){ 0 };
}
