/* status: how functions fail.
 *
 * A function that can fail returns a gemp_code. The message of the last failure of this thread is kept aside
 * (gemp_message) and names the object, the place and the remedy. The codes are the program's exit codes.
 */

#ifndef GEMP_CORE_STATUS_H
#define GEMP_CORE_STATUS_H

#include <stdio.h>

typedef enum gemp_code {
	GEMP_OK = 0,
	GEMP_EUSAGE = 2,     /* command line or query */
	GEMP_EDATA = 65,     /* bad input data */
	GEMP_ENOINPUT = 66,  /* input missing or unreadable */
	GEMP_ENODEVICE = 69, /* no OpenCL device */
	GEMP_EINTERNAL = 70, /* a bug, or a driver's */
	GEMP_ENOMEM = 71,    /* out of memory on host or device */
	GEMP_EIO = 74,       /* reading or writing failed */
	GEMP_STOPPED = 75,   /* stopped early, with a checkpoint */
} gemp_code;

enum { GEMP_MESSAGE_SIZE = 4096 };

/* Record a failure and return its code: return gemp_fail(GEMP_EDATA, "%s:%zu: ...", path, line). */
gemp_code gemp_fail(gemp_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put text in front of the recorded message (a file's name, a phase); returns code. */
gemp_code gemp_fail_in(gemp_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The last recorded message; "" if none. Valid until the next failure. */
const char *gemp_message(void);

/* A programmer's error: prints file:line and the text, and aborts the whole job. */
_Noreturn void gemp_bug(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* In a function with `gemp_code code = GEMP_OK;` and a label `done:` that frees. */
#define GEMP_TRY(call)       \
	do {                     \
		code = (call);       \
		if (code != GEMP_OK) \
			goto done;       \
	} while (0)

/* The same in a function that has nothing to release: returns the code of a failed call. */
#define GEMP_PROPAGATE(call)              \
	do {                                  \
		const gemp_code failure = (call); \
		if (failure != GEMP_OK)           \
			return failure;               \
	} while (0)

/* The next of several steps whose common code is looked at afterwards, mostly by gemp_comm_agree: left out after a
 * failure. */
#define GEMP_THEN(call)      \
	do {                     \
		if (code == GEMP_OK) \
			code = (call);   \
	} while (0)

/* A step that is made also after a failure, as other ranks would wait for it; the first failure counts. */
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
