/* tree: what lies in a folder, removed. Nothing but system calls, so that a handler of signals may call it. */

#include "comm/session.h"

#include "core/signals.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 16, BYTES = 2048 };

static char folder[PATH_MAX]; /* empty: none */

static void remove_entries(int folder, dev_t device, const char *kept, int depth);

static void remove_below(int folder, const char *name, dev_t device, int depth)
{
	struct stat status;
	int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0)
		return;
	if (fstat(below, &status) == 0 && status.st_dev == device && depth < DEEPEST)
		remove_entries(below, device, "", depth + 1);
	close(below);
	unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_entries(int folder, dev_t device, const char *kept, int depth)
{
	_Alignas(struct dirent64) char bytes[BYTES];
	for (ssize_t size; (size = getdents64(folder, bytes, sizeof bytes)) > 0;)
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(bytes + at);
			const char *name = entry->d_name;
			at += entry->d_reclen;
			if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, kept) == 0)
				continue;
			if (unlinkat(folder, name, 0) != 0)
				remove_below(folder, name, device, depth);
		}
}

/* Removes all that the open folder has but the file `kept`; symlinks and not what they lead to, and nothing of another
 * file system. What cannot be removed stays. */
static void remove_folder_entries(int folder, const char *kept)
{
	struct stat status;
	if (fstat(folder, &status) == 0)
		remove_entries(folder, status.st_dev, kept, 0);
}

#define PREFIX "gemp-mpi-session." /* not one that users might take for folders of their own */
#define RANDOM "XXXXXX"

enum { MAX_PASSES = 8, FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const char owner[] = "gemp-mpi-owner"; /* the file that is locked */

static bool is_launched(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			return true;
	return false;
}

/* THE OWNER */

/* Locks do not always reach from one host to another, and folders may. */
static size_t host(char name[HOST_NAME_MAX + 1])
{
	memset(name, 0, HOST_NAME_MAX + 1);
	return gethostname(name, HOST_NAME_MAX) == 0 ? strlen(name) : 0;
}

/* Also false where somebody who saw the file without a lock has removed it. */
static bool lock(int file)
{
	struct stat status;
	return flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &status) == 0 && status.st_nlink == 1;
}

/* The file stays open, and locked, to the end. */
static bool claim_owner_file(int here)
{
	char name[HOST_NAME_MAX + 1];
	const size_t length = host(name);
	int file = openat(here, owner, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return false;
	if (write(file, name, length) == (ssize_t)length && lock(file))
		return true;
	unlinkat(here, owner, 0);
	close(file);
	return false;
}

/* ANOTHER'S FOLDER */

static bool is_mine(int descriptor, mode_t kind)
{
	struct stat status;
	return fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == kind && status.st_uid == geteuid() &&
	       (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* Or of a process that was ended before it had written that. */
static bool is_of_this_host(int file)
{
	char name[HOST_NAME_MAX + 1], found[HOST_NAME_MAX + 1] = "";
	const size_t length = host(name);
	const ssize_t size = read(file, found, sizeof found);
	return size == 0 || (size > 0 && (size_t)size == length && memcmp(name, found, length) == 0);
}

static void remove_session(int here)
{
	remove_folder_entries(here, owner);
	unlinkat(here, owner, 0); /* the last: who is ended meanwhile leaves a folder that can be told */
}

/* An empty one lost its file to Open MPI at its end. Whoever has just made it makes another. */
static void remove_if_stale(int base, const char *name)
{
	int here = openat(base, name, FOLDER), file = -1;
	if (here < 0)
		return;
	if (is_mine(here, S_IFDIR)) {
		file = openat(here, owner, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file >= 0 && is_mine(file, S_IFREG) && is_of_this_host(file) && lock(file))
			remove_session(here);
		unlinkat(base, name, AT_REMOVEDIR);
	}
	if (file >= 0)
		close(file);
	close(here);
}

static void remove_stale(const char *base)
{
	DIR *listing = opendir(base);
	for (const struct dirent *entry; listing && (entry = readdir(listing));)
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 && strlen(entry->d_name) == strlen(PREFIX RANDOM))
			remove_if_stale(dirfd(listing), entry->d_name);
	if (listing)
		closedir(listing);
}

/* THIS PROCESS'S */

/* Where nothing can be locked it is one without an owner, which is nobody's to remove. */
static bool make_folder(const char *base)
{
	bool owned = false;
	for (int turn = 0; turn < MAX_PASSES && !owned; turn++) {
		if (turn)
			rmdir(folder);
		const int length = snprintf(folder, sizeof folder, "%s/" PREFIX RANDOM, base);
		if (length < 0 || (size_t)length >= sizeof folder || !mkdtemp(folder))
			return false;
		int here = open(folder, FOLDER);
		owned = here >= 0 && claim_owner_file(here);
		if (here >= 0)
			close(here);
	}
	return true;
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
	base = base && *base ? base : "/tmp";
	remove_stale(base);
	gemp_signals_on_fatal(gemp_session_end);
	if (make_folder(base))
		setenv(variable, folder, 0);
	else
		folder[0] = '\0';
}

/* Open MPI removes it in the end, if it comes to that. */
void gemp_session_end(void)
{
	int here = folder[0] ? open(folder, FOLDER) : -1;
	if (here >= 0) {
		remove_session(here);
		close(here);
		rmdir(folder);
	}
	folder[0] = '\0';
}
