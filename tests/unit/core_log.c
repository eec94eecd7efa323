/* Tests the log: which levels print which messages, on which ranks, and in which form. */
#include "harness/harness.h"

#include "core/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int kept = -1;

/* Prints messages in the form of the command line. */
static void print_log(void *self, gemp_verbosity level, bool warning, int rank, const char *message)
{
	(void)self, (void)level, (void)rank;
	fprintf(stderr, "%s%s\n", warning ? "gemp-mpi: warning: " : "", message);
}

/* Redirects stderr to a file. */
static int redirect(void **state)
{
	(void)state;
	fflush(stderr);
	kept = dup(STDERR_FILENO);
	int file = open(test_path("stderr"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
	return kept < 0 || file < 0 || dup2(file, STDERR_FILENO) < 0 || close(file) != 0;
}

static int restore(void **state)
{
	(void)state;
	fflush(stderr);
	gemp_log_setup(0, GEMP_NORMAL, print_log, NULL, NULL);
	return dup2(kept, STDERR_FILENO) < 0 || close(kept) != 0;
}

/* Returns the messages since redirect(), in a static buffer. */
static const char *messages_so_far(void)
{
	static char text[8192];
	fflush(stderr);
	FILE *file = fopen(test_path("stderr"), "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void say_all(void)
{
	gemp_log(GEMP_QUIET, "error %d", 1);
	gemp_log(GEMP_NORMAL, "result");
	gemp_log(GEMP_VERBOSE, "plan");
	gemp_log(GEMP_DEBUG, "round");
	gemp_warn("odd %s", "input");
}

static void quiet_lets_errors_through(void **state)
{
	(void)state;
	gemp_log_setup(0, GEMP_QUIET, print_log, NULL, NULL);
	assert_int_equal(gemp_log_level(), GEMP_QUIET);
	say_all();
	assert_string_equal(messages_so_far(), "error 1\n");
}

static void normal_prints_results_and_warnings(void **state)
{
	(void)state;
	gemp_log_setup(0, GEMP_NORMAL, print_log, NULL, NULL);
	say_all();
	assert_string_equal(messages_so_far(), "error 1\nresult\ngemp-mpi: warning: odd input\n");
}

static void debug_prints_everything(void **state)
{
	(void)state;
	gemp_log_setup(0, GEMP_DEBUG, print_log, NULL, NULL);
	say_all();
	assert_string_equal(messages_so_far(), "error 1\nresult\nplan\nround\ngemp-mpi: warning: odd input\n");
}

static void other_ranks_keep_silent(void **state)
{
	(void)state;
	gemp_log_setup(3, GEMP_DEBUG, print_log, NULL, NULL);
	say_all();
	gemp_progress("matching", 1, 2, 3);
	assert_string_equal(messages_so_far(), "");
}

static void local_messages_name_their_rank(void **state)
{
	(void)state;
	gemp_log_setup(3, GEMP_NORMAL, print_log, NULL, NULL);
	gemp_log_local(GEMP_NORMAL, "here %d", 5);
	gemp_log_local(GEMP_VERBOSE, "not here");
	assert_string_equal(messages_so_far(), "rank 3: here 5\n");
}

/* A long message is cut but still ends with a line break. */
static void long_local_messages_end_their_line(void **state)
{
	(void)state;
	char text[4000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	gemp_log_setup(1, GEMP_NORMAL, print_log, NULL, NULL);
	gemp_log_local(GEMP_NORMAL, "%s", text);
	gemp_log_local(GEMP_NORMAL, "next");
	assert_non_null(strstr(messages_so_far(), "x\nrank 1: next\n"));
}

/* Work of less than two seconds shows no progress line. */
static void short_work_shows_no_progress(void **state)
{
	(void)state;
	gemp_log_setup(0, GEMP_NORMAL, print_log, NULL, NULL);
	for (uint64_t i = 0; i <= 100; i++)
		gemp_progress("matching", i, 100, i);
	gemp_progress("nothing", 0, 0, 0);
	gemp_progress_end();
	assert_string_equal(messages_so_far(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(quiet_lets_errors_through, redirect, restore),
		cmocka_unit_test_setup_teardown(normal_prints_results_and_warnings, redirect, restore),
		cmocka_unit_test_setup_teardown(debug_prints_everything, redirect, restore),
		cmocka_unit_test_setup_teardown(other_ranks_keep_silent, redirect, restore),
		cmocka_unit_test_setup_teardown(local_messages_name_their_rank, redirect, restore),
		cmocka_unit_test_setup_teardown(long_local_messages_end_their_line, redirect, restore),
		cmocka_unit_test_setup_teardown(short_work_shows_no_progress, redirect, restore),
	};
	return test_main(tests);
}
