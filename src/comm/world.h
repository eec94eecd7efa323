/* world: is the job one world of ranks, or many worlds of one? A program that is started N times by a launcher that does not
 * know its MPI (srun without --mpi=pmix, another MPI's mpirun) runs N times, alone each time, and does everything N times. */

#ifndef GEMP_COMM_WORLD_H
#define GEMP_COMM_WORLD_H

#include "comm/comm.h"

#include <mpi.h>

/* Collective. Duplicates `parent`; to be freed before MPI_Finalize. */
void gemp_comm_new(gemp_comm *comm, MPI_Comm parent);
void gemp_comm_free(gemp_comm *comm);

/* What the launcher says of this process, by its environment. */
typedef struct gemp_launcher_info {
	int size;         /* processes that it started together; 0: it does not say */
	int rank;         /* of this one */
	const char *from; /* the variable that says so */
} gemp_launcher_info;

/* To be asked before MPI_Init, which sets some of these variables itself. */
gemp_launcher_info gemp_launcher_info_read(void);
/* Warns, in the first of the processes, where `comm` has one rank of several that were started together. */
void gemp_world_check(const gemp_comm *comm, const gemp_launcher_info *facts);

/* cores: the part of a node's cores that is this rank's. */

/* Collective over each node. From now on loops (core/threads.h) use as many threads as the cores that this rank is bound to
 * give each of the ranks that are bound to the same ones; at least one. */
void gemp_comm_share_cores(const gemp_comm *comm);

#endif
