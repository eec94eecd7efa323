/* A table of call stacks, by open addressing, with the number of requests that each has made. */
#include "harness/requests.h"

#include "core/memory.h"
#include "core/random.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The innermost two frames are choose and gemp_calloc or gemp_realloc. */
enum { FRAMES = 2 + 6, STACKS = 1 << 16 };

/* Threads of a loop request memory at the same time, so the mutex guards everything. */
static struct {
	pthread_mutex_t mutex;
	uint64_t hash[STACKS]; /* 0: the entry is free */
	uint32_t requests[STACKS];
	size_t stacks;
	uint64_t seed;
	unsigned part, parts;
	long position; /* number of requests of this run that have been looked at or passed */
	bool failing, every;
} seen = { .mutex = PTHREAD_MUTEX_INITIALIZER, .parts = 1 };

/* The linker puts these at the two ends of the program's code. */
extern const char __executable_start[], etext[];

/* Ranks load the program and its libraries at different addresses. So that all ranks give a call stack the same hash,
 * the hash is of distances from the start of the program, and frames of libraries count as one place. */
static uint64_t hash_callers(void *const *frames, size_t depth)
{
	const uintptr_t start = (uintptr_t)__executable_start, size = (uintptr_t)etext - start;
	uint64_t distance[FRAMES];
	for (size_t i = 0; i < depth; i++) {
		distance[i] = (uintptr_t)frames[i] - start;
		if (distance[i] > size)
			distance[i] = UINT64_MAX;
	}
	return gemp_hash(distance, depth * sizeof *distance, seen.seed) | 1;
}

/* Counts a request of this call stack. Returns the number of its requests so far. */
static uint32_t count_request(uint64_t hash)
{
	size_t at = (hash >> 1) % STACKS;
	while (seen.hash[at] != 0 && seen.hash[at] != hash)
		at = (at + 1) % STACKS;
	if (seen.hash[at] == 0 && ++seen.stacks == STACKS) {
		fprintf(stderr, "requests.c: more than %d call stacks; enlarge STACKS\n", STACKS - 1);
		abort();
	}
	seen.hash[at] = hash;
	return ++seen.requests[at];
}

/* The 1st, 4th, 16th, ... request of a call stack go to one part after the other. */
static bool is_of_part(uint64_t hash, uint32_t number)
{
	unsigned zeros = (unsigned)__builtin_ctz(number);
	return number == 1U << zeros && zeros % 2 == 0 && ((hash >> 32) + zeros / 2) % seen.parts == seen.part;
}

static bool choose(void)
{
	void *frames[FRAMES];
	size_t depth = (size_t)backtrace(frames, FRAMES);
	pthread_mutex_lock(&seen.mutex);
	if (!seen.failing) {
		uint64_t hash = hash_callers(frames, depth);
		seen.failing = is_of_part(hash, count_request(hash)) || seen.every;
		seen.position++;
	}
	bool failing = seen.failing;
	pthread_mutex_unlock(&seen.mutex);
	return failing;
}

void test_requests_forget(unsigned part, unsigned parts)
{
	const char *seed = getenv("GEMP_TEST_SEED");
	memset(seen.hash, 0, sizeof seen.hash);
	memset(seen.requests, 0, sizeof seen.requests);
	seen.stacks = 0;
	seen.seed = seed ? strtoull(seed, NULL, 0) : 0;
	seen.part = part;
	seen.parts = parts;
	seen.every = getenv("GEMP_TEST_EVERY_REQUEST") != NULL;
}

void test_requests_fail_from(long passed)
{
	seen.failing = false;
	seen.position = passed;
	gemp_memory_choose(choose);
	gemp_memory_fail_after(passed);
}

long test_requests_succeed(void)
{
	gemp_memory_fail_after(-1);
	gemp_memory_choose(NULL);
	return seen.position;
}
