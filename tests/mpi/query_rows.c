/* Tests RETURN items of random rows as TSV, previews, limits, and outputs that fail. */
#include "rows_case.h"

#include <dirent.h>
#include <sys/stat.h>

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
