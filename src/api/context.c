/* context: the ranks, devices and budgets of a gemp_context, and the functions for programs that leave MPI to the
 * library.
 *
 * The runtime (devices, kernels, buffers, clocks) is made when a function first needs it, and later functions use the
 * same runtime. A function that needs all devices of the rank replaces a runtime that has only one device. Each
 * function resets the counters, so its report has only its own figures. Three variables belong to the process:
 * the context whose callbacks are called, the information of the launcher from before MPI_Init, and the time of the
 * start. */

#include "api/context.h"

#include "comm/comm.h"
#include "comm/session.h"
#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/signals.h"
#include "device/drivers.h"
#include "gemp/file.h"
#include "io/file/stream.h"
#include "io/rows/row_writer.h"
#include "partition/runtime.h"
#include "primitive/device_exchange.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the launcher said about this process before MPI_Init. The size is 0 if there was no launcher, and after the
 * check. */
static gemp_launcher_info launch;

static double process_start; /* gemp_now(); 0: unknown, or a report has it */

/* The context that was configured last. Its callbacks are called. */
static const gemp_context *logging;

GEMP_SETTINGS(gemp_context_options, .verbosity = GEMP_NORMAL)
GEMP_RELEASE(gemp_context_close, gemp_context *)

const char *gemp_version(void)
{
	return GEMP_VERSION;
}

/* Texts of the library are blocks of core/memory, so a program must not free them with free(). */
void gemp_text_release(char *text)
{
	gemp_free(text);
}

gemp_code gemp_file_read_text(char **out, const gemp_context *context, const char *what, const char *path)
{
	*out = NULL;
	return gemp_file_read(out, &context->comm, what, path);
}

gemp_code gemp_file_may_write_rows(const gemp_context *context, const char *what, const char *path)
{
	return gemp_rows_path_check(&context->comm, what, path);
}

/* The size is copied out first, since no other member of the caller's struct may be read before its length is known. */
void gemp_options_copy(void *out, size_t size, const void *options)
{
	size_t known;
	if (!options)
		return;
	memcpy(&known, options, sizeof known);
	memcpy(out, options, known < size ? known : size);
}

/* The runtime is closed, since the new options may name other devices. After a failure the context can be configured
 * again. */
gemp_code gemp_context_configure(gemp_context *context, const gemp_context_options *options)
{
	gemp_code code = GEMP_OK;
	const gemp_context_options chosen = gemp_context_options_from(options);
	gemp_runtime_free(context->runtime);
	context->runtime = NULL;
	gemp_free(context->devices);
	context->devices = NULL;
	context->trust = chosen.trust;
	logging = context;
	gemp_log_setup(context->comm.rank, chosen.verbosity, chosen.log, chosen.progress, chosen.callback_self);
	context->budgets = (gemp_budgets){ .host_memory = chosen.host_memory,
		                               .device_memory = chosen.device_memory,
		                               .result_buffer = chosen.result_buffer,
		                               .outbox = chosen.outbox,
		                               .row_cache = chosen.row_cache };
	if (chosen.devices) {
		context->devices = gemp_strdup(chosen.devices);
		code = context->devices ? GEMP_OK : GEMP_ENOMEM;
	}
	return gemp_comm_agree(&context->comm, code);
}

/* Collective over `communicator`. The ranks have no gemp_comm yet over which they could agree, so they reduce a
 * flag. */
static gemp_code new_context(gemp_context **out, MPI_Comm communicator)
{
	gemp_code code = GEMP_NEW(*out, 1);
	int failed = code != GEMP_OK;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, communicator));
	if (!failed) {
		gemp_comm_new(&(*out)->comm, communicator);
		return GEMP_OK;
	}
	gemp_free(*out);
	*out = NULL;
	return code == GEMP_OK ? gemp_fail(GEMP_ENOMEM, "another rank is out of memory for its context") : code;
}

/* The launcher is checked after the context is configured, since the warning needs the callbacks. */
gemp_code gemp_context_open(gemp_context **out, MPI_Comm communicator, const gemp_context_options *options)
{
	GEMP_OWNED_BY(gemp_context_close_at) gemp_context *context = NULL;
	*out = NULL;
	GEMP_TRY(new_context(&context, communicator));
	gemp_comm_share_cores(&context->comm);
	GEMP_TRY(gemp_context_configure(context, options));
	if (launch.size)
		gemp_world_check(&context->comm, &launch);
	launch.size = 0;
	*out = GEMP_MOVE(context);
	return GEMP_OK;
}

/* After this call the program may free the memory of its callbacks, so the library must not call them any more. */
void gemp_context_close(gemp_context *context)
{
	if (!context)
		return;
	gemp_drivers_end();
	gemp_runtime_free(context->runtime);
	if (context == logging)
		gemp_log_setup(0, GEMP_NORMAL, NULL, NULL, NULL);
	gemp_comm_free(&context->comm);
	gemp_free(context->devices);
	gemp_free(context);
}

int gemp_context_rank(const gemp_context *context)
{
	return context->comm.rank;
}

int gemp_context_size(const gemp_context *context)
{
	return context->comm.size;
}

MPI_Comm gemp_context_communicator(const gemp_context *context)
{
	return context->comm.world;
}

gemp_code gemp_context_agree(const gemp_context *context, gemp_code code)
{
	return gemp_comm_agree(&context->comm, code);
}

