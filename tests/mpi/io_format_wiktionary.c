/* Tests the import of dumps of Wiktionaries: translations of single pages, expected graphs of samples, and messages of
 * errors. */
#include "import_case.h"

#include "io/import/wikitext.h"

#include <time.h>

/* Prints "line source>language:word " for each translation. */
static gemp_code print_translation(void *self, const gemp_wikitext_translation *found)
{
	gemp_text_print(self, "%d %.*s>%.*s:%.*s ", (int)found->line, (int)found->source.size, found->source.bytes,
	                (int)found->language.size, found->language.bytes, (int)found->word.size, found->word.bytes);
	return GEMP_OK;
}

static void check_page(const char *wiki, const char *page, const char *expected, int left_out)
{
	gemp_text word = { 0 }, found = { 0 };
	uint64_t left = 0;
	/* a copy of exactly the page's size lets the sanitizer see any access behind its end */
	const size_t size = strlen(page);
	char *copy = malloc(size ? size : 1);
	memcpy(copy, page, size);
	assert_int_equal(
		gemp_wikitext_read(gemp_wiki_of(wiki), (gemp_slice){ copy, size }, &word, &left, print_translation, &found),
		GEMP_OK);
	free(copy);
	assert_string_equal(found.data ? found.data : "", expected);
	assert_int_equal(left, left_out);
	gemp_text_free(&word);
	gemp_text_free(&found);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void english_pages(void **state)
{
	(void)state;
	check_page("en", "", "", 0);
	check_page("en",
	           "==English==\n====Translations====\n{{trans-top|fruit}}\n* German: {{t+|de|Apfel|m}}, {{t|de|x}}\n",
	           "3 en>de:Apfel 3 en>de:x ", 0);
	/* other sections, languages and templates */
	check_page("en",
	           "{{t|de|a}}\n==English==\n{{t|de|b}}\n===Translations===\n{{t|de|c}}\n====See also====\n{{t|de|d}}\n"
	           "==German==\n===Translations===\n{{t|en|e}}\n==Translingual==\n=== Translations ===\n{{tt+|de|f}}\n",
	           "4 en>de:c 12 mul>de:f ", 0);
	check_page(
		"en",
		"==English==\n===Translations===\n{{t-check|de|a}} {{t+check|de|b}} {{t-needed|de}} {{qualifier|{{t|de|c}}}} "
		"{{tt|de|d}} {{t-simple|de|e}} <!-- {{t|de|f}} --> {{multitrans|data=\n* German: {{t|de|g}}\n}}{{l|de|h}}",
		"2 en>de:c 2 en>de:d 2 en>de:e 3 en>de:g ", 0);
	/* arguments, links and italics */
	check_page(
		"en",
		"==English==\n===Translations===\n{{t|de|[[ein]] [[Apfel#Deutsch|Apf''el'']]|m|alt=X}}{{t|ja|tr=ringo|りんご}}\n"
		"{{t\n|2=pomme|\n1=fr\n}}{{t|ar|a=b|c}}{{t|ru|[[x|y]]|tr={{l|a|b}}}}",
		"2 en>de:ein Apfel 2 en>ja:りんご 3 en>fr:pomme 6 en>ar:c 6 en>ru:y ", 0);
	/* markup that is not understood */
	check_page(
		"en",
		"==English==\n===Translations===\n{{t|de|}}{{t|de|{{l|de|x}}}}{{t|de|a<b}}{{t||x}}{{t|de}}{{t|D E|x}}\n{{t|de|y}}\n",
		"3 en>de:y ", 6);
	/* traditional and simplified characters */
	check_page("en",
	           "==English==\n===Translations===\n{{tt+|cmn|蘋果//苹果}}{{t|cmn|[[水]] // }}{{t|de|a/b}}{{t|de|//}}",
	           "2 en>cmn:蘋果 2 en>cmn:苹果 2 en>cmn:水 2 en>de:a/b ", 0);
	/* entities, and names with & */
	check_page(
		"en",
		"==English==\n===Translations===\n{{t|fr|pomme&nbsp;de&nbsp;terre}} {{t|de|R&B}} {{t|de|a&b c;}} {{t|de|a&#39;b}}{{t|de|&lt;}}",
		"2 en>fr:pomme de terre 2 en>de:R&B 2 en>de:a&b c; ", 2);
	check_page("en", "==English==\n===Translations===\n{{t|de|never closed\n{{t|de|[[x}}\n<!-- {{t|de|y}}", "", 0);
	check_page("en", "==English==\n===Translations===\n{{t|de|x}}{", "2 en>de:x ", 0);
	check_page("en", "==English==\n===Translations===\n=\n==\n{{t|de|x}}", "", 0);
	check_page("en", "==English==\n===Translations===\n=\n=====\n{{t|de|x}}\n=x\n", "", 0);
}

/* A page of 256 KiB without a newline whose templates and links stay open takes less than a second. If each of them
 * were read to the end of the page, it would take a minute. */
static void open_templates_take_linear_time(void **state)
{
	(void)state;
	enum { SIZE = 1 << 18 };
	static const char *const repeated[] = { "{{", "{{t|", "[[", "{{t|de|[[", "{{t|de|x}} ", "x" };
	gemp_text page = { 0 }, word = { 0 }, found = { 0 };
	for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
		uint64_t left = 0;
		gemp_text_clear(&page);
		gemp_text_clear(&found);
		gemp_text_print(&page, "==English==\n===Translations===\n");
		while (page.size < SIZE)
			gemp_text_print(&page, "%s", repeated[i]);
		const clock_t before = clock();
		assert_int_equal(gemp_wikitext_read(gemp_wiki_of("en"), (gemp_slice){ page.data, page.size }, &word, &left,
		                                    print_translation, &found),
		                 GEMP_OK);
		assert_true(clock() - before < 10 * CLOCKS_PER_SEC);
		assert_true((found.size > 0) == (i == 4));
	}
	gemp_text_free(&page);
	gemp_text_free(&word);
	gemp_text_free(&found);
}

