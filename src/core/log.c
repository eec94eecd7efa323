#include "core/log.h"

#include "core/status.h"
#include "core/timer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_MESSAGE = 8192 };

static struct {
	int rank;
	gemp_verbosity level;
	gemp_log_callback *log;
	gemp_progress_callback *progress;
	void *self;
	bool in_task;
} speaker = { .level = GEMP_NORMAL };

void gemp_log_setup(int rank, gemp_verbosity level, gemp_log_callback *log, gemp_progress_callback *progress,
                    void *self)
{
	speaker.rank = rank;
	speaker.level = level;
	speaker.log = log;
	speaker.progress = progress;
	speaker.self = self;
	speaker.in_task = false; /* whoever was told of the task is no longer called */
}

gemp_verbosity gemp_log_set_level(gemp_verbosity level)
{
	gemp_verbosity before = speaker.level;
	speaker.level = level;
	return before;
}

gemp_verbosity gemp_log_level(void)
{
	return speaker.level;
}

static void send(gemp_verbosity level, bool warning, const char *format, va_list arguments)
{
	char message[MAX_MESSAGE];
	if (!speaker.log)
		return;
	gemp_progress_end();
	vsnprintf(message, sizeof message, format, arguments);
	speaker.log(speaker.self, level, warning, speaker.rank, message);
}

void gemp_log(gemp_verbosity level, const char *format, ...)
{
	if (speaker.rank != 0 || level > speaker.level)
		return;
	va_list arguments;
	va_start(arguments, format);
	send(level, false, format, arguments);
	va_end(arguments);
}

void gemp_log_local(gemp_verbosity level, const char *format, ...)
{
	char message[MAX_MESSAGE];
	if (!speaker.log || level > speaker.level)
		return;
	int start = snprintf(message, sizeof message, "rank %d: ", speaker.rank);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message + start, sizeof message - (size_t)start, format, arguments);
	va_end(arguments);
	speaker.log(speaker.self, level, false, speaker.rank, message);
}

void gemp_warn(const char *format, ...)
{
	if (speaker.rank != 0 || speaker.level == GEMP_QUIET)
		return;
	va_list arguments;
	va_start(arguments, format);
	send(GEMP_NORMAL, true, format, arguments);
	va_end(arguments);
}

void gemp_progress(const char *task, uint64_t done, uint64_t total, uint64_t found)
{
	if (speaker.rank != 0 || speaker.level == GEMP_QUIET || !speaker.progress)
		return;
	speaker.in_task = true;
	speaker.progress(speaker.self, task, done, total, found);
}

void gemp_progress_end(void)
{
	if (speaker.in_task)
		speaker.progress(speaker.self, NULL, 0, 0, 0);
	speaker.in_task = false;
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
