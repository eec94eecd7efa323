/* zip: the members of a zip archive, stored or deflated, each as a stream of bytes. Sizes beyond 4 GiB too (zip64).
 *
 * The directory is read once; each member is then a stream with a file of its own, so that several are read side by side.
 * Checksums are compared at a member's end. All functions are local.
 */

#ifndef GEMP_IO_FILE_ZIP_H
#define GEMP_IO_FILE_ZIP_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_zip_member {
	char *name;      /* owned */
	unsigned method; /* 0: stored, 8: deflated */
	uint32_t crc;
	uint64_t compressed_size, size; /* bytes in the file, and of content */
	uint64_t offset;                /* of the member's own header */
} gemp_zip_member;

typedef struct gemp_zip {
	const char *path; /* borrowed */
	size_t count;
	gemp_zip_member *members; /* [count] */
} gemp_zip;

/* Local. Reads the directory. Not a zip archive, a cut or encrypted one is GEMP_EDATA; a missing file GEMP_ENOINPUT. */
gemp_code gemp_zip_open(gemp_zip *out, const char *path);
void gemp_zip_close(gemp_zip *zip);
const gemp_zip_member *gemp_zip_find(const gemp_zip *zip, const char *name); /* NULL if none */

typedef struct gemp_zip_stream gemp_zip_stream;
gemp_code gemp_zip_stream_open(gemp_zip_stream **out, const gemp_zip *zip, const gemp_zip_member *member);
/* Exactly `size` bytes; an end before that, or at the end a wrong checksum, is GEMP_EDATA. */
gemp_code gemp_zip_stream_read(gemp_zip_stream *stream, void *bytes, size_t size);
void gemp_zip_stream_close(gemp_zip_stream *stream); /* takes NULL */

#endif
