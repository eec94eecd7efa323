/* gemp/log.h: messages and progress. The library prints nothing itself. It calls functions of the program. */

#ifndef GEMP_LOG_H
#define GEMP_LOG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which messages the program wants. Each level includes the levels before it. */
typedef enum gemp_verbosity {
	GEMP_QUIET = 0,   /* errors only */
	GEMP_NORMAL = 1,  /* results, warnings and progress */
	GEMP_VERBOSE = 2, /* also decisions: plan, sizes, launches */
	GEMP_DEBUG = 3,   /* also each round */
} gemp_verbosity;

/* Receives one message, without a line end. `warning` is true if the user should know or change something. For a fact
 * that all ranks know, the library calls the function on rank 0; for a fact that only one rank knows, it calls the
 * function on this rank. */
typedef void gemp_log_callback(void *self, gemp_verbosity level, bool warning, int rank, const char *message);

/* Receives the progress of long work, on rank 0 only, possibly many times a second. `task` names the work, or is NULL
 * when the work has ended. `done` of `total` steps are finished; `total` is 0 if the number of steps is not known.
 * `found` is the number of results so far. If all three are 0, the task has no steps and should be shown at once. */
typedef void gemp_progress_callback(void *self, const char *task, uint64_t done, uint64_t total, uint64_t found);

#ifdef __cplusplus
}
#endif

#endif
