/* harness: shared parts of tests of one process; collective.h adds what tests under several ranks need.
 *
 * It includes cmocka after the headers that cmocka needs. A test file ends in
 *     int main(void) { const struct CMUnitTest tests[] = { cmocka_unit_test(...) }; return test_main(tests); }
 */
#ifndef GEMP_TESTS_HARNESS_H
#define GEMP_TESTS_HARNESS_H

#include "core/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TEST_SKIPPED = 77 }; /* exit code of a skipped test; main returns it before test_main */

/* Runs the tests, or those whose names match GEMP_TEST_FILTER (* and ? are wildcards); returns the exit code for
 * main. */
#define test_main(tests) (test_filter(), cmocka_run_group_tests((tests), NULL, NULL))
void test_filter(void);

/* A folder of this process, made at the first call and removed with its content at exit. */
const char *test_folder(void);

/* The path of `name` in test_folder(); valid until the eighth call after it. */
const char *test_path(const char *name);

/* Writes a file in test_folder(); returns its path as test_path does. */
const char *test_file(const char *name, const char *text);

/* The seed of a property test: GEMP_TEST_SEED, or else a new one; printed, so a failure can be repeated. */
uint64_t test_seed(void);

/* The path of `name` in the folder of real graphs (GEMP_SHARED, by default ../shared beside the project), NULL if it
 * does not exist; valid until the eighth call of test_path or test_shared after it. */
const char *test_shared(const char *name);

/* The call must return this code; otherwise the message of the failure is printed. */
#define assert_ok(call) test_assert_code((call), GEMP_OK, #call, __FILE__, __LINE__)
#define assert_code(call, expected) test_assert_code((call), (expected), #call, __FILE__, __LINE__)
void test_assert_code(gemp_code code, gemp_code expected, const char *call, const char *file, int line);

/* The message of the last failure must contain this text. */
#define assert_message(part) test_assert_message((part), __FILE__, __LINE__)
void test_assert_message(const char *part, const char *file, int line);

/* Runs `step` repeatedly; its first, second, ... request for memory fails, until it succeeds. Each failure must be
 * GEMP_ENOMEM and leave no block, and so must the success leave none. step: returns GEMP_OK or the code of its
 * failure. */
#define assert_survives_no_memory(step, argument) test_no_memory((step), (argument), #step, __FILE__, __LINE__)
void test_no_memory(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line);

#endif
