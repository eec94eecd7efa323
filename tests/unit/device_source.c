/* Tests the text of kernels: embedded in the program, read from GEMP_KERNEL_DIR, and with its includes inserted. */
#include "core/memory.h"
#include "core/status.h"
#include "device/program.h"

#include "harness/harness.h"

#include <stdlib.h>
#include <string.h>

static void embedded(void **state)
{
	char *text = NULL;
	(void)state;
	unsetenv("GEMP_KERNEL_DIR");
	assert_ok(gemp_kernel_source(&text, "filter.cl"));
	assert_non_null(strstr(text, "filter_fill("));
	assert_non_null(strstr(text, "string_near(")); /* a function of contains.clh */
	assert_null(strstr(text, "#include"));
	gemp_free(text);
	assert_code(gemp_kernel_source(&text, "no-such.cl"), GEMP_EINTERNAL);
	assert_message("no-such.cl");
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void overridden(void **state)
{
	char *text = NULL;
	(void)state;
	test_file("a.cl", "first\n  #  include \"b.clh\"\nlast");
	test_file("b.clh", "middle\n#include \"contains.clh\"\n");
	setenv("GEMP_KERNEL_DIR", test_folder(), 1);
	assert_ok(gemp_kernel_source(&text, "a.cl"));
	const char *first = strstr(text, "first\n"), *middle = strstr(text, "middle\n"), *last = strstr(text, "last\n");
	assert_true(first && middle && last && first < middle && middle < last);
	assert_non_null(strstr(text, "string_near(")); /* a file that the folder lacks comes from the program */
	assert_non_null(strstr(text, "#line 3 \"a.cl\"\nlast"));
	gemp_free(text);
	test_file("filter.cl", "mine\n");
	assert_ok(gemp_kernel_source(&text, "filter.cl"));
	assert_null(strstr(text, "filter_fill("));
	gemp_free(text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void circles_and_folders(void **state)
{
	char *text = NULL;
	(void)state;
	test_file("c.cl", "#include \"d.clh\"\n");
	test_file("d.clh", "#include \"c.cl\"\n");
	setenv("GEMP_KERNEL_DIR", test_folder(), 1);
	assert_code(gemp_kernel_source(&text, "c.cl"), GEMP_EINTERNAL);
	assert_message("circle");
	test_file("empty.cl", "");
	assert_ok(gemp_kernel_source(&text, "empty.cl"));
	gemp_free(text);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code load_filter(void *argument)
{
	char *text = NULL;
	(void)argument;
	gemp_code code = gemp_kernel_source(&text, "filter.cl");
	gemp_free(text);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	unsetenv("GEMP_KERNEL_DIR");
	assert_survives_no_memory(load_filter, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(embedded),
		cmocka_unit_test(overridden),
		cmocka_unit_test(circles_and_folders),
		cmocka_unit_test(without_memory),
	};
	return test_main(tests);
}
