#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "primitive/distinct.h"
#include "primitive/sort.h"
#include "primitive/split.h"

#include <string.h>

enum {
	CACHED_BITS = 21, /* a bitmap of 2^21 bits (256 KiB) stays in a core's cache */
	SPARSE = 4,       /* up to so many bitmap words for each key a bitmap is faster than sorting */
	MIN_SLAB = 1 << 14,
};

typedef struct distinct_task {
	const void *keys; /* [count] */
	size_t count;
	gemp_key_map map;
	uint64_t min_code; /* code */
	size_t words;      /* of a bitmap */
	size_t chunks;     /* slabs, or buckets */
	uint64_t *bits;    /* [threads][words] */
	void *found;       /* [count] the distinct keys of each chunk, at the chunk's begin */
	uint64_t *begin;   /* [chunks + 1] of chunks in the array */
	size_t *distinct;  /* [chunks] distinct keys of each, then their prefix sums */
	void *out;
} distinct_task;

static void free_task(distinct_task *f)
{
	gemp_free_all(f->bits, f->begin, f->distinct);
}

/* Writes the keys with the codes first + i for all set bits i, in order, and clears the bits for the next bucket. */
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

/* Each thread marks its own bitmap, so that no atomics are needed; find_in_one merges them. */
static void mark_slab(void *context, unsigned thread, size_t slab)
{
	const distinct_task *f = context;
	uint64_t *bits = f->bits + thread * f->words;
	for (size_t i = f->begin[slab]; i < f->begin[slab + 1]; i++)
		gemp_bits64_set(bits, gemp_key_code(gemp_key_get(f->keys, i, f->map.size), f->map) - f->min_code);
}

/* Chunks of equal size; find_in_buckets replaces their begins by those of the buckets. */
static gemp_code cut_chunks(distinct_task *f, size_t chunks)
{
	f->chunks = chunks;
	GEMP_PROPAGATE(GEMP_NEW(f->begin, chunks + 1));
	GEMP_PROPAGATE(GEMP_NEW(f->distinct, chunks));
	for (size_t p = 0; p <= chunks; p++)
		f->begin[p] = gemp_chunk_begin(f->count, chunks, p);
	return GEMP_OK;
}

static gemp_code new_array(void **out, size_t count, unsigned size)
{
	*out = gemp_calloc(count, size);
	return *out ? GEMP_OK : GEMP_ENOMEM;
}

/* One bitmap for all keys: short ranges. */
static gemp_code find_in_one(distinct_task *f, void **out, size_t *distinct)
{
	unsigned threads = gemp_threads();
	GEMP_PROPAGATE(cut_chunks(f, f->count / MIN_SLAB < threads ? f->count / MIN_SLAB + 1 : 4 * (size_t)threads));
	GEMP_PROPAGATE(GEMP_NEW(f->bits, threads * f->words));
	gemp_parallel_for(f->chunks, mark_slab, f);
	for (size_t i = f->words; i < threads * f->words; i++)
		f->bits[i % f->words] |= f->bits[i];
	*distinct = gemp_bits64_count(f->bits, f->words);
	if (!out)
		return GEMP_OK;
	GEMP_PROPAGATE(new_array(out, *distinct, f->map.size));
	take_bits(f->bits, f->words, f->min_code, f->map, *out);
	return GEMP_OK;
}

/* The distinct keys of a bucket overwrite its keys, of which there are at least as many. */
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
	GEMP_PROPAGATE(new_array(out, *distinct, f->map.size));
	f->count = *distinct;
	f->out = *out;
	gemp_parallel_for(f->chunks, copy_chunk, f);
	return GEMP_OK;
}

/* Splits by the high bits, so that the bitmap of one bucket fits a cache. */
static gemp_code find_in_buckets(distinct_task *f, gemp_key_kind kind, unsigned bits, void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	gemp_multisplit split = { .key = kind, .shift = CACHED_BITS, .bits = bits - CACHED_BITS, .min_code = f->min_code };
	f->words = (size_t)1 << (CACHED_BITS - 6);
	GEMP_TRY(cut_chunks(f, (size_t)1 << split.bits));
	GEMP_TRY(GEMP_NEW(f->bits, gemp_threads() * f->words));
	GEMP_TRY(new_array(&f->found, f->count, f->map.size));
	GEMP_TRY(gemp_split_host(&split, f->keys, NULL, f->count, f->found, NULL, f->begin));
	gemp_parallel_for(f->chunks, find_in_bucket, f);
	code = collect(f, out, distinct);
done:
	gemp_free(f->found);
	return code;
}

/* A key is the first of its run if the one before it differs. */
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

static gemp_code find_in_sorted(distinct_task *f, void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(cut_chunks(f, f->count / MIN_SLAB + 1));
	GEMP_TRY(new_array(&f->found, f->count, f->map.size));
	gemp_parallel_for(f->chunks, find_heads, f);
	code = collect(f, out, distinct);
done:
	gemp_free(f->found);
	return code;
}

static gemp_code sort_and_find(distinct_task *f, gemp_key_kind kind, void **out, size_t *distinct)
{
	GEMP_OWNED void *sorted = NULL;
	GEMP_PROPAGATE(new_array(&sorted, f->count, f->map.size));
	memcpy(sorted, f->keys, f->count * f->map.size);
	GEMP_PROPAGATE(gemp_sort_host(&(gemp_sort){ .key = kind }, sorted, NULL, f->count));
	f->keys = sorted;
	return find_in_sorted(f, out, distinct);
}

/* The range of the keys decides: sorted keys need no bitmap, dense ranges use one or many, sparse ones are sorted. */
gemp_code gemp_distinct_host(gemp_key_kind kind, const void *keys, size_t count, void **out, size_t *distinct)
{
	distinct_task f = { .keys = keys, .count = count, .map = gemp_key_map_of(kind, false) };
	gemp_key_range extent = gemp_key_range_host(keys, count, f.map);
	gemp_code code;
	uint64_t width = count ? extent.max - extent.min : 0; /* the highest bit of a bitmap */
	unsigned bits = width ? 64 - (unsigned)__builtin_clzll(width) : 1;
	f.min_code = extent.min;
	f.words = width / 64 + 1;
	if (out)
		*out = NULL;
	if (extent.sorted)
		code = find_in_sorted(&f, out, distinct);
	else if (bits <= CACHED_BITS && f.words * gemp_threads() <= SPARSE * count)
		code = find_in_one(&f, out, distinct);
	else if (bits > CACHED_BITS && bits <= CACHED_BITS + GEMP_SPLIT_BITS && width / 64 <= SPARSE * count)
		code = find_in_buckets(&f, kind, bits, out, distinct);
	else
		code = sort_and_find(&f, kind, out, distinct);
	free_task(&f);
	return code;
}
