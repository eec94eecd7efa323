/* session: where Open MPI keeps the files of a process that no mpirun started. Without more ado that is one folder for all such
 * processes of a user, which the first of them that ends removes while others open files in it. So each gets a folder of its own,
 * TMPDIR/gemp-mpi-session.XXXXXX. It goes with the process, also by a signal; what SIGKILL leaves the next process removes:
 * in each folder lies a file that names the host and that its process has locked as long as it lives.
 */

#ifndef GEMP_COMM_SESSION_H
#define GEMP_COMM_SESSION_H

/* Before MPI_Init. Nothing for a process that a launcher started. */
void gemp_session_begin(void);
/* After MPI_Finalize, or before an exit without it; a handler of signals may call it. */
void gemp_session_end(void);

#endif
