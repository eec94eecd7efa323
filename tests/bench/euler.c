/* euler: measures the Euler engines on a graph of one shape, on one rank. The graph is made in memory with vertices in
 * their natural order. The circuits of the first and the last run are verified.
 *     euler deep|shallow|random VERTICES EDGES [REPEAT [device|ranks [SPACING]]]
 * One more run than REPEAT (3) is made; the first one warms up. Prints one line of JSON about the run whose stages take
 * the least time: milliseconds of each stage, by the device's clock (`device`) or the host's clock (`ranks`), and of
 * the whole run with upload and download. For `device` each stage also has a bandwidth relative to a copy: the least
 * bytes that the stage has to move, divided by the bytes that the device copies in the same time. */
#include "euler/euler.h"
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/types.h"
#include "device/device.h"
#include "device/open.h"
#include "euler/device_engine.h"
#include "euler/ranks/ranks_engine.h"
#include "euler/verify.h"
#include "generate/generate.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16 };

typedef struct rows {
	uint64_t *begin, bounds[2];
	gemp_vertex *target;
} rows;

/* All edges. The vertices are divided into `ranges` ranges, and each range is written to the rows by one call of
 * file_range, so the rows are the same with any number of threads. placing: false while edges are counted, then
 * true. */
typedef struct filing {
	const gemp_eulerian *graph;
	rows *rows;
	gemp_vertex *source, *target; /* [edges] */
	atomic_bool failed;
	size_t ranges;
	bool placing;
} filing;

static void make_batch(void *context, unsigned thread, size_t batch)
{
	(void)thread;
	filing *f = context;
	uint64_t first = (uint64_t)batch * BATCH, left = f->graph->edges - first;
	size_t count = left < BATCH ? (size_t)left : BATCH;
	uint64_t(*ends)[2] = gemp_calloc(count, sizeof *ends);
	if (!ends) {
		f->failed = true;
		return;
	}
	gemp_eulerian_edges(f->graph, first, count, ends);
	for (size_t i = 0; i < count; i++) {
		f->source[first + i] = (gemp_vertex)ends[i][0];
		f->target[first + i] = (gemp_vertex)ends[i][1];
	}
	gemp_free(ends);
}

static void file_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	filing *f = context;
	uint64_t n = f->graph->vertices, from = n * range / f->ranges, end = n * (range + 1) / f->ranges;
	uint64_t *begin = f->rows->begin;
	for (uint64_t e = 0; e < f->graph->edges; e++) {
		uint64_t v = f->source[e];
		if (v - from >= end - from)
			continue;
		if (f->placing)
			f->rows->target[begin[v + 1]++] = f->target[e];
		else
			begin[v + 2]++;
	}
}

static gemp_code make_rows(rows *r, const gemp_eulerian *graph)
{
	gemp_code code = GEMP_OK;
	filing f = { .graph = graph, .rows = r, .ranges = gemp_threads() };
	GEMP_TRY_DONE(gemp_eulerian_check(graph));
	GEMP_TRY_DONE(GEMP_NEW(f.source, graph->edges));
	GEMP_TRY_DONE(GEMP_NEW(f.target, graph->edges));
	GEMP_TRY_DONE(GEMP_NEW(r->begin, graph->vertices + 2));
	GEMP_TRY_DONE(GEMP_NEW(r->target, graph->edges));
	gemp_parallel_for((graph->edges + BATCH - 1) / BATCH, make_batch, &f);
	if (f.failed)
		GEMP_TRY_DONE(gemp_fail(GEMP_ENOMEM, "no memory for a batch of edges"));
	gemp_parallel_for(f.ranges, file_range, &f);
	for (uint64_t v = 0; v < graph->vertices; v++)
		r->begin[v + 1] += r->begin[v];
	f.placing = true;
	gemp_parallel_for(f.ranges, file_range, &f);
	r->bounds[1] = graph->vertices;
done:
	gemp_free(f.source);
	gemp_free(f.target);
	return code;
}

static double sum_of(const gemp_euler_result *result)
{
	double sum = 0;
	for (size_t s = 0; s < GEMP_EULER_STAGES; s++)
		sum += result->seconds[s];
	return sum;
}

