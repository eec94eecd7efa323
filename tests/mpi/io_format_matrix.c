/* Tests the import of Matrix Market, METIS and adjacency text: expected graphs of samples, and messages of errors. */
#include "import_case.h"

static void check_import(const char *format, const char *name, const char *text, const char *expected)
{
	file_case file;
	expect_graph(one_file(&file, format, name, text), expected);
	expect_graph(one_file(&file, "auto", name, text), expected);
}

static void check_error(const char *format, const char *name, const char *text, const char *const *parts)
{
	file_case file;
	expect_failure(one_file(&file, format, name, text), GEMP_EDATA, parts);
}

static void matrices(void **state)
{
	(void)state;
	check_import("mtx", "g.mtx",
	             "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 3 3\n1 2 0.5\n2 2 -1e3\n\n2 3 0\n",
	             "1\n2\n3\n1-E->2 value:f=0.5\n2-E->2 value:f=-1000.0\n2-E->3 value:f=0.0\n");
	check_import("mtx", "i.mtx", "%%matrixmarket MATRIX Coordinate Integer GENERAL\r\n2 2 1\r\n 2\t1  7 \r\n",
	             "1\n2\n2-E->1 value:i=7\n");
	check_import("mtx", "s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 3\n",
	             "1\n2\n3\n4\n1-E-2\n3-E-3\n");
	check_import("mtx", "k.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n",
	             "1\n2\n1-E->2 value:i=-5\n2-E->1 value:i=5\n");
	check_import("mtx", "r.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 1\n1 3\n",
	             "c1 Column\nc2 Column\nc3 Column\nr1 Row\nr2 Row\nr1-E->c3\nr2-E->c1\n");
	check_import("mtx", "none.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n", "1\n2\n");
}

static void invalid_matrices_are_rejected(void **state)
{
	(void)state;
	static const char banner[] = "%%MatrixMarket matrix coordinate real general\n";
	char text[256];
	static const struct {
		const char *rest, *place, *part;
	} after_banner[] = {
		{ "% only\n", "bad.mtx: ", "rows, columns and entries" },
		{ "2 2\n1 1 1\n", "bad.mtx:2: ", "2 numbers" },
		{ "2 -2 1\n", "bad.mtx:2: ", "negative" },
		{ "2 x 1\n", "bad.mtx:2: ", "'x'" },
		{ "5000000000 5000000000 1\n", "bad.mtx:2: ", "4294967294" },
		{ "2 2 2\n1 1 1\n", "bad.mtx:2: ", "1 entries" },
		{ "2 2 1\n1 1 1\n2 2 2\n", "bad.mtx:2: ", "2 entries" },
		{ "2 2 1\n1 1\n", "bad.mtx:3: ", "2 fields" },
		{ "%\n2 2 1\n\n0 1 1\n", "bad.mtx:5: ", "row 0" },
		{ "2 3 1\n1 4 1\n", "bad.mtx:3: ", "column 4" },
		{ "2 2 1\n1 1 nan\n", "bad.mtx:3: ", "nan" },
		{ "2 2 1\n1 \xff 1\n", "bad.mtx:3: ", "UTF-8" },
	};
	for (size_t i = 0; i < sizeof after_banner / sizeof *after_banner; i++) {
		snprintf(text, sizeof text, "%s%s", banner, after_banner[i].rest);
		check_error("mtx", "bad.mtx", text, PARTS(after_banner[i].place, after_banner[i].part));
	}
	check_error("mtx", "bad.mtx", "1 2 3\n", PARTS("bad.mtx:1: ", "not a Matrix Market file"));
	check_error("mtx", "bad.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
	            PARTS("bad.mtx:1: ", "'array'", "coordinate"));
	check_error("mtx", "bad.mtx", "%%MatrixMarket matrix coordinate complex general\n",
	            PARTS("bad.mtx:1: ", "'complex'"));
	check_error("mtx", "bad.mtx", "%%MatrixMarket matrix coordinate real hermitian\n",
	            PARTS("bad.mtx:1: ", "'hermitian'"));
	check_error("mtx", "bad.mtx", "%%MatrixMarket vector coordinate real general\n", PARTS("bad.mtx:1: ", "'vector'"));
	check_error("mtx", "bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
	            PARTS("bad.mtx:2: ", "symmetric"));
	check_error("mtx", "bad.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
	            PARTS("bad.mtx:3: ", "diagonal"));
}

static void metis(void **state)
{
	(void)state;
	check_import("metis", "g.metis", "% a comment\n4 2\n2\n%another\n1 3\n2\n\n", "1\n2\n3\n4\n1-E-2\n2-E-3\n");
	check_import("metis", "g.graph", "2 1 1\n2 7\n1 7\n", "1\n2\n1-E-2 weight:i=7\n");
	check_import("metis", "g.graph", "2 1 011 2\n5 6 2 7\n8 9 1 7\n",
	             "1 weight1:i=5 weight2:i=6\n2 weight1:i=8 weight2:i=9\n1-E-2 weight:i=7\n");
	check_import("metis", "g.graph", "2 1 110\n50 6 2\n80 9 1\n\n\n",
	             "1 size:i=50 weight:i=6\n2 size:i=80 weight:i=9\n1-E-2\n");
	check_import("metis", "g.graph", "1 0 10 1\n3\n", "1 weight:i=3\n");
}

