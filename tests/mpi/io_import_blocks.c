/* An imported graph must depend neither on the order of lines, nor on how files are cut into blocks for ranks and
 * threads, nor on compression. */
#include "import_case.h"
#include "io/file/source_hashes.h"
#include "io/text/lines.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_verify.h"
#include "io/graph_file/graph_file_write.h"

#include <zlib.h>

enum { EDGES = 400, MAX_LINE = 80 };

typedef enum kind { INTEGERS, WORDS, WITH_VALUES, KINDS } kind;

/* The lines of a table of edges. */
typedef struct edge_table {
	char lines[EDGES][MAX_LINE];
} edge_table;

static void draw(edge_table *out, kind kind, uint64_t *seed)
{
	static const char *const ids[] = { "0", "-1", "9223372036854775807", "-9223372036854775808" };
	for (size_t e = 0; e < EDGES; e++) {
		char ends[2][MAX_LINE / 3];
		for (int i = 0; i < 2; i++)
			if (gemp_random_below(seed, 50) == 0)
				snprintf(ends[i], sizeof ends[i], "%s", ids[gemp_random_below(seed, 4)]);
			else
				snprintf(ends[i], sizeof ends[i], "%s%d", kind == WORDS && gemp_random_below(seed, 3) ? "v" : "",
				         (int)gemp_random_below(seed, 200));
		if (kind == WITH_VALUES)
			snprintf(out->lines[e], MAX_LINE, "%s\t%s\t%s\t%d", ends[0], ends[1],
			         gemp_random_below(seed, 2) ? "A" : "B", (int)gemp_random_below(seed, 5));
		else
			snprintf(out->lines[e], MAX_LINE, "%s\t%s", ends[0], ends[1]);
	}
}

static void shuffle(edge_table *edge_table, uint64_t *seed)
{
	for (size_t e = EDGES - 1; e > 0; e--) {
		size_t other = gemp_random_below(seed, e + 1);
		char line[MAX_LINE];
		memcpy(line, edge_table->lines[e], MAX_LINE);
		memcpy(edge_table->lines[e], edge_table->lines[other], MAX_LINE);
		memcpy(edge_table->lines[other], line, MAX_LINE);
	}
}

static const char *write_gzip(const char *name, const char *text)
{
	const char *path = test_path_all(name);
	bool good = true;
	if (test_comm.rank == 0) {
		gzFile file = gzopen(path, "wb");
		good = file && gzwrite(file, text, (unsigned)strlen(text)) == (int)strlen(text);
		good = file && gzclose(file) == Z_OK && good;
	}
	assert_all(good);
	return path;
}

static const char *write_table(const edge_table *edge_table, kind kind, bool compressed)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, kind == WITH_VALUES ? "src\tdst\ttype\tw\n" : "src\tdst\n");
	for (size_t e = 0; e < EDGES; e++)
		gemp_text_print(&text, "%s\n", edge_table->lines[e]);
	const char *path = compressed ? write_gzip("edges.tsv.gz", text.data) : write_text_file("edges.tsv", text.data);
	gemp_text_free(&text);
	return path;
}

/* Collective over `comm`. Writes the graph file and returns a hash of its bytes. */
static gemp_code write_and_hash(const gemp_comm *comm, gemp_shard *graph, const char *path, uint64_t *hash)
{
	gemp_code code = gemp_graph_file_write(comm, graph, path, NULL);
	if (code == GEMP_OK)
		code = gemp_graph_file_verify(comm, path, false);
	return code == GEMP_OK ? gemp_source_hashes_make(comm, &path, 1, hash) : code;
}

static void check_import(const char *path, uint64_t expected, uint64_t file)
{
	gemp_shard *graph;
	gemp_import_options options = { .edge_files = &path, .edge_file_count = 1, .seed = 3 };
	assert_all_ok(gemp_import(&graph, &test_comm, &options));
	assert_all(graph->hash == expected);
	if (file) {
		uint64_t hash = 0;
		assert_all_ok(write_and_hash(&test_comm, graph, test_path_all("all.h5"), &hash));
		assert_all(hash == file);
	}
	gemp_shard_free(graph);
}

static void order_and_blocks_do_not_matter(void **state)
{
	(void)state;
	static const size_t sizes[] = { 16 << 20, 5000, 64, 4 };
	uint64_t seed = test_seed_all();
	edge_table *table = calloc(1, sizeof *table);
	for (kind kind = INTEGERS; kind < KINDS; kind++) {
		draw(table, kind, &seed);
		const char *path = write_table(table, kind, false);
		gemp_import_options options = { .edge_files = &path, .edge_file_count = 1, .seed = 3 };
		gemp_shard *graph;
		assert_all_ok(gemp_import(&graph, &alone, &options));
		uint64_t expected = graph->hash, file = 0;
		const char *name = test_path_all("one.h5");
		assert_all_ok(kind == INTEGERS && test_comm.rank == 0 ? write_and_hash(&alone, graph, name, &file) : GEMP_OK);
		gemp_comm_max(&test_comm, &file, 1);
		gemp_shard_free(graph);
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			TEST_LIMIT(lines_block, sizes[i]);
			gemp_threads_limit((unsigned)i % 3 + 1);
			shuffle(table, &seed);
			path = write_table(table, kind, i % 2);
			check_import(path, expected, file);
		}
		TEST_LIMIT(lines_block, sizes[0]);
		gemp_threads_limit(0);
	}
	free(table);
	assert_all(gemp_memory_blocks() == 0);
}

