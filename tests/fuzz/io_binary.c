/* Imports mutated GraphML and .npz files. Each import gives a graph or one message, and frees all memory.
 * GEMP_FUZZ_ROUNDS is the number of rounds (2000 by default), and GEMP_TEST_SEED repeats a run. A file that crashes the
 * process stays in the test's folder. */
#include "core/log.h"
#include "import_mutants.h"

#include <zlib.h>

/* GRAPHML */

static const char graphml[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
	"xmlns:y=\"http://www.yworks.com/xml/graphml\"><desc>x</desc>\n"
	"<key id=\"a\" for=\"all\" attr.name=\"n\" attr.type=\"int\"><default>7</default></key>\n"
	"<key id=\"labels\" for=\"node\" attr.name=\"labels\"/><key id=\"w\" for=\"edge\" attr.type=\"double\"/>\n"
	"<key id=\"ids\" for=\"graph\" attr.name=\"gemp-ids\"/>\n"
	"<graph edgedefault=\"directed\"><data key=\"ids\">string</data>\n"
	"<node id=\"1\" labels=\":A:B\"><data key=\"labels\">:A:B</data><data key=\"a\"> 5 </data></node>\n"
	"<node id=\"&lt;2&#x41;\"><data key=\"a\">6<y:s>t</y:s></data></node>\n"
	"<edge source=\"1\" target=\"&lt;2&#x41;\" label=\"T\"><data key=\"w\"><![CDATA[1.5]]></data></edge>\n"
	"<edge source=\"1\" target=\"1\" directed=\"true\"/></graph></graphml>\n";

static const char *const xml_tokens[] = {
	"<node>",
	"</node>",
	"<data key=\"a\">",
	"</data>",
	"<graph>",
	"</graph>",
	"<key id=\"b\"/>",
	"<!--",
	"-->",
	"<![CDATA[",
	"]]>",
	"&amp;",
	"&a;",
	"<!DOCTYPE graphml [<!ENTITY a \"b\">]>",
	"\xff",
	"\"",
	">",
	"id=\"1\"",
	"undirected",
	"<desc>",
	"",
};

static const char *write_graphml(void)
{
	gemp_text text = { 0 };
	const char *ending = "";
	gemp_text_add(&text, graphml, sizeof graphml - 1);
	for (uint64_t i = below(4); i > 0; i--)
		mutate(&text, xml_tokens, sizeof xml_tokens / sizeof *xml_tokens);
	if (below(8) == 0) {
		compress_text(&text, GZIP);
		ending = ".gz";
	}
	char name[32];
	snprintf(name, sizeof name, "a.graphml%s", ending);
	const char *path = write_text(name, &text);
	gemp_text_free(&text);
	return path;
}

/* NPZ: a 3 x 3 matrix in CSR form */

static const struct {
	const char *name, *header;
	size_t size;
	const char *bytes;
} members[] = {
	{ "format.npy", "{'descr': '|S3', 'fortran_order': False, 'shape': (), }", 3, "csr" },
	{ "shape.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", 16,
	  "\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0" },
	{ "indptr.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }", 16,
	  "\0\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0" },
	{ "indices.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", 12, "\1\0\0\0\2\0\0\0\0\0\0\0" },
	{ "data.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12,
	  "\0\0\x80\x3f\0\0\0\x40\0\0\xc0\x7f" },
};
enum { MEMBERS = sizeof members / sizeof *members, SHAPE = 1 };

static const char *const npz_tokens[] = {
	"PK\1\2", "PK\3\4", "PK\5\6", "PK\6\6", "PK\6\7",    "'descr'", "'shape': (", "99999999999999999999", "-1",
	">i4",    "|O",     "<c8",    "<u8",    "\x93NUMPY", "csc",     "coo",        "\xff\xff\xff\xff",     "\1\1",
	"",
};
enum { NPZ_TOKENS = sizeof npz_tokens / sizeof *npz_tokens };

static void add_number(gemp_text *text, uint64_t number, size_t bytes)
{
	for (; bytes > 0; bytes--, number >>= 8)
		gemp_text_add(text, &(unsigned char){ (unsigned char)number }, 1);
}

static void add_array(gemp_text *out, size_t which)
{
	size_t size = strlen(members[which].header) + 1;
	gemp_text_add(out, "\x93NUMPY\1\0", 8);
	add_number(out, size, 2);
	gemp_text_print(out, "%s\n", members[which].header);
	gemp_text_add(out, members[which].bytes, members[which].size);
}

/* Appends the fields that a member's own header and its entry in the directory share. */
static void add_facts(gemp_text *out, const gemp_text *bytes, const char *name)
{
	add_number(out, 0, 4 + 4); /* flags, method (stored), time and date */
	add_number(out, crc32_z(0, (const unsigned char *)bytes->data, bytes->size), 4);
	add_number(out, bytes->size, 4);
	add_number(out, bytes->size, 4);
	add_number(out, strlen(name), 2);
	add_number(out, 0, 2);
}

/* In half of the files some members are mutated before their checksums are computed, except the shape, which could
 * demand any size. In the other files the whole archive is mutated. */
static const char *write_npz(void)
{
	gemp_text file = { 0 }, directory = { 0 }, bytes = { 0 };
	bool inside = below(2);
	for (size_t m = 0; m < MEMBERS; m++) {
		gemp_text_clear(&bytes);
		add_array(&bytes, m);
		if (inside && m != SHAPE && below(3) == 0)
			mutate(&bytes, npz_tokens, NPZ_TOKENS);
		size_t place = file.size;
		gemp_text_add(&file, "PK\3\4\x14\0", 6);
		add_facts(&file, &bytes, members[m].name);
		gemp_text_print(&file, "%s", members[m].name);
		gemp_text_add(&file, bytes.data, bytes.size);
		gemp_text_add(&directory, "PK\1\2\x14\0\x14\0", 8);
		add_facts(&directory, &bytes, members[m].name);
		add_number(&directory, 0, 2 + 2 + 2 + 4);
		add_number(&directory, place, 4);
		gemp_text_print(&directory, "%s", members[m].name);
	}
	size_t place = file.size;
	gemp_text_add(&file, directory.data, directory.size);
	gemp_text_add(&file, "PK\5\6\0\0\0\0", 8);
	add_number(&file, MEMBERS, 2);
	add_number(&file, MEMBERS, 2);
	add_number(&file, directory.size, 4);
	add_number(&file, place, 4);
	add_number(&file, 0, 2);
	for (uint64_t i = inside ? 0 : below(4); i > 0; i--)
		mutate(&file, npz_tokens, NPZ_TOKENS);
	const char *path = write_text("a.npz", &file);
	gemp_text_free(&file);
	gemp_text_free(&directory);
	gemp_text_free(&bytes);
	return path;
}

typedef struct writer {
	const char *(*write)(void);
} writer;

static bool one_round(const void *self)
{
	const char *path = ((const writer *)self)->write();
	gemp_import_options options = { .edge_files = &path, .edge_file_count = 1, .seed = 1, .undirected = below(2) };
	return imported(&options, NULL);
}

static void mutants_of_graphml(void **state)
{
	(void)state;
	fuzz_imports(fuzz_rounds(2000) / 2, one_round, &(writer){ write_graphml });
}

static void mutants_of_npz(void **state)
{
	(void)state;
	fuzz_imports(fuzz_rounds(2000) / 2, one_round, &(writer){ write_npz });
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants_of_graphml), cmocka_unit_test(mutants_of_npz) };
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_log_set_level(GEMP_QUIET);
	int verdict = test_main(tests);
	GEMP_MPI(MPI_Finalize());
	return verdict;
}
