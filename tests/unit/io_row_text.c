/* Tests rows as TSV, CSV and JSON character by character, and tables for people. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "io/rows/row_text.h"
#include "io/rows/rows_text.h"

#include <math.h>
#include <string.h>

static void add_string(gemp_column *column, const char *text)
{
	gemp_value value = { .type = GEMP_STRING, .null = !text, .string = { text, text ? strlen(text) : 0 } };
	assert_ok(gemp_column_add(column, &value));
}

static void check_string(const char *text, const char *tsv, const char *csv, const char *json)
{
	gemp_projected column = { .name = "x" };
	gemp_text out = { 0 };
	assert_ok(gemp_column_init(&column.value, "x", GEMP_STRING));
	add_string(&column.value, text);
	gemp_tsv_row(&out, &column, 1, 0);
	assert_string_equal(out.data, tsv);
	gemp_text_clear(&out);
	gemp_csv_row(&out, &column, 1, 0);
	assert_string_equal(out.data, csv);
	gemp_text_clear(&out);
	gemp_json_row(&out, &column, 1, 0);
	assert_string_equal(out.data, json);
	gemp_text_free(&out);
	gemp_projected_free(&column, 1);
}

static void strings(void **state)
{
	(void)state;
	check_string("plain", "plain\n", "plain\r\n", "{\"x\": \"plain\"}\n");
	check_string("", "\n", "\"\"\r\n", "{\"x\": \"\"}\n");
	check_string(NULL, "\n", "\"\"\r\n", "{\"x\": null}\n");
	check_string("\ta\n\r\\", "\\ta\\n\\r\\\\\n", "\"\ta\n\r\\\"\r\n", "{\"x\": \"\\ta\\n\\r\\\\\"}\n");
	check_string("\"Ärger\"", "\"Ärger\"\n", "\"\"\"Ärger\"\"\"\r\n", "{\"x\": \"\\\"Ärger\\\"\"}\n");
	check_string("\xff", "\xff\n", "\xff\r\n", "{\"x\": \"\xef\xbf\xbd\"}\n");
}

static void check_number(double real, const char *tsv, const char *json)
{
	gemp_projected column = { .name = "x" };
	gemp_text out = { 0 };
	assert_ok(gemp_column_init(&column.value, "x", GEMP_FLOAT));
	assert_ok(gemp_column_add(&column.value, &(gemp_value){ .type = GEMP_FLOAT, .real = real }));
	gemp_tsv_row(&out, &column, 1, 0);
	assert_string_equal(out.data, tsv);
	gemp_text_clear(&out);
	gemp_json_row(&out, &column, 1, 0);
	assert_string_equal(out.data, json);
	gemp_text_free(&out);
	gemp_projected_free(&column, 1);
}

static void numbers(void **state)
{
	(void)state;
	check_number(0.1, "0.1\n", "{\"x\": 0.1}\n");
	check_number(-2.5, "-2.5\n", "{\"x\": -2.5}\n");
	gemp_projected column = { .name = "x" };
	gemp_text out = { 0 };
	assert_ok(gemp_column_init(&column.value, "x", GEMP_FLOAT));
	assert_ok(gemp_column_add(&column.value, &(gemp_value){ .type = GEMP_FLOAT, .real = INFINITY }));
	gemp_json_row(&out, &column, 1, 0);
	assert_string_equal(out.data, "{\"x\": null}\n");
	gemp_text_free(&out);
	gemp_projected_free(&column, 1);
}

static void edges(void **state)
{
	(void)state;
	gemp_projected columns[2] = { { .name = "r", .edge = true }, { .name = "n" } };
	gemp_text out = { 0 };
	assert_ok(gemp_column_init(&columns[0].value, "r", GEMP_STRING));
	assert_ok(gemp_column_init(&columns[0].source, "r", GEMP_INTEGER));
	assert_ok(gemp_column_init(&columns[0].target, "r", GEMP_STRING));
	assert_ok(gemp_column_init(&columns[1].value, "n", GEMP_BOOLEAN));
	add_string(&columns[0].value, "KNOWS");
	assert_ok(gemp_column_add(&columns[0].source, &(gemp_value){ .type = GEMP_INTEGER, .integer = -7 }));
	add_string(&columns[0].target, "b\tc");
	assert_ok(gemp_column_add(&columns[1].value, &(gemp_value){ .type = GEMP_BOOLEAN, .truth = true }));
	gemp_tsv_header(&out, columns, 2);
	gemp_tsv_row(&out, columns, 2, 0);
	assert_string_equal(out.data, "r\tn\nKNOWS:-7->b\\tc\ttrue\n");
	gemp_text_clear(&out);
	gemp_csv_header(&out, columns, 2);
	gemp_csv_row(&out, columns, 2, 0);
	assert_string_equal(out.data, "r,n\r\nKNOWS:-7->b\tc,true\r\n");
	gemp_text_clear(&out);
	gemp_json_row(&out, columns, 2, 0);
	assert_string_equal(out.data,
	                    "{\"r\": {\"type\": \"KNOWS\", \"source\": -7, \"target\": \"b\\tc\"}, \"n\": true}\n");
	gemp_text_free(&out);
	gemp_projected_free(columns, 2);
}

/* Columns without values, as an OPTIONAL MATCH without a match leaves them. */
static void missing_values(void **state)
{
	(void)state;
	const gemp_value null = { .null = true };
	gemp_projected columns[2] = { { .name = "r", .edge = true }, { .name = "a,b" } };
	gemp_text out = { 0 };
	assert_ok(gemp_column_init(&columns[0].value, "r", GEMP_STRING));
	assert_ok(gemp_column_init(&columns[0].source, "r", GEMP_INTEGER));
	assert_ok(gemp_column_init(&columns[0].target, "r", GEMP_INTEGER));
	assert_ok(gemp_column_init(&columns[1].value, "n", GEMP_INTEGER));
	assert_ok(gemp_column_add(&columns[0].value, &null));
	assert_ok(gemp_column_add(&columns[0].source, &null));
	assert_ok(gemp_column_add(&columns[0].target, &null));
	assert_ok(gemp_column_add(&columns[1].value, &null));
	gemp_tsv_row(&out, columns, 2, 0);
	assert_string_equal(out.data, "\t\n");
	gemp_text_clear(&out);
	gemp_csv_header(&out, columns, 2);
	gemp_csv_row(&out, columns, 2, 0);
	assert_string_equal(out.data, "r,\"a,b\"\r\n,\r\n");
	gemp_text_clear(&out);
	gemp_json_row(&out, columns, 2, 0);
	assert_string_equal(out.data, "{\"r\": null, \"a,b\": null}\n");
	gemp_text_free(&out);
	gemp_projected_free(columns, 2);
}

