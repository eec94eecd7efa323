/* MPI calls behind the functions that the other layers use. Every call goes through GEMP_MPI, which ends the job after
 * an error, since no rank could continue without the others. Reductions and agreements are spans of the trace, where
 * they show how long ranks wait for each other. */

#include "comm/comm.h"

#include "comm/session.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/node_memory.h"
#include "core/threads.h"
#include "core/timer.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGE = 1 << 30 }; /* maximum bytes of one MPI call, whose counts are int */

/* Removes the session folder, which MPI_Abort would leave behind, and ends the job. */
_Noreturn void gemp_mpi_failed(const char *file, int line, const char *call, int error)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0;
	MPI_Error_string(error, text, &length);
	fprintf(stderr, "gemp-mpi: %s:%d: %s: %s\n", file, line, call, text);
	gemp_session_end();
	MPI_Abort(MPI_COMM_WORLD, GEMP_EINTERNAL);
	abort();
}

static bool finalize_forbidden;

void gemp_comm_forbid_finalize(void)
{
	finalize_forbidden = true;
}

bool gemp_comm_finalize_forbidden(void)
{
	return finalize_forbidden;
}

/* MPI_MAXLOC finds the highest code and the lowest rank that has it. This rank's message is broadcast only after a
 * failure, so without failures an agreement is one small reduction. */
gemp_code gemp_comm_agree(const gemp_comm *comm, gemp_code mine)
{
	struct {
		int code, rank;
	} local = { (int)mine, comm->rank }, worst;
	if (comm->size == 1)
		return mine;
	double began = gemp_now();
	GEMP_MPI(MPI_Allreduce(&local, &worst, 1, MPI_2INT, MPI_MAXLOC, comm->world));
	gemp_trace_add("agree", GEMP_LANE_RANKS, began);
	if (worst.code == GEMP_OK)
		return GEMP_OK;
	char text[GEMP_MESSAGE_SIZE];
	snprintf(text, sizeof text, "%s", gemp_message());
	GEMP_MPI(MPI_Bcast(text, sizeof text, MPI_CHAR, worst.rank, comm->world));
	return gemp_fail((gemp_code)worst.code, "%s", text);
}

/* Every rank has received the mark of a failed rank, so either all ranks enter the reduction or none. */
gemp_code gemp_comm_agree_marked(const gemp_comm *comm, gemp_code mine, const uint64_t *sizes)
{
	bool failed = false;
	for (int r = 0; r < comm->size; r++)
		failed |= sizes[r] == GEMP_SIZE_OF_FAILURE;
	return failed ? gemp_comm_agree(comm, mine) : GEMP_OK;
}

/* Reduces in place. The span of the trace includes the wait for the slowest rank. */
static void reduce(const gemp_comm *comm, uint64_t *values, int count, MPI_Op operation)
{
	if (comm->size == 1)
		return;
	double began = gemp_now();
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, operation, comm->world));
	gemp_trace_add("reduce", GEMP_LANE_RANKS, began);
}

void gemp_comm_sum(const gemp_comm *comm, uint64_t *values, int count)
{
	reduce(comm, values, count, MPI_SUM);
}

void gemp_comm_max(const gemp_comm *comm, uint64_t *values, int count)
{
	reduce(comm, values, count, MPI_MAX);
}

/* The number of steps depends on count, which is equal on all ranks. */
/* MPI counts are int, and MPI may copy the values for a reduction. */
static void reduce_long(const gemp_comm *comm, uint64_t *values, size_t count,
                        void (*reduce)(const gemp_comm *comm, uint64_t *values, int count))
{
	enum { STEP = 1 << 24 };
	for (size_t at = 0; at < count; at += STEP)
		reduce(comm, values + at, (int)(count - at < STEP ? count - at : STEP));
}

void gemp_comm_sum_long(const gemp_comm *comm, uint64_t *values, size_t count)
{
	reduce_long(comm, values, count, gemp_comm_sum);
}

void gemp_comm_max_long(const gemp_comm *comm, uint64_t *values, size_t count)
{
	reduce_long(comm, values, count, gemp_comm_max);
}

