/* comm: the ranks of this job: the communicators, agreement, reductions, broadcasts. Collective functions say so first.
 *
 * GEMP_MPI handles MPI's own errors, which are a programmer's or the machine's fault: it names call and error and
 * aborts the job. Data and I/O errors are a gemp_code. Before a collective step the ranks agree on it, or one of them
 * would wait for a rank that has failed. An exchange of sizes (gemp_comm_allgather, comm/exchange.h) takes the code of
 * its caller and carries it to the other ranks; other steps need gemp_comm_agree, which costs a reduction. Invariant:
 * all ranks of a gemp_comm call the same collective functions in the same order, and only from one thread.
 */

#ifndef GEMP_COMM_COMM_H
#define GEMP_COMM_COMM_H

#include "core/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEMP_MPI_VERTEX MPI_UINT32_T

typedef struct gemp_comm {
	MPI_Comm world; /* duplicated, errors returned */
	int rank, size;
	MPI_Comm node; /* ranks that share memory with this one */
	int node_rank, node_size;
	struct gemp_counter *counters; /* of the node (comm/shared.h); NULL until the first is opened */
	int counters_open;
	MPI_Win counter_window;
	uint64_t *sizes; /* [2 * size] scratch of exchanges of sizes; NULL: there is one rank */
} gemp_comm;

#define GEMP_MPI(call)                                          \
	do {                                                        \
		int error_ = (call);                                    \
		if (error_ != MPI_SUCCESS)                              \
			gemp_mpi_failed(__FILE__, __LINE__, #call, error_); \
	} while (0)
_Noreturn void gemp_mpi_failed(const char *file, int line, const char *call, int error);

/* Collective. Duplicates `parent`; free it before MPI_Finalize. */
void gemp_comm_new(gemp_comm *comm, MPI_Comm parent);
void gemp_comm_free(gemp_comm *comm);

/* Local, for a rank that abandons a file while it is open: the file's library would write and close it within
 * MPI_Finalize, and crash or wait there. If one rank forbids it, all ranks exit without MPI_Finalize. */
void gemp_comm_forbid_finalize(void);
bool gemp_comm_finalize_forbidden(void); /* local: by this rank */

/* Collective. Returns the highest code of all ranks; all ranks then have the message of the first rank that failed with
 * it. */
gemp_code gemp_comm_agree(const gemp_comm *comm, gemp_code mine);

/* A rank that has failed sends this instead of a size; gemp_comm_agree_marked looks through the sizes that have come
 * from all ranks. Collective after a failure of any rank, else local. The result is that of gemp_comm_agree. */
#define GEMP_SIZE_OF_FAILURE UINT64_MAX
gemp_code gemp_comm_agree_marked(const gemp_comm *comm, gemp_code mine, const uint64_t *sizes);

/* Collective. The values of all ranks reduced in place. */
void gemp_comm_sum(const gemp_comm *comm, uint64_t *values, int count);
/* The same for arrays of any length. */
void gemp_comm_sum_long(const gemp_comm *comm, uint64_t *values, size_t count);
void gemp_comm_max(const gemp_comm *comm, uint64_t *values, int count);
uint64_t gemp_comm_sum1(const gemp_comm *comm, uint64_t value);
uint64_t gemp_comm_exscan(const gemp_comm *comm, uint64_t value); /* sum over lower ranks */

/* Collective. Sends `size` bytes of each rank to all; sizes may differ and exceed 2^31. `all` has [sum of sizes] bytes
 * in rank order, `begin` is [ranks + 1]; the caller frees both. code: what the caller's steps before have returned;
 * after a failure of any rank nothing is sent, and all ranks return it. */
gemp_code gemp_comm_allgather(const gemp_comm *comm, gemp_code code, const void *mine, size_t size, void **all,
                              size_t **begin);

/* Collective. Rank 0's bytes (size set on rank 0, allocated elsewhere; the caller frees with gemp_free). */
gemp_code gemp_comm_broadcast(const gemp_comm *comm, void **bytes, size_t *size);

/* All message tags are listed here, so no two modules use the same one. */
enum {
	GEMP_TAG_EXCHANGE = 1,
	GEMP_TAG_OUTPUT,
	GEMP_TAG_TRACE,
	GEMP_TAG_HALO,
};

typedef struct gemp_block_range {
	uint64_t begin, end; /* [begin, end) */
} gemp_block_range;

/* Local. This rank's block of [0, count). The blocks of ranks 0, 1, ... follow one another, cover the range, and differ
 * in size by at most one. */
gemp_block_range gemp_comm_block(const gemp_comm *comm, uint64_t count);

/* Collective over the node, after all counters (comm/shared.h) are closed. */
void gemp_counter_free(gemp_comm *comm);

/* A program that is started N times by a launcher that does not know its MPI (srun without --mpi=pmix, another MPI's
 * mpirun) runs as N jobs of one rank, and does everything N times. The launcher's environment variables reveal this. */
typedef struct gemp_launcher_info {
	int size;         /* processes that it started together; 0: it does not say */
	int rank;         /* of this one */
	const char *from; /* the variable that says so */
} gemp_launcher_info;

/* Read before MPI_Init, which sets some of these variables itself. */
gemp_launcher_info gemp_launcher_info_read(void);
/* Warns, in the first of the processes, if `comm` has one rank although several were started together. */
void gemp_world_check(const gemp_comm *comm, const gemp_launcher_info *facts);

/* Collective over each node. Limits the threads of loops (core/threads.h): ranks that are bound to the same cores share
 * them equally; each has at least one thread. */
void gemp_comm_share_cores(const gemp_comm *comm);

#endif
