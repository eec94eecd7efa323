/* status: how functions fail.
 *
 * A function that can fail returns a gemp_code; the codes are the program's exit codes. The message of the last failure
 * belongs to the thread (gemp_message); it names the object, the place and the remedy. A failure that only one rank
 * knows becomes common by gemp_comm_agree (comm/comm.h). Errors of the programmer do not return: GEMP_CHECK aborts.
 */

#ifndef GEMP_CORE_STATUS_H
#define GEMP_CORE_STATUS_H

#include "gemp/status.h"

#include <stdio.h>

enum { GEMP_MESSAGE_SIZE = 4096 };

/* A programmer's error: prints file:line and the text, and aborts the whole job. */
_Noreturn void gemp_bug(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* In a function with `gemp_code code = GEMP_OK;` and a label `done:`, for what must be released in an order of its own
 * or collectively; other functions have owners (core/memory.h) and GEMP_TRY. */
#define GEMP_TRY_DONE(call)  \
	do {                     \
		code = (call);       \
		if (code != GEMP_OK) \
			goto done;       \
	} while (0)

/* Returns the code of a failed call. */
#define GEMP_TRY(call)                    \
	do {                                  \
		const gemp_code failure = (call); \
		if (failure != GEMP_OK)           \
			return failure;               \
	} while (0)

/* One of several steps whose common code is read afterwards, mostly by gemp_comm_agree. The step is skipped after a
 * failure. */
#define GEMP_THEN(call)      \
	do {                     \
		if (code == GEMP_OK) \
			code = (call);   \
	} while (0)

/* A step that runs even after a failure, because other ranks would wait for it; the first failure is kept. */
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
