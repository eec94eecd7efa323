/* Tests the graph file. A written graph is read back unchanged, the bytes of the file do not depend on the number of
 * ranks, and damage is detected. */
#include "comm/comm.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_verify.h"
#include "io/graph_file/graph_file_write.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_file.h"
#include "mpi/graph_file_case.h"

#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void round_trips(void)
{
	uint64_t seed = test_seed_all();
	static const size_t sizes[][2] = { { 0, 0 }, { 1, 0 }, { 3, 20 }, { 60, 90 }, { 400, 900 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (fixture_keys keys = KEYS_INTEGER; keys <= KEYS_MIXED; keys++) {
			fixture made = fixture_new(sizes[i][0], sizes[i][1], keys, seed + i);
			round_trip(&made, seed + i, i % 2);
			fixture_free(&made);
		}
	assert_all(gemp_memory_blocks() == 0);
}

static void test_round_trip(void **state)
{
	(void)state;
	round_trips();
}

static void test_serial(void **state)
{
	(void)state;
	TEST_LIMIT(h5_serial, true);
	round_trips();
	TEST_LIMIT_DEFAULT(h5_serial);
}

/* A low limit makes the file use the types for more than 2^31 edges. */
static void test_wide_types(void **state)
{
	(void)state;
	TEST_LIMIT(file_i32_max, 10);
	fixture made = fixture_new(80, 200, KEYS_INTEGER, 3);
	round_trip(&made, 5, false);
	TEST_LIMIT_DEFAULT(file_i32_max);
	round_trip(&made, 5, false);
	fixture_free(&made);
}

/* Parallel and serial writing give the same file. */
static void test_parallel_and_serial_writing(void **state)
{
	(void)state;
	char path[256], other[256];
	snprintf(path, sizeof path, "%s", test_path_all("a.h5"));
	snprintf(other, sizeof other, "%s", test_path_all("b.h5"));
	fixture made = fixture_new(200, 300, KEYS_STRING, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	TEST_LIMIT(h5_serial, true);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, other, &provenance));
	TEST_LIMIT_DEFAULT(h5_serial);
	assert_all(test_comm.rank != 0 || same_bytes(path, other));
	gemp_shard_free(graph);
	fixture_free(&made);
}

static gemp_code open_and_load(const char *path, bool trust)
{
	gemp_shard *graph = NULL;
	gemp_code code = gemp_graph_file_open(&graph, &test_comm, path, trust);
	if (code == GEMP_OK)
		code = gemp_shard_load_all(graph);
	gemp_shard_free(graph);
	return code;
}

static void test_wrong_files(void **state)
{
	(void)state;
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("wrong.h5"));
	assert_all_code(open_and_load(path, false), GEMP_ENOINPUT);
	assert_message("wrong.h5: cannot be read: No such file");
	if (test_comm.rank == 0)
		write_file(path, "src\tdst\n1\t2\n", 12);
	assert_all_code(open_and_load(path, false), GEMP_EDATA);
	assert_message("wrong.h5: not an HDF5 file");
	gemp_h5 h5;
	assert_all_ok(gemp_h5_create(&h5, &test_comm, path));
	assert_all_ok(gemp_h5_close(&h5));
	assert_all_code(open_and_load(path, false), GEMP_EDATA);
	assert_message("not a graph file");
	assert_all_ok(gemp_h5_create(&h5, &test_comm, path));
	assert_all_ok(gemp_h5_put_text(&h5, "/", "gemp-format", "gemp-graph"));
	assert_all_ok(gemp_h5_put_text(&h5, "/", "gemp-format-version", "3.0"));
	assert_all_ok(gemp_h5_close(&h5));
	assert_all_code(open_and_load(path, false), GEMP_EDATA);
	assert_message("is of format gemp-graph 3.0");
	assert_all_ok(gemp_h5_create(&h5, &test_comm, path));
	assert_all_ok(gemp_h5_put_text(&h5, "/", "gemp-format", "gemp-graph"));
	assert_all_ok(gemp_h5_put_text(&h5, "/", "gemp-format-version", "1.7"));
	assert_all_ok(gemp_h5_close(&h5));
	assert_all_code(open_and_load(path, false), GEMP_EDATA);
	assert_message("'/' has no attribute 'seed'");
	assert_all(gemp_memory_blocks() == 0);
}

