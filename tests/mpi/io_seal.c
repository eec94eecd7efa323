/* Tests sealed files: every part of the content can be read, the same file comes from any number of ranks, and a reader
 * notices every bit that has changed, blocks that changed places, and a file that was cut. */
#include "harness/collective.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "io/file/seal.h"
#include "io/file/sealed_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t sizes[] = {
	0, 1, 63, 4095, 4096, 4097, 70000, (2u << 20) - 1, 2u << 20, (2u << 20) + 1, (5u << 20) + 77
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static char path[256];

static unsigned char *random_bytes(size_t size, uint64_t seed)
{
	unsigned char *bytes = malloc(size + 1);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)gemp_random(&seed);
	return bytes;
}

/* Rank 0 writes bytes [at, at + size) of a file, which it makes if there is none. */
static void put(uint64_t at, const void *bytes, size_t size)
{
	FILE *file = fopen(path, access(path, F_OK) == 0 ? "r+b" : "wb");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void get(uint64_t at, void *bytes, size_t size)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
	assert_int_equal(fread(bytes, 1, size, file), size);
	fclose(file);
}

/* Collective. Makes a sealed file, whose content is returned on all ranks. */
static unsigned char *make(size_t size, uint64_t seed)
{
	unsigned char *bytes = random_bytes(size, seed);
	snprintf(path, sizeof path, "%s", test_path_all("sealed"));
	if (test_comm.rank == 0) {
		remove(path);
		put(0, bytes, size);
	}
	MPI_Barrier(test_comm.world);
	assert_all_ok(gemp_seal_file(&test_comm, path));
	return bytes;
}

/* Whether the whole content can be read and has the expected size. */
static bool is_readable(size_t size)
{
	gemp_sealed_file file;
	char *content = malloc(size + 1);
	bool good = gemp_sealed_open(&file, path, false) == GEMP_OK && file.sealed && file.size == size &&
	            gemp_sealed_read(&file, 0, size, content) == 0;
	gemp_sealed_close(&file);
	free(content);
	return good;
}

static void parts_are_read(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t s = 0; s < SIZES; s++) {
		gemp_sealed_file file;
		unsigned char *bytes = make(sizes[s], random + s), *part = malloc(sizes[s] + 1);
		assert_all_ok(gemp_sealed_open(&file, path, false));
		assert_all(file.sealed && file.size == sizes[s]);
		bool right = true;
		for (int i = 0; i < 60; i++) {
			const uint64_t from = gemp_random_below(&random, sizes[s] + 1);
			const size_t rest = sizes[s] - (size_t)from;
			const size_t size = i ? (size_t)gemp_random_below(&random, i % 2 ? rest + 1 : gemp_min(rest, 9000) + 1)
			                      : rest;
			right &= gemp_sealed_read(&file, from, size, part) == 0 && memcmp(part, bytes + from, size) == 0;
		}
		assert_all(right);
		assert_all(gemp_sealed_read(&file, sizes[s], 1, part) == GEMP_SEALED_ENDS);
		assert_all(gemp_sealed_failed(&file, "a part", GEMP_SEALED_ENDS) == GEMP_EDATA);
		assert_message("ends within a part");
		gemp_sealed_close(&file);
		free(bytes);
		free(part);
	}
}

/* A file that one rank seals equals the file that all ranks seal. */
static void ranks_seal_alike(void **state)
{
	(void)state;
	static const gemp_comm alone = { .size = 1, .node_size = 1 };
	gemp_comm self = alone;
	const uint64_t seed = test_seed_all();
	self.world = self.node = MPI_COMM_SELF;
	for (size_t s = 0; s < SIZES; s++) {
		unsigned char *bytes = make(sizes[s], seed + s);
		if (test_comm.rank == 0) {
			gemp_sealed_file file;
			assert_ok(gemp_sealed_open(&file, path, false));
			const size_t whole = (size_t)file.opened.st_size;
			unsigned char *together = malloc(whole), *one = malloc(whole);
			gemp_sealed_close(&file);
			get(0, together, whole);
			remove(path);
			put(0, bytes, sizes[s]);
			assert_ok(gemp_seal_file(&self, path));
			get(0, one, whole);
			assert_memory_equal(together, one, whole);
			free(together);
			free(one);
		}
		free(bytes);
	}
	MPI_Barrier(test_comm.world);
}

