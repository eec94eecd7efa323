/* Tests the arena: pieces do not move until a reset, and a reset keeps the newest block. */
#include "harness/harness.h"

#include "core/arena.h"
#include "core/status.h"

#include <string.h>

static void pieces_do_not_move(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	char *piece[300];
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < 300; i++) {
			piece[i] = gemp_arena_alloc(&arena, i);
			assert_non_null(piece[i]);
			memset(piece[i], (int)(i % 251), i);
		}
		for (size_t i = 0; i < 300; i++)
			for (size_t j = 0; j < i; j++)
				assert_int_equal((unsigned char)piece[i][j], i % 251);
		gemp_arena_reset(&arena);
		assert_int_equal(gemp_memory_blocks(), 1);
	}
	gemp_arena_free(&arena);
	gemp_arena_free(&arena); /* freeing an empty arena does nothing */
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void the_newest_block_is_kept(void **state)
{
	(void)state;
	gemp_arena arena = { 0 };
	gemp_arena_reset(&arena); /* of an empty arena */
	for (size_t size = 1; size < (size_t)1 << 22; size *= 7)
		memset(gemp_arena_alloc(&arena, size), 1, size);
	gemp_arena_reset(&arena);
	size_t before = gemp_memory_live();
	memset(gemp_arena_alloc(&arena, 800000), 1, 800000); /* fits into the block that the reset kept */
	assert_int_equal(gemp_memory_live(), before);
	gemp_arena_free(&arena);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code take_some(void *unused)
{
	(void)unused;
	gemp_arena arena = { 0 };
	gemp_code code = GEMP_OK;
	for (int i = 0; i < 20 && code == GEMP_OK; i++)
		code = gemp_arena_alloc(&arena, 3000) ? GEMP_OK : GEMP_ENOMEM;
	gemp_arena_free(&arena);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(take_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_do_not_move),
		cmocka_unit_test(the_newest_block_is_kept),
		cmocka_unit_test(no_memory),
	};
	return test_main(tests);
}
