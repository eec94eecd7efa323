/* threads: compares gemp_parallel_for with `omp parallel for schedule(dynamic)` on small loops, in one process and in
 * several processes that share cores.
 *
 *     threads PROCESSES LOOPS CHUNKS STEPS
 *
 * Each process runs LOOPS loops of CHUNKS chunks; a chunk is STEPS dependent multiplications. The threads are as many
 * as the cores that the process may use. Between two loops one thread does the work of one chunk, as between the phases
 * of a level-synchronous search. Prints for both the mean microseconds per loop of the slowest process. */
#include "core/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct workload {
	size_t loops, chunks, steps;
	uint64_t *results; /* [chunks] */
} workload;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_chunk(void *context, unsigned thread, size_t chunk)
{
	(void)thread;
	const workload *w = context;
	uint64_t x = w->results[chunk] + chunk;
	for (size_t i = 0; i < w->steps; i++)
		x = x * UINT64_C(6364136223846793005) + 1;
	w->results[chunk] = x;
}

static void run_ours(workload *w)
{
	gemp_parallel_for(w->chunks, run_chunk, w);
}

static void run_openmp(workload *w)
{
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t chunk = 0; chunk < w->chunks; chunk++)
		run_chunk(w, 0, chunk);
}

static double seconds_of(void (*run)(workload *), workload *w)
{
	run(w); /* the first loop creates the threads */
	double begin = now();
	for (size_t i = 0; i < w->loops; i++) {
		run(w);
		run_chunk(w, 0, 0);
	}
	return now() - begin;
}

/* Starts `processes` children together and returns the longest time of a child. */
static double slowest(int processes, void (*run)(workload *), workload *w)
{
	size_t size = (size_t)processes * sizeof(double);
	double *seconds = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), longest = 0;
	if (seconds == MAP_FAILED)
		exit(1);
	for (int p = 0; p < processes; p++)
		if (fork() == 0) {
			seconds[p] = seconds_of(run, w);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int p = 0; p < processes; p++)
		longest = seconds[p] > longest ? seconds[p] : longest;
	munmap(seconds, size);
	return longest;
}

int main(int count, char **arguments)
{
	if (count != 5)
		return fprintf(stderr, "usage: threads PROCESSES LOOPS CHUNKS STEPS\n"), 2;
	int processes = atoi(arguments[1]);
	workload w = { strtoul(arguments[2], NULL, 10), strtoul(arguments[3], NULL, 10), strtoul(arguments[4], NULL, 10),
		           NULL };
	w.results = calloc(w.chunks + 1, sizeof *w.results);
	if (!w.results || processes < 1 || w.loops == 0)
		return 2;
	double ours = slowest(processes, run_ours, &w), openmp = slowest(processes, run_openmp, &w);
	printf("%d processes of %u threads, %zu chunks of %zu steps: gemp_parallel_for %.2f us, OpenMP %.2f us a loop\n",
	       processes, gemp_threads(), w.chunks, w.steps, 1e6 * ours / (double)w.loops, 1e6 * openmp / (double)w.loops);
	free(w.results);
	return 0;
}
