/* whole_file: files that appear under their name when they are whole: written beside it and renamed at the end. A signal
 * that ends rank 0 removes what is there.
 */
#ifndef GEMP_IO_WHOLE_FILE_H
#define GEMP_IO_WHOLE_FILE_H

#include "comm/comm.h"
#include "core/text.h"

/* Collective. The name to write under, the same on all ranks, since each may open the file. */
gemp_code gemp_whole_file_name(const gemp_comm *comm, const char *path, gemp_text *temporary);
/* Collective. Rank 0 gives the file its name, or removes it if `code` (of all ranks) is an error. */
gemp_code gemp_whole_file_settle(const gemp_comm *comm, const char *temporary, const char *path, gemp_code code);
/* By one rank: the file, and what MPI keeps beside it under longer names (where its shared file pointer is). MPI takes
 * these away when it closes the file, which HDF5 does not do after it has failed to write.
 */
void gemp_whole_file_remove(const char *temporary);

#endif
