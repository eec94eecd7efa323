/* Tests random rows as JSON lines and HDF5, whose values are those of TSV (rows_case.h). */
#include "rows_case.h"

#include "harness/limits.h"

#include <jansson.h>

static void add_json(text *t, const json_t *cell)
{
	gemp_value value = { .null = json_is_null(cell) };
	if (json_is_integer(cell))
		value = (gemp_value){ .type = GEMP_INTEGER, .integer = json_integer_value(cell) };
	else if (json_is_real(cell))
		value = (gemp_value){ .type = GEMP_FLOAT, .real = json_real_value(cell) };
	else if (json_is_boolean(cell))
		value = (gemp_value){ .type = GEMP_BOOLEAN, .truth = json_is_true(cell) };
	else if (json_is_string(cell))
		value = (gemp_value){ .type = GEMP_STRING, .string = { json_string_value(cell), json_string_length(cell) } };
	if (json_is_object(cell)) {
		text_add(t, "%s:%lld->%lld", json_string_value(json_object_get(cell, "type")),
		         (long long)json_integer_value(json_object_get(cell, "source")),
		         (long long)json_integer_value(json_object_get(cell, "target")));
		return;
	}
	add_value(t, value);
}

static text json_as_tsv(const char *path)
{
	text lines = read_text(path), t = { .bytes = calloc(1, MAX_TEXT) };
	static const char *const names[] = { "a", "key", "c.name", "a.age", "r", "weight", "cost", "b.size", "c.good" };
	text_add(&t, "%s", header);
	for (char *at = lines.bytes, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		json_t *row = json_loads(at, 0, NULL);
		for (size_t c = 0; c < 9; c++) {
			add_json(&t, json_object_get(row, names[c]));
			text_add(&t, c < 8 ? "\t" : "\n");
		}
		if (json_object_size(row) != 9)
			text_add(&t, "not an object of nine: %s\n", at);
		json_decref(row);
	}
	free(lines.bytes);
	return t;
}

static void as_json_lines(void **state)
{
	(void)state;
	const char *path = test_path_all("rows.jsonl");
	input_rows *g = input_rows_new(test_seed_all(), all_items, 200);
	gemp_rows_options options = rows_options(path);
	assert_all_ok(write_all(g, &options, NULL));
	assert_all(same(expected_tsv(g, 200), json_as_tsv(path)));
	input_rows_free(g);
}

/* h5py reads the file, since it shares only the HDF5 library with the program. */
static const char reader[] =
	"import h5py, sys, numpy\n"
	"f = h5py.File(sys.argv[1])\n"
	"names = list(f['rows'].attrs['column-order'])\n"
	"def cell(v):\n"
	"    if isinstance(v, bytes): v = v.decode()\n"
	"    if isinstance(v, str): return v.replace('\\\\', '\\\\\\\\').replace('\\t', '\\\\t').replace('\\n', '\\\\n')\n"
	"    if isinstance(v, numpy.bool_): return 'true' if v else 'false'\n"
	"    return repr(float(v)) if isinstance(v, float) else str(v)\n"
	"def values(rows):\n"
	"    if isinstance(rows, h5py.Dataset): return rows[:]\n"
	"    offsets, texts = rows['offsets'][:], rows['bytes'][:].tobytes()\n"
	"    return [texts[i:j].decode() for i, j in zip(offsets, offsets[1:])]\n"
	"def column(n):\n"
	"    null = f['null'][n][:] if n in f['null'] else [False] * f.attrs['rows']\n"
	"    return ['' if z else cell(v) for v, z in zip(values(f['rows'][n]), null)]\n"
	"c = {n: column(n) for n in names}\n"
	"assert f['/'].attrs['encoding-type'] == 'gemp-result'\n"
	"assert f.attrs['semantics'] == 'iso' and f.attrs['distinct'] == 'none'\n"
	"assert f.attrs['pattern'].startswith('MATCH'), f.attrs['pattern']\n"
	"assert f.attrs['complete'] == (sys.argv[3] == 'whole') and f.attrs['graph-hash'] == 77\n"
	"c['r'] = [t + ':' + s + '->' + u for t, s, u in zip(c['r.type'], c['r.source'], c['r.target'])]\n"
	"with open(sys.argv[2], 'w') as out:\n"
	"    n = ['a', 'key', 'c.name', 'a.age', 'r', 'weight', 'cost', 'b.size', 'c.good']\n"
	"    print(*n, sep='\\t', file=out)\n"
	"    for row in zip(*(c[i] for i in n)): print(*row, sep='\\t', file=out)\n";

static int read_h5(const char *path, const char *out, bool whole)
{
	char command[8192];
	const char *script = test_file("reader.py", reader);
	snprintf(command, sizeof command, "/usr/bin/python3 '%s' '%s' '%s' %s", script, path, out,
	         whole ? "whole" : "part");
	return system(command);
}

static void as_hdf5(void **state)
{
	(void)state;
	int missing = test_comm.rank == 0 ? system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") : 0;
	GEMP_MPI(MPI_Bcast(&missing, 1, MPI_INT, 0, test_comm.world));
	if (missing) {
		print_message("no h5py: not tested\n");
		return;
	}
	const char *path = test_path_all("rows.h5"), *out = test_path_all("from_h5.tsv");
	TEST_LIMIT(result_chunk, 64);
	for (size_t limit = 40; limit < 500; limit *= 10) {
		input_rows *g = input_rows_new(test_seed_all(), all_items, 200);
		g->made->graph.hash = 77;
		gemp_rows_options options = rows_options(path);
		options.limit = limit;
		assert_all_ok(write_all(g, &options, NULL));
		assert_all(test_comm.rank != 0 || read_h5(path, out, limit > 200) == 0);
		assert_all(test_comm.rank != 0 || same(expected_tsv(g, limit), read_text(out)));
		input_rows_free(g);
	}
	TEST_LIMIT_DEFAULT(result_chunk);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_json_lines),
		cmocka_unit_test(as_hdf5),
	};
	return test_main_all(argc, argv, tests);
}
