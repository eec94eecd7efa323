/* Tests limits: their defaults, and that a test can override and restore them. */
#include "harness/harness.h"

#include "core/limits.h"
#include "harness/limits.h"

static void defaults_hold_until_overridden(void **state)
{
	(void)state;
	assert_ptr_equal(gemp_limits_now(), &gemp_limits_default);
	assert_true(gemp_limits_now()->exchange_chunk < (size_t)1 << 31); /* MPI counts are of type int */
	/* with a spacing of 1 every item would be a splitter */
	assert_true(gemp_limits_now()->list_rank_spacing >= 2);
}

static void override_returns_what_was_before(void **state)
{
	(void)state;
	gemp_limits wanted = gemp_limits_default;
	wanted.fetch_round = 64;
	gemp_limits before = gemp_limits_override(wanted);
	assert_true(before.fetch_round == gemp_limits_default.fetch_round);
	assert_true(gemp_limits_now()->fetch_round == 64);
	assert_true(gemp_limits_override(before).fetch_round == 64);
	assert_true(gemp_limits_now()->fetch_round == gemp_limits_default.fetch_round);
}

static void one_member_changes_alone(void **state)
{
	(void)state;
	TEST_LIMIT(shared_min, 0);
	TEST_LIMIT(shared_max, gemp_limits_now()->shared_min + 7);
	assert_true(gemp_limits_now()->shared_min == 0 && gemp_limits_now()->shared_max == 7);
	TEST_LIMIT_DEFAULT(shared_min);
	assert_true(gemp_limits_now()->shared_min == gemp_limits_default.shared_min && gemp_limits_now()->shared_max == 7);
	TEST_LIMIT_DEFAULT(shared_max);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_hold_until_overridden),
		cmocka_unit_test(override_returns_what_was_before),
		cmocka_unit_test(one_member_changes_alone),
	};
	return test_main(tests);
}
