#include "core/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name;
} stop_signals[] = {
	{ SIGTERM, "SIGTERM" },
	{ SIGINT, "SIGINT" },
	{ SIGUSR1, "SIGUSR1" },
	{ SIGUSR2, "SIGUSR2" },
};

enum { STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

/* The other signals that end a process, whether sent or caused by a fault, and their actions before
 * gemp_signals_catch_fatal. */
static const int fatal_signals[] = { SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };
static struct sigaction previous_actions[FATAL_SIGNALS];

static volatile sig_atomic_t recorded;
static bool recording; /* the handlers record signals and do not end the process */
static const char *volatile exit_message;

/* Unfinished files. A handler may run at any time, so `set` becomes true only after the whole name has been stored. */
enum { MAX_TEMP_FILES = 4, MAX_PATH_LENGTH = 4096 };
static struct {
	volatile sig_atomic_t set;
	char path[MAX_PATH_LENGTH];
} temp_files[MAX_TEMP_FILES];

static void (*volatile fatal_hook)(void);

/* Runs inside signal handlers: calls only unlink and the hook, and neither allocates nor locks. */
static void remove_temp_files(void)
{
	for (size_t i = 0; i < MAX_TEMP_FILES; i++)
		if (temp_files[i].set)
			unlink(temp_files[i].path);
	if (fatal_hook)
		fatal_hook();
}

/* Ends the process by the default action of the signal, so the parent sees the right exit status. */
static void raise_default(int signal_number)
{
	remove_temp_files();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* Installs a handler. Interrupted system calls are restarted, so the work does not notice the signal. */
static void install_handler(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		sigaction(stop_signals[i].number, &action, NULL);
}

/* A second SIGINT ends the process at once: a user who presses Ctrl-C twice does not want to wait for the end of the
 * step. */
static void record_signal(int signal_number)
{
	if (signal_number == SIGINT && recorded == SIGINT)
		raise_default(signal_number);
	recorded = signal_number;
}

/* Uses write, which is async-signal-safe; printf is not. */
static void print_and_raise(int signal_number)
{
	if (exit_message && write(STDERR_FILENO, exit_message, strlen(exit_message)) < 0)
		exit_message = NULL; /* uses the result of write, to avoid a warning */
	raise_default(signal_number);
}

void gemp_signals_record(void)
{
	recording = true;
	install_handler(record_signal);
}

void gemp_signals_set_message(const char *text)
{
	recording = false;
	exit_message = text;
	install_handler(print_and_raise);
}

/* A recorded signal takes effect now. */
void gemp_signals_restore(void)
{
	gemp_signals_set_message(NULL);
	if (recorded)
		raise(recorded);
}

bool gemp_signals_suspend(void)
{
	const bool recorded_before = recording;
	if (recorded_before)
		gemp_signals_restore();
	return recorded_before;
}

void gemp_signals_resume(bool recorded_before)
{
	if (recorded_before)
		gemp_signals_record();
}

/* Restores the previous action and triggers it, so the handlers of MPI and of debuggers still run. A fault repeats when
 * the handler returns. Any other signal, and a fault signal that was sent (si_code <= 0), is raised again. */
static void handle_fatal(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	remove_temp_files();
	for (size_t i = 0; i < FATAL_SIGNALS; i++)
		if (fatal_signals[i] == signal_number)
			sigaction(signal_number, &previous_actions[i], NULL);
	bool fault = info->si_code > 0 && (signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGFPE ||
	                                   signal_number == SIGILL);
	if (!fault)
		raise(signal_number);
}

void gemp_signals_block(sigset_t *before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	sigset_t most;
	sigfillset(&most);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&most, faults[i]);
	pthread_sigmask(SIG_SETMASK, &most, before);
}

/* The action of a signal is saved before it is replaced, so that handle_fatal can restore it. */
void gemp_signals_catch_fatal(void)
{
	struct sigaction action = { .sa_sigaction = handle_fatal, .sa_flags = SA_SIGINFO };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < FATAL_SIGNALS; i++)
		if (sigaction(fatal_signals[i], NULL, &previous_actions[i]) == 0 && previous_actions[i].sa_handler != SIG_IGN)
			sigaction(fatal_signals[i], &action, NULL);
}

void gemp_signals_on_fatal(void (*clean)(void))
{
	fatal_hook = clean;
}

/* A path that is too long is not recorded, and its file then remains after a signal. */
void gemp_signals_add_temp(const char *path)
{
	size_t length = strlen(path), i = 0;
	while (i < MAX_TEMP_FILES && temp_files[i].set)
		i++;
	if (i == MAX_TEMP_FILES || length >= MAX_PATH_LENGTH)
		return;
	memcpy(temp_files[i].path, path, length + 1);
	temp_files[i].set = true;
}

void gemp_signals_drop_temp(const char *path)
{
	for (size_t i = 0; i < MAX_TEMP_FILES; i++)
		if (temp_files[i].set && strcmp(temp_files[i].path, path) == 0)
			temp_files[i].set = false;
}

int gemp_signals_pending(void)
{
	return recorded;
}

/* Only recorded signals have a name here. */
const char *gemp_signals_name(int signal_number)
{
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		if (stop_signals[i].number == signal_number)
			return stop_signals[i].name;
	return "a signal";
}
