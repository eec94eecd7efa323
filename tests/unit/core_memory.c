/* Tests counted memory: alignment, overflow, growth, and requested failures. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

static void counts_blocks_and_bytes(void **state)
{
	(void)state;
	size_t blocks = gemp_memory_blocks(), live = gemp_memory_live();
	char *a = gemp_calloc(10, 3), *b = gemp_calloc(0, 8);
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(gemp_memory_blocks() - blocks, 2);
	assert_int_equal(gemp_memory_live() - live, 30);
	for (int i = 0; i < 30; i++)
		assert_int_equal(a[i], 0);
	gemp_free(a);
	gemp_free(b);
	gemp_free(NULL);
	assert_int_equal(gemp_memory_blocks(), blocks);
	assert_int_equal(gemp_memory_live(), live);
	assert_true(gemp_memory_peak() >= live + 30);
}

static void blocks_are_aligned_for_any_type(void **state)
{
	(void)state;
	for (size_t size = 0; size < 40; size++) {
		void *block = gemp_calloc(size, 1);
		assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
		gemp_free(block);
	}
}

static void realloc_keeps_what_was_there(void **state)
{
	(void)state;
	size_t live = gemp_memory_live(), blocks = gemp_memory_blocks();
	int *block = gemp_realloc(NULL, 4, sizeof *block);
	for (int i = 0; i < 4; i++)
		block[i] = i;
	block = gemp_realloc(block, 100000, sizeof *block);
	for (int i = 0; i < 4; i++)
		assert_int_equal(block[i], i);
	assert_int_equal(gemp_memory_live() - live, 100000 * sizeof *block);
	block = gemp_realloc(block, 2, sizeof *block);
	assert_int_equal(block[1], 1);
	assert_int_equal(gemp_memory_live() - live, 2 * sizeof *block);
	assert_int_equal(gemp_memory_blocks() - blocks, 1);
	gemp_free(block);
	assert_int_equal(gemp_memory_live(), live);
}

static void sizes_that_overflow_are_refused(void **state)
{
	(void)state;
	size_t blocks = gemp_memory_blocks(), live = gemp_memory_live();
	assert_null(gemp_calloc(SIZE_MAX, 2));
	assert_message("out of memory");
	assert_null(gemp_calloc(SIZE_MAX / 2 + 1, 2));
	assert_null(gemp_calloc(SIZE_MAX, 1)); /* the size including the block's header would overflow */
	assert_null(gemp_calloc(SIZE_MAX - 8, 1));
	assert_null(gemp_calloc((size_t)1 << 62, 1)); /* no machine has this much memory */
	assert_null(gemp_strndup("x", SIZE_MAX));
	assert_int_equal(gemp_memory_blocks(), blocks);
	assert_int_equal(gemp_memory_live(), live);
}

static void the_kth_request_fails_once_asked(void **state)
{
	(void)state;
	gemp_memory_fail_after(2);
	void *a = gemp_calloc(1, 1), *b = gemp_calloc(1, 1), *c = gemp_calloc(1, 1);
	gemp_memory_fail_after(-1);
	void *d = gemp_calloc(1, 1);
	assert_non_null(a);
	assert_non_null(b);
	assert_null(c);
	assert_non_null(d);
	gemp_free(a);
	gemp_free(b);
	gemp_free(d);
}

static unsigned looked_at;

static bool choose_the_second(void)
{
	return ++looked_at == 2;
}

static void only_a_chosen_request_fails(void **state)
{
	(void)state;
	gemp_memory_choose(choose_the_second);
	gemp_memory_fail_after(1);
	void *block[4];
	for (int i = 0; i < 4; i++)
		block[i] = gemp_calloc(1, 1);
	gemp_memory_fail_after(-1);
	gemp_memory_choose(NULL);
	assert_int_equal(looked_at, 3); /* the first request passes without a look */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(block[i] == NULL, i == 2);
		gemp_free(block[i]);
	}
}

static void a_failed_realloc_leaves_the_block(void **state)
{
	(void)state;
	char *block = gemp_strdup("kept");
	size_t live = gemp_memory_live(), capacity = 5;
	gemp_memory_fail_after(0);
	assert_null(gemp_realloc(block, 1000, 1));
	assert_code(GEMP_RESERVE(block, capacity, 1000), GEMP_ENOMEM);
	gemp_memory_fail_after(-1);
	assert_string_equal(block, "kept");
	assert_int_equal(capacity, 5);
	assert_int_equal(gemp_memory_live(), live);
	gemp_free(block);
}

