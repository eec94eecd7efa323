/* Shared parts of all C tests: the main function, temporary folders and files, seeds, and asserts. */
#include "harness/harness.h"
#include "core/memory.h"
#include "harness/requests.h"

#include "core/random.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void test_filter(void)
{
	const char *pattern = getenv("GEMP_TEST_FILTER");
	if (pattern)
		cmocka_set_test_filter(pattern);
}

static char folder[PATH_MAX / 2];
static pid_t folder_of;

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status, (void)kind, (void)place;
	return remove(path);
}

static void remove_folder(void)
{
	if (getpid() == folder_of) /* a forked child must not remove the folder */
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_folder(void)
{
	if (folder[0])
		return folder;
	const char *parent = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/gemp-test-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(folder)) {
		fprintf(stderr, "%s: %s\n", folder, strerror(errno));
		exit(EXIT_FAILURE);
	}
	folder_of = getpid();
	atexit(remove_folder);
	return folder;
}

static const char *join(const char *parent, const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", parent, name);
	return path;
}

const char *test_path(const char *name)
{
	return join(test_folder(), name);
}

const char *test_file(const char *name, const char *text)
{
	const char *path = test_path(name);
	FILE *file = fopen(path, "w");
	if (!file || fputs(text, file) == EOF || fclose(file) != 0)
		fail_msg("%s: %s", path, strerror(errno));
	return path;
}

uint64_t test_seed(void)
{
	const char *wanted = getenv("GEMP_TEST_SEED");
	uint64_t seed = wanted ? strtoull(wanted, NULL, 0) : gemp_mix((uint64_t)time(NULL) ^ (uint64_t)getpid() << 32);
	printf("seed %" PRIu64 " (GEMP_TEST_SEED=%" PRIu64 " repeats this)\n", seed, seed);
	return seed;
}

const char *test_shared(const char *name)
{
	const char *parent = getenv("GEMP_SHARED");
	const char *path = join(parent && *parent ? parent : GEMP_SHARED_DEFAULT, name);
	return access(path, R_OK) == 0 ? path : NULL;
}

void test_assert_code(gemp_code code, gemp_code expected, const char *call, const char *file, int line)
{
	if (code == expected)
		return;
	print_error("%s gave code %d (%s), not %d\n", call, (int)code, code == GEMP_OK ? "success" : gemp_message(),
	            (int)expected);
	_fail(file, line);
}

void test_assert_message(const char *part, const char *file, int line)
{
	if (strstr(gemp_message(), part))
		return;
	print_error("the message \"%s\" has no \"%s\"\n", gemp_message(), part);
	_fail(file, line);
}

void test_no_memory(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line)
{
	size_t before = gemp_memory_blocks();
	gemp_code code = GEMP_ENOMEM;
	test_requests_forget(0, 1);
	for (long next = 0; code != GEMP_OK;) {
		test_requests_fail_from(next);
		code = step(argument);
		next = test_requests_succeed();
		size_t left = gemp_memory_blocks() - before;
		if (left == 0 && (code == GEMP_OK || code == GEMP_ENOMEM))
			continue;
		print_error("%s, with request %ld for memory refused: code %d, %zu blocks left\n", name, next - 1, (int)code,
		            left);
		_fail(file, line);
	}
}
