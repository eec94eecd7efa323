/* harness: what tests of one process share; collective.h adds what tests under several ranks need.
 *
 * Includes cmocka with the headers that it wants in front. A test file ends in
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

enum { TEST_SKIPPED = 77 }; /* exit code: return it from main before test_main where the test cannot run */

/* Run the tests, or those whose names match GEMP_TEST_FILTER (* and ? are wildcards); what main returns. */
#define test_main(tests) (test_filter(), cmocka_run_group_tests((tests), NULL, NULL))
void test_filter(void);

/* A folder of this process's own, made at the first call, removed with all in it at exit. */
const char *test_folder(void);

/* The path of `name` in test_folder(); valid until the eighth call after it. */
const char *test_path(const char *name);

/* Write a file in test_folder(); returns its path as test_path does. */
const char *test_file(const char *name, const char *text);

/* A seed for a property test: GEMP_TEST_SEED, else a new one; printed, so that a failure can be repeated. */
uint64_t test_seed(void);

/* The path of `name` in the folder of real graphs (GEMP_SHARED, by default ../shared beside the project), NULL if it is not
 * there; valid until the eighth call of test_path or test_shared after it. */
const char *test_shared(const char *name);

/* Does this succeed, and if not, what was the message? */
#define assert_ok(call) test_assert_code((call), GEMP_OK, #call, __FILE__, __LINE__)
#define assert_code(call, expected) test_assert_code((call), (expected), #call, __FILE__, __LINE__)
void test_assert_code(gemp_code code, gemp_code expected, const char *call, const char *file, int line);

/* The message of the last failure has this in it. */
#define assert_message(part) test_assert_message((part), __FILE__, __LINE__)
void test_assert_message(const char *part, const char *file, int line);

/* Run `step` again and again, with its first, second, ... request for memory failing, until it succeeds. Each failure must
 * be GEMP_ENOMEM and leave no block behind; a success must leave none either. step: GEMP_OK, or how it failed. */
#define assert_survives_no_memory(step, argument) test_no_memory((step), (argument), #step, __FILE__, __LINE__)
void test_no_memory(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line);

#endif
