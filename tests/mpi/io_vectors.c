/* Tests reading vectors from text tables and .npy files: each rank gets its rows in order, with missing values,
 * whatever the form of the file. A word that is not a number is reported with its line and column. Requests for memory
 * may fail anywhere. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "graph/column.h"
#include "io/arrays/vectors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 200, MAX_COLUMNS = 9 };

static char path[4096];
static float written[MAX_ROWS][MAX_COLUMNS];
static size_t rows, columns;

/* Draws missing values, and multiples of 1/4, which survive being written in decimal digits. */
static void draw(uint64_t *random)
{
	rows = gemp_random_below(random, MAX_ROWS);
	columns = 1 + gemp_random_below(random, MAX_COLUMNS);
	for (size_t i = 0; i < rows; i++)
		for (size_t c = 0; c < columns; c++)
			written[i][c] = gemp_random_below(random, 6) == 0 ? NAN : (float)gemp_random_below(random, 4000) / 4 - 500;
}

static FILE *create(const char *name)
{
	snprintf(path, sizeof path, "%s", test_path_all(name));
	return test_comm.rank == 0 ? fopen(path, "wb") : NULL;
}

static void close_all(FILE *file)
{
	if (file)
		fclose(file);
	GEMP_MPI(MPI_Barrier(test_comm.world));
}

/* The form of a text table: CSV or TSV, with or without a header and a column of keys, and the end of a line. */
typedef struct form {
	bool csv, header, keys, crlf;
} form;

static void print_value(FILE *file, float value, uint64_t dice)
{
	static const char *const missing[] = { "", "nan", "NA", "NaN" };
	if (isnan(value))
		fputs(missing[columns == 1 ? 1 + dice % 3 : dice % 4], file); /* an empty line would not count as a row */
	else
		fprintf(file, dice % 2 ? "%.2f" : "%g", (double)value);
}

static void write_text(form f, uint64_t random)
{
	FILE *file = create(f.csv ? "v.csv" : "v.tsv");
	const char *between = f.csv ? "," : "\t", *end = f.crlf ? "\r\n" : "\n";
	if (file && f.header) {
		fputs(f.keys ? "name" : "", file);
		for (size_t c = 0; c < columns; c++)
			fprintf(file, "%sc%zu", c || f.keys ? between : "", c);
		fputs(end, file);
	}
	for (size_t i = 0; file && i < rows; i++) {
		if (f.keys)
			fprintf(file, f.csv && i % 3 == 0 ? "\"row, %zu\"" : "row %zu", i);
		for (size_t c = 0; c < columns; c++) {
			fputs(c || f.keys ? between : "", file);
			print_value(file, written[i][c], gemp_random(&random));
		}
		fputs(gemp_random(&random) % 5 ? end : "\n\n", file);
	}
	close_all(file);
}

