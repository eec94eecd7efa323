/* gemp/context.h: the ranks, devices and memory budgets that all other functions work with.
 *
 * A context belongs to a communicator, which it duplicates. All its ranks call the functions that say *Collective*. Devices are
 * opened when a function first needs them. A process may have several contexts; only one thread at a time may use a context and the
 * objects that were made from it.
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

/* For members that are 0 or NULL the library chooses a value. */
typedef struct gemp_context_options {
	size_t size;            /* of this struct, set by gemp_context_options_init */
	const char *devices;    /* which OpenCL devices: docs/ranks.md; NULL: GPUs, else CPUs */
	uint64_t host_memory;   /* limit in bytes for each rank */
	uint64_t device_memory; /* limit in bytes for each device of a rank */
	uint64_t result_buffer; /* matches that one kernel launch can store on the device */
	uint64_t outbox;        /* partial matches that can wait on the device for each plan step and destination rank */
	uint64_t row_cache;     /* bytes of rows of other ranks that a rank keeps on its device */
	gemp_verbosity verbosity;
	gemp_log_callback *log;           /* NULL: messages are dropped */
	gemp_progress_callback *progress; /* NULL: progress is dropped */
	void *callback_self;              /* passed to both callbacks */
} gemp_context_options;

/* Local. Sets all defaults. */
GEMP_API void gemp_context_options_init(gemp_context_options *options);

/* Collective over `communicator`, which is duplicated. MPI must have been initialised with MPI_THREAD_FUNNELED or more.
 * options NULL: defaults. Messages and progress of all contexts go to the callbacks of the context that was opened
 * last, until it is closed. */
GEMP_API gemp_code gemp_context_open(gemp_context **out, MPI_Comm communicator, const gemp_context_options *options);
/* Collective. Gives an open context other options; its devices are opened again when a function next needs them. */
GEMP_API gemp_code gemp_context_configure(gemp_context *context, const gemp_context_options *options);
/* Collective. Frees the context; close the objects that were made from it before. Does nothing for NULL. */
GEMP_API void gemp_context_close(gemp_context *context);

/* Local. The rank of this process in the communicator, and the number of ranks. */
GEMP_API int gemp_context_rank(const gemp_context *context);
GEMP_API int gemp_context_size(const gemp_context *context);
/* Local. The duplicated communicator, which belongs to the context. */
GEMP_API MPI_Comm gemp_context_communicator(const gemp_context *context);

/* Collective. Returns the largest code of all ranks; all ranks then have the message of the first rank that failed with
 * it. */
GEMP_API gemp_code gemp_context_agree(const gemp_context *context, gemp_code code);

/* For programs that leave MPI to the library, as gemp-mpi does. Collective over MPI_COMM_WORLD. gemp_process_begin
 * initialises MPI; a process without mpirun gets a session folder of its own and starts no daemon. From then on
 * unfinished files are removed when a signal ends the process, and the first context warns if a launcher started many
 * worlds of one rank. gemp_process_end calls MPI_Finalize and returns the exit code for main. If a rank had to abandon
 * an open file, MPI_Finalize would crash, so gemp_process_end ends the process itself. */
GEMP_API gemp_code gemp_process_begin(int *argc, char ***argv);
GEMP_API int gemp_process_end(gemp_code code);

/* Local. Sets what SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 do from now on. */
typedef enum gemp_on_signal {
	GEMP_SIGNAL_NOTE,    /* work with a checkpoint stops at its next step; a second SIGINT ends the process */
	GEMP_SIGNAL_DEFAULT, /* the system's default action, which is also taken now for a signal that was noted before */
	GEMP_SIGNAL_SAY,     /* `text`, a whole line, goes to stderr, and the process ends; NULL: no line */
} gemp_on_signal;
GEMP_API void gemp_process_on_signal(gemp_on_signal action, const char *text);

/* Collective. Reports the OpenCL devices of this machine, and which rank takes which of them. report: not NULL. */
GEMP_API gemp_code gemp_context_devices(gemp_context *context, struct gemp_report *report);

/* Local. Frees a text that the library returned; does nothing for NULL. */
GEMP_API void gemp_text_release(char *text);

#ifdef __cplusplus
}
#endif

#endif
