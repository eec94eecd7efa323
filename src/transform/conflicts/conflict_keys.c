#include "transform/conflicts/conflict_keys.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "primitive/sort.h"

#include <string.h>

enum { MIN_HASHED_SLOTS = 1 << 12 };

bool gemp_conflict_keys_is_valid(const gemp_conflict_keys *k)
{
	return k->offsets && k->offsets[0] == 0 && (k->keys || k->offsets[k->matches] == 0) && k->slots >> 62 == 0;
}

void gemp_conflict_keys_free(gemp_conflict_keys *conflict_keys)
{
	gemp_free_all(conflict_keys->offsets, conflict_keys->keys);
	*conflict_keys = (gemp_conflict_keys){ 0 };
}

/* The table is a power of two at least twice as large as the number of keys, so linear probing always ends. */
gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t slot_bound, size_t conflict_keys, size_t slot_size)
{
	gemp_code code = GEMP_OK;
	size_t hashed = 2;
	*out = (gemp_slot_table){ 0 };
	while (hashed < 2 * conflict_keys)
		hashed *= 2;
	if (slot_bound <= MIN_HASHED_SLOTS || slot_bound <= hashed * (sizeof *out->slots + slot_size) / slot_size) {
		out->count = (size_t)slot_bound;
		return GEMP_OK;
	}
	out->count = hashed;
	code = GEMP_NEW(out->slots, hashed);
	return code;
}

void gemp_slot_table_free(gemp_slot_table *slots)
{
	gemp_free(slots->slots);
	*slots = (gemp_slot_table){ 0 };
}

/* A free entry always exists, since less than half of them are taken. */
size_t gemp_slot_table_index(gemp_slot_table *slots, uint64_t slot)
{
	if (!slots->slots)
		return (size_t)slot;
	for (size_t at = (size_t)gemp_mix(slot) & (slots->count - 1);; at = (at + 1) & (slots->count - 1)) {
		uint64_t there = __atomic_load_n(&slots->slots[at], __ATOMIC_RELAXED);
		if (there == 0 &&
		    __atomic_compare_exchange_n(&slots->slots[at], &there, slot + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return at;
		if (there == slot + 1)
			return at;
	}
}

typedef struct key_gather {
	const uint64_t *tuples;
	size_t width, depth;
	const size_t *rows;
	uint64_t *keys; /* keys[i] becomes tuples[rows[i] * width + depth] */
} key_gather;

static void gather_keys(void *self, size_t range, size_t begin, size_t end)
{
	const key_gather *g = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		g->keys[i] = g->tuples[g->rows[i] * g->width + g->depth];
}

/* Local. Radix sort by words, the least significant one first, on a permutation of the rows. */
gemp_code gemp_tuple_sort(const uint64_t *tuples, size_t width, size_t *rows, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = sizeof *rows };
	key_gather g = { .tuples = tuples, .width = width, .rows = rows };
	GEMP_TRY_DONE(GEMP_NEW(g.keys, count));
	for (g.depth = width; g.depth-- > 0;) {
		gemp_for_ranges(count, gather_keys, &g);
		GEMP_TRY_DONE(gemp_sort_host(&sort, g.keys, rows, count));
	}
done:
	gemp_free(g.keys);
	return code;
}

/* Records of some rows, for the ranks that answer for them. */
typedef struct order_request {
	const gemp_match_keys *matches;
	const uint64_t *priority;
	size_t count, width;
	size_t *rows;      /* [count] which are asked for */
	uint64_t *records; /* [count * width] a priority, a tuple, or both */
	int *owner;        /* [count] */
	uint64_t *answers; /* [count] */
} order_request;

static void free_request(order_request *a)
{
	gemp_free_all(a->rows, a->records, a->owner, a->answers);
}

/* The rows that take part. */
static gemp_code list_marked(order_request *a, const uint8_t *marked)
{
	GEMP_TRY(GEMP_NEW(a->rows, a->matches->count));
	for (size_t i = 0; i < a->matches->count; i++)
		if (marked[i])
			a->rows[a->count++] = i;
	return GEMP_OK;
}

/* A record is a priority, a tuple, or a priority in front of a tuple. */
static void fill_records(void *self, size_t range, size_t begin, size_t end)
{
	order_request *a = self;
	size_t own = a->priority ? 1 : 0, of_tuple = a->width - own;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint64_t *record = a->records + i * a->width;
		if (own)
			record[0] = a->priority[a->rows[i]];
		memcpy(record + own, a->matches->tuples + a->rows[i] * a->matches->width, of_tuple * sizeof *record);
	}
}

/* Ranks answer for equal ranges of first words below `bound`; larger first words go to the last rank. */
static gemp_code make_records(order_request *a, const gemp_comm *comm, size_t width, uint64_t bound)
{
	uint64_t share = bound / (uint64_t)comm->size + 1;
	a->width = width;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(a->records, a->count * width), GEMP_ARRAY(a->owner, a->count),
	                      GEMP_ARRAY(a->answers, a->count)));
	gemp_for_ranges(a->count, fill_records, a);
	for (size_t i = 0; i < a->count && comm->size > 1; i++) {
		uint64_t owner = a->records[i * width] / share;
		a->owner[i] = owner < (uint64_t)comm->size ? (int)owner : comm->size - 1;
	}
	return GEMP_OK;
}

