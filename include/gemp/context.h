/* gemp/context.h: the ranks, devices and memory that everything else works with.
 *
 * A context stands over a communicator, which it duplicates: all ranks of it call the functions that say *Collective*.
 * Devices are opened when the first function needs them. Several contexts may live in one process; one thread at a time uses a
 * context and what was made from it.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);     // or gemp_process_begin
 *     gemp_context *context;
 *     if (gemp_context_open(&context, MPI_COMM_WORLD, NULL) != GEMP_OK)
 *         fprintf(stderr, "%s\n", gemp_message());
 *     ...
 *     gemp_context_close(context);
 */

#ifndef GEMP_CONTEXT_H
#define GEMP_CONTEXT_H

#include <gemp/log.h>
#include <gemp/status.h>

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_context gemp_context;
struct gemp_report;

/* 0 and NULL mean: chosen by the library. */
typedef struct gemp_context_options {
	size_t size;            /* of this struct, set by gemp_context_options_init */
	const char *devices;    /* which OpenCL devices: docs/ranks.md; NULL: GPUs, else CPUs */
	uint64_t host_memory;   /* bytes a rank, at most */
	uint64_t device_memory; /* bytes a rank, at most */
	uint64_t result_buffer; /* matches that a launch may leave on the device */
	uint64_t outbox;        /* partial matches a stage and destination */
	uint64_t row_cache;     /* bytes of fetched rows that a rank keeps */
	gemp_verbosity verbosity;
	gemp_log_callback *log; /* NULL: messages are dropped */
	gemp_progress_callback *progress;
	void *callback_self;
} gemp_context_options;

/* Local. Sets all defaults. */
GEMP_API void gemp_context_options_init(gemp_context_options *options);

/* Collective over `communicator`, which is duplicated; MPI is initialised, with MPI_THREAD_FUNNELED at least. options NULL:
 * defaults. Callbacks and verbosity are those of the context that was opened last, until it is closed. */
GEMP_API gemp_code gemp_context_open(gemp_context **out, MPI_Comm communicator, const gemp_context_options *options);
/* Collective. The same options for a context that is there; devices are opened anew when they are needed next. */
GEMP_API gemp_code gemp_context_configure(gemp_context *context, const gemp_context_options *options);
/* Collective. Frees the context, after everything that was made from it; takes NULL. */
GEMP_API void gemp_context_close(gemp_context *context);

/* Local. */
GEMP_API int gemp_context_rank(const gemp_context *context);
GEMP_API int gemp_context_size(const gemp_context *context);
/* Local. The duplicated communicator; it belongs to the context. */
GEMP_API MPI_Comm gemp_context_communicator(const gemp_context *context);

/* Collective. The worst code of all ranks; all ranks then have the message of the first rank that failed with it. */
GEMP_API gemp_code gemp_context_agree(const gemp_context *context, gemp_code code);

/* For programs that leave MPI to the library, as gemp-mpi does. Begin: initialises MPI (a process without mpirun gets a session
 * folder of its own and starts no daemon), removes unfinished files when a signal ends the process, and warns where a launcher
 * started many worlds of one rank. End: MPI_Finalize; returns the exit code for main, or ends the process itself where a file
 * had to be abandoned while it was open. */
GEMP_API gemp_code gemp_process_begin(int *argc, char ***argv);
GEMP_API int gemp_process_end(gemp_code code);

/* Local. What SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 do from now on. */
typedef enum gemp_on_signal {
	GEMP_SIGNAL_NOTE,    /* work that has a checkpoint stops at its next step; a second SIGINT ends the process */
	GEMP_SIGNAL_DEFAULT, /* what they do by themselves, also one that was noted before */
	GEMP_SIGNAL_SAY,     /* end the process after `text`, a whole line, has gone to stderr */
} gemp_on_signal;
GEMP_API void gemp_process_on_signal(gemp_on_signal action, const char *text);

/* Collective. The report gets the OpenCL devices of this machine and which rank takes which of them. */
GEMP_API gemp_code gemp_context_devices(gemp_context *context, struct gemp_report *report);

/* Local. Frees text that the library returned; takes NULL. */
GEMP_API void gemp_text_release(char *text);

#ifdef __cplusplus
}
#endif

#endif
