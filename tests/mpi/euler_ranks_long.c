/* Runs the random test of euler_ranks.c on many more graphs. */
#include "euler_ranks_case.h"

static void random_multigraphs(void **state)
{
	(void)state;
	euler_case_try(euler_case_on_ranks, test_seed_all(), test_comm.size == 1 ? 20000 : 4000 / test_comm.size);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_multigraphs) };
	return test_main_all(argc, argv, tests);
}
