/* Tests HDF5 files of rows: HDF5 itself reads the rows back, and the bytes of a file depend on the rows alone, not on
 * how ranks and calls share them. Chunks are short, so that every call completes several. */
#include "harness/collective.h"
#include "harness/limits.h"

#include "core/memory.h"
#include "core/random.h"
#include "graph/column.h"
#include "io/hdf5/hdf5_column.h"
#include "io/rows/result_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 6, MAX_ROWS = 300, MAX_STRING = 60 };

/* The names are encoded in paths. The last column has no NULL, and the last but one no values. */
static const char *const names[COLUMNS] = { "n", "a/b", "", "100 %", "nothing", "all" };
static const gemp_type types[COLUMNS] = {
	GEMP_INTEGER, GEMP_STRING, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_STRING, GEMP_STRING
};
static const char *const places[COLUMNS] = { "n", "a%2Fb", "%", "100 %25", "nothing", "all" };

/* Row `row` of column c, the same on all ranks. NULL is rare in long files, so that chunks without NULL come first. */
static gemp_value value_of(uint64_t seed, size_t rows, size_t c, size_t row, char text[MAX_STRING + 1])
{
	const uint64_t random = gemp_mix(seed + 1000 * row + c);
	gemp_value value = { .type = types[c], .null = c == 4 || (c < 4 && row > rows / 2 && random % 5 == 0) };
	const size_t size = c == 4 ? 0 : random / 64 % (random % 7 == 0 ? MAX_STRING : 6);
	switch (types[c]) {
	case GEMP_INTEGER: value.integer = (int64_t)(random >> random % 60) - 5; break;
	case GEMP_FLOAT: value.real = (double)(random % 1000) / 8; break;
	case GEMP_BOOLEAN: value.truth = random / 8 % 2; break;
	default:
		for (size_t i = 0; i < size; i++)
			text[i] = (char)('a' + gemp_mix(random + i) % 26);
		value.string = (gemp_string){ text, size };
	}
	return value;
}

typedef struct row_table {
	uint64_t seed;
	size_t rows;
} row_table;

static gemp_code fill_columns(gemp_column *columns, const row_table *t, size_t first, size_t count)
{
	char text[MAX_STRING + 1];
	for (size_t c = 0; c < COLUMNS; c++) {
		GEMP_TRY(gemp_column_init(&columns[c], names[c], types[c]));
		GEMP_TRY(gemp_column_reserve(&columns[c], 0, 0));
		for (size_t row = first; row < first + count; row++) {
			const gemp_value value = value_of(t->seed, t->rows, c, row, text);
			GEMP_TRY(gemp_column_add(&columns[c], &value));
		}
	}
	return GEMP_OK;
}

/* Appends this rank's rows first .. first + count - 1 of the table. `code` fails before. */
static gemp_code append_after(gemp_result_file *file, gemp_code code, const row_table *t, size_t first, size_t count)
{
	gemp_column columns[COLUMNS] = { 0 };
	const gemp_column *list[COLUMNS];
	for (size_t c = 0; c < COLUMNS; c++)
		list[c] = &columns[c];
	GEMP_THEN(fill_columns(columns, t, first, count));
	code = gemp_result_file_write(file, code, list, count);
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&columns[c]);
	return code;
}

static gemp_code append(gemp_result_file *file, const row_table *t, size_t first, size_t count)
{
	return append_after(file, GEMP_OK, t, first, count);
}

static gemp_code open_file(gemp_result_file **file, const char *path)
{
	gemp_column header[COLUMNS] = { 0 };
	const gemp_column *list[COLUMNS];
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < COLUMNS; c++) {
		list[c] = &header[c];
		GEMP_THEN(gemp_column_init(&header[c], names[c], types[c]));
	}
	code = gemp_comm_agree(&test_comm, code);
	GEMP_THEN(gemp_result_file_open(file, &test_comm, path, list, COLUMNS));
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&header[c]);
	return code;
}

/* Divides the rows among calls, and the rows of a call among ranks, by `division`. Division 0: one call of rank 0. Some
 * ranks have no rows in a call, and some calls have none at all. */
