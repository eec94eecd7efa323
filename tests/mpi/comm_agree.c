/* Tests the agreement on status codes: all ranks get the worst code and its message. */
#include "harness/collective.h"

#include <stdio.h>
#include <string.h>

static void the_worst_code_wins_with_its_message(void **state)
{
	(void)state;
	gemp_code mine = GEMP_OK;
	int last = test_comm.size - 1;
	if (test_comm.rank == last)
		mine = gemp_fail(GEMP_EIO, "rank %d of %d", test_comm.rank, test_comm.size);
	else if (test_comm.rank == 0)
		mine = gemp_fail(GEMP_EDATA, "less bad");
	assert_all_code(gemp_comm_agree(&test_comm, mine), GEMP_EIO);
	char expected[64];
	snprintf(expected, sizeof expected, "rank %d of %d", last, test_comm.size);
	assert_all(strcmp(gemp_message(), expected) == 0);
}

static void success_needs_every_rank(void **state)
{
	(void)state;
	assert_all_ok(gemp_comm_agree(&test_comm, GEMP_OK));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worst_code_wins_with_its_message),
		cmocka_unit_test(success_needs_every_rank),
	};
	return test_main_all(argc, argv, tests);
}
