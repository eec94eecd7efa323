/* gemp/log.h: how the library speaks: it prints nothing itself, but calls back. */

#ifndef GEMP_LOG_H
#define GEMP_LOG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much is said. */
typedef enum gemp_verbosity {
	GEMP_QUIET = 0,   /* errors only */
	GEMP_NORMAL = 1,  /* results, warnings and progress */
	GEMP_VERBOSE = 2, /* decisions: plan, sizes, launches */
	GEMP_DEBUG = 3,   /* each round */
} gemp_verbosity;

/* One message without a line end. warning: something the user should know or change. Called by rank 0 for all ranks, and by any
 * rank for what only it knows (rank > 0 or local). */
typedef void gemp_log_callback(void *self, gemp_verbosity level, bool warning, int rank, const char *message);

/* How far long work is: `task` names it; total 0: not known; found: results so far. task NULL: the work has ended. Rank 0 only,
 * as often as the work comes by. */
typedef void gemp_progress_callback(void *self, const char *task, uint64_t done, uint64_t total, uint64_t found);

#ifdef __cplusplus
}
#endif

#endif
