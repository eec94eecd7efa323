/* Tests status codes and their messages. */
#include "harness/harness.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_failure_keeps_its_message(void **state)
{
	(void)state;
	assert_int_equal(gemp_fail(GEMP_EDATA, "%s:%d: bad cell", "movies.tsv", 7), GEMP_EDATA);
	assert_string_equal(gemp_message(), "movies.tsv:7: bad cell");
	assert_int_equal(gemp_fail(GEMP_EIO, "no space"), GEMP_EIO);
	assert_string_equal(gemp_message(), "no space");
}

static void context_goes_in_front(void **state)
{
	(void)state;
	gemp_fail(GEMP_EIO, "no space");
	assert_int_equal(gemp_fail_in(GEMP_EIO, "%s: ", "movies.h5"), GEMP_EIO);
	assert_string_equal(gemp_message(), "movies.h5: no space");
	gemp_fail_in(GEMP_EIO, "import: ");
	assert_string_equal(gemp_message(), "import: movies.h5: no space");
}

/* A message that is too long is cut, and nothing past the end of the buffer is read or written. */
static void long_messages_are_cut(void **state)
{
	(void)state;
	char text[2 * GEMP_MESSAGE_SIZE];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	gemp_fail(GEMP_EDATA, "%s", text);
	assert_int_equal(strlen(gemp_message()), GEMP_MESSAGE_SIZE - 1);
	gemp_fail_in(GEMP_EDATA, "here: ");
	assert_int_equal(strlen(gemp_message()), GEMP_MESSAGE_SIZE - 1);
	assert_memory_equal(gemp_message(), "here: xxx", 9);
	gemp_fail_in(GEMP_EDATA, "%s", text);
	assert_int_equal(strlen(gemp_message()), GEMP_MESSAGE_SIZE - 1);
}

/* The last message may be an argument of the next failure. */
static void a_message_can_quote_the_last(void **state)
{
	(void)state;
	gemp_fail(GEMP_EIO, "no space");
	gemp_fail(GEMP_EIO, "could not write: %s", gemp_message());
	assert_string_equal(gemp_message(), "could not write: no space");
	gemp_fail_in(GEMP_EIO, "[%s] ", gemp_message());
	assert_string_equal(gemp_message(), "[could not write: no space] could not write: no space");
}

static gemp_code tries(gemp_code first, int *reached)
{
	gemp_code code = GEMP_OK;
	*reached = 0;
	GEMP_TRY_DONE(first);
	*reached = 1;
done:
	return code;
}

static void try_leaves_at_the_first_failure(void **state)
{
	(void)state;
	int reached;
	assert_int_equal(tries(GEMP_ENOMEM, &reached), GEMP_ENOMEM);
	assert_int_equal(reached, 0);
	assert_int_equal(tries(GEMP_OK, &reached), GEMP_OK);
	assert_int_equal(reached, 1);
}

static void a_bug_aborts_with_its_place(void **state)
{
	(void)state;
	int pipes[2];
	assert_int_equal(pipe(pipes), 0);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		GEMP_CHECK(1 + 1 == 3);
		_exit(0);
	}
	close(pipes[1]);
	char said[512] = "";
	size_t size = 0;
	for (ssize_t got; (got = read(pipes[0], said + size, sizeof said - 1 - size)) > 0;)
		size += (size_t)got;
	close(pipes[0]);
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(said, "core_status.c:"));
	assert_non_null(strstr(said, "1 + 1 == 3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_keeps_its_message),     cmocka_unit_test(context_goes_in_front),
		cmocka_unit_test(long_messages_are_cut),           cmocka_unit_test(a_message_can_quote_the_last),
		cmocka_unit_test(try_leaves_at_the_first_failure), cmocka_unit_test(a_bug_aborts_with_its_place),
	};
	return test_main(tests);
}
