/* Tests the import of Debian's Packages index: expected graph of a sample, and messages of errors. */
#include "import_case.h"

#include "core/log.h"

static const char sample[] =
	"Package: app\nVersion: 1.0-1\nInstalled-Size: 70\nMaintainer: Ann Bee <ann@example.org>\nArchitecture: amd64\n"
	"Depends: lib (>= 1), lib (<< 2), data | other-data [amd64] , python3:any\nPre-Depends: lib\n"
	"Description: an application\n with a longer text\nTag: role::program, use::viewing,\n use::editing\n"
	"Section: games\nPriority: optional\nSize: 1234\nX-Other: is left out\n"
	"\n"
	"Package: lib\nSource: application (1.0)\nVersion: 1.0-1\nMaintainer: Ann Bee <bee@example.org>\nProvides: lib-api (= 1)\n"
	"Breaks: app (<< 0.5)\nTag: role::program\n"
	"\n\n"
	"Package: app\nVersion: 2.0-1\nSection: doc\n";

static const char expected_graph[] =
	"app Package name:s=app version:s=1.0-1 section:s=games priority:s=optional architecture:s=amd64 size:i=1234 "
	"installed_size_kib:i=70 description:s=an application with a longer text\n"
	"data VirtualPackage name:s=data\nlib Package name:s=lib version:s=1.0-1\nlib-api VirtualPackage name:s=lib-api\n"
	"maintainer:Ann Bee Maintainer name:s=Ann Bee\nother-data VirtualPackage name:s=other-data\n"
	"python3 VirtualPackage name:s=python3\nsection:games Section name:s=games\nsource:app SourcePackage name:s=app\n"
	"source:application SourcePackage name:s=application\ntag:role::program Tag name:s=role::program\n"
	"tag:use::editing Tag name:s=use::editing\ntag:use::viewing Tag name:s=use::viewing\n"
	"app-BUILT_FROM->source:app\napp-DEPENDS->data alternative:i=0\napp-DEPENDS->lib\n"
	"app-DEPENDS->other-data alternative:i=1\napp-DEPENDS->python3\napp-HAS_TAG->tag:role::program\n"
	"app-HAS_TAG->tag:use::editing\napp-HAS_TAG->tag:use::viewing\napp-IN_SECTION->section:games\n"
	"app-MAINTAINED_BY->maintainer:Ann Bee\napp-PRE_DEPENDS->lib\n"
	"lib-BREAKS->app\nlib-BUILT_FROM->source:application\nlib-HAS_TAG->tag:role::program\n"
	"lib-MAINTAINED_BY->maintainer:Ann Bee\nlib-PROVIDES->lib-api\n";

static void sample_index(void **state)
{
	(void)state;
	file_case file;
	expect_graph(one_file(&file, "packages", "x_Packages", sample), expected_graph);
	expect_graph(one_file(&file, "auto", "x_Packages", sample), expected_graph);
	expect_graph(one_file(&file, "packages", "some", "\n\r\nPackage: 7\r\n\r\n"),
	             "7 Package name:s=7\nsource:7 SourcePackage name:s=7\n7-BUILT_FROM->source:7\n");
}

static void first_listing_of_a_package_counts(void **state)
{
	(void)state;
	const char *paths[] = { write_text_file("a_Packages",
		                                    "Package: b\nVersion: 1\n\nPackage: a\nVersion: 2\nDepends: c"),
		                    write_text_file("b_Packages", "Package: a\nVersion: 1\n\nPackage: c\nVersion: 3\n") };
	gemp_import_options options = { .edge_files = paths, .edge_file_count = 2, .seed = 1 };
	expect_graph(&options,
	             "a Package name:s=a version:s=2\nb Package name:s=b version:s=1\nc Package name:s=c version:s=3\n"
	             "source:a SourcePackage name:s=a\nsource:b SourcePackage name:s=b\nsource:c SourcePackage name:s=c\n"
	             "a-BUILT_FROM->source:a\na-DEPENDS->c\nb-BUILT_FROM->source:b\nc-BUILT_FROM->source:c\n");
}

static void invalid_files_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place, *part;
	} bad[] = {
		{ "Package: a\n\nVersion: 1\n", "bad_Packages:3: ", "'Package'" },
		{ "Package: a\nno colon here\n", "bad_Packages:2: ", "'no colon here'" },
		{ "\n continued\n", "bad_Packages:2: ", "no field before" },
		{ "Package: a\nPackage: b\n", "bad_Packages:2: ", "twice" },
		{ "Package: a b\n", "bad_Packages:1: ", "name of a package" },
		{ "Package: a\nSize: big\n", "bad_Packages:1: ", "field 'Size'" },
		{ "Package: a\nDepends: b | \n", "bad_Packages:1: ", "empty name" },
		{ "Package: a\nVersion: \xff\n", "bad_Packages:2: ", "UTF-8" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		file_case file;
		expect_failure(one_file(&file, "packages", "bad_Packages", bad[i].text), GEMP_EDATA,
		               PARTS(bad[i].place, bad[i].part));
	}
}

static void memory_may_run_out(void **state)
{
	(void)state;
	file_case file;
	survives_without_memory(one_file(&file, "packages", "p", "Package: a\nDepends: b | c\nTag: t::u\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_index),
		cmocka_unit_test(first_listing_of_a_package_counts),
		cmocka_unit_test(invalid_files_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	gemp_log_set_level(GEMP_QUIET); /* hides warnings about packages that are listed twice */
	return test_main_all(argc, argv, tests);
}