/* The runtime outlives the function that opened it, but each report must show only the work of its own function. */
void gemp_runtime_reset(gemp_runtime *runtime)
{
	runtime->timers = (gemp_timers){ 0 };
	runtime->hidden_seconds = 0;
	runtime->launch_sizes.count = 0;
	runtime->traffic = (gemp_traffic){ 0 };
	runtime->program_builds = 0;
	runtime->work = (gemp_device_work){ 0 };
	runtime->share = (gemp_rank_work){ 0 };
	for (size_t i = 0; i < runtime->other_count; i++)
		runtime->others[i]->work = (gemp_device_work){ 0 };
}

/* If all devices are needed, a runtime with one device is closed and replaced, together with its programs and buffers.
 * The reverse never happens, since a runtime with all devices also serves functions that use only the first device. */
gemp_code gemp_context_runtime(gemp_runtime **out, gemp_context *context, gemp_device_need need,
                               const gemp_timers *timers)
{
	*out = NULL;
	if (context->runtime && context->runtime->first_only && need != GEMP_NEED_FIRST_DEVICE) {
		gemp_runtime_free(context->runtime);
		context->runtime = NULL;
	}
	if (context->runtime)
		gemp_runtime_reset(context->runtime);
	else
		GEMP_TRY(gemp_runtime_new(&context->runtime, &context->comm, context->devices, &context->budgets));
	for (int phase = 0; timers && phase < GEMP_PHASES; phase++)
		context->runtime->timers.seconds[phase] += timers->seconds[phase];
	if (need == GEMP_NEED_FIRST_DEVICE)
		GEMP_TRY(gemp_runtime_open_first(context->runtime));
	else if (need == GEMP_NEED_ALL_DEVICES)
		GEMP_TRY(gemp_runtime_open_devices(context->runtime));
	else
		GEMP_TRY(gemp_runtime_check_devices(context->runtime));
	*out = context->runtime;
	return GEMP_OK;
}

/* A small file is read before the thread has begun. A file that cannot be read is reported by the function that opens
 * it. */
static bool is_large(const char *path)
{
	struct stat status;
	return !path || (stat(path, &status) == 0 && (uint64_t)status.st_size >= gemp_limits_now()->preload_min);
}

/* Will GPUs exchange so much that CUDA's driver is worth its start? The size of the file is the only hint. */
static bool exchanges_much(const gemp_context *context, const char *path)
{
	const uint64_t min = gemp_limits_now()->peer_exchange_preload;
	struct stat status;
	if (!path || (context->devices && strcasecmp(context->devices, "cpu") == 0))
		return false;
	return stat(path, &status) == 0 && (uint64_t)status.st_size / (uint64_t)context->comm.size >= min;
}

void gemp_context_expect_devices(gemp_context *context, const char *path)
{
	if (context->runtime || !is_large(path))
		return;
	gemp_drivers_preload();
	if (exchanges_much(context, path))
		gemp_device_exchange_preload(&context->comm);
}

void gemp_context_expect_queries(gemp_context *context, const char *path)
{
	context->preloads = !context->runtime && is_large(path);
}

void gemp_context_preload(gemp_context *context)
{
	if (context->preloads)
		gemp_drivers_preload();
	context->preloads = false;
}

/* PROCESSES: for programs that leave MPI to the library */

int gemp_process_launched(int *size)
{
	const gemp_launcher_info info = gemp_launcher_info_read();
	if (size)
		*size = info.size > 1 ? info.size : 1;
	return info.rank;
}

void gemp_process_choose_drivers(const char *devices)
{
	gemp_drivers_restrict(GEMP_VENDORS, devices);
}

/* The handlers of fatal signals are installed after MPI_Init. They call Open MPI's handlers, which report the fault,
 * and Open MPI installs its own only if it finds no others. */
gemp_code gemp_process_begin(int *argc, char ***argv)
{
	int provided;
	process_start = gemp_now();
	signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of the file size then returns an error, as on a full disk */
	gemp_session_begin();
	/* MPI_Init examines the machine with hwloc, which would also query OpenCL. The query takes a tenth of a second, and
	 * PoCL would choose a cache folder before device/cache.h could give this process its own folder. */
	setenv("HWLOC_COMPONENTS", "-opencl", 0);
	gemp_signals_record();
	launch = gemp_launcher_info_read();
	GEMP_MPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
	gemp_signals_catch_fatal();
	return GEMP_OK;
}

double gemp_process_take_start(void)
{
	double start = process_start;
	process_start = 0;
	return start;
}

int gemp_process_end(gemp_code code)
{
	/* mpirun ends the job when one rank exits with a code while other ranks are in MPI_Finalize, so all ranks must
	 * leave in the same way. */
	int leave = gemp_comm_finalize_forbidden(), any = 0;
	GEMP_MPI(MPI_Allreduce(&leave, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	if (any) {
		fflush(NULL);
		gemp_session_end();
		_exit((int)code);
	}
	MPI_Finalize();
	gemp_session_end();
	return (int)code;
}

void gemp_process_on_signal(gemp_on_signal action, const char *text)
{
	if (action == GEMP_SIGNAL_NOTE)
		gemp_signals_record();
	else if (action == GEMP_SIGNAL_DEFAULT)
		gemp_signals_restore();
	else
		gemp_signals_set_message(text);
}
