/* Tests reading numbers from text files: all numbers, in order and in a type that holds them, for any blocks and ranks.
 * A word that is not a number is reported with its line and column. Requests for memory may fail anywhere. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "harness/limits.h"
#include "io/arrays/numbers.h"
#include "io/arrays/numbers_read.h"
#include "io/text/lines.h"
#include "primitive/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 300 };

static char path[4096];
static int64_t written[MAX_NUMBERS];

/* Draws numbers, the same on all ranks; rank 0 writes them. Returns their number. whole_last: the last line ends with a
 * newline. */
static size_t write_file(uint64_t *random, int64_t low, int64_t high, bool whole_last)
{
	size_t count = gemp_random_below(random, MAX_NUMBERS);
	FILE *file = test_comm.rank == 0 ? fopen(path, "w") : NULL;
	for (size_t i = 0; i < count; i++) {
		uint64_t draw = gemp_random(random);
		written[i] = low + (int64_t)gemp_random_below(random, (uint64_t)(high - low) + 1);
		if (file)
			fprintf(file, "%s%" PRId64 "%s%s", draw % 5 ? "" : "  \t", written[i], draw % 7 ? "" : " \r",
			        i + 1 < count || whole_last ? (draw % 3 ? "\n" : "\n\n") : "");
	}
	if (file)
		fclose(file);
	GEMP_MPI(MPI_Barrier(test_comm.world));
	return count;
}

static bool as_written(const gemp_number_array *numbers, size_t count)
{
	uint64_t first = gemp_comm_exscan(&test_comm, numbers->count);
	if (numbers->total != count)
		return false;
	for (size_t i = 0; i < numbers->count; i++) {
		uint64_t bits = gemp_key_get(numbers->values, i, gemp_key_size(numbers->kind));
		int64_t value = numbers->kind == GEMP_KEY_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
		if (value != written[first + i])
			return false;
	}
	return true;
}

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "%s", test_path_all("numbers.txt"));
	return 0;
}

static void random_numbers(void **state)
{
	static const struct {
		int64_t low, high;
	} ranges[] = { { 0, 9 }, { 0, UINT32_MAX }, { -5, 5 }, { 0, INT64_MAX }, { INT64_MIN / 2, INT64_MAX / 2 } };
	uint64_t random = test_seed_all();
	(void)state;
	for (size_t k = 0; k < 40; k++) {
		gemp_number_array numbers;
		size_t range = k % 5, count = write_file(&random, ranges[range].low, ranges[range].high, k % 2);
		TEST_LIMIT(lines_block, k % 3 ? gemp_limits_default.lines_block : 1 + gemp_random_below(&random, 40));
		assert_all_ok(gemp_number_array_read(&numbers, &test_comm, path, GEMP_NUMBERS_AUTO));
		assert_all(as_written(&numbers, count));
		gemp_number_array_free(&numbers);
	}
	TEST_LIMIT_DEFAULT(lines_block);
}

/* A word in a random line, among numbers and empty lines, must be reported with its place. */
static void errors_have_places(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (int k = 0; k < 20; k++) {
		gemp_number_array numbers;
		size_t lines = 1 + gemp_random_below(&random, 200), bad = gemp_random_below(&random, lines);
		char place[64];
		FILE *file = test_comm.rank == 0 ? fopen(path, "w") : NULL;
		for (size_t i = 0; file && i < lines; i++)
			fputs(i == bad ? " word\n" : i % 3 ? "12\n" : "\n", file);
		if (file)
			fclose(file);
		GEMP_MPI(MPI_Barrier(test_comm.world));
		TEST_LIMIT(lines_block, 1 + gemp_random_below(&random, 50));
		assert_all_code(gemp_number_array_read(&numbers, &test_comm, path, k % 2 ? GEMP_NUMBERS_AUTO : GEMP_KEY_F32),
		                GEMP_EDATA);
		snprintf(place, sizeof place, "numbers.txt:%zu:2: 'word'", bad + 1);
		assert_all(strstr(gemp_message(), place) != NULL);
	}
	TEST_LIMIT_DEFAULT(lines_block);
}

static gemp_code read_and_write(void *unused)
{
	(void)unused;
	gemp_number_array numbers;
	gemp_code code = gemp_number_array_read(&numbers, &test_comm, path, GEMP_KEY_I64);
	if (code == GEMP_OK)
		code = gemp_number_array_write(&test_comm, path, GEMP_KEY_I64, numbers.values, numbers.count);
	gemp_number_array_free(&numbers);
	return code;
}

static void memory_may_run_out(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	write_file(&random, -10, 10, true);
	assert_all_survive_no_memory(read_and_write, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup(random_numbers, setup),
		                                cmocka_unit_test_setup(errors_have_places, setup),
		                                cmocka_unit_test_setup(memory_may_run_out, setup) };
	return test_main_all(argc, argv, tests);
}