static void copies_end_in_zero(void **state)
{
	(void)state;
	char *empty = gemp_strdup(""), *part = gemp_strndup("abcdef", 3);
	assert_string_equal(empty, "");
	assert_string_equal(part, "abc");
	gemp_free(empty);
	gemp_free(part);
}

/* When a block grows by one element at a time, it moves a logarithmic number of times, and its capacity is never less
 * than requested. */
static void reserve_grows_geometrically(void **state)
{
	(void)state;
	uint64_t *array = NULL;
	size_t capacity = 0, moves = 0;
	for (size_t needed = 1; needed <= 100000; needed++) {
		size_t before = capacity;
		assert_ok(GEMP_RESERVE(array, capacity, needed));
		assert_true(capacity >= needed);
		moves += capacity != before;
		array[needed - 1] = needed;
	}
	assert_true(moves < 40);
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(array[i], i + 1);
	assert_ok(GEMP_RESERVE(array, capacity, 1000000));
	assert_true(capacity >= 1000000);
	assert_code(GEMP_RESERVE(array, capacity, SIZE_MAX), GEMP_ENOMEM);
	gemp_free(array);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A block that grows counts only by what it grows. */
static void requests_beyond_the_limit_fail(void **state)
{
	(void)state;
	char *block = gemp_calloc(1000, 1), *larger;
	assert_non_null(block);
	gemp_memory_set_limit(gemp_memory_live() + 5000);
	assert_null(gemp_calloc(5001, 1));
	assert_true(gemp_memory_limited(gemp_message()));
	larger = gemp_realloc(block, 5000, 1);
	assert_non_null(larger);
	assert_null(gemp_realloc(larger, 7000, 1));
	assert_null(gemp_calloc(1, 2000));
	gemp_memory_set_limit(1); /* less than what is held: a smaller block is allowed */
	larger = gemp_realloc(larger, 100, 1);
	assert_non_null(larger);
	assert_null(gemp_calloc(1, 1));
	gemp_memory_set_limit(0);
	block = gemp_calloc(1 << 20, 1);
	assert_non_null(block);
	gemp_free(block);
	gemp_free(larger);
	assert_null(gemp_calloc(SIZE_MAX / 4, 1));
	assert_false(gemp_memory_limited(gemp_message()));
	assert_int_equal(gemp_memory_blocks(), 0);
}

enum { BLOCKS = 200, STEPS = 20000, THREADS = 4 };

/* The blocks of a thread. Block k has the bytes (char)(k + i + salt[k]). */
typedef struct held {
	char *block[BLOCKS];
	size_t size[BLOCKS];
	unsigned char salt[BLOCKS];
	uint64_t random;
	bool right;
} held;

static size_t draw_size(held *h)
{
	const size_t most[] = { 40, 300, 1100, 9000, 70000 };
	return gemp_random_below(&h->random, most[gemp_random_below(&h->random, 5)]);
}

static void fill(held *h, size_t k, size_t from)
{
	for (size_t i = from; i < h->size[k]; i++)
		h->block[k][i] = (char)(k + i + h->salt[k]);
}

static bool has(const held *h, size_t k, size_t size)
{
	bool same = true;
	for (size_t i = 0; i < size; i++)
		same = same && h->block[k][i] == (char)(k + i + h->salt[k]);
	return same;
}

/* Requests, resizes and frees blocks of random sizes, most of them small. Each block keeps its bytes, and new blocks
 * are zero, whatever was in the memory before. */
static void *juggle(void *self)
{
	held *h = self;
	h->right = true;
	for (int step = 0; step < STEPS && h->right; step++) {
		const size_t k = gemp_random_below(&h->random, BLOCKS), size = draw_size(h), before = h->size[k];
		if (!h->block[k]) {
			h->block[k] = gemp_calloc(size, 1);
			for (size_t i = 0; i < size; i++)
				h->right = h->right && h->block[k][i] == 0;
			h->size[k] = size;
			h->salt[k] = (unsigned char)step;
			fill(h, k, 0);
		} else if (step % 3) {
			h->right = has(h, k, before);
			gemp_free(h->block[k]);
			h->block[k] = NULL;
		} else {
			h->block[k] = gemp_realloc(h->block[k], size, 1);
			h->size[k] = size;
			h->right = has(h, k, before < size ? before : size) && (uintptr_t)h->block[k] % 16 == 0;
			fill(h, k, before);
		}
	}
	return NULL;
}

static size_t held_bytes(const held *h, size_t *count)
{
	size_t bytes = 0;
	for (size_t k = 0; k < BLOCKS; k++)
		if (h->block[k]) {
			bytes += h->size[k];
			++*count;
		}
	return bytes;
}

/* Threads end with blocks, which another thread frees. */
static void blocks_keep_their_bytes(void **state)
{
	(void)state;
	static held all[THREADS];
	pthread_t thread[THREADS];
	const size_t blocks = gemp_memory_blocks(), live = gemp_memory_live();
	size_t count = 0, bytes = 0;
	for (size_t t = 0; t < THREADS; t++) {
		all[t] = (held){ .random = test_seed() + t };
		assert_int_equal(pthread_create(&thread[t], NULL, juggle, &all[t]), 0);
	}
	for (size_t t = 0; t < THREADS; t++) {
		pthread_join(thread[t], NULL);
		assert_true(all[t].right);
		bytes += held_bytes(&all[t], &count);
	}
	assert_int_equal(gemp_memory_blocks() - blocks, count);
	assert_int_equal(gemp_memory_live() - live, bytes);
	assert_true(gemp_memory_peak() >= live + bytes);
	juggle(&all[0]);
	assert_true(all[0].right);
	for (size_t t = 0; t < THREADS; t++)
		for (size_t k = 0; k < BLOCKS; k++)
			gemp_free(all[t].block[k]);
	assert_int_equal(gemp_memory_blocks(), blocks);
	assert_int_equal(gemp_memory_live(), live);
}

static void request_in_loop(void *context, unsigned thread, size_t chunk)
{
	char **block = context;
	(void)thread;
	block[chunk] = gemp_calloc(chunk, 1);
}

/* After a loop the caller sees what the helpers, which do not end, have requested. */
static void counts_what_helpers_request(void **state)
{
	(void)state;
	char *block[BLOCKS];
	const size_t blocks = gemp_memory_blocks(), live = gemp_memory_live();
	for (int round = 0; round < 20; round++) {
		gemp_parallel_for(BLOCKS, request_in_loop, block);
		assert_int_equal(gemp_memory_blocks() - blocks, BLOCKS);
		assert_int_equal(gemp_memory_live() - live, BLOCKS * (BLOCKS - 1) / 2);
		for (size_t k = 0; k < BLOCKS; k++)
			gemp_free(block[k]);
		assert_int_equal(gemp_memory_blocks(), blocks);
		assert_int_equal(gemp_memory_live(), live);
	}
}

/* The system moves the pages of a large block that grows. A copy would touch each page of the new block. */
static void large_blocks_grow_without_a_copy(void **state)
{
	enum { BYTES = 32 << 20, FAULTS = 100 };
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* their realloc copies */
#endif
	char *block = gemp_calloc(BYTES, 1);
	assert_non_null(block);
	for (size_t i = 0; i < BYTES; i += 1024)
		block[i] = (char)(i >> 10);
	for (size_t bytes = BYTES; bytes < (size_t)2 * BYTES; bytes += BYTES / 4) {
		struct rusage before, after;
		getrusage(RUSAGE_SELF, &before);
		char *grown = gemp_realloc(block, bytes + BYTES / 4, 1);
		getrusage(RUSAGE_SELF, &after);
		assert_non_null(grown);
		assert_true(after.ru_minflt - before.ru_minflt < FAULTS);
		block = grown;
	}
	for (size_t i = 0; i < BYTES; i += 1024)
		assert_int_equal(block[i], (char)(i >> 10));
	gemp_free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_blocks_and_bytes),           cmocka_unit_test(blocks_are_aligned_for_any_type),
		cmocka_unit_test(realloc_keeps_what_was_there),      cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(the_kth_request_fails_once_asked),  cmocka_unit_test(only_a_chosen_request_fails),
		cmocka_unit_test(a_failed_realloc_leaves_the_block), cmocka_unit_test(copies_end_in_zero),
		cmocka_unit_test(reserve_grows_geometrically),       cmocka_unit_test(requests_beyond_the_limit_fail),
		cmocka_unit_test(large_blocks_grow_without_a_copy),  cmocka_unit_test(blocks_keep_their_bytes),
		cmocka_unit_test(counts_what_helpers_request),
	};
	return test_main(tests);
}
