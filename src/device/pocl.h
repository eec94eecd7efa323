/* pocl: a folder of its own for each process' PoCL.
 *
 * PoCL keeps what it compiles in a folder shared by all processes, also at the first launch of a kernel, where no barrier
 * of ours can be; now and then processes that start together spoil each other's files. So each process holds one numbered
 * folder of this host, locked as long as it lives: never shared, still warm in the next run, and never more folders than
 * there were processes at once. They lie in POCL_CACHE_DIR if that is set, else in the cache folder, else in /tmp.
 */
#ifndef GEMP_DEVICE_POCL_H
#define GEMP_DEVICE_POCL_H

/* Before the first OpenCL call of the process; later calls do nothing. */
void gemp_pocl_claim_folder(void);

#endif
