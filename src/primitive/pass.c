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

/* The bodies below are compiled once for each size, so that loops know it. */
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void count_keys(const gemp_pass *p, size_t slab, gemp_key_map map)
{
	size_t *counts = p->places + (slab << p->bits);
	memset(counts, 0, sizeof *counts << p->bits);
	for (size_t i = begin_of(p, slab); i < begin_of(p, slab + 1); i++)
		counts[gemp_pass_bucket(gemp_key_get(p->keys, i, map.size), p, map)]++;
}

static void count_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	const gemp_pass *p = context;
	gemp_key_map map = p->map;
	if (map.size == 4) {
		map.size = 4;
		count_keys(p, slab, map);
	} else {
		map.size = 8;
		count_keys(p, slab, map);
	}
}

size_t gemp_pass_count(gemp_pass *p, uint64_t *begin)
{
	size_t buckets = (size_t)1 << p->bits, sum = 0, filled = 0;
	gemp_parallel_for(p->slabs, count_slab, p);
	for (size_t b = 0; b < buckets; b++) {
		size_t before = sum;
		for (size_t slab = 0; slab < p->slabs; slab++) {
			size_t *place = &p->places[(slab << p->bits) + b], count = *place;
			*place = sum;
			sum += count;
		}
		filled += sum > before;
		if (begin)
			begin[b] = before;
	}
	if (begin)
		begin[buckets] = sum;
	return filled;
}

ALWAYS void move_elements(const gemp_pass *p, size_t slab, gemp_key_map map, unsigned value_size)
{
	size_t *places = p->places + (slab << p->bits);
	for (size_t i = begin_of(p, slab); i < begin_of(p, slab + 1); i++) {
		uint64_t key = gemp_key_get(p->keys, i, map.size);
		size_t to = places[gemp_pass_bucket(key, p, map)]++;
		gemp_key_put(p->out_keys, to, map.size, key);
		if (value_size)
			gemp_key_put(p->out_values, to, value_size, gemp_key_get(p->values, i, value_size));
	}
}

ALWAYS void move_sized(const gemp_pass *p, size_t slab, gemp_key_map map)
{
	if (!p->value_size)
		move_elements(p, slab, map, 0);
	else if (p->value_size == 4)
		move_elements(p, slab, map, 4);
	else
		move_elements(p, slab, map, 8);
}

static void move_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	const gemp_pass *p = context;
	gemp_key_map map = p->map;
	if (map.size == 4) {
		map.size = 4;
		move_sized(p, slab, map);
	} else {
		map.size = 8;
		move_sized(p, slab, map);
	}
}

void gemp_pass_move(gemp_pass *pass)
{
	gemp_parallel_for(pass->slabs, move_slab, pass);
}
