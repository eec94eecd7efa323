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

enum { WISHES = sizeof stop_signals / sizeof *stop_signals };

/* What else ends a process, by others' will or by its own fault, and who wants to see it. */
static const int fatal_signals[] = { SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
enum { ENDS = sizeof fatal_signals / sizeof *fatal_signals };
static struct sigaction previous_actions[ENDS];

static volatile sig_atomic_t pending;
static const char *volatile exit_message;

/* Files that go with the process. A handler may look at any time: the flag says that the name is whole. */
enum { DOOMED = 4, LONGEST = 4096 };
static struct {
	volatile sig_atomic_t set;
	char path[LONGEST];
} temp_files[DOOMED];

static void (*volatile at_end)(void);

static void remove_temp_files(void)
{
	for (size_t i = 0; i < DOOMED; i++)
		if (temp_files[i].set)
			unlink(temp_files[i].path);
	if (at_end)
		at_end();
}

static void raise_default(int number)
{
	remove_temp_files();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < WISHES; i++)
		sigaction(stop_signals[i].number, &action, NULL);
}

static void record_signal(int number)
{
	if (number == SIGINT && pending == SIGINT)
		raise_default(number);
	pending = number;
}

static void print_and_end(int number)
{
	if (exit_message && write(STDERR_FILENO, exit_message, strlen(exit_message)) < 0)
		exit_message = NULL; /* nobody is there to read them */
	raise_default(number);
}

void gemp_signals_record(void)
{
	handle(record_signal);
}

void gemp_signals_set_message(const char *text)
{
	exit_message = text;
	handle(print_and_end);
}

void gemp_signals_restore(void)
{
	gemp_signals_set_message(NULL);
	if (pending)
		raise(pending);
}

/* A fault comes again on return, and what was sent is sent again: to whom it would have reached without us. */
static void end_fatally(int number, siginfo_t *info, void *context)
{
	(void)context;
	remove_temp_files();
	for (size_t i = 0; i < ENDS; i++)
		if (fatal_signals[i] == number)
			sigaction(number, &previous_actions[i], NULL);
	bool fault = info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL);
	if (!fault)
		raise(number);
}

void gemp_signals_catch_fatal(void)
{
	struct sigaction action = { .sa_sigaction = end_fatally, .sa_flags = SA_SIGINFO };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(fatal_signals[i], NULL, &previous_actions[i]) == 0 && previous_actions[i].sa_handler != SIG_IGN)
			sigaction(fatal_signals[i], &action, NULL);
}

void gemp_signals_on_fatal(void (*clean)(void))
{
	at_end = clean;
}

void gemp_signals_add_temp(const char *path)
{
	size_t length = strlen(path), i = 0;
	while (i < DOOMED && temp_files[i].set)
		i++;
	if (i == DOOMED || length >= LONGEST)
		return;
	memcpy(temp_files[i].path, path, length + 1);
	temp_files[i].set = true;
}

void gemp_signals_drop_temp(const char *path)
{
	for (size_t i = 0; i < DOOMED; i++)
		if (temp_files[i].set && strcmp(temp_files[i].path, path) == 0)
			temp_files[i].set = false;
}

int gemp_signals_pending(void)
{
	return pending;
}

const char *gemp_signals_name(int number)
{
	for (size_t i = 0; i < WISHES; i++)
		if (stop_signals[i].number == number)
			return stop_signals[i].name;
	return "a signal";
}
