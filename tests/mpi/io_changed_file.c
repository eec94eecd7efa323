/* Tests graph files that somebody has changed. A query on a file whose bytes differ from those that were written gives
 * the right answer, because it did not read them, or fails with GEMP_EDATA. A file that was forged, with elements or
 * attributes that are nonsense but all sums made to fit, fails or gives an answer, on all ranks, and the process goes
 * on. GEMP_FUZZ_ROUNDS is the number of rounds of each test. */
#include "api_case.h"

#include "io/file/seal.h"
#include "io/file/sealed_file.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_file.h"

#include <hdf5.h>
#include <unistd.h>

typedef struct original {
	const char *generator;
	bool compressed;
	const char *queries[3];
	char path[256];
	size_t size;
	unsigned char *bytes; /* [size], on all ranks */
	uint64_t answer;
} original;

static original originals[] = {
	{ .generator = "movies",
	  .queries = { "MATCH (a)-->(b) RETURN count(*)",
	               "MATCH (a:Person)-->(m)<--(b) WHERE id(a) < id(b) RETURN m.name, count(*) AS n ORDER BY n DESC, m.name LIMIT 5",
	               "MATCH (a:Person)-[r]->(m) WHERE m.year > 1990 RETURN id(a), a.name, m.rating" } },
	{ .generator = "movies",
	  .compressed = true,
	  .queries = { "MATCH (a)-->(b) RETURN count(*)", "MATCH (m:Movie) RETURN m.year, min(m.name), avg(m.rating)",
	               "MATCH (a {name: 'Person 7'})--(b)--(c) RETURN id(b), c.name" } },
	{ .generator = "rmat",
	  .queries = { "MATCH (a)--(b)--(c)--(a) RETURN count(*)", "MATCH (a)--(b) RETURN labels(a), count(*) AS n",
	               "MATCH (a)--(b)--(c) WHERE id(a) = 3 AND id(a) <> id(c) RETURN id(b), id(c)" } },
};
enum { ORIGINALS = sizeof originals / sizeof *originals };

static gemp_context *context;
static uint64_t random_state;

static uint64_t below(uint64_t bound)
{
	return gemp_random_below(&random_state, bound);
}

static int rounds(int standard)
{
	const char *asked = getenv("GEMP_FUZZ_ROUNDS");
	return asked ? atoi(asked) : standard;
}

/* Collective. Asks all queries of a file. *answer is a hash of all rows. */
static gemp_code ask(const original *o, const char *path, uint64_t *answer)
{
	gemp_graph *graph = NULL;
	*answer = 0;
	gemp_code code = gemp_graph_open(&graph, context, path);
	for (size_t q = 0; q < 3 && code == GEMP_OK; q++) {
		gemp_query *query = NULL;
		gemp_columns *columns = NULL;
		code = gemp_query_open(&query, graph, o->queries[q], NULL);
		if (code == GEMP_OK)
			code = gemp_query_run(query, &columns, NULL, NULL);
		if (code == GEMP_OK)
			*answer = *answer * 31 + gemp_comm_sum1(&test_comm, api_rows_hash(columns));
		gemp_columns_close(columns);
		gemp_query_close(query);
	}
	gemp_graph_close(graph);
	return code;
}

/* Collective. Rank 0 writes a file. */
static void put_file(const char *path, const unsigned char *bytes, size_t size)
{
	MPI_Barrier(test_comm.world);
	if (test_comm.rank == 0) {
		FILE *file = fopen(path, "wb");
		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, size, file), size);
		fclose(file);
	}
	MPI_Barrier(test_comm.world);
}

static void make_original(original *o, size_t number)
{
	static const gemp_generator_parameter movies[] = { { "films", "60", NULL }, { "people", "90", NULL } },
										  rmat[] = { { "scale", "6", NULL } };
	static const char *const names[] = { "name", "year" };
	const bool is_rmat = strcmp(o->generator, "rmat") == 0;
	gemp_graph *graph = NULL;
	gemp_write_settings settings;
	gemp_write_settings_init(&settings);
	settings.compressed = o->compressed;
	settings.indexed = names;
	settings.indexed_count = is_rmat ? 0 : 2;
	char name[16];
	snprintf(name, sizeof name, "%zu.h5", number);
	snprintf(o->path, sizeof o->path, "%s", test_path_all(name));
	assert_all_ok(gemp_graph_generate(&graph, context, o->generator, is_rmat ? rmat : movies, is_rmat ? 1 : 2, 1, 0));
	assert_all_ok(gemp_graph_write(graph, o->path, &settings, NULL));
	gemp_graph_close(graph);
	FILE *file = fopen(o->path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	o->size = (size_t)ftell(file);
	rewind(file);
	o->bytes = malloc(o->size);
	assert_int_equal(fread(o->bytes, 1, o->size, file), o->size);
	fclose(file);
	assert_all_ok(ask(o, o->path, &o->answer));
}

static int setup(void **state)
{
	(void)state;
	gemp_context_options options;
	gemp_context_options_init(&options);
	options.verbosity = GEMP_QUIET;
	assert_all_ok(gemp_context_open(&context, test_comm.world, &options));
	for (size_t i = 0; i < ORIGINALS; i++)
		make_original(&originals[i], i);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ORIGINALS; i++)
		free(originals[i].bytes);
	gemp_context_close(context);
	assert_all(gemp_memory_blocks() == 0);
	return 0;
}

