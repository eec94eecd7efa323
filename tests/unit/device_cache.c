/* Tests the cache on disk: a reader gets a whole file or nothing, whatever the folder contains. */
#include "core/memory.h"
#include "device/cache.h"

#include "core/timer.h"
#include "harness/harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char content[] = "what a compiler made";

static char *use_folder(const char *name)
{
	static char folder[GEMP_CACHE_PATH];
	snprintf(folder, sizeof folder, "%s", test_path(name));
	setenv("GEMP_CACHE_DIR", folder, 1);
	return folder;
}

static bool holds(const char *name, const char *expected)
{
	void *bytes = NULL;
	size_t size = 0;
	if (!gemp_cache_load(name, &bytes, &size))
		return expected == NULL;
	bool same = expected && size == strlen(expected) && memcmp(bytes, expected, size) == 0;
	gemp_free(bytes);
	return same;
}

static void keeps_and_replaces(void **state)
{
	(void)state;
	use_folder("new/deep/folder");
	assert_true(holds("a", NULL));
	gemp_cache_store("a", content, strlen(content));
	assert_true(holds("a", content));
	gemp_cache_store("a", "other", 5);
	assert_true(holds("a", "other"));
	gemp_cache_store("empty", "", 0);
	assert_true(holds("empty", ""));
	assert_true(holds("b", NULL));
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A file with any byte changed or of any shorter length is refused. */
static void damaged_files_are_refused(void **state)
{
	char path[GEMP_CACHE_PATH + 8], file[256];
	(void)state;
	snprintf(path, sizeof path, "%s/a", use_folder("spoilt"));
	gemp_cache_store("a", content, strlen(content));
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t size = fread(file, 1, sizeof file, f);
	fclose(f);
	assert_in_range(size, strlen(content) + 1, sizeof file - 1);
	for (size_t i = 0; i < 2 * size; i++) {
		f = fopen(path, "wb");
		file[i % size] ^= 4;
		assert_int_equal(fwrite(file, 1, i < size ? size : i - size, f), i < size ? size : i - size);
		file[i % size] ^= 4;
		fclose(f);
		assert_true(holds("a", NULL));
	}
	f = fopen(path, "wb");
	assert_int_equal(fwrite(file, 1, size, f), size);
	fclose(f);
	assert_true(holds("a", content));
	char renamed[GEMP_CACHE_PATH + 8];
	snprintf(renamed, sizeof renamed, "%s/b", getenv("GEMP_CACHE_DIR"));
	assert_int_equal(rename(path, renamed), 0);
	assert_true(holds("b", NULL));
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void works_without_a_folder(void **state)
{
	char folder[GEMP_CACHE_PATH];
	(void)state;
	setenv("GEMP_CACHE_DIR", "", 1);
	assert_false(gemp_cache_folder(folder));
	gemp_cache_store("a", content, strlen(content));
	assert_true(holds("a", NULL));
	setenv("GEMP_CACHE_DIR", test_file("plain-file", "not a folder"), 1);
	assert_false(gemp_cache_folder(folder));
	gemp_cache_store("a", content, strlen(content));
	assert_true(holds("a", NULL));
	setenv("GEMP_CACHE_DIR", "/proc/nowhere", 1);
	assert_false(gemp_cache_folder(folder));
	bool waited = true;
	assert_int_equal(gemp_cache_lock("a", &waited), -1);
	assert_false(waited);
	gemp_cache_unlock(-1);
}

enum { MAKERS = 5 };

/* All makers need the same entry. The maker that gets the lock first makes the entry and adds a line to the file
 * "made". */
static void make_once(void)
{
	static const struct timespec work = { .tv_nsec = 50000000 };
	char path[GEMP_CACHE_PATH + 8];
	bool waited;
	int lock = gemp_cache_lock("a", &waited);
	if (holds("a", NULL)) {
		nanosleep(&work, NULL);
		snprintf(path, sizeof path, "%s/made", getenv("GEMP_CACHE_DIR"));
		FILE *file = fopen(path, "a");
		fputs("once\n", file);
		fclose(file);
		gemp_cache_store("a", content, strlen(content));
	}
	gemp_cache_unlock(lock);
	_exit(lock >= 0 && holds("a", content) ? 0 : 1);
}

static void one_process_makes_the_entry(void **state)
{
	char command[GEMP_CACHE_PATH + 64];
	(void)state;
	snprintf(command, sizeof command, "test \"$(cat %s/made)\" = once", use_folder("made"));
	for (int i = 0; i < MAKERS; i++)
		if (fork() == 0)
			make_once();
	for (int i = 0; i < MAKERS; i++) {
		int status = 1;
		wait(&status);
		assert_int_equal(status, 0);
	}
	assert_int_equal(system(command), 0);
}

/* The lock of a killed process is released. */
static void locks_end_with_their_process(void **state)
{
	int ready[2];
	char byte;
	bool waited;
	(void)state;
	use_folder("killed");
	assert_int_equal(pipe(ready), 0);
	pid_t maker = fork();
	if (maker == 0) {
		byte = gemp_cache_lock("a", &waited) >= 0 ? 'y' : 'n';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	double began = gemp_now();
	pid_t killer = fork();
	if (killer == 0) {
		/* long enough for the parent to wait for the lock, also on a busy machine */
		nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
		kill(maker, SIGKILL);
		_exit(0);
	}
	int lock = gemp_cache_lock("a", &waited);
	assert_true(lock >= 0);
	assert_true(gemp_now() - began > 0.05 && waited); /* the lock was waited for */
	gemp_cache_unlock(lock);
	close(ready[0]);
	close(ready[1]);
	waitpid(maker, NULL, 0);
	waitpid(killer, NULL, 0);
}

static void leaves_no_temporary_files(void **state)
{
	char command[GEMP_CACHE_PATH + 64];
	(void)state;
	snprintf(command, sizeof command, "test \"$(ls %s)\" = x", use_folder("tidy"));
	for (int i = 0; i < 3; i++)
		gemp_cache_store("x", content, strlen(content));
	assert_int_equal(system(command), 0);
}

static void finds_the_folder(void **state)
{
	char folder[GEMP_CACHE_PATH], expected[GEMP_CACHE_PATH];
	(void)state;
	unsetenv("GEMP_CACHE_DIR");
	setenv("XDG_CACHE_HOME", test_path("xdg"), 1);
	setenv("HOME", test_path("home"), 1);
	assert_true(gemp_cache_folder(folder));
	snprintf(expected, sizeof expected, "%s/gemp-mpi", test_path("xdg"));
	assert_string_equal(folder, expected);
	unsetenv("XDG_CACHE_HOME");
	assert_true(gemp_cache_folder(folder));
	snprintf(expected, sizeof expected, "%s/.cache/gemp-mpi", test_path("home"));
	assert_string_equal(folder, expected);
	unsetenv("HOME");
	assert_false(gemp_cache_folder(folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_and_replaces),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(works_without_a_folder),
		cmocka_unit_test(one_process_makes_the_entry),
		cmocka_unit_test(locks_end_with_their_process),
		cmocka_unit_test(leaves_no_temporary_files),
		cmocka_unit_test(finds_the_folder),
	};
	return test_main(tests);
}
