/* memory: checked, counted host memory, and arenas.
 *
 * A block is 16 bytes of header, which hold its size, and then the elements, aligned to 16 bytes. gemp_calloc zeroes
 * blocks; sizes are checked for overflow; live and peak bytes are counted, and tests can make the k-th request fail. A
 * request for no elements gives a valid block. Several threads may allocate concurrently. The caller frees with
 * gemp_free, never with free.
 */

#ifndef GEMP_CORE_MEMORY_H
#define GEMP_CORE_MEMORY_H

#include "core/status.h"
#include "core/types.h"

#include <stddef.h>
#include <string.h>

/* NULL when out of memory (message recorded). */
void *gemp_calloc(size_t count, size_t size);
/* Like realloc for blocks of gemp_calloc; new bytes are not zeroed. NULL when out of memory, old block kept. */
void *gemp_realloc(void *block, size_t count, size_t size);
void gemp_free(void *block); /* takes NULL */
/* gemp_free_all(a, b, c) frees each of them. */
#define gemp_free_all(...) \
	gemp_free_list((void *const[]){ __VA_ARGS__ }, sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void gemp_free_list(void *const *blocks, size_t count);
char *gemp_strdup(const char *text);
char *gemp_strndup(const char *text, size_t length);

/* An owner is a local variable whose memory is released when its scope ends, on every way out of it. A local is initialised
 * where it is declared; what has gone to another owner is set to NULL or { 0 }.
 *     GEMP_OWNED uint32_t *rows = NULL;                            gemp_free(rows)
 *     GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };        gemp_text_free(&text)
 *     GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;  gemp_shard_free(graph), see GEMP_RELEASE
 * Owners of one scope are released in the reverse order of their declarations. */
#define GEMP_OWNED __attribute__((cleanup(gemp_free_at)))
#define GEMP_OWNED_BY(release) __attribute__((cleanup(release)))
/* Defines release_at(type *owner), which calls release(*owner): what GEMP_OWNED_BY takes for a variable that is a
 * handle. */
#define GEMP_RELEASE(release, type)              \
	static inline void release##_at(type *owner) \
	{                                            \
		release(*owner);                         \
	}
static inline void gemp_free_at(void *owner)
{
	void *block;
	memcpy(&block, owner, sizeof block);
	gemp_free(block);
}

/* Counts memory of another allocator (this rank's part of a shared window) like a block of `bytes` > 0 bytes. */
void gemp_memory_count(size_t bytes);
void gemp_memory_discount(size_t bytes);

size_t gemp_memory_live(void);          /* bytes */
size_t gemp_memory_blocks(void);        /* live blocks: 0 at the end of a test that frees all */
size_t gemp_memory_peak(void);          /* bytes */
size_t gemp_memory_resident_peak(void); /* peak resident bytes of this process, libraries included; 0: unknown */

/* Tests: let `requests` more requests pass, then fail one; negative: never fail. */
void gemp_memory_fail_after(long requests);

/* GEMP_TRY_DONE(GEMP_NEW(array, count)); */
#define GEMP_NEW(pointer, count) (((pointer) = gemp_calloc((count), sizeof *(pointer))) != NULL ? GEMP_OK : GEMP_ENOMEM)

/* Functions that set a pointer of any type take its address as a void **, and access it by these: as bytes, since an
 * object of type T * must not be accessed as a void * (optimizers assume that nobody does). */
static inline void *gemp_pointer_get(void *const *address)
{
	void *pointer;
	memcpy(&pointer, address, sizeof pointer);
	return pointer;
}

static inline void gemp_pointer_set(void **address, void *pointer)
{
	memcpy(address, &pointer, sizeof pointer);
}

/* Several arrays: GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(rows, count), GEMP_ARRAY(owner, count))). They are allocated in
 * this order up to the first failure, and the caller frees those that exist. */
typedef struct gemp_allocation {
	void **pointer;
	size_t count, size;
} gemp_allocation;
#define GEMP_ARRAY(pointer, count)                      \
	{                                                   \
		(void **)&(pointer), (count), sizeof *(pointer) \
	}
/* The same for elements whose size is known at run time; the pointer may be a void *. */
#define GEMP_ARRAY_OF(pointer, count, size)  \
	{                                        \
		(void **)&(pointer), (count), (size) \
	}
#define gemp_new_all(...)                                   \
	gemp_new_list((const gemp_allocation[]){ __VA_ARGS__ }, \
	              sizeof((const gemp_allocation[]){ __VA_ARGS__ }) / sizeof(gemp_allocation))
gemp_code gemp_new_list(const gemp_allocation *arrays, size_t count);

/* The capacity of a growing array that is to hold `needed` elements. It grows by at least half, so appending elements
 * one at a time copies each of them a constant number of times. */
static inline size_t gemp_grown_capacity(size_t capacity, size_t needed)
{
	return gemp_max(needed, gemp_max(8, capacity + capacity / 2));
}

/* A new block with a copy of `count` elements. GEMP_TRY_DONE(GEMP_COPY(copy, array, count)); */
#define GEMP_COPY(to, from, count) gemp_copy((void **)&(to), (from), (count), sizeof *(to))
gemp_code gemp_copy(void **out, const void *from, size_t count, size_t size);

/* One element more, *item, at the end of a short array that has no capacity; count is a size_t lvalue. */
#define GEMP_APPEND(array, count, item) gemp_append((void **)&(array), &(count), (item), sizeof *(array))
gemp_code gemp_append(void **array, size_t *count, const void *item, size_t size);

/* Make room for `needed` elements in a growing array; capacity is a size_t lvalue. */
#define GEMP_RESERVE(pointer, capacity, needed) \
	gemp_reserve((void **)&(pointer), &(capacity), (needed), sizeof *(pointer))
gemp_code gemp_reserve(void **block, size_t *capacity, size_t needed, size_t size);

/* An arena is memory for values that live as long as one row: many small allocations that are released together. */

typedef struct gemp_arena {
	struct gemp_arena_block *blocks; /* the newest first */
	size_t used;                     /* bytes of the newest */
} gemp_arena;                        /* {0}: empty */

/* NULL when out of memory (message recorded). */
char *gemp_arena_alloc(gemp_arena *scratch, size_t size);
void gemp_arena_reset(gemp_arena *scratch); /* releases all values, keeps the largest block */
void gemp_arena_free(gemp_arena *scratch);

#endif
