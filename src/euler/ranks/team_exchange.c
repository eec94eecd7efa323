#include "euler/ranks/team_exchange.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

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

gemp_code gemp_euler_exchange_new(gemp_euler_exchange *mail, gemp_euler_team *team, size_t size, bool replies)
{
	*mail = (gemp_euler_exchange){ .team = team, .size = size, .replies = replies };
	return gemp_new_all(GEMP_ARRAY(mail->count, GEMP_EULER_MAX_CHUNKS * team->teams),
	                    GEMP_ARRAY(mail->send_size, team->teams), GEMP_ARRAY(mail->receive_size, team->teams));
}

static gemp_code reserve(gemp_euler_exchange *mail, size_t count)
{
	gemp_code code = GEMP_OK;
	if (count <= mail->capacity)
		return GEMP_OK;
	void *array;
#define LARGER(pointer, size)                              \
	if (!(array = gemp_realloc((pointer), count, (size)))) \
		return GEMP_ENOMEM;                                \
	(pointer) = array
	LARGER(mail->stage, mail->size);
	LARGER(mail->send, mail->size);
	LARGER(mail->owner, sizeof *mail->owner);
	if (mail->encode) {
		LARGER(mail->encoded, mail->encoded_max);
	}
	if (mail->replies) {
		LARGER(mail->tag, sizeof *mail->tag);
		LARGER(mail->position, sizeof *mail->position);
	}
#undef LARGER
	mail->capacity = count;
	return code;
}

gemp_code gemp_euler_exchange_open(gemp_euler_exchange *mail, size_t count)
{
	size_t pieces = (count + RECORDS_PER_CHUNK - 1) / RECORDS_PER_CHUNK;
	mail->pieces = pieces < 1 ? 1 : pieces < GEMP_EULER_MAX_CHUNKS ? pieces : GEMP_EULER_MAX_CHUNKS;
	for (size_t p = 0; p <= mail->pieces; p++)
		mail->begin[p] = (size_t)((unsigned __int128)count * p / mail->pieces);
	memset(mail->put, 0, sizeof mail->put);
	memset(mail->count, 0, GEMP_EULER_MAX_CHUNKS * mail->team->teams * sizeof *mail->count);
	return mail->team->teams > 1 ? reserve(mail, count) : GEMP_OK;
}

static void sort_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_euler_exchange *mail = context;
	size_t *to = mail->count + piece * mail->team->teams;
	for (size_t i = mail->begin[piece]; i < mail->begin[piece] + mail->put[piece]; i++) {
		size_t at = to[mail->owner[i]]++;
		memcpy(mail->send + at * mail->size, mail->stage + i * mail->size, mail->size);
		if (mail->replies)
			mail->position[i] = (uint32_t)at;
	}
}

/* One reduction tells of failures and of what is left; where there are failures another tells which. */
static gemp_code agree(const gemp_euler_exchange *mail, gemp_code code, uint64_t *left)
{
	uint64_t facts[2] = { code != GEMP_OK, left ? *left : 0 };
	for (size_t p = 0; p < mail->pieces; p++)
		facts[1] += mail->put[p];
	gemp_comm_sum(mail->team->comm, facts, 2);
	if (left)
		*left = facts[1];
	return facts[0] ? gemp_comm_agree(mail->team->comm, code) : GEMP_OK;
}

/* What is sent, each team's after the one before. */
static const char *encoded(gemp_euler_exchange *mail)
{
	const char *from = mail->send;
	char *to = mail->encoded;
	if (!mail->encode)
		return mail->send;
	for (size_t t = 0; t < mail->team->teams; t++) {
		size_t bytes = mail->send_size[t];
		mail->send_size[t] = mail->encode(mail->context, from, bytes / mail->size, to);
		from += bytes;
		to += mail->send_size[t];
	}
	return mail->encoded;
}

gemp_code gemp_euler_exchange_send(gemp_euler_exchange *mail, gemp_code code, uint64_t *left)
{
	size_t teams = mail->team->teams, before = 0;
	mail->received = 0;
	GEMP_TRY(agree(mail, code, left));
	if (left && *left == 0)
		return GEMP_OK;
	for (size_t t = 0; t < teams; t++) {
		mail->send_size[t] = 0;
		for (size_t p = 0; p < mail->pieces; p++) {
			size_t count = mail->count[p * teams + t];
			mail->count[p * teams + t] = before;
			before += count;
			mail->send_size[t] += count * mail->size;
		}
	}
	gemp_parallel_for(mail->pieces, sort_piece, mail);
	GEMP_TRY(gemp_exchange(mail->team->comm, encoded(mail), mail->send_size, &mail->receive, &mail->receive_capacity,
	                       mail->receive_size, &mail->team->traffic));
	for (size_t t = 0; t < teams; t++)
		mail->received += mail->receive_size[t] / mail->size;
done:
	return code;
}

void gemp_euler_exchange_free(gemp_euler_exchange *mail)
{
	gemp_free_all(mail->stage, mail->owner, mail->tag, mail->position, mail->count, mail->send, mail->encoded,
	              mail->send_size, mail->receive_size, mail->receive);
	*mail = (gemp_euler_exchange){ 0 };
}

typedef struct delivering {
	const gemp_euler_team *team;
	const uint64_t *numbers, *bounds;
	gemp_euler_exchange mail;
} delivering;

