/* status: how functions fail.
 *
 * A function that can fail returns a gemp_code; the codes are the program's exit codes. The message of the last failure
 * belongs to the thread (gemp_message). It names the object, the place and the remedy. gemp_comm_agree (comm/comm.h)
 * turns a failure on one rank into a failure on all ranks. A programmer's error does not return: GEMP_CHECK aborts. */

#ifndef GEMP_CORE_STATUS_H
#define GEMP_CORE_STATUS_H

#include "gemp/status.h"

#include <stdio.h>

enum { GEMP_MESSAGE_SIZE = 4096 };

/* A programmer's error: prints file:line and the text, and aborts the process. */
_Noreturn void gemp_bug(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* For functions with `gemp_code code = GEMP_OK;` and a label `done:`, which release objects collectively or in a given
 * order. Other functions use owners (core/memory.h) and GEMP_TRY. */
#define GEMP_TRY_DONE(call)  \
	do {                     \
		code = (call);       \
		if (code != GEMP_OK) \
			goto done;       \
	} while (0)

/* Returns from the function with the code of a failed call. */
#define GEMP_TRY(call)                    \
	do {                                  \
		const gemp_code failure = (call); \
		if (failure != GEMP_OK)           \
			return failure;               \
	} while (0)

/* A step that is skipped after a failure. The caller uses `code` after several such steps, mostly in
 * gemp_comm_agree. */
#define GEMP_THEN(call)      \
	do {                     \
		if (code == GEMP_OK) \
			code = (call);   \
	} while (0)

/* A step that also runs after a failure, because other ranks would wait for it. `code` keeps the first failure. */
#define GEMP_ALSO(call)                    \
	do {                                   \
		const gemp_code failure_ = (call); \
		if (code == GEMP_OK)               \
			code = failure_;               \
	} while (0)

#define GEMP_CHECK(condition)                                             \
	do {                                                                  \
		if (!(condition))                                                 \
			gemp_bug(__FILE__, __LINE__, "check failed: %s", #condition); \
	} while (0)

#endif