/* CHANGES WITHOUT A NEW SEAL */

/* Changes some bytes, the same on all ranks. */
static void change_bytes(unsigned char *bytes, size_t *size)
{
	const size_t at = (size_t)below(*size), some = (size_t)below(gemp_min(*size - at, 5000)) + 1;
	switch (below(6)) {
	case 0: bytes[at] ^= (unsigned char)(1u << below(8)); break;
	case 1: bytes[at] = (unsigned char)below(256); break;
	case 2: memset(bytes + at, 0, some); break;
	case 3: /* swaps two pieces */
		for (size_t i = 0, other = (size_t)below(*size - some + 1); i < some; i++) {
			const unsigned char byte = bytes[at + i];
			bytes[at + i] = bytes[other + i];
			bytes[other + i] = byte;
		}
		break;
	case 4: *size = at; break;
	default: bytes[(*size)++] = (unsigned char)below(256); /* the caller has room for it */
	}
}

static void changed_files_give_no_answer(void **state)
{
	(void)state;
	int changed = 0, refused = 0;
	random_state = test_seed_all();
	for (int i = 0; i < rounds(60); i++) {
		const original *o = &originals[below(ORIGINALS)];
		unsigned char *bytes = malloc(o->size + 1);
		size_t size = o->size;
		uint64_t answer;
		char path[256];
		snprintf(path, sizeof path, "%s", test_path_all("changed.h5"));
		memcpy(bytes, o->bytes, o->size);
		change_bytes(bytes, &size);
		put_file(path, bytes, size);
		const bool same = size == o->size && memcmp(bytes, o->bytes, size) == 0;
		const gemp_code code = ask(o, path, &answer);
		assert_all(code == (same ? GEMP_OK : code == GEMP_OK ? GEMP_OK : GEMP_EDATA));
		assert_all(code != GEMP_OK || answer == o->answer);
		assert_all(code == GEMP_OK || strstr(gemp_message(), path) != NULL);
		assert_all_code(gemp_graph_verify(context, path, NULL), same ? GEMP_OK : GEMP_EDATA);
		changed += !same;
		refused += code == GEMP_EDATA;
		free(bytes);
	}
	if (test_comm.rank == 0)
		printf("%d files were changed, queries refused %d of them\n", changed, refused);
	assert_all(refused * 2 > changed);
}

/* FORGED FILES */

typedef struct place {
	char name[200];
	H5O_type_t type;
} place;

typedef struct places {
	size_t count;
	place place[400];
} places;

static herr_t note_place(hid_t file, const char *name, const H5O_info_t *info, void *all_)
{
	(void)file;
	places *all = all_;
	if (all->count < sizeof all->place / sizeof *all->place) {
		place *p = &all->place[all->count++];
		snprintf(p->name, sizeof p->name, "%s", name);
		p->type = info->type;
	}
	return 0;
}

/* Gives the elements of a dataset values that its readers do not expect, and makes its checksum fit. */
static void forge_elements(hid_t file, const char *name)
{
	hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(dataset), space = H5Dget_space(dataset);
	const size_t size = H5Tget_size(type);
	const hssize_t count = H5Sget_simple_extent_npoints(space);
	if (H5Tis_variable_str(type) == 0 && count > 0 && H5Dget_offset(dataset) != HADDR_UNDEF) {
		unsigned char *data = calloc((size_t)count, size);
		assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
		const size_t whole = (size_t)count * size, at = (size_t)below((uint64_t)count) * size;
		switch (below(5)) {
		case 0: memset(data + at, 0xff, size); break;
		case 1: memset(data, 0, whole); break;
		case 2: memset(data + at, 0x7f, whole - at); break;
		case 3: memmove(data, data + at, whole - at); break;
		default: data[below(whole)] ^= (unsigned char)(1u << below(8));
		}
		const uint64_t sum = gemp_h5_checksum(data, size, 0, (uint64_t)count);
		assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
		if (H5Aexists(dataset, "checksum") > 0) {
			hid_t attribute = H5Aopen(dataset, "checksum", H5P_DEFAULT);
			assert_true(H5Awrite(attribute, H5T_NATIVE_UINT64, &sum) >= 0);
			H5Aclose(attribute);
		}
		free(data);
	}
	H5Sclose(space);
	H5Tclose(type);
	H5Dclose(dataset);
}

