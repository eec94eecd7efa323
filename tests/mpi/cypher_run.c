/* Whole queries of openCypher, from text to rows, on a small graph. The expected rows are written by hand. Each query
 * runs on graphs that are the same but for the seed of their ids; neither the seed nor the number of ranks may change
 * the order of the rows. */

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "cypher/run.h"
#include "harness/collective.h"
#include "partition/build/builder.h"

#include <string.h>

/* Nodes 0 .. 5 with num = 10 - key; even nodes have the label Even. The types of edges are R and S in turn. */
enum { NODES = 6, EDGES = 7, SEEDS = 3 };
static const int ends[EDGES][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 0 }, { 2, 3 } };

static gemp_shard *graphs[SEEDS];
static gemp_runtime *context;

static gemp_value integer(int64_t value)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = value };
}

static gemp_code add_elements(gemp_builder *builder, size_t num, size_t weight)
{
	const size_t rank = (size_t)test_comm.rank, ranks = (size_t)test_comm.size;
	for (size_t i = rank; i < NODES; i += ranks) {
		const gemp_value key = integer((int64_t)i), value = integer(10 - (int64_t)i);
		GEMP_TRY(gemp_builder_vertex(builder, &key, "Even", i % 2 ? 0 : 4, (gemp_place){ 0, i + 1 }));
		GEMP_TRY(gemp_builder_vertex_value(builder, num, &value));
	}
	for (size_t e = rank; e < EDGES; e += ranks) {
		const gemp_value from = integer(ends[e][0]), to = integer(ends[e][1]), value = integer((int64_t)e);
		GEMP_TRY(gemp_builder_edge(builder, &from, &to, e % 2 ? "S" : "R", 1, (gemp_place){ 0, e + 1 }));
		GEMP_TRY(gemp_builder_edge_value(builder, weight, &value));
	}
	return GEMP_OK;
}

static gemp_code make_graph(uint64_t seed, gemp_shard **out)
{
	GEMP_OWNED_BY(gemp_builder_free_at) gemp_builder *builder = NULL;
	const gemp_builder_options options = { .seed = seed };
	size_t num, weight;
	GEMP_TRY(gemp_builder_new(&builder, &test_comm, &options));
	gemp_code code = gemp_builder_vertex_column(builder, "num", GEMP_INTEGER, &num);
	GEMP_THEN(gemp_builder_edge_column(builder, "weight", GEMP_INTEGER, &weight));
	GEMP_THEN(add_elements(builder, num, weight));
	GEMP_TRY(gemp_comm_agree(&test_comm, code));
	return gemp_builder_finish(builder, out);
}

static gemp_code print_rows(const gemp_cypher_result *result, gemp_text *out)
{
	const gemp_cypher_table *rows = &result->rows;
	gemp_text_add(out, "", 0);
	for (size_t r = 0; r < rows->rows; r++)
		for (size_t c = 0; c < rows->width; c++) {
			gemp_text_print(out, "%s", c ? " " : r ? "|" : "");
			GEMP_TRY(
				gemp_datum_json(gemp_cypher_table_row(rows, r)[c], gemp_cypher_search_writer(result->search), out));
		}
	return gemp_text_status(out);
}

static gemp_code run_in(gemp_runtime *runtime, gemp_shard *graph, const char *text, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	GEMP_OWNED_BY(gemp_cypher_result_free) gemp_cypher_result result = { 0 };
	const gemp_source source = { .text = text };
	const gemp_prepared_options options = { 0 };
	gemp_code code = gemp_cypher_parse(&tree, &source);
	GEMP_THEN(gemp_cypher_check(&tree));
	GEMP_TRY(gemp_comm_agree(&test_comm, code));
	GEMP_TRY(gemp_cypher_run(&result, runtime, graph, &tree, NULL, &options, NULL));
	return gemp_comm_agree(&test_comm, print_rows(&result, out));
}

static gemp_code run_text(gemp_shard *graph, const char *text, gemp_text *out)
{
	return run_in(context, graph, text, out);
}

static void expect_rows(int line, const char *text, const char *rows)
{
	for (size_t seed = 0; seed < SEEDS; seed++) {
		gemp_text out = { 0 };
		const gemp_code code = run_text(graphs[seed], text, &out);
		const bool same = code == GEMP_OK && (test_comm.rank != 0 || strcmp(out.data, rows) == 0);
		if (!same)
			fprintf(stderr, "line %d: %s\n  gives    %s\n  and not  %s\n", line, text,
			        code == GEMP_OK ? out.data : gemp_message(), rows);
		gemp_text_free(&out);
		assert_all(same);
	}
}
#define ROWS(text, rows) expect_rows(__LINE__, text, rows)

