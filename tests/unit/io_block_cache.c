/* Tests reads of a file through blocks that stay in memory: each random read must give the bytes that were written,
 * with caches of one block and more, and reads beyond the end must fail. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"
#include "harness/limits.h"
#include "io/file/block_cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 10 * GEMP_BLOCK_BYTES + 777 };

/* Opens a file of random bytes without a seal. */
static gemp_sealed_file random_file(char *bytes, uint64_t seed)
{
	const char *path = test_path("random");
	gemp_sealed_file file;
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	for (size_t i = 0; i < FILE_BYTES; i++)
		bytes[i] = (char)gemp_random_below(&seed, 256);
	assert_int_equal(fwrite(bytes, 1, FILE_BYTES, out), FILE_BYTES);
	fclose(out);
	assert_ok(gemp_sealed_open(&file, path, false));
	return file;
}

static void reads_what_was_written(void **state)
{
	(void)state;
	static char bytes[FILE_BYTES], read[FILE_BYTES];
	for (uint64_t seed = 1; seed <= 5; seed++) {
		gemp_sealed_file file = random_file(bytes, seed);
		gemp_block_cache cache = { .file = &file };
		uint64_t random = seed;
		int peeked = 0;
		TEST_LIMIT(file_blocks, seed); /* 3 and 5 are no powers of two */
		for (int i = 0; i < 2000; i++) {
			const uint64_t offset = gemp_random_below(&random, FILE_BYTES);
			const uint64_t size = gemp_random_below(&random, i % 9 ? 40 : 3 * GEMP_BLOCK_BYTES);
			const int error = gemp_block_cache_read(&cache, offset, size, read);
			if (offset + size > FILE_BYTES) {
				assert_int_equal(error, GEMP_SEALED_ENDS);
			} else if (error || memcmp(read, bytes + offset, size) != 0) {
				fail_msg("seed %d, read %d: %d bytes at %d differ", (int)seed, i, (int)size, (int)offset);
			}
			const uint64_t at = gemp_random_below(&random, FILE_BYTES + 100), some = gemp_random_below(&random, 40);
			const char *known = gemp_block_cache_peek(&cache, at, some);
			if (known && (at + some > FILE_BYTES || memcmp(known, bytes + at, some) != 0))
				fail_msg("seed %d, read %d: a block has other bytes at %d", (int)seed, i, (int)at);
			peeked += known != NULL;
		}
		assert_true(peeked > 100 && !gemp_block_cache_peek(&cache, SIZE_MAX - 3, SIZE_MAX));
		gemp_block_cache_free(&cache);
		assert_null(gemp_block_cache_peek(&cache, 0, 1));
		gemp_sealed_close(&file);
		TEST_LIMIT_DEFAULT(file_blocks);
	}
}

/* The cache keeps the bytes that it has read. Reads of other bytes fail if the file was cut meanwhile. */
static void keeps_what_was_read(void **state)
{
	(void)state;
	static char bytes[FILE_BYTES];
	char read[8];
	gemp_sealed_file file = random_file(bytes, 9);
	gemp_block_cache cache = { .file = &file };
	assert_int_equal(gemp_block_cache_read(&cache, 100, 8, read), 0);
	assert_int_equal(truncate(file.path, GEMP_BLOCK_BYTES + 4), 0);
	assert_int_equal(gemp_block_cache_read(&cache, 200, 8, read), 0);
	assert_memory_equal(read, bytes + 200, 8);
	assert_int_equal(gemp_block_cache_read(&cache, GEMP_BLOCK_BYTES, 4, read), GEMP_SEALED_ENDS);
	gemp_block_cache_free(&cache);
	gemp_sealed_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_written),
		cmocka_unit_test(keeps_what_was_read),
	};
	return test_main(tests);
}
