/* cache: a folder of small files that outlive a run (kernel binaries, self-test results), and a folder for PoCL's own
 * cache.
 *
 * The folder is GEMP_CACHE_DIR, else XDG_CACHE_HOME/gemp-mpi, else ~/.cache/gemp-mpi; GEMP_CACHE_DIR="" means no
 * folder. A file is a header of magic, size and hash (seeded by the name), and then the bytes. The cache only saves
 * time: a missing, truncated, damaged or renamed file counts as absent, and nothing is stored in a folder that is not
 * writable. Local: ranks use the folder independently. */

#ifndef GEMP_DEVICE_CACHE_H
#define GEMP_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { GEMP_CACHE_PATH = 1024 };

/* Finds the folder and creates it if it is missing. Returns false if there is no folder or it is not writable. */
bool gemp_cache_folder(char path[GEMP_CACHE_PATH]);

/* Loads the bytes stored under a name; the caller frees them (gemp_free). Returns false if there are none. */
bool gemp_cache_load(const char *name, void **bytes, size_t *size);
/* True if there is a file of that name, which may be damaged. */
bool gemp_cache_has(const char *name);
/* Stores atomically (a temporary file, renamed), so other processes may read or store the same name at the same
 * time. */
void gemp_cache_store(const char *name, const void *bytes, size_t size);

/* Locks a name, so that one process of this machine at a time builds the file of that name. The other processes wait
 * and then load the file. The lock ends with its process. Returns -1 without a lock: no folder, a file system without
 * locks, or after a minute; building twice does no harm. A process that has waited and finds no file unlocks before it
 * builds, since on a full disk the processes would otherwise build one after another. */
int gemp_cache_lock(const char *name, bool *waited);
void gemp_cache_unlock(int lock);

/* Gives each process its own cache folder for PoCL.
 *
 * PoCL stores compiled kernels in a folder shared by all processes, even at the first launch of a kernel, where we can
 * place no lock. Processes that start together occasionally damage each other's files. So each process holds one
 * numbered folder of this host, locked as long as the process lives. A numbered folder has one process at a time and
 * keeps its files for the next run. There are never more folders than processes ran at once. The folders lie in
 * POCL_CACHE_DIR if that is set, else in the cache folder, else in /tmp. */

/* Call it before the first OpenCL call of the process. Later calls do nothing. */
void gemp_pocl_claim_folder(void);

#endif
