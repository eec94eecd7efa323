/* world: the communicators of a job, the check that its processes form one job, and the share of the cores for each rank.
 *
 * A program that is started N times by a launcher that does not know its MPI (srun without --mpi=pmix, another MPI's mpirun)
 * runs as N jobs of one rank, and does everything N times. The launcher's environment variables reveal this.
 */

#ifndef GEMP_COMM_WORLD_H
#define GEMP_COMM_WORLD_H

#include "comm/comm.h"

#include <mpi.h>

/* Collective. Duplicates `parent`; free it before MPI_Finalize. */
void gemp_comm_new(gemp_comm *comm, MPI_Comm parent);
void gemp_comm_free(gemp_comm *comm);

/* What the launcher's environment says about this process. */
typedef struct gemp_launcher_info {
	int size;         /* processes that it started together; 0: it does not say */
	int rank;         /* of this one */
	const char *from; /* the variable that says so */
} gemp_launcher_info;

/* Read before MPI_Init, which sets some of these variables itself. */
gemp_launcher_info gemp_launcher_info_read(void);
/* Warns, in the first of the processes, if `comm` has one rank although several were started together. */
void gemp_world_check(const gemp_comm *comm, const gemp_launcher_info *facts);

/* Collective over each node. Limits the threads of loops (core/threads.h): ranks that are bound to the same cores share them
 * equally; each has at least one thread. */
void gemp_comm_share_cores(const gemp_comm *comm);

#endif
