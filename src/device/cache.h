/* cache: a folder of small files that outlive a run. What is there is only a help: a file that is missing, cut short,
 * spoilt or of another name is as if it were not there, and a folder that cannot be written keeps nothing.
 *
 * The folder is GEMP_CACHE_DIR, else XDG_CACHE_HOME/gemp-mpi, else ~/.cache/gemp-mpi; GEMP_CACHE_DIR="" means none.
 */

#ifndef GEMP_DEVICE_CACHE_H
#define GEMP_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { GEMP_CACHE_PATH = 1024 };

/* The folder, made if need be; false if there is none to write in. */
bool gemp_cache_folder(char path[GEMP_CACHE_PATH]);

/* The bytes stored under a name, for the caller to free (gemp_free); false if there are none. */
bool gemp_cache_load(const char *name, void **bytes, size_t *size);
/* Whole or not at all, also while others read or store the same name. */
void gemp_cache_store(const char *name, const void *bytes, size_t size);

/* Among the processes of this machine one at a time makes what it will store under a name; the others sleep, and find
 * it there. A lock ends with its process. -1: no lock (no folder, a file system without locks, or after a minute); to
 * make the same twice does no harm. Who has waited and finds nothing gives the lock back before it makes its own: where
 * nothing can be stored, as on a full disk, processes would else make the same one after another. */
int gemp_cache_lock(const char *name, bool *waited);
void gemp_cache_unlock(int lock);

/* pocl: a folder of its own for each process' PoCL.
 *
 * PoCL keeps what it compiles in a folder shared by all processes, also at the first launch of a kernel, where no barrier
 * of ours can be; now and then processes that start together spoil each other's files. So each process holds one numbered
 * folder of this host, locked as long as it lives: never shared, still warm in the next run, and never more folders than
 * there were processes at once. They lie in POCL_CACHE_DIR if that is set, else in the cache folder, else in /tmp.
 */

/* Before the first OpenCL call of the process; later calls do nothing. */
void gemp_pocl_claim_folder(void);

#endif