/* The file is cut off at random places. */
static void test_truncated_files(void **state)
{
	(void)state;
	char path[256], bad[256];
	uint64_t random = test_seed_all();
	snprintf(path, sizeof path, "%s", test_path_all("good.h5"));
	snprintf(bad, sizeof bad, "%s", test_path_all("bad.h5"));
	fixture made = fixture_new(50, 80, KEYS_STRING, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	size_t size = 0;
	char *bytes = test_comm.rank == 0 ? read_file(path, &size) : NULL;
	uint64_t length = size;
	gemp_comm_max(&test_comm, &length, 1);
	for (int i = 0; i < 12; i++) {
		uint64_t cut = i ? gemp_random_below(&random, length) : length - 1;
		if (test_comm.rank == 0)
			write_file(bad, bytes, cut);
		assert_all_code(open_and_load(bad, false), GEMP_EDATA);
		assert_message("bad.h5: ");
	}
	free(bytes);
	gemp_shard_free(graph);
	fixture_free(&made);
}

/* The datasets of a file: name, offset of the first byte and number of bytes. */
typedef struct dataset_places {
	uint64_t first[256], bytes[256];
	char name[256][128];
	size_t count;
} dataset_places;

static herr_t note_place(hid_t file, const char *name, const H5O_info_t *info, void *places_)
{
	dataset_places *found = places_;
	if (info->type != H5O_TYPE_DATASET || found->count == 256)
		return 0;
	hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
	found->first[found->count] = H5Dget_offset(dataset);
	found->bytes[found->count] = H5Dget_storage_size(dataset);
	snprintf(found->name[found->count++], sizeof found->name[0], "%s", name);
	H5Dclose(dataset);
	return 0;
}

/* Flips one bit in each dataset in turn, with more than two ranks in about a quarter of them. The seal must detect it.
 * If it is ignored, checksums must: verification in all datasets, and loading in those that it reads. */
static void test_damage(void **state)
{
	(void)state;
	char path[256];
	uint64_t random = test_seed_all();
	snprintf(path, sizeof path, "%s", test_path_all("flip.h5"));
	fixture made = fixture_new(50, 80, KEYS_STRING, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	static dataset_places found;
	found.count = 0;
	if (test_comm.rank == 0) {
		hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
		H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_place, &found, H5O_INFO_BASIC);
		H5Fclose(file);
	}
	GEMP_MPI(MPI_Bcast(&found, sizeof found, MPI_BYTE, 0, test_comm.world));
	assert_true(found.count > 20);
	for (size_t d = 0; d < found.count; d++) {
		uint64_t at = found.first[d] + (found.bytes[d] ? gemp_random_below(&random, found.bytes[d]) : 0);
		if (!found.bytes[d] || (test_comm.size > 2 && gemp_random_below(&random, 4)))
			continue;
		if (test_comm.rank == 0)
			flip(path, at);
		bool loaded = strncmp(found.name[d], "provenance/", 11) != 0 && !strstr(found.name[d], "/_row") &&
		              !strstr(found.name[d], "/data") && !strstr(found.name[d], "/values");
		gemp_code verified = gemp_graph_file_verify(&test_comm, path, true), code = open_and_load(path, true);
		assert_all_code(gemp_graph_file_verify(&test_comm, path, false), GEMP_EDATA);
		if (verified != GEMP_EDATA || (loaded && code != GEMP_EDATA))
			fprintf(stderr, "a bit of '%s' was turned\n", found.name[d]);
		assert_all_code(verified, GEMP_EDATA);
		if (loaded) {
			assert_all_code(code, GEMP_EDATA);
			assert_all_code(open_and_load(path, false), GEMP_EDATA);
			assert_message("was changed after the file had been written");
		}
		if (test_comm.rank == 0)
			flip(path, at);
	}
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	gemp_shard_free(graph);
	fixture_free(&made);
}

/* Changes a value through HDF5, which accepts it, so that only the graph file's own checksum can detect the change. */
static void test_checksum(void **state)
{
	(void)state;
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("sum.h5"));
	fixture made = fixture_new(50, 80, KEYS_INTEGER, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	if (test_comm.rank == 0) {
		hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(file, "/nodes/_id", H5P_DEFAULT);
		int64_t keys[50];
		assert_true(H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, keys) >= 0);
		keys[33]++;
		assert_true(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, keys) >= 0);
		H5Dclose(data);
		H5Fclose(file);
	}
	assert_all_code(gemp_graph_file_verify(&test_comm, path, false), GEMP_EDATA);
	assert_message("was changed");
	assert_all_code(gemp_graph_file_verify(&test_comm, path, true), GEMP_EDATA);
	assert_message("'nodes/_id' is damaged");
	assert_all_code(open_and_load(path, true), GEMP_EDATA);
	assert_message("'/nodes/_id' is damaged");
	gemp_shard_free(graph);
	fixture_free(&made);
}

