/* blocks: a text file, plain, gzip or Zstandard, as blocks of whole lines, for all threads to work on.
 *
 * Where blocks end depends on the file and on `begin` alone, so that whoever reads it again gets the same ones. A UTF-8 byte
 * order mark is left out.
 */
#ifndef GEMP_IO_BLOCKS_H
#define GEMP_IO_BLOCKS_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes in a block, unless one line is longer; tests make it small. */
extern size_t gemp_block_size;

typedef struct gemp_blocks gemp_blocks;

/* The lines that begin in [begin, end) of a plain file; a compressed one: begin 0, end GEMP_STREAM_END. `path` is borrowed. */
gemp_code gemp_blocks_open(gemp_blocks **out, const char *path, uint64_t begin, uint64_t end);
void gemp_blocks_close(gemp_blocks *blocks); /* takes NULL */

/* The next block: only the last line of a file may lack its newline. It may be written to and is valid until the next call.
 * *size is 0 at the end. */
gemp_code gemp_blocks_next(gemp_blocks *blocks, char **text, size_t *size);
/* Bytes of the stored file, compressed or not, that were taken since the beginning. */
uint64_t gemp_blocks_position(const gemp_blocks *blocks);

#endif