uint64_t gemp_comm_sum1(const gemp_comm *comm, uint64_t value)
{
	gemp_comm_sum(comm, &value, 1);
	return value;
}

/* MPI_Exscan leaves the result of rank 0 undefined. */
uint64_t gemp_comm_exscan(const gemp_comm *comm, uint64_t value)
{
	uint64_t before = 0;
	if (comm->size == 1)
		return 0;
	GEMP_MPI(MPI_Exscan(&value, &before, 1, MPI_UINT64_T, MPI_SUM, comm->world));
	return comm->rank == 0 ? 0 : before;
}

/* Collective. Several messages, since MPI counts are int. */
static void broadcast_bytes(const gemp_comm *comm, char *bytes, size_t size, int root)
{
	if (comm->size == 1)
		return;
	for (size_t at = 0; at < size; at += MAX_MESSAGE)
		GEMP_MPI(MPI_Bcast(bytes + at, (int)gemp_min(size - at, MAX_MESSAGE), MPI_BYTE, root, comm->world));
}

/* The ranks agree after each has allocated memory for the bytes. */
gemp_code gemp_comm_broadcast(const gemp_comm *comm, void **bytes, size_t *size)
{
	uint64_t length = comm->rank == 0 ? *size : 0;
	if (comm->size == 1)
		return GEMP_OK;
	GEMP_MPI(MPI_Bcast(&length, 1, MPI_UINT64_T, 0, comm->world));
	gemp_code code = GEMP_OK;
	if (comm->rank != 0) {
		*size = length;
		*bytes = gemp_calloc(length + 1, 1);
		code = *bytes ? GEMP_OK : GEMP_ENOMEM;
	}
	code = gemp_comm_agree(comm, code);
	if (code == GEMP_OK)
		broadcast_bytes(comm, *bytes, length, 0);
	if (code != GEMP_OK && comm->rank != 0) {
		gemp_free(*bytes);
		*bytes = NULL;
	}
	return code;
}

/* The code of the caller travels with the sizes. The allocation needs the sizes, and hence an agreement of its own. The
 * bytes are sent by a broadcast from each rank and not by MPI_Allgatherv, whose displacements are int and thus limited
 * to 2 GiB. */
gemp_code gemp_comm_allgather(const gemp_comm *comm, gemp_code code, const void *mine, size_t size, void **all,
                              size_t **begin)
{
	GEMP_OWNED size_t *start = NULL;
	GEMP_OWNED char *bytes = NULL;
	uint64_t single, *sizes = comm->sizes ? comm->sizes : &single, own = code == GEMP_OK ? size : GEMP_SIZE_OF_FAILURE;
	size_t ranks = (size_t)comm->size;
	GEMP_MPI(MPI_Allgather(&own, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, comm->world));
	GEMP_TRY(gemp_comm_agree_marked(comm, code, sizes));
	code = GEMP_NEW(start, ranks + 1);
	for (size_t r = 0; r < ranks && code == GEMP_OK; r++)
		start[r + 1] = start[r] + sizes[r];
	GEMP_THEN(GEMP_NEW(bytes, start[ranks] + 1));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (size)
		memcpy(bytes + start[comm->rank], mine, size);
	for (int r = 0; r < comm->size; r++)
		broadcast_bytes(comm, bytes + start[r], start[r + 1] - start[r], r);
	gemp_pointer_set(all, bytes);
	*begin = start;
	bytes = NULL;
	start = NULL;
	return GEMP_OK;
}

gemp_block_range gemp_comm_block(const gemp_comm *comm, uint64_t count)
{
	size_t rank = (size_t)comm->rank, ranks = (size_t)comm->size;
	return (gemp_block_range){ gemp_chunk_begin(count, ranks, rank), gemp_chunk_begin(count, ranks, rank + 1) };
}

/* MPI returns errors, so that GEMP_MPI can name the call before it aborts. `sizes` is allocated with calloc and not
 * counted: it lives as long as the communicator, and tests that count blocks would report a leak. */
