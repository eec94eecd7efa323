/* collective: asserts for tests under several ranks.
 *
 * A cmocka assert that fails on one rank leaves the others waiting in their next collective call. The asserts below first
 * gather the result of all ranks, so all ranks fail together at the same line, and the rank that failed prints a message. Use plain
 * cmocka asserts only on values that are equal on all ranks. A test file ends in
 *     int main(int argc, char **argv) { const struct CMUnitTest tests[] = {...}; return test_main_all(argc, argv, tests); }
 */
#ifndef GEMP_TESTS_COLLECTIVE_H
#define GEMP_TESTS_COLLECTIVE_H

#include "comm/comm.h"
#include "core/status.h"
#include "harness/harness.h"

/* All ranks of the test; test_main_all sets it. */
extern gemp_comm test_comm;

/* Collective. From the start of MPI (unless main has started it) to its end. The stdout, but not the stderr, of other
 * ranks is dropped; all return the worst result. */
#define test_main_all(argc, argv, tests) \
	test_run_all(&(argc), &(argv), #tests, (tests), sizeof(tests) / sizeof(tests)[0])
int test_run_all(int *argc, char ***argv, const char *name, const struct CMUnitTest *tests, size_t count);

/* Collective. The condition must be true on every rank. */
#define assert_all(condition) test_assert_all((condition), #condition, __FILE__, __LINE__)
void test_assert_all(bool condition, const char *text, const char *file, int line);

/* Collective. The call must return this code on every rank. */
#define assert_all_ok(call) test_assert_all_code((call), GEMP_OK, #call, __FILE__, __LINE__)
#define assert_all_code(call, expected) test_assert_all_code((call), (expected), #call, __FILE__, __LINE__)
void test_assert_all_code(gemp_code code, gemp_code expected, const char *call, const char *file, int line);

/* Collective. The folder of rank 0, and a path in it; all ranks must be on one machine. */
const char *test_path_all(const char *name);

/* Collective. The seed of rank 0, on every rank. */
uint64_t test_seed_all(void);

/* Collective. Like assert_survives_no_memory for a collective step: on each of up to three ranks, the first and the
 * last included, its first, second, ... request for memory fails. Every rank must then return GEMP_ENOMEM, none may
 * hang, and no rank may keep a block. */
#define assert_all_survive_no_memory(step, argument) test_no_memory_all((step), (argument), #step, __FILE__, __LINE__)
void test_no_memory_all(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line);

#endif
