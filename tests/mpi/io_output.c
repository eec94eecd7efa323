/* Tests outputs: blocks of all ranks appear in rank order in a file and on stdout. No file appears under the final name
 * if writing fails. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "io/file/output.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t block_size(uint64_t seed, int round, int rank)
{
	static const size_t sizes[] = { 0, 1, 37, 5000, (3 << 20) + 11 };
	return sizes[gemp_mix(seed + (uint64_t)(100 * round + rank)) % 5];
}

/* Makes the block of a rank in a round. Its bytes depend on their position, the rank and the round. */
static char *make_block(uint64_t seed, int round, int rank, size_t *size)
{
	char *bytes = malloc(block_size(seed, round, rank) + 1);
	*size = block_size(seed, round, rank);
	for (size_t i = 0; i < *size; i++)
		bytes[i] = (char)('a' + (i * 7 + (size_t)rank + 3 * (size_t)round) % 26);
	return bytes;
}

static bool holds_all(const char *path, uint64_t seed, int rounds)
{
	FILE *file = fopen(path, "rb");
	bool right = file != NULL;
	for (int round = 0; right && round < rounds; round++)
		for (int r = 0; r < test_comm.size; r++) {
			size_t size;
			char *expected = make_block(seed, round, r, &size), *found = malloc(size + 1);
			right &= fread(found, 1, size, file) == size && memcmp(found, expected, size) == 0;
			free(found);
			free(expected);
		}
	right = right && fgetc(file) == EOF;
	if (file)
		fclose(file);
	return right;
}

static int files_in(const char *folder)
{
	int count = 0;
	DIR *directory = opendir(folder);
	for (struct dirent *entry; (entry = readdir(directory));)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

static void write_rounds(gemp_output *output, uint64_t seed, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		size_t size;
		char *bytes = make_block(seed, round, test_comm.rank, &size);
		assert_all_ok(gemp_output_write(output, bytes, size));
		free(bytes);
	}
}

static const char *new_folder(const char *name)
{
	const char *folder = test_path_all(name);
	if (test_comm.rank == 0)
		mkdir(folder, 0777);
	GEMP_MPI(MPI_Barrier(test_comm.world));
	return folder;
}

static void blocks_to_a_file(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	gemp_output *output;
	char path[4096];
	const char *folder = new_folder("file");
	snprintf(path, sizeof path, "%s/rows.tsv", folder);
	for (int rounds = 0; rounds < 6; rounds += 5) {
		assert_all_ok(gemp_output_open(&output, &test_comm, path));
		write_rounds(output, seed, rounds);
		assert_all(rounds > 0 || access(path, F_OK) != 0);
		assert_all_ok(gemp_output_close(output));
		assert_all(holds_all(path, seed, rounds));
		assert_all(files_in(folder) == 1);
	}
}

static void blocks_to_stdout(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	gemp_output *output;
	const char *path = test_path_all("stdout");
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);
	if (test_comm.rank == 0)
		assert_non_null(freopen(path, "wb", stdout));
	assert_all_ok(gemp_output_open(&output, &test_comm, "-"));
	write_rounds(output, seed, 4);
	assert_all_ok(gemp_output_close(output));
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_all(test_comm.rank != 0 || holds_all(path, seed, 4));
}

static void full_stdout_fails_all_ranks(void **state)
{
	(void)state;
	gemp_output *output;
	char bytes[1 << 16] = { 0 };
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);
	if (test_comm.rank == 0)
		assert_non_null(freopen("/dev/full", "wb", stdout));
	assert_all_ok(gemp_output_open(&output, &test_comm, "-"));
	gemp_code code = gemp_output_write(output, bytes, sizeof bytes);
	clearerr(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_all_code(code, GEMP_EIO);
	gemp_output_abandon(output);
}

static void abandoned_output_leaves_no_file(void **state)
{
	(void)state;
	gemp_output *output;
	char path[4096];
	const char *folder = new_folder("abandoned");
	snprintf(path, sizeof path, "%s/rows.tsv", folder);
	assert_all_ok(gemp_output_open(&output, &test_comm, path));
	assert_all_ok(gemp_output_write(output, "x", 1));
	gemp_output_abandon(output);
	GEMP_MPI(MPI_Barrier(test_comm.world));
	assert_all(files_in(folder) == 0);
}

static void unwritable_path_fails_at_once(void **state)
{
	(void)state;
	gemp_output *output;
	assert_all_code(gemp_output_open(&output, &test_comm, test_path_all("no/such/folder/rows.tsv")), GEMP_EIO);
	assert_message("no/such/folder/rows.tsv");
	assert_all_code(gemp_output_open(&output, &test_comm, new_folder("a_folder")), GEMP_EIO);
	assert_message("is a folder");
	gemp_output_abandon(NULL);
	assert_all_ok(gemp_output_close(NULL));
}

static gemp_code write_whole_output(void *path)
{
	gemp_output *output;
	gemp_code code = gemp_output_open(&output, &test_comm, path);
	if (code != GEMP_OK)
		return code;
	code = gemp_output_write(output, "abc", 3);
	if (code == GEMP_OK)
		return gemp_output_close(output);
	gemp_output_abandon(output);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	char path[4096];
	const char *folder = new_folder("memory");
	snprintf(path, sizeof path, "%s/rows.tsv", folder);
	assert_all_survive_no_memory(write_whole_output, path);
	assert_all(files_in(folder) == 1);
	assert_all_survive_no_memory(write_whole_output, "-");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_to_a_file),
		cmocka_unit_test(blocks_to_stdout),
		cmocka_unit_test(full_stdout_fails_all_ranks),
		cmocka_unit_test(abandoned_output_leaves_no_file),
		cmocka_unit_test(unwritable_path_fails_at_once),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
