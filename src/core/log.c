/* The settings belong to the process and not to a context, because messages come from code that knows no context. Rank
 * 0 prints for all ranks, whose messages would be equal; the other ranks drop their messages before formatting. */

#include "core/log.h"

#include "core/status.h"
#include "core/timer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LOG_MESSAGE = 8192 };

static struct {
	int rank;
	gemp_verbosity level;
	gemp_log_callback *log;
	gemp_progress_callback *progress;
	void *self;
	bool showing_progress;
} logger = { .level = GEMP_NORMAL };

/* A context that is opened later replaces the callbacks of an earlier one. */
void gemp_log_setup(int rank, gemp_verbosity level, gemp_log_callback *log, gemp_progress_callback *progress,
                    void *self)
{
	logger.rank = rank;
	logger.level = level;
	logger.log = log;
	logger.progress = progress;
	logger.self = self;
	logger.showing_progress = false; /* the new callback has not shown progress */
}

gemp_verbosity gemp_log_set_level(gemp_verbosity level)
{
	gemp_verbosity before = logger.level;
	logger.level = level;
	return before;
}

gemp_verbosity gemp_log_level(void)
{
	return logger.level;
}

/* Ends a visible progress line before the message, so that the message has its own line. */
static void emit(gemp_verbosity level, bool warning, const char *format, va_list arguments)
{
	char message[MAX_LOG_MESSAGE];
	if (!logger.log)
		return;
	gemp_progress_end();
	vsnprintf(message, sizeof message, format, arguments);
	logger.log(logger.self, level, warning, logger.rank, message);
}

/* The level is compared first, so that a message above the level is not formatted. */
void gemp_log(gemp_verbosity level, const char *format, ...)
{
	if (logger.rank != 0 || level > logger.level)
		return;
	va_list arguments;
	va_start(arguments, format);
	emit(level, false, format, arguments);
	va_end(arguments);
}

/* The callback receives the rank, because messages of several ranks may be mixed. */
void gemp_log_local(gemp_verbosity level, const char *format, ...)
{
	char message[MAX_LOG_MESSAGE];
	if (!logger.log || level > logger.level)
		return;
	int start = snprintf(message, sizeof message, "rank %d: ", logger.rank);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message + start, sizeof message - (size_t)start, format, arguments);
	va_end(arguments);
	logger.log(logger.self, level, false, logger.rank, message);
}

/* Warnings are shown at every level but quiet. */
void gemp_warn(const char *format, ...)
{
	if (logger.rank != 0 || logger.level == GEMP_QUIET)
		return;
	va_list arguments;
	va_start(arguments, format);
	emit(GEMP_NORMAL, true, format, arguments);
	va_end(arguments);
}

/* Passes every call on; the callback decides how often it draws. */
void gemp_progress(const char *task, uint64_t done, uint64_t total, uint64_t found)
{
	if (logger.rank != 0 || logger.level == GEMP_QUIET || !logger.progress)
		return;
	logger.showing_progress = true;
	logger.progress(logger.self, task, done, total, found);
}

/* Tells the callback once, by the task NULL, that the task is over. */
void gemp_progress_end(void)
{
	if (logger.showing_progress)
		logger.progress(logger.self, NULL, 0, 0, 0);
	logger.showing_progress = false;
}

/* A step that occurs repeatedly, as in a loop over files, is one entry with the sum of its times. */
static size_t find_or_add(gemp_step_times *steps, const char *name)
{
	for (size_t i = 0; i < steps->count; i++)
		if (strcmp(steps->step[i].name, name) == 0)
			return i;
	GEMP_CHECK(steps->count < GEMP_MAX_STEP_TIMES);
	steps->step[steps->count].name = name;
	return steps->count++;
}

/* The time since the last call is added to the step that ends. */
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
