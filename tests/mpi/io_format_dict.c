/* Tests the import of dictd dictionaries as FreeDict writes them: expected graphs of samples, and messages of
 * errors. */
#include "import_case.h"

#include "core/status.h"
#include "io/import/import_dict.h"

/* Reads an entry and compares it with a text of the form "headword <grammar> = 1:word 2:word ...". The numbers are
 * those of the senses, or 0. */
static void check_entry(const char *text, const char *expected)
{
	gemp_dict_entry entry = { 0 };
	char found[512];
	assert_ok(gemp_dict_entry_read(&entry, text, strlen(text)));
	int at = snprintf(found, sizeof found, "%.*s <%.*s> =", (int)entry.headword.size, entry.headword.bytes,
	                  (int)entry.grammar.size, entry.grammar.bytes);
	for (size_t i = 0; i < entry.count; i++) {
		const gemp_translation *translation = &entry.translations[i];
		at += snprintf(found + at, sizeof found - (size_t)at, " %d:%.*s", (int)translation->sense,
		               (int)translation->word.size, translation->word.bytes);
	}
	gemp_dict_entry_free(&entry);
	assert_string_equal(found, expected);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void entries(void **state)
{
	(void)state;
	check_entry("nogal /noxal/\n1. ein bischen, etwas\n2. genug, etwas\n", "nogal <> = 1:ein bischen 1:etwas 2:genug");
	check_entry("rede /r/ <n, fem>\n1. Grund <m>, Ursache <f>\n2. Vernunft <f>",
	            "rede <n, fem> = 1:Grund 1:Ursache 2:Vernunft");
	check_entry("konvention <n, ut>\ngelenek 2.\nfordrag, traktat\n 3.\npraxis\n", "konvention <n, ut> = 0:gelenek");
	check_entry(
		"neutre /a/ <adj>\n1. neutrala, nijaki\n2. nijaki 2.\n(Grammaire) Qui\n 3.\n(Ch) x\n3. neutralny 2.\nQui\n",
		"neutre <adj> = 1:neutrala 1:nijaki 3:neutralny");
	check_entry("blumig /b/ <adj>\n [fig.] [x] flowery <adj> [fig.], (a, b) c, 1,5 m\n   Synonym: {x}\n",
	            "blumig <adj> = 0:flowery 0:(a, b) c 0:1,5 m");
	check_entry("Lehrziele\n see: {Lehrziel}\n", "Lehrziele <> =");
	check_entry("alone", "alone <> =");
	check_entry("aide-toi, le ciel /x/\nBog, <pn>, \n", "aide-toi, le ciel <> = 0:Bog");
	check_entry(" [news2]  [nf38]  x y /z/,  (a)  b /c/\n(noun (common))\nrice ball, (a) b\n",
	            "x y <> = 0:rice ball 0:(a) b");
	check_entry("x\n1. (noun (a))\n{b}c\n2. (d) e\n", "x <> = 1:c 2:(d) e");
	check_entry("x\n(noun)\n1. b\n", "x <> = 1:b");
	check_entry("a [b] c\n1. x\nexplained\n 2.\n4. no\n2. y 17.\n", "a <> = 1:x 2:y");
}

static const char text[] =
	"about itself\nHaus /haus/ <n, neut>\nhouse, building <n>\nbuilding\n1. Haus\nis bad\n2. Gebäude\n";

static gemp_import_options *dictionary(file_case *file, const char *index)
{
	write_text_file("freedict-deu-eng.dict", text);
	return one_file(file, "dict", "freedict-deu-eng.index", index);
}

static void sample_dictionary(void **state)
{
	(void)state;
	file_case file;
	static const char wanted[] =
		"deu:Haus Word lang:s=deu word:s=Haus\ndeu:building Word lang:s=deu word:s=building\n"
		"eng:Gebäude Word lang:s=eng word:s=Gebäude\neng:Haus Word lang:s=eng word:s=Haus\n"
		"eng:building Word lang:s=eng word:s=building\neng:house Word lang:s=eng word:s=house\n"
		"deu:Haus-TRANSLATES->eng:building grammar:s=n, neut\ndeu:Haus-TRANSLATES->eng:house grammar:s=n, neut\n"
		"deu:building-TRANSLATES->eng:Gebäude sense:i=2\ndeu:building-TRANSLATES->eng:Haus sense:i=1\n";
	static const char index[] = "00databaseinfo\tA\tM\nbuilding\t3\tk\nhaus\tN\tq\nhouse\tN\tq\tHouse\n";
	expect_graph(dictionary(&file, index), wanted);
	file.options.format = NULL;
	expect_graph(&file.options, wanted);
}

static void invalid_files_are_rejected(void **state)
{
	(void)state;
	file_case file;
	expect_failure(dictionary(&file, "a\tA\tB\nb\tA\n"), GEMP_EDATA, PARTS("eng.index:2: ", "2 fields"));
	expect_failure(dictionary(&file, "a\tA\t=\n"), GEMP_EDATA, PARTS("eng.index:1: ", "'='"));
	expect_failure(dictionary(&file, "a\tA\t//////////\n"), GEMP_EDATA, PARTS("eng.index:1: ", "base 64"));
	expect_failure(dictionary(&file, "a\tA\tBAA\n"), GEMP_EDATA, PARTS("eng.index:1: ", "beyond", "belong together"));
	expect_failure(dictionary(&file, "a\tM\tB\n"), GEMP_EDATA, PARTS("eng.index:1: ", "no headword"));
	expect_failure(dictionary(&file, "b\tN\tq\na\tBW\tB\n"), GEMP_EDATA, PARTS("eng.index:2: ", "UTF-8"));
	write_text_file("words.dict", text);
	expect_failure(one_file(&file, "dict", "words.index", "a\tA\tB\n"), GEMP_EDATA,
	               PARTS("words.index: ", "two languages"));
	expect_failure(one_file(&file, "dict", "nowhere-deu-eng.index", "a\tA\tB\n"), GEMP_ENOINPUT,
	               PARTS("nowhere-deu-eng.dict.dz: ", ".index and .dict.dz"));
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(dictionary(&file, "haus\tN\tq\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries),
		cmocka_unit_test(sample_dictionary),
		cmocka_unit_test(invalid_files_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
