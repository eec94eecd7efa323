/* The settings belong to the process and not to a context: messages come from code that has no context at hand. Rank 0
 * prints for all ranks, since all of them would say the same; the other ranks drop their messages before they are
 * formatted.
 */

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

/* A context that is opened later takes the callbacks over. */
void gemp_log_setup(int rank, gemp_verbosity level, gemp_log_callback *log, gemp_progress_callback *progress,
                    void *self)
{
	logger.rank = rank;
	logger.level = level;
	logger.log = log;
	logger.progress = progress;
	logger.self = self;
	logger.showing_progress = false; /* the callback that was told of the task is no longer called */
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

/* A progress line that is shown must end first, or the message would be written into it. */
static void emit(gemp_verbosity level, bool warning, const char *format, va_list arguments)
{
	char message[MAX_LOG_MESSAGE];
	if (!logger.log)
		return;
	gemp_progress_end();
	vsnprintf(message, sizeof message, format, arguments);
	logger.log(logger.self, level, warning, logger.rank, message);
}

/* Messages above the level cost a comparison and no formatting. */
void gemp_log(gemp_verbosity level, const char *format, ...)
{
	if (logger.rank != 0 || level > logger.level)
		return;
	va_list arguments;
	va_start(arguments, format);
	emit(level, false, format, arguments);
	va_end(arguments);
}

/* The rank is put in front, as messages of several ranks may be mixed. */
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

/* The callback decides how often it draws; here every call is passed on. */
void gemp_progress(const char *task, uint64_t done, uint64_t total, uint64_t found)
{
	if (logger.rank != 0 || logger.level == GEMP_QUIET || !logger.progress)
		return;
	logger.showing_progress = true;
	logger.progress(logger.self, task, done, total, found);
}

/* Tells the callback once that nothing is shown any more. */
void gemp_progress_end(void)
{
	if (logger.showing_progress)
		logger.progress(logger.self, NULL, 0, 0, 0);
	logger.showing_progress = false;
}

/* Steps that come again (a loop over files) are summed under one name. */
static size_t find_or_add(gemp_step_times *steps, const char *name)
{
	for (size_t i = 0; i < steps->count; i++)
		if (strcmp(steps->step[i].name, name) == 0)
			return i;
	GEMP_CHECK(steps->count < GEMP_MAX_STEP_TIMES);
	steps->step[steps->count].name = name;
	return steps->count++;
}

/* The time since the last call goes to the step that ends. */
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
