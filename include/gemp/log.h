/* gemp/log.h: messages and progress. The library prints nothing; it calls functions of the program. */

#ifndef GEMP_LOG_H
#define GEMP_LOG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which messages the program wants. */
typedef enum gemp_verbosity {
	GEMP_QUIET = 0,   /* errors only */
	GEMP_NORMAL = 1,  /* results, warnings and progress */
	GEMP_VERBOSE = 2, /* decisions: plan, sizes, launches */
	GEMP_DEBUG = 3,   /* each round */
} gemp_verbosity;

/* Takes one message, without a line end. warning: the user should know or change something. Rank 0 calls it for facts
 * that all ranks know, and any rank calls it for facts that only this rank knows. */
typedef void gemp_log_callback(void *self, gemp_verbosity level, bool warning, int rank, const char *message);

/* Takes the progress of long work. task: names the work; NULL: the work has ended. total 0: not known. found: results
 * so far. It is called on rank 0 only, possibly many times a second. */
typedef void gemp_progress_callback(void *self, const char *task, uint64_t done, uint64_t total, uint64_t found);

#ifdef __cplusplus
}
#endif

#endif
