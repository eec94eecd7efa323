/* gas_traverse: measures searches from at most 64 sources of a generated graph. Prints the medians of milliseconds and
 * of edges per second. Uses one rank and one device. The graph has 2^SCALE vertices and 16 times as many edges.
 *
 *     bench_gas_traverse [kron|unif] [SCALE] [bfs|sssp] [SOURCES] [KEY=VALUE ... [/ KEY=VALUE ...]]
 *
 * Each list of values after a / starts another measurement of the same sources with these values. Keys: alpha, beta,
 * direction, delta, any, pass and naming (options of bfs and sssp); slice, piece, alone (lane_max), chunk, batch,
 * items, group and groups (fields of gemp_frontier_shape); trace=1 prints launches. `greatest` is read from the first
 * list only: weights are 1 to greatest + 1. */
#include "gas_made.h"

#include "analytics/layout/layout.h"
#include "analytics/traversal/bfs.h"
#include "analytics/traversal/frontier.h"
#include "analytics/traversal/sssp.h"
#include "core/status.h"
#include "core/timer.h"
#include "core/types.h"
#include "device/device.h"
#include "device/open.h"

#include <stdio.h>
#include <sys/resource.h>

static int first, arguments; /* the range of arguments with the values of the current measurement */
static char **argument;

static uint64_t option(const char *name, uint64_t otherwise)
{
	size_t length = strlen(name);
	for (int i = first; i < arguments && strcmp(argument[i], "/") != 0; i++)
		if (strncmp(argument[i], name, length) == 0 && argument[i][length] == '=')
			return strtoull(argument[i] + length + 1, NULL, 10);
	return otherwise;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare);
	return count ? values[count / 2] : 0;
}

/* The processor time that all threads of this process have used, in seconds. */
static double busy_seconds(void)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

typedef struct timings {
	double device[64], wall[64], settle[64], download[64], by_device[64], by_wall[64];
	size_t count;
	double busy; /* processor time of all searches, including the host's work after the kernels */
} timings;

static void take(timings *t, const gemp_traversal_cost *cost, uint64_t edges)
{
	size_t i = t->count++;
	t->device[i] = 1e3 * cost->device;
	t->wall[i] = 1e3 * cost->wall;
	t->settle[i] = 1e3 * cost->parents;
	t->download[i] = 1e3 * cost->download;
	t->by_device[i] = 1e-9 * (double)edges / cost->device;
	t->by_wall[i] = 1e-9 * (double)edges / cost->wall;
}

static void print(const char *name, timings *t)
{
	printf("%s: busy %.3f ms; device %.3f ms %.1f GTEPS; wall %.3f ms %.1f GTEPS; settle %.3f ms, download %.3f ms "
	       "(medians of %zu)\n",
	       name, 1e3 * t->busy / (double)t->count, median(t->device, t->count), median(t->by_device, t->count),
	       median(t->wall, t->count), median(t->by_wall, t->count), median(t->settle, t->count),
	       median(t->download, t->count), t->count);
}

static int fail(void)
{
	fprintf(stderr, "gas_traverse: %s\n", gemp_message());
	return 1;
}

static gemp_frontier_shape shape(void)
{
	return (gemp_frontier_shape){ option("groups", 0) != 0,     (uint32_t)option("slice", 0),
		                          (uint32_t)option("piece", 0), (uint32_t)option("alone", 0),
		                          (uint32_t)option("chunk", 0), (uint32_t)option("batch", 0),
		                          (uint32_t)option("items", 0), (uint32_t)option("group", 0) };
}

/* Draws a source that has edges. */
static gemp_vertex next_source(const gas_case *c, uint64_t *seed)
{
	for (;;) {
		uint32_t v = (uint32_t)gemp_random_below(seed, c->layout.vertices);
		if (c->layout.out_degree[c->layout.local[v]])
			return v;
	}
}

static int run_bfs(const gas_case *c, gemp_device *device, size_t sources)
{
	const gemp_bfs_options options = { .any = option("any", 1) != 0,
		                               .direction = (gemp_bfs_direction)option("direction", 0),
		                               .alpha = (uint32_t)option("alpha", 0),
		                               .beta = (uint32_t)option("beta", 0),
		                               .pass = (gemp_frontier_pass)option("pass", 0),
		                               .shape = shape() };
	gemp_bfs *bfs;
	gemp_bfs_result r;
	timings t = { 0 };
	uint64_t seed = 27;
	double build;
	if (gemp_bfs_new(&bfs, &c->layout, device, &options) != GEMP_OK)
		return fail();
	double prepared = gemp_bfs_prepare_seconds(bfs, &build);
	printf("prepared in %.3f s, built in %.3f s\n", prepared, build);
	for (size_t i = 0; i <= sources; i++) {
		double since = busy_seconds();
		if (gemp_bfs_run(bfs, next_source(c, &seed), &r) != GEMP_OK)
			return fail();
		uint64_t edges = c->layout.symmetric ? r.cost.edges / 2 : r.cost.edges;
		t.busy += i ? busy_seconds() - since : 0;
		if (i && t.count < 64)
			take(&t, &r.cost, edges);
		if (i < 3)
			printf("  reached %llu depth %u pushes %llu pulls %llu edges %llu\n", (unsigned long long)r.reached,
			       r.depth, (unsigned long long)r.pushes, (unsigned long long)r.pulls, (unsigned long long)edges);
	}
	print("bfs", &t);
	gemp_bfs_free(bfs);
	return 0;
}