static void expect_failure(int line, const char *text, gemp_code expected, const char *part)
{
	gemp_text out = { 0 };
	const gemp_code code = run_text(graphs[0], text, &out);
	const bool same = code == expected && strstr(gemp_message(), part);
	if (!same)
		fprintf(stderr, "line %d: %s: code %d, %s\n  without '%s'\n", line, text, (int)code, gemp_message(), part);
	gemp_text_free(&out);
	assert_all(same);
}
#define FAILS(text, code, part) expect_failure(__LINE__, text, code, part)

static void reads(void **state)
{
	(void)state;
	ROWS("MATCH (a) RETURN a.num", "10|9|8|7|6|5");
	ROWS("MATCH (a) RETURN a.num LIMIT 2", "10|9");
	ROWS("MATCH (a:Even) RETURN a", "0|2|4");
	ROWS("MATCH (a)-[r]->(b) RETURN a.num - b.num AS d, r.weight, type(r) LIMIT 3", "1 0 \"R\"|2 1 \"S\"|1 2 \"R\"");
	ROWS("MATCH (a)-->(b) WITH a, b MATCH (b)-->(c) RETURN count(*)", "10");
	ROWS("MATCH (a)-->(b)-->(c) RETURN count(*)", "10");
	ROWS("MATCH (a)-->(b) WITH b, count(*) AS c WHERE c > 1 RETURN b.num, c", "8 2|7 2");
	ROWS("MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE b.num = 7 RETURN a.num, b.num",
	     "10 null|9 null|8 7|8 7|7 null|6 null|5 null");
	ROWS("UNWIND [7, 9, 1] AS x OPTIONAL MATCH (a {num: x}) RETURN x, a.num", "7 7|9 9|1 null");
	ROWS("MATCH (a) RETURN collect(a.num) AS l", "[10, 9, 8, 7, 6, 5]");
	ROWS("MATCH (a), (b) WHERE a.num = b.num + 1 RETURN a.num, b.num ORDER BY b.num LIMIT 2", "6 5|7 6");
	ROWS("MATCH p = (a {num: 10})-[*2]->(b) RETURN length(p), b.num", "2 8|2 7|2 7");
	ROWS("MATCH (a) WITH a ORDER BY a.num LIMIT 3 MATCH (a)-->(b) RETURN a.num, b.num", "6 10|7 6");
}

/* Elements are ordered by keys, not by ids. */
static void order_of_elements(void **state)
{
	(void)state;
	ROWS("MATCH (a) RETURN a ORDER BY a DESC", "5|4|3|2|1|0");
	ROWS("MATCH (a) WHERE a.num < 8 RETURN a.num ORDER BY [a, 1] LIMIT 2", "7|6");
	ROWS("MATCH (a) WHERE a.num < 8 RETURN a.num ORDER BY {k: a} DESC LIMIT 2", "5|6");
	ROWS("MATCH ()-[r]->() RETURN r.weight ORDER BY r", "0|2|6|4|1|3|5");
	ROWS("MATCH (a:Even)-[r]->() WITH a, r ORDER BY a DESC, r RETURN a.num, r.weight", "6 5|8 6|8 3|10 0|10 1");
	ROWS("MATCH p = ()-[]->()-[]->(:Even) RETURN [n IN nodes(p) | n.num] AS l ORDER BY p LIMIT 2",
	     "[10, 9, 8]|[8, 7, 6]");
}

/* Rows that are only counted have no values. */
static void counts(void **state)
{
	(void)state;
	ROWS("MATCH (a)-->(b) RETURN count(*)", "7");
	ROWS("MATCH (a) OPTIONAL MATCH (a)-->(b) RETURN count(*), count(*) AS c", "8 8");
	ROWS("MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE b.num < 8 RETURN count(*)", "7");
	ROWS("MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE (b)-->(:Even) RETURN count(*)", "7");
	ROWS("UNWIND [1, 2] AS x MATCH (a)-->(b) RETURN count(*)", "14");
	ROWS("MATCH (a {num: 77}) RETURN count(*)", "0");
	ROWS("MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN count(*) } AS l", "[2]|[1]|[2]|[1]|[1]|[0]");
	ROWS("MATCH (a)-->(b) WITH count(*) AS c MATCH (a) WHERE a.num = c RETURN a.num", "7");
	ROWS("MATCH ()-->() RETURN count(*) AS c ORDER BY c LIMIT 1", "7");
}

