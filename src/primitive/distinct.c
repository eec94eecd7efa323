#include "primitive/distinct.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "primitive/radix_pass.h"
#include "primitive/sort.h"
#include "primitive/split.h"

#include <string.h>

enum {
	CHUNK_WORDS = 2048, /* DISTINCT_WORDS of distinct.cl */
	SEGMENT_BITS = 16,
	LOCAL_BITS = 18, /* bits of a code in a bitmap in local memory: 32 KiB */
	LEVEL_BITS = 8,  /* bits of one split; more bits need two splits */
	SAMPLE = 1 << 16,
	GROUP = 256,
	SLABS_A_UNIT = 8,
	TILE = 4 * GROUP,
	ITEM_SLAB = 1 << 12,
};

/* The state of one search on a device. A bitmap has a bit for each code, and a slab is a part of the array. */
typedef struct device_distinct {
	gemp_toolbox *box;
	gemp_key_kind kind;
	const gemp_buffer *keys;
	size_t count, group;
	unsigned size;
	cl_ulong flip, spread, min_code;
	unsigned bits; /* bits of the greatest code minus the least code */
	cl_uint words;
	gemp_buffer bitmap;
	gemp_buffer counts; /* u32 of each chunk or slab: number of keys, then the prefix sums and the total */
	gemp_slabs slabs;
} device_distinct;

/* The key size is an option, so loops over keys have a constant key size. */
static gemp_code distinct_kernel(const device_distinct *f, cl_kernel *out, const char *name, unsigned local)
{
	return gemp_tool_kernel(f->box, out, "distinct.cl", name, f->group,
	                        local ? "-DGEMP_KEY_BITS=%u -DDISTINCT_LOCAL=%u" : "-DGEMP_KEY_BITS=%u", 8 * f->size,
	                        local);
}

/* A work-group processes one chunk of words. */
static size_t chunks_of(const device_distinct *f)
{
	return ((size_t)f->words + CHUNK_WORDS - 1) / CHUNK_WORDS;
}

/* Marks all keys in one bitmap. It is built in local memory if it fits, otherwise in global memory, small enough for
 * the cache. */
static gemp_code mark_one(device_distinct *f)
{
	cl_kernel kernel;
	bool local = f->bits <= LOCAL_BITS;
	unsigned capacity = f->words <= CHUNK_WORDS ? CHUNK_WORDS : 1 << (LOCAL_BITS - 5);
	GEMP_TRY(distinct_kernel(f, &kernel, local ? "distinct_mark_local" : "distinct_mark_global", local ? capacity : 0));
	GEMP_TRY(gemp_buffer_zero(f->box->device, &f->bitmap, 0, f->words * sizeof(cl_uint)));
	return gemp_tool_launch(f->box, kernel, f->slabs.slabs, f->group, GEMP_ARG(&f->keys->mem),
	                        GEMP_ARG(&f->slabs.count), GEMP_ARG(&f->slabs.slab), GEMP_KEY_ARG(&f->flip, f->size),
	                        GEMP_KEY_ARG(&f->spread, f->size), GEMP_KEY_ARG(&f->min_code, f->size), GEMP_ARG(&f->words),
	                        GEMP_ARG(&f->bitmap.mem));
}

