/* gemp/context.h: the ranks, devices and memory budgets that all other functions work with.
 *
 * A context belongs to the ranks of a communicator, which it duplicates. All these ranks must call the functions whose
 * comment begins with *Collective*. The context opens its devices when a function first needs them. A process may have
 * several contexts. Only one thread at a time may use a context and the objects that were made from it.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);     // or gemp_process_begin
 *     gemp_context *context;
 *     if (gemp_context_open(&context, MPI_COMM_WORLD, NULL) != GEMP_OK)
 *         fprintf(stderr, "%s\n", gemp_message());
 *     ...
 *     gemp_context_close(context); */

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

/* The library chooses a value for each member that is 0 or NULL. */
typedef struct gemp_context_options {
	size_t size; /* the size of this struct in bytes; gemp_context_options_init sets it */
	/* a list of OpenCL devices (docs/ranks.md); NULL: the GPUs, or the CPUs if there is no GPU */
	const char *devices;
	uint64_t host_memory;   /* limit in bytes for each rank */
	uint64_t device_memory; /* limit in bytes for each device of a rank */
	uint64_t result_buffer; /* number of matches that one kernel launch can store on the device */
	/* number of partial matches that can wait on the device for each plan step and destination rank */
	uint64_t outbox;
	uint64_t row_cache; /* device memory in bytes for adjacency rows that a search reads in rounds */
	gemp_verbosity verbosity;
	gemp_log_callback *log;           /* NULL: messages are dropped */
	gemp_progress_callback *progress; /* NULL: progress is dropped */
	void *callback_self;              /* the first argument of both callbacks */
	/* graph files are read without comparing them with their seals (docs/format.md): a file that was changed gives
	 * wrong answers, or ends the process */
	bool trust;
} gemp_context_options;

/* Local. Sets all defaults. */
GEMP_API void gemp_context_options_init(gemp_context_options *options);

/* Collective over `communicator`, which is duplicated. MPI must have been initialised with MPI_THREAD_FUNNELED or more.
 * If `options` is NULL, the defaults apply. The messages and the progress of all contexts go to the callbacks of the
 * context that was opened or configured last, until that context is closed. */
GEMP_API gemp_code gemp_context_open(gemp_context **out, MPI_Comm communicator, const gemp_context_options *options);
/* Collective. Replaces the options of an open context. Its devices are closed, and opened again when a function next
 * needs them. */
GEMP_API gemp_code gemp_context_configure(gemp_context *context, const gemp_context_options *options);
/* Collective. Frees the context. Objects that were made from the context must be closed before. Does nothing for
 * NULL. */
GEMP_API void gemp_context_close(gemp_context *context);

/* Local. These functions return the rank of this process in the communicator, and the number of ranks. */
GEMP_API int gemp_context_rank(const gemp_context *context);
GEMP_API int gemp_context_size(const gemp_context *context);
/* Local. Returns the duplicated communicator, which belongs to the context. */
GEMP_API MPI_Comm gemp_context_communicator(const gemp_context *context);

/* Collective. Returns the largest code of all ranks. All ranks then have the message of the first rank that failed with
 * this code. */
GEMP_API gemp_code gemp_context_agree(const gemp_context *context, gemp_code code);

/* Local. Works before MPI is initialised. Returns the number of this process and, unless `size` is NULL, the number of
 * processes, as the launcher (mpirun, srun) states them in the environment. Without a launcher they are 0 and 1. */
GEMP_API int gemp_process_launched(int *size);

/* Local. Says that devices will be opened soon, after the file `path` is read. If the file is large, a thread loads the
 * drivers meanwhile, which takes up to 0.3 s. The environment of the process must not change until the devices are open
 * or the context is closed. If `path` is NULL, the size of the file does not matter. */
GEMP_API void gemp_context_expect_devices(gemp_context *context, const char *path);
/* Local. The same for a program that will query the graph in the file: the thread begins with the first query that
 * needs more of the file than the rows of few vertices, so that other queries load no drivers. */
GEMP_API void gemp_context_expect_queries(gemp_context *context, const char *path);

/* Local. To be called before gemp_process_begin and before any call of OpenCL, by a process with one thread. If the
 * text `devices` (gemp_context_options) is "cpu" or "gpu", the process does not load drivers that cannot have such
 * devices: it sets OCL_ICD_VENDORS to a folder in the cache folder with copies of the other files of
 * /etc/OpenCL/vendors, unless the variable is set. The index of a device then counts only the devices of the loaded
 * drivers. */
GEMP_API void gemp_process_choose_drivers(const char *devices);

/* Collective over MPI_COMM_WORLD. For programs that leave MPI to the library, as gemp-mpi does.
 *
 * gemp_process_begin initialises MPI. A process that was started without mpirun gets a session folder of its own and
 * starts no daemon. Its MPI does not look for networks, unless variables of the user (OMPI_MCA_pml, OMPI_MCA_btl) name
 * one. If a signal ends the process later, unfinished files are removed. The first context warns if the launcher
 * started many worlds of one rank.
 *
 * gemp_process_end calls MPI_Finalize and returns the exit code for main. If a rank had to abandon an open file,
 * MPI_Finalize would crash; gemp_process_end then ends the process itself. */
GEMP_API gemp_code gemp_process_begin(int *argc, char ***argv);
GEMP_API int gemp_process_end(gemp_code code);

/* Local. Sets the reaction to SIGTERM, SIGINT, SIGUSR1 and SIGUSR2. */
typedef enum gemp_on_signal {
	GEMP_SIGNAL_NOTE,    /* work with a checkpoint stops at its next step; a second SIGINT ends the process */
	GEMP_SIGNAL_DEFAULT, /* the system's default action; a signal that was noted before takes effect now */
	/* the process prints `text`, a whole line, to stderr and ends; if `text` is NULL, it prints nothing */
	GEMP_SIGNAL_SAY,
} gemp_on_signal;
GEMP_API void gemp_process_on_signal(gemp_on_signal action, const char *text);

/* Collective. Reports the OpenCL devices of this machine and the rank that uses each of them. `report` must not be
 * NULL. */
GEMP_API gemp_code gemp_context_devices(gemp_context *context, struct gemp_report *report);

/* Local. Frees a text that the library returned; does nothing for NULL. */
GEMP_API void gemp_text_release(char *text);

#ifdef __cplusplus
}
#endif

#endif
