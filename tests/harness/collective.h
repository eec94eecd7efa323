/* collective: asserts for tests under several ranks.
 *
 * If a cmocka assert fails on one rank only, the other ranks wait forever in their next collective call. The asserts
 * below first gather the results of all ranks. All ranks then fail together at the same line, and the rank with the
 * failure prints a message. Use plain cmocka asserts only on values that are equal on all ranks. A test file ends in
 *     int main(int argc, char **argv) { const struct CMUnitTest tests[] = {...}; return test_main_all(argc, argv,
 * tests); } */
#ifndef GEMP_TESTS_COLLECTIVE_H
#define GEMP_TESTS_COLLECTIVE_H

#include "comm/comm.h"
#include "core/status.h"
#include "harness/harness.h"

/* The communicator of all ranks of the test. test_main_all sets it. */
extern gemp_comm test_comm;

/* Collective. Runs the tests from the start of MPI (unless main has started it) to its end. Ranks other than 0 drop
 * their stdout but keep their stderr. All ranks return the worst result of a rank. */
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

/* Collective. Returns a path in the folder of rank 0. All ranks must be on one machine. */
const char *test_path_all(const char *name);

/* Collective. Returns the seed of rank 0 on every rank. */
uint64_t test_seed_all(void);

/* Collective. Like assert_survives_no_memory, for a collective step. One allocation after another fails
 * (harness/requests.h) on one rank at a time: on the first, a middle and the last rank. Every rank must then return
 * GEMP_ENOMEM, no rank may hang, and no rank may keep a block. */
#define assert_all_survive_no_memory(step, argument) test_no_memory_all((step), (argument), #step, __FILE__, __LINE__)
void test_no_memory_all(gemp_code (*step)(void *), void *argument, const char *name, const char *file, int line);

#endif
