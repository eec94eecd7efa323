/* row_code: rows of slots as bytes on the wire.
 *
 * A number takes as many bytes as it needs, seven bits in each, the lowest first (LEB128). A list of ascending slots is
 * its first slot and then differences; edge numbers, which do not ascend along a row, are differences with their sign
 * in the lowest bit.
 */
#ifndef GEMP_PARTITION_ROW_CODE_H
#define GEMP_PARTITION_ROW_CODE_H

#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { GEMP_NUMBER_BYTES = 10 }; /* of a number at most */

/* Each returns where the next byte goes. */
uint8_t *gemp_number_put(uint8_t *to, uint64_t number);
uint8_t *gemp_slots_put(uint8_t *to, const gemp_vertex *slots, size_t count);
uint8_t *gemp_edges_put(uint8_t *to, const gemp_edge *edges, size_t count);

/* Each returns where the next byte comes from, or NULL where the bytes end too early or make no sense. */
const uint8_t *gemp_number_get(const uint8_t *from, const uint8_t *end, uint64_t *number);
const uint8_t *gemp_slots_get(const uint8_t *from, const uint8_t *end, gemp_vertex *slots, size_t count);
const uint8_t *gemp_edges_get(const uint8_t *from, const uint8_t *end, gemp_edge *edges, size_t count);

/* Bytes that a row takes at most. */
static inline size_t gemp_row_code_room(size_t entries, bool edges)
{
	return GEMP_NUMBER_BYTES + entries * (edges ? 5 + GEMP_NUMBER_BYTES : 5);
}

#endif