static bool same(float a, float b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static bool as_written(const gemp_vectors *v)
{
	gemp_block_range span = gemp_comm_block(&test_comm, rows);
	uint64_t missing = 0;
	bool right = v->total == rows && v->dims == columns && v->count == span.end - span.begin;
	for (size_t i = 0; right && i < v->count; i++)
		for (size_t c = 0; c < columns; c++)
			right = right && same(v->x[i * columns + c], written[span.begin + i][c]);
	for (size_t i = 0; i < rows; i++)
		for (size_t c = 0; c < columns; c++)
			missing += isnan(written[i][c]) != 0;
	return right && v->missing == missing;
}

static bool keys_as_written(const gemp_vectors *v, bool csv)
{
	uint64_t first = gemp_comm_block(&test_comm, rows).begin;
	bool right = gemp_column_loaded(&v->keys) && v->keys.rows == v->count;
	for (size_t i = 0; right && i < v->count; i++) {
		char name[32];
		gemp_value key = gemp_column_get(&v->keys, i);
		snprintf(name, sizeof name, csv && (first + i) % 3 == 0 ? "row, %" PRIu64 : "row %" PRIu64, first + i);
		right = key.string.size == strlen(name) && memcmp(key.string.bytes, name, key.string.size) == 0;
	}
	return right;
}

static bool has_column_names(const gemp_vectors *v, char letter, size_t from)
{
	bool right = true;
	for (size_t c = 0; c < columns; c++) {
		char name[16];
		snprintf(name, sizeof name, "%c%zu", letter, c + from);
		right = right && strcmp(v->names[c], name) == 0;
	}
	return right;
}

static void random_text_tables(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (unsigned k = 0; k < 48; k++) {
		gemp_vectors v;
		form f = { .csv = k & 1, .header = k & 2, .keys = k & 4, .crlf = k & 8 };
		do
			draw(&random);
		while (!f.header && rows == 0); /* an empty file would be an error */
		write_text(f, gemp_random(&random));
		bool by_name = f.header && f.keys && (k & 16 || rows == 0);
		assert_all_ok(gemp_vectors_read(&v, &test_comm, path, by_name ? "name" : NULL));
		assert_all(as_written(&v));
		assert_all(f.keys ? keys_as_written(&v, f.csv) : !gemp_column_loaded(&v.keys));
		assert_all(f.header ? has_column_names(&v, 'c', 0) : has_column_names(&v, 'x', 1));
		if (rows) { /* shows that the comparison can fail */
			written[rows - 1][0] = isnan(written[rows - 1][0]) ? 0 : NAN;
			assert_all(!as_written(&v));
		}
		gemp_vectors_free(&v);
	}
}

static void write_npy(bool fortran, bool twofold)
{
	FILE *file = create("v.npy");
	char head[128];
	if (file) {
		int length = snprintf(head, sizeof head,
		                      "\x93NUMPY\x01%c\x76%c{'descr': '<f%d', 'fortran_order': %s, 'shape': "
		                      "(%zu, %zu), }",
		                      0, 0, twofold ? 8 : 4, fortran ? "True" : "False", rows, columns);
		memset(head + length, ' ', sizeof head - (size_t)length);
		head[127] = '\n';
		fwrite(head, 1, sizeof head, file);
		for (size_t i = 0; i < rows * columns; i++) {
			float value = fortran ? written[i % rows][i / rows] : written[i / columns][i % columns];
			double wide = (double)value;
			fwrite(twofold ? (void *)&wide : (void *)&value, twofold ? 8 : 4, 1, file);
		}
	}
	close_all(file);
}

static void npy_arrays(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (unsigned k = 0; k < 24; k++) {
		gemp_vectors v;
		draw(&random);
		write_npy(k & 1, k & 2);
		assert_all_ok(gemp_vectors_read(&v, &test_comm, path, NULL));
		assert_all(as_written(&v) && has_column_names(&v, 'x', 1));
		gemp_vectors_free(&v);
	}
	assert_all_code(gemp_vectors_read(&(gemp_vectors){ 0 }, &test_comm, path, "name"), GEMP_EUSAGE);
}

static void check_error(const char *text, const char *key, gemp_code code, const char *says)
{
	gemp_vectors v;
	FILE *file = create("bad.tsv");
	if (file)
		fputs(text, file);
	close_all(file);
	assert_all_code(gemp_vectors_read(&v, &test_comm, path, key), code);
	if (!strstr(gemp_message(), says))
		print_error("'%s' does not say '%s'\n", gemp_message(), says);
	assert_all(strstr(gemp_message(), says) != NULL);
}

static void invalid_files_are_rejected(void **state)
{
	(void)state;
	check_error("1\t2\n3\t4\n\n5\tsix\n", NULL, GEMP_EDATA, "bad.tsv:4: column 2: 'six' is not a number");
	check_error("k\ta\tb\nx\t1\t2\ny\t1\t0x3\n", NULL, GEMP_EDATA, "bad.tsv:3: column 3 (b): '0x3' is not a number");
	check_error("1\t2\n3\n", NULL, GEMP_EDATA, "bad.tsv:2: column 1: this row has 1 column, and the first one 2");
	check_error("1\t2\n3\t4\t5\n", NULL, GEMP_EDATA, "bad.tsv:2: column 3: this row has 3 columns");
	check_error("1\t2\n3\t1e39\n", NULL, GEMP_EDATA, "bad.tsv:2: column 2: '1e39' is more than a float holds");
	check_error("1\t-inf\n", NULL, GEMP_EDATA, "bad.tsv:1: column 2: '-inf' is more than");
	check_error("1\t2\n", "name", GEMP_EUSAGE, "no header");
	check_error("a\tb\n1\t2\n", "name", GEMP_EUSAGE, "no such column");
	assert_all_code(gemp_vectors_read(&(gemp_vectors){ 0 }, &test_comm, test_path_all("none.tsv"), NULL),
	                GEMP_ENOINPUT);
	assert_all_code(gemp_vectors_read(&(gemp_vectors){ 0 }, &test_comm, test_path_all("none.h5:/x"), NULL),
	                GEMP_ENOINPUT);
}

static gemp_code read_once(void *unused)
{
	gemp_vectors v;
	(void)unused;
	gemp_code code = gemp_vectors_read(&v, &test_comm, path, NULL);
	gemp_vectors_free(&v);
	return code;
}

static void memory_may_run_out(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	draw(&random);
	rows += rows == 0;
	write_text((form){ .header = true, .keys = true }, random);
	assert_all_survive_no_memory(read_once, NULL);
	write_npy(true, true);
	assert_all_survive_no_memory(read_once, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_text_tables), cmocka_unit_test(npy_arrays),
		                                cmocka_unit_test(invalid_files_are_rejected),
		                                cmocka_unit_test(memory_may_run_out) };
	return test_main_all(argc, argv, tests);
}
