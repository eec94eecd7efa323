/* Tests the import of tables: expected graphs of samples, error messages, and that the graph does not depend on the
 * number of ranks. */
#include "import_case.h"
#include "io/file/source_hashes.h"
#include "io/import/table_reader.h"

#include <errno.h>
#include <sys/stat.h>

/* The options for one file of vertices and one file of edges, either of which may be missing. */
typedef struct pair {
	const char *paths[2];
	gemp_import_options options;
} pair;

static gemp_import_options *two_files(pair *pair, const char *ending, const char *vertices, const char *edges)
{
	char name[64];
	*pair = (struct pair){ .options = { .seed = 1 } };
	if (vertices) {
		snprintf(name, sizeof name, "vertices.%s", ending);
		pair->paths[0] = write_text_file(name, vertices);
		pair->options.vertex_files = &pair->paths[0];
		pair->options.vertex_file_count = 1;
	}
	if (edges) {
		snprintf(name, sizeof name, "edges.%s", ending);
		pair->paths[1] = write_text_file(name, edges);
		pair->options.edge_files = &pair->paths[1];
		pair->options.edge_file_count = 1;
	}
	return &pair->options;
}

static void tsv_with_all_types(void **state)
{
	(void)state;
	pair p;
	expect_graph(two_files(&p, "tsv",
	                       "id\ttype\tname\tyear\trating\tseen\tcode\n"
	                       "1\tA\tone\t1900\t1\ttrue\t007\n"
	                       "2\tA;B\t\"two\"\t\t2.5\tfalse\t8\n"
	                       "30\t\t\t-5\t\t\t\n",
	                       "type\tdst\tsrc\tsince\nT\t2\t1\t7\nU\t30\t2\t\nT\t1\t1\t8\n"),
	             "1 A name:s=one year:i=1900 rating:f=1.0 seen:b=true code:s=007\n"
	             "2 A;B name:s=\"two\" rating:f=2.5 seen:b=false code:s=8\n"
	             "30 year:i=-5\n"
	             "1-T->1 since:i=8\n1-T->2 since:i=7\n2-U->30\n");
}

static void csv_with_quotes(void **state)
{
	(void)state;
	pair p;
	expect_graph(two_files(&p, "csv",
	                       "id,label,name,note\r\n\"a,1\",A,\"say \"\"hi\"\"\",\"\"\r\nb,\"A;B\",\"two\nlines\",\r\n",
	                       "source,target\r\n\"a,1\",b"),
	             "a,1 A name:s=say \"hi\" note:s=\n"
	             "b A;B name:s=two\n"
	             "lines\n" /* this line continues the name of vertex b */
	             "a,1-E->b\n");
}

static void snap_lists(void **state)
{
	(void)state;
	pair p;
	gemp_import_options *options = two_files(&p, "txt", NULL, "# a comment\n#\n0\t1\n\n 1   2 \r\n0 1\n2 2");
	options->undirected = true;
	expect_graph(options, "0\n1\n2\n0-E-1\n0-E-1\n1-E-2\n2-E-2\n");
	options->merge_parallel = true;
	options->default_type = "KNOWS";
	options->default_label = "Node";
	expect_graph(options, "0 Node\n1 Node\n2 Node\n0-KNOWS-1\n1-KNOWS-2\n2-KNOWS-2\n");
}

static void keys_are_integers_only_if_all_are(void **state)
{
	(void)state;
	pair p;
	expect_graph(two_files(&p, "tsv", "id\n1\n02\n", "src\tdst\n1\t02\n"), "02\n1\n1-E->02\n");
	expect_graph(two_files(&p, "tsv", "id:string\n1\n2\n", "src\tdst\n1\t2\n"), "1\n2\n1-E->2\n");
	expect_graph(two_files(&p, "tsv", "id:int\n1\n02\n", "src:int\tdst\n1\t2\n"), "1\n2\n1-E->2\n");
	/* one key that is a word makes all keys strings, and both 1 are still the same vertex */
	expect_graph(two_files(&p, "tsv", NULL, "src\tdst\n1\t2\nx\t1\n"), "1\n2\nx\n1-E->2\nx-E->1\n");
}

