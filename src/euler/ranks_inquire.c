#include "euler/ranks_inquire.h"

#include "core/memory.h"

typedef struct asking {
	const gemp_euler_question *question;
	bool wide;
	size_t teams;
	uint64_t *owned;      /* [teams] numbers of each team */
	size_t *sizes;        /* [4 * teams] bytes: of questions sent and received, of answers sent and received */
	size_t *cursor;       /* [teams] */
	unsigned char *ask;   /* a bit for each number, team by team */
	void *asked, *answers, *received, *values;
	size_t asked_capacity, received_capacity;
} asking;

static gemp_code make_questions(asking *a)
{
	gemp_code code = GEMP_OK;
	size_t bytes = 0;
	const gemp_euler_subset *named = a->question->named;
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = bytes;
		a->sizes[t] = (a->owned[t] + 7) / 8;
		bytes += a->sizes[t];
	}
	GEMP_TRY(GEMP_NEW(a->ask, bytes));
	for (size_t word = 0; word < named->words; word++)
		GEMP_EACH_BIT(named->word[word].bits, bit) {
			uint64_t number = word * 64 + bit, k = number / a->teams;
			a->ask[a->cursor[number % a->teams] + k / 8] |= (unsigned char)(1u << (k % 8));
		}
done:
	return code;
}

/* How many answers each team is to get. */
static size_t hear(asking *a)
{
	const gemp_euler_question *question = a->question;
	const unsigned char *asked = a->asked;
	size_t total = 0;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++]) {
		size_t count = 0;
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++) {
			count += (size_t)__builtin_popcount(asked[byte]);
			if (question->hear)
				GEMP_EACH_BIT(asked[byte], bit)
					question->hear(question->context, t, byte * 8 + bit);
		}
		a->sizes[2 * a->teams + t] = count * gemp_number_size(a->wide);
		total += count;
	}
	return total;
}

static gemp_code make_answers(asking *a)
{
	const gemp_euler_question *question = a->question;
	size_t at = 0;
	a->answers = gemp_calloc(hear(a), gemp_number_size(a->wide));
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
		GEMP_EACH_BIT(named->word[word].bits, bit) {
			size_t *from = &a->cursor[(word * 64 + bit) % a->teams];
			gemp_number_set(a->values, at++, gemp_number_at(a->received, (*from)++, a->wide), a->wide);
		}
	return GEMP_OK;
}

static gemp_code ask(asking *a)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = a->question->team;
	const gemp_comm *comm = team->comm;
	size_t teams = a->teams;
	GEMP_MPI(MPI_Allgather(&a->question->own, 1, MPI_UINT64_T, a->owned, 1, MPI_UINT64_T, comm->world));
	GEMP_TRY(gemp_comm_agree(comm, make_questions(a)));
	GEMP_TRY(gemp_exchange(comm, a->ask, a->sizes, &a->asked, &a->asked_capacity, a->sizes + teams, &team->traffic));
	GEMP_TRY(gemp_comm_agree(comm, make_answers(a)));
	GEMP_TRY(gemp_exchange(comm, a->answers, a->sizes + 2 * teams, &a->received, &a->received_capacity,
	                       a->sizes + 3 * teams, &team->traffic));
	GEMP_TRY(gemp_comm_agree(comm, take_answers(a)));
done:
	return code;
}

gemp_code gemp_euler_inquire(const gemp_euler_question *question, void **values)
{
	gemp_euler_team *team = question->team;
	asking a = { .question = question, .wide = team->wide, .teams = team->teams };
	gemp_code code = GEMP_NEW(a.owned, a.teams);
	if (code == GEMP_OK)
		code = GEMP_NEW(a.sizes, 4 * a.teams);
	if (code == GEMP_OK)
		code = GEMP_NEW(a.cursor, a.teams);
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	GEMP_TRY(ask(&a));
	*values = a.values;
	a.values = NULL;
done:
	gemp_free(a.owned);
	gemp_free(a.sizes);
	gemp_free(a.cursor);
	gemp_free(a.ask);
	gemp_free(a.asked);
	gemp_free(a.answers);
	gemp_free(a.received);
	gemp_free(a.values);
	return code;
}
