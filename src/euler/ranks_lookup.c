#include "euler/ranks_lookup.h"

#include "core/memory.h"

enum { ELEMENTS_A_PIECE = 1 << 16 };

typedef struct asking {
	gemp_euler_lookup *lookup;
	bool wide;
	size_t teams, team;
	uint64_t *splitters;  /* [teams] of each team */
	size_t *sizes;        /* [4 * teams] bytes: of questions sent and received, of answers sent and received */
	size_t *cursor;       /* [teams] */
	unsigned char *ask;   /* a bit for each splitter, team by team */
	void *asked, *answers, *values;
	size_t asked_capacity, values_capacity;
} asking;

GEMP_INLINE void name_piece(asking *a, size_t piece, bool wide)
{
	const gemp_euler_list *list = a->lookup->list;
	size_t end = (piece + 1) * ELEMENTS_A_PIECE < list->count ? (piece + 1) * ELEMENTS_A_PIECE : list->count;
	for (size_t x = piece * ELEMENTS_A_PIECE; x < end; x++) {
		uint64_t label = gemp_label_at(list, x, wide);
		if (label != 0 && !(label & gemp_label_flag(wide)))
			gemp_euler_subset_add(&a->lookup->named, label - 1);
	}
}
GEMP_WIDTHS(name_body, name_piece, asking)

static gemp_code make_questions(asking *a)
{
	gemp_code code = GEMP_OK;
	size_t bytes = 0;
	const gemp_euler_subset *named = &a->lookup->named;
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = bytes;
		a->sizes[t] = (a->splitters[t] + 7) / 8;
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

static size_t bits_of(const unsigned char *bytes, size_t size)
{
	size_t count = 0;
	for (size_t i = 0; i < size; i++)
		count += (size_t)__builtin_popcount(bytes[i]);
	return count;
}

static gemp_code make_answers(asking *a)
{
	size_t size = gemp_number_size(a->wide), total = 0, at = 0;
	const unsigned char *asked = a->asked;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++]) {
		size_t count = bits_of(asked, a->sizes[a->teams + t]);
		a->sizes[2 * a->teams + t] = count * size;
		total += count;
	}
	a->answers = gemp_calloc(total, size);
	if (!a->answers)
		return GEMP_ENOMEM;
	asked = a->asked;
	for (size_t t = 0; t < a->teams; asked += a->sizes[a->teams + t++])
		for (size_t byte = 0; byte < a->sizes[a->teams + t]; byte++)
			GEMP_EACH_BIT(asked[byte], bit)
				gemp_number_set(a->answers, at++, gemp_number_at(a->lookup->own, byte * 8 + bit, a->wide), a->wide);
	return GEMP_OK;
}

/* Answers come by teams; here they are wanted in the order of numbers. */
static gemp_code take_answers(asking *a)
{
	const gemp_euler_subset *named = &a->lookup->named;
	size_t size = gemp_number_size(a->wide), at = 0, before = 0;
	a->lookup->values = gemp_calloc(named->count, size);
	if (!a->lookup->values)
		return GEMP_ENOMEM;
	for (size_t t = 0; t < a->teams; t++) {
		a->cursor[t] = before;
		before += a->sizes[3 * a->teams + t] / size;
	}
	for (size_t word = 0; word < named->words; word++)
		GEMP_EACH_BIT(named->word[word].bits, bit) {
			size_t *from = &a->cursor[(word * 64 + bit) % a->teams];
			gemp_number_set(a->lookup->values, at++, gemp_number_at(a->values, (*from)++, a->wide), a->wide);
		}
	return GEMP_OK;
}

static gemp_code ask(asking *a)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = a->lookup->list->team;
	const gemp_comm *comm = team->comm;
	uint64_t mine = a->lookup->list->splitters, most = 0;
	GEMP_MPI(MPI_Allgather(&mine, 1, MPI_UINT64_T, a->splitters, 1, MPI_UINT64_T, comm->world));
	for (size_t t = 0; t < a->teams; t++)
		most = a->splitters[t] > most ? a->splitters[t] : most;
	code = gemp_euler_subset_new(&a->lookup->named, most * a->teams);
	if (code == GEMP_OK) {
		gemp_parallel_for((a->lookup->list->count + ELEMENTS_A_PIECE - 1) / ELEMENTS_A_PIECE, name_body, a);
		gemp_euler_subset_seal(&a->lookup->named);
		code = make_questions(a);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange(comm, a->ask, a->sizes, &a->asked, &a->asked_capacity, a->sizes + a->teams, &team->traffic));
	GEMP_TRY(gemp_comm_agree(comm, make_answers(a)));
	GEMP_TRY(gemp_exchange(comm, a->answers, a->sizes + 2 * a->teams, &a->values, &a->values_capacity,
	                       a->sizes + 3 * a->teams, &team->traffic));
	GEMP_TRY(gemp_comm_agree(comm, take_answers(a)));
done:
	return code;
}

gemp_code gemp_euler_lookup_new(gemp_euler_lookup *lookup, const gemp_euler_list *list, void *values)
{
	gemp_code code = GEMP_OK;
	*lookup = (gemp_euler_lookup){ .list = list, .own = values };
	if (list->team->teams == 1)
		return GEMP_OK;
	asking a = { .lookup = lookup, .wide = list->wide, .teams = list->team->teams, .team = list->team->team };
	code = GEMP_NEW(a.splitters, a.teams);
	if (code == GEMP_OK)
		code = GEMP_NEW(a.sizes, 4 * a.teams);
	if (code == GEMP_OK)
		code = GEMP_NEW(a.cursor, a.teams);
	GEMP_TRY(gemp_comm_agree(list->team->comm, code));
	GEMP_TRY(ask(&a));
done:
	gemp_free(a.splitters);
	gemp_free(a.sizes);
	gemp_free(a.cursor);
	gemp_free(a.ask);
	gemp_free(a.asked);
	gemp_free(a.answers);
	gemp_free(a.values);
	return code;
}

void gemp_euler_lookup_free(gemp_euler_lookup *lookup)
{
	gemp_euler_subset_free(&lookup->named);
	gemp_free(lookup->values);
	*lookup = (gemp_euler_lookup){ 0 };
}
