/* Tests the import of lists of translations without a header: expected graphs of samples, and messages of errors. */
#include "import_case.h"

/* Equal pairs are one edge, also in the other direction and from several files. An undirected edge is listed at the end
 * with the smaller id, and ids are random. */
static void pairs_become_words_and_undirected_edges(void **state)
{
	(void)state;
	file_case file;
	static const char text[] = "\xef\xbb\xbfHU alma\tEN apple\r\n\r\n  \nDE  Apfel \t HU alma\nHU alma\tEN apple\n"
							   "EN apple\tHU alma\nEN ice cream:x\tDE Eis\nEN 7\tDE 7";
	static const char wanted[] =
		"DE:7 Word lang:s=DE word:s=7\nDE:Apfel Word lang:s=DE word:s=Apfel\n"
		"DE:Eis Word lang:s=DE word:s=Eis\nEN:7 Word lang:s=EN word:s=7\n"
		"EN:apple Word lang:s=EN word:s=apple\n"
		"EN:ice cream:x Word lang:s=EN word:s=ice cream:x\nHU:alma Word lang:s=HU word:s=alma\n"
		"EN:7-TRANSLATES-DE:7\nEN:apple-TRANSLATES-HU:alma\n"
		"EN:ice cream:x-TRANSLATES-DE:Eis\nHU:alma-TRANSLATES-DE:Apfel\n";
	expect_graph(one_file(&file, "pairs", "list.txt", text), wanted);
	expect_graph(one_file(&file, "auto", "list.pairs", text), wanted);
}

static void files_are_one_graph(void **state)
{
	(void)state;
	file_case file;
	gemp_import_options *options = one_file(&file, "pairs", "a.pairs", "EN a\tDE b\n");
	const char *paths[] = { file.path, write_text_file("b.pairs", "DE b\tEN a\nDE b\tEN c\n"), file.path };
	options->edge_files = paths;
	options->edge_file_count = 3;
	expect_graph(options, "DE:b Word lang:s=DE word:s=b\nEN:a Word lang:s=EN word:s=a\nEN:c Word lang:s=EN word:s=c\n"
	                      "DE:b-TRANSLATES-EN:a\nEN:c-TRANSLATES-DE:b\n");
	paths[1] = write_text_file("c.pairs", "DE b\tEN a\n\nDE b\n");
	expect_failure(options, GEMP_EDATA, PARTS("c.pairs:3: ", "no tab"));
}

static void invalid_lines_are_rejected(void **state)
{
	(void)state;
	static const bad_text texts[] = {
		{ "HU alma EN apple\n", ":1: ", "no tab between two words; lines are like" },
		{ "HU a\tEN b\n\nx\n", ":3: ", "no tab" },
		{ "HU a\tEN b\tDE c\n", ":1: ", "more than one tab" },
		{ "HU a\tEN b\n\tEN b\n", ":2: ", "the first word is missing" },
		{ "HU a\tEN b\nHU a\t \n", ":2: ", "the second word is missing" },
		{ "HU a\tEN b\nalma\tEN b\n", ":2: ", "the first word, 'alma', has no language" },
		{ "HU a\tEN b\nHU a\tapple \n", ":2: ", "the second word, 'apple', has no language" },
		{ "HU a\tEN:x b\n", ":1: ", "'EN:x' has a colon" },
		{ "HU a\tEN \xff\n", ":1: ", "UTF-8" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		file_case file;
		expect_error(one_file(&file, "pairs", "bad.pairs", texts[i].text), "bad.pairs", &texts[i]);
	}
}

/* Every rank reads a part of a long list, and a compressed list is read by one rank. The lines go
 * round a ring in both directions, so the numbers of vertices and edges have a closed form. */
static void long_lists_do_not_depend_on_ranks(void **state)
{
	(void)state;
	enum { WORDS = 5000 };
	gemp_text text = { 0 };
	file_case file;
	gemp_shard *graph = NULL, *whole = NULL;
	for (int i = 0; i < 2 * WORDS; i++)
		gemp_text_print(&text, "EN wort %d\tEN wort %d\n", (i + (i >= WORDS)) % WORDS, (i + (i < WORDS)) % WORDS);
	gemp_import_options *options = one_file(&file, "pairs", "long.pairs", text.data);
	assert_all_ok(gemp_import(&graph, &test_comm, options));
	assert_all_ok(gemp_import(&whole, &alone, options));
	assert_all(graph->hash == whole->hash && graph->vertex_count == WORDS);
	assert_all(gemp_shard_edges(graph) == WORDS);
	gemp_shard_free(graph);
	gemp_shard_free(whole);
	gemp_text_free(&text);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(one_file(&file, "pairs", "a.pairs", "EN a\tDE b\nDE b\tFR c\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_become_words_and_undirected_edges),
		cmocka_unit_test(files_are_one_graph),
		cmocka_unit_test(invalid_lines_are_rejected),
		cmocka_unit_test(long_lists_do_not_depend_on_ranks),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
