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

enum { MAX_DEPTH = 16, BUFFER_SIZE = 2048 };

static char session_folder[PATH_MAX]; /* empty if there is none */

static void remove_entries(int folder, dev_t device, const char *kept, int depth);

/* Does not follow symbolic links and does not leave the file system, so only files below the folder are removed. */
static void remove_subfolder(int folder, const char *name, dev_t device, int depth)
{
	struct stat status;
	int subfolder = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (subfolder < 0)
		return;
	if (fstat(subfolder, &status) == 0 && status.st_dev == device && depth < MAX_DEPTH)
		remove_entries(subfolder, device, "", depth + 1);
	close(subfolder);
	unlinkat(folder, name, AT_REMOVEDIR);
}

/* Uses getdents64 instead of readdir, which allocates, because a signal handler may run this function. */
static void remove_entries(int folder, dev_t device, const char *kept, int depth)
{
	_Alignas(struct dirent64) char bytes[BUFFER_SIZE];
	for (ssize_t size; (size = getdents64(folder, bytes, sizeof bytes)) > 0;)
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(bytes + at);
			const char *name = entry->d_name;
			at += entry->d_reclen;
			if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, kept) == 0)
				continue;
			if (unlinkat(folder, name, 0) != 0)
				remove_subfolder(folder, name, device, depth);
		}
}

/* Removes everything in the open folder except the file `kept`. Of a symbolic link, the link is removed and not its
 * target. Entries that cannot be removed stay. */
static void remove_folder_entries(int folder, const char *kept)
{
	struct stat status;
	if (fstat(folder, &status) == 0)
		remove_entries(folder, status.st_dev, kept, 0);
}

#define PREFIX "gemp-mpi-session." /* a prefix that users do not use for their own folders */
#define RANDOM "XXXXXX"

enum { MAX_ATTEMPTS = 8, FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const char owner[] = "gemp-mpi-owner"; /* the name of the file that the process locks */

/* The processes of a launcher share a session that the launcher manages. */
static bool is_launched(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			return true;
	return false;
}

/* The owner file contains the host's name, since folders may be shared between hosts but locks do not always work
 * between hosts. */
static size_t host_name(char name[HOST_NAME_MAX + 1])
{
	memset(name, 0, HOST_NAME_MAX + 1);
	return gethostname(name, HOST_NAME_MAX) == 0 ? strlen(name) : 0;
}

/* Returns false also if the file has been unlinked: another process took it for stale before it was locked. */
static bool lock_owner(int file)
{
	struct stat status;
	return flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &status) == 0 && status.st_nlink == 1;
}

/* Creates the owner file and locks it. The file stays open, and thus locked, to the end of the process. */
static bool claim_owner_file(int directory)
{
	char name[HOST_NAME_MAX + 1];
	const size_t length = host_name(name);
	int file = openat(directory, owner, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return false;
	if (write(file, name, length) == (ssize_t)length && lock_owner(file))
		return true;
	unlinkat(directory, owner, 0);
	close(file);
	return false;
}

/* Checks ownership and permissions of the open descriptor, so that nobody can exchange the file in between. */
static bool is_mine(int descriptor, mode_t kind)
{
	struct stat status;
	return fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == kind && status.st_uid == geteuid() &&
	       (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* Returns true also for an empty file, whose process was killed before it had written the name. */
static bool names_this_host(int file)
{
	char name[HOST_NAME_MAX + 1], found[HOST_NAME_MAX + 1] = "";
	const size_t length = host_name(name);
	const ssize_t size = read(file, found, sizeof found);
	return size == 0 || (size > 0 && (size_t)size == length && memcmp(name, found, length) == 0);
}

/* Removes the owner file last: if this process is killed before, the folder is still recognized as stale. */
static void remove_session(int directory)
{
	remove_folder_entries(directory, owner);
	unlinkat(directory, owner, 0);
}

/* Removes the folder if it is stale or empty. An empty folder has lost its owner file to Open MPI's own cleanup. If its
 * process has only just made the folder, that process makes another. */
static void remove_if_stale(int base, const char *name)
{
	int directory = openat(base, name, FOLDER), file = -1;
	if (directory < 0)
		return;
	if (is_mine(directory, S_IFDIR)) {
		file = openat(directory, owner, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file >= 0 && is_mine(file, S_IFREG) && names_this_host(file) && lock_owner(file))
			remove_session(directory);
		unlinkat(base, name, AT_REMOVEDIR);
	}
	if (file >= 0)
		close(file);
	close(directory);
}

/* Considers only names of the exact length, so folders of users are never touched. */
static void remove_stale(const char *base)
{
	DIR *listing = opendir(base);
	for (const struct dirent *entry; listing && (entry = readdir(listing));)
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 && strlen(entry->d_name) == strlen(PREFIX RANDOM))
			remove_if_stale(dirfd(listing), entry->d_name);
	if (listing)
		closedir(listing);
}

/* Makes another folder if a process removed the new one as stale. Without working locks the folder has no owner file,
 * and no process removes it. */
static bool make_folder(const char *base)
{
	bool owned = false;
	for (int attempt = 0; attempt < MAX_ATTEMPTS && !owned; attempt++) {
		if (attempt)
			rmdir(session_folder);
		const int length = snprintf(session_folder, sizeof session_folder, "%s/" PREFIX RANDOM, base);
		if (length < 0 || (size_t)length >= sizeof session_folder || !mkdtemp(session_folder))
			return false;
		int directory = open(session_folder, FOLDER);
		owned = directory >= 0 && claim_owner_file(directory);
		if (directory >= 0)
			close(directory);
	}
	return true;
}

/* Isolation saves the start of a daemon, a fifth of a second: Open MPI would start one in case the process spawns
 * others. A process without peers sends messages only to itself. Naming the modules for that saves the search for
 * network hardware (libpsm, libfabric), another fifth of a second. Without modules that such a process does not choose,
 * and without the search for PCI devices, `gemp-mpi info` takes .11 instead of .14 s of the processor (two cores,
 * 2026-11-28). Variables that the user has set are kept. */
void gemp_session_begin(void)
{
	static const char variable[] = "OMPI_MCA_orte_jobfam_session_dir";
	static const char *const alone[][2] = {
		{ "OMPI_MCA_ess_singleton_isolated", "1" },      { "OMPI_MCA_pml", "ob1" }, { "OMPI_MCA_btl", "self" },
		{ "OMPI_MCA_coll", "basic,self,libnbc" },        { "OMPI_MCA_osc", "sm" },  { "OMPI_MCA_io", "ompio" },
		{ "HWLOC_COMPONENTS", "-opencl,-pci,-linuxio" },
	};
	const char *base = getenv("TMPDIR");
	if (is_launched())
		return;
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		setenv(alone[i][0], alone[i][1], 0);
	if (getenv(variable))
		return;
	base = base && *base ? base : "/tmp";
	remove_stale(base);
	gemp_signals_on_fatal(gemp_session_end);
	if (make_folder(base))
		setenv(variable, session_folder, 0);
	else
		session_folder[0] = '\0';
}

/* Usually Open MPI has removed the folder in MPI_Finalize. This function covers all other ends of the process. */
void gemp_session_end(void)
{
	int directory = session_folder[0] ? open(session_folder, FOLDER) : -1;
	if (directory >= 0) {
		remove_session(directory);
		close(directory);
		rmdir(session_folder);
	}
	session_folder[0] = '\0';
}
