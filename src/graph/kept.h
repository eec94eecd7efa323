/* kept: results of queries on a shard that later queries on the same shard take instead of computing them again:
 * statistics of relations, matching orders, bitmaps of candidates, checked statements.
 *
 * An entry has a key, which is bytes, and a value, which is bytes or an object. The key is everything on which the
 * value depends and is compared as a whole, so a value that is found is the value that the query would compute. Values
 * of bytes are copied; an object has one user at a time, who takes it out of the store and gives it back. Entries lie
 * in memory of this process; the least recently used ones are freed when all entries together exceed the budget. All
 * entries of all stores are freed if an allocation would fail otherwise (gemp_memory_on_shortage), so nothing here
 * takes memory from a query.
 *
 * The shard owns its store, and a changed graph is another shard without entries. A query runs on all ranks, so all
 * ranks add the same entries in the same order. A shortage of memory on one rank may free entries of this rank alone,
 * so ranks that follow an entry must agree that all of them have it (match/filter/kept_results.h). All functions are
 * local, may be called by several threads, and take a NULL store, which keeps nothing. */

#ifndef GEMP_GRAPH_KEPT_H
#define GEMP_GRAPH_KEPT_H

#include "core/memory.h"
#include "core/text.h"

typedef struct gemp_kept gemp_kept;

/* budget: bytes of all entries with their keys. */
gemp_code gemp_kept_new(gemp_kept **out, size_t budget);
void gemp_kept_free(gemp_kept *kept);
GEMP_RELEASE(gemp_kept_free, gemp_kept *)

/* Copies the value of the key to value[size], and marks it as used. Returns false if no value with this key and size is
 * kept. */
bool gemp_kept_get(gemp_kept *kept, const gemp_text *key, void *value, size_t size);
/* Adds a copy of the key and value, or replaces the value of the key. Nothing is kept if memory is short, if the key
 * has failed or if the entry alone exceeds an eighth of the budget. */
void gemp_kept_put(gemp_kept *kept, const gemp_text *key, const void *value, size_t size);
/* Whether the store has a value of this key that nobody has taken. */
bool gemp_kept_has(gemp_kept *kept, const gemp_text *key);
/* Keeps an object of `bytes` bytes, which replaces the value of the key. The store takes it over, and releases it at
 * once where gemp_kept_put would keep nothing. release() frees it, by any thread, and must neither allocate nor call
 * the store. */
void gemp_kept_give(gemp_kept *kept, const gemp_text *key, void *object, size_t bytes, void (*release)(void *object));
/* Returns the object of the key, which then belongs to the caller. NULL: no object with this key is kept, or somebody
 * has it. */
void *gemp_kept_take(gemp_kept *kept, const gemp_text *key);
/* Gives an object back that was taken. It is released if its entry has been freed or replaced since. */
void gemp_kept_return(gemp_kept *kept, const gemp_text *key, void *object, void (*release)(void *object));
/* Frees all entries, as a shard that is changed in place must. */
void gemp_kept_clear(gemp_kept *kept);

/* Figures for reports and tests. */
typedef struct gemp_kept_figures {
	size_t entries, objects, bytes; /* objects: entries that have one */
	uint64_t found, missed;         /* calls of gemp_kept_get and gemp_kept_take */
} gemp_kept_figures;
gemp_kept_figures gemp_kept_look(gemp_kept *kept);

#endif