static gemp_code write_table(const char *path, const row_table *t, uint64_t division)
{
	gemp_result_file *file = NULL;
	GEMP_TRY(open_file(&file, path));
	gemp_code code = GEMP_OK;
	for (size_t at = 0, call = 0; code == GEMP_OK && (at < t->rows || call == 0); call++) {
		size_t first = at, count = 0;
		for (int r = 0; r < test_comm.size; r++) {
			const uint64_t random = gemp_mix(division + 100 * call + (uint64_t)r);
			const size_t share = division ? random / 8 % (random % 3 ? 70 : 1) : r ? 0 : t->rows;
			const size_t own = share < t->rows - at ? share : t->rows - at;
			if (r == test_comm.rank) {
				first = at;
				count = own;
			}
			at += own;
		}
		code = append(file, t, first, count);
	}
	if (code != GEMP_OK) {
		gemp_result_file_abandon(file);
		return code;
	}
	return gemp_result_file_close(file, &(gemp_result_info){ "MATCH (a)", "iso", "none", 77, true });
}

/* READING */

static bool read_column(gemp_column *out, const gemp_h5 *h5, const char *group, const char *place)
{
	char path[64];
	uint64_t length = 0;
	bool known = false;
	snprintf(path, sizeof path, "%s/%s", group, place);
	return gemp_h5_length(h5, path, &length) == GEMP_OK &&
	       gemp_h5_column(out, h5, path, place, 0, (size_t)length, &known) == GEMP_OK && known;
}

static bool same_value(const gemp_column *column, const gemp_column *null, size_t row, gemp_value expected)
{
	const gemp_value value = gemp_column_get(column, row);
	if ((null->rows && null->booleans[row]) != expected.null)
		return false;
	if (expected.null)
		return true;
	switch (expected.type) {
	case GEMP_INTEGER: return value.integer == expected.integer;
	case GEMP_FLOAT: return value.real == expected.real;
	case GEMP_BOOLEAN: return value.truth == expected.truth;
	default:
		return value.string.size == expected.string.size &&
		       memcmp(value.string.bytes, expected.string.bytes, expected.string.size) == 0;
	}
}

static bool holds_column(const gemp_h5 *h5, const row_table *t, size_t c)
{
	gemp_column values = { 0 }, null = { 0 };
	char place[64], text[MAX_STRING + 1];
	bool right = read_column(&values, h5, "/rows", places[c]), any = false;
	snprintf(place, sizeof place, "/null/%s", places[c]);
	const bool has = H5Lexists(h5->file, place, H5P_DEFAULT) > 0;
	right = right && (!has || read_column(&null, h5, "/null", places[c]));
	right = right && values.rows == t->rows && (!has || null.rows == t->rows);
	for (size_t row = 0; right && row < t->rows; row++) {
		const gemp_value expected = value_of(t->seed, t->rows, c, row, text);
		any |= expected.null;
		right = same_value(&values, &null, row, expected);
	}
	gemp_column_free(&values);
	gemp_column_free(&null);
	return right && any == has;
}

/* Reads the file by HDF5 without MPI, with HDF5's own filters. */
static bool holds(const char *path, const row_table *t)
{
	gemp_h5 h5;
	bool right = gemp_h5_open_local(&h5, path, false, "") == GEMP_OK;
	for (size_t c = 0; c < COLUMNS && right; c++)
		if (!(right = holds_column(&h5, t, c)))
			fprintf(stderr, "%s: column %zu of %zu rows differs\n", path, c, t->rows);
	gemp_h5_close(&h5);
	return right;
}

static char *read_bytes(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	*size = 0;
	if (file) {
		fseek(file, 0, SEEK_END);
		*size = (size_t)ftell(file);
		rewind(file);
		bytes = malloc(*size + 1);
		*size = fread(bytes, 1, *size, file);
		fclose(file);
	}
	return bytes;
}

static bool same_bytes(const char *path, const char *other)
{
	size_t size, other_size;
	char *bytes = read_bytes(path, &size), *others = read_bytes(other, &other_size);
	const bool same = bytes && others && size == other_size && memcmp(bytes, others, size) == 0;
	free(bytes);
	free(others);
	return same;
}

/* TESTS */

/* Lengths around that of a chunk, and chunks of one row. */
static void any_division_gives_the_same_bytes(void **state)
{
	(void)state;
	static const struct {
		uint64_t chunk;
		size_t rows;
	} cases[] = { { 16, 0 },  { 1, 1 },   { 1, 40 },  { 3, 2 },         { 3, 3 },          { 3, 4 },
		          { 16, 16 }, { 16, 33 }, { 7, 150 }, { 16, MAX_ROWS }, { 1000, MAX_ROWS } };
	const uint64_t seed = test_seed_all();
	const char *whole = test_path_all("whole.h5"), *divided = test_path_all("divided.h5");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const row_table table = { seed + i, cases[i].rows };
		TEST_LIMIT(result_chunk, cases[i].chunk);
		assert_all_ok(write_table(whole, &table, 0));
		assert_all(test_comm.rank != 0 || holds(whole, &table));
		for (uint64_t division = 1; division < 3; division++) {
			assert_all_ok(write_table(divided, &table, seed + division));
			assert_all(test_comm.rank != 0 || same_bytes(whole, divided));
		}
	}
	TEST_LIMIT_DEFAULT(result_chunk);
}

/* The default limit, and rows of all ranks in one call. */
static void chunks_of_the_usual_length(void **state)
{
	(void)state;
	const char *path = test_path_all("usual.h5");
	const row_table table = { test_seed_all(), 150000 };
	gemp_result_file *file;
	assert_all_ok(open_file(&file, path));
	const gemp_block_range mine = gemp_comm_block(&test_comm, table.rows);
	assert_all_ok(append(file, &table, mine.begin, mine.end - mine.begin));
	assert_all_ok(gemp_result_file_close(file, &(gemp_result_info){ "", "iso", "none", 0, true }));
	assert_all(test_comm.rank != 0 || holds(path, &table));
}

static int files_in(const char *folder)
{
	int count = 0;
	char command[4200], line[16] = "";
	snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
	FILE *list = popen(command, "r");
	if (list && fgets(line, sizeof line, list))
		count = atoi(line);
	if (list)
		pclose(list);
	return count;
}

static const char *new_folder(const char *name)
{
	const char *folder = test_path_all(name);
	if (test_comm.rank == 0)
		mkdir(folder, 0777);
	GEMP_MPI(MPI_Barrier(test_comm.world));
	return folder;
}

static void failures_agree_and_leave_no_file(void **state)
{
	(void)state;
	char path[4200];
	gemp_result_file *file;
	const row_table table = { 1, 100 };
	const char *folder = new_folder("failed");
	snprintf(path, sizeof path, "%s/missing/x.h5", folder);
	assert_all_code(open_file(&file, path), GEMP_EIO);
	snprintf(path, sizeof path, "%s/x.h5", folder);
	TEST_LIMIT(result_chunk, 7);
	for (int failing = 0; failing < test_comm.size; failing++) {
		assert_all_ok(open_file(&file, path));
		assert_all_ok(append(file, &table, 0, 30));
		const gemp_code own = failing == test_comm.rank ? gemp_fail(GEMP_EDATA, "too much") : GEMP_OK;
		assert_all_code(append_after(file, own, &table, 30, 40), GEMP_EDATA);
		gemp_result_file_abandon(file);
		GEMP_MPI(MPI_Barrier(test_comm.world));
		assert_all(files_in(folder) == 0);
	}
	TEST_LIMIT_DEFAULT(result_chunk);
}

static gemp_code write_few(void *argument)
{
	return write_table(test_path_all("memory.h5"), argument, 5);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		return; /* lets each request for memory fail, which is slow and tests nothing new on more ranks */
	row_table table = { 3, 20 };
	TEST_LIMIT(result_chunk, 4);
	assert_all_survive_no_memory(write_few, &table);
	TEST_LIMIT_DEFAULT(result_chunk);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_division_gives_the_same_bytes),
		cmocka_unit_test(chunks_of_the_usual_length),
		cmocka_unit_test(failures_agree_and_leave_no_file),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
