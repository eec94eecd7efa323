#include "primitive/extent.h"

#include "core/threads.h"

enum { SLABS = 64, SLAB_LEAST = 1 << 14 };

typedef struct measuring {
	const void *keys;
	size_t count, slabs;
	gemp_key_map map;
	gemp_extent extents[SLABS];
} measuring;

static size_t begin_of(const measuring *m, size_t slab)
{
	return m->count / m->slabs * slab + (slab < m->count % m->slabs ? slab : m->count % m->slabs);
}

static inline __attribute__((always_inline)) gemp_extent measure(const measuring *m, size_t slab, gemp_key_map map)
{
	size_t begin = begin_of(m, slab), end = begin_of(m, slab + 1);
	gemp_extent e = { .least = UINT64_MAX, .sorted = true };
	if (begin == end)
		return e;
	/* of a slab's keys and the one before them */
	uint64_t before = gemp_key_code(gemp_key_get(m->keys, begin ? begin - 1 : 0, map.size), map), any = before;
	for (size_t i = begin; i < end; i++) {
		uint64_t code = gemp_key_code(gemp_key_get(m->keys, i, map.size), map);
		e.least = code < e.least ? code : e.least;
		e.most = code > e.most ? code : e.most;
		e.differing |= code ^ any;
		e.sorted &= code >= before;
		before = code;
	}
	return e;
}

static void measure_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	measuring *m = context;
	gemp_key_map map = m->map;
	if (map.size == 4) {
		map.size = 4;
		m->extents[slab] = measure(m, slab, map);
	} else {
		map.size = 8;
		m->extents[slab] = measure(m, slab, map);
	}
}

gemp_extent gemp_extent_host(const void *keys, size_t count, gemp_key_map map)
{
	measuring m = { .keys = keys, .count = count, .map = map };
	gemp_extent all = { .least = UINT64_MAX, .sorted = true };
	m.slabs = count / SLAB_LEAST + 1 < SLABS ? count / SLAB_LEAST + 1 : SLABS;
	gemp_parallel_for(m.slabs, measure_slab, &m);
	for (size_t s = 0; s < m.slabs; s++) {
		const gemp_extent *e = &m.extents[s];
		all.least = e->least < all.least ? e->least : all.least;
		all.most = e->most > all.most ? e->most : all.most;
		all.differing |= e->differing;
		all.sorted &= e->sorted;
	}
	return all;
}
