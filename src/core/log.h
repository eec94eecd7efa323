/* log: messages for people, on stderr. Rank 0 speaks for all; gemp_log_local is for what only this rank knows. */

#ifndef GEMP_CORE_LOG_H
#define GEMP_CORE_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum gemp_verbosity {
	GEMP_QUIET = 0,   /* errors only */
	GEMP_NORMAL = 1,  /* results, warnings and progress */
	GEMP_VERBOSE = 2, /* decisions: plan, sizes, launches */
	GEMP_DEBUG = 3,   /* each round */
} gemp_verbosity;

/* Before the first message: which rank this is and how much to say. */
void gemp_log_setup(int rank, gemp_verbosity level);
gemp_verbosity gemp_log_level(void);

void gemp_log(gemp_verbosity level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_log_local(gemp_verbosity level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_warn(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "gemp-mpi: warning: ..." */

/* A line with share done and time left, at most once a second on a terminal and once in 30 s elsewhere, after the first
 * 2 s. `found` is shown as matches so far; rank 0 only. total 0: it is not known, and `done` is shown. Where `what`
 * is another or `done` less than before, other work begins; `what` must live. */
void gemp_progress(const char *what, uint64_t done, uint64_t total, uint64_t found);
void gemp_progress_end(void); /* clears the line */

/* steps: seconds of the steps of a long work, such as an import, in their order. */

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
