/* world: is the job one world of ranks, or many worlds of one? A program that is started N times by a launcher that does not
 * know its MPI (srun without --mpi=pmix, another MPI's mpirun) runs N times, alone each time, and does everything N times. */
#ifndef GEMP_COMM_WORLD_H
#define GEMP_COMM_WORLD_H

#include "comm/comm.h"

/* What the launcher says of this process, by its environment. */
typedef struct gemp_launch_facts {
	int size;         /* processes that it started together; 0: it does not say */
	int rank;         /* of this one */
	const char *from; /* the variable that says so */
} gemp_launch_facts;

/* To be asked before MPI_Init, which sets some of these variables itself. */
gemp_launch_facts gemp_launch_facts_read(void);
/* Warns, in the first of the processes, where `comm` has one rank of several that were started together. */
void gemp_world_check(const gemp_comm *comm, const gemp_launch_facts *facts);

#endif