static void windows_files(void **state)
{
	(void)state;
	pair p;
	expect_graph(two_files(&p, "tsv", "\xef\xbb\xbfid\tname\r\n1\tone\r\n\r\n2\t\r\n", "\xef\xbb\xbfsrc\tdst\r\n1\t2"),
	             "1 name:s=one\n2\n1-E->2\n");
}

static void tables_may_have_no_rows(void **state)
{
	(void)state;
	pair p;
	expect_graph(two_files(&p, "tsv", "id\tname\n", "src\tdst\n"), "");
	expect_graph(two_files(&p, "tsv", "id\tname\n1\t\n", "src\tdst\tweight"), "1\n");
	expect_graph(two_files(&p, "csv", "id", NULL), "");
	expect_graph(two_files(&p, "snap", NULL, "# nothing\n"), "");
}

static void files_of_different_columns_join(void **state)
{
	(void)state;
	const char *vertices[] = {
		write_text_file("people.tsv", "id\ttype\tname\tborn:int\np1\tPerson\tAda\t1815\n"),
		write_text_file("films.csv", "type,title,id,name\nFilm,\"Up, up\",f1,1\n"),
	};
	const char *edges[] = {
		write_text_file("acts.tsv", "src\tdst\ttype\trole\np1\tf1\tACTS_IN\tHerself\n"),
		write_text_file("list.txt", "p1 f1\nf1 p1\n"),
	};
	gemp_import_options options = {
		.vertex_files = vertices, .vertex_file_count = 2, .edge_files = edges, .edge_file_count = 2, .seed = 5
	};
	expect_graph(&options, "f1 Film name:s=1 title:s=Up, up\np1 Person name:s=Ada born:i=1815\n"
	                       "f1-E->p1\np1-ACTS_IN->f1 role:s=Herself\np1-E->f1\n");
}

static void formats_can_be_stated(void **state)
{
	(void)state;
	pair p;
	const gemp_format *format;
	gemp_import_options *options = two_files(&p, "dat", "id\n1\n2\n", "1 2\n");
	expect_failure(options, GEMP_EUSAGE, PARTS("edges.dat", "format"));
	assert_all_ok(gemp_format_parse(&options->format, "snap"));
	expect_graph(options, "1\n2\n1-E->2\n");
	assert_all_code(gemp_format_parse(&format, "xml"), GEMP_EUSAGE);
	expect_failure(&(gemp_import_options){ .seed = 1 }, GEMP_EUSAGE, PARTS("edges"));
}

