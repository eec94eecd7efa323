/* Imports mutated tables. Each import gives a graph or one message, and frees all memory. GEMP_FUZZ_ROUNDS is the
 * number of rounds (2000 by default), and GEMP_TEST_SEED repeats a run. A file that crashes the process stays in the
 * test's folder. */
#include "core/log.h"
#include "import_mutants.h"

static const struct {
	const char *name, *text;
} seeds[] = {
	{ "vertices.tsv", "id\ttype\tname:string\tyear:int\trating:float\tseen:bool\tx\n"
	                  "1\tA\tone\t1900\t1.5\ttrue\t007\n"
	                  "2\tA;B\ttwo\t\t\tfalse\t8\n3\t\t\t-5\t1e3\t\t\n" },
	{ "edges.tsv", "src\tdst\ttype\tw\n1\t2\tT\t1\n2\t3\tU\t\n3\t3\t\t2.5\n" },
	{ "vertices.csv", "id,label,note\r\n\"a,1\",A,\"say \"\"hi\"\"\"\r\nb,\"A;B\",\"two\nlines\"\r\nc,,\"\"\r\n" },
	{ "edges.csv", "source,target,t\n\"a,1\",b,true\nb,c,false\nc,\"a,1\",\n" },
	{ "edges.txt", "# from to\n1 2\n2\t3\n\n 3 1 \n" },
};

static const char *const tokens[] = {
	"\t", ",",   "\"", "\"\"", "\n",   "\r\n", "\xef\xbb\xbf", "NaN", "99999999999999999999", "-", "007", ":int", ":",
	"id", "src", ";",  "#",    "\xff", "\xc3", "1e999",        "",
};
enum { TOKENS = sizeof tokens / sizeof *tokens };

/* Compresses some texts, and mutates some of the compressed bytes. */
static void pack(gemp_text *text, const char **ending)
{
	static const char *const endings[PACKERS] = { [ZSTD] = ".zst", [GZIP] = ".gz", [BZIP2] = ".bz2" };
	*ending = "";
	if (below(6) != 0)
		return;
	const packer by = (packer)below(PACKERS);
	compress_text(text, by);
	*ending = endings[by];
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

static bool one_round(const void *self)
{
	(void)self;
	static const size_t pairs[][2] = { { 0, 1 }, { 2, 3 }, { 0, 4 } };
	const size_t *pair = pairs[below(3)];
	const char *paths[] = { write_mutant(pair[0]), write_mutant(pair[1]) };
	gemp_import_options options = {
		.edge_files = &paths[1], .edge_file_count = 1, .seed = seed, .undirected = below(2), .merge_parallel = below(2)
	};
	if (below(2)) {
		options.vertex_files = &paths[0];
		options.vertex_file_count = 1;
	}
	return imported(&options, NULL);
}

static void mutants_are_imported_or_refused(void **state)
{
	(void)state;
	fuzz_imports(fuzz_rounds(2000), one_round, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants_are_imported_or_refused) };
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_log_set_level(GEMP_QUIET); /* suppresses warnings about parallel edges */
	int verdict = test_main(tests);
	GEMP_MPI(MPI_Finalize());
	return verdict;
}