/* Every byte of a sealed file counts: content, sums, group sums, the zeros between them, and the footer. */
static void changed_bits_are_noticed(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t s = 0; s < SIZES; s++) {
		unsigned char *bytes = make(sizes[s], random + s);
		if (test_comm.rank == 0) {
			gemp_sealed_file file;
			assert_ok(gemp_sealed_open(&file, path, false));
			const uint64_t whole = (uint64_t)file.opened.st_size;
			const gemp_seal_extent extent = file.extent;
			gemp_sealed_close(&file);
			for (int i = 0; i < 40; i++) {
				const uint64_t from = i % 4 == 0   ? 0
				                      : i % 4 == 1 ? extent.sums
				                      : i % 4 == 2 ? extent.group_sums
				                                   : extent.footer;
				const uint64_t at = from + gemp_random_below(&random, whole - from);
				unsigned char before, after;
				get(at, &before, 1);
				after = before ^ (unsigned char)(1u << gemp_random_below(&random, 8));
				put(at, &after, 1);
				if (is_readable(sizes[s]))
					fail_msg("byte %llu of %llu was changed", (unsigned long long)at, (unsigned long long)whole);
				put(at, &before, 1);
				assert_true(is_readable(sizes[s]));
			}
		}
		MPI_Barrier(test_comm.world);
		free(bytes);
	}
}

static void swapped_blocks_are_noticed(void **state)
{
	(void)state;
	const uint64_t seed = test_seed_all();
	unsigned char *bytes = make((5u << 20) + 77, seed);
	if (test_comm.rank == 0) {
		static const uint64_t pairs[][2] = { { 0, 1 }, { 3, 511 }, { 511, 512 }, { 0, 512 }, { 7, 1030 } };
		for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
			const uint64_t a = pairs[i][0] * GEMP_BLOCK_BYTES, b = pairs[i][1] * GEMP_BLOCK_BYTES;
			assert_true(is_readable((5u << 20) + 77));
			put(a, bytes + b, GEMP_BLOCK_BYTES);
			put(b, bytes + a, GEMP_BLOCK_BYTES);
			assert_false(is_readable((5u << 20) + 77));
			put(a, bytes + a, GEMP_BLOCK_BYTES);
			put(b, bytes + b, GEMP_BLOCK_BYTES);
		}
	}
	MPI_Barrier(test_comm.world);
	free(bytes);
}

/* A cut file has no seal, or one that says so. With trust it is a file like any other. */
static void cut_files_are_noticed(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	unsigned char *bytes = make(70000, random);
	if (test_comm.rank == 0) {
		gemp_sealed_file file;
		assert_ok(gemp_sealed_open(&file, path, false));
		const uint64_t whole = (uint64_t)file.opened.st_size;
		gemp_sealed_close(&file);
		assert_true(is_readable(70000));
		for (uint64_t left = whole - 1; left > 0; left -= gemp_min(left, 1 + gemp_random_below(&random, 3000))) {
			assert_int_equal(truncate(path, (long)left), 0);
			assert_false(is_readable(70000));
			assert_ok(gemp_sealed_open(&file, path, true));
			assert_false(file.sealed);
			assert_int_equal(file.size, left);
			gemp_sealed_close(&file);
		}
		remove(path);
		assert_int_equal(gemp_sealed_open(&file, path, false), GEMP_ENOINPUT);
	}
	MPI_Barrier(test_comm.world);
	free(bytes);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(parts_are_read), cmocka_unit_test(ranks_seal_alike),
		                                cmocka_unit_test(changed_bits_are_noticed),
		                                cmocka_unit_test(swapped_blocks_are_noticed),
		                                cmocka_unit_test(cut_files_are_noticed) };
	return test_main_all(argc, argv, tests);
}
