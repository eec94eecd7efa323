/* claim: numbers that an input states, compared with the bytes that it has.
 *
 * A header of a few bytes can state any number of vertices or elements. Readers compare such a number with the bytes of
 * the input before they allocate memory or loop over it. The limits are far beyond what real files need: a file of
 * edges has some bytes for nearly every vertex, and no compression that is read here makes a byte of more than
 * 32,768 bytes (Zstandard of equal bytes; deflate: 1,032). */

#ifndef GEMP_IO_FILE_CLAIM_H
#define GEMP_IO_FILE_CLAIM_H

#include "comm/comm.h"

enum {
	GEMP_CLAIM_VERTICES = 1 << 20,     /* vertices that any input may have */
	GEMP_CLAIM_VERTICES_A_BYTE = 1000, /* vertices that it may have beyond them for each of its bytes */
	GEMP_CLAIM_BYTES = 8 << 20,        /* bytes that any array may take in memory */
	GEMP_CLAIM_BYTES_A_BYTE = 1 << 15, /* bytes that it may take beyond them for each byte in the file */
	GEMP_DEFLATE_RATIO = 1032,         /* bytes that deflate makes of a byte at most */
};

/* Collective. Whether an input of `bytes` bytes, after decompression, can have so many vertices, and the memory of all
 * nodes suffices for them. place: the file, and the line if there is one, for the message. GEMP_EDATA: too few bytes.
 * GEMP_ENOMEM: too little memory. */
gemp_code gemp_claim_vertices(const gemp_comm *comm, const char *place, uint64_t vertices, uint64_t bytes);

/* Local. Whether an array for which the file stores `stored` bytes can take `claimed` bytes in memory. packed: the
 * bytes are compressed, or the file need not store all elements. */
bool gemp_claim_is_backed(uint64_t claimed, uint64_t stored, bool packed);

#endif
