/* bit_planes: arrays of fixed-size elements, compressed. Local.
 *
 * A packed array is a chunk of HDF5's filter 32008 (bitshuffle, Masui et al. 2015) with Zstandard and one block: the
 * number of bytes (u64) and the bytes of a block (u32), both big-endian, the compressed size of the block (u32,
 * big-endian), the block, and then the last count % 8 elements as they are. The block is the other elements as bit
 * planes: first bit 0 of byte 0 of all elements, then bit 1, and so on. Neighbours in a sorted row have the same high
 * bits, so their high planes are long runs. */

#ifndef GEMP_IO_HDF5_BIT_PLANES_H
#define GEMP_IO_HDF5_BIT_PLANES_H

#include <stdbool.h>
#include <stddef.h>

/* The number of bytes that suffice for a packed array of `bytes` bytes. */
size_t gemp_planes_bound(size_t bytes);
/* Packs in[count], elements of `size` bytes, into `out`. planes: count * size bytes. Returns the packed size, or 0 if
 * Zstandard failed. */
size_t gemp_planes_pack(char *out, const void *in, size_t size, size_t count, char *planes);
/* Unpacks an array of `count` elements. Returns false if it is damaged. */
bool gemp_planes_unpack(void *out, const char *in, size_t bytes, size_t size, size_t count, char *planes);

#endif
