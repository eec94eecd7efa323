/* Tests what a node and its control groups have left, and that a block is refused that the node has no room for. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/node_memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Makes a file, and the folder of it, in the test's folder. */
static void put(const char *folder, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	mkdir(test_path(folder), 0700);
	test_file(path, text);
}

static uint64_t left(const char *groups)
{
	char file[512], mount[512];
	snprintf(file, sizeof file, "%s", test_file("groups", groups));
	snprintf(mount, sizeof mount, "%s", test_folder());
	return gemp_cgroup_left(file, mount);
}

static void groups_of_version_2(void **state)
{
	(void)state;
	assert_true(left("0::/job/step\n") == UINT64_MAX); /* there are no such groups */
	put("job", "memory.max", "max\n");
	put("job", "memory.current", "5000\n");
	put("job/step", "memory.max", "3000\n");
	put("job/step", "memory.current", "1200\n");
	assert_int_equal(left("0::/job/step\n"), 1800);
	assert_true(left("0::/job\n") == UINT64_MAX);
	put("job/step", "memory.stat", "anon 100\ninactive_file 200\nactive_file 300\n");
	assert_int_equal(left("1:cpu:/x\n0::/job/step\n"), 2000);
	put("job", "memory.max", "5500\n"); /* less than what the step has */
	assert_int_equal(left("0::/job/step\n"), 500);
	put("job", "memory.max", "4000\n"); /* less than what is used */
	assert_int_equal(left("0::/job/step\n"), 0);
	assert_true(left("") == UINT64_MAX);
	assert_true(left("nonsense\n:\n0:\n") == UINT64_MAX);
}

static void groups_of_version_1(void **state)
{
	(void)state;
	put("memory", "memory.limit_in_bytes", "9223372036854771712\n");
	put("memory", "memory.usage_in_bytes", "5000\n");
	put("memory/slurm", "memory.limit_in_bytes", "7000\n");
	put("memory/slurm", "memory.usage_in_bytes", "4000\n");
	assert_int_equal(left("12:cpuset:/a\n4:memory:/slurm\n"), 3000);
	assert_int_equal(left("4:memory:/\n"), 9223372036854771712u - 5000);
	assert_true(left("4:memoryx:/slurm\n") == UINT64_MAX);
}

static void blocks_beyond_the_node_are_refused(void **state)
{
	(void)state;
	const uint64_t available = gemp_memory_available();
	const size_t resident = gemp_memory_resident(), small = 1 << 20, large = (size_t)100 << 20;
	assert_true(available > 0 && available < UINT64_MAX && resident > 0);
	assert_true(gemp_node_has_room(SIZE_MAX, small));
	assert_true(gemp_node_has_room(0, large));
	assert_false(gemp_node_has_room(0, (size_t)available * 2));
	assert_false(gemp_node_has_room(resident + (size_t)available * 2, large)); /* granted, and not touched */
	assert_true(gemp_node_has_room(resident + (size_t)available / 8, large));
	gemp_memory_share_node(32);
	assert_false(gemp_node_has_room(resident + (size_t)available / 8, large));
	gemp_memory_share_node(1);
	assert_null(gemp_calloc((size_t)available, 2));
	assert_message("were asked for in one block, and the node has");
	void *block = gemp_calloc(large, 1);
	assert_non_null(block);
	assert_null(gemp_realloc(block, (size_t)available, 2));
	gemp_free(block);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_of_version_2),
		cmocka_unit_test(groups_of_version_1),
		cmocka_unit_test(blocks_beyond_the_node_are_refused),
	};
	return test_main(tests);
}
