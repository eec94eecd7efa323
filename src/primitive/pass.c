#include "primitive/pass.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { SLAB_LEAST = 1 << 14 }; /* elements that are worth a thread */

gemp_code gemp_pass_new(gemp_pass *pass, unsigned bits, size_t count)
{
	size_t most = count / SLAB_LEAST + 1;
	pass->count = count;
	pass->slabs = gemp_threads() < most ? gemp_threads() : most;
	return GEMP_NEW(pass->places, pass->slabs << bits);
}

void gemp_pass_free(gemp_pass *pass)
{
	gemp_free(pass->places);
	pass->places = NULL;
}

static size_t begin_of(const gemp_pass *p, size_t slab)
{
	return p->count / p->slabs * slab + (slab < p->count % p->slabs ? slab : p->count % p->slabs);
}

/* The bodies below are compiled once for each size, and once for keys that are their own codes, so that loops know it. They have
 * the pass by value: what they write cannot be a part of it. */
#define ALWAYS static inline __attribute__((always_inline))

#define FOR_EACH_MAP(p, body, ...)                                                            \
	do {                                                                                  \
		bool plain_ = !(p)->map.flip && !(p)->map.spread;                             \
		uint64_t flip_ = (p)->map.flip, spread_ = (p)->map.spread;                    \
		if ((p)->map.size == 4 && plain_)                                             \
			body(*(p), (gemp_key_map){ 0, 0, 4 }, __VA_ARGS__);                   \
		else if ((p)->map.size == 4)                                                  \
			body(*(p), (gemp_key_map){ flip_, spread_, 4 }, __VA_ARGS__);         \
		else if (plain_)                                                              \
			body(*(p), (gemp_key_map){ 0, 0, 8 }, __VA_ARGS__);                   \
		else                                                                          \
			body(*(p), (gemp_key_map){ flip_, spread_, 8 }, __VA_ARGS__);         \
	} while (0)

ALWAYS size_t bucket_of(uint64_t key, const gemp_pass *p, gemp_key_map map)
{
	return (size_t)((gemp_key_code(key, map) - p->least) >> p->shift) & (((size_t)1 << p->bits) - 1);
}

ALWAYS void count_keys(gemp_pass p, gemp_key_map map, size_t slab)
{
	size_t *counts = p.places + (slab << p.bits), end = begin_of(&p, slab + 1);
	memset(counts, 0, sizeof *counts << p.bits);
	for (size_t i = begin_of(&p, slab); i < end; i++)
		counts[bucket_of(gemp_key_get(p.keys, i, map.size), &p, map)]++;
}

static void count_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	const gemp_pass *p = context;
	FOR_EACH_MAP(p, count_keys, slab);
}

void gemp_pass_count(gemp_pass *p, uint64_t *begin)
{
	size_t buckets = (size_t)1 << p->bits, sum = 0;
	gemp_parallel_for(p->slabs, count_slab, p);
	for (size_t b = 0; b < buckets; b++) {
		if (begin)
			begin[b] = sum;
		for (size_t slab = 0; slab < p->slabs; slab++) {
			size_t *place = &p->places[(slab << p->bits) + b], count = *place;
			*place = sum;
			sum += count;
		}
	}
	if (begin)
		begin[buckets] = sum;
}

ALWAYS void move_sized(gemp_pass p, gemp_key_map map, size_t slab, unsigned value_size)
{
	size_t *places = p.places + (slab << p.bits), end = begin_of(&p, slab + 1);
	for (size_t i = begin_of(&p, slab); i < end; i++) {
		uint64_t key = gemp_key_get(p.keys, i, map.size);
		size_t to = places[bucket_of(key, &p, map)]++;
		gemp_key_put(p.out_keys, to, map.size, key);
		if (value_size)
			gemp_key_put(p.out_values, to, value_size, gemp_key_get(p.values, i, value_size));
	}
}

static void move_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	const gemp_pass *p = context;
	if (!p->value_size)
		FOR_EACH_MAP(p, move_sized, slab, 0);
	else if (p->value_size == 4)
		FOR_EACH_MAP(p, move_sized, slab, 4);
	else
		FOR_EACH_MAP(p, move_sized, slab, 8);
}

void gemp_pass_move(gemp_pass *pass)
{
	gemp_parallel_for(pass->slabs, move_slab, pass);
}