/* Changes or removes one attribute of an object. */
static void forge_attribute(hid_t file, const char *name)
{
	static const int64_t numbers[] = { 0, -1, 1, INT64_MAX, INT64_MIN, 1 << 20 };
	hid_t object = H5Oopen(file, name, H5P_DEFAULT);
	H5O_info_t info;
	assert_true(H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) >= 0);
	if (info.num_attrs > 0) {
		hid_t attribute = H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, below(info.num_attrs), H5P_DEFAULT,
		                                 H5P_DEFAULT);
		hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
		char attribute_name[100];
		H5Aget_name(attribute, sizeof attribute_name, attribute_name);
		if (H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1 && below(3))
			H5Awrite(attribute, H5T_NATIVE_INT64, &numbers[below(sizeof numbers / sizeof *numbers)]);
		else
			H5Adelete(object, attribute_name);
		H5Sclose(space);
		H5Tclose(type);
		H5Aclose(attribute);
	}
	H5Oclose(object);
}

/* Moves one object to the place of another, or removes it. */
static void forge_link(hid_t file, const char *name, const char *other)
{
	if (below(3) == 0) {
		H5Ldelete(file, name, H5P_DEFAULT);
	} else if (strcmp(name, other) != 0 && strncmp(name, other, strlen(name)) != 0) {
		H5Ldelete(file, other, H5P_DEFAULT);
		H5Lmove(file, name, file, other, H5P_DEFAULT, H5P_DEFAULT);
	}
}

/* Rank 0 alone. Removes the seal, changes what HDF5 knows, and seals the file again. */
static void forge(const original *o, const char *path)
{
	static places all;
	gemp_comm self = { .size = 1, .node_size = 1 };
	gemp_sealed_file sealed;
	self.world = self.node = MPI_COMM_SELF;
	assert_ok(gemp_sealed_open(&sealed, o->path, false));
	assert_int_equal(truncate(path, (long)sealed.size), 0);
	gemp_sealed_close(&sealed);
	hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	assert_true(file >= 0);
	all.count = 0;
	H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_place, &all, H5O_INFO_BASIC);
	const place *p = &all.place[below(all.count)], *q = &all.place[below(all.count)];
	const uint64_t kind = below(8);
	if (kind < 5 && p->type == H5O_TYPE_DATASET)
		forge_elements(file, p->name);
	else if (kind < 7 || strcmp(p->name, ".") == 0 || strcmp(q->name, ".") == 0)
		forge_attribute(file, p->name);
	else
		forge_link(file, p->name, q->name);
	assert_true(H5Fclose(file) >= 0);
	assert_ok(gemp_seal_file(&self, path));
}

static void forged_files_do_no_harm(void **state)
{
	(void)state;
	int refused = 0, unverified = 0;
	random_state = test_seed_all();
	for (int i = 0; i < rounds(60); i++) {
		const original *o = &originals[below(ORIGINALS)];
		uint64_t answer;
		char path[256];
		snprintf(path, sizeof path, "%s", test_path_all("forged.h5"));
		put_file(path, o->bytes, o->size);
		if (test_comm.rank == 0)
			forge(o, path);
		gemp_comm_max(&test_comm, &random_state, 1); /* rank 0 drew more numbers */
		const gemp_code code = ask(o, path, &answer), verified = gemp_graph_verify(context, path, NULL);
		if (code != GEMP_OK && code != GEMP_EDATA)
			fprintf(stderr, "round %d: code %d: %s\n", i, (int)code, gemp_message());
		assert_all(code == GEMP_OK || code == GEMP_EDATA);
		assert_all(verified == GEMP_OK || verified == GEMP_EDATA);
		if (verified == GEMP_OK)
			assert_all(code == GEMP_OK && answer == o->answer);
		refused += code != GEMP_OK;
		unverified += verified != GEMP_OK;
	}
	if (test_comm.rank == 0)
		printf("queries refused %d forged files, verification %d\n", refused, unverified);
	assert_all(unverified > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changed_files_give_no_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(forged_files_do_no_harm, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
