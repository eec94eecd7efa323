/* gemp/status.h: how functions of libgemp fail.
 *
 * A function that can fail returns a gemp_code. The message of the last failure of this thread names the object, the
 * place and the remedy; it lives until the next failure of this thread. The codes are the exit codes of the program
 * gemp-mpi. Functions that say *Collective* are called by all ranks of their context, which then return the same code.
 * Errors of MPI itself abort the job, as MPI does by default.
 */

#ifndef GEMP_STATUS_H
#define GEMP_STATUS_H

#if defined __GNUC__
#define GEMP_API __attribute__((visibility("default")))
#define GEMP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GEMP_API
#define GEMP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gemp_code {
	GEMP_OK = 0,
	GEMP_EUSAGE = 2,     /* an option, a query or a rule is wrong */
	GEMP_EDATA = 65,     /* bad input data */
	GEMP_ENOINPUT = 66,  /* input missing or unreadable */
	GEMP_ENODEVICE = 69, /* no OpenCL device */
	GEMP_EINTERNAL = 70, /* a bug, or a driver's */
	GEMP_ENOMEM = 71,    /* out of memory on host or device */
	GEMP_EIO = 74,       /* reading or writing failed */
	GEMP_STOPPED = 75,   /* stopped early, with a checkpoint */
} gemp_code;

/* Local. The version of the library, as "0.1.0". */
GEMP_API const char *gemp_version(void);

/* Local. The last message of this thread; "" if there is none. Valid until the next failure. */
GEMP_API const char *gemp_message(void);

/* Local. Records a failure and returns its code; callbacks report theirs in this way. */
GEMP_API gemp_code gemp_fail(gemp_code code, const char *format, ...) GEMP_PRINTF(2, 3);
/* Local. Puts text in front of the recorded message, as the name of a file; returns code. */
GEMP_API gemp_code gemp_fail_in(gemp_code code, const char *format, ...) GEMP_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif
