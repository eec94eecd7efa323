/* Tests the import of JSON lines in both shapes of objects: expected graphs of samples, and messages of errors. */
#include "import_case.h"

static void check_import(const char *text, const char *expected)
{
	file_case file;
	expect_graph(one_file(&file, "jsonl", "g.jsonl", text), expected);
	expect_graph(one_file(&file, "auto", "g.jsonl", text), expected);
}

static void export_of_apoc(void **state)
{
	(void)state;
	check_import(
		"{\"type\":\"node\",\"id\":\"0\",\"labels\":[\"User\"],\"properties\":{\"name\":\"Adam\",\"age\":42,\"male\":true}}\n"
		"{\"type\":\"node\",\"id\":\"1\",\"labels\":[\"User\",\"Admin\"],\"properties\":{\"name\":\"J\\u00fcrgen\",\"age\":null}}\n"
		"\n{\"type\":\"node\",\"id\":\"2\"}\r\n"
		"{\"id\":\"0\",\"type\":\"relationship\",\"label\":\"KNOWS\",\"properties\":{\"since\":1993,\"w\":1.0},"
		"\"start\":{\"id\":\"0\",\"labels\":[\"User\"],\"properties\":{\"age\":42}},\"end\":{\"id\":\"1\"}}\n"
		"{\"type\":\"relationship\",\"start\":{\"id\":\"2\"},\"end\":{\"id\":\"2\"},\"properties\":{\"w\":2}}",
		"0 User age:i=42 male:b=true name:s=Adam\n1 Admin;User name:s=J\xc3\xbcrgen\n2\n"
		"0-KNOWS->1 since:i=1993 w:f=1.0\n2-E->2 w:f=2.0\n");
}

static void plain_objects(void **state)
{
	(void)state;
	check_import(
		"{\"id\":1,\"labels\":[\"A\",\"B\"],\"x\":1}\n{\"id\":\"two\",\"type\":\"A;B\",\"label\":\"l\",\"source\":\"s\"}\n"
		"{\"id\":3,\"label\":\"C\",\"x\":2.5}\n{\"src\":1,\"dst\":\"two\",\"type\":\"T\",\"id\":7}\n"
		"{\"source\":3,\"target\":1,\"label\":\"x\",\"type\":null}\n",
		"1 A;B x:f=1.0\n3 C x:f=2.5\ntwo A;B label:s=l source:s=s\n1-T->two id:i=7\n3-E->1 label:s=x\n");
	check_import("{\"src\":1,\"dst\":2}\n", "1\n2\n1-E->2\n");
	check_import("{\"id\":1,\"only\":null}\n", "1\n");
}

static void invalid_files_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place, *part;
	} bad[] = {
		{ "{\"id\":1}\n{\"id\":2\n", "bad.jsonl:2: ", "whole JSON object" },
		{ "{\"id\":1} x\n", "bad.jsonl:1: ", "column 10" },
		{ "[1]\n", "bad.jsonl:1: ", "an array" },
		{ "7\n", "bad.jsonl:1: ", "7" },
		{ "{\"name\":\"x\"}\n", "bad.jsonl:1: ", "neither a vertex nor an edge" },
		{ "{\"src\":1}\n", "bad.jsonl:1: ", "neither a vertex nor an edge" },
		{ "{\"id\":1,\"id\":2}\n", "bad.jsonl:1: ", "duplicate" },
		{ "{\"id\":1.5}\n", "bad.jsonl:1: ", "'id' is a float" },
		{ "{\"id\":\"\"}\n", "bad.jsonl:1: ", "empty string" },
		{ "{\"id\":99999999999999999999}\n", "bad.jsonl:1: ", "too big" },
		{ "{\"id\":1,\"x\":1e999}\n", "bad.jsonl:1: ", "overflow" },
		{ "{\"id\":1,\"x\":\"a\\u0000b\"}\n", "bad.jsonl:1: ", "\\u0000" },
		{ "{\"id\":1}\n{\"id\":2,\"x\":[{\"$date\":5}]}\n", "bad.jsonl:2: ", "attribute 'x': \"$date\" is an integer" },
		{ "{\"id\":1,\"x\":{\"$time\":\"\"}}\n", "bad.jsonl:1: ", "attribute 'x': \"$time\" is an empty string" },
		{ "{\"id\":1,\"x\":[1,2}\n", "bad.jsonl:1: ", "whole JSON object" },
		{ "{\"id\":1,\"\":1}\n", "bad.jsonl:1: ", "empty name" },
		{ "{\"id\":1,\"labels\":[\"a;b\"]}\n", "bad.jsonl:1: ", "semicolon" },
		{ "{\"id\":1,\"labels\":[1]}\n", "bad.jsonl:1: ", "'labels' holds an integer" },
		{ "{\"id\":1}\n\n{\"id\":1}\n", "bad.jsonl:3", "1" },
		{ "{\"id\":1}\n{\"src\":1,\"dst\":2}\n", "bad.jsonl:2: ", "2" },
		{ "{\"type\":\"node\",\"id\":\"0\",\"name\":\"x\"}\n", "bad.jsonl:1: ", "a node has no member 'name'" },
		{ "{\"type\":\"node\"}\n", "bad.jsonl:1: ", "'id' is missing" },
		{ "{\"type\":\"node\",\"id\":1,\"properties\":[]}\n", "bad.jsonl:1: ", "'properties' is an array" },
		{ "{\"type\":\"relationship\",\"start\":{\"id\":1}}\n", "bad.jsonl:1: ", "'end' is missing" },
		{ "{\"type\":\"relationship\",\"start\":1,\"end\":{\"id\":1}}\n", "bad.jsonl:1: ", "'start' is an integer" },
		{ "{\"type\":\"relationship\",\"start\":{},\"end\":{\"id\":1}}\n",
		  "bad.jsonl:1: ", "'id' of 'start' is missing" },
		{ "{\"type\":\"relationship\",\"start\":{\"id\":1},\"end\":{\"id\":1},\"label\":7}\n",
		  "bad.jsonl:1: ", "'label' holds" },
		{ "{\"id\":1,\"x\":\"\xff\"}\n", "bad.jsonl:1: ", "UTF-8" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		file_case file;
		expect_failure(one_file(&file, "jsonl", "bad.jsonl", bad[i].text), GEMP_EDATA,
		               PARTS(bad[i].place, bad[i].part));
	}
}

