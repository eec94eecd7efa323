#include "core/log.h"

#include "core/status.h"
#include "core/timer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int own_rank;
static gemp_verbosity max_level = GEMP_NORMAL;

static struct {
	const char *what; /* NULL: none under way */
	double began, shown;
	uint64_t done;
	bool on_line;
} progress;

void gemp_log_setup(int rank, gemp_verbosity level)
{
	own_rank = rank;
	max_level = level;
}

gemp_verbosity gemp_log_level(void)
{
	return max_level;
}

static void print_line(const char *format, va_list arguments)
{
	gemp_progress_end();
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void gemp_log(gemp_verbosity level, const char *format, ...)
{
	if (own_rank != 0 || level > max_level)
		return;
	va_list arguments;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
}

void gemp_log_local(gemp_verbosity level, const char *format, ...)
{
	if (level > max_level)
		return;
	char line[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "rank %d: %s\n", own_rank, line);
}

void gemp_warn(const char *format, ...)
{
	if (own_rank != 0 || max_level == GEMP_QUIET)
		return;
	va_list arguments;
	va_start(arguments, format);
	fputs("gemp-mpi: warning: ", stderr);
	print_line(format, arguments);
	va_end(arguments);
}

void gemp_progress(const char *what, uint64_t done, uint64_t total, uint64_t found)
{
	if (own_rank != 0 || max_level == GEMP_QUIET)
		return;
	double now = gemp_now();
	if (progress.what != what || done < progress.done) {
		gemp_progress_end();
		progress.what = what;
		progress.began = progress.shown = now;
	}
	progress.done = done;
	bool terminal = isatty(STDERR_FILENO);
	if (now - progress.began < 2.0 || now - progress.shown < (terminal ? 1.0 : 30.0))
		return;
	progress.shown = now;
	double share = total ? (double)done / (double)total : 0.0;
	fprintf(stderr, "%s%s: ", terminal ? "\r\033[K" : "", what);
	if (total)
		fprintf(stderr, "%5.1f %%", 100.0 * share);
	else
		fprintf(stderr, "%" PRIu64, done);
	if (found)
		fprintf(stderr, ", %" PRIu64 " found", found);
	if (share > 0.01)
		fprintf(stderr, ", about %.0f s left", (now - progress.began) * (1.0 - share) / share);
	fputs(terminal ? "" : "\n", stderr);
	fflush(stderr);
	progress.on_line = terminal;
}

void gemp_progress_end(void)
{
	if (progress.on_line)
		fputs("\r\033[K", stderr);
	progress.on_line = false;
	progress.what = NULL;
}

static size_t find_or_add(gemp_step_times *steps, const char *name)
{
	for (size_t i = 0; i < steps->count; i++)
		if (strcmp(steps->step[i].name, name) == 0)
			return i;
	GEMP_CHECK(steps->count < GEMP_MAX_STEP_TIMES);
	steps->step[steps->count].name = name;
	return steps->count++;
}

void gemp_step_times_next(gemp_step_times *steps, const char *name)
{
	if (!steps)
		return;
	double now = gemp_now();
	if (steps->since > 0)
		steps->step[steps->current].seconds += now - steps->since;
	steps->since = name ? now : 0;
	gemp_progress_end();
	if (name)
		steps->current = find_or_add(steps, name);
}
