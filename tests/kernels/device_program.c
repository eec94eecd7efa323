/* Tests buffers, programs and launches. Programs come from the cache on disk, and damaged files in the cache do no
 * harm. */
#include "core/memory.h"
#include "core/status.h"
#include "device/cache.h"
#include "device/device.h"
#include "device/launch.h"
#include "device/open.h"
#include "device/program.h"

#include "harness/harness.h"
#include "harness/limits.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gemp_device *device;

static const char source[] = "__kernel void add(__global uint *values, uint count, uint more)\n"
							 "{\n"
							 "	if (get_global_id(0) < count)\n"
							 "		values[get_global_id(0)] += more + EXTRA;\n"
							 "}\n"
							 "__kernel void reverse(__global uint *values, __local uint *mirror)\n"
							 "{\n"
							 "	uint lane = get_local_id(0), lanes = get_local_size(0);\n"
							 "	mirror[lane] = values[lane];\n"
							 "	barrier(CLK_LOCAL_MEM_FENCE);\n"
							 "	values[lane] = mirror[lanes - 1 - lane];\n"
							 "}\n";

/* Builds a program with the option and runs it: the kernel adds 5 + extra to the numbers 0 .. 99. Returns whether the
 * program came from the cache. */
static bool build_and_run(const char *option, uint32_t extra)
{
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer buffer;
	cl_uint values[100], count = 100, more = 5;
	for (cl_uint i = 0; i < 100; i++)
		values[i] = i;
	assert_ok(gemp_program_new(&program, device, source, option));
	assert_ok(gemp_kernel_new(&kernel, &program, "add"));
	assert_ok(gemp_buffer_new(&buffer, device, sizeof values, values));
	/* 100 is not a multiple of the group size 64. */
	assert_ok(gemp_launch(device, kernel, 100, 64, GEMP_ARG(&buffer.mem), GEMP_ARG(&count), GEMP_ARG(&more)));
	assert_ok(gemp_launch(device, kernel, 0, 64, GEMP_ARG(&buffer.mem), GEMP_ARG(&count), GEMP_ARG(&more)));
	assert_ok(gemp_buffer_read(device, &buffer, 0, sizeof values, values));
	for (cl_uint i = 0; i < 100; i++)
		assert_int_equal(values[i], i + 5 + extra);
	gemp_buffer_free(&buffer, device);
	clReleaseKernel(kernel);
	assert_ok(gemp_program_store(device, &program));
	bool cached = program.cached;
	gemp_program_free(&program);
	gemp_programs_release(device); /* without the programs in memory, the next call needs the cache on disk */
	return cached;
}

static void fresh_cache(const char *name)
{
	setenv("GEMP_CACHE_DIR", test_path(name), 1);
}

static size_t kept_programs(void)
{
	glob_t files;
	char pattern[1100];
	snprintf(pattern, sizeof pattern, "%s/program-*", getenv("GEMP_CACHE_DIR"));
	size_t count = glob(pattern, 0, NULL, &files) == 0 ? files.gl_pathc : 0;
	globfree(&files);
	return count;
}

/* Programs that the driver keeps are built again, and no binary is written. */
static void drivers_keep_programs(void **state)
{
	(void)state;
	fresh_cache("of the driver");
	TEST_LIMIT(program_binaries, 0);
	for (int i = 0; i < 2; i++)
		assert_false(build_and_run("-DEXTRA=4", 4));
	assert_int_equal(kept_programs(), 0);
	TEST_LIMIT(program_binaries, 1);
	assert_false(build_and_run("-DEXTRA=4", 4));
	assert_int_equal(kept_programs(), 1);
	TEST_LIMIT(program_binaries, 0); /* a binary that another process has kept is used */
	assert_true(build_and_run("-DEXTRA=4", 4));
	TEST_LIMIT(program_binaries, 1);
}

static void programs_are_cached(void **state)
{
	(void)state;
	fresh_cache("kept");
	assert_false(build_and_run("-DEXTRA=1", 1));
	assert_true(build_and_run("-DEXTRA=1", 1));
	assert_false(build_and_run("-DEXTRA=2", 2)); /* other options make another program */
	assert_true(build_and_run("-DEXTRA=2", 2));
	setenv("GEMP_CACHE_DIR", "", 1);
	assert_false(build_and_run("-DEXTRA=1", 1));
	assert_false(build_and_run("-DEXTRA=1", 1));
	assert_int_equal(gemp_memory_blocks(), 1); /* the one block is the device */
}