/* Marks the keys of each segment in a bitmap of its own, after one or two splits. */
static gemp_code mark_segments(device_distinct *f)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = f->box->device;
	/* results of the first and the second split */
	gemp_buffer split[2] = { { 0 }, { 0 } }, begin[2] = { { 0 }, { 0 } };
	unsigned high = f->bits - SEGMENT_BITS, first = high > LEVEL_BITS ? high / 2 : high;
	size_t segments = (size_t)1 << high;
	cl_kernel kernel;
	gemp_multisplit s = { .key = f->kind, .min_code = f->min_code, .shift = f->bits - first, .bits = first };
	GEMP_TRY_DONE(gemp_buffer_new(&split[0], device, f->count * f->size, NULL));
	GEMP_TRY_DONE(gemp_buffer_new(&begin[0], device, (((size_t)1 << first) + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY_DONE(gemp_split_device(f->box, &s, f->keys, NULL, f->count, &split[0], NULL, &begin[0]));
	int last = high > first;
	if (last) {
		s.shift = SEGMENT_BITS;
		s.bits = high - first;
		GEMP_TRY_DONE(gemp_buffer_new(&split[1], device, f->count * f->size, NULL));
		GEMP_TRY_DONE(gemp_buffer_new(&begin[1], device, (segments + 1) * sizeof(cl_uint), NULL));
		GEMP_TRY_DONE(gemp_split_segments(f->box, &s,
		                                  &(gemp_split_arrays){ .keys = &split[0],
		                                                        .out_keys = &split[1],
		                                                        .count = f->count,
		                                                        .segment_begin = &begin[0],
		                                                        .segments = (size_t)1 << first,
		                                                        .begin = &begin[1] }));
	}
	GEMP_TRY_DONE(distinct_kernel(f, &kernel, "distinct_mark_segments", 0));
	code = gemp_tool_launch(f->box, kernel, chunks_of(f), f->group, GEMP_ARG(&split[last].mem),
	                        GEMP_ARG(&begin[last].mem), GEMP_KEY_ARG(&f->flip, f->size),
	                        GEMP_KEY_ARG(&f->spread, f->size), GEMP_KEY_ARG(&f->min_code, f->size),
	                        GEMP_ARG(&f->bitmap.mem), GEMP_ARG(&f->counts.mem));
done:
	gemp_buffers_free(device, &split[0], &split[1], &begin[0], &begin[1]);
	return code;
}

/* CPU devices: one work-item marks all keys of a bucket of the split, so no atomics are needed. */
static gemp_code mark_by_items(device_distinct *f)
{
	enum { WORD_BITS = 5 };
	gemp_device *device = f->box->device;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer split = { 0 }, begin = { 0 };
	unsigned bits = f->bits > GEMP_SPLIT_BITS + WORD_BITS ? GEMP_SPLIT_BITS
	                : f->bits > WORD_BITS                 ? f->bits - WORD_BITS
	                                                      : 1;
	cl_uint segments = 1u << bits;
	cl_kernel kernel;
	gemp_multisplit s = {
		.key = f->kind, .min_code = f->min_code, .bits = bits, .shift = f->bits > WORD_BITS ? f->bits - bits : WORD_BITS
	};
	GEMP_TRY(gemp_buffer_new(&split, device, f->count * f->size, NULL));
	GEMP_TRY(gemp_buffer_new(&begin, device, (segments + (size_t)1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_split_device(f->box, &s, f->keys, NULL, f->count, &split, NULL, &begin));
	GEMP_TRY(gemp_buffer_zero(device, &f->bitmap, 0, f->words * sizeof(cl_uint)));
	GEMP_TRY(distinct_kernel(f, &kernel, "distinct_mark_segments", 0));
	return gemp_tool_launch(f->box, kernel, device->units, 0, GEMP_ARG(&split.mem), GEMP_ARG(&begin.mem),
	                        GEMP_ARG(&segments), GEMP_KEY_ARG(&f->flip, f->size), GEMP_KEY_ARG(&f->spread, f->size),
	                        GEMP_KEY_ARG(&f->min_code, f->size), GEMP_ARG(&f->bitmap.mem));
}

/* Replaces the counts by their prefix sums; *all becomes the total. */
static gemp_code scan_counts(const device_distinct *f, size_t chunks, cl_uint *all)
{
	GEMP_TRY(gemp_scan_device(f->box, &f->counts, sizeof *all, &f->counts, sizeof *all, chunks));
	return gemp_buffer_read(f->box->device, &f->counts, chunks * sizeof *all, sizeof *all, all);
}

/* Marks the keys, counts the bits of each chunk, scans the counts, and writes the keys. mark_segments counts the bits
 * itself. */
static gemp_code find_in_bitmap_device(device_distinct *f, gemp_buffer *out, cl_uint *all)
{
	size_t chunks = chunks_of(f);
	cl_kernel count, take;
	bool segments = f->group && f->bits > f->box->cached_bits;
	GEMP_TRY(distinct_kernel(f, &count, "distinct_count", 0));
	GEMP_TRY(distinct_kernel(f, &take, "distinct_take", 0));
	GEMP_TRY(gemp_buffer_new(&f->bitmap, f->box->device, f->words * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&f->counts, f->box->device, (chunks + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(segments ? mark_segments(f) : f->group ? mark_one(f) : mark_by_items(f));
	if (!segments)
		GEMP_TRY(gemp_tool_launch(f->box, count, chunks, f->group, GEMP_ARG(&f->bitmap.mem), GEMP_ARG(&f->words),
		                          GEMP_ARG(&f->counts.mem)));
	GEMP_TRY(scan_counts(f, chunks, all));
	if (!out)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(out, f->box->device, *all * (size_t)f->size, NULL));
	return gemp_tool_launch(f->box, take, chunks, f->group, GEMP_ARG(&f->bitmap.mem), GEMP_ARG(&f->words),
	                        GEMP_KEY_ARG(&f->flip, f->size), GEMP_KEY_ARG(&f->spread, f->size),
	                        GEMP_KEY_ARG(&f->min_code, f->size), GEMP_ARG(&f->counts.mem), GEMP_ARG(&out->mem));
}

/* Counts and writes the first key of each run of a sorted array. */
static gemp_code find_in_sorted_device(device_distinct *f, const gemp_buffer *sorted, gemp_buffer *out, cl_uint *all)
{
	cl_kernel count, take;
	GEMP_TRY(distinct_kernel(f, &count, "distinct_count_heads", 0));
	GEMP_TRY(distinct_kernel(f, &take, "distinct_take_heads", 0));
	GEMP_TRY(gemp_buffer_new(&f->counts, f->box->device, (f->slabs.slabs + 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_tool_launch(f->box, count, f->slabs.slabs, f->group, GEMP_ARG(&sorted->mem),
	                          GEMP_ARG(&f->slabs.count), GEMP_ARG(&f->slabs.slab), GEMP_ARG(&f->counts.mem)));
	GEMP_TRY(scan_counts(f, f->slabs.slabs, all));
	if (!out)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_new(out, f->box->device, *all * (size_t)f->size, NULL));
	return gemp_tool_launch(f->box, take, f->slabs.slabs, f->group, GEMP_ARG(&sorted->mem), GEMP_ARG(&f->slabs.count),
	                        GEMP_ARG(&f->slabs.slab), GEMP_ARG(&f->counts.mem), GEMP_ARG(&out->mem));
}

/* The keys are copied, because the caller's keys must not change. */
static gemp_code sort_and_find_device(device_distinct *f, uint64_t differing, gemp_buffer *out, cl_uint *all)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = f->box->device;
	gemp_sort_buffers b = { 0 };
	size_t size = f->count * f->size;
	for (int i = 0; i < 2; i++)
		GEMP_TRY_DONE(gemp_buffer_new(&b.keys[i], device, size, NULL));
	GEMP_TRY_DONE(GEMP_CL(clEnqueueCopyBuffer(device->queue, f->keys->mem, b.keys[0].mem, 0, 0, size, 0, NULL, NULL)));
	GEMP_TRY_DONE(gemp_sort_differing(f->box, &(gemp_sort){ .key = f->kind }, &b, f->count, differing));
	code = find_in_sorted_device(f, &b.keys[0], out, all);
done:
	gemp_buffers_free(device, &b.keys[0], &b.keys[1]);
	return code;
}

/* Finds the range of the codes. For 32-bit keys, a sample at the begin that already has a wide range saves the pass
 * over the other keys. */
static gemp_code measure_on_device(const device_distinct *f, gemp_key_map map, gemp_key_range *extent)
{
	if (f->size == 4 && f->count > SAMPLE) {
		GEMP_TRY(gemp_key_range_device(f->box, f->keys, SAMPLE, map, extent));
		if (extent->max - extent->min > UINT32_MAX / 2) {
			*extent = (gemp_key_range){ .max = UINT32_MAX, .differing = UINT32_MAX };
			return GEMP_OK;
		}
	}
	return gemp_key_range_device(f->box, f->keys, f->count, map, extent);
}

static void free_device_distinct(device_distinct *f)
{
	gemp_buffers_free(f->box->device, &f->bitmap, &f->counts);
}

/* Without keys, the result is a buffer for one key, since devices have no empty buffers. */
gemp_code gemp_distinct_device(gemp_toolbox *box, gemp_key_kind kind, const gemp_buffer *keys, size_t count,
                               gemp_buffer *out, size_t *distinct)
{
	gemp_key_map map = gemp_key_map_of(kind, false);
	gemp_key_range extent;
	cl_uint all = 0;
	GEMP_OWNED_BY(free_device_distinct)
	device_distinct f = { .box = box,
		                  .kind = kind,
		                  .keys = keys,
		                  .count = count,
		                  .group = gemp_tool_group(box, GROUP),
		                  .size = map.size,
		                  .flip = map.flip,
		                  .spread = map.spread };
	GEMP_TRY(gemp_tool_check(box, count));
	if (out)
		*out = (gemp_buffer){ 0 };
	*distinct = 0;
	if (count == 0)
		return out ? gemp_buffer_new(out, box->device, map.size, NULL) : GEMP_OK;
	f.slabs = gemp_tool_slabs(box, count, f.group ? TILE : ITEM_SLAB, SLABS_A_UNIT);
	GEMP_TRY(measure_on_device(&f, map, &extent));
	uint64_t width = extent.max - extent.min;
	f.min_code = extent.min;
	f.bits = width ? 64 - (unsigned)__builtin_clzll(width) : 1;
	f.words = (cl_uint)(width / 32 + 1);
	GEMP_TRY(f.bits <= 32 && width / 32 <= box->sparse * count ? find_in_bitmap_device(&f, out, &all)
	                                                           : sort_and_find_device(&f, extent.differing, out, &all));
	*distinct = all;
	return GEMP_OK;
}

enum {
	CACHED_BITS = 21, /* a bitmap of 2^21 bits (256 KiB) stays in a core's cache */
	SPARSE = 4,       /* a bitmap with up to this number of words per key is faster than sorting */
	MIN_SLAB = 1 << 14,
};

/* The state of one search on the host. A chunk is a slab of the array or a bucket of a split. */
typedef struct distinct_task {
	const void *keys; /* [count] */
	size_t count;
	gemp_key_map map;
	uint64_t min_code; /* the least code */
	size_t words;      /* words of a bitmap */
	size_t chunks;     /* number of slabs or buckets */
	uint64_t *bits;    /* [threads][words] */
	void *found;       /* [count] the distinct keys of each chunk, from the chunk's begin on */
	uint64_t *begin;   /* [chunks + 1] begin of each chunk in the array */
	size_t *distinct;  /* [chunks] number of distinct keys of each chunk, then the prefix sums */
	void *out;
} distinct_task;

static void free_distinct_task(distinct_task *f)
{
	gemp_free_all(f->bits, f->found, f->begin, f->distinct);
}

/* Writes, in order, the keys with codes first + i for all set bits i, and clears the bits for the next bucket. Returns
 * the number of keys. */
static size_t take_bits(uint64_t *bits, size_t words, uint64_t first, gemp_key_map map, void *out)
{
	size_t count = 0;
	for (size_t w = 0; w < words; w++) {
		for (uint64_t word = bits[w]; word; word &= word - 1) {
			uint64_t code = first + w * 64 + (uint64_t)__builtin_ctzll(word);
			gemp_key_put(out, count++, map.size, gemp_key_of_code(code, map));
		}
		bits[w] = 0;
	}
	return count;
}

/* Each thread marks its own bitmap, so no atomics are needed. find_in_one merges the bitmaps. */
static void mark_slab(void *context, unsigned thread, size_t slab)
{
	const distinct_task *f = context;
	uint64_t *bits = f->bits + thread * f->words;
	for (size_t i = f->begin[slab]; i < f->begin[slab + 1]; i++)
		gemp_bits64_set(bits, gemp_key_code(gemp_key_get(f->keys, i, f->map.size), f->map) - f->min_code);
}

/* Divides the array into equal chunks. find_in_buckets replaces their begins by those of the buckets. */
static gemp_code cut_chunks(distinct_task *f, size_t chunks)
{
	f->chunks = chunks;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(f->begin, chunks + 1), GEMP_ARRAY(f->distinct, chunks)));
	for (size_t p = 0; p <= chunks; p++)
		f->begin[p] = gemp_chunk_begin(f->count, chunks, p);
	return GEMP_OK;
}

/* Uses one bitmap for all keys, whose range is short. */
static gemp_code find_in_one(distinct_task *f, void **out, size_t *distinct)
{
	unsigned threads = gemp_threads();
	GEMP_TRY(cut_chunks(f, f->count / MIN_SLAB < threads ? f->count / MIN_SLAB + 1 : 4 * (size_t)threads));
	GEMP_TRY(GEMP_NEW(f->bits, threads * f->words));
	gemp_parallel_for(f->chunks, mark_slab, f);
	for (size_t i = f->words; i < threads * f->words; i++)
		f->bits[i % f->words] |= f->bits[i];
	*distinct = gemp_bits64_count(f->bits, f->words);
	if (!out)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(*out, *distinct, f->map.size)));
	take_bits(f->bits, f->words, f->min_code, f->map, *out);
	return GEMP_OK;
}

/* The distinct keys of a bucket overwrite the bucket's keys, which are at least as many. */
static void find_in_bucket(void *context, unsigned thread, size_t bucket)
{
	distinct_task *f = context;
	uint64_t *bits = f->bits + thread * f->words, first = f->min_code + bucket * f->words * 64;
	for (size_t i = f->begin[bucket]; i < f->begin[bucket + 1]; i++)
		gemp_bits64_set(bits, gemp_key_code(gemp_key_get(f->found, i, f->map.size), f->map) - first);
	if (f->begin[bucket] < f->begin[bucket + 1])
		f->distinct[bucket] = take_bits(bits, f->words, first, f->map,
		                                (char *)f->found + f->begin[bucket] * f->map.size);
}

/* Second pass: copies each chunk's distinct keys to their position in the result. */
static void copy_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	const distinct_task *f = context;
	size_t count = (chunk + 1 < f->chunks ? f->distinct[chunk + 1] : f->count) - f->distinct[chunk];
	memcpy((char *)f->out + f->distinct[chunk] * f->map.size, (const char *)f->found + f->begin[chunk] * f->map.size,
	       count * f->map.size);
}

/* Concatenates the results of all chunks. */
static gemp_code collect(distinct_task *f, void **out, size_t *distinct)
{
	*distinct = 0;
	for (size_t p = 0; p < f->chunks; p++) {
		size_t own = f->distinct[p];
		f->distinct[p] = *distinct;
		*distinct += own;
	}
	if (!out)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(*out, *distinct, f->map.size)));
	f->count = *distinct;
	f->out = *out;
	gemp_parallel_for(f->chunks, copy_chunk, f);
	return GEMP_OK;
}

