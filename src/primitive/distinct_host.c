#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "primitive/distinct.h"
#include "primitive/sort.h"
#include "primitive/split.h"

#include <string.h>

enum {
	CACHED = 21, /* a bitmap of 2^21 bits stays in a core's cache */
	SPARSE = 4,  /* words of bitmaps for each key that are still better than sorting */
	SLAB_LEAST = 1 << 14,
};

typedef struct distinct_task {
	const void *keys; /* [count] */
	size_t count;
	gemp_key_map map;
	uint64_t least;   /* code */
	size_t words;     /* of a bitmap */
	size_t pieces;    /* slabs, or buckets */
	uint64_t *bits;   /* [threads][words] */
	void *found;      /* of each piece, at its beginning in this array */
	uint64_t *begin;  /* [pieces + 1] of pieces in the array */
	size_t *distinct; /* [pieces] found; then where they go */
	void *out;
} distinct_task;

static void free_task(distinct_task *f)
{
	gemp_free(f->bits);
	gemp_free(f->begin);
	gemp_free(f->distinct);
}

/* Writes the keys whose codes are first + the places of bits, and clears these. */
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

/* ONE BITMAP for all keys, made of one a thread. */

static void mark_slab(void *context, unsigned thread, size_t slab)
{
	const distinct_task *f = context;
	uint64_t *bits = f->bits + thread * f->words;
	for (size_t i = f->begin[slab]; i < f->begin[slab + 1]; i++)
		gemp_bits64_set(bits, gemp_key_code(gemp_key_get(f->keys, i, f->map.size), f->map) - f->least);
}

static gemp_code cut(distinct_task *f, size_t pieces)
{
	gemp_code code = GEMP_OK;
	f->pieces = pieces;
	GEMP_TRY(GEMP_NEW(f->begin, pieces + 1));
	GEMP_TRY(GEMP_NEW(f->distinct, pieces));
	for (size_t p = 0; p <= pieces; p++)
		f->begin[p] = gemp_chunk_begin(f->count, pieces, p);
done:
	return code;
}

static gemp_code new_array(void **out, size_t count, unsigned size)
{
	*out = gemp_calloc(count, size);
	return *out ? GEMP_OK : GEMP_ENOMEM;
}

static gemp_code find_in_one(distinct_task *f, void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	unsigned threads = gemp_threads();
	GEMP_TRY(cut(f, f->count / SLAB_LEAST < threads ? f->count / SLAB_LEAST + 1 : 4 * (size_t)threads));
	GEMP_TRY(GEMP_NEW(f->bits, threads * f->words));
	gemp_parallel_for(f->pieces, mark_slab, f);
	for (size_t i = f->words; i < threads * f->words; i++)
		f->bits[i % f->words] |= f->bits[i];
	*distinct = gemp_bits64_count(f->bits, f->words);
	if (!out)
		goto done;
	GEMP_TRY(new_array(out, *distinct, f->map.size));
	take_bits(f->bits, f->words, f->least, f->map, *out);
done:
	return code;
}

/* ONE BITMAP A BUCKET: what is found in one is written over its keys. */

static void find_in_bucket(void *context, unsigned thread, size_t bucket)
{
	distinct_task *f = context;
	uint64_t *bits = f->bits + thread * f->words, first = f->least + bucket * f->words * 64;
	for (size_t i = f->begin[bucket]; i < f->begin[bucket + 1]; i++)
		gemp_bits64_set(bits, gemp_key_code(gemp_key_get(f->found, i, f->map.size), f->map) - first);
	if (f->begin[bucket] < f->begin[bucket + 1])
		f->distinct[bucket] = take_bits(bits, f->words, first, f->map,
		                                (char *)f->found + f->begin[bucket] * f->map.size);
}

static void copy_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const distinct_task *f = context;
	size_t count = (piece + 1 < f->pieces ? f->distinct[piece + 1] : f->count) - f->distinct[piece];
	memcpy((char *)f->out + f->distinct[piece] * f->map.size, (const char *)f->found + f->begin[piece] * f->map.size,
	       count * f->map.size);
}

/* Puts together what was found in all pieces. */
static gemp_code collect(distinct_task *f, void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	*distinct = 0;
	for (size_t p = 0; p < f->pieces; p++) {
		size_t here = f->distinct[p];
		f->distinct[p] = *distinct;
		*distinct += here;
	}
	if (!out)
		goto done;
	GEMP_TRY(new_array(out, *distinct, f->map.size));
	f->count = *distinct;
	f->out = *out;
	gemp_parallel_for(f->pieces, copy_piece, f);
done:
	return code;
}

static gemp_code find_in_buckets(distinct_task *f, gemp_key_kind kind, unsigned bits, void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	gemp_multisplit split = { .key = kind, .shift = CACHED, .bits = bits - CACHED, .min_code = f->least };
	f->words = (size_t)1 << (CACHED - 6);
	GEMP_TRY(cut(f, (size_t)1 << split.bits));
	GEMP_TRY(GEMP_NEW(f->bits, gemp_threads() * f->words));
	GEMP_TRY(new_array(&f->found, f->count, f->map.size));
	GEMP_TRY(gemp_split_host(&split, f->keys, NULL, f->count, f->found, NULL, f->begin));
	gemp_parallel_for(f->pieces, find_in_bucket, f);
	code = collect(f, out, distinct);
done:
	gemp_free(f->found);
	return code;
}

/* SORTED: the first of each run. */

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
	GEMP_TRY(cut(f, f->count / SLAB_LEAST + 1));
	GEMP_TRY(new_array(&f->found, f->count, f->map.size));
	gemp_parallel_for(f->pieces, find_heads, f);
	code = collect(f, out, distinct);
done:
	gemp_free(f->found);
	return code;
}

static gemp_code sort_and_find(distinct_task *f, gemp_key_kind kind, void **out, size_t *distinct)
{
	gemp_code code = GEMP_OK;
	void *sorted;
	GEMP_TRY(new_array(&sorted, f->count, f->map.size));
	memcpy(sorted, f->keys, f->count * f->map.size);
	GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = kind }, sorted, NULL, f->count));
	f->keys = sorted;
	code = find_in_sorted(f, out, distinct);
done:
	gemp_free(sorted);
	return code;
}

gemp_code gemp_distinct_host(gemp_key_kind kind, const void *keys, size_t count, void **out, size_t *distinct)
{
	distinct_task f = { .keys = keys, .count = count, .map = gemp_key_map_of(kind, false) };
	gemp_key_range extent = gemp_key_range_host(keys, count, f.map);
	gemp_code code;
	uint64_t reach = count ? extent.max - extent.min : 0; /* the last bit */
	unsigned bits = reach ? 64 - (unsigned)__builtin_clzll(reach) : 1;
	f.least = extent.min;
	f.words = reach / 64 + 1;
	if (out)
		*out = NULL;
	if (extent.sorted)
		code = find_in_sorted(&f, out, distinct);
	else if (bits <= CACHED && f.words * gemp_threads() <= SPARSE * count)
		code = find_in_one(&f, out, distinct);
	else if (bits > CACHED && bits <= CACHED + GEMP_SPLIT_BITS && reach / 64 <= SPARSE * count)
		code = find_in_buckets(&f, kind, bits, out, distinct);
	else
		code = sort_and_find(&f, kind, out, distinct);
	free_task(&f);
	return code;
}
