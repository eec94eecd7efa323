/* terminal: on a terminal, progress is one line that is overwritten every second. In a log file every message remains,
 * so there is one line every half minute. Work shorter than two seconds shows no progress; tasks that follow each other
 * within a second are one work, so that a long query of many short searches is not silent. */

#include "cli/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double first_wait = 2, terminal_wait = 1, file_wait = 30, longest_gap = 1; /* in seconds */

/* The task whose progress is shown, if any. */
static struct {
	const char *task;     /* NULL: there is no task */
	double start;         /* of the task */
	double began, called; /* of the work, and of the last call */
	double shown;
	uint64_t done;
	bool on_line; /* the cursor stands behind text without a line end */
} progress;

/* Returns the seconds of a monotonic clock. */
static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Clears the line of progress, since a message must not be appended to it. */
static void clear_line(void)
{
	if (progress.on_line)
		fputs("\r\033[K", stderr);
	progress.on_line = false;
	progress.task = NULL;
}

/* Only warnings have a prefix, since each message names its object. */
void gemp_terminal_log(void *self, gemp_verbosity level, bool warning, int rank, const char *message)
{
	(void)self, (void)level, (void)rank;
	fprintf(stderr, "%s%s\n", warning ? "gemp-mpi: warning: " : "", message);
}

/* The remaining time is estimated from the finished share when it exceeds 1 %. Earlier estimates would be too
 * uncertain. */
static void print_progress(uint64_t done, uint64_t total, uint64_t found, double seconds, bool terminal)
{
	double share = total ? (double)done / (double)total : 0.0;
	fprintf(stderr, "%s%s: ", terminal ? "\r\033[K" : "", progress.task);
	if (total)
		fprintf(stderr, "%5.1f %%", 100.0 * share);
	else
		fprintf(stderr, "%" PRIu64, done);
	if (found)
		fprintf(stderr, ", %" PRIu64 " found", found);
	if (share > 0.01)
		fprintf(stderr, ", about %.0f s left", seconds * (1.0 - share) / share);
	fputs(terminal ? "" : "\n", stderr);
	fflush(stderr);
}

/* A task without numbers of steps and results lasts for seconds, such as the compilation of kernels. On a terminal its
 * name is shown at once. */
static void announce(void)
{
	if (progress.on_line || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s", progress.task);
	fflush(stderr);
	progress.on_line = true;
}

/* A new task begins if the name changes or the count decreases. */
void gemp_terminal_progress(void *self, const char *task, uint64_t done, uint64_t total, uint64_t found)
{
	(void)self;
	if (!task) {
		clear_line();
		return;
	}
	double time = now();
	if (!progress.task || strcmp(progress.task, task) != 0 || done < progress.done) {
		clear_line();
		progress.task = task;
		progress.start = time;
		if (time - progress.called > longest_gap)
			progress.began = progress.shown = time;
	}
	progress.called = time;
	progress.done = done;
	if (!done && !total && !found) {
		announce();
		return;
	}
	bool terminal = isatty(STDERR_FILENO);
	if (time - progress.began < first_wait || time - progress.shown < (terminal ? terminal_wait : file_wait))
		return;
	progress.shown = time;
	print_progress(done, total, found, time - progress.start, terminal);
	progress.on_line = terminal;
}
