/* session: a private session folder for a process that no mpirun started.
 *
 * Open MPI would use one folder for all such processes of a user, and the first of them that ends removes it while
 * others open files in it. So each gets TMPDIR/gemp-mpi-session.XXXXXX. The folder is removed with the process, also by
 * a signal; the next process removes what SIGKILL left. For that each folder has a file, locked as long as its process
 * lives, that names the host: a folder is stale if it is this user's, from this host, and its lock is free.
 */

#ifndef GEMP_COMM_SESSION_H
#define GEMP_COMM_SESSION_H

/* Call before MPI_Init. Does nothing in a process that a launcher started. */
void gemp_session_begin(void);
/* Call after MPI_Finalize, or before an exit without it; async-signal-safe. */
void gemp_session_end(void);

#endif