static void errors_have_file_line_and_remedy(void **state)
{
	(void)state;
	pair p;
	expect_failure(two_files(&p, "tsv", "name\n1\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:1: ", "'id' is missing", "header"));
	expect_failure(two_files(&p, "tsv", NULL, "1\t2\n"), GEMP_EDATA, PARTS("edges.tsv:1: ", "'src' is missing"));
	expect_failure(two_files(&p, "tsv", "id\tx\n1\ta\n2\n3\tb\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:3: 1 field where", "tab"));
	expect_failure(two_files(&p, "csv", "id,x\n1,a\n2,b,c\n", NULL), GEMP_EDATA,
	               PARTS("vertices.csv:3: 3 fields where"));
	expect_failure(two_files(&p, "csv", "id,x\n1,\"a\n\n\"\n2,b,c\n", NULL), GEMP_EDATA,
	               PARTS("vertices.csv:5: 3 fields where"));
	expect_failure(two_files(&p, "csv", "id,x\n1,a\"b\n", NULL), GEMP_EDATA, PARTS("vertices.csv:2: field 2", "quote"));
	expect_failure(two_files(&p, "txt", NULL, "# x\n1 2\n1 2 3\n"), GEMP_EDATA,
	               PARTS("edges.txt:3: 3 fields", "format tsv"));
	expect_failure(two_files(&p, "txt", NULL, "src\tdst\n1\t2\n"), GEMP_EDATA,
	               PARTS("edges.txt:1: this is a header", "format tsv"));
	expect_failure(two_files(&p, "tsv", "id\tx:int\n1\t5\n2\tfive\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:3: column 'x': 'five' is not an integer"));
	expect_failure(two_files(&p, "tsv", "id\tx\n1\t5\n2\t9223372036854775808\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:3: column 'x': '9223372036854775808' is beyond", ":string"));
	expect_failure(two_files(&p, "tsv", "id\tx\n1\t5\n\n2\tNaN\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:4: column 'x': 'NaN'", "leave the field empty"));
	expect_failure(two_files(&p, "tsv", "id\n1\n99999999999999999999\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:3: id '9999"));
	expect_failure(two_files(&p, "tsv", "id\tx\n1\ta\n\tb\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:3: column 'id': the id is empty"));
	expect_failure(two_files(&p, "tsv", "id\tx\n1\ta\n2\t\xff\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:3: byte 0xff", "UTF-8"));
	expect_failure(two_files(&p, "tsv", "id\t\xff\n1\ta\n", NULL), GEMP_EDATA, PARTS("vertices.tsv:1: byte 0xff"));
	expect_failure(two_files(&p, "tsv", "", NULL), GEMP_EDATA, PARTS("vertices.tsv: is empty"));
	expect_failure(two_files(&p, "tsv", "\xef\xbb\xbf", NULL), GEMP_EDATA, PARTS("vertices.tsv:1: "));
	expect_failure(two_files(&p, "tsv.gz", "id\n", NULL), GEMP_EDATA, PARTS("vertices.tsv.gz: ", "gzip"));
}

static void builder_errors_have_lines(void **state)
{
	(void)state;
	pair p;
	expect_failure(two_files(&p, "tsv", "id\n1\n2\n\n1\n", NULL), GEMP_EDATA,
	               PARTS("vertices.tsv:2", "vertices.tsv:5"));
	expect_failure(two_files(&p, "tsv", "id\n1\n2\n", "src\tdst\n1\t2\n1\t3\n"), GEMP_EDATA, PARTS("edges.tsv:3", "3"));
}

static void missing_files_are_named(void **state)
{
	(void)state;
	const char *path = test_path_all("not-there.tsv");
	gemp_import_options options = { .edge_files = &path, .edge_file_count = 1, .seed = 1 };
	expect_failure(&options, GEMP_ENOINPUT, PARTS("not-there.tsv"));
}

static void errors_in_late_lines_have_the_right_number(void **state)
{
	(void)state;
	pair p;
	char text[4000] = "id\tx:int\n", place[64];
	for (int bad = 2; bad < 200; bad += 37) {
		size_t size = 9;
		for (int i = 2; i < 200; i++)
			size += (size_t)snprintf(text + size, sizeof text - size, "%d\t%s\n", i, i == bad ? "x" : "1");
		snprintf(place, sizeof place, "vertices.tsv:%d: ", bad);
		expect_failure(two_files(&p, "tsv", text, NULL), GEMP_EDATA, PARTS(place));
	}
}

static void hashes_are_the_same_on_all_ranks(void **state)
{
	(void)state;
	const char *paths[] = { write_text_file("h1", "abc"), write_text_file("h2", "de"), write_text_file("h3", "f") };
	uint64_t together[3], own[3];
	assert_all_ok(gemp_source_hashes_make(&test_comm, paths, 3, together));
	assert_all_ok(gemp_source_hashes_make(&alone, paths, 3, own));
	assert_all(memcmp(together, own, sizeof own) == 0 && own[0] != own[1]);
	paths[1] = "/not/there";
	assert_all_code(gemp_source_hashes_make(&test_comm, paths, 3, together), GEMP_ENOINPUT);
}