static int run_sssp(const gas_case *c, gemp_device *device, size_t sources)
{
	const gemp_sssp_options options = { .delta = (double)option("delta", 0),
		                                .any = option("any", 1) != 0,
		                                .naming = (gemp_sssp_naming)option("naming", 0),
		                                .pass = (gemp_frontier_pass)option("pass", 0),
		                                .shape = shape() };
	gemp_sssp *sssp;
	gemp_sssp_result r;
	timings t = { 0 };
	uint64_t seed = 27;
	double build;
	if (gemp_sssp_new(&sssp, &c->layout, device, &options) != GEMP_OK)
		return fail();
	double prepared = gemp_sssp_prepare_seconds(sssp, &build);
	printf("prepared in %.3f s, built in %.3f s\n", prepared, build);
	for (size_t i = 0; i <= sources; i++) {
		double since = busy_seconds();
		if (gemp_sssp_run(sssp, next_source(c, &seed), &r) != GEMP_OK)
			return fail();
		t.busy += i ? busy_seconds() - since : 0;
		if (i && t.count < 64)
			take(&t, &r.cost, r.reached_edges);
		if (i < 3)
			printf("  reached %llu rounds %llu relaxed %.2f times the edges\n", (unsigned long long)r.reached,
			       (unsigned long long)r.cost.rounds, (double)r.cost.edges / (double)r.reached_edges);
	}
	print("sssp", &t);
	gemp_sssp_free(sssp);
	return 0;
}

/* Prints the launches of the last search, at most 100, in microseconds. */
static void print_launches(void)
{
	const gemp_trace *trace = gemp_trace_end();
	size_t last = 0;
	for (size_t i = 0; i < trace->count; i++)
		if (strstr(trace->names[trace->spans[i].name], "_begin"))
			last = i;
	for (size_t i = last; i < trace->count && i < last + 100; i++)
		printf(" %s %.1f", trace->names[trace->spans[i].name],
		       1e-3 * (double)(trace->spans[i].end - trace->spans[i].begin));
	printf("\n");
	gemp_trace_free();
}

static int search(const gas_case *c, bool sssp, size_t sources)
{
	gemp_device *device;
	if (option("trace", 0))
		gemp_trace_start(100000);
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return fail();
	for (int i = first; i < arguments && strcmp(argument[i], "/") != 0; i++)
		printf("%s ", argument[i]);
	int status = sssp ? run_sssp(c, device, sources) : run_bfs(c, device, sources);
	gemp_device_close(device);
	if (option("trace", 0))
		print_launches();
	return status;
}

int main(int argc, char **argv)
{
	gas_case c;
	int status = 0;
	arguments = argc;
	argument = argv;
	MPI_Init(&argc, &argv);
	const bool uniform = argc > 1 && strcmp(argv[1], "unif") == 0, sssp = argc > 3 && strcmp(argv[3], "sssp") == 0;
	unsigned scale = argc > 2 ? (unsigned)atoi(argv[2]) : 16;
	size_t sources = argc > 4 ? (size_t)atoi(argv[4]) : 10, edges = (size_t)16 << scale;
	first = 5;
	uint64_t greatest = option("greatest", 254);
	gas_edges e = uniform ? gas_uniform(1u << scale, edges, false, greatest, 5)
	                      : gas_kronecker(scale, edges, false, greatest, 5);
	for (size_t i = 0; i < edges; i++)
		e.weight[i]++;
	gas_case_make(&c, MPI_COMM_SELF, e,
	              sssp ? greatest < 255 ? GEMP_LAYOUT_U8 : GEMP_LAYOUT_U32 : GEMP_LAYOUT_UNWEIGHTED);
	printf("%s %u: %llu stored edges\n", uniform ? "uniform" : "kronecker", scale, (unsigned long long)c.layout.edges);
	do {
		status = search(&c, sssp, sources);
		while (first < argc && strcmp(argv[first], "/") != 0)
			first++;
	} while (!status && first++ < argc);
	gas_case_free(&c);
	MPI_Finalize();
	return status;
}