/* Runs a shell command on each program file of the cache; the command damages file $f. */
static void damage_cached_programs(const char *command)
{
	char line[2048];
	snprintf(line, sizeof line, "cd '%s' && for f in program-*; do %s; done", getenv("GEMP_CACHE_DIR"), command);
	assert_int_equal(system(line), 0);
}

static void damaged_programs_are_built_anew(void **state)
{
	(void)state;
	fresh_cache("spoilt");
	assert_false(build_and_run("-DEXTRA=1", 1));
	damage_cached_programs("head -c 1000 $f >t && mv t $f");
	assert_false(build_and_run("-DEXTRA=1", 1));
	assert_true(build_and_run("-DEXTRA=1", 1));
	damage_cached_programs(": >$f");
	assert_false(build_and_run("-DEXTRA=1", 1));
	damage_cached_programs("printf 'GEMPC01\\0nothing of ours' >$f");
	assert_false(build_and_run("-DEXTRA=1", 1));
	assert_true(build_and_run("-DEXTRA=1", 1));
}

/* A cache entry whose checksum is right, but which OpenCL does not accept, is built anew. Another version of a driver
 * may leave such an entry. */
static void foreign_programs_are_built_anew(void **state)
{
	glob_t files;
	char pattern[1100];
	(void)state;
	fresh_cache("foreign");
	assert_false(build_and_run("-DEXTRA=1", 1));
	snprintf(pattern, sizeof pattern, "%s/program-*", getenv("GEMP_CACHE_DIR"));
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	assert_int_equal(files.gl_pathc, 1);
	const char *name = strrchr(files.gl_pathv[0], '/') + 1;
	gemp_cache_store(name, "not a binary", 12);
	assert_false(build_and_run("-DEXTRA=1", 1));
	assert_true(build_and_run("-DEXTRA=1", 1));
	gemp_cache_store(name, "", 0);
	assert_false(build_and_run("-DEXTRA=1", 1));
	globfree(&files);
}

/* The programs that were asked for last stay in memory: building one of them again needs neither the compiler nor the
 * disk. A program that is asked for again and again outlives newer ones. */
static void latest_programs_stay_in_memory(void **state)
{
	gemp_program first, again, other;
	char option[32];
	(void)state;
	setenv("GEMP_CACHE_DIR", "", 1);
	assert_ok(gemp_program_new(&first, device, source, "-DEXTRA=3"));
	assert_ok(gemp_program_new(&again, device, source, "-DEXTRA=3"));
	assert_false(first.cached);
	assert_true(again.cached && again.program == first.program);
	gemp_program_free(&first);
	gemp_program_free(&again);
	for (int i = 0; i < GEMP_LOADED_PROGRAMS; i++) {
		snprintf(option, sizeof option, "-DNUMBER=%d", i);
		assert_ok(gemp_program_new(&other, device, "__kernel void f(void) { }", option));
		gemp_program_free(&other);
		assert_ok(gemp_program_new(&other, device, "__kernel void f(void) { }", "-DNUMBER=0"));
		assert_int_equal(other.cached, true);
		gemp_program_free(&other);
	}
	assert_ok(gemp_program_new(&again, device, source, "-DEXTRA=3"));
	assert_false(again.cached);
	gemp_program_free(&again);
	gemp_programs_release(device);
}

static void errors_say_what_and_where(void **state)
{
	gemp_program program;
	cl_kernel kernel;
	cl_uint one = 1;
	(void)state;
	assert_code(gemp_program_new(&program, device, "__kernel void f(int x) { x = nowhere; }", NULL), GEMP_EINTERNAL);
	assert_message("nowhere");
	assert_message(device->name);
	assert_ok(gemp_program_new(&program, device, source, "-DEXTRA=0"));
	assert_code(gemp_kernel_new(&kernel, &program, "subtract"), GEMP_EINTERNAL);
	assert_message("subtract");
	assert_message("CL_INVALID_KERNEL_NAME");
	assert_ok(gemp_kernel_new(&kernel, &program, "add"));
	assert_code(gemp_launch(device, kernel, 64, 64, GEMP_ARG(&one)), GEMP_EINTERNAL);
	assert_message("kernel add: argument 0: ");
	clReleaseKernel(kernel);
	gemp_program_free(&program);
	gemp_program_free(&program);
	assert_string_equal(gemp_cl_error_name(-12345), "unknown OpenCL error");
}

