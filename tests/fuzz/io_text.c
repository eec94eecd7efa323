/* Mutated text: whatever stands in a file, import gives a graph or one message, and leaves nothing behind.
 * GEMP_FUZZ_ROUNDS (2000 by default) says how long, GEMP_TEST_SEED repeats a run. A file that stops the process stays
 * in the test's folder. */
#include "mutate.h"

#include "core/log.h"
#include "io/import.h"

static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

static const struct { const char *name, *text; } seeds[] = {
	{ "vertices.tsv", "id\ttype\tname:string\tyear:int\trating:float\tseen:bool\tx\n"
	                  "1\tA\tone\t1900\t1.5\ttrue\t007\n"
	                  "2\tA;B\ttwo\t\t\tfalse\t8\n3\t\t\t-5\t1e3\t\t\n" },
	{ "edges.tsv", "src\tdst\ttype\tw\n1\t2\tT\t1\n2\t3\tU\t\n3\t3\t\t2.5\n" },
	{ "vertices.csv", "id,label,note\r\n\"a,1\",A,\"say \"\"hi\"\"\"\r\nb,\"A;B\",\"two\nlines\"\r\nc,,\"\"\r\n" },
	{ "edges.csv", "source,target,t\n\"a,1\",b,true\nb,c,false\nc,\"a,1\",\n" },
	{ "edges.txt", "# from to\n1 2\n2\t3\n\n 3 1 \n" },
};

static const char *const tokens[] = {
	"\t", ",", "\"", "\"\"", "\n", "\r\n", "\xef\xbb\xbf", "NaN", "99999999999999999999", "-", "007", ":int", ":",
	"id", "src", ";", "#", "\xff", "\xc3", "1e999", "",
};
enum { TOKENS = sizeof tokens / sizeof *tokens };

/* Plain, gzip or Zstandard; the packed bytes are mutated too, now and then. */
static void pack(gemp_text *text, const char **ending)
{
	*ending = "";
	if (below(6) != 0)
		return;
	bool gzip = below(2);
	compress_text(text, gzip);
	*ending = gzip ? ".gz" : ".zst";
	if (below(2))
		mutate(text, tokens, TOKENS);
}

static const char *write_mutant(size_t which)
{
	gemp_text text = { 0 };
	const char *ending;
	char name[64];
	gemp_text_add(&text, seeds[which].text, strlen(seeds[which].text));
	for (uint64_t i = below(4); i > 0; i--)
		mutate(&text, tokens, TOKENS);
	pack(&text, &ending);
	snprintf(name, sizeof name, "%s%s", seeds[which].name, ending);
	const char *path = write_text(name, &text);
	gemp_text_free(&text);
	return path;
}

static void one_round(int *good)
{
	static const size_t pairs[][2] = { { 0, 1 }, { 2, 3 }, { 0, 4 } };
	const size_t *pair = pairs[below(3)];
	const char *paths[] = { write_mutant(pair[0]), write_mutant(pair[1]) };
	gemp_import_options options = { .edge_files = &paths[1],
		                        .edge_file_count = 1,
		                        .seed = seed,
		                        .undirected = below(2),
		                        .merge_parallel = below(2) };
	gemp_graph *graph = NULL;
	if (below(2)) {
		options.vertex_files = &paths[0];
		options.vertex_file_count = 1;
	}
	gemp_fail(GEMP_OK, "%s", "");
	gemp_code code = gemp_import(&graph, &alone, &options);
	if (code != GEMP_OK && (code != GEMP_EDATA || !strstr(gemp_message(), test_folder())))
		fail_msg("code %d: %s", (int)code, gemp_message());
	*good += code == GEMP_OK;
	gemp_graph_free(graph);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void mutants_are_imported_or_refused(void **state)
{
	(void)state;
	int rounds = fuzz_rounds(2000), good = 0;
	seed = test_seed();
	for (int i = 0; i < rounds; i++)
		one_round(&good);
	printf("%d of %d were good\n", good, rounds);
	assert_true(rounds < 100 || (good > rounds / 20 && good < rounds - rounds / 20));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants_are_imported_or_refused) };
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_log_setup(0, GEMP_QUIET); /* no warnings of parallel edges */
	int verdict = test_main(tests);
	GEMP_MPI(MPI_Finalize());
	return verdict;
}
