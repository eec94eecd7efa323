/* Tests that ranks of a node get descriptors of each other's files: each file has the number of its rank. A rank that
 * cannot receive a file must not keep the other ranks waiting. */
#include "comm/node_files.h"
#include "harness/collective.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Returns a file in memory with one number. */
static int new_file(int number)
{
	const int file = memfd_create("gemp-mpi test", MFD_CLOEXEC);
	assert_all(file >= 0 && write(file, &number, sizeof number) == sizeof number);
	return file;
}

static void files_have_arrived(void **state)
{
	int *files = calloc((size_t)test_comm.node_size, sizeof *files);
	bool right = true;
	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		const int file = new_file(10 * turn + test_comm.node_rank);
		assert_all_ok(gemp_node_files_exchange(&test_comm, file, files));
		assert_int_equal(close(file), 0);
		for (int n = 0; n < test_comm.node_size; n++) {
			int number = -1;
			if (n == test_comm.node_rank) {
				right &= files[n] == -1;
				continue;
			}
			right &= pread(files[n], &number, sizeof number, 0) == sizeof number && number == 10 * turn + n;
			right &= close(files[n]) == 0;
		}
		assert_all(right);
	}
	free(files);
}

/* The last rank has no descriptor left: none for its socket, or none for the file that it receives. */
static void no_descriptor_is_left(void **state)
{
	int *files = calloc((size_t)test_comm.node_size, sizeof *files);
	const int file = new_file(7), unused = dup(file);
	struct rlimit limit, low;
	(void)state;
	assert_all(unused >= 0 && close(unused) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
	for (rlim_t more = 0; more < 2 && test_comm.node_size > 1; more++) {
		bool none = true;
		low = (struct rlimit){ (rlim_t)unused + more, limit.rlim_max };
		if (test_comm.rank == test_comm.size - 1)
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
		const gemp_code code = gemp_node_files_exchange(&test_comm, file, files);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_all(code != GEMP_OK);
		for (int n = 0; n < test_comm.node_size; n++)
			none &= files[n] == -1;
		assert_all(none);
	}
	close(file);
	free(files);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(files_have_arrived), cmocka_unit_test(no_descriptor_is_left) };
	return test_main_all(argc, argv, tests);
}