static void german_pages(void **state)
{
	(void)state;
	check_page(
		"de",
		"== Apfel ({{Sprache|Deutsch}}) ==\n=== {{Wortart|Substantiv|Deutsch}}, {{m}} ===\n{{Herkunft}}\n:{{Ü|la|malum}}\n"
		"==== {{Übersetzungen}} ====\n{{Ü-Tabelle|1|G=Obst|Ü-Liste=\n*{{en}}: [1] {{Ü|en|apple}}; {{Üt?|en|x}}\n"
		"*{{ru}}: {{Üt|ru|яблоко|jabloko}} {{n}}\n|Dialekttabelle=\n*{{nds}}: {{Ü|nds|Appel|Äppel}}\n}}\n"
		"== apple ({{Sprache|Englisch}}) ==\n==== {{Übersetzungen}} ====\n{{Ü|de|Apfel}}\n"
		"== x ({{Sprache|Klingonisch}}) ==\n==== {{Übersetzungen}} ====\n{{Ü|de|y}}\n",
		"6 de>en:apple 7 de>ru:яблоко 9 de>nds:Appel 13 en>de:Apfel ", 0);
	assert_null(gemp_wiki_of("fr"));
}

#define DUMP(lang, pages)                                                                                         \
	"<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" version=\"0.11\" xml:lang=\"" lang "\">\n"    \
	"<siteinfo><sitename>Wiktionary</sitename><namespaces><namespace key=\"0\"/></namespaces></siteinfo>\n" pages \
	"</mediawiki>\n"
#define PAGE(title, ns, text)                                                                                          \
	"<page><title>" title "</title><ns>" ns "</ns><id>1</id>\n<revision><id>2</id><contributor><username>u</username>" \
	"</contributor><text bytes=\"1\" xml:space=\"preserve\">" text "</text><sha1>x</sha1></revision></page>\n"
#define ENGLISH(words) "==English==\n===Translations===\n" words

