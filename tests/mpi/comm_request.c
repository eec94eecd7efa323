/* Tests requests to owners: every record gets the answer of its owner, and all ranks fail if one owner cannot
 * answer. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/random.h"
#include "core/status.h"

/* The state of an owner: the number of records in the last request, and whether it fails. */
typedef struct owner_state {
	size_t asked;
	bool refuse;
} owner_state;

/* The answer contains the number of the record and the rank that answered. */
static gemp_code answer(void *self, const void *records, size_t count, uint64_t *answers)
{
	owner_state *a = self;
	const uint32_t *numbers = records;
	a->asked = count;
	for (size_t i = 0; i < count; i++)
		answers[i] = (uint64_t)numbers[i] * 64 + (uint64_t)test_comm.rank;
	return a->refuse ? gemp_fail(GEMP_EDATA, "no answers here") : GEMP_OK;
}

/* Collective. Sends `count` random numbers to random owners and checks the answers. */
static gemp_code request_answers(owner_state *a, size_t count, uint64_t seed, bool *right)
{
	uint32_t *numbers = gemp_calloc(count, sizeof *numbers);
	int *owner = gemp_calloc(count, sizeof *owner);
	uint64_t *answers = gemp_calloc(count, sizeof *answers);
	for (size_t i = 0; i < count; i++) {
		numbers[i] = (uint32_t)gemp_random_below(&seed, UINT32_MAX);
		owner[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
	}
	const gemp_request request = { numbers, count, sizeof *numbers, owner, answer, a };
	gemp_code code = gemp_request_run(&test_comm, GEMP_OK, &request, answers);
	*right = true;
	for (size_t i = 0; i < count; i++)
		*right &= answers[i] == (uint64_t)numbers[i] * 64 + (uint64_t)owner[i];
	gemp_free(numbers);
	gemp_free(owner);
	gemp_free(answers);
	return code;
}

static void owners_answer(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (size_t most = 1; most < 1000000; most *= 10) {
		owner_state a = { 0 };
		bool right;
		uint64_t own = gemp_mix(seed ^ (uint64_t)test_comm.rank ^ most);
		size_t count = test_comm.rank % 3 == 1 ? 0 : (size_t)gemp_random_below(&own, most);
		assert_all_ok(request_answers(&a, count, own, &right));
		assert_all(right);
		assert_all(gemp_comm_sum1(&test_comm, a.asked) == gemp_comm_sum1(&test_comm, count));
	}
}

static void one_failure_fails_all_ranks(void **state)
{
	(void)state;
	bool right;
	owner_state a = { .refuse = test_comm.rank == test_comm.size - 1 };
	assert_all(request_answers(&a, 10, 1, &right) == GEMP_EDATA);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_answer),
		cmocka_unit_test(one_failure_fails_all_ranks),
	};
	return test_main_all(argc, argv, tests);
}
