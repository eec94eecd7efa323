#include "device/pocl.h"

#include "device/cache.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FOLDERS = 4096 };

/* True if the lock is ours; *busy tells that another process has it. The descriptor stays open to the end. */
static bool lock(const char *path, bool *busy)
{
	int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	*busy = false;
	if (descriptor < 0)
		return false;
	if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
		return true;
	*busy = errno == EWOULDBLOCK;
	close(descriptor);
	return false;
}

static bool claim_in(const char *root)
{
	char host[128] = "host", folder[GEMP_CACHE_PATH + 160], path[GEMP_CACHE_PATH + 168];
	bool busy = true;
	if (!gemp_cache_make_folder(root))
		return false;
	gethostname(host, sizeof host - 1);
	for (int i = 0; i < MOST_FOLDERS && busy; i++) {
		snprintf(folder, sizeof folder, "%s/%s.%d", root, host, i);
		snprintf(path, sizeof path, "%s.lock", folder);
		if (lock(path, &busy))
			return gemp_cache_make_folder(folder) && setenv("POCL_CACHE_DIR", folder, 1) == 0;
	}
	return false;
}

/* What PoCL finds in its folder it runs, so a folder that anybody can make must be this user's alone. */
static bool make_private(const char *path)
{
	struct stat status;
	mkdir(path, 0700);
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == getuid()
	    && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void gemp_pocl_claim_folder(void)
{
	static bool claimed;
	char root[GEMP_CACHE_PATH + 8], cache[GEMP_CACHE_PATH];
	if (claimed)
		return;
	claimed = true;
	const char *given = getenv("POCL_CACHE_DIR");
	if (given && *given) {
		if (claim_in(given))
			return;
		gemp_warn("POCL_CACHE_DIR=%s cannot be written or locked; another folder is used", given);
	}
	if (gemp_cache_folder(cache)) {
		snprintf(root, sizeof root, "%s/pocl", cache);
		if (claim_in(root))
			return;
	}
	snprintf(root, sizeof root, "/tmp/gemp-mpi-%u", (unsigned)getuid());
	if (make_private(root))
		claim_in(root);
}
