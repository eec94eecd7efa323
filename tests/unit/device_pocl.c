/* Each process has its own PoCL cache folder, and the next process reuses the folder of a process that has ended. */
#include "device/cache.h"

#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 6, LENGTH = 1100 };

static void set_root(void)
{
	setenv("POCL_CACHE_DIR", test_path("root"), 1);
}

/* Starts a child that claims a folder, whose path is written to *folder. The child keeps the folder until end_child. */
static int start_child(char folder[LENGTH])
{
	int answer[2], hold[2];
	assert_int_equal(pipe(answer), 0);
	assert_int_equal(pipe(hold), 0);
	if (fork() == 0) {
		char byte, mine[LENGTH] = "";
		close(hold[1]);
		gemp_pocl_claim_folder();
		snprintf(mine, sizeof mine, "%s", getenv("POCL_CACHE_DIR"));
		ssize_t done = write(answer[1], mine, sizeof mine);
		done += read(hold[0], &byte, 1);
		_exit(done > 0 ? 0 : 1);
	}
	close(hold[0]);
	close(answer[1]);
	assert_int_equal(read(answer[0], folder, LENGTH), LENGTH);
	close(answer[0]);
	return hold[1];
}

static void end_child(int hold)
{
	assert_int_equal(write(hold, "", 1), 1);
	close(hold);
	wait(NULL);
}

static void one_each(void **state)
{
	static char folders[PROCESSES][LENGTH];
	int holds[PROCESSES];
	(void)state;
	set_root();
	for (int i = 0; i < PROCESSES; i++) {
		holds[i] = start_child(folders[i]);
		assert_memory_equal(folders[i], test_path("root"), strlen(test_path("root")));
		assert_int_equal(access(folders[i], W_OK | X_OK), 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(folders[i], folders[j]);
	}
	/* The folder of a child that has ended is claimed by the next child. */
	char again[LENGTH];
	end_child(holds[2]);
	holds[2] = start_child(again);
	assert_string_equal(again, folders[2]);
	for (int i = 0; i < PROCESSES; i++)
		end_child(holds[i]);
}

static void somewhere_else_if_it_cannot_be_written(void **state)
{
	char folder[LENGTH];
	(void)state;
	setenv("GEMP_CACHE_DIR", test_path("cache"), 1);
	setenv("POCL_CACHE_DIR", test_file("a-file", ""), 1);
	end_child(start_child(folder));
	assert_memory_equal(folder, test_path("cache"), strlen(test_path("cache")));
	unsetenv("POCL_CACHE_DIR");
	end_child(start_child(folder));
	assert_memory_equal(folder, test_path("cache/pocl"), strlen(test_path("cache/pocl")));
	setenv("GEMP_CACHE_DIR", "", 1);
	end_child(start_child(folder));
	assert_memory_equal(folder, "/tmp/gemp-mpi-", 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_each),
		cmocka_unit_test(somewhere_else_if_it_cannot_be_written),
	};
	return test_main(tests);
}