static void check_table(const char *tsv, const char *expected)
{
	gemp_text out = { 0 };
	assert_ok(gemp_align_tsv(&out, tsv, strlen(tsv)));
	assert_string_equal(out.data ? out.data : "", expected);
	gemp_text_free(&out);
}

static void tables(void **state)
{
	(void)state;
	check_table("a\n", "a\n-\n");
	check_table("", "");
	check_table("name\tn\nÄrger\t1\n\t22\n", "name   n\n-----  --\nÄrger  1\n       22\n");
	check_table("x\ty\n0123456789012345678901234567890123456789\t\n0123456789012345678901234567890123456789ä\t1\n",
	            "x                                         y\n"
	            "----------------------------------------  -\n"
	            "0123456789012345678901234567890123456789  \n"
	            "012345678901234567890123456789012345678…  1\n");
}

static gemp_code align(void *unused)
{
	(void)unused;
	gemp_text out = { 0 };
	gemp_code code = gemp_align_tsv(&out, "a\tb\n1\t2\n", 8);
	gemp_text_free(&out);
	return code;
}

static void out_of_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(align, NULL);
}

/* A batch of rows gives the same text as its rows one by one. */
static void check_many(const gemp_projected *columns, size_t count, size_t rows)
{
	typedef void one_row(gemp_text *, const gemp_projected *, size_t, size_t);
	one_row *const one[] = { gemp_tsv_row, gemp_csv_row, gemp_json_row };
	for (int form = GEMP_ROWS_TSV; form <= GEMP_ROWS_JSON; form++) {
		gemp_text many = { 0 }, single = { 0 };
		gemp_text_add(&many, "before", 6);
		gemp_text_add(&single, "before", 6);
		assert_ok(gemp_rows_text(&many, (gemp_row_form)form, columns, count, rows));
		for (size_t row = 0; row < rows; row++)
			one[form](&single, columns, count, row);
		assert_int_equal(many.size, single.size);
		assert_memory_equal(many.data, single.data, many.size);
		gemp_text_free(&many);
		gemp_text_free(&single);
	}
}

static void many_integers(void **state)
{
	(void)state;
	enum { ROWS = 10000, COLUMNS = 3 };
	static const int64_t special[] = { 0,     9,  10,  99,       100,       101,       9999,
		                               10000, -1, -10, 99999999, 100000000, INT64_MAX, INT64_MIN };
	enum { SPECIAL = sizeof special / sizeof *special };
	static const size_t rows[] = { 0, 1, SPECIAL, ROWS };
	uint64_t seed = test_seed();
	gemp_projected columns[COLUMNS] = { { .name = "a" }, { .name = "b\"c" }, { .name = "d" } };
	for (size_t c = 0; c < COLUMNS; c++) {
		assert_ok(gemp_column_init(&columns[c].value, "x", GEMP_INTEGER));
		for (size_t row = 0; row < ROWS; row++) {
			int64_t value = row < SPECIAL ? special[row]
			                              : (int64_t)(gemp_random(&seed) >> gemp_random_below(&seed, 64));
			value = value > INT64_MIN && gemp_random_below(&seed, 3) == 0 ? -value : value;
			assert_ok(gemp_column_add(&columns[c].value, &(gemp_value){ .type = GEMP_INTEGER, .integer = value }));
		}
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_many(columns, COLUMNS, rows[i]);
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&columns[c].value);
}

