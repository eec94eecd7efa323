/* Each test has a fault on one rank only. It must fail on all ranks, and no rank may hang. */
#include "core/memory.h"
#include "harness/collective.h"

static bool last(void)
{
	return test_comm.rank == test_comm.size - 1;
}

static void untrue_on_one_rank(void **state)
{
	(void)state;
	assert_all(!last());
}

static void a_code_on_one_rank(void **state)
{
	(void)state;
	assert_all_ok(last() ? gemp_fail(GEMP_EIO, "spoilt") : GEMP_OK);
}

static gemp_code leak(void *unused)
{
	(void)unused;
	return gemp_comm_agree(&test_comm, last() && !gemp_calloc(1, 1) ? GEMP_ENOMEM : GEMP_OK);
}

static void a_block_left_on_one_rank(void **state)
{
	(void)state;
	assert_all_survive_no_memory(leak, NULL);
}

static gemp_code disagree(void *unused)
{
	(void)unused;
	void *block = gemp_calloc(1, 1);
	gemp_free(block);
	return block ? GEMP_OK : GEMP_ENOMEM;
}

static void no_agreement_on_failure(void **state)
{
	(void)state;
	/* a single rank always agrees with itself, so there the test fails by this assert */
	assert_true(test_comm.size > 1);
	assert_all_survive_no_memory(disagree, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(untrue_on_one_rank),
		cmocka_unit_test(a_code_on_one_rank),
		cmocka_unit_test(a_block_left_on_one_rank),
		cmocka_unit_test(no_agreement_on_failure),
	};
	return test_main_all(argc, argv, tests);
}
