#include "device/cache.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCKS = 4096 };                  /* lock files; two names with the same lock file may wait for each other */
static const double max_lock_wait = 60; /* seconds */

static const char magic[8] = "GEMPC01";

/* A file is this header and then the bytes. */
typedef struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t hash; /* hash of the bytes, seeded by the name */
} file_header;

/* The name seeds the hash, so a file that was copied to another name is not accepted. */
static uint64_t hash_of(const char *name, const void *bytes, size_t size)
{
	return gemp_hash(bytes, size, gemp_hash(name, strlen(name), 0));
}

/* Makes a folder and its parents. Returns false if the folder is not writable. */
static bool make_folder(const char *path)
{
	char part[GEMP_CACHE_PATH];
	size_t length = strlen(path);
	if (length == 0 || length >= sizeof part)
		return false;
	memcpy(part, path, length + 1);
	for (size_t i = 1; i <= length; i++)
		if (part[i] == '/' || part[i] == '\0') {
			part[i] = '\0';
			mkdir(part, 0777);
			part[i] = path[i];
		}
	return access(path, W_OK | X_OK) == 0;
}

/* An empty GEMP_CACHE_DIR gives an empty path, which make_folder refuses. Users turn the cache off this way. */
bool gemp_cache_folder(char path[GEMP_CACHE_PATH])
{
	const char *own = getenv("GEMP_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;
	if (own)
		length = snprintf(path, GEMP_CACHE_PATH, "%s", own);
	else if (xdg && *xdg)
		length = snprintf(path, GEMP_CACHE_PATH, "%s/gemp-mpi", xdg);
	else if (home && *home)
		length = snprintf(path, GEMP_CACHE_PATH, "%s/.cache/gemp-mpi", home);
	else
		return false;
	return length < GEMP_CACHE_PATH && make_folder(path);
}

static bool file_path(char path[GEMP_CACHE_PATH], const char *name)
{
	char folder[GEMP_CACHE_PATH];
	return gemp_cache_folder(folder) && snprintf(path, GEMP_CACHE_PATH, "%s/%s", folder, name) < GEMP_CACHE_PATH;
}

/* Reads a file whose size, magic and hash are right. Every other file counts as absent. */
static bool read_whole(FILE *file, const char *name, void **bytes, size_t *size)
{
	file_header head;
	struct stat status;
	if (fstat(fileno(file), &status) != 0 || fread(&head, sizeof head, 1, file) != 1)
		return false;
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.size != (uint64_t)status.st_size - sizeof head)
		return false;
	void *block = gemp_calloc(head.size, 1);
	if (block && fread(block, 1, head.size, file) == head.size && hash_of(name, block, head.size) == head.hash) {
		*bytes = block;
		*size = head.size;
		return true;
	}
	gemp_free(block);
	return false;
}

/* A missing file and a damaged file are the same to the caller, who then builds anew. */
bool gemp_cache_load(const char *name, void **bytes, size_t *size)
{
	char path[GEMP_CACHE_PATH];
	FILE *file = file_path(path, name) ? fopen(path, "rb") : NULL;
	if (!file)
		return false;
	bool complete = read_whole(file, name, bytes, size);
	fclose(file);
	return complete;
}

bool gemp_cache_has(const char *name)
{
	char path[GEMP_CACHE_PATH];
	return file_path(path, name) && access(path, R_OK) == 0;
}

/* Writes the file under a temporary name and renames it, so readers see a whole file or none. Errors are not reported:
 * a full disk costs time at the next start, but no result. */
void gemp_cache_store(const char *name, const void *bytes, size_t size)
{
	char path[GEMP_CACHE_PATH], temporary[GEMP_CACHE_PATH + 8];
	if (!file_path(path, name))
		return;
	snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	int descriptor = mkstemp(temporary);
	FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
	if (!file)
		return;
	file_header head = { .size = size, .hash = hash_of(name, bytes, size) };
	memcpy(head.magic, magic, sizeof magic);
	bool written = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
	if (fclose(file) != 0 || !written || rename(temporary, path) != 0)
		unlink(temporary);
}

/* Each host has its own lock files: on a network file system, a lock does not tell which files other hosts already
 * see. */
static bool lock_path(char path[GEMP_CACHE_PATH], const char *name)
{
	char folder[GEMP_CACHE_PATH], host[128] = "host";
	if (!file_path(folder, "building") || !make_folder(folder))
		return false;
	gethostname(host, sizeof host - 1);
	unsigned number = (unsigned)(hash_of(name, "", 0) % LOCKS);
	return snprintf(path, GEMP_CACHE_PATH, "%s/%s.%u", folder, host, number) < GEMP_CACHE_PATH;
}

/* Returns whether this process got the lock; *busy: another process has it. The descriptor stays open to the end of the
 * process. */
static bool try_lock(const char *path, bool *busy)
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

/* Polls every 2 ms instead of a blocking flock, so that a process that hangs cannot block all others forever. */
int gemp_cache_lock(const char *name, bool *waited)
{
	static const struct timespec pause = { .tv_nsec = 2000000 };
	char path[GEMP_CACHE_PATH];
	int lock = lock_path(path, name) ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
	*waited = false;
	if (lock < 0)
		return -1;
	for (double began = gemp_now(); flock(lock, LOCK_EX | LOCK_NB) != 0;) {
		if (errno != EWOULDBLOCK || gemp_now() - began > max_lock_wait) {
			close(lock);
			return -1;
		}
		*waited = true;
		nanosleep(&pause, NULL);
	}
	return lock;
}

/* Closing the descriptor releases the lock. The lock file stays for the next process. */
void gemp_cache_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

enum { MAX_FOLDERS = 4096 };

/* Takes the first numbered folder whose lock is free. The lock file lies beside the folder, because PoCL may clear the
 * folder. */
static bool claim_numbered(const char *root)
{
	char host[128] = "host", folder[GEMP_CACHE_PATH + 160], path[GEMP_CACHE_PATH + 168];
	bool busy = true;
	if (!make_folder(root))
		return false;
	gethostname(host, sizeof host - 1);
	for (int i = 0; i < MAX_FOLDERS && busy; i++) {
		snprintf(folder, sizeof folder, "%s/%s.%d", root, host, i);
		snprintf(path, sizeof path, "%s.lock", folder);
		if (try_lock(path, &busy))
			return make_folder(folder) && setenv("POCL_CACHE_DIR", folder, 1) == 0;
	}
	return false;
}

/* PoCL runs the code that it finds in its folder. A folder in /tmp, which anybody can make, must therefore belong to
 * this user alone. */
static bool make_private(const char *path)
{
	struct stat status;
	mkdir(path, 0700);
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == getuid() &&
	       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Tries the user's own folder first and /tmp last. If no folder can be claimed, PoCL uses its shared folder, which
 * works but may fail occasionally. */
void gemp_pocl_claim_folder(void)
{
	static bool claimed;
	char root[GEMP_CACHE_PATH + 8], cache[GEMP_CACHE_PATH];
	if (claimed)
		return;
	claimed = true;
	const char *user_folder = getenv("POCL_CACHE_DIR");
	if (user_folder && *user_folder) {
		if (claim_numbered(user_folder))
			return;
		gemp_warn("POCL_CACHE_DIR=%s cannot be written or locked; another folder is used", user_folder);
	}
	if (gemp_cache_folder(cache)) {
		snprintf(root, sizeof root, "%s/pocl", cache);
		if (claim_numbered(root))
			return;
	}
	snprintf(root, sizeof root, "/tmp/gemp-mpi-%u", (unsigned)getuid());
	if (make_private(root))
		claim_numbered(root);
}
