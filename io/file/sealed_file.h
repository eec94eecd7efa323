/* sealed_file: files whose bytes are compared with sums while they are read. Local.
 *
 * A seal (io/file/seal.h) is appended to a file when its content is complete. Reading then notices every byte that has
 * changed since, before anybody interprets it. Files without a seal, of older versions or other programs, are read in
 * the same way, unchecked.
 *
 * Data layout of a sealed file, little-endian, in blocks of GEMP_BLOCK_BYTES:
 *     content       `size` bytes, then zeros to the end of the block
 *     sums          u64 for each block of the content: XXH3 of the block, with its number as the seed; then zeros
 *     group sums    u64 for each block of sums, computed from that block in the same way; not padded
 *     footer        gemp_seal_footer, the last 64 bytes of the file
 * A block of sums describes a group of GEMP_SEAL_GROUP blocks (2 MiB). Group sums stay in memory, 4 bytes for a MiB of
 * the file. So a read of few bytes reads two blocks, whatever the size of the file. */

#ifndef GEMP_IO_FILE_SEALED_FILE_H
#define GEMP_IO_FILE_SEALED_FILE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { GEMP_BLOCK_BYTES = 4096, GEMP_SEAL_GROUP = GEMP_BLOCK_BYTES / sizeof(uint64_t) };

typedef struct gemp_seal_footer {
	char magic[8];      /* gemp_seal_magic */
	uint64_t version;   /* 1 */
	uint64_t size;      /* of the content */
	uint64_t group_sum; /* XXH3 of all group sums, with the number of groups as the seed */
	uint64_t zero[3];
	uint64_t sum; /* XXH3 of the members above, with the seed 0 */
} gemp_seal_footer;

extern const char gemp_seal_magic[8];

/* Sizes that follow from the size of a content. */
typedef struct gemp_seal_extent {
	uint64_t blocks, groups;
	uint64_t sums;       /* offset of the sums in the file */
	uint64_t group_sums; /* offset of the group sums */
	uint64_t footer;     /* offset of the footer */
} gemp_seal_extent;
gemp_seal_extent gemp_seal_extent_of(uint64_t size);
/* XXH3 of the members of a footer before its own sum. */
uint64_t gemp_seal_footer_sum(const gemp_seal_footer *footer);

typedef struct gemp_sealed_file {
	char *path; /* owned */
	int file;   /* file descriptor; -1: not open */
	bool sealed;
	bool trusted;  /* its seal, if any, is ignored */
	uint64_t size; /* of the content */
	gemp_seal_extent extent;
	uint64_t group_sum;   /* of the footer: tells contents apart; 0 unless sealed */
	uint64_t *group_sums; /* [extent.groups] owned; NULL unless sealed */
	struct stat opened;   /* of the file, when it was opened */
} gemp_sealed_file;

/* Opens a file for reading. trust: does not look for a seal. GEMP_ENOINPUT: the file cannot be opened. GEMP_EDATA: it
 * has a seal that is damaged. After a failure *out is closed. */
gemp_code gemp_sealed_open(gemp_sealed_file *out, const char *path, bool trust);
void gemp_sealed_close(gemp_sealed_file *file); /* *file may be closed already, or {.file = -1} */

/* Errors of a read besides errno: the file ends early; bytes were changed. */
enum { GEMP_SEALED_ENDS = -1, GEMP_SEALED_CHANGED = -2 };

/* Reads bytes [offset, offset + size) of the content and compares their blocks with the seal. Returns 0, or an error
 * for gemp_sealed_failed. Several threads may read at the same time. */
int gemp_sealed_read(const gemp_sealed_file *file, uint64_t offset, size_t size, void *data);
/* The code and the message of an error. `part` is what was read, such as "dataset '/nodes/x'". */
gemp_code gemp_sealed_failed(const gemp_sealed_file *file, const char *part, int error);

#endif