/* Splits the keys by their high bits, so that the bitmap of one bucket fits into a cache. */
static gemp_code find_in_buckets(distinct_task *f, gemp_key_kind kind, unsigned bits, void **out, size_t *distinct)
{
	gemp_multisplit split = { .key = kind, .shift = CACHED_BITS, .bits = bits - CACHED_BITS, .min_code = f->min_code };
	f->words = (size_t)1 << (CACHED_BITS - 6);
	GEMP_TRY(cut_chunks(f, (size_t)1 << split.bits));
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(f->bits, gemp_threads() * f->words), GEMP_ARRAY_OF(f->found, f->count, f->map.size)));
	GEMP_TRY(gemp_split_host(&split, f->keys, NULL, f->count, f->found, NULL, f->begin));
	gemp_parallel_for(f->chunks, find_in_bucket, f);
	return collect(f, out, distinct);
}

/* A key is the first of its run if the key before it differs. */
static void find_heads(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	distinct_task *f = context;
	unsigned size = f->map.size;
	size_t to = f->begin[slab];
	for (size_t i = f->begin[slab]; i < f->begin[slab + 1]; i++) {
		uint64_t key = gemp_key_get(f->keys, i, size);
		if (i == 0 || key != gemp_key_get(f->keys, i - 1, size))
			gemp_key_put(f->found, to++, size, key);
	}
	f->distinct[slab] = to - f->begin[slab];
}

