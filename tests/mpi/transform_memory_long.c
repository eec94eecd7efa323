/* Runs rules while a request for memory fails: each request, one in each run, on each rank in turn. */
#include "transform_memory_case.h"

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		skip(); /* more ranks take long and test nothing else */
	run_with_failures(1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(memory_may_run_out, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
