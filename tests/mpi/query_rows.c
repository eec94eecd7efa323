/* Tests RETURN items of random rows in every output format. The reference makes the text from values that every rank
 * knows (made_graph.h). */
#include "made_graph.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "io/rows/row_writer.h"
#include "pattern/bind/bind.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"
#include "query/clause/pipeline.h"
#include "query/output/result_rows.h"

#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ROWS = 400, ROUNDS = 4, MAX_TEXT = 1 << 20 };

/* Rows that every rank knows. The rows of one round and rank are adjacent in the output. */
typedef struct input_rows {
	made_graph *made;
	gemp_pattern *pattern;
	size_t rows;
	gemp_vertex vertices[MAX_ROWS][3];
	gemp_edge edges[MAX_ROWS][2];
	int round[MAX_ROWS], rank[MAX_ROWS];
} input_rows;

static const char all_items[] = "MATCH (a)-[r]->(b)<-[s]-(c) "
								"RETURN a, id(b) AS key, c.name, a.age, r, s AS weight, s AS cost, b.size, c.good";

/* Turns the items "weight" and "cost" into attributes of edges. */
static void request_edge_attributes(gemp_pattern *pattern)
{
	for (size_t i = 0; i < pattern->result.item_count; i++) {
		gemp_return_item *item = &pattern->result.items[i];
		if (strcmp(item->name, "weight") != 0 && strcmp(item->name, "cost") != 0)
			continue;
		item->expr->kind = GEMP_ATTRIBUTE;
		item->expr->of_edge = true;
		gemp_free(item->expr->name);
		item->expr->name = gemp_strdup(item->name);
	}
}

