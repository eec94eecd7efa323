/* cache: a folder of small files that outlive a run (kernel binaries, self-test results), and a folder for PoCL's own
 * cache.
 *
 * The folder is GEMP_CACHE_DIR, else XDG_CACHE_HOME/gemp-mpi, else ~/.cache/gemp-mpi; GEMP_CACHE_DIR="" means none. A
 * file is a header of magic, size and hash (seeded by the name), and then the bytes. The cache only saves time: a file
 * that is missing, truncated, damaged or of another name counts as absent, and a folder that cannot be written stores
 * nothing. Local: ranks use the folder independently.
 */

#ifndef GEMP_DEVICE_CACHE_H
#define GEMP_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { GEMP_CACHE_PATH = 1024 };

/* The folder, which is created if it is missing; false if there is no writable one. */
bool gemp_cache_folder(char path[GEMP_CACHE_PATH]);

/* The bytes stored under a name; the caller frees them (gemp_free). False if there are none. */
bool gemp_cache_load(const char *name, void **bytes, size_t *size);
/* Stores atomically (a temporary file, renamed), so others may read or store the same name meanwhile. */
void gemp_cache_store(const char *name, const void *bytes, size_t size);

/* Locks a name, so one process of this machine at a time builds what it will store under it; the others wait and then
 * load it. The lock ends with its process. -1: no lock (no folder, a file system without locks, or after a minute);
 * building twice does no harm. A process that has waited and finds nothing unlocks before it builds: where nothing can
 * be stored, as on a full disk, the processes would otherwise build one after another. */
int gemp_cache_lock(const char *name, bool *waited);
void gemp_cache_unlock(int lock);

/* Gives each process a cache folder of its own for PoCL.
 *
 * PoCL stores what it compiles in a folder shared by all processes, even at the first launch of a kernel, where we can
 * place no lock; now and then processes that start together damage each other's files. So each process holds one
 * numbered folder of this host, locked as long as it lives: never shared, still warm in the next run, and never more
 * folders than processes ran at once. They lie in POCL_CACHE_DIR if that is set, else in the cache folder, else in
 * /tmp.
 */

/* Call it before the first OpenCL call of the process; later calls do nothing. */
void gemp_pocl_claim_folder(void);

#endif
