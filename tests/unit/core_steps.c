/* Tests the times of named steps. */
#include "harness/harness.h"

#include "core/log.h"
#include "core/timer.h"

static void wait_a_little(void)
{
	for (double since = gemp_now(); gemp_now() - since < 0.002;)
		;
}

static void steps_add_up_in_their_order(void **state)
{
	(void)state;
	gemp_step_times steps = { 0 };
	double since = gemp_now();
	gemp_step_times_next(&steps, "parse");
	wait_a_little();
	gemp_step_times_next(&steps, "sort");
	wait_a_little();
	gemp_step_times_next(&steps, "parse");
	wait_a_little();
	gemp_step_times_next(&steps, NULL);
	double seconds = gemp_now() - since;
	wait_a_little();
	since = gemp_now();
	gemp_step_times_next(&steps, "write");
	gemp_step_times_next(&steps, NULL);
	const double last = gemp_now() - since; /* without the wait before */
	assert_int_equal(steps.count, 3);
	assert_string_equal(steps.step[0].name, "parse");
	assert_string_equal(steps.step[1].name, "sort");
	assert_string_equal(steps.step[2].name, "write");
	assert_true(steps.step[0].seconds >= 0.004 && steps.step[1].seconds >= 0.002);
	assert_true(steps.step[0].seconds + steps.step[1].seconds <= seconds);
	assert_true(steps.step[2].seconds <= last);
}

static void steps_may_be_null(void **state)
{
	(void)state;
	gemp_step_times_next(NULL, "parse");
	gemp_step_times_next(NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_add_up_in_their_order),
		cmocka_unit_test(steps_may_be_null),
	};
	return test_main(tests);
}
