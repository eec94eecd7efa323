/* numbers: arrays of edge numbers with 4 bytes each where the graph allows, otherwise 8.
 *
 * The width is a parameter of every access; loops that matter are compiled once for each width (GEMP_WIDTHS), so
 * that the test disappears from them.
 */

#ifndef GEMP_EULER_RANKS_NUMBERS_H
#define GEMP_EULER_RANKS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GEMP_INLINE static inline __attribute__((always_inline))

GEMP_INLINE size_t gemp_number_size(bool wide)
{
	return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

GEMP_INLINE uint64_t gemp_number_at(const void *at, size_t i, bool wide)
{
	return wide ? ((const uint64_t *)at)[i] : ((const uint32_t *)at)[i];
}

GEMP_INLINE void gemp_number_set(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		((uint64_t *)at)[i] = value;
	else
		((uint32_t *)at)[i] = (uint32_t)value;
}

/* Several threads, and processes that share the array. */
GEMP_INLINE uint64_t gemp_number_load(const void *at, size_t i, bool wide)
{
	return wide ? __atomic_load_n((const uint64_t *)at + i, __ATOMIC_RELAXED)
	            : __atomic_load_n((const uint32_t *)at + i, __ATOMIC_RELAXED);
}

GEMP_INLINE void gemp_number_store(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		__atomic_store_n((uint64_t *)at + i, value, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint32_t *)at + i, (uint32_t)value, __ATOMIC_RELAXED);
}

GEMP_INLINE uint64_t gemp_number_decrement(void *at, size_t i, bool wide) /* the one before it */
{
	return wide ? __atomic_fetch_sub((uint64_t *)at + i, 1, __ATOMIC_RELAXED) - 1
	            : __atomic_fetch_sub((uint32_t *)at + i, 1, __ATOMIC_RELAXED) - 1;
}

GEMP_INLINE bool gemp_number_cas(void *at, size_t i, uint64_t from, uint64_t to, bool wide)
{
	if (wide)
		return __atomic_compare_exchange_n((uint64_t *)at + i, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	uint32_t narrow = (uint32_t)from;
	return __atomic_compare_exchange_n((uint32_t *)at + i, &narrow, (uint32_t)to, false, __ATOMIC_RELAXED,
	                                   __ATOMIC_RELAXED);
}

/* The j-th number of a record that lies anywhere. */
GEMP_INLINE uint64_t gemp_number_read(const char *record, size_t j, bool wide)
{
	uint64_t long_one;
	uint32_t short_one;
	if (wide)
		return memcpy(&long_one, record + j * sizeof long_one, sizeof long_one), long_one;
	return memcpy(&short_one, record + j * sizeof short_one, sizeof short_one), short_one;
}

GEMP_INLINE void gemp_number_write(char *record, size_t j, uint64_t value, bool wide)
{
	uint32_t narrow = (uint32_t)value;
	if (wide)
		memcpy(record + j * sizeof value, &value, sizeof value);
	else
		memcpy(record + j * sizeof narrow, &narrow, sizeof narrow);
}

/* GEMP_WIDTHS makes a body of gemp_parallel_for of name(context, piece, wide), GEMP_CHUNK_WIDTHS one of gemp_for_chunks
 * of name(context, begin, end, wide), GEMP_INDEXED_WIDTHS one of name(context, chunk, begin, end, wide). `wide` is a
 * constant in each of the two copies. */
#define GEMP_INDEXED_WIDTHS(body, name, type)                               \
	static void body(void *context, size_t chunk, size_t begin, size_t end) \
	{                                                                       \
		type *c = context;                                                  \
		if (c->wide)                                                        \
			name(c, chunk, begin, end, true);                               \
		else                                                                \
			name(c, chunk, begin, end, false);                              \
	}

#define GEMP_CHUNK_WIDTHS(body, name, type)                                 \
	static void body(void *context, size_t chunk, size_t begin, size_t end) \
	{                                                                       \
		(void)chunk;                                                        \
		type *c = context;                                                  \
		if (c->wide)                                                        \
			name(c, begin, end, true);                                      \
		else                                                                \
			name(c, begin, end, false);                                     \
	}

#define GEMP_WIDTHS(body, name, type)                              \
	static void body(void *context, unsigned thread, size_t piece) \
	{                                                              \
		(void)thread;                                              \
		type *c = context;                                         \
		if (c->wide)                                               \
			name(c, piece, true);                                  \
		else                                                       \
			name(c, piece, false);                                 \
	}

#endif
