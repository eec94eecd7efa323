#include "comm/session.h"

#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[PATH_MAX]; /* empty: none */

static bool is_launched(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			return true;
	return false;
}

/* Open MPI would also start a daemon for such a process, in case it is to start others: a fifth of a second. */
void gemp_session_begin(void)
{
	static const char variable[] = "OMPI_MCA_orte_jobfam_session_dir";
	const char *base = getenv("TMPDIR");
	if (is_launched())
		return;
	setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
	if (getenv(variable))
		return;
	const int length = snprintf(folder, sizeof folder, "%s/gemp-mpi.XXXXXX", base && *base ? base : "/tmp");
	if (length > 0 && (size_t)length < sizeof folder && mkdtemp(folder))
		setenv(variable, folder, 0);
	else
		folder[0] = '\0';
}

static int drop(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status, (void)kind, (void)place;
	remove(path);
	return 0;
}

/* Open MPI removes it in the end, if it comes to that. */
void gemp_session_end(void)
{
	if (folder[0])
		nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
	folder[0] = '\0';
}
