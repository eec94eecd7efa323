/* comm: the ranks of this job: communicators, agreement on codes, reductions, broadcasts. The comments of collective
 * functions begin with "Collective".
 *
 * An error of MPI is a fault of the program or the machine: GEMP_MPI prints call and error and aborts the job. Data and
 * I/O errors are a gemp_code. Before a collective step the ranks agree on their codes, since a rank would otherwise
 * wait for a failed one. An exchange of sizes (gemp_comm_allgather, comm/exchange.h) takes the code of its caller and
 * sends it to the other ranks. Other steps need gemp_comm_agree, which costs a reduction. Invariant: all ranks of a
 * gemp_comm call the same collective functions in the same order, and only from one thread. One rank alone reduces and
 * agrees without MPI. */

#ifndef GEMP_COMM_COMM_H
#define GEMP_COMM_COMM_H

#include "core/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEMP_MPI_VERTEX MPI_UINT32_T

typedef struct gemp_comm {
	MPI_Comm world; /* a duplicate of the parent that returns errors */
	int rank, size;
	MPI_Comm node; /* the ranks that share memory with this rank */
	int node_rank, node_size;
	struct gemp_counter *counters; /* counters of the node (comm/shared.h); NULL until the first is opened */
	int counters_open;
	MPI_Win counter_window;
	uint64_t *sizes; /* [2 * size] scratch for exchanges of sizes; NULL if there is one rank */
} gemp_comm;

#define GEMP_MPI(call)                                          \
	do {                                                        \
		int error_ = (call);                                    \
		if (error_ != MPI_SUCCESS)                              \
			gemp_mpi_failed(__FILE__, __LINE__, #call, error_); \
	} while (0)
_Noreturn void gemp_mpi_failed(const char *file, int line, const char *call, int error);

/* Collective. Duplicates `parent`. Free the communicator before MPI_Finalize. */
void gemp_comm_new(gemp_comm *comm, MPI_Comm parent);
void gemp_comm_free(gemp_comm *comm);

/* Local. For a rank that abandons an open file: the file's library would write and close the file within MPI_Finalize,
 * and crash or wait there. If one rank forbids it, all ranks exit without MPI_Finalize. */
void gemp_comm_forbid_finalize(void);
bool gemp_comm_finalize_forbidden(void); /* Local: has this rank forbidden it? */

/* Collective. Returns the highest code of all ranks. All ranks then have the message of the first rank with that
 * code. */
gemp_code gemp_comm_agree(const gemp_comm *comm, gemp_code mine);

/* A rank that has failed sends this number instead of a size. gemp_comm_agree_marked searches the sizes of all ranks
 * for it. It is collective if a rank has failed, otherwise local, and returns the same code as gemp_comm_agree. */
#define GEMP_SIZE_OF_FAILURE UINT64_MAX
gemp_code gemp_comm_agree_marked(const gemp_comm *comm, gemp_code mine, const uint64_t *sizes);

/* Collective. Reduces the values of all ranks in place. */
void gemp_comm_sum(const gemp_comm *comm, uint64_t *values, int count);
/* The same for an array of any length. */
void gemp_comm_sum_long(const gemp_comm *comm, uint64_t *values, size_t count);
void gemp_comm_max(const gemp_comm *comm, uint64_t *values, int count);
void gemp_comm_max_long(const gemp_comm *comm, uint64_t *values, size_t count);
uint64_t gemp_comm_sum1(const gemp_comm *comm, uint64_t value);
uint64_t gemp_comm_exscan(const gemp_comm *comm, uint64_t value); /* the sum over lower ranks */

/* Collective. Sends `size` bytes of each rank to all ranks; sizes may differ and exceed 2^31. `all` becomes the bytes
 * in rank order, and begin[ranks + 1] their offsets; the caller frees both. code: the result of the caller's earlier
 * steps on this rank. After a failure on any rank nothing is sent, and all ranks return the failure. */
gemp_code gemp_comm_allgather(const gemp_comm *comm, gemp_code code, const void *mine, size_t size, void **all,
                              size_t **begin);

/* Collective. Sends rank 0's bytes to all ranks. size is set on rank 0; other ranks receive a new block, which the
 * caller frees with gemp_free. */
gemp_code gemp_comm_broadcast(const gemp_comm *comm, void **bytes, size_t *size);

/* All message tags, so that no two modules use the same tag. */
enum {
	GEMP_TAG_EXCHANGE = 1,
	GEMP_TAG_OUTPUT,
	GEMP_TAG_TRACE,
	GEMP_TAG_HALO,
	GEMP_TAG_DEVICE,
};

typedef struct gemp_block_range {
	uint64_t begin, end; /* [begin, end) */
} gemp_block_range;

/* Local. Returns this rank's block of [0, count). The blocks of ranks 0, 1, ... follow one another, cover the range,
 * and differ in size by at most one. */
gemp_block_range gemp_comm_block(const gemp_comm *comm, uint64_t count);

/* Collective over the node. All counters (comm/shared.h) must be closed. */
void gemp_counter_free(gemp_comm *comm);

/* If a launcher does not know the program's MPI (srun without --mpi=pmix, another MPI's mpirun), N processes run as N
 * jobs of one rank, and each does the whole work. The launcher's environment variables reveal this. */
typedef struct gemp_launcher_info {
	int size;         /* number of processes that the launcher started together; 0: unknown */
	int rank;         /* number of this process */
	const char *from; /* name of the variable with the size */
} gemp_launcher_info;

/* Call it before MPI_Init, which sets some of these variables itself. */
gemp_launcher_info gemp_launcher_info_read(void);
/* Warns, in the first of the processes, if `comm` has one rank although several processes were started together. */
void gemp_world_check(const gemp_comm *comm, const gemp_launcher_info *facts);

/* Collective over each node. Limits the threads of loops (core/threads.h): ranks that are bound to the same cores
 * divide them equally. Each rank has at least one thread. */
void gemp_comm_share_cores(const gemp_comm *comm);

#endif
