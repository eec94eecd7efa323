/* Collective asserts: each reports the failures of all ranks on all ranks. */
#include "harness/collective.h"
#include "comm/comm.h"
#include "core/memory.h"
#include "harness/limits.h"
#include "harness/requests.h"

#include "comm/session.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

gemp_comm test_comm;

int test_run_all(int *argc, char ***argv, const char *name, const struct CMUnitTest *tests, size_t count)
{
	int started = 0;
	GEMP_MPI(MPI_Initialized(&started)); /* main may have started MPI to learn the number of ranks */
	if (!started) {
		gemp_session_begin();
		GEMP_MPI(MPI_Init(argc, argv));
	}
	gemp_comm_new(&test_comm, MPI_COMM_WORLD);
	if (test_comm.rank != 0 && !freopen("/dev/null", "w", stdout))
		perror("/dev/null");
	test_filter();
	int verdict = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &verdict, 1, MPI_INT, MPI_MAX, test_comm.world));
	/* A rank that exits non-zero after MPI_Finalize kills the ranks that are still finishing. */
	GEMP_MPI(MPI_Barrier(test_comm.world));
	gemp_comm_free(&test_comm);
	GEMP_MPI(MPI_Finalize());
	gemp_session_end();
	return verdict;
}

static bool everywhere(bool mine)
{
	int all = mine;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, test_comm.world));
	return all != 0;
}

void test_assert_all(bool condition, const char *text, const char *file, int line)
{
	if (!condition)
		fprintf(stderr, "rank %d: %s:%d: not true: %s\n", test_comm.rank, file, line, text);
	if (!everywhere(condition))
		_fail(file, line);
}

void test_assert_all_code(gemp_code code, gemp_code expected, const char *call, const char *file, int line)
{
	if (code != expected)
		fprintf(stderr, "rank %d: %s:%d: %s gave code %d (%s), not %d\n", test_comm.rank, file, line, call, (int)code,
		        code == GEMP_OK ? "success" : gemp_message(), (int)expected);
	if (!everywhere(code == expected))
		_fail(file, line);
}

const char *test_path_all(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 8];
	if (test_comm.rank == 0)
		snprintf(path, sizeof paths[0], "%s", test_path(name));
	GEMP_MPI(MPI_Bcast(path, sizeof paths[0], MPI_CHAR, 0, test_comm.world));
	return path;
}

uint64_t test_seed_all(void)
{
	uint64_t seed = test_comm.rank == 0 ? test_seed() : 0;
	GEMP_MPI(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, test_comm.world));
	return seed;
}

void test_no_memory_all(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line)
{
	size_t before = gemp_memory_blocks();
	if (gemp_limits_now()->early_pivots < 0) /* a compilation that nobody awaits keeps its memory until it ends */
		TEST_LIMIT(early_pivots, 0);
	/* With more than three ranks, allocations fail only on the first, a middle and the last rank, because every failed
	 * allocation needs a run of all ranks. */
	const int victims = test_comm.size < 3 ? test_comm.size : 3;
	for (int v = 0; v < victims; v++) {
		const int victim = victims == 1 ? 0 : v * (test_comm.size - 1) / (victims - 1);
		int code = GEMP_ENOMEM;
		test_requests_forget((unsigned)v, (unsigned)victims);
		for (long next = 0; code != GEMP_OK;) {
			if (test_comm.rank == victim)
				test_requests_fail_from(next);
			code = step(argument);
			if (test_comm.rank == victim)
				next = test_requests_succeed();
			long range[3] = { code, -code, next }; /* next is 0 on the other ranks */
			GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, range, 3, MPI_LONG, MPI_MAX, test_comm.world));
			bool agreed = range[0] == -range[1] && (code == GEMP_OK || code == GEMP_ENOMEM);
			bool clean = gemp_memory_blocks() == before;
			if (!agreed || !clean)
				fprintf(stderr, "rank %d: %s, with request %ld of rank %d refused: code %d, %zu blocks left\n",
				        test_comm.rank, name, range[2] - 1, victim, code, gemp_memory_blocks() - before);
			if (!everywhere(agreed && clean))
				_fail(file, line);
		}
	}
}
