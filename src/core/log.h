/* log: messages and progress for people. Messages go to the callbacks of the context that was opened last (gemp/log.h);
 * if it has no callbacks, they are dropped. Rank 0 speaks for all ranks; gemp_log_local is for facts that only this
 * rank knows. The settings belong to the process. Only the thread that calls MPI logs. */

#ifndef GEMP_CORE_LOG_H
#define GEMP_CORE_LOG_H

#include "gemp/log.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Call it before the first message. A callback that is NULL is not called. */
void gemp_log_setup(int rank, gemp_verbosity level, gemp_log_callback *log, gemp_progress_callback *progress,
                    void *self);
/* Sets the level and returns the previous one. */
gemp_verbosity gemp_log_set_level(gemp_verbosity level);
gemp_verbosity gemp_log_level(void);

void gemp_log(gemp_verbosity level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_log_local(gemp_verbosity level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports the progress of `task`, on rank 0 only. total is 0 if it is not known. `task` must stay valid until the next
 * call. */
void gemp_progress(const char *task, uint64_t done, uint64_t total, uint64_t found);
void gemp_progress_end(void); /* ends the task */

/* The seconds of each step of a long task, such as an import, in the order of the steps. */

enum { GEMP_MAX_STEP_TIMES = 16 };

/* Initially {0}. */
typedef struct gemp_step_times {
	size_t count, current;
	struct {
		const char *name; /* borrowed */
		double seconds;
	} step[GEMP_MAX_STEP_TIMES];
	double since; /* the time when the current step began; 0: no step runs */
} gemp_step_times;

/* Ends the current step and begins the step `name`, or none if it is NULL. A name that occurred before continues its
 * entry. Nothing happens if steps is NULL, which stands for a task without timing. */
void gemp_step_times_next(gemp_step_times *steps, const char *name);

#endif
