/* device_main: the main function of tests under several ranks that share one device a rank among their cases. */
#ifndef GEMP_TESTS_DEVICE_MAIN_H
#define GEMP_TESTS_DEVICE_MAIN_H

#include "device/open.h"
#include "harness/collective.h"

/* Collective. Opens *device, runs the tests, and closes it. Without a device the tests count as skipped. */
static inline int test_main_on_device(int argc, char **argv, const struct CMUnitTest *tests, size_t count,
                                      gemp_device **device)
{
	int rank = 0, ranks = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (gemp_device_open(device, NULL, rank, ranks, 0) != GEMP_OK) {
		MPI_Finalize();
		return TEST_SKIPPED;
	}
	const int failed = test_run_all(&argc, &argv, "tests", tests, count);
	gemp_device_close(*device);
	return failed;
}

#endif