/* An attribute with values of several types, or with a list or an object, holds JSON. Members are sorted, and numbers
 * keep their type. */
static void values_of_several_types(void **state)
{
	(void)state;
	check_import("{\"id\":1,\"x\":1,\"y\":1}\n{\"id\":2,\"x\":\"a\\n\",\"y\":2.5}\n{\"id\":3,\"x\":1.0}\n"
	             "{\"id\":4,\"x\":true}\n{\"id\":5,\"x\":null}\n",
	             "1 x:j=1 y:f=1.0\n2 x:j=\"a\\n\" y:f=2.5\n3 x:j=1.0\n4 x:j=true\n5\n");
	check_import("{\"id\":1,\"l\":[ 1, 1.0, 1e300, null, [], {} ],\"m\":{\"b\":-0.0,\"a\":\"\\u00e4\\\"\"}}\n"
	             "{\"src\":1,\"dst\":1,\"d\":{\"$duration\":\"P1Y\"}}\n{\"src\":1,\"dst\":1,\"d\":{\"$x\":1}}\n",
	             "1 l:j=[1,1.0,1e+300,null,[],{}] m:j={\"a\":\"\xc3\xa4\\\"\",\"b\":-0.0}\n"
	             "1-E->1 d:j={\"$duration\":\"P1Y\"}\n1-E->1 d:j={\"$x\":1}\n");
}

/* 1,000 levels are accepted. */
static void levels_have_a_limit(void **state)
{
	(void)state;
	char text[2100];
	for (int levels = 1000; levels <= 1001; levels++) {
		file_case file;
		int size = snprintf(text, sizeof text, "{\"id\":1,\"x\":");
		memset(text + size, '[', (size_t)levels);
		memset(text + size + levels, ']', (size_t)levels);
		snprintf(text + size + 2 * levels, 3, "}\n");
		gemp_shard *graph = NULL;
		const gemp_import_options *options = one_file(&file, "jsonl", "deep.jsonl", text);
		if (levels > 1000) {
			expect_failure(options, GEMP_EDATA, PARTS("deep.jsonl:1: ", "more than 1000 levels"));
			continue;
		}
		assert_all_ok(gemp_import(&graph, &test_comm, options));
		gemp_shard_free(graph);
	}
}

static void several_files_are_one_graph(void **state)
{
	(void)state;
	const char *paths[] = { write_text_file("a.jsonl", "{\"id\":1,\"x\":1}\n"),
		                    write_text_file("b.jsonl", "{\"src\":1,\"dst\":2}\n{\"id\":2,\"x\":0.5}\n") };
	gemp_import_options options = { .edge_files = paths, .edge_file_count = 2, .seed = 3 };
	expect_graph(&options, "1 x:f=1.0\n2 x:f=0.5\n1-E->2\n");
	paths[0] = write_text_file("c.jsonl", "{\"id\":2}\n");
	expect_failure(&options, GEMP_EDATA, PARTS("c.jsonl:1", "b.jsonl:2"));
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(one_file(
		&file, "jsonl", "g.jsonl",
		"{\"id\":1,\"x\":\"a\",\"y\":[{\"b\":1,\"a\":0.5}],\"labels\":[\"A\",\"B\"]}\n{\"src\":1,\"dst\":1,\"w\":1}\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(export_of_apoc),
		cmocka_unit_test(plain_objects),
		cmocka_unit_test(invalid_files_are_rejected),
		cmocka_unit_test(values_of_several_types),
		cmocka_unit_test(levels_have_a_limit),
		cmocka_unit_test(several_files_are_one_graph),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
