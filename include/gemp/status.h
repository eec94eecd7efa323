/* gemp/status.h: how functions of libgemp fail.
 *
 * A function that can fail returns a gemp_code. The codes are also the exit codes of the program gemp-mpi. Each thread
 * keeps the message of its last failure, which names the object, the place and the remedy.
 *
 * The comment of a function begins with *Collective* if all ranks of the context must call the function; all ranks then
 * return the same code. The comment begins with *Local* if any rank may call the function alone. Errors of MPI itself
 * abort the job, as MPI does by default. */

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
	GEMP_EDATA = 65,     /* the input data are wrong */
	GEMP_ENOINPUT = 66,  /* an input file is missing or unreadable */
	GEMP_ENODEVICE = 69, /* there is no suitable OpenCL device */
	GEMP_EINTERNAL = 70, /* a fault of the library or of a driver */
	GEMP_ENOMEM = 71,    /* the host or a device is out of memory */
	GEMP_EIO = 74,       /* reading or writing failed */
	GEMP_STOPPED = 75,   /* the work stopped early and can resume from its checkpoint */
} gemp_code;

/* Local. Returns the version of the library, such as "0.1.0". */
GEMP_API const char *gemp_version(void);

/* Local. Returns the message of this thread's last failure, or "" if no call has failed. The text is valid until the
 * next failure of this thread. */
GEMP_API const char *gemp_message(void);

/* Local. Records a failure with its message and returns `code`. Callbacks of the program use this function to report
 * their failures. */
GEMP_API gemp_code gemp_fail(gemp_code code, const char *format, ...) GEMP_PRINTF(2, 3);
/* Local. Puts text, such as the name of a file, in front of the recorded message, and returns `code`. */
GEMP_API gemp_code gemp_fail_in(gemp_code code, const char *format, ...) GEMP_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif
