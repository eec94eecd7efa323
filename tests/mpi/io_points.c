/* Tests reads of single elements of datasets, by position, in all the ways that a dataset is stored and that an element
 * is read, with few and many blocks in memory; and the search for the row of a vertex of a label. */
#include "harness/collective.h"
#include "harness/limits.h"

#include "core/memory.h"
#include "core/random.h"
#include "io/graph_file/label_rows.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_numbers.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, COUNT = 5000 };
static const gemp_h5_kind kinds[KINDS] = { GEMP_H5_I8, GEMP_H5_I16, GEMP_H5_I32, GEMP_H5_I64, GEMP_H5_U32 };
static const char *const names[KINDS] = { "/a", "/b", "/c", "/d", "/e" };

/* The file of this rank. */
static const char *own_path(const char *name)
{
	static char path[512];
	snprintf(path, sizeof path, "%s.%d", test_path_all(name), test_comm.rank);
	return path;
}

static int64_t number_at(int kind, uint64_t i)
{
	const uint64_t mixed = gemp_mix(i + 7919 * (uint64_t)kind);
	switch (kinds[kind]) {
	case GEMP_H5_I8: return (int8_t)mixed;
	case GEMP_H5_I16: return (int16_t)mixed;
	case GEMP_H5_I32: return (int32_t)mixed;
	case GEMP_H5_U32: return (uint32_t)mixed;
	default: return (int64_t)mixed;
	}
}

/* Writes a dataset of each kind behind one of an odd number of bytes, so that no dataset is aligned. */
static void write_file(const char *path, bool compressed)
{
	gemp_h5 h5;
	static char odd[COUNT];
	int64_t *numbers = calloc(COUNT, sizeof *numbers);
	char *narrow = calloc(COUNT, sizeof *numbers);
	gemp_code code = gemp_h5_create_local(&h5, path);
	h5.compressed = compressed;
	for (int k = 0; k < KINDS; k++) {
		char name[8];
		const gemp_h5_slab some = { 4097 + 2 * (uint64_t)k, 0, 4097 + 2 * (uint64_t)k }, all = { COUNT, 0, COUNT };
		snprintf(name, sizeof name, "/odd%d", k);
		code = gemp_h5_write(&h5, code, name, gemp_h5_type_of(GEMP_H5_U8), some, odd);
		for (uint64_t i = 0; i < COUNT; i++)
			numbers[i] = number_at(k, i);
		gemp_h5_numbers_narrow(narrow, kinds[k], numbers, COUNT, 0);
		code = gemp_h5_write(&h5, code, names[k], gemp_h5_type_of(kinds[k]), all, narrow);
	}
	if (code == GEMP_OK)
		code = gemp_h5_write_constant(&h5, "/same", gemp_h5_type_of(GEMP_H5_I32), COUNT, 77);
	assert_all_ok(code == GEMP_OK ? gemp_h5_close(&h5) : code);
	free(numbers);
	free(narrow);
}

/* Compares some elements, read as integers and as bytes, and those of a block. */
static bool is_right(gemp_h5_points *points, int k, uint64_t first, size_t count)
{
	const gemp_h5_array *array;
	int64_t numbers[100];
	char bytes[100 * sizeof(int64_t)];
	const char *block;
	uint64_t begin, end;
	if (gemp_h5_points_array(points, names[k], &array) != GEMP_OK ||
	    gemp_h5_points_integers(points, array, first, count, numbers) != GEMP_OK ||
	    gemp_h5_points_read(points, array, first, count, bytes) != GEMP_OK ||
	    gemp_h5_points_block(points, array, first, &begin, &end, &block) != GEMP_OK)
		return false;
	for (size_t i = 0; i < count; i++)
		if (numbers[i] != number_at(k, first + i) || gemp_h5_number_at(bytes, kinds[k], i) != numbers[i])
			return false;
	if (!block)
		return true;
	for (uint64_t i = begin; i < end; i++) {
		int64_t aligned = 0;
		memcpy(&aligned, block + (i - begin) * array->type.size, array->type.size);
		if (gemp_h5_number_at(&aligned, kinds[k], 0) != number_at(k, i))
			return false;
	}
	return begin <= first && first < end && end <= COUNT;
}

static void elements_are_those_of_the_dataset(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (int c = 0; c < 6; c++) {
		const char *path = own_path(c % 2 ? "packed.h5" : "plain.h5");
		gemp_h5_points points;
		const gemp_h5_array *same;
		int64_t number = 0;
		bool right = true;
		if (c < 2)
			write_file(path, c % 2);
		TEST_LIMIT(file_blocks, c < 2 ? 1 : c < 4 ? 4 : 1024);
		assert_all_ok(gemp_h5_points_init(&points, path, false));
		const bool unchanged = gemp_h5_points_begin(&points);
		for (int i = 0; i < (c % 2 ? 200 : 2000) && right; i++) {
			const size_t count = gemp_random_below(&random, i % 9 ? 3 : 100);
			const uint64_t first = gemp_random_below(&random, COUNT - count);
			right = is_right(&points, (int)gemp_random_below(&random, KINDS), first, count);
		}
		right = right && gemp_h5_points_array(&points, "/same", &same) == GEMP_OK &&
		        gemp_h5_points_integers(&points, same, COUNT - 1, 1, &number) == GEMP_OK && number == 77 &&
		        gemp_h5_points_integers(&points, same, COUNT, 1, &number) == GEMP_EDATA;
		gemp_h5_points_end(&points);
		gemp_h5_points_free(&points);
		assert_all(right && unchanged);
		TEST_LIMIT_DEFAULT(file_blocks);
	}
}

/* Writes ids that are random, that lie in few ranges, or that have gaps which grow. Returns their number. */
static size_t write_ids(const char *path, int way, bool compressed, uint32_t *ids, uint64_t vertices, uint64_t *random)
{
	size_t count = 0;
	gemp_h5 h5;
	for (uint64_t v = 0; v < vertices; v++)
		if (way == 0   ? gemp_random_below(random, 3) == 0
		    : way == 1 ? v % 20000 < 3000
		               : v < 4000 || v % (v / 1000) == 0)
			ids[count++] = (uint32_t)v;
	gemp_code code = gemp_h5_create_local(&h5, path);
	h5.compressed = compressed;
	code = gemp_h5_write(&h5, code, "/ids", gemp_h5_type_of(GEMP_H5_U32), (gemp_h5_slab){ count, 0, count }, ids);
	assert_all_ok(code == GEMP_OK ? gemp_h5_close(&h5) : code);
	return count;
}

static void rows_of_a_label_are_found(void **state)
{
	(void)state;
	enum { VERTICES = 60000 };
	uint64_t random = test_seed_all();
	uint32_t *ids = calloc(VERTICES, sizeof *ids);
	for (int c = 0; c < 6; c++) {
		const char *path = own_path("ids.h5");
		const size_t count = write_ids(path, c % 3, c / 3, ids, VERTICES, &random);
		gemp_h5_points points;
		const gemp_h5_array *array = NULL;
		bool right;
		size_t next = 0;
		assert_all_ok(gemp_h5_points_init(&points, path, false));
		const bool unchanged = gemp_h5_points_begin(&points);
		right = gemp_h5_points_array(&points, "/ids", &array) == GEMP_OK;
		for (gemp_vertex v = 0; v < VERTICES && right;
		     v += c / 3 ? 1 + (gemp_vertex)gemp_random_below(&random, 499) : 7) {
			uint64_t row = 0;
			while (next < count && ids[next] < v)
				next++;
			right = gemp_label_rows_find(&points, array, VERTICES, v, &row) == GEMP_OK &&
			        row == (next < count && ids[next] == v ? next : UINT64_MAX);
		}
		gemp_h5_points_end(&points);
		gemp_h5_points_free(&points);
		assert_all(right && unchanged && count > 5000);
	}
	free(ids);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_those_of_the_dataset),
		cmocka_unit_test(rows_of_a_label_are_found),
	};
	return test_main_all(argc, argv, tests);
}