static void inner(void **state)
{
	(void)state;
	ROWS("MATCH (a) WHERE NOT (a)-->() RETURN a.num", "5");
	ROWS("MATCH (a) RETURN a.num, [(a)-->(b) WHERE b.num < 9 | b.num] AS l", "10 [8]|9 [8]|8 [7, 7]|7 [6]|6 []|5 []");
	ROWS("MATCH (a) RETURN COUNT { (a)-->() } AS c", "2|1|2|1|1|0");
	ROWS("MATCH (a) WHERE EXISTS { MATCH (a)-->(b) WHERE b.num = 7 } RETURN a.num", "8");
	ROWS("MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN b.num ORDER BY b.num LIMIT 1 } AS l",
	     "[8]|[8]|[7]|[6]|[10]|[]");
	ROWS("MATCH (a) WITH collect(a) AS l RETURN [x IN l WHERE NOT (x)--() | x.num] AS m", "[5]");
	ROWS("MATCH (a:Even) OPTIONAL MATCH (a)-->(b) WHERE (b)-->(:Even) RETURN a.num, b.num", "10 9|8 7|8 7|6 10");
}

/* Keys, and not ids, decide which element is the least: the seeds of the graphs give other ids. */
static void extremes(void **state)
{
	(void)state;
	ROWS("MATCH (a) RETURN min(a), max(a)", "0 5");
	ROWS("MATCH (a:Even)-->(b) RETURN a.num, min(b), max(b)", "10 1 2|8 3 3|6 0 0");
	ROWS("MATCH (a) RETURN max([a.num % 2, a]), min({n: a})", "[1, 5] {\"n\": 0}");
	ROWS("MATCH p = (a)-->(b) RETURN length(min(p)), nodes(max(p))", "1 [4, 0]");
	ROWS("MATCH (a)-[r]->(b) WITH a, b, max(r) AS m RETURN type(m), count(*) ORDER BY type(m)", "\"R\" 3|\"S\" 3");
}

static void procedures(void **state)
{
	(void)state;
	ROWS("CALL db.labels()", "\"Even\"");
	ROWS("CALL db.relationshipTypes() YIELD relationshipType AS t RETURN t", "\"R\"|\"S\"");
	ROWS("CALL db.propertyKeys() YIELD propertyKey WHERE propertyKey <> 'num' RETURN propertyKey", "\"weight\"");
}

/* All ranks return the code of rank 0, and can go on. */
static void failures(void **state)
{
	(void)state;
	FAILS("MATCH (a) RETURN 1 / (a.num - 10)", GEMP_EUSAGE, "1:");
	FAILS("MATCH (a) WITH a LIMIT toInteger('-1') RETURN a", GEMP_EUSAGE, "negative");
	FAILS("MATCH (a) CREATE (b)", GEMP_EUSAGE, "gemp-mpi transform");
	FAILS("MATCH (a) SET a.num = 1", GEMP_EUSAGE, "gemp-mpi transform");
	context->budgets.host_memory = gemp_memory_live() + (4u << 20);
	FAILS("UNWIND range(1, 2000000) AS x RETURN x", GEMP_ENOMEM, "--host-memory");
	context->budgets.host_memory = 0;
	ROWS("RETURN 1 AS x", "1");
}

static gemp_code run_once(void *argument)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL; /* its own, since a search loads rows that stay */
	GEMP_OWNED_BY(gemp_runtime_free_at) gemp_runtime *runtime = NULL;
	const gemp_budgets none = { 0 };
	(void)argument;
	GEMP_TRY(make_graph(1, &graph));
	GEMP_TRY(gemp_runtime_new(&runtime, &test_comm, NULL, &none));
	return run_in(runtime, graph,
	              "MATCH (a) WHERE (a)-->() WITH a ORDER BY a LIMIT 3 MATCH (a)-[r]->(b) RETURN a, r, "
	              "[(b)-->(c) | c.num] AS l",
	              &out);
}

/* A rank without memory fails all ranks, and none waits for another. */
static void no_memory(void **state)
{
	(void)state;
	assert_all_survive_no_memory(run_once, NULL);
}

static int setup(void **state)
{
	const gemp_budgets none = { 0 };
	(void)state;
	gemp_code code = gemp_runtime_new(&context, &test_comm, NULL, &none);
	for (size_t seed = 0; seed < SEEDS && code == GEMP_OK; seed++)
		code = make_graph(seed + 1, &graphs[seed]);
	return code == GEMP_OK ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t seed = 0; seed < SEEDS; seed++)
		gemp_shard_free(graphs[seed]);
	gemp_runtime_free(context);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads, setup, teardown),
		cmocka_unit_test_setup_teardown(order_of_elements, setup, teardown),
		cmocka_unit_test_setup_teardown(counts, setup, teardown),
		cmocka_unit_test_setup_teardown(inner, setup, teardown),
		cmocka_unit_test_setup_teardown(extremes, setup, teardown),
		cmocka_unit_test_setup_teardown(procedures, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(failures, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
