/* Mutated models: GXL, XMI and its metamodel. Import gives a graph or one message, and leaves nothing behind.
 * GEMP_FUZZ_ROUNDS (2000 by default) says how long, GEMP_TEST_SEED repeats a run. A file that stops the process stays
 * in the test's folder. */
#include "mutate.h"

#include "core/log.h"
#include "io/import.h"

static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

static const char gxl[] =
	"<gxl xmlns:xlink=\"http://www.w3.org/1999/xlink\"><graph id=\"g\" edgemode=\"defaultdirected\">\n"
	"<node id=\"1\"><type xlink:href=\"s.gxl#A\"/><attr name=\"n\"><int> 5 </int></attr></node>\n"
	"<node id=\"b\"><attr name=\"n\"><float>1.5</float></attr><attr name=\"l\"><locator xlink:href=\"x\"/></attr></node>\n"
	"<edge from=\"1\" to=\"b\" fromorder=\"1\"><type xlink:href=\"#T\"/><attr name=\"w\"><bool>true</bool></attr></edge>\n"
	"<edge from=\"1\" to=\"1\" isdirected=\"true\"/></graph></gxl>\n";

static const char ecore[] =
	"<ecore:EPackage xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
	"xmlns:ecore=\"http://www.eclipse.org/emf/2002/Ecore\" name=\"p\" nsURI=\"http://p\">\n"
	"<eClassifiers xsi:type=\"ecore:EClass\" name=\"B\" abstract=\"true\">"
	"<eStructuralFeatures xsi:type=\"ecore:EAttribute\" name=\"n\" eType=\"ecore:EDataType "
	"http://www.eclipse.org/emf/2002/Ecore#//EInt\" defaultValueLiteral=\"7\"/></eClassifiers>\n"
	"<eClassifiers xsi:type=\"ecore:EClass\" name=\"A\" eSuperTypes=\"#//B\">\n"
	"<eStructuralFeatures xsi:type=\"ecore:EReference\" name=\"part\" upperBound=\"-1\" eType=\"#//A\" "
	"containment=\"true\" eOpposite=\"#//A/whole\"/>\n"
	"<eStructuralFeatures xsi:type=\"ecore:EReference\" name=\"whole\" eType=\"#//A\" eOpposite=\"#//A/part\"/>\n"
	"<eStructuralFeatures xsi:type=\"ecore:EReference\" name=\"to\" upperBound=\"-1\" eType=\"#//A\" "
	"eOpposite=\"#//A/from\"/>\n"
	"<eStructuralFeatures xsi:type=\"ecore:EReference\" name=\"from\" upperBound=\"-1\" eType=\"#//A\" "
	"eOpposite=\"#//A/to\"/>\n"
	"<eStructuralFeatures xsi:type=\"ecore:EAttribute\" name=\"e\" eType=\"#//sub/E\"/></eClassifiers>\n"
	"<eAnnotations source=\"gemp-mpi\"><details key=\"ids\" value=\"string\"/></eAnnotations>\n"
	"<eSubpackages name=\"sub\"><eClassifiers xsi:type=\"ecore:EEnum\" name=\"E\"><eLiterals name=\"X\"/>"
	"<eLiterals name=\"Y\"/></eClassifiers></eSubpackages></ecore:EPackage>\n";

static const char xmi[] =
	"<p:A xmlns:p=\"http://p\" xmlns:xmi=\"http://www.omg.org/XMI\" "
	"xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" n=\"3\">\n"
	"<part xmi:id=\"x\" to=\"//@part.1 //@part.0\"><part e=\"Y\" to=\"/\"/></part>\n"
	"<part xsi:type=\"p:A\"><n>4</n><to href=\"#x\"/></part></p:A>\n";

static const char *const tokens[] = {
	"<node id=\"1\">", "</node>", "<attr name=\"n\">", "</attr>", "<int>", "</int>", "<!--", "-->", "<part>", "<part/>",
	"</part>", "<to href=\"#//@part.0\"/>", "#", "//@part.0", "/0", "/1", "xsi:type=\"p:B\"", "p:A", "name=\"A\"", "#//A",
	"eSuperTypes=\"#//A\"", "&amp;", "&a;", "<!DOCTYPE a [<!ENTITY a \"b\">]>", "\xff", "\"", ">", "xmi:id=\"1\"", "B",
	"n", "",
};

static const char *write_one(const char *name, const char *sound, bool changed)
{
	gemp_text text = { 0 };
	char packed[16];
	gemp_text_print(&text, "%s", sound);
	for (uint64_t i = changed ? below(3) : 0; i > 0; i--)
		mutate(&text, tokens, sizeof tokens / sizeof *tokens);
	snprintf(packed, sizeof packed, "%s.gz", name);
	if (below(8) == 0) {
		compress_text(&text, true);
		name = packed;
	}
	const char *path = write_text(name, &text);
	gemp_text_free(&text);
	return path;
}

/* The model is a mutant, or its metamodel. */
static void many_rounds(const char *name, const char *model, const char *metamodel)
{
	int rounds = fuzz_rounds(2000) / 2, good = 0;
	seed = test_seed();
	for (int i = 0; i < rounds; i++) {
		bool second = metamodel && below(2);
		const char *path = write_one(name, model, !second);
		gemp_import_options options = { .edge_file_count = 1, .edge_files = &path, .seed = 1, .undirected = below(2) };
		gemp_graph *graph = NULL;
		if (metamodel)
			options.metamodel = write_one("m.ecore", metamodel, second);
		gemp_fail(GEMP_OK, "%s", "");
		gemp_code code = gemp_import(&graph, &alone, &options);
		if (code != GEMP_OK && (code != GEMP_EDATA || !strstr(gemp_message(), test_folder())))
			fail_msg("code %d: %s", (int)code, gemp_message());
		good += code == GEMP_OK;
		gemp_graph_free(graph);
		assert_int_equal(gemp_memory_blocks(), 0);
	}
	printf("%d of %d were good\n", good, rounds);
	assert_true(rounds < 100 || (good > rounds / 20 && good < rounds - rounds / 20));
}

static void mutants_of_gxl(void **state)
{
	(void)state;
	many_rounds("a.gxl", gxl, NULL);
}

static void mutants_of_xmi(void **state)
{
	(void)state;
	many_rounds("a.xmi", xmi, ecore);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants_of_gxl), cmocka_unit_test(mutants_of_xmi) };
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_log_setup(0, GEMP_QUIET);
	int verdict = test_main(tests);
	GEMP_MPI(MPI_Finalize());
	return verdict;
}
