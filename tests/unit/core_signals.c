/* Tests both reactions to signals: a signal is recorded as a request to stop, or it ends the process with a message and
 * removes the process's temporary files. */
#include "core/signals.h"
#include "core/threads.h"

#include "harness/harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void the_latest_signal_is_recorded(void **state)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGTERM };
	(void)state;
	assert_int_equal(gemp_signals_pending(), 0);
	gemp_signals_record();
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		raise(numbers[i]);
		assert_int_equal(gemp_signals_pending(), numbers[i]);
	}
	assert_string_equal(gemp_signals_name(SIGUSR2), "SIGUSR2");
	assert_string_equal(gemp_signals_name(SIGHUP), "a signal");
}

/* What the child of end_of() wrote to stderr. end_of() runs act() in a child process and returns the exit code as a
 * shell reports it. */
static char said[64];

static int end_of(void (*act)(void))
{
	int ends[2], status = 0;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(ends[1]);
	memset(said, 0, sizeof said);
	assert_true(read(ends[0], said, sizeof said - 1) >= 0);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void interrupt_twice(void)
{
	gemp_signals_record();
	raise(SIGINT);
	raise(SIGINT);
}

static void end_with_a_word(void)
{
	gemp_signals_set_message("good bye\n");
	raise(SIGTERM);
}

static void end_without_a_word(void)
{
	gemp_signals_set_message(NULL);
	raise(SIGUSR1);
}

static void end_late(void)
{
	gemp_signals_record();
	raise(SIGTERM);
	gemp_signals_restore();
}

static void signals_end_the_process(void **state)
{
	(void)state;
	assert_int_equal(end_of(interrupt_twice), 128 + SIGINT);
	assert_string_equal(said, "");
	assert_int_equal(end_of(end_with_a_word), 128 + SIGTERM);
	assert_string_equal(said, "good bye\n");
	assert_int_equal(end_of(end_late), 128 + SIGTERM);
	assert_int_equal(end_of(end_without_a_word), 128 + SIGUSR1);
	assert_string_equal(said, "");
}

/* Two temporary files. The second file is registered four times and dropped again, like files that are complete; the
 * five registrations exceed the capacity of the list. */
static char doomed[2][64];

static void leave_files(void)
{
	for (int i = 0; i < 5; i++)
		gemp_signals_add_temp(doomed[i > 0]);
	for (int i = 0; i < 5; i++)
		gemp_signals_drop_temp(doomed[1]);
}

static void end_with_files(void)
{
	gemp_signals_record();
	gemp_signals_restore();
	leave_files();
	raise(SIGTERM);
}

static void interrupt_twice_with_files(void)
{
	gemp_signals_record();
	leave_files();
	raise(SIGINT);
	raise(SIGINT);
}

static void *fail_in_background(void *unused)
{
	raise(SIGTERM); /* stays pending */
	raise(SIGILL);
	return unused;
}

static void fault_in_background_with_files(void)
{
	gemp_background thread;
	signal(SIGILL, SIG_DFL); /* cmocka has a handler */
	gemp_signals_catch_fatal();
	leave_files();
	if (gemp_background_start(&thread, fail_in_background, NULL))
		gemp_background_wait(&thread);
}

static void temporary_files_are_removed(void **state)
{
	static const struct {
		void (*act)(void);
		int number;
	} ways[] = {
		{ end_with_files, SIGTERM },
		{ interrupt_twice_with_files, SIGINT },
		{ fault_in_background_with_files, SIGILL },
	};
	(void)state;
	for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
		for (int i = 0; i < 2; i++) {
			snprintf(doomed[i], sizeof doomed[i], "/tmp/gemp-doomed-XXXXXX");
			close(mkstemp(doomed[i]));
		}
		assert_int_equal(end_of(ways[way].act), 128 + ways[way].number);
		assert_int_not_equal(access(doomed[0], F_OK), 0);
		assert_int_equal(access(doomed[1], F_OK), 0);
		unlink(doomed[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_end_the_process),
		cmocka_unit_test(temporary_files_are_removed),
		cmocka_unit_test(the_latest_signal_is_recorded),
	};
	return test_main(tests);
}
