/* scratch_file: a file without a name for data that does not fit into memory. It is in the folder $TMPDIR, or else in
 * /tmp, and vanishes when it is closed or the process ends. Local. */

#ifndef GEMP_CORE_SCRATCH_FILE_H
#define GEMP_CORE_SCRATCH_FILE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_scratch_file {
	int descriptor; /* valid if `open` */
	bool open;
	uint64_t size;   /* bytes that were appended */
} gemp_scratch_file; /* {0} is a file that the first addition opens */

/* Appends bytes. GEMP_EIO with the folder and the remedy in the message. */
gemp_code gemp_scratch_append(gemp_scratch_file *file, const void *bytes, size_t size);
gemp_code gemp_scratch_read(const gemp_scratch_file *file, uint64_t offset, void *bytes, size_t size);
/* Gives the space of bytes that are not read again back to the file system, if it can take them. */
void gemp_scratch_discard(const gemp_scratch_file *file, uint64_t begin, uint64_t end);
void gemp_scratch_close(gemp_scratch_file *file);

#endif