static input_rows *input_rows_new(uint64_t seed, const char *query, size_t rows)
{
	input_rows *g;
	assert_all_ok(GEMP_NEW(g, 1));
	g->made = made_graph_new(seed);
	g->rows = rows;
	assert_all_ok(gemp_pattern_parse(&g->pattern, query, NULL));
	assert_all_ok(gemp_pattern_bind(g->pattern, &g->made->graph));
	request_edge_attributes(g->pattern);
	for (size_t i = 0; i < rows; i++) {
		for (int v = 0; v < 3; v++)
			g->vertices[i][v] = (gemp_vertex)gemp_random_below(&seed, MADE_VERTICES);
		for (int e = 0; e < 2; e++)
			g->edges[i][e] = gemp_random_below(&seed, MADE_RELATIONS * MADE_EDGES);
		g->round[i] = (int)gemp_random_below(&seed, ROUNDS);
		g->rank[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		if (g->rank[i] == 2)
			g->rank[i] = 0; /* rank 2 finds no rows */
	}
	return g;
}

static void input_rows_free(input_rows *g)
{
	gemp_pattern_free(g->pattern);
	made_graph_free(g->made);
	gemp_free(g);
}

/* Passes the rows of the first `rounds` rounds to the sink, one at a time. */
static gemp_code pass_rows(const input_rows *g, gemp_sink *sink, int rounds)
{
	gemp_code code = GEMP_OK;
	bool enough = false, again = false;
	for (int round = 0; round < rounds && !enough; round++) {
		gemp_code mine = GEMP_OK;
		for (size_t i = 0; i < g->rows && mine == GEMP_OK; i++)
			if (g->round[i] == round && g->rank[i] == test_comm.rank)
				mine = sink->consume(sink->self, &(gemp_batch){ .rows = 1,
				                                                .vertex_count = 3,
				                                                .edge_count = 2,
				                                                .vertices = g->vertices[i],
				                                                .edges = g->edges[i] });
		GEMP_TRY_DONE(gemp_comm_agree(&test_comm, mine));
		GEMP_TRY_DONE(sink->end_round(sink->self, round + 1 == ROUNDS, &enough, &again));
	}
	if (again)
		code = gemp_fail(GEMP_EINTERNAL, "rows are not wanted again");
done:
	return code;
}

static gemp_rows_options rows_options(const char *path)
{
	return (gemp_rows_options){ .path = path, .limit = UINT64_MAX, .semantics = "iso", .distinct = "none" };
}

static gemp_code write_all(const input_rows *g, const gemp_rows_options *options, uint64_t *written)
{
	gemp_code code = GEMP_OK;
	gemp_sink sink = { 0 };
	GEMP_TRY_DONE(gemp_rows_new(&sink, &g->made->context, &g->made->graph, g->pattern, options));
	GEMP_TRY_DONE(pass_rows(g, &sink, ROUNDS));
	if (written)
		*written = gemp_rows_written(&sink);
done:
	if (sink.free)
		sink.free(sink.self);
	return code;
}

/* EXPECTED TEXT */

typedef struct text {
	char *bytes;
	size_t size;
} text;

static void text_add(text *t, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	t->size += (size_t)vsnprintf(t->bytes + t->size, MAX_TEXT - t->size, format, arguments);
	va_end(arguments);
}

static void add_value(text *t, gemp_value value)
{
	if (value.null)
		return;
	switch (value.type) {
	case GEMP_INTEGER: text_add(t, "%lld", (long long)value.integer); break;
	case GEMP_FLOAT: text_add(t, value.real == floor(value.real) ? "%.1f" : "%.15g", value.real); break;
	case GEMP_BOOLEAN: text_add(t, "%s", value.truth ? "true" : "false"); break;
	case GEMP_STRING:
	case GEMP_LIST:
		for (size_t i = 0; i < value.string.size; i++)
			switch (value.string.bytes[i]) {
			case '\t': text_add(t, "\\t"); break;
			case '\n': text_add(t, "\\n"); break;
			case '\\': text_add(t, "\\\\"); break;
			default: text_add(t, "%c", value.string.bytes[i]);
			}
	}
}

static void add_attribute(text *t, const made_graph *made, int attribute, gemp_vertex id)
{
	char room[64];
	add_value(t, made_value(made, attribute, id, room));
}

static const made_edge *edge_of(const made_graph *made, gemp_edge edge)
{
	return &made->edges[edge / MADE_EDGES][edge % MADE_EDGES];
}

static void add_edge(text *t, const made_graph *made, gemp_edge edge)
{
	text_add(t, "%s:%lld->%lld", edge < MADE_EDGES ? "LIKES" : "OWES",
	         (long long)made_key(made, edge_of(made, edge)->source),
	         (long long)made_key(made, edge_of(made, edge)->target));
}

static void add_row(text *t, const made_graph *made, const gemp_vertex *v, const gemp_edge *e)
{
	int64_t weight = edge_of(made, e[1])->weight;
	text_add(t, "%lld\t%lld\t", (long long)made_key(made, v[0]), (long long)made_key(made, v[1]));
	add_attribute(t, made, MADE_NAME, v[2]);
	text_add(t, "\t");
	add_attribute(t, made, MADE_AGE, v[0]);
	text_add(t, "\t");
	add_edge(t, made, e[0]);
	text_add(t, "\t");
	if (weight % 2 == 0 && e[1] < MADE_EDGES)
		text_add(t, "%lld", (long long)weight);
	text_add(t, "\t");
	if (weight % 2 == 0 && e[1] >= MADE_EDGES)
		text_add(t, "c%lld", (long long)weight);
	text_add(t, "\t");
	add_attribute(t, made, MADE_SIZE, v[1]);
	text_add(t, "\t");
	add_attribute(t, made, MADE_GOOD, v[2]);
	text_add(t, "\n");
}

static const char header[] = "a\tkey\tc.name\ta.age\tr\tweight\tcost\tb.size\tc.good\n";

/* Makes the text of the first `limit` rows in the order in which they are written. */
static text expected_tsv(const input_rows *g, size_t limit)
{
	text t = { .bytes = calloc(1, MAX_TEXT) };
	text_add(&t, "%s", header);
	for (int round = 0; round < ROUNDS; round++)
		for (int r = 0; r < test_comm.size; r++)
			for (size_t i = 0; i < g->rows; i++)
				if (g->round[i] == round && g->rank[i] == r && limit > 0) {
					limit--;
					add_row(&t, g->made, g->vertices[i], g->edges[i]);
				}
	return t;
}

static text read_text(const char *path)
{
	text t = { .bytes = calloc(1, MAX_TEXT) };
	FILE *file = fopen(path, "rb");
	if (file) {
		t.size = fread(t.bytes, 1, MAX_TEXT - 1, file);
		fclose(file);
	}
	return t;
}

/* Compares two texts and frees them. */
static bool same(text a, text b)
{
	bool equal = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
	if (!equal)
		fprintf(stderr, "expected (%zu):\n%.2000s\nfound (%zu):\n%.2000s\n", a.size, a.bytes, b.size, b.bytes);
	free(a.bytes);
	free(b.bytes);
	return equal;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* TESTS */

static void as_tsv(void **state)
{
	(void)state;
	const char *path = test_path_all("rows.tsv");
	for (size_t rows = 0; rows <= MAX_ROWS; rows = rows * 19 + 1) {
		input_rows *g = input_rows_new(test_seed_all(), all_items, rows);
		gemp_rows_options options = rows_options(path);
		uint64_t written = 0;
		assert_all_ok(write_all(g, &options, &written));
		assert_all(written == rows);
		assert_all(same(expected_tsv(g, rows), read_text(path)));
		input_rows_free(g);
	}
}

static void limit_is_over_all_ranks(void **state)
{
	(void)state;
	const char *path = test_path_all("limit.tsv");
	input_rows *g = input_rows_new(test_seed_all(), all_items, 100);
	for (size_t limit = 0; limit < 120; limit = limit * 3 + 1) {
		gemp_rows_options options = rows_options(path);
		uint64_t written = 0;
		options.limit = limit;
		assert_all_ok(write_all(g, &options, &written));
		assert_all(written == (limit < 100 ? limit : 100));
		assert_all(same(expected_tsv(g, limit), read_text(path)));
	}
	input_rows_free(g);
}

/* Prints a JSON value as TSV does. */
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
	"def column(n):\n"
	"    null = f['null'][n][:] if n in f['null'] else [False] * f.attrs['rows']\n"
	"    return ['' if z else cell(v) for v, z in zip(f['rows'][n][:], null)]\n"
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
}

static void preview_is_aligned(void **state)
{
	(void)state;
	const char *path = test_path_all("preview");
	input_rows *g = input_rows_new(4, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN b AS somebody, a", 5);
	text expected = { .bytes = calloc(1, MAX_TEXT) };
	gemp_rows_options options = rows_options(NULL);
	uint64_t written = 0;
	options.limit = 3;
	text_add(&expected, "somebody  a\n--------  ---\n");
	for (size_t i = 0; i < 5; i++) { /* all rows come from rank 0, so their order is known */
		g->round[i] = (int)i / 4;
		g->rank[i] = 0;
		g->vertices[i][0] = 10;
		for (gemp_vertex v = 0; v < MADE_VERTICES; v++)
			if (made_key(g->made, v) == 100)
				g->vertices[i][0] = v;
		if (i < 3)
			text_add(&expected, "%-8lld  100\n", (long long)made_key(g->made, g->vertices[i][1]));
	}
	FILE *file = test_comm.rank == 0 ? fopen(path, "wb") : NULL;
	options.preview = file;
	assert_all_ok(write_all(g, &options, &written));
	if (file)
		fclose(file);
	assert_all(written == 3);
	assert_all(test_comm.rank != 0 || same(expected, read_text(path)));
	if (test_comm.rank != 0)
		free(expected.bytes);
	input_rows_free(g);
}

/* Sets out_v and out_e to the smaller one of a row and its reversal. Rows are compared by the keys of vertices, then by
 * the relation, the keys of ends and the number of each edge. */
static void smaller_of_reversals(const input_rows *g, const gemp_vertex *v, const gemp_edge *e, gemp_vertex *out_v,
                                 gemp_edge *out_e)
{
	int64_t left[2][11];
	for (int turn = 0; turn < 2; turn++) {
		const gemp_vertex tv[3] = { v[turn ? 2 : 0], v[1], v[turn ? 0 : 2] };
		const gemp_edge te[2] = { e[turn], e[1 - turn] };
		for (int i = 0; i < 3; i++)
			left[turn][i] = made_key(g->made, tv[i]);
		for (int i = 0; i < 2; i++) {
			const made_edge *edge = edge_of(g->made, te[i]);
			left[turn][3 + 4 * i] = (int64_t)(te[i] / MADE_EDGES);
			left[turn][4 + 4 * i] = made_key(g->made, edge->source);
			left[turn][5 + 4 * i] = made_key(g->made, edge->target);
			left[turn][6 + 4 * i] = (int64_t)te[i];
		}
	}
	int smaller = 0;
	for (int i = 10; i >= 0; i--)
		if (left[0][i] != left[1][i])
			smaller = left[1][i] < left[0][i];
	for (int i = 0; i < 3; i++)
		out_v[i] = v[smaller && i != 1 ? 2 - i : i];
	for (int i = 0; i < 2; i++)
		out_e[i] = e[smaller ? 1 - i : i];
}

static void the_smallest_by_keys_is_kept(void **state)
{
	(void)state;
	input_rows *g = input_rows_new(test_seed_all(), "MATCH (a)-[r]->(b)<-[s]-(c) RETURN a, b, c, r, s", MAX_ROWS);
	gemp_symmetry *symmetry;
	gemp_stab_chain *chain;
	const int base[] = { 0, 1, 2, 3, 4 };
	bool overflow;
	const char *path = test_path_all("smallest.tsv");
	gemp_rows_options options = rows_options(path);
	text expected = { .bytes = calloc(1, MAX_TEXT) };
	assert_all_ok(gemp_automorphism_find(&symmetry, g->pattern, true));
	assert_all(gemp_symmetry_order(symmetry, &overflow) == 2);
	assert_all_ok(gemp_stab_chain_new(&chain, symmetry, base, 5));
	text_add(&expected, "a\tb\tc\tr\ts\n");
	for (size_t i = 0; i < g->rows; i++) {
		gemp_vertex v[3];
		gemp_edge e[2];
		g->rank[i] = (int)(i / ((MAX_ROWS + (size_t)test_comm.size - 1) / (size_t)test_comm.size));
		g->round[i] = 0;
		if (i % 3 == 0)
			g->vertices[i][2] = g->vertices[i][0]; /* then the edges decide which is smaller */
		smaller_of_reversals(g, g->vertices[i], g->edges[i], v, e);
		for (int k = 0; k < 3; k++)
			text_add(&expected, "%lld\t", (long long)made_key(g->made, v[k]));
		add_edge(&expected, g->made, e[0]);
		text_add(&expected, "\t");
		add_edge(&expected, g->made, e[1]);
		text_add(&expected, "\n");
	}
	options.chain = chain;
	assert_all_ok(write_all(g, &options, NULL));
	assert_all(same(expected, read_text(path)));
	gemp_stab_chain_free(chain);
	gemp_symmetry_free(symmetry);
	input_rows_free(g);
}

static gemp_code write_counted(const input_rows *g, const gemp_rows_options *options, uint64_t count)
{
	gemp_sink sink = { 0 };
	gemp_code code = gemp_rows_new(&sink, &g->made->context, &g->made->graph, g->pattern, options);
	if (code == GEMP_OK)
		code = gemp_rows_count(&sink, count);
	if (sink.free)
		sink.free(sink.self);
	return code;
}

/* A clause that needs only the number of matches gets the number instead of rows. */
static void count_replaces_rows(void **state)
{
	(void)state;
	static const struct {
		const char *clauses;
		uint64_t count;
		const char *rows;
	} cases[] = {
		{ "RETURN count(*) AS n", 17068454, "n\n17068454\n" },
		{ "RETURN count(*) AS n", 0, "n\n0\n" },
		{ "RETURN count(*) AS n", INT64_MAX, "n\n9223372036854775807\n" },
		{ "RETURN count(b) AS n, count(s) + 1 AS m, 7 AS k", 12, "n\tm\tk\n12\t13\t7\n" },
		{ "WITH count(*) AS n WHERE n > 12 RETURN n", 12, "n\n" },
		{ "WITH count(*) AS n WHERE n > 12 RETURN n * 2 AS m", 13, "m\n26\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char query[256];
		snprintf(query, sizeof query, "MATCH (a)-[r]->(b)<-[s]-(c) %s", cases[i].clauses);
		input_rows *g = input_rows_new(1, query, 0);
		const char *path = test_path_all("count.tsv");
		gemp_rows_options options = rows_options(path);
		text expected = { .bytes = calloc(1, MAX_TEXT) };
		text_add(&expected, "%s", cases[i].rows);
		assert_all(gemp_clause_only_counts(g->pattern));
		assert_all_ok(write_counted(g, &options, cases[i].count));
		assert_all(same(expected, read_text(path)));
		input_rows_free(g);
	}
	input_rows *g = input_rows_new(1, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN count(*) AS n", 0);
	gemp_rows_options options = rows_options(test_path_all("count.tsv"));
	assert_all_code(write_counted(g, &options, (uint64_t)INT64_MAX + 1), GEMP_EDATA);
	input_rows_free(g);
}

/* These clauses need more than the number of matches. */
static void rows_are_needed(void **state)
{
	(void)state;
	static const char *const queries[] = {
		"MATCH (a)-[r]->(b) RETURN a, count(*)",
		"MATCH (a)-[r]->(b) RETURN count(DISTINCT a)",
		"MATCH (a)-[r]->(b) RETURN count(id(a))",
		"MATCH (a)-[r]->(b) RETURN count(*), collect(1)",
		"MATCH (a)-[r]->(b) WITH a RETURN count(a)",
		"MATCH (a)-[r]->(b) OPTIONAL MATCH (b)-[s]->(c) RETURN count(c)",
		"MATCH (a)-[r]->(b) OPTIONAL MATCH (b)-[s]->(c) RETURN count(s)",
		"MATCH (a)-[r]->(b) RETURN count(*), EXISTS { (x)-[:T]->(y) }",
		"MATCH (a)-[r]->(b) RETURN a",
	};
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		gemp_pattern *pattern = NULL;
		assert_all_ok(gemp_pattern_parse(&pattern, queries[i], NULL));
		assert_all(!gemp_clause_only_counts(pattern));
		gemp_pattern_free(pattern);
	}
}

static void unwritable_paths_fail_at_once(void **state)
{
	(void)state;
	input_rows *g = input_rows_new(1, all_items, 0);
	static const char *const paths[] = { "none/x.tsv", "none/x.jsonl", "none/x.h5" };
	for (int i = 0; i < 3; i++) {
		gemp_rows_options options = rows_options(test_path_all(paths[i]));
		gemp_sink sink;
		assert_all_code(gemp_rows_new(&sink, &g->made->context, &g->made->graph, g->pattern, &options), GEMP_EIO);
		assert_message(paths[i]);
	}
	gemp_rows_options options = rows_options("x.doc");
	assert_all_code(write_all(g, &options, NULL), GEMP_EUSAGE);
	assert_message(".jsonl");
	input_rows_free(g);
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

static void stopped_output_leaves_no_file(void **state)
{
	(void)state;
	input_rows *g = input_rows_new(1, all_items, 50);
	const char *folder = test_path_all("stopped");
	if (test_comm.rank == 0)
		mkdir(folder, 0777);
	GEMP_MPI(MPI_Barrier(test_comm.world));
	static const char *const paths[] = { "stopped/x.tsv", "stopped/x.jsonl", "stopped/x.h5" };
	for (int i = 0; i < 3; i++) {
		gemp_rows_options options = rows_options(test_path_all(paths[i]));
		gemp_sink sink;
		assert_all_ok(gemp_rows_new(&sink, &g->made->context, &g->made->graph, g->pattern, &options));
		assert_all_ok(pass_rows(g, &sink, 2));
		assert_all(!exists(options.path));
		sink.free(sink.self);
		GEMP_MPI(MPI_Barrier(test_comm.world));
		assert_all(files_in(folder) == 0);
	}
	input_rows_free(g);
}

static gemp_code write_tsv(void *argument)
{
	gemp_rows_options options = rows_options(test_path_all("memory.tsv"));
	return write_all(argument, &options, NULL);
}

static gemp_code write_h5(void *argument)
{
	gemp_rows_options options = rows_options(test_path_all("memory.h5"));
	return write_all(argument, &options, NULL);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		return; /* lets each request for memory fail, which is slow and tests nothing new on more ranks */
	input_rows *g = input_rows_new(1, "MATCH (a)-[r]->(b)<-[s]-(c) RETURN a, c.name, s", 4);
	assert_all_survive_no_memory(write_tsv, g);
	assert_all_survive_no_memory(write_h5, g);
	input_rows_free(g);
	assert_all(gemp_memory_blocks() == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_tsv),
		cmocka_unit_test(limit_is_over_all_ranks),
		cmocka_unit_test(as_json_lines),
		cmocka_unit_test(as_hdf5),
		cmocka_unit_test(preview_is_aligned),
		cmocka_unit_test(the_smallest_by_keys_is_kept),
		cmocka_unit_test(count_replaces_rows),
		cmocka_unit_test(rows_are_needed),
		cmocka_unit_test(unwritable_paths_fail_at_once),
		cmocka_unit_test(stopped_output_leaves_no_file),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
