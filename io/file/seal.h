/* seal: sums of a file's blocks, appended to the file when it is complete. Readers compare them (io/file/sealed_file.h,
 * which has the layout). */

#ifndef GEMP_IO_FILE_SEAL_H
#define GEMP_IO_FILE_SEAL_H

#include "comm/comm.h"

/* Collective. Seals a file that no rank has open. The ranks read the file once more and divide it among themselves. So
 * the sums are those of what readers get, not of what was to be written. GEMP_EIO. */
gemp_code gemp_seal_file(const gemp_comm *comm, const char *path);

#endif
