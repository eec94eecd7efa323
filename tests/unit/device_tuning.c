/* Tests tuned numbers of devices: names of files, values, defaults, and errors in files. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "device/device.h"
#include "device/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void names_of_files(void **state)
{
	(void)state;
	char name[GEMP_TUNING_NAME], long_name[400];
	gemp_tuning_file_name(name, "NVIDIA H200");
	assert_string_equal(name, "nvidia-h200.conf");
	gemp_tuning_file_name(name, "pthread-skylake-avx512-Intel(R) Xeon(R) Processor ");
	assert_string_equal(name, "pthread-skylake-avx512-intel-r-xeon-r-processor.conf");
	gemp_tuning_file_name(name, "../x");
	assert_string_equal(name, "x.conf");
	gemp_tuning_file_name(name, "");
	assert_string_equal(name, ".conf");
	memset(long_name, 'a', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	gemp_tuning_file_name(name, long_name);
	assert_int_equal(strlen(name), GEMP_TUNING_NAME - 1);
}

/* A value of the file replaces the caller's default. On a CPU device it does not replace the default of a name that
 * only concerns GPUs. */
static void values_and_defaults(void **state)
{
	(void)state;
	static gemp_device device = { .gpu = true };
	assert_ok(gemp_tuning_parse(&device.tuning, "f", "# of a day\nnested.lanes = 8\n\n nested.group=256 # more\n"));
	assert_int_equal(gemp_tuning(&device, "nested.lanes", 32), 8);
	assert_int_equal(gemp_tuning(&device, "nested.group", 32), 256);
	assert_int_equal(gemp_tuning(&device, "count.clique.group", 64), 64);
	device.gpu = false;
	assert_int_equal(gemp_tuning(&device, "nested.lanes", 1), 1);
	device.gpu = true;
	gemp_tuning_set(&device, "nested.lanes", 0);
	assert_int_equal(gemp_tuning(&device, "nested.lanes", 32), 32);
}

static void refused(const char *text, const char *message)
{
	gemp_tuning_table table;
	assert_code(gemp_tuning_parse(&table, "here.conf", text), GEMP_EUSAGE);
	assert_message(message);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void errors_in_files_are_refused(void **state)
{
	(void)state;
	refused("nested.lanes = 8\nnested.lane = 8\n",
	        "here.conf:2: there is no tuning of the name nested.lane; did you mean nested.lanes?");
	refused("nested.lanes = 0\n", "here.conf:1: nested.lanes: '0' is not a power of 2 from 2 to 32");
	refused("nested.lanes = 64\n", "is not a power of 2 from 2 to 32");
	refused("nested.lanes = 12\n", "'12' is not a power of 2");
	refused("nested.lanes = -8\n", "'-8' is not a power of 2");
	refused("nested.lanes = 8x\n", "'8x' is not a power of 2");
	refused("nested.lanes\n", "here.conf:1: expected `name = value`, found 'nested.lanes'");
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Files are searched in GEMP_TUNING, then in the user's folder, then in the program. */
static void folders_are_searched_in_order(void **state)
{
	(void)state;
	gemp_tuning_table table;
	char folder[] = "/tmp/gemp-tuning-XXXXXX", path[256];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/gemp-mpi", folder);
	mkdir(path, 0777);
	strcat(path, "/tuning");
	mkdir(path, 0777);
	strcat(path, "/some-device.conf");
	setenv("XDG_CONFIG_HOME", folder, 1);
	unsetenv("GEMP_TUNING");
	assert_ok(gemp_tuning_load(&table, "Some Device"));
	assert_string_equal(table.source, "");
	write_file(path, "nested.lanes = 4\n");
	assert_ok(gemp_tuning_load(&table, "Some Device"));
	assert_string_equal(table.source, path);
	assert_int_equal(table.values[0], 4);
	setenv("GEMP_TUNING", "", 1);
	assert_ok(gemp_tuning_load(&table, "Some Device"));
	assert_int_equal(table.values[0], 0);
	setenv("GEMP_TUNING", "/nowhere/x.conf", 1);
	assert_code(gemp_tuning_load(&table, "Some Device"), GEMP_ENOINPUT);
	assert_message("/nowhere/x.conf: No such file");
	setenv("GEMP_TUNING", path, 1);
	assert_ok(gemp_tuning_load(&table, "another"));
	assert_int_equal(table.values[0], 4);
	unsetenv("GEMP_TUNING");
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_files),
		cmocka_unit_test(values_and_defaults),
		cmocka_unit_test(errors_in_files_are_refused),
		cmocka_unit_test(folders_are_searched_in_order),
	};
	return test_main(tests);
}
