#include "io/whole_file.h"

#include "core/signals.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

gemp_code gemp_whole_file_name(const gemp_comm *comm, const char *path, gemp_text *temporary)
{
	uint64_t process = comm->rank == 0 ? (uint64_t)getpid() : 0;
	gemp_comm_max(comm, &process, 1);
	gemp_text_print(temporary, "%s.%" PRIu64 ".part", path, process);
	gemp_code code = gemp_comm_agree(comm, gemp_text_status(temporary));
	if (code == GEMP_OK && comm->rank == 0)
		gemp_signals_doom(temporary->data);
	return code;
}

void gemp_whole_file_remove(const char *temporary)
{
	const char *slash = strrchr(temporary, '/');
	const char *name = slash ? slash + 1 : temporary;
	gemp_text folder = { 0 };
	gemp_text_print(&folder, "%.*s", slash ? (int)(name - temporary) : 1, slash ? temporary : ".");
	unlink(temporary);
	DIR *listing = gemp_text_status(&folder) == GEMP_OK ? opendir(folder.data) : NULL;
	for (const struct dirent *entry; listing && (entry = readdir(listing));)
		if (strncmp(entry->d_name, name, strlen(name)) == 0)
			unlinkat(dirfd(listing), entry->d_name, 0);
	if (listing)
		closedir(listing);
	gemp_text_free(&folder);
}

gemp_code gemp_whole_file_settle(const gemp_comm *comm, const char *temporary, const char *path, gemp_code code)
{
	if (comm->rank == 0 && code == GEMP_OK && rename(temporary, path) != 0)
		code = gemp_fail(GEMP_EIO, "%s: cannot be written: %s", path, strerror(errno));
	if (comm->rank == 0 && code != GEMP_OK)
		gemp_whole_file_remove(temporary);
	if (comm->rank == 0)
		gemp_signals_spare(temporary);
	return gemp_comm_agree(comm, code);
}