static gemp_code many_at_once(void *columns)
{
	gemp_text out = { 0 };
	gemp_code code = gemp_rows_text(&out, GEMP_ROWS_TSV, columns, 2, 5000);
	gemp_text_free(&out);
	return code;
}

static void many_of_several_types(void **state)
{
	(void)state;
	enum { ROWS = 5000 };
	static const char *const words[] = { "", "a\tb", "\"c\"", "ä, b" };
	static const size_t rows[] = { 1, 2047, 2048, 2049, ROWS };
	uint64_t seed = test_seed();
	gemp_projected columns[] = { { .name = "x" }, { .name = "y" } };
	assert_ok(gemp_column_init(&columns[0].value, "x", GEMP_FLOAT));
	assert_ok(gemp_column_init(&columns[1].value, "y", GEMP_STRING));
	for (size_t row = 0; row < ROWS; row++) {
		const char *word = words[gemp_random_below(&seed, 4)];
		const bool null = gemp_random_below(&seed, 5) == 0;
		assert_ok(gemp_column_add(&columns[0].value,
		                          &(gemp_value){ .type = GEMP_FLOAT, .null = null, .real = gemp_random_unit(&seed) }));
		assert_ok(gemp_column_add(
			&columns[1].value,
			&(gemp_value){ .type = GEMP_STRING, .null = !null && row % 7 == 0, .string = { word, strlen(word) } }));
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_many(columns, 2, rows[i]);
	assert_survives_no_memory(many_at_once, columns);
	gemp_column_free(&columns[0].value);
	gemp_column_free(&columns[1].value);
}

/* Strings of all bytes and lengths, rows of dictionaries, booleans, lists and edges. */
static void many_random_cells(void **state)
{
	(void)state;
	enum { ROWS = 3000, WORDS = 200, LONGEST = 40 };
	uint64_t seed = test_seed();
	gemp_column dictionary;
	uint32_t index[ROWS];
	char text[LONGEST];
	gemp_projected columns[] = {
		{ .name = "s" }, { .name = "d" }, { .name = "b" }, { .name = "l" }, { .name = "e", .edge = true }
	};
	static const gemp_type types[] = { GEMP_STRING, GEMP_STRING, GEMP_BOOLEAN, GEMP_LIST, GEMP_STRING };
	assert_ok(gemp_column_init(&dictionary, "d", GEMP_STRING));
	for (size_t c = 0; c < 5; c++)
		assert_ok(gemp_column_init(&columns[c].value, "x", types[c]));
	assert_ok(gemp_column_init(&columns[4].source, "x", GEMP_INTEGER));
	assert_ok(gemp_column_init(&columns[4].target, "x", GEMP_STRING));
	for (size_t row = 0; row < ROWS; row++)
		for (size_t c = 0; c < 5; c++) {
			const unsigned bytes = gemp_random_below(&seed, 2) ? 256 : 127;
			const size_t size = gemp_random_below(&seed, LONGEST + 1);
			gemp_value value = { .type = types[c], .null = gemp_random_below(&seed, 7) == 0 };
			for (size_t i = 0; i < size; i++)
				text[i] = (char)(bytes == 127 ? 'a' + gemp_random_below(&seed, 26) : gemp_random_below(&seed, bytes));
			if (types[c] == GEMP_BOOLEAN)
				value.truth = gemp_random_below(&seed, 2);
			else
				value.string = (gemp_string){ text, size };
			if (c == 1)
				index[row] = value.null ? GEMP_NO_ROW : (uint32_t)gemp_random_below(&seed, WORDS);
			if (c == 1 && row < WORDS)
				assert_ok(gemp_column_add(&dictionary, &value));
			if (c != 1)
				assert_ok(gemp_column_add(&columns[c].value, &value));
			if (c == 4) {
				assert_ok(gemp_column_add(&columns[4].source, &(gemp_value){ .type = GEMP_INTEGER, .integer = -7 }));
				assert_ok(gemp_column_add(&columns[4].target,
				                          &(gemp_value){ .type = GEMP_STRING, .string = { text, size } }));
			}
		}
	columns[1].dictionary = &dictionary;
	columns[1].index = index;
	check_many(columns, 5, ROWS);
	check_many(columns + 1, 1, ROWS);
	gemp_projected_free(columns, 5);
	gemp_column_free(&dictionary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings),
		cmocka_unit_test(numbers),
		cmocka_unit_test(edges),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(tables),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(many_integers),
		cmocka_unit_test(many_of_several_types),
		cmocka_unit_test(many_random_cells),
	};
	return test_main(tests);
}