static void post_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	delivering *d = context;
	size_t teams = d->team->teams;
	for (size_t i = d->mail.begin[piece]; i < d->mail.begin[piece + 1]; i++) {
		uint64_t x = d->numbers[i];
		size_t owner = d->bounds ? gemp_range_find(d->bounds, teams, x) : x % teams;
		gemp_number_write(gemp_euler_exchange_put(&d->mail, piece, owner, 0), 0,
		                  d->bounds ? x - d->bounds[owner] : x / teams, d->team->wide);
	}
}

gemp_code gemp_euler_bits_set(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                              uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	delivering d = { .team = team, .bounds = bounds, .numbers = numbers };
	uint64_t rounds = (count + team->in_flight - 1) / team->in_flight;
	GEMP_TRY(gemp_comm_agree(team->comm, gemp_euler_exchange_new(&d.mail, team, gemp_number_size(team->wide), false)));
	gemp_comm_max(team->comm, &rounds, 1);
	for (; rounds > 0; rounds--) {
		size_t now = count < team->in_flight ? count : team->in_flight;
		code = gemp_euler_exchange_open(&d.mail, now);
		if (code == GEMP_OK)
			gemp_parallel_for(d.mail.pieces, post_piece, &d);
		GEMP_TRY(gemp_euler_exchange_send(&d.mail, code, NULL));
		for (size_t i = 0; i < d.mail.received; i++)
			gemp_bits64_set_atomic(bits, gemp_number_at(d.mail.receive, i, team->wide));
		d.numbers += now;
		count -= now;
	}
done:
	gemp_euler_exchange_free(&d.mail);
	return code;
}

typedef struct asking {
	const gemp_euler_request *question;
	bool wide;
	size_t teams;
	uint64_t *owned;    /* [teams] numbers of each team */
	size_t *sizes;      /* [4 * teams] bytes: of questions sent and received, of answers sent and received */
	size_t *cursor;     /* [teams] */
	unsigned char *ask; /* a bit for each number, team by team */
	void *asked, *answers, *received, *values;
	size_t asked_capacity, received_capacity;
} asking;

static gemp_code make_questions(asking *a)
{
	size_t bytes = 0;
	const gemp_euler_subset *named = a->question->named;
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = bytes;
		a->sizes[t] = (a->owned[t] + 7) / 8;
		bytes += a->sizes[t];
	}
	GEMP_PROPAGATE(GEMP_NEW(a->ask, bytes));
	for (size_t word = 0; word < named->words; word++)
		GEMP_EACH_BIT(named->word[word].bits, bit)
		{
			uint64_t number = word * 64 + bit, k = number / a->teams;
			a->ask[a->cursor[number % a->teams] + k / 8] |= (unsigned char)(1u << (k % 8));
		}
	return GEMP_OK;
}

/* How many answers each team is to get. */
static size_t receive(asking *a)
{
	const gemp_euler_request *question = a->question;
	const unsigned char *asked = a->asked;
	size_t total = 0;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++]) {
		size_t count = 0;
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++) {
			count += (size_t)__builtin_popcount(asked[byte]);
			if (question->receive)
				GEMP_EACH_BIT(asked[byte], bit)
			question->receive(question->context, t, byte * 8 + bit);
		}
		a->sizes[2 * a->teams + t] = count * gemp_number_size(a->wide);
		total += count;
	}
	return total;
}

static gemp_code make_answers(asking *a)
{
	const gemp_euler_request *question = a->question;
	size_t at = 0;
	a->answers = gemp_calloc(receive(a), gemp_number_size(a->wide));
	if (!a->answers)
		return GEMP_ENOMEM;
	const unsigned char *asked = a->asked;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++])
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++)
			GEMP_EACH_BIT(asked[byte], bit)
	gemp_number_set(a->answers, at++, question->answer(question->context, byte * 8 + bit), a->wide);
	return GEMP_OK;
}

/* Answers come by teams; here they are wanted in the order of numbers. */
static gemp_code take_answers(asking *a)
{
	const gemp_euler_subset *named = a->question->named;
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

static gemp_code ask(asking *a)
{
	gemp_euler_team *team = a->question->team;
	const gemp_comm *comm = team->comm;
	size_t teams = a->teams;
	GEMP_MPI(MPI_Allgather(&a->question->own, 1, MPI_UINT64_T, a->owned, 1, MPI_UINT64_T, comm->world));
	GEMP_PROPAGATE(gemp_comm_agree(comm, make_questions(a)));
	GEMP_PROPAGATE(
		gemp_exchange(comm, a->ask, a->sizes, &a->asked, &a->asked_capacity, a->sizes + teams, &team->traffic));
	GEMP_PROPAGATE(gemp_comm_agree(comm, make_answers(a)));
	GEMP_PROPAGATE(gemp_exchange(comm, a->answers, a->sizes + 2 * teams, &a->received, &a->received_capacity,
	                             a->sizes + 3 * teams, &team->traffic));
	return gemp_comm_agree(comm, take_answers(a));
}

gemp_code gemp_euler_query(const gemp_euler_request *question, void **values)
{
	gemp_euler_team *team = question->team;
	asking a = { .question = question, .wide = team->wide, .teams = team->teams };
	gemp_code code = gemp_new_all(GEMP_ARRAY(a.owned, a.teams), GEMP_ARRAY(a.sizes, 4 * a.teams),
	                              GEMP_ARRAY(a.cursor, a.teams));
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	GEMP_TRY(ask(&a));
	*values = a.values;
	a.values = NULL;
done:
	gemp_free_all(a.owned, a.sizes, a.cursor, a.ask, a.asked, a.answers, a.received, a.values);
	return code;
}
