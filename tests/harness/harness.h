/* harness: shared parts of tests of one process. collective.h adds the parts for tests under several ranks.
 *
 * It includes cmocka after the headers that cmocka needs. A test file ends in
 *     int main(void) { const struct CMUnitTest tests[] = { cmocka_unit_test(...) }; return test_main(tests); } */
#ifndef GEMP_TESTS_HARNESS_H
#define GEMP_TESTS_HARNESS_H

#include "core/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TEST_SKIPPED = 77 }; /* Exit code of a skipped test. main returns this code before it calls test_main. */

/* Runs all tests, or the tests whose names match GEMP_TEST_FILTER (* and ? are wildcards). Returns the exit code for
 * main. */
#define test_main(tests) (test_filter(), cmocka_run_group_tests((tests), NULL, NULL))
void test_filter(void);

/* Returns the folder of this process. The folder is made at the first call and removed with its content at exit. */
const char *test_folder(void);

/* Returns the path of `name` in test_folder(). The text is valid until the eighth call of test_path or test_shared
 * after this call. */
const char *test_path(const char *name);

/* Writes a file in test_folder(). Returns its path, as test_path does. */
const char *test_file(const char *name, const char *text);

/* Returns the seed of a property test: GEMP_TEST_SEED, or a new seed. The seed is printed, so a failure can be
 * repeated. */
uint64_t test_seed(void);

/* Returns the path of `name` in the folder of real graphs (GEMP_SHARED, by default ../shared beside the project), or
 * NULL if there is no such file. The text is valid until the eighth call of test_path or test_shared after this
 * call. */
const char *test_shared(const char *name);

/* The call must return this code. Otherwise the message of its failure is printed. */
#define assert_ok(call) test_assert_code((call), GEMP_OK, #call, __FILE__, __LINE__)
#define assert_code(call, expected) test_assert_code((call), (expected), #call, __FILE__, __LINE__)
void test_assert_code(gemp_code code, gemp_code expected, const char *call, const char *file, int line);

/* The message of the last failure must contain this text. */
#define assert_message(part) test_assert_message((part), __FILE__, __LINE__)
void test_assert_message(const char *part, const char *file, int line);

/* Runs `step` again and again until it succeeds, while one allocation after another fails (harness/requests.h). A
 * failed step must return GEMP_ENOMEM, a successful step GEMP_OK, and no step may leave a block of memory. */
#define assert_survives_no_memory(step, argument) test_no_memory((step), (argument), #step, __FILE__, __LINE__)
void test_no_memory(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line);

#endif