static void print(const gemp_euler_result *best, const gemp_eulerian *graph, const char *shape, double copy)
{
	printf("{\"shape\": \"%s\", \"vertices\": %" PRIu64 ", \"edges\": %" PRIu64
	       ", \"engine\": \"%s\", \"circuits\": %" PRIu64 ", \"joins\": %" PRIu64 ", \"splitters\": %" PRIu64
	       ", \"ms\": {",
	       shape, graph->vertices, graph->edges, best->engine, best->circuits, best->joins, best->splitters);
	for (size_t s = 0; s < GEMP_EULER_STAGES; s++)
		printf("\"%s\": %.4f, ", gemp_euler_stage_name[s], 1e3 * best->seconds[s]);
	printf("\"sum\": %.4f, \"upload\": %.3f, \"download\": %.3f, \"total\": %.3f}", 1e3 * sum_of(best),
	       1e3 * best->upload, 1e3 * best->download, 1e3 * best->total);
	if (copy > 0) {
		printf(", \"copy_tb_s\": %.3f, \"of_copy\": {", 1e-12 * copy);
		for (size_t s = 0; s < GEMP_EULER_STAGES; s++)
			printf("%s\"%s\": %.3f", s ? ", " : "", gemp_euler_stage_name[s],
			       gemp_euler_stage_bytes((gemp_euler_stage)s, graph->vertices, graph->edges, best->splitters) /
			           best->seconds[s] / copy);
		printf("}");
	}
	printf("}\n");
}

static gemp_code run(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device, const gemp_euler_edges *edges,
                     const gemp_euler_options *options, bool verify)
{
	gemp_code code = GEMP_OK;
	if (device)
		GEMP_TRY_DONE(gemp_euler_on_device(out, device, edges, options));
	else
		GEMP_TRY_DONE(gemp_euler_on_ranks(out, comm, edges, options));
	if (out->unbalanced || out->components != 1)
		code = gemp_fail(GEMP_EINTERNAL, "no circuit was found");
	else if (verify)
		code = gemp_euler_verify(comm, edges, &out->order);
done:
	return code;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	gemp_device *device = NULL;
	gemp_rates rates = { 0 };
	rows r = { 0 };
	gemp_euler_result best = { 0 }, result = { 0 };
	static const char *const shapes[] = { "deep", "shallow", "random" };
	gemp_eulerian graph = { .seed = 1 };
	gemp_euler_options options = { .seed = 1 };
	int shape = 0, repeat;
	if (argc < 4)
		return fprintf(stderr, "usage: euler deep|shallow|random VERTICES EDGES [REPEAT [device|ranks [SPACING]]]\n"),
		       2;
	while (shape < 2 && strcmp(argv[1], shapes[shape]))
		shape++;
	graph.shape = (gemp_eulerian_shape)shape;
	graph.vertices = strtoull(argv[2], NULL, 10);
	graph.edges = strtoull(argv[3], NULL, 10);
	options.spacing = argc > 6 ? (uint32_t)atoi(argv[6]) : 0;
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	GEMP_TRY_DONE(make_rows(&r, &graph));
	if (argc < 6 || !strcmp(argv[5], "device"))
		GEMP_TRY_DONE(gemp_device_open(&device, NULL, 0, 1, 0));
	const gemp_euler_edges edges = { .ranks = 1,
		                             .vertices = graph.vertices,
		                             .bounds = r.bounds,
		                             .rows = graph.vertices,
		                             .begin = r.begin,
		                             .target = r.target,
		                             .edges = graph.edges,
		                             .closing = GEMP_NO_EDGE,
		                             .path_start = GEMP_NO_VERTEX,
		                             .path_end = GEMP_NO_VERTEX };
	repeat = argc > 4 ? atoi(argv[4]) : 3;
	for (int i = 0; i <= repeat; i++) { /* the first run warms up */
		GEMP_TRY_DONE(run(&result, &comm, device, &edges, &options, i == 0 || i == repeat));
		if (i <= 1 || sum_of(&result) < sum_of(&best)) {
			gemp_euler_result_free(&best);
			best = result;
		} else {
			gemp_euler_result_free(&result);
		}
	}
	if (device)
		GEMP_TRY_DONE(gemp_device_rates(device, &rates));
	print(&best, &graph, shapes[shape], rates.copy);
done:
	if (code != GEMP_OK)
		fprintf(stderr, "euler: %s\n", gemp_message());
	gemp_euler_result_free(&best);
	gemp_free(r.begin);
	gemp_free(r.target);
	gemp_device_close(device);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return (int)code;
}
