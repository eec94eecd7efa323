/* Imports mutated files of all text formats other than tables. Each import gives a graph or one message, and frees all
 * memory. GEMP_FUZZ_ROUNDS is the number of rounds (2000 by default), GEMP_FUZZ_FORMAT selects one format, and
 * GEMP_TEST_SEED repeats a run. A file that crashes the process stays in the test's folder. */
#include "core/log.h"
#include "import_mutants.h"

/* A file of each format, and the name and content of a second file if the format has one. The second file is mutated
 * less often. */
static const struct {
	const char *format, *name, *text, *beside, *beside_text;
} seeds[] = {
	{ "mtx", "a.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n3 3 4\n1 2 0.5\n2 3 -1e3\n\n3 1 7\n1 1 0\n",
	  NULL, NULL },
	{ "mtx", "b.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -7\n", NULL, NULL },
	{ "mtx", "c.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 3\n", NULL, NULL },
	{ "mtx", "d.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 1\n1 3\n", NULL, NULL },
	{ "metis", "a.graph", "% c\n4 3 111 2\n9 1 2 2 7 3 8\n9 3 4 1 7\n% d\n9 5 6 1 8 4 9\n9 7 8 3 9\n", NULL, NULL },
	{ "metis", "b.graph", "5 3\n2\n1 3\n2\n5\n4\n", NULL, NULL },
	{ "adjacency", "a.adj", "# c\nann -> bob, cy\nbob -> ann\ndora\n1 -> 2,3\n", NULL, NULL },
	{ "jsonl", "a.jsonl",
	  "{\"type\":\"node\",\"id\":\"0\",\"labels\":[\"U\",\"V\"],\"properties\":{\"n\":\"A\\u00e4\",\"a\":42,\"b\":true}}\n"
	  "{\"type\":\"node\",\"id\":\"1\"}\n{\"type\":\"relationship\",\"label\":\"K\",\"start\":{\"id\":\"0\"},"
	  "\"end\":{\"id\":\"1\"},\"properties\":{\"w\":1.5,\"z\":null}}\n",
	  NULL, NULL },
	{ "jsonl", "b.jsonl",
	  "{\"id\":1,\"labels\":\"A;B\",\"x\":1}\n{\"id\":2,\"type\":\"C\",\"x\":2.5}\n{\"src\":1,\"dst\":2,\"type\":\"T\",\"y\":false}\n",
	  NULL, NULL },
	{ "packages", "a_Packages",
	  "Package: a\nVersion: 1\nDepends: b (>= 1) | c [amd64], d:any,\n e\nTag: x::y, z\nSize: 7\n\n"
	  "Package: b\nSource: s (1)\nMaintainer: M <m@x>\nProvides: v (= 1)\n\nPackage: a\n",
	  NULL, NULL },
	{ "dict", "d-deu-eng.index", "00databaseinfo\tA\tF\nhaus\tG\tX\nhaus again\tG\tX\nrede\td\ti\n", "d-deu-eng.dict",
	  "about\nHaus /h/ <n>\nhouse, home\nRede <f>\n1. [x] a <n>\nbecause\n2. b 2.\n" },
	{ "pairs", "a.pairs", "HU alma\tEN apple\r\nDE Apfel\tHU alma\n\nEN ice cream\tDE Eis\n", NULL, NULL },
	{ "wiktionary", "a.xml",
	  "<mediawiki xml:lang=\"en\"><siteinfo/><page><title>apple</title><ns>0</ns><revision><text>==English==\n"
	  "===Translations===\n* German: {{t+|de|Apfel|m}}, {{t|de|[[x|y]]|tr={{l|a}}}}\n</text></revision></page></mediawiki>\n",
	  NULL, NULL },
	{ "wiktionary", "b.xml",
	  "<mediawiki xml:lang=\"de\"><page><title>Apfel</title><ns>0</ns><revision><text>== A ({{Sprache|Deutsch}}) ==\n"
	  "==== {{Übersetzungen}} ====\n{{Ü-Tabelle|Ü-Liste=\n*{{en}}: {{Ü|en|apple}}\n}}\n</text></revision></page></mediawiki>\n",
	  NULL, NULL },
	{ "neo4j", "v.csv",
	  "id:ID(A),:LABEL,i:int,f:double,b:boolean,s,x:IGNORE\n1,A;B,7,1.5,true,\"a \"\"b\"\"\",?\n2,,,,,\"\",\n", "e.csv",
	  ":START_ID(A),:END_ID(A),:TYPE,w:long\n1,2,T,3\n2,2,,\n" },
};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static const char *const tokens[] = {
	"\t",
	",",
	"\"",
	"\n",
	"\n\n",
	"\r\n",
	" ",
	"\xef\xbb\xbf",
	"nan",
	"99999",
	"99999999999999999999",
	"-",
	"0",
	"1e999",
	"%",
	"#",
	"->",
	"|",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	"<",
	"/",
	":",
	";",
	":ID",
	"int[]",
	"null",
	"\\u0000",
	"\"id\":",
	"true",
	"Package: ",
	"1. ",
	"{{",
	"}}",
	"[[",
	"<!--",
	"\n==",
	"2.",
	"\xff",
	"\xc3",
	"",
};
enum { TOKENS = sizeof tokens / sizeof *tokens };

