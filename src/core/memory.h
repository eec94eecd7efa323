/* memory: checked, counted host memory.
 *
 * A block is a header of 16 bytes with the block's size, and then the elements, aligned to 16 bytes; or whole huge
 * pages (core/page_pool). Sizes are checked for overflow, live and peak bytes are counted, and tests can make the k-th
 * request fail. A large request fails if the node has no memory for it (core/node_memory.h). A request for no elements
 * returns a valid block. Several threads may allocate concurrently. Blocks are freed with gemp_free, never with
 * free. */

#ifndef GEMP_CORE_MEMORY_H
#define GEMP_CORE_MEMORY_H

#include "core/memory_count.h"
#include "core/status.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns a zeroed block, or NULL with a message when out of memory. */
void *gemp_calloc(size_t count, size_t size);
/* Returns a block of undefined content, or NULL with a message. The pages of its first *mapped bytes need not be
 * touched (GEMP_NEW_UNSET of core/pages touches the others with all threads). */
void *gemp_alloc_unset(size_t count, size_t size, size_t *mapped);
/* Resizes a block like realloc; new bytes are not zeroed. When out of memory, returns NULL with a message and keeps the
 * old block. */
void *gemp_realloc(void *block, size_t count, size_t size);
void gemp_free(void *block); /* NULL is allowed */
/* gemp_free_all(a, b, c) frees each of them. */
#define gemp_free_all(...) \
	gemp_free_list((void *const[]){ __VA_ARGS__ }, sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void gemp_free_list(void *const *blocks, size_t count);
char *gemp_strdup(const char *text);
char *gemp_strndup(const char *text, size_t length);

/* An owner is a local variable whose memory is released when its scope ends, however the scope ends. An owner is
 * initialised where it is declared. A variable whose memory has a new owner is set to NULL or { 0 }.
 *     GEMP_OWNED uint32_t *rows = NULL;                            gemp_free(rows)
 *     GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };        gemp_text_free(&text)
 *     GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;  gemp_shard_free(graph), see GEMP_RELEASE
 * Owners of one scope are released in the reverse order of their declarations. */
#define GEMP_OWNED __attribute__((cleanup(gemp_free_at)))
#define GEMP_OWNED_BY(release) __attribute__((cleanup(release)))
/* Defines release_at(type *owner), which calls release(*owner). GEMP_OWNED_BY needs it if the variable is a handle. */
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

/* Counts `bytes` > 0 bytes of another allocator (this rank's part of a shared window) like a block. */
void gemp_memory_count(size_t bytes);
void gemp_memory_discount(size_t bytes);

size_t gemp_memory_resident_peak(void); /* peak resident bytes of this process, including libraries; 0 if unknown */

/* While a limit is set, a request that would make the live bytes exceed it fails as if the node had no memory. Threads
 * that allocate at the same time may pass the limit by one request each. 0: no limit. */
void gemp_memory_set_limit(size_t bytes);
/* release() is called before a request fails, by any thread, and the request is tried again if it returns true. It
 * frees blocks that nobody needs, and must not allocate. */
void gemp_memory_on_shortage(bool (*release)(void));
/* True if `message`, of this or another rank, tells of a request that the limit refused. */
bool gemp_memory_limited(const char *message);

/* For tests: `requests` more requests succeed, then all fail. A negative number: no request fails. */
void gemp_memory_fail_after(long requests);
/* For tests: of the requests that would fail, those fail for which chosen() returns true. NULL: all fail. */
void gemp_memory_choose(bool (*chosen)(void));

/* Allocates zeroed elements: GEMP_TRY_DONE(GEMP_NEW(array, count)); */
#define GEMP_NEW(pointer, count) (((pointer) = gemp_calloc((count), sizeof *(pointer))) != NULL ? GEMP_OK : GEMP_ENOMEM)

/* Functions that set a pointer of any type take its address as a void **. They access the pointer through these
 * functions, as bytes: an object of type T * must not be accessed as a void *, since optimizers assume that this never
 * happens. */
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

/* Allocates several arrays: GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(rows, count), GEMP_ARRAY(owner, count))). The arrays
 * are allocated in this order up to the first failure. The caller frees the arrays that exist. */
typedef struct gemp_allocation {
	void **pointer;
	size_t count, size;
} gemp_allocation;
#define GEMP_ARRAY(pointer, count)                      \
	{                                                   \
		(void **)&(pointer), (count), sizeof *(pointer) \
	}
/* GEMP_ARRAY for elements whose size is known only at run time; the pointer may be a void *. */
#define GEMP_ARRAY_OF(pointer, count, size)  \
	{                                        \
		(void **)&(pointer), (count), (size) \
	}
#define gemp_new_all(...)                                   \
	gemp_new_list((const gemp_allocation[]){ __VA_ARGS__ }, \
	              sizeof((const gemp_allocation[]){ __VA_ARGS__ }) / sizeof(gemp_allocation))
gemp_code gemp_new_list(const gemp_allocation *arrays, size_t count);

/* Returns the new capacity of a growing array that must hold `needed` elements. It grows by at least half, so appending
 * single elements copies each element a constant number of times. */
static inline size_t gemp_grown_capacity(size_t capacity, size_t needed)
{
	return gemp_max(needed, gemp_max(8, capacity + capacity / 2));
}

/* Allocates a copy of `count` elements: GEMP_TRY_DONE(GEMP_COPY(copy, array, count)); */
#define GEMP_COPY(to, from, count) gemp_copy((void **)&(to), (from), (count), sizeof *(to))
gemp_code gemp_copy(void **out, const void *from, size_t count, size_t size);

/* Appends one element to a short array that has no capacity. count is a size_t lvalue. */
#define GEMP_APPEND(array, count, item) gemp_append((void **)&(array), &(count), (item), sizeof *(array))
gemp_code gemp_append(void **array, size_t *count, const void *item, size_t size);

/* Makes room for `needed` elements in a growing array. capacity is a size_t lvalue. */
#define GEMP_RESERVE(pointer, capacity, needed) \
	gemp_reserve((void **)&(pointer), &(capacity), (needed), sizeof *(pointer))
gemp_code gemp_reserve(void **block, size_t *capacity, size_t needed, size_t size);

#endif
