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

/* An open file of random bytes, whose name is gone. */
static int random_file(char *bytes, uint64_t seed)
{
	char path[] = "/tmp/gemp-block-cache-XXXXXX";
	const int file = mkstemp(path);
	assert_true(file >= 0);
	unlink(path);
	for (size_t i = 0; i < FILE_BYTES; i++)
		bytes[i] = (char)gemp_random_below(&seed, 256);
	assert_true(pwrite(file, bytes, FILE_BYTES, 0) == FILE_BYTES);
	return file;
}

static void reads_what_was_written(void **state)
{
	(void)state;
	static char bytes[FILE_BYTES], read[FILE_BYTES];
	for (uint64_t seed = 1; seed <= 5; seed++) {
		gemp_block_cache cache = { .name = "file", .file = random_file(bytes, seed) };
		uint64_t random = seed;
		int peeked = 0;
		TEST_LIMIT(file_blocks, seed); /* 3 and 5 are no powers of two */
		for (int i = 0; i < 2000; i++) {
			const uint64_t offset = gemp_random_below(&random, FILE_BYTES);
			const uint64_t size = gemp_random_below(&random, i % 9 ? 40 : 3 * GEMP_BLOCK_BYTES);
			const gemp_code code = gemp_block_cache_read(&cache, "part", offset, size, read);
			if (offset + size > FILE_BYTES) {
				assert_int_equal(code, GEMP_EDATA);
				assert_non_null(strstr(gemp_message(), "file: ends within 'part'"));
			} else if (code != GEMP_OK || memcmp(read, bytes + offset, size) != 0) {
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
		close(cache.file);
		TEST_LIMIT_DEFAULT(file_blocks);
	}
}

/* The cache keeps the bytes that it has read. Reads of other bytes fail if the file was cut meanwhile. */
static void keeps_what_was_read(void **state)
{
	(void)state;
	static char bytes[FILE_BYTES];
	char read[8];
	gemp_block_cache cache = { .name = "file", .file = random_file(bytes, 9) };
	assert_int_equal(gemp_block_cache_read(&cache, "part", 100, 8, read), GEMP_OK);
	assert_int_equal(ftruncate(cache.file, GEMP_BLOCK_BYTES + 4), 0);
	assert_int_equal(gemp_block_cache_read(&cache, "part", 200, 8, read), GEMP_OK);
	assert_memory_equal(read, bytes + 200, 8);
	assert_int_equal(gemp_block_cache_read(&cache, "part", GEMP_BLOCK_BYTES, 8, read), GEMP_EDATA);
	assert_int_equal(gemp_block_cache_read(&cache, "part", GEMP_BLOCK_BYTES, 4, read), GEMP_OK);
	assert_memory_equal(read, bytes + GEMP_BLOCK_BYTES, 4);
	gemp_block_cache_free(&cache);
	close(cache.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_written),
		cmocka_unit_test(keeps_what_was_read),
	};
	return test_main(tests);
}