void gemp_comm_new(gemp_comm *comm, MPI_Comm parent)
{
	GEMP_MPI(MPI_Comm_dup(parent, &comm->world));
	GEMP_MPI(MPI_Comm_set_errhandler(comm->world, MPI_ERRORS_RETURN));
	GEMP_MPI(MPI_Comm_rank(comm->world, &comm->rank));
	GEMP_MPI(MPI_Comm_size(comm->world, &comm->size));
	GEMP_MPI(MPI_Comm_split_type(comm->world, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->node));
	GEMP_MPI(MPI_Comm_rank(comm->node, &comm->node_rank));
	GEMP_MPI(MPI_Comm_size(comm->node, &comm->node_size));
	gemp_memory_share_node((unsigned)comm->node_size);
	comm->counters = NULL;
	comm->counters_open = 0;
	comm->sizes = comm->size > 1 ? calloc(2 * (size_t)comm->size, sizeof *comm->sizes) : NULL;
	GEMP_CHECK(comm->size == 1 || comm->sizes);
}

/* Frees the window of comm/shared.c before gemp_comm_free frees the node's communicator. */
void gemp_counter_free(gemp_comm *comm)
{
	if (!comm->counters)
		return;
	GEMP_MPI(MPI_Win_unlock_all(comm->counter_window));
	GEMP_MPI(MPI_Win_free(&comm->counter_window));
	comm->counters = NULL;
}

/* Frees in the reverse order of gemp_comm_new. */
void gemp_comm_free(gemp_comm *comm)
{
	gemp_counter_free(comm);
	free(comm->sizes);
	GEMP_MPI(MPI_Comm_free(&comm->node));
	GEMP_MPI(MPI_Comm_free(&comm->world));
}

/* The innermost launcher comes first: if mpirun runs inside a SLURM step, the variables of mpirun are right. */
static const struct {
	const char *size, *rank;
} launchers[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* Open MPI's mpirun */
	{ "PMI_SIZE", "PMI_RANK" },                         /* MPICH's mpiexec, srun --mpi=pmi2 */
	{ "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK" },   /* MVAPICH's mpirun_rsh */
	{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },         /* srun; a batch script itself is a step of one task */
};

/* Returns -1 if the variable is not set or is not a number. */
static int number_from(const char *variable)
{
	const char *text = getenv(variable);
	char *end;
	long value = text ? strtol(text, &end, 10) : -1;
	return text && *text && !*end && value >= 0 && value < 1 << 30 ? (int)value : -1;
}

/* Uses the first launcher whose size variable is set. A missing rank counts as 0. */
gemp_launcher_info gemp_launcher_info_read(void)
{
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		int size = number_from(launchers[i].size), rank = number_from(launchers[i].rank);
		if (size >= 1)
			return (gemp_launcher_info){ size, rank > 0 ? rank : 0, launchers[i].size };
	}
	return (gemp_launcher_info){ 0 };
}

/* Only the first process warns, because each process believes that it is alone. */
void gemp_world_check(const gemp_comm *comm, const gemp_launcher_info *facts)
{
	if (comm->size > 1 || facts->size <= 1 || facts->rank > 0)
		return;
	gemp_warn(
		"%d processes were started (%s), but MPI knows of one: each does the whole job by itself, and they overwrite one "
		"another's files. Start them by the mpirun of the MPI that gemp-mpi is built with, or by srun --mpi=pmix "
		"(srun --mpi=list shows what there is)",
		facts->size, facts->from);
}

/* Ranks with equal affinity masks share their cores. Masks that only overlap are not handled, since launchers bind to
 * equal or disjoint sets. */
void gemp_comm_share_cores(const gemp_comm *comm)
{
	cpu_set_t own, other;
	unsigned sharers = 0;
	memset(&own, 0, sizeof own);
	if (sched_getaffinity(0, sizeof own, &own) != 0)
		CPU_SET(0, &own);
	for (int r = 0; r < comm->node_size; r++) { /* one broadcast for each rank needs no array of all sets */
		other = own;
		GEMP_MPI(MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm->node));
		sharers += CPU_EQUAL(&own, &other) != 0;
	}
	unsigned cores = (unsigned)CPU_COUNT(&own) / sharers;
	gemp_threads_limit(cores ? cores : 1);
}