static const char english[] = DUMP("en", PAGE("apple", "0", ENGLISH("{{t+|de|Apfel|m}} &amp; {{t|fr|pomme}}"))
                                             PAGE("Talk:x", "1", ENGLISH("{{t|de|y}}"))
                                                 PAGE("water/translations", "0", ENGLISH("{{t|de|Wasser}}{{t|de|}}"))
                                                     PAGE("none", "0", "text"));
static const char german[] = DUMP(
	"de", PAGE("Apfel", "0",
               "== Apfel ({{Sprache|Deutsch}}) ==\n==== {{Übersetzungen}} ====\n{{Ü|en|apple}} {{Ü|en|malus}}\n"));

/* The edge between apple and Apfel is in both dumps. */
static void dumps_become_words_and_undirected_edges(void **state)
{
	(void)state;
	file_case file;
	static const char wanted[] =
		"de:Apfel Word lang:s=de word:s=Apfel\nde:Wasser Word lang:s=de word:s=Wasser\n"
		"en:apple Word lang:s=en word:s=apple\nen:malus Word lang:s=en word:s=malus\n"
		"en:water Word lang:s=en word:s=water\nfr:pomme Word lang:s=fr word:s=pomme\n"
		"de:Wasser-TRANSLATES-en:water\nen:apple-TRANSLATES-de:Apfel\nen:apple-TRANSLATES-fr:pomme\n"
		"en:malus-TRANSLATES-de:Apfel\n";
	gemp_import_options *options = one_file(&file, "wiktionary", "e.xml", english);
	const char *paths[] = { write_text_file("enwiktionary-20260101-pages-articles.xml", english),
		                    write_text_file("dewiktionary-20260101-pages-articles.xml", german) };
	options->edge_files = paths;
	options->edge_file_count = 2;
	options->format = NULL;
	expect_graph(options, wanted);
}

static void invalid_dumps_are_rejected(void **state)
{
	(void)state;
	static const bad_text texts[] = {
		{ "<html>\n</html>\n", ":1: ", "no dump of a wiki: it begins with <html>" },
		{ DUMP("fr", ""), ":1: ", "language 'fr'" },
		{ "<mediawiki>\n</mediawiki>\n", ":1: ", "language ''" },
		{ DUMP("en", "<page>\n<title>a</title><ns>0</ns><revision><text>x</text></revision>\n<revision><text>y</text>"
		             "</revision></page>\n"),
		  ":5: ", "page 'a' has several revisions" },
		{ DUMP("en", "<page><revision>\n<text>x</text></revision></page>\n"), ":4: ", "before its <title>" },
		{ DUMP("en", "<page><title>a</title><revision>\n<text>x</text></revision></page>\n"),
		  ":4: ", "before its <ns>" },
		{ "<mediawiki xml:lang=\"en\">\n<page>\n", ":3: ", "whole" },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		file_case file;
		expect_error(one_file(&file, "wiktionary", "bad.xml", texts[i].text), "bad.xml", &texts[i]);
	}
}

/* A small compressed file can have gigabytes of open elements, so their number is limited, also in skipped elements. */
static void deep_elements_are_rejected(void **state)
{
	(void)state;
	gemp_text text = { 0 };
	file_case file;
	gemp_text_print(&text, "<mediawiki xml:lang=\"en\">\n");
	for (int i = 0; i < 10000; i++)
		gemp_text_print(&text, "<a>");
	const bad_text deep = { text.data, ":2: ", "more than 10000 elements are open" };
	expect_error(one_file(&file, "wiktionary", "deep.xml", text.data), "deep.xml", &deep);
	gemp_text_free(&text);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(one_file(&file, "wiktionary", "d.xml", german));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(english_pages),
		cmocka_unit_test(open_templates_take_linear_time),
		cmocka_unit_test(german_pages),
		cmocka_unit_test(dumps_become_words_and_undirected_edges),
		cmocka_unit_test(invalid_dumps_are_rejected),
		cmocka_unit_test(deep_elements_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
