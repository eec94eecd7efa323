/* log: messages for people, on stderr. Rank 0 speaks for all; gemp_log_local is for what only this rank knows. */
#ifndef GEMP_CORE_LOG_H
#define GEMP_CORE_LOG_H

#include <stdbool.h>
#include <stdint.h>

typedef enum gemp_level {
	GEMP_QUIET = 0,   /* errors only */
	GEMP_NORMAL = 1,  /* results, warnings and progress */
	GEMP_VERBOSE = 2, /* decisions: plan, sizes, launches */
	GEMP_DEBUG = 3,   /* each round */
} gemp_level;

/* Before the first message: which rank this is and how much to say. */
void gemp_log_setup(int rank, gemp_level level);
gemp_level gemp_log_level(void);

void gemp_log(gemp_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_log_local(gemp_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_warn(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "gemp-mpi: warning: ..." */

/* A line with share done and time left, at most once a second on a terminal and once in 30 s elsewhere, after the first
 * 2 s. `found` is shown as matches so far; rank 0 only. total 0: it is not known, and `done` is shown. Where `what`
 * is another or `done` less than before, other work begins; `what` must live. */
void gemp_progress(const char *what, uint64_t done, uint64_t total, uint64_t found);
void gemp_progress_end(void); /* clears the line */

#endif