static void invalid_metis_files_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place, *part;
	} bad[] = {
		{ "% nothing\n", "bad.graph: ", "header" },
		{ "\n", "bad.graph:1: ", "0 fields" },
		{ "3\n", "bad.graph:1: ", "1 fields" },
		{ "3 x\n", "bad.graph:1: ", "number of edges" },
		{ "3 1 2\n", "bad.graph:1: ", "fmt '2'" },
		{ "3 1 0000\n", "bad.graph:1: ", "fmt" },
		{ "3 1 1 2\n", "bad.graph:1: ", "ncon" },
		{ "3 1 10 0\n", "bad.graph:1: ", "ncon" },
		{ "%\n3 1\n2\n1\n", "bad.graph:2: ", "3 vertices, and 2 lines" },
		{ "2 1\n2\n1\n\n1\n", "bad.graph:5: ", "vertex 4" },
		{ "3 1\n2\n\n\n", "bad.graph:2: ", "vertex 2 does not list 1" },
		{ "3 1\n\n\n%\n1\n", "bad.graph:5: ", "vertex 3 lists 1, but vertex 1 does not" },
		{ "2 1\n2 2\n1\n", "bad.graph:2: ", "twice" },
		{ "2 1\n2\n1 1\n", "bad.graph:2: ", "listed twice" },
		{ "2 1\n1 2\n1\n", "bad.graph:2: ", "itself" },
		{ "2 1\n0\n1\n", "bad.graph:2: ", "vertex 0" },
		{ "2 1\n3\n1\n", "bad.graph:2: ", "3 is not" },
		{ "2 1\nb\n1\n", "bad.graph:2: ", "'b'" },
		{ "2 2\n2\n1\n", "bad.graph:1: ", "2 edges, and 1 are" },
		{ "2 1 1\n2 7\n1 8\n", "bad.graph:2: ", "weighs 7 here and 8 in line 3" },
		{ "2 1 1\n2\n1 8\n", "bad.graph:2: ", "without the weight" },
		{ "2 1 10 2\n7\n1 8\n", "bad.graph:2: ", "1 fields where a vertex has 2" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_error("metis", "bad.graph", bad[i].text, PARTS(bad[i].place, bad[i].part));
}

static void adjacency(void **state)
{
	(void)state;
	check_import("adjacency", "g.adj",
	             "# who knows whom\nann -> bob, cy d\nbob->ann,ann\n  alone\nalone\nann\n\n7->bob\n",
	             "7\nalone\nann\nbob\ncy d\n7-E->bob\nann-E->bob\nann-E->cy d\nbob-E->ann\nbob-E->ann\n");
	check_import("adjacency", "n.adj", "1 -> 2, 3\r\n4\r\n2", "1\n2\n3\n4\n1-E->2\n1-E->3\n");
}

static void invalid_adjacency_text_is_rejected(void **state)
{
	(void)state;
	check_error("adjacency", "bad.adj", "a -> b\nb -> \n", PARTS("bad.adj:2: ", "a neighbour is missing"));
	check_error("adjacency", "bad.adj", "a -> b,,c\n", PARTS("bad.adj:1: ", "a neighbour is missing"));
	check_error("adjacency", "bad.adj", "-> b\n", PARTS("bad.adj:1: ", "before '->'"));
	check_error("adjacency", "bad.adj", "a -> b -> c\n", PARTS("bad.adj:1: ", "second '->'"));
	check_error("adjacency", "bad.adj", "a, b\n", PARTS("bad.adj:1: ", "comma"));
}

static void unsuitable_options_are_rejected(void **state)
{
	(void)state;
	file_case file;
	const char *two[2];
	gemp_import_options *options = one_file(&file, "auto", "k.mtx",
	                                        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 0\n");
	options->undirected = true;
	expect_failure(options, GEMP_EUSAGE, PARTS("k.mtx", "directed"));
	two[0] = two[1] = file.path;
	options->edge_files = two;
	options->edge_file_count = 2;
	expect_failure(options, GEMP_EUSAGE, PARTS("mtx", "2 files"));
	two[1] = write_text_file("e.tsv", "src\tdst\n1\t2\n");
	expect_failure(options, GEMP_EUSAGE, PARTS("mtx", "tsv", "format"));
	options->edge_file_count = 1;
	options->vertex_files = two + 1;
	options->vertex_file_count = 1;
	options->format = file.options.format;
	expect_failure(options, GEMP_EUSAGE, PARTS("mtx"));
	options->vertex_file_count = 0;
	two[0] = "/nowhere/to/be.mtx";
	expect_failure(options, GEMP_ENOINPUT, PARTS("/nowhere/to/be.mtx"));
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(one_file(&file, "metis", "g.graph", "3 2 1\n2 7\n1 7 3 8\n2 8\n"));
	survives_without_memory(one_file(&file, "adjacency", "g.adj", "a -> b\nc\n"));
	survives_without_memory(
		one_file(&file, "mtx", "g.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 0.5\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matrices),
		cmocka_unit_test(invalid_matrices_are_rejected),
		cmocka_unit_test(metis),
		cmocka_unit_test(invalid_metis_files_are_rejected),
		cmocka_unit_test(adjacency),
		cmocka_unit_test(invalid_adjacency_text_is_rejected),
		cmocka_unit_test(unsuitable_options_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