static void local_memory(void **state)
{
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer buffer;
	cl_uint values[16];
	(void)state;
	for (cl_uint i = 0; i < 16; i++)
		values[i] = i;
	assert_ok(gemp_program_new(&program, device, source, "-DEXTRA=0"));
	assert_ok(gemp_kernel_new(&kernel, &program, "reverse"));
	assert_ok(gemp_buffer_new(&buffer, device, sizeof values, values));
	assert_ok(gemp_launch(device, kernel, 16, 16, GEMP_ARG(&buffer.mem), GEMP_LOCAL(sizeof values)));
	assert_ok(gemp_buffer_read(device, &buffer, 0, sizeof values, values));
	for (cl_uint i = 0; i < 16; i++)
		assert_int_equal(values[i], 15 - i);
	gemp_buffer_free(&buffer, device);
	clReleaseKernel(kernel);
	gemp_program_free(&program);
}

static void buffers(void **state)
{
	gemp_buffer buffer, empty;
	uint8_t bytes[1000], got[1000];
	size_t held = device->buffer_bytes;
	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	assert_ok(gemp_buffer_new(&buffer, device, sizeof bytes, bytes));
	assert_ok(gemp_buffer_new(&empty, device, 0, NULL));
	assert_int_equal(device->buffer_bytes, held + sizeof bytes);
	assert_true(device->buffer_peak >= device->buffer_bytes);
	static const size_t ranges[][2] = {
		{ 0, 0 }, { 1, 1 }, { 3, 5 }, { 8, 16 }, { 999, 1 }, { 500, 500 }, { 1000, 0 }
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		size_t at = ranges[i][0], size = ranges[i][1];
		assert_ok(gemp_buffer_zero(device, &buffer, at, size));
		memset(bytes + at, 0, size);
		assert_ok(gemp_buffer_read(device, &buffer, 0, sizeof got, got));
		assert_memory_equal(got, bytes, sizeof got);
		memset(bytes + at, 0xee, size);
		assert_ok(gemp_buffer_write(device, &buffer, at, size, bytes + at));
		assert_ok(gemp_buffer_read(device, &buffer, at, size, got + at));
		assert_memory_equal(got + at, bytes + at, size);
	}
	gemp_buffer_free(&empty, device);
	gemp_buffer_free(&buffer, device);
	gemp_buffer_free(&buffer, device);
	assert_int_equal(device->buffer_bytes, held);
}

static void borrowed_buffers(void **state)
{
	static uint32_t words[4096];
	uint32_t got[4096];
	gemp_buffer buffer;
	(void)state;
	for (uint32_t i = 0; i < 4096; i++)
		words[i] = i * i;
	assert_ok(gemp_buffer_borrow(&buffer, device, sizeof words, words));
	assert_ok(gemp_buffer_read(device, &buffer, 0, sizeof got, got));
	assert_memory_equal(got, words, sizeof got);
	gemp_buffer_free(&buffer, device);
	assert_ok(gemp_buffer_borrow(&buffer, device, 0, NULL));
	gemp_buffer_free(&buffer, device);
}

static void too_much_is_out_of_memory(void **state)
{
	gemp_buffer buffer;
	size_t memory = device->memory;
	(void)state;
	assert_code(gemp_buffer_new(&buffer, device, device->max_buffer + 1, NULL), GEMP_ENOMEM);
	assert_message(device->name);
	assert_null(buffer.mem);
	device->memory = device->buffer_bytes + 100;
	assert_code(gemp_buffer_new(&buffer, device, 101, NULL), GEMP_ENOMEM);
	assert_message("device-memory");
	assert_ok(gemp_buffer_new(&buffer, device, 100, NULL));
	gemp_buffer_free(&buffer, device);
	device->memory = memory;
}

static int setup(void **state)
{
	(void)state;
	TEST_LIMIT(program_binaries, 1); /* the tests read and damage the binaries */
	assert_ok(gemp_device_open(&device, NULL, 0, 1, 0));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(device->buffer_bytes, 0);
	gemp_device_close(device);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drivers_keep_programs),
		cmocka_unit_test(programs_are_cached),
		cmocka_unit_test(damaged_programs_are_built_anew),
		cmocka_unit_test(foreign_programs_are_built_anew),
		cmocka_unit_test(latest_programs_stay_in_memory),
		cmocka_unit_test(errors_say_what_and_where),
		cmocka_unit_test(local_memory),
		cmocka_unit_test(buffers),
		cmocka_unit_test(borrowed_buffers),
		cmocka_unit_test(too_much_is_out_of_memory),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
