/* requests: chooses the requests for memory that fail in tests of missing memory.
 *
 * Such a test runs its step once for each request that it lets fail, on one rank at a time. Most requests of a step
 * come from loops, and from functions that many callers share. Their failures differ only in what has been built
 * before. Of the requests with the same six innermost callers, the 1st, 4th, 16th, ... are therefore chosen, and each
 * of these for one of the ranks. The rank depends on the callers and on GEMP_TEST_SEED, which is another one for each
 * commit. All requests are chosen, for every rank, if the environment has GEMP_TEST_EVERY_REQUEST (`jobs/test.sh
 * --full`). mpi/api_query makes 2,400 requests on each of three ranks, and 42 s of its 43 s went into failures of all
 * of them (two cores, 2026-11-28). */
#ifndef GEMP_TESTS_REQUESTS_H
#define GEMP_TESTS_REQUESTS_H

/* Forgets all call stacks: the next run is the first run of a step. This process fails the requests of one of `parts`
 * parts. */
void test_requests_forget(unsigned part, unsigned parts);

/* Lets a chosen request fail, and all requests after it. The first `passed` requests succeed without being looked
 * at. */
void test_requests_fail_from(long passed);

/* Lets all requests succeed again. Returns the argument of the next test_requests_fail_from: the number of requests
 * that have been looked at so far. */
long test_requests_succeed(void);

#endif