static gemp_code run_request(order_request *a, const gemp_comm *comm, gemp_request_handler answer, void *self)
{
	const gemp_request request = { a->records, a->count, a->width * sizeof *a->records, a->owner, answer, self };
	return gemp_request_run(comm, GEMP_OK, &request, a->answers);
}

static gemp_code sorted_rows(size_t **rows, const uint64_t *records, size_t count, size_t width)
{
	GEMP_TRY(GEMP_NEW(*rows, count));
	for (size_t i = 0; i < count; i++)
		(*rows)[i] = i;
	return gemp_tuple_sort(records, width, *rows, count);
}

/* NUMBERS */

typedef struct number_context {
	size_t width;
	size_t count;      /* that this rank answers for */
	size_t *rows;      /* [count] in their order */
	uint64_t *answers; /* [count] */
} number_context;

static void number_range(void *self, size_t range, size_t begin, size_t end)
{
	const number_context *n = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		n->answers[n->rows[i]] = i;
}

/* Request handler: the position of each record among those that this rank received. */
static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	number_context *n = self;
	gemp_code code = sorted_rows(&n->rows, records, count, n->width);
	n->count = count;
	n->answers = answers;
	if (code == GEMP_OK)
		gemp_for_ranges(count, number_range, n);
	gemp_free(n->rows);
	return code;
}

/* Collective. Turns positions within a rank into positions among all: the records of lower ranks come before. */
static gemp_code add_before(const gemp_comm *comm, uint64_t here, const order_request *a, uint64_t *total)
{
	GEMP_OWNED uint64_t *all = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(all, (size_t)comm->size + 1)));
	all[comm->rank + 1] = here;
	gemp_comm_sum(comm, all, comm->size + 1);
	for (int r = 0; r < comm->size; r++)
		all[r + 1] += all[r];
	for (size_t i = 0; i < a->count; i++)
		a->answers[i] += all[a->owner[i]];
	if (total)
		*total = all[comm->size];
	return GEMP_OK;
}

/* Collective. Each record goes to the rank that is responsible for its first word, which sorts and answers positions. */
gemp_code gemp_match_order_number(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                  uint64_t *number, uint64_t *total)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(free_request) order_request a = { .matches = matches };
	number_context n = { .width = matches->width };
	code = list_marked(&a, marked);
	GEMP_THEN(make_records(&a, comm, matches->width, matches->bound));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(run_request(&a, comm, answer_numbers, &n));
	GEMP_TRY(add_before(comm, n.count, &a, total));
	for (size_t i = 0; i < a.count; i++)
		number[a.rows[i]] = a.answers[i];
	return GEMP_OK;
}

/* PRIORITIES */

/* Request handler: how many records precede this one among those with the same first word. With width 1 the answer
 * is only whether any other record has it. */
static gemp_code answer_repeated(void *self, const void *records, size_t count, uint64_t *answers)
{
	const size_t width = *(const size_t *)self;
	const uint64_t *first = records;
	size_t *rows = NULL;
	gemp_code code = sorted_rows(&rows, records, count, width);
	for (size_t i = 1; i < count && code == GEMP_OK; i++)
		if (first[rows[i] * width] == first[rows[i - 1] * width]) {
			answers[rows[i]] = answers[rows[i - 1]] + 1;
			if (width == 1)
				answers[rows[i]] = answers[rows[i - 1]] = 1;
		}
	gemp_free(rows);
	return code;
}

/* Only rows whose priority occurs more than once stay in the request. */
static void keep_repeated(order_request *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->count; i++)
		if (a->answers[i])
			a->rows[kept++] = a->rows[i];
	a->count = kept;
}

/* Collective. Records of priorities, in front of tuples if these are wanted. */
static gemp_code request_repeated(order_request *a, const gemp_comm *comm, bool with_tuples)
{
	size_t width = 1 + (with_tuples ? a->matches->width : 0);
	GEMP_TRY(gemp_comm_agree(comm, make_records(a, comm, width, UINT64_MAX)));
	return run_request(a, comm, answer_repeated, &width);
}

static void free_records(order_request *a)
{
	gemp_free_all(a->records, a->owner, a->answers);
	a->records = a->answers = NULL;
	a->owner = NULL;
}

/* Collective. One round: equal priorities are rehashed by their position among the equal ones, in the order of
 * tuples. *repeated: how many priorities were not unique. */
static gemp_code replace_repeated(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                  uint64_t *priority, uint64_t *repeated)
{
	GEMP_OWNED_BY(free_request) order_request a = { .matches = matches, .priority = priority };
	GEMP_TRY(gemp_comm_agree(comm, list_marked(&a, marked)));
	GEMP_TRY(request_repeated(&a, comm, false));
	keep_repeated(&a);
	free_records(&a);
	*repeated = gemp_comm_sum1(comm, a.count);
	if (*repeated == 0)
		return GEMP_OK;
	GEMP_TRY(request_repeated(&a, comm, true));
	for (size_t i = 0; i < a.count; i++)
		if (a.answers[i])
			priority[a.rows[i]] = gemp_mix(priority[a.rows[i]] + a.answers[i]);
	return GEMP_OK;
}

gemp_code gemp_match_order_distinct(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                    uint64_t *priority)
{
	for (uint64_t repeated = 1; repeated;)
		GEMP_TRY(replace_repeated(comm, matches, marked, priority, &repeated));
	return GEMP_OK;
}
