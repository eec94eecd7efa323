/* log: messages and progress for people, passed to the callbacks of the context that was opened last (gemp/log.h);
 * without callbacks they are dropped. Rank 0 speaks for all; gemp_log_local is for facts that only this rank knows. The
 * settings are those of the process, and only the thread that calls MPI logs.
 */

#ifndef GEMP_CORE_LOG_H
#define GEMP_CORE_LOG_H

#include "gemp/log.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Before the first message: which rank this is, how much to say, and to whom (NULL: nobody). */
void gemp_log_setup(int rank, gemp_verbosity level, gemp_log_callback *log, gemp_progress_callback *progress,
                    void *self);
/* Says more or less from now on; returns the level before. */
gemp_verbosity gemp_log_set_level(gemp_verbosity level);
gemp_verbosity gemp_log_level(void);

void gemp_log(gemp_verbosity level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_log_local(gemp_verbosity level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How far `task` is; rank 0 only. total 0: not known. `task` must live until the next call. */
void gemp_progress(const char *task, uint64_t done, uint64_t total, uint64_t found);
void gemp_progress_end(void); /* the task is over */

/* Seconds of the steps of a long task, such as an import, in their order. */

enum { GEMP_MAX_STEP_TIMES = 16 };

/* {0} before the first step. */
typedef struct gemp_step_times {
	size_t count, current;
	struct {
		const char *name; /* borrowed */
		double seconds;
	} step[GEMP_MAX_STEP_TIMES];
	double since; /* 0: none runs */
} gemp_step_times;

/* Ends the step that runs and begins the next one; NULL: none follows. A name that was there before goes on. Works that
 * nobody times have no steps: NULL. */
void gemp_step_times_next(gemp_step_times *steps, const char *name);

#endif
