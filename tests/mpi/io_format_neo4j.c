/* Tests the import of CSV files with the headers of neo4j-admin import: expected graphs of samples, and messages of
 * errors. */
#include "import_case.h"

typedef struct files {
	const char *vertices[2], *edges[2];
	gemp_import_options options;
} files;

/* Writes up to two files of vertices and two files of edges; a text that is NULL is left out. */
static gemp_import_options *write_tables(files *self, const char *v0, const char *v1, const char *e0, const char *e1)
{
	gemp_import_options *options = &self->options;
	*self = (files){ .options = { .seed = 1, .vertex_files = self->vertices, .edge_files = self->edges } };
	assert_all_ok(gemp_format_parse(&options->format, "neo4j"));
	if (v0)
		self->vertices[options->vertex_file_count++] = write_text_file("v0.csv", v0);
	if (v1)
		self->vertices[options->vertex_file_count++] = write_text_file("v1.csv", v1);
	if (e0)
		self->edges[options->edge_file_count++] = write_text_file("e0.csv", e0);
	if (e1)
		self->edges[options->edge_file_count++] = write_text_file("e1.csv", e1);
	return options;
}

static void example_of_the_manual(void **state)
{
	(void)state;
	files f;
	expect_graph(
		write_tables(
			&f,
			"movieId:ID,title,year:int,:LABEL\ntt0133093,\"The Matrix\",1999,Movie\n"
			"tt0234215,\"The Matrix Reloaded\",2003,Movie;Sequel\n",
			"personId:ID,name,:LABEL\nkeanu,\"Keanu Reeves\",Actor\ncarrieanne,\"Carrie-Anne Moss\",Actor\n",
			":START_ID,role,:END_ID,:TYPE\nkeanu,\"Neo\",tt0133093,ACTED_IN\ncarrieanne,Trinity,tt0234215,ACTED_IN\n",
			NULL),
		"carrieanne Actor personId:s=carrieanne name:s=Carrie-Anne Moss\n"
		"keanu Actor personId:s=keanu name:s=Keanu Reeves\n"
		"tt0133093 Movie movieId:s=tt0133093 title:s=The Matrix year:i=1999\n"
		"tt0234215 Movie;Sequel movieId:s=tt0234215 title:s=The Matrix Reloaded year:i=2003\n"
		"carrieanne-ACTED_IN->tt0234215 role:s=Trinity\nkeanu-ACTED_IN->tt0133093 role:s=Neo\n");
}

static void groups_separate_ids(void **state)
{
	(void)state;
	files f;
	expect_graph(
		write_tables(
			&f, ":ID(Person),n:long\n1,7\n2,\n", "id:ID(Film),:LABEL\n1,Film\n",
			":START_ID(Person),:END_ID(Film),:TYPE,stars:double,good:boolean,x:IGNORE\n1,1,SAW,2.5,true,?\n2,1,SAW,,,\n",
			":END_ID(Person),:START_ID(Person)\n2,1\n"),
		"Film:1 Film id:i=1\nPerson:1 n:i=7\nPerson:2\n"
		"Person:1-E->Person:2\nPerson:1-SAW->Film:1 stars:f=2.5 good:b=true\nPerson:2-SAW->Film:1\n");
}

static void columns_without_a_type_are_strings(void **state)
{
	(void)state;
	files f;
	expect_graph(write_tables(&f, ":ID,a,b:string,c:char,d:byte,e:short,f:float\n1,1,2,3,4,5,6\n2,\"\",,,,,\n", NULL,
	                          NULL, NULL),
	             "1 a:s=1 b:s=2 c:s=3 d:i=4 e:i=5 f:f=6.0\n2 a:s=\n");
	expect_graph(write_tables(&f, NULL, NULL, ":START_ID,:END_ID,w\n1,2,007\n", NULL), "1\n2\n1-E->2 w:s=007\n");
}

static void invalid_files_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *vertices, *edges, *place, *part;
	} bad[] = {
		{ "name\nx\n", NULL, "v0.csv:1: ", "':ID' is missing" },
		{ NULL, ":START_ID\n1\n", "e0.csv:1: ", "':END_ID' is missing" },
		{ NULL, ":END_ID\n1\n", "e0.csv:1: ", "':START_ID' is missing" },
		{ ":ID,tags:string[]\n", NULL, "v0.csv:1: ", "'tags:string[]': arrays" },
		{ ":ID,born:date\n", NULL, "v0.csv:1: ", "'born:date'" },
		{ ":ID(Person){label:Person}\n", NULL, "v0.csv:1: ", "braces" },
		{ ":ID(Person\n", NULL, "v0.csv:1: ", "parentheses" },
		{ ":ID()\n", NULL, "v0.csv:1: ", "parentheses" },
		{ ":ID,x:int(A)\n", NULL, "v0.csv:1: ", "only :ID" },
		{ ":ID,:START_ID\n", NULL, "v0.csv:1: ", "edges" },
		{ NULL, ":START_ID,:END_ID,:LABEL\n", "e0.csv:1: ", "vertices" },
		{ ":ID,:int\n", NULL, "v0.csv:1: ", "column 2 has no name" },
		{ ":ID,x,x:int\n", NULL, "v0.csv:1: ", "'x' and 'x'" },
		{ ":ID,:LABEL,more:LABEL\n", NULL, "v0.csv:1: ", "the same" },
		{ ":ID,x:int\n1,2\n2,a\n", NULL, "v0.csv:3: ", "column 'x'" },
		{ ":ID(A)\n1\n", ":START_ID(A),:END_ID(B)\n1,1\n", "e0.csv:2: ", "B:1" },
		{ ":ID\n1\n1\n", NULL, "v0.csv:3", "1" },
		{ ":ID\n1,2\n", NULL, "v0.csv:2: ", "2 fields" },
		{ ":ID\n\"\"\n", NULL, "v0.csv:2: ", "empty" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		files f;
		expect_failure(write_tables(&f, bad[i].vertices, NULL, bad[i].edges, NULL), GEMP_EDATA,
		               PARTS(bad[i].place, bad[i].part));
	}
}

static void other_formats_are_named(void **state)
{
	(void)state;
	files f;
	gemp_import_options *options = write_tables(&f, "personId:ID,name\n1,Ann\n", NULL, NULL, NULL);
	options->format = NULL;
	expect_failure(options, GEMP_EDATA, PARTS("v0.csv:1: ", "format neo4j"));
}

static void memory_may_run_out(void **state)
{
	(void)state;
	files f;
	survives_without_memory(write_tables(&f, "id:ID(A),x:int\n1,2\n", NULL, ":START_ID(A),:END_ID(A)\n1,1\n", NULL));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_of_the_manual),
		cmocka_unit_test(groups_separate_ids),
		cmocka_unit_test(columns_without_a_type_are_strings),
		cmocka_unit_test(invalid_files_are_rejected),
		cmocka_unit_test(other_formats_are_named),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