static void test_unwritable(void **state)
{
	(void)state;
	fixture made = fixture_new(20, 20, KEYS_INTEGER, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	assert_all_code(gemp_graph_file_write(&test_comm, graph, "/nowhere/at/all.h5", NULL), GEMP_EIO);
	assert_message("/nowhere/at/all.h5");
	const char *folder = test_path_all("");
	assert_all_code(gemp_graph_file_write(&test_comm, graph, folder, NULL), GEMP_EIO);
	gemp_shard_free(graph);
	fixture_free(&made);
}

static size_t files_like(const char *path)
{
	char pattern[300];
	glob_t found;
	snprintf(pattern, sizeof pattern, "%s*", path);
	size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return count;
}

/* A limit on the size of files acts like a full disk. All ranks must fail, and neither the file nor its temporary file
 * may be left. */
static void test_full_disk(void **state)
{
	(void)state;
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("full.h5"));
	fixture made = fixture_new(400, 900, KEYS_STRING, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	signal(SIGXFSZ, SIG_IGN);
	for (int serial = 0; serial < 2; serial++)
		for (rlim_t bytes = 0; bytes < 50000; bytes += 9999) {
			TEST_LIMIT(h5_serial, serial);
			struct rlimit limit, small;
			getrlimit(RLIMIT_FSIZE, &limit);
			small = (struct rlimit){ bytes, limit.rlim_max };
			setrlimit(RLIMIT_FSIZE, &small);
			gemp_code code = gemp_graph_file_write(&test_comm, graph, path, &provenance);
			setrlimit(RLIMIT_FSIZE, &limit);
			assert_all_code(code, GEMP_EIO);
			assert_all(files_like(path) == 0);
		}
	TEST_LIMIT_DEFAULT(h5_serial);
	assert_all_ok(gemp_graph_file_write(&test_comm, graph, path, &provenance));
	assert_all_ok(gemp_graph_file_verify(&test_comm, path, false));
	gemp_shard_free(graph);
	fixture_free(&made);
}

typedef struct write_step {
	gemp_shard *graph;
	const char *path;
} write_step;

static gemp_code write_and_load(void *argument)
{
	const write_step *step = argument;
	gemp_code code = gemp_graph_file_write(&test_comm, step->graph, step->path, &provenance);
	return code == GEMP_OK ? open_and_load(step->path, false) : code;
}

static gemp_code open_only(void *path)
{
	return open_and_load(path, false);
}

static void test_without_memory(void **state)
{
	(void)state;
	char path[256];
	snprintf(path, sizeof path, "%s", test_path_all("memory.h5"));
	fixture made = fixture_new(4, 6, KEYS_STRING, 1);
	gemp_shard *graph = build(&made, &test_comm, 1, false);
	write_step step = { graph, path };
	assert_all_ok(write_and_load(&step));
	if (test_comm.size <= 2)
		assert_all_survive_no_memory(write_and_load, &step);
	size_t live = gemp_memory_blocks();
	gemp_shard_free(graph);
	assert_all(live > 0 && gemp_memory_blocks() == 0);
	if (test_comm.size <= 2)
		assert_all_survive_no_memory(open_only, path);
	fixture_free(&made);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&self, MPI_COMM_SELF);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_parallel_and_serial_writing),
		cmocka_unit_test(test_wrong_files),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_truncated_files),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_unwritable),
		cmocka_unit_test(test_wide_types),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