/* A CSV file is read in blocks of lines until a block has a newline within quotes, and then record by record. From
 * record `broken` on, notes have newlines. The last record is wrong, and its line is known. */
static const char *write_csv(size_t broken, bool wrong, uint64_t *line)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "src,dst,note\n");
	*line = 2;
	for (size_t e = 0; e < EDGES; e++) {
		bool inside = e >= broken && e % 3 == 0;
		gemp_text_print(&text, "%zu,%zu,\"a, \"\"%zu\"\"%s\"\n", e % 37, e % 11, e, inside ? "\n\nb" : " b");
		*line += inside ? 3 : 1;
	}
	if (wrong)
		gemp_text_print(&text, "1,2\n");
	const char *path = write_text_file("edges.csv", text.data);
	gemp_text_free(&text);
	return path;
}

static void quoted_lines_are_read_in_any_blocks(void **state)
{
	(void)state;
	static const size_t sizes[] = { 16 << 20, 3000, 64, 4 }, first[] = { EDGES, EDGES - 1, EDGES / 2, 0 };
	for (size_t b = 0; b < sizeof first / sizeof *first; b++) {
		uint64_t expected = 0, line;
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			TEST_LIMIT(lines_block, sizes[i]);
			gemp_threads_limit((unsigned)i % 3 + 1);
			const char *path = write_csv(first[b], false, &line);
			gemp_import_options options = { .edge_files = &path, .edge_file_count = 1, .seed = 3 };
			gemp_shard *graph;
			assert_all_ok(gemp_import(&graph, &test_comm, &options));
			expected = expected ? expected : graph->hash;
			assert_all(graph->hash == expected && gemp_shard_edges(graph) == EDGES);
			gemp_shard_free(graph);
			char place[64];
			path = write_csv(first[b], true, &line);
			snprintf(place, sizeof place, "edges.csv:%" PRIu64 ": 2 fields where", line);
			assert_all_code(gemp_import(&graph, &test_comm, &options), GEMP_EDATA);
			assert_all(strstr(gemp_message(), place) != NULL);
		}
	}
	TEST_LIMIT(lines_block, sizes[0]);
	gemp_threads_limit(0);
}

/* If several lines are wrong, the message names the first of them, whichever rank or thread finds it. */
static void first_error_is_reported(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	gemp_text_print(&text, "src\tdst\n");
	for (int e = 2; e < 900; e++)
		gemp_text_print(&text, e == 500 || e == 501 || e == 777 || e == 840 ? "1\n" : "%d\t%d\n", e, e + 1);
	for (int compressed = 0; compressed < 2; compressed++) {
		const char *path = compressed ? write_gzip("bad.tsv.gz", text.data) : write_text_file("bad.tsv", text.data);
		gemp_import_options options = { .edge_files = &path, .edge_file_count = 1, .seed = 3 };
		gemp_shard *graph = NULL;
		TEST_LIMIT(lines_block, 300);
		assert_all_code(gemp_import(&graph, &test_comm, &options), GEMP_EDATA);
		assert_all(strstr(gemp_message(), ":500: 1 field where the header has 2") != NULL);
	}
	TEST_LIMIT_DEFAULT(lines_block);
	gemp_text_free(&text);
}

static gemp_code import_small(void *path)
{
	gemp_shard *graph = NULL;
	gemp_import_options options = { .edge_files = path, .edge_file_count = 1, .seed = 3 };
	gemp_code code = gemp_import(&graph, &test_comm, &options);
	gemp_shard_free(graph);
	return code;
}

static void memory_may_run_out_in_threads(void **state)
{
	(void)state;
	const char *path = write_text_file("few.tsv", "src\tdst\n1\t2\n2\t3\n3\t1\n4\t4\n");
	TEST_LIMIT(lines_block, 8);
	if (test_comm.size <= 2)
		assert_all_survive_no_memory(import_small, &path);
	else
		assert_all_ok(import_small(&path));
	TEST_LIMIT_DEFAULT(lines_block);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_blocks_do_not_matter),
		cmocka_unit_test(quoted_lines_are_read_in_any_blocks),
		cmocka_unit_test(first_error_is_reported),
		cmocka_unit_test(memory_may_run_out_in_threads),
	};
	return test_main_all(argc, argv, tests);
}
