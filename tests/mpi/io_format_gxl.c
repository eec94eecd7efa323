/* Tests the import of GXL files: expected graphs of samples, and messages of errors. */
#include "import_case.h"

#define HEAD                                                                                   \
	"<?xml version=\"1.0\"?>\n<!DOCTYPE gxl SYSTEM \"http://www.gupro.de/GXL/gxl-1.0.dtd\">\n" \
	"<gxl xmlns:xlink=\"http://www.w3.org/1999/xlink\">"
#define GRAPH HEAD "<graph id=\"g\">\n"
#define TAIL "</graph></gxl>\n"

static void example_of_the_manual(void **state)
{
	(void)state;
	file_case file;
	expect_graph(
		one_file(&file, "gxl", "a.gxl",
	             HEAD
	             "<graph id=\"simple\" edgeids=\"true\"><type xlink:href=\"s.gxl#G\"/>\n"
	             "<attr name=\"author\"><string>x</string></attr>\n"
	             "<node id=\"p\"><type xlink:href=\"s.gxl#Proc\"/><attr name=\"file\">"
	             "<string>main.c</string></attr></node>\n"
	             "<node id=\"q\"><type xlink:href=\"s.gxl#Proc\"/><type xlink:href=\"s.gxl#Leaf\"/>"
	             "<attr name=\"file\">"
	             "<string> a &amp; b </string></attr></node>\n"
	             "<node id=\"v\"><attr name=\"line\"><int> 27 </int></attr><attr name=\"ok\"><bool>true</bool></attr>"
	             "<attr name=\"kind\"><enum>local</enum></attr><attr name=\"none\"/></node>\n"
	             "<edge id=\"c\" from=\"p\" to=\"q\" toorder=\"1\"><type xlink:href=\"s.gxl#Call\"/>"
	             "<attr name=\"at\"><float>2.5</float></attr></edge>\n"
	             "<edge from=\"v\" to=\"p\"><attr name=\"src\"><locator xlink:href=\"file:x\"/></attr></edge>\n" TAIL),
		"p Proc file:s=main.c\nq Leaf;Proc file:s= a & b \nv kind:s=local line:i=27 ok:b=true\n"
		"p-Call->q at:f=2.5 toorder:i=1\nv-E->p src:s=file:x\n");
}

static void types_of_columns_hold_all_values(void **state)
{
	(void)state;
	const char *paths[] = {
		write_text_file("a.gxl", GRAPH "<node id=\"1\"><attr name=\"n\"><int>1</int></attr><attr name=\"m\">"
		                               "<int>1</int></attr></node>" TAIL),
		write_text_file("b.gxl", GRAPH
		                "<node id=\"2\"><attr name=\"n\"><float>1.5</float></attr><attr name=\"m\"><bool>true</bool>"
		                "</attr></node><edge from=\"1\" to=\"2\"/>" TAIL),
	};
	gemp_import_options options = { .edge_file_count = 2, .edge_files = paths, .seed = 1 };
	expect_graph(&options, "1 m:s=1 n:f=1.0\n2 m:s=true n:f=1.5\n1-E->2\n");
}

static void edges_may_be_undirected(void **state)
{
	(void)state;
	file_case file;
	static const char *const same[] = {
		HEAD "<graph id=\"g\" edgemode=\"undirected\"><node id=\"1\"/><node id=\"2\"/><edge from=\"1\" to=\"2\"/>" TAIL,
		HEAD "<graph id=\"g\" edgemode=\"undirected\"><node id=\"1\"/><node id=\"2\"/>"
			 "<edge from=\"1\" to=\"2\" isdirected=\"true\"/>" TAIL,
		GRAPH "<node id=\"1\"/><node id=\"2\"/><edge from=\"1\" to=\"2\" isdirected=\"false\"/>" TAIL,
	};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		expect_graph(one_file(&file, "gxl", "u.gxl", same[i]), "1\n2\n1-E-2\n");
}

static void invalid_files_are_rejected(void **state)
{
	(void)state;
	static const bad_text bad[] = {
		{ "hello", ":1: ", "syntax error" },
		{ "<graphml/>", ":1: ", "not GXL" },
		{ GRAPH "<node id='1'>", ":4: ", "whole" },
		{ "<!DOCTYPE gxl [\n<!ENTITY a \"b\">]><gxl/>", ":2: ", "entity" },
		{ GRAPH "\n<node/>" TAIL, ":5: ", "no id" },
		{ GRAPH "<edge from='1'/>" TAIL, ":4: ", "no to" },
		{ GRAPH "\n<rel/>" TAIL, ":5: ", "<rel> is not supported" },
		{ GRAPH "<node id='1'>\n<graph id='h'/></node>" TAIL, ":5: ", "graph inside" },
		{ HEAD "<graph id='g' hypergraph='true'/></gxl>", ":3: ", "hypergraph" },
		{ GRAPH "<node id='1'>\n<attr name='a'><seq/></attr></node>" TAIL, ":5: ", "'a' is a <seq>" },
		{ GRAPH "<node id='1'>\n<attr name='a'><int>x</int></attr></node>" TAIL, ":5: ", "'a': 'x' is not an integer" },
		{ GRAPH "<node id='1'>\n<attr name='a'><int>1</int><int>2</int></attr></node>" TAIL, ":5: ", "several values" },
		{ GRAPH "<node id='1'><attr name='a'>\n<attr name='b'/></attr></node>" TAIL, ":5: ", "'a' has an attribute" },
		{ GRAPH "<node id='1'><attr name='a'/>\n<attr name='a'/></node>" TAIL, ":5: ", "twice" },
		{ GRAPH "<node id='1'>\n<attr><int>1</int></attr></node>" TAIL, ":5: ", "no name" },
		{ GRAPH "<node id='1'>\n<type/></node>" TAIL, ":5: ", "xlink:href" },
		{ GRAPH "<node id='1'/>\n<edge from='1' to='1'><type xlink:href='#A'/><type xlink:href='#B'/></edge>" TAIL,
		  ":5: ", "several types" },
		{ GRAPH "<node id='1'/>\n<edge from='1' to='1' fromorder='x'/>" TAIL, ":5: ", "fromorder: 'x'" },
		{ GRAPH "<node id='1'/>\n<edge from='1' to='2'/>" TAIL, ":5: ", "'2'" },
		{ GRAPH "<node id='1'/>\n<node id='1'/>" TAIL, ":5", "1" },
		{ GRAPH "<node id='1'/><edge from='1' to='1'/>\n<edge from='1' to='1' isdirected='false'/>" TAIL,
		  ":5: ", "undirected" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		file_case file;
		expect_error(one_file(&file, "gxl", "bad.gxl", bad[i].text), "bad.gxl", &bad[i]);
	}
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(one_file(
		&file, "gxl", "m.gxl",
		GRAPH
		"<node id='1'><type xlink:href='#A'/>"
		"<attr name='a'><int>1</int></attr></node><edge from='1' to='1'><attr name='b'><bool>1</bool></attr></edge>" TAIL));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_of_the_manual),   cmocka_unit_test(types_of_columns_hold_all_values),
		cmocka_unit_test(edges_may_be_undirected), cmocka_unit_test(invalid_files_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
