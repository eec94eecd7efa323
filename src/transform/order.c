#include "transform/order.h"

#include "core/memory.h"
#include "transform/request.h"

#include <stdlib.h>

static int compare_tuples(const void *a, const void *b, void *width)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	for (size_t i = 0; i < *(const size_t *)width; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

typedef struct sorting {
	size_t width;
	size_t count; /* of the tuples that this rank answers for */
} sorting;

/* Local. Places among the tuples that are here. */
static gemp_code answer_places(void *self, const void *records, size_t count, uint64_t *answers)
{
	gemp_code code = GEMP_OK;
	sorting *s = self;
	const uint64_t **sorted = NULL;
	GEMP_TRY(GEMP_NEW(sorted, count));
	for (size_t i = 0; i < count; i++)
		sorted[i] = (const uint64_t *)records + i * s->width;
	qsort_r(sorted, count, sizeof *sorted, compare_tuples, &s->width);
	for (size_t i = 0; i < count; i++)
		answers[(size_t)(sorted[i] - (const uint64_t *)records) / s->width] = i;
	s->count = count;
done:
	gemp_free(sorted);
	return code;
}

/* Ranks have ascending ranges of the first number. */
static int owner_of(const gemp_comm *comm, uint64_t first, uint64_t bound)
{
	uint64_t owner = first / (bound / (uint64_t)comm->size + 1);
	return owner < (uint64_t)comm->size ? (int)owner : comm->size - 1;
}

/* Collective. Tuples that lower ranks answer for come before. */
static gemp_code add_before(const gemp_comm *comm, uint64_t here, const int *owner, size_t count, uint64_t *place,
                            uint64_t *total)
{
	gemp_code code = GEMP_OK;
	uint64_t *all = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(all, (size_t)comm->size + 1)));
	all[comm->rank + 1] = here;
	gemp_comm_sum(comm, all, comm->size + 1);
	for (int r = 0; r < comm->size; r++)
		all[r + 1] += all[r];
	for (size_t i = 0; i < count; i++)
		place[i] += all[owner[i]];
	if (total)
		*total = all[comm->size];
done:
	gemp_free(all);
	return code;
}

gemp_code gemp_order_find(const gemp_comm *comm, const uint64_t *tuples, size_t count, size_t width, uint64_t bound,
                          uint64_t *place, uint64_t *total)
{
	gemp_code code = GEMP_OK;
	int *owner = NULL;
	sorting s = { .width = width };
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(owner, count)));
	for (size_t i = 0; i < count; i++)
		owner[i] = owner_of(comm, tuples[i * width], bound);
	const gemp_request request = { tuples, count, width * sizeof *tuples, owner, answer_places, &s };
	GEMP_TRY(gemp_request_run(comm, &request, place));
	code = add_before(comm, s.count, owner, count, place, total);
done:
	gemp_free(owner);
	return code;
}

/* NUMBERS OF THE MARKED. A rank answers for a range of places, each at most once marked. */
typedef struct numbering {
	uint64_t first;  /* place */
	size_t size;     /* of the range */
	size_t count;    /* marked there */
} numbering;

static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	gemp_code code = GEMP_OK;
	numbering *n = self;
	const uint64_t *places = records;
	uint64_t *before = NULL;
	GEMP_TRY(GEMP_NEW(before, n->size + 1));
	for (size_t i = 0; i < count; i++)
		before[places[i] - n->first + 1] = 1;
	for (size_t i = 0; i < n->size; i++)
		before[i + 1] += before[i];
	for (size_t i = 0; i < count; i++)
		answers[i] = before[places[i] - n->first];
	n->count = count;
done:
	gemp_free(before);
	return code;
}

/* Collective. Places of the marked ones, asked of the ranks that answer for them. */
static gemp_code ask_numbers(const gemp_comm *comm, const uint64_t *places, const int *owner, size_t count,
                             size_t range, uint64_t *numbers, uint64_t *total)
{
	numbering n = { .first = (uint64_t)comm->rank * range, .size = range };
	const gemp_request request = { places, count, sizeof *places, owner, answer_numbers, &n };
	gemp_code code = gemp_request_run(comm, &request, numbers);
	return code == GEMP_OK ? add_before(comm, n.count, owner, count, numbers, total) : code;
}

gemp_code gemp_order_number(const gemp_comm *comm, const uint64_t *place, const uint8_t *marked, size_t count,
                            uint64_t *number, uint64_t *total)
{
	gemp_code code = GEMP_OK;
	uint64_t *places = NULL, *numbers = NULL;
	int *owner = NULL;
	size_t range = (size_t)(gemp_comm_sum1(comm, count) / (uint64_t)comm->size + 1), asked = 0;
	code = GEMP_NEW(places, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(numbers, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++)
		if (marked[i]) {
			owner[asked] = (int)(place[i] / range);
			places[asked++] = place[i];
		}
	GEMP_TRY(ask_numbers(comm, places, owner, asked, range, numbers, total));
	for (size_t i = 0, at = 0; i < count; i++)
		if (marked[i])
			number[i] = numbers[at++];
done:
	gemp_free(places);
	gemp_free(numbers);
	gemp_free(owner);
	return code;
}