/* The thread does not open a pipe, where it would wait for a writer or take the bytes of the import. */
static void hashes_beside_the_import(void **state)
{
	(void)state;
	const char *paths[] = { write_text_file("h1", "abc"), write_text_file("h2", ""), write_text_file("h3", "f") };
	const char *pipe = test_path("pipe"), *missing[] = { paths[0], "/not/there" };
	uint64_t expected[3], hashes[3];
	gemp_source_hashes *beside = NULL;
	assert_all_ok(gemp_source_hashes_make(&alone, paths, 3, expected));
	assert_all_ok(gemp_source_hashes_begin(&beside, &test_comm, paths, 3));
	for (int turn = 0; turn < 2; turn++) {
		assert_all_ok(gemp_source_hashes_get(beside, &test_comm, hashes));
		assert_all(memcmp(hashes, expected, sizeof hashes) == 0);
	}
	gemp_source_hashes_free(beside);
	assert_all_ok(gemp_source_hashes_begin(&beside, &test_comm, missing, 2));
	assert_all_code(gemp_source_hashes_get(beside, &test_comm, hashes), GEMP_ENOINPUT);
	gemp_source_hashes_free(beside);
	if (test_comm.rank == 0)
		assert_return_code(mkfifo(pipe, 0600), errno);
	gemp_comm_agree(&test_comm, GEMP_OK);
	assert_all_ok(gemp_source_hashes_begin(&beside, &alone, &pipe, 1));
	gemp_source_hashes_free(beside);
}

static void seeds_give_other_orders(void **state)
{
	(void)state;
	pair p;
	gemp_shard *one = NULL, *two = NULL;
	gemp_import_options *options = two_files(&p, "tsv", NULL, "src\tdst\n1\t2\n3\t4\n5\t6\n");
	assert_all_ok(gemp_import(&one, &test_comm, options));
	options->seed = 2;
	assert_all_ok(gemp_import(&two, &test_comm, options));
	assert_all(one->seed == 1 && two->seed == 2 && one->hash != two->hash);
	gemp_shard_free(one);
	gemp_shard_free(two);
}

/* A file that cannot be cut into ranges, such as CSV, is read by one rank, and the ranks take turns. A TSV file is read
 * by all ranks together. */
static void files_are_assigned_to_ranks(void **state)
{
	(void)state;
	const char *paths[] = { write_text_file("d1.csv", "id\n"), write_text_file("d2.csv", "id\n"),
		                    write_text_file("d3.tsv", "id\n"), write_text_file("d4.csv", "id\n") };
	gemp_import_options options = { .vertex_files = paths, .vertex_file_count = 4 };
	gemp_inputs inputs;
	assert_all_ok(gemp_inputs_open(&inputs, &test_comm, &options));
	for (int i = 0, turn = 0; i < 4; i++) {
		const gemp_input *input = &inputs.input[i];
		if (i == 2)
			assert_all(gemp_comm_sum1(&test_comm, input->bytes.end - input->bytes.begin) == 3);
		else
			assert_all((input->bytes.end > 0) == (turn++ % test_comm.size == test_comm.rank));
	}
	gemp_inputs_free(&inputs);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	pair p;
	gemp_import_options *options = two_files(&p, "tsv", "id\tx\n1\ta\n2\t\n", "src\tdst\tw\n1\t2\t7\n");
	survives_without_memory(options);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tsv_with_all_types),
		cmocka_unit_test(csv_with_quotes),
		cmocka_unit_test(snap_lists),
		cmocka_unit_test(keys_are_integers_only_if_all_are),
		cmocka_unit_test(windows_files),
		cmocka_unit_test(tables_may_have_no_rows),
		cmocka_unit_test(files_of_different_columns_join),
		cmocka_unit_test(formats_can_be_stated),
		cmocka_unit_test(errors_have_file_line_and_remedy),
		cmocka_unit_test(builder_errors_have_lines),
		cmocka_unit_test(missing_files_are_named),
		cmocka_unit_test(errors_in_late_lines_have_the_right_number),
		cmocka_unit_test(hashes_are_the_same_on_all_ranks),
		cmocka_unit_test(hashes_beside_the_import),
		cmocka_unit_test(seeds_give_other_orders),
		cmocka_unit_test(files_are_assigned_to_ranks),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
