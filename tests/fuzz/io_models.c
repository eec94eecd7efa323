/* Imports mutated models: GXL, XMI and its metamodel. Each import gives a graph or one message, and frees all memory.
 * GEMP_FUZZ_ROUNDS is the number of rounds (2000 by default), and GEMP_TEST_SEED repeats a run. A file that crashes the
 * process stays in the test's folder. */
#include "core/log.h"
#include "import_mutants.h"

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

static const char xmi[] = "<p:A xmlns:p=\"http://p\" xmlns:xmi=\"http://www.omg.org/XMI\" "
						  "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" n=\"3\">\n"
						  "<part xmi:id=\"x\" to=\"//@part.1 //@part.0\"><part e=\"Y\" to=\"/\"/></part>\n"
						  "<part xsi:type=\"p:A\"><n>4</n><to href=\"#x\"/></part></p:A>\n";

static const char *const tokens[] = {
	"<node id=\"1\">",
	"</node>",
	"<attr name=\"n\">",
	"</attr>",
	"<int>",
	"</int>",
	"<!--",
	"-->",
	"<part>",
	"<part/>",
	"</part>",
	"<to href=\"#//@part.0\"/>",
	"#",
	"//@part.0",
	"/0",
	"/1",
	"xsi:type=\"p:B\"",
	"p:A",
	"name=\"A\"",
	"#//A",
	"eSuperTypes=\"#//A\"",
	"&amp;",
	"&a;",
	"<!DOCTYPE a [<!ENTITY a \"b\">]>",
	"\xff",
	"\"",
	">",
	"xmi:id=\"1\"",
	"B",
	"n",
	"",
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
		compress_text(&text, GZIP);
		name = packed;
	}
	const char *path = write_text(name, &text);
	gemp_text_free(&text);
	return path;
}

typedef struct sound_model {
	const char *name, *model, *metamodel;
} sound_model;

/* Mutates either the model or its metamodel. */
static bool one_round(const void *self)
{
	const sound_model *sound = self;
	bool second = sound->metamodel && below(2);
	const char *path = write_one(sound->name, sound->model, !second);
	gemp_import_options options = { .edge_file_count = 1, .edge_files = &path, .seed = 1, .undirected = below(2) };
	if (sound->metamodel)
		options.metamodel = write_one("m.ecore", sound->metamodel, second);
	return imported(&options, NULL);
}

static void mutants_of_gxl(void **state)
{
	(void)state;
	fuzz_imports(fuzz_rounds(2000) / 2, one_round, &(sound_model){ "a.gxl", gxl, NULL });
}

static void mutants_of_xmi(void **state)
{
	(void)state;
	fuzz_imports(fuzz_rounds(2000) / 2, one_round, &(sound_model){ "a.xmi", xmi, ecore });
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mutants_of_gxl), cmocka_unit_test(mutants_of_xmi) };
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_log_set_level(GEMP_QUIET);
	int verdict = test_main(tests);
	GEMP_MPI(MPI_Finalize());
	return verdict;
}