/* True if a header may state so many vertices that the import would be valid but take long. */
static bool has_long_number(const gemp_text *text)
{
	size_t digits = 0;
	for (size_t i = 0; i < text->size; i++) {
		digits = text->data[i] >= '0' && text->data[i] <= '9' ? digits + 1 : 0;
		if (digits > 5 && digits < 20)
			return true;
	}
	return false;
}

static const char *write_mutant(const char *name, const char *content, uint64_t mutations)
{
	gemp_text text = { 0 };
	bool numbered = strstr(name, ".mtx") || strstr(name, ".graph");
	gemp_text_add(&text, content, strlen(content));
	for (uint64_t i = mutations; i > 0; i--)
		mutate(&text, tokens, TOKENS);
	if (numbered && has_long_number(&text)) {
		gemp_text_clear(&text);
		gemp_text_add(&text, content, strlen(content));
	}
	if (below(12) == 0) {
		compress_text(&text, (packer)below(PACKERS));
		if (below(4) == 0)
			mutate(&text, tokens, TOKENS);
	}
	const char *path = write_text(name, &text);
	gemp_text_free(&text);
	return path;
}

static bool one_round(const void *only)
{
	gemp_import_options options = { .seed = seed, .undirected = below(2), .merge_parallel = below(2) };
	size_t which;
	for (which = 0; only && which < SEEDS && strcmp(seeds[which].format, only) != 0;)
		which++;
	assert_true(!only || which < SEEDS); /* GEMP_FUZZ_FORMAT is a format of this test */
	do
		which = below(SEEDS);
	while (only && strcmp(seeds[which].format, only) != 0);
	const char *path = write_mutant(seeds[which].name, seeds[which].text, below(5)), *beside = NULL;
	if (seeds[which].beside)
		beside = write_mutant(seeds[which].beside, seeds[which].beside_text, below(2) * below(3));
	bool table = strcmp(seeds[which].format, "neo4j") == 0;
	options.edge_files = table ? &beside : &path;
	options.edge_file_count = 1;
	if (table) {
		options.vertex_files = &path;
		options.vertex_file_count = 1;
	}
	assert_ok(gemp_format_parse(&options.format, seeds[which].format));
	return imported(&options, "skew-symmetric");
}

static void mutants_are_imported_or_refused(void **state)
{
	(void)state;
	fuzz_imports(fuzz_rounds(2000), one_round, getenv("GEMP_FUZZ_FORMAT"));
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
