#include "harness/harness.h"

#include "core/memory.h"

#include <stdint.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_blocks_and_bytes),
	};
	return test_main(tests);
}