/* Threads find the first keys of runs in their slabs. The key before a slab is compared with the slab's first key. */
static gemp_code find_in_sorted(distinct_task *f, void **out, size_t *distinct)
{
	GEMP_TRY(cut_chunks(f, f->count / MIN_SLAB + 1));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(f->found, f->count, f->map.size)));
	gemp_parallel_for(f->chunks, find_heads, f);
	return collect(f, out, distinct);
}

/* Sorts a copy, because the caller's keys must not change. */
static gemp_code sort_and_find(distinct_task *f, gemp_key_kind kind, void **out, size_t *distinct)
{
	GEMP_OWNED void *sorted = NULL;
	GEMP_TRY(gemp_copy(&sorted, f->keys, f->count, f->map.size));
	GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = kind }, sorted, NULL, f->count));
	f->keys = sorted;
	return find_in_sorted(f, out, distinct);
}

/* The range of the keys decides: sorted keys need no bitmap, dense ranges use one bitmap or many, and sparse keys are
 * sorted. */
gemp_code gemp_distinct_host(gemp_key_kind kind, const void *keys, size_t count, void **out, size_t *distinct)
{
	GEMP_OWNED_BY(free_distinct_task)
	distinct_task f = { .keys = keys, .count = count, .map = gemp_key_map_of(kind, false) };
	gemp_key_range extent = gemp_key_range_host(keys, count, f.map);
	uint64_t width = count ? extent.max - extent.min : 0; /* the greatest code in a bitmap */
	unsigned bits = width ? 64 - (unsigned)__builtin_clzll(width) : 1;
	f.min_code = extent.min;
	f.words = width / 64 + 1;
	if (out)
		*out = NULL;
	if (extent.sorted)
		return find_in_sorted(&f, out, distinct);
	if (bits <= CACHED_BITS && f.words * gemp_threads() <= SPARSE * count)
		return find_in_one(&f, out, distinct);
	if (bits > CACHED_BITS && bits <= CACHED_BITS + GEMP_SPLIT_BITS && width / 64 <= SPARSE * count)
		return find_in_buckets(&f, kind, bits, out, distinct);
	return sort_and_find(&f, kind, out, distinct);
}
