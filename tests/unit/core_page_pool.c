/* Tests large blocks of whole huge pages: pages that stay for the next block, the budget, and growth, also in random
 * sequences of requests. */
#include "harness/harness.h"
#include "harness/limits.h"

#include "core/memory.h"
#include "core/page_pool.h"
#include "core/pages.h"
#include "core/random.h"

#include <stdint.h>
#include <string.h>

enum { PAGE = 2 << 20 };

/* Only a block whose addresses are those of a freed one has mapped pages. */
static size_t mapped_of(size_t bytes, char **block)
{
	size_t mapped;
	*block = gemp_alloc_unset(bytes, 1, &mapped);
	assert_non_null(*block);
	assert_true(gemp_page_pool_has(*block));
	assert_int_equal((uintptr_t)*block % PAGE, 0);
	memset(*block, 1, bytes);
	return mapped;
}

static void freed_pages_serve_the_next_block(void **state)
{
	(void)state;
	char *a, *b, *c;
	gemp_page_pool_keep((size_t)64 * PAGE);
	assert_int_equal(mapped_of(10 * PAGE, &a), 0);
	assert_int_equal(mapped_of(4 * PAGE + 1, &b), 0);
	gemp_free(a);
	assert_int_equal(gemp_page_pool_kept(), 10 * PAGE);
	assert_int_equal(mapped_of(4 * PAGE, &a), 4 * PAGE);
	assert_int_equal(mapped_of(6 * PAGE - 5, &c), 6 * PAGE - 5);
	assert_int_equal(gemp_page_pool_kept(), 0);
	gemp_free_all(a, b, c);
	assert_int_equal(mapped_of(20 * PAGE, &a), 15 * PAGE); /* the three were neighbours */
	gemp_free(a);
	gemp_page_pool_release();
	assert_int_equal(gemp_page_pool_kept(), 0);
	assert_int_equal(mapped_of(4 * PAGE, &a), 0);
	assert_int_equal(gemp_memory_blocks(), 1);
	gemp_free(a);
	assert_int_equal(gemp_memory_live(), 0);
}

static void pages_beyond_the_budget_go_back(void **state)
{
	(void)state;
	char *a, *b;
	gemp_page_pool_keep(5 * PAGE);
	gemp_page_pool_keep((size_t)100 * PAGE); /* nested: the first budget holds */
	mapped_of(4 * PAGE, &a);
	mapped_of(3 * PAGE, &b);
	gemp_free_all(a, b);
	assert_int_equal(gemp_page_pool_kept(), 4 * PAGE);
	gemp_page_pool_release();
	assert_int_equal(gemp_page_pool_kept(), 4 * PAGE);
	assert_true(gemp_page_pool_drop());
	assert_false(gemp_page_pool_drop());
	assert_int_equal(mapped_of(4 * PAGE, &a), 0);
	gemp_free(a);
	gemp_page_pool_release();
}

/* Kept pages do not make a request fail that the limit of memory allows without them. */
static void a_limit_of_memory_drops_kept_pages(void **state)
{
	(void)state;
	char *a;
	gemp_page_pool_keep((size_t)64 * PAGE);
	mapped_of(8 * PAGE, &a);
	gemp_free(a);
	gemp_memory_set_limit((size_t)10 * PAGE);
	assert_int_equal(mapped_of(2 * PAGE, &a), 2 * PAGE); /* 2 used and 6 kept are within the limit */
	gemp_free(a);
	assert_int_equal(gemp_page_pool_kept(), 8 * PAGE);
	assert_int_equal(mapped_of(9 * PAGE, &a), 0);
	assert_int_equal(gemp_page_pool_kept(), 0);
	gemp_free(a);
	gemp_memory_set_limit(0);
	gemp_page_pool_release();
}

static void small_blocks_are_those_of_malloc(void **state)
{
	(void)state;
	size_t mapped = 1;
	char *block = gemp_alloc_unset(1000, 1, &mapped);
	assert_non_null(block);
	assert_int_equal(mapped, 0);
	assert_false(gemp_page_pool_has(block));
	gemp_free(block);
	assert_null(gemp_new_unset(SIZE_MAX / 2, 4));
	uint32_t *array = NULL;
	assert_ok(GEMP_NEW_UNSET(array, 0));
	gemp_free(array);
	assert_int_equal(gemp_memory_blocks(), 0);
}

enum { BLOCKS = 24, REQUESTS = 2000, MAX_BYTES = 6 * PAGE };

typedef struct random_block {
	char *bytes;
	size_t size;
	unsigned char value;
} random_block;

/* The first and the last bytes of each page of a block have its value. */
static void fill(random_block *b, unsigned char value)
{
	b->value = value;
	for (size_t i = 0; i < b->size; i += 4096)
		b->bytes[i] = (char)value;
	if (b->size)
		b->bytes[b->size - 1] = (char)value;
}

static void check(const random_block *b, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		assert_int_equal((unsigned char)b->bytes[i], b->value);
}

/* Frees, makes and resizes blocks in random order. Blocks that overlapped would overwrite each other. */
static void random_requests(void **state)
{
	(void)state;
	uint64_t seed = gemp_mix(test_seed());
	random_block blocks[BLOCKS] = { 0 };
	gemp_page_pool_keep((size_t)20 * PAGE);
	for (int n = 0; n < REQUESTS; n++) {
		random_block *b = &blocks[gemp_random_below(&seed, BLOCKS)];
		const size_t size = (size_t)gemp_random_below(&seed, MAX_BYTES);
		if (!b->bytes) {
			b->bytes = gemp_new_unset(size, 1);
			b->size = size;
		} else if (gemp_random_below(&seed, 2)) {
			b->bytes = gemp_realloc(b->bytes, size, 1);
			check(b, gemp_min(b->size, size));
			b->size = size;
		} else {
			check(b, b->size);
			gemp_free(b->bytes);
			b->bytes = NULL;
			continue;
		}
		assert_non_null(b->bytes);
		fill(b, (unsigned char)n);
	}
	for (int i = 0; i < BLOCKS; i++)
		gemp_free(blocks[i].bytes);
	gemp_page_pool_release();
	assert_int_equal(gemp_memory_blocks(), 0);
	assert_int_equal(gemp_memory_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(freed_pages_serve_the_next_block),
		cmocka_unit_test(pages_beyond_the_budget_go_back),
		cmocka_unit_test(a_limit_of_memory_drops_kept_pages),
		cmocka_unit_test(small_blocks_are_those_of_malloc),
		cmocka_unit_test(random_requests),
	};
	TEST_LIMIT(page_pool_min, 1 << 20);
	return test_main(tests);
}
