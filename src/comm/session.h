/* session: a private session folder for a process that no mpirun started.
 *
 * Open MPI would use one folder for all such processes of a user. The first process to end would remove the folder
 * while others open files in it. So each process gets its own TMPDIR/gemp-mpi-session.XXXXXX. The folder is removed at
 * the end of the process, also after a signal. The next process removes folders of processes that SIGKILL ended. For
 * that, each folder has an owner file that contains the host's name and stays locked as long as its process lives. A
 * folder is stale if it belongs to this user and this host and its lock is free. */

#ifndef GEMP_COMM_SESSION_H
#define GEMP_COMM_SESSION_H

/* Call before MPI_Init. Does nothing in a process that a launcher started. */
void gemp_session_begin(void);
/* Call after MPI_Finalize, or before an exit without it; async-signal-safe. */
void gemp_session_end(void);

#endif
