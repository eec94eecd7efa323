#include "core/signals.h"

#include <signal.h>
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

static volatile sig_atomic_t noted;
static const char *volatile last_words;

static void handle(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < WISHES; i++)
		sigaction(wishes[i].number, &action, NULL);
}

static void note(int number)
{
	if (number == SIGINT && noted == SIGINT) {
		signal(number, SIG_DFL);
		raise(number);
	}
	noted = number;
}

static void tell(int number)
{
	if (last_words && write(STDERR_FILENO, last_words, strlen(last_words)) < 0)
		last_words = NULL; /* nobody is there to read them */
	signal(number, SIG_DFL);
	raise(number);
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
	handle(SIG_DFL);
	if (noted)
		raise(noted);
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
