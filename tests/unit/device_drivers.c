/* Tests which drivers the ICD loader is told to load, on folders that the test makes. */
#include "core/memory.h"
#include "device/drivers.h"

#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char vendors[600];

static void add_driver(const char *name, const char *library)
{
	char path[700];
	snprintf(path, sizeof path, "%s/%s", vendors, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", library);
	fclose(file);
}

static void remove_driver(const char *name)
{
	char path[700];
	snprintf(path, sizeof path, "%s/%s", vendors, name);
	assert_int_equal(unlink(path), 0);
}

/* The folder that the loader is told, and whether it has a file of this name. */
static bool told(const char *name)
{
	char path[700];
	const char *folder = getenv("OCL_ICD_VENDORS");
	assert_non_null(folder);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return access(path, R_OK) == 0;
}

static bool restricts(const char *devices)
{
	unsetenv("OCL_ICD_VENDORS");
	bool restricted = gemp_drivers_restrict(vendors, devices);
	assert_int_equal(restricted, getenv("OCL_ICD_VENDORS") != NULL);
	assert_int_equal(gemp_memory_blocks(), 0);
	return restricted;
}

static int setup(void **state)
{
	(void)state;
	snprintf(vendors, sizeof vendors, "%s", test_path("vendors"));
	setenv("GEMP_CACHE_DIR", test_path("cache"), 1);
	return mkdir(vendors, 0700);
}

static void drivers_of_one_kind_are_left_out(void **state)
{
	(void)state;
	add_driver("pocl.icd", "libpocl.so.2");
	assert_false(gemp_drivers_may_have_gpu(vendors));
	assert_false(restricts("cpu")); /* there is nothing to leave out */
	assert_false(restricts("gpu")); /* nothing would be left */
	add_driver("10-green.icd", "/usr/lib/libnvidia-opencl.so.1");
	assert_true(gemp_drivers_may_have_gpu(vendors));
	remove_driver("10-green.icd");
	add_driver("other.icd", "libother.so"); /* its devices are unknown */
	assert_true(gemp_drivers_may_have_gpu(vendors));
	add_driver("10-green.icd", "/usr/lib/libnvidia-opencl.so.1");
	add_driver("nvidia.txt", "no driver");
	for (int i = 0; i < 2; i++) { /* the second time the folder exists */
		assert_true(restricts("CPU"));
		assert_true(told("pocl.icd") && told("other.icd") && !told("10-green.icd") && !told("nvidia.txt"));
		assert_true(restricts("gpu"));
		assert_true(!told("pocl.icd") && told("other.icd") && told("10-green.icd"));
	}
}

static void other_texts_load_all(void **state)
{
	static const char *const texts[] = { NULL, "", "auto", "all", "0", "cpu,0", "cpu,gpu", "pocl" };
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_false(restricts(texts[i]));
}

/* A folder whose files were changed is not used, since the loader would load other drivers. */
static void changed_folder_is_not_used(void **state)
{
	char path[1200];
	(void)state;
	assert_true(restricts("cpu"));
	snprintf(path, sizeof path, "%s/pocl.icd", getenv("OCL_ICD_VENDORS"));
	assert_int_equal(unlink(path), 0);
	assert_false(restricts("cpu"));
	add_driver("third.icd", "libthird.so"); /* makes another folder */
	assert_true(restricts("cpu"));
	remove_driver("third.icd");
}

static void user_and_missing_folders(void **state)
{
	(void)state;
	setenv("OCL_ICD_VENDORS", "/somewhere", 1);
	assert_false(gemp_drivers_restrict(vendors, "gpu"));
	assert_string_equal(getenv("OCL_ICD_VENDORS"), "/somewhere");
	setenv("OCL_ICD_FILENAMES", "libx.so", 1);
	assert_false(restricts("gpu"));
	unsetenv("OCL_ICD_FILENAMES");
	assert_true(restricts("gpu"));
	setenv("GEMP_CACHE_DIR", "", 1);
	assert_false(restricts("gpu"));
	unsetenv("OCL_ICD_VENDORS");
	assert_false(gemp_drivers_restrict("/no/such/folder", "cpu"));
	assert_false(gemp_drivers_may_have_gpu("/no/such/folder"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drivers_of_one_kind_are_left_out),
		cmocka_unit_test(other_texts_load_all),
		cmocka_unit_test(changed_folder_is_not_used),
		cmocka_unit_test(user_and_missing_folders),
	};
	return cmocka_run_group_tests(tests, setup, NULL);
}
