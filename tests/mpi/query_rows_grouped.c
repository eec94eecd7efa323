/* Tests groups and lists in all output formats. */
#include "made_graph.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "io/rows/row_writer.h"
#include "partition/runtime.h"
#include "pattern/bind/bind.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "query/output/result_rows.h"

#include <unistd.h>

enum { ROWS = 6, MAX_TEXT = 4096 };

static gemp_expr *node(gemp_expr_kind kind, int variable, gemp_type type, size_t children)
{
	gemp_expr *expr;
	assert_ok(gemp_expr_new(&expr, kind, 1, 1));
	expr->variable = variable;
	expr->type = type;
	assert_ok(gemp_expr_children(expr, children));
	return expr;
}

static gemp_expr *parent(gemp_expr_kind kind, gemp_type type, gemp_expr *child)
{
	gemp_expr *expr = node(kind, -1, type, 1);
	expr->children[0] = child;
	return expr;
}

/* Makes RETURN a, collect(b) AS list, count(*) AS n ORDER BY n DESC. */
static gemp_pattern *make_pattern(const made_graph *made)
{
	gemp_pattern *pattern;
	assert_ok(gemp_pattern_parse(&pattern, "MATCH (a)-->(b) RETURN a, a AS list, a AS n", NULL));
	assert_ok(gemp_pattern_bind(pattern, &made->graph));
	gemp_clause *clause = &pattern->result;
	gemp_expr_free(clause->items[1].expr);
	clause->items[1].expr = parent(GEMP_COLLECT, GEMP_LIST, node(GEMP_VERTEX, 1, GEMP_INTEGER, 0));
	gemp_expr_free(clause->items[2].expr);
	clause->items[2].expr = node(GEMP_COUNT_STAR, -1, GEMP_INTEGER, 0);
	clause->grouped = true;
	assert_ok(GEMP_NEW(clause->orders, 1));
	clause->orders[0] = (gemp_sort_item){ .item = 2, .descending = true };
	clause->order_count = 1;
	return pattern;
}

static gemp_vertex vertex_of_rank(const made_graph *made, uint32_t rank)
{
	gemp_vertex id = 0;
	while (made->key_rank[id] != rank)
		id++;
	return id;
}

/* Writes rows of a and b. By ranks of keys, a = 7 occurs with b = 1, 2, 2 and NULL, a = 3 with 9, and a = 5 with 4. */
static gemp_code write_rows(const made_graph *made, gemp_pattern *pattern, const char *path, uint64_t limit,
                            gemp_sink *sink)
{
	static const int rows[ROWS][2] = { { 7, 2 }, { 3, 9 }, { 7, 1 }, { 5, 4 }, { 7, 2 }, { 7, -1 } };
	gemp_code code = GEMP_OK;
	bool enough = false, again = false;
	const gemp_rows_options options = { .path = path, .limit = limit, .semantics = "iso", .distinct = "none" };
	GEMP_TRY_DONE(gemp_rows_new(sink, (gemp_runtime *)&made->context, (gemp_shard *)&made->graph, pattern, &options));
	for (int i = 0; i < ROWS && code == GEMP_OK; i++) {
		const bool found = rows[i][1] >= 0;
		const gemp_vertex vertices[] = { vertex_of_rank(made, (uint32_t)rows[i][0]),
			                             found ? vertex_of_rank(made, (uint32_t)rows[i][1]) : GEMP_NO_VERTEX };
		const gemp_edge edges[] = { (gemp_edge)i };
		if (i % test_comm.size == test_comm.rank)
			code = sink->consume(
				sink->self,
				&(gemp_batch){ .rows = 1, .vertex_count = 2, .edge_count = 1, .vertices = vertices, .edges = edges });
	}
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	code = sink->end_round(sink->self, true, &enough, &again);
done:
	return code;
}

static void check_file(const char *path, const char *expected)
{
	char text[MAX_TEXT] = "";
	FILE *file = fopen(path, "rb");
	if (file) {
		text[fread(text, 1, sizeof text - 1, file)] = '\0';
		fclose(file);
	}
	if (strcmp(text, expected) != 0)
		fprintf(stderr, "expected:\n%sfound:\n%s", expected, text);
	assert_all(strcmp(text, expected) == 0);
}

static void check(const char *name, uint64_t limit, const char *expected)
{
	made_graph *made = made_graph_new(3);
	gemp_pattern *pattern = make_pattern(made);
	const char *path = test_path_all(name);
	gemp_sink sink;
	assert_all_ok(write_rows(made, pattern, path, limit, &sink));
	assert_all(gemp_rows_written(&sink) == (limit < 3 ? limit : 3));
	assert_all(limit < 3 || gemp_rows_total(&sink) == 3);
	assert_all(gemp_rows_complete(&sink) == (limit >= 3));
	sink.free(sink.self);
	if (expected)
		check_file(path, expected);
	gemp_pattern_free(pattern);
	made_graph_free(made);
	assert_all(gemp_memory_blocks() == 0);
}

/* The key of rank r is 3 * r - 50. */
static void as_text(void **state)
{
	(void)state;
	check("groups.tsv", UINT64_MAX, "a\tlist\tn\n-29\t[-47, -44, -44]\t4\n-41\t[-23]\t1\n-35\t[-38]\t1\n");
	check("groups.csv", UINT64_MAX, "a,list,n\r\n-29,\"[-47, -44, -44]\",4\r\n-41,[-23],1\r\n-35,[-38],1\r\n");
	check("groups.jsonl", UINT64_MAX,
	      "{\"a\": -29, \"list\": [-47, -44, -44], \"n\": 4}\n"
	      "{\"a\": -41, \"list\": [-23], \"n\": 1}\n{\"a\": -35, \"list\": [-38], \"n\": 1}\n");
	check("first.tsv", 1, "a\tlist\tn\n-29\t[-47, -44, -44]\t4\n");
}

static const char reader[] = "import h5py, sys\n"
							 "f = h5py.File(sys.argv[1])\n"
							 "rows = f['rows']\n"
							 "assert list(rows['a'][:]) == [-29, -41, -35], rows['a'][:]\n"
							 "offsets, texts = rows['list/offsets'][:], rows['list/bytes'][:].tobytes()\n"
							 "lists = [texts[i:j].decode() for i, j in zip(offsets, offsets[1:])]\n"
							 "assert lists == ['[-47, -44, -44]', '[-23]', '[-38]'], lists\n"
							 "assert list(rows['n'][:]) == [4, 1, 1]\n"
							 "assert f.attrs['complete']\n";

static void as_hdf5(void **state)
{
	(void)state;
	int missing = test_comm.rank == 0 ? system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") : 0;
	GEMP_MPI(MPI_Bcast(&missing, 1, MPI_INT, 0, test_comm.world));
	if (missing) {
		print_message("no h5py: not tested\n");
		return;
	}
	char command[8192];
	const char *path = test_path_all("groups.h5");
	check("groups.h5", UINT64_MAX, NULL);
	snprintf(command, sizeof command, "/usr/bin/python3 '%s' '%s'", test_file("reader.py", reader), path);
	assert_all(test_comm.rank != 0 || system(command) == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_text),
		cmocka_unit_test(as_hdf5),
	};
	return test_main_all(argc, argv, tests);
}
