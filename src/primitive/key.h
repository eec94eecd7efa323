/* key: the numbers by which arrays are sorted and split.
 *
 * Each key has a code, an unsigned number of the same size. The order of keys is the order of their codes, so one
 * algorithm sorts all kinds of keys. Floats are in the total order of IEEE 754: -NaN, -inf, ..., -0.0, 0.0, ..., inf,
 * NaN. Their codes invert the sign bit of positive numbers and all bits of negative numbers (Herf 2001). Descending
 * order uses the complements of the codes. */

#ifndef GEMP_PRIMITIVE_KEY_H
#define GEMP_PRIMITIVE_KEY_H

#include "primitive/toolbox.h"

typedef enum gemp_key_kind {
	GEMP_KEY_U32,
	GEMP_KEY_U64,
	GEMP_KEY_I32,
	GEMP_KEY_I64,
	GEMP_KEY_F32,
	GEMP_KEY_F64,
	GEMP_KEY_KINDS
} gemp_key_kind;

extern const char *const gemp_key_name[GEMP_KEY_KINDS]; /* "u32" and so on, by kind */

static inline unsigned gemp_key_size(gemp_key_kind kind) /* bytes of a key: 4 or 8 */
{
	return kind == GEMP_KEY_U32 || kind == GEMP_KEY_I32 || kind == GEMP_KEY_F32 ? 4 : 8;
}

/* code = key ^ flip and, if the highest bit of the key is set, also ^ spread. */
typedef struct gemp_key_map {
	uint64_t flip, spread;
	unsigned size;
} gemp_key_map;

gemp_key_map gemp_key_map_of(gemp_key_kind kind, bool descending);

static inline uint64_t gemp_key_spread(uint64_t bits, gemp_key_map map)
{
	return bits ^ (bits >> (8 * map.size - 1) ? map.spread : 0);
}

static inline uint64_t gemp_key_code(uint64_t key, gemp_key_map map)
{
	return gemp_key_spread(key, map) ^ map.flip;
}

static inline uint64_t gemp_key_of_code(uint64_t code, gemp_key_map map)
{
	return gemp_key_spread(code ^ map.flip, map);
}

/* Reads and writes key i of an array of keys of `size` bytes. */
static inline uint64_t gemp_key_get(const void *keys, size_t i, unsigned size)
{
	return size == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static inline void gemp_key_put(void *keys, size_t i, unsigned size, uint64_t key)
{
	if (size == 4)
		((uint32_t *)keys)[i] = (uint32_t)key;
	else
		((uint64_t *)keys)[i] = key;
}

typedef struct gemp_key_range {
	uint64_t min, max;  /* codes; min is UINT64_MAX and max is 0 without keys */
	uint64_t differing; /* the bits in which some codes differ */
	bool sorted;        /* no code is less than the code before it */
} gemp_key_range;

/* Finds the range of the codes and their differing bits on the host, with all threads. */
gemp_key_range gemp_key_range_host(const void *keys, size_t count, gemp_key_map map);

/* The same on a device, but `sorted` is not set. Waits for the kernels. */
gemp_code gemp_key_range_device(gemp_toolbox *box, const gemp_buffer *keys, size_t count, gemp_key_map map,
                                gemp_key_range *extent);

#endif
