#include "core/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name;
} wishes[] = {
	{ SIGTERM, "SIGTERM" },
	{ SIGINT, "SIGINT" },
	{ SIGUSR1, "SIGUSR1" },
	{ SIGUSR2, "SIGUSR2" },
};

enum { WISHES = sizeof wishes / sizeof *wishes };

/* What else ends a process, by others' will or by its own fault, and who wants to see it. */
static const int ends[] = { SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
enum { ENDS = sizeof ends / sizeof *ends };
static struct sigaction before[ENDS];

static volatile sig_atomic_t noted;
static const char *volatile last_words;

/* Files that go with the process. A handler may look at any time: the flag says that the name is whole. */
enum { DOOMED = 4, LONGEST = 4096 };
static struct {
	volatile sig_atomic_t set;
	char path[LONGEST];
} doomed[DOOMED];

static void (*volatile at_end)(void);

static void leave_nothing(void)
{
	for (size_t i = 0; i < DOOMED; i++)
		if (doomed[i].set)
			unlink(doomed[i].path);
	if (at_end)
		at_end();
}

static void end_by(int number)
{
	leave_nothing();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < WISHES; i++)
		sigaction(wishes[i].number, &action, NULL);
}

static void note(int number)
{
	if (number == SIGINT && noted == SIGINT)
		end_by(number);
	noted = number;
}

static void tell(int number)
{
	if (last_words && write(STDERR_FILENO, last_words, strlen(last_words)) < 0)
		last_words = NULL; /* nobody is there to read them */
	end_by(number);
}

void gemp_signals_note(void)
{
	handle(note);
}

void gemp_signals_tell(const char *text)
{
	last_words = text;
	handle(tell);
}

void gemp_signals_release(void)
{
	gemp_signals_tell(NULL);
	if (noted)
		raise(noted);
}

/* A fault comes again on return, and what was sent is sent again: to whom it would have reached without us. */
static void fall(int number, siginfo_t *info, void *context)
{
	(void)context;
	leave_nothing();
	for (size_t i = 0; i < ENDS; i++)
		if (ends[i] == number)
			sigaction(number, &before[i], NULL);
	bool fault = info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL);
	if (!fault)
		raise(number);
}

void gemp_signals_catch_ends(void)
{
	struct sigaction action = { .sa_sigaction = fall, .sa_flags = SA_SIGINFO };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

void gemp_signals_at_end(void (*clean)(void))
{
	at_end = clean;
}

void gemp_signals_doom(const char *path)
{
	size_t length = strlen(path), i = 0;
	while (i < DOOMED && doomed[i].set)
		i++;
	if (i == DOOMED || length >= LONGEST)
		return;
	memcpy(doomed[i].path, path, length + 1);
	doomed[i].set = true;
}

void gemp_signals_spare(const char *path)
{
	for (size_t i = 0; i < DOOMED; i++)
		if (doomed[i].set && strcmp(doomed[i].path, path) == 0)
			doomed[i].set = false;
}

int gemp_signals_noted(void)
{
	return noted;
}

const char *gemp_signals_name(int number)
{
	for (size_t i = 0; i < WISHES; i++)
		if (wishes[i].number == number)
			return wishes[i].name;
	return "a signal";
}
