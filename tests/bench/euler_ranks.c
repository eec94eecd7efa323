/* euler_ranks: measures the Euler engines of ranks on a graph of one shape, made in memory in its natural order, and
 * verifies the circuit of each run.
 *     mpirun -n RANKS euler_ranks deep|shallow|random VERTICES EDGES [REPEAT [MODE [SPACING [scattered]]]]
 * MODE together (the default): the ranks of a node share memory. apart: ranks exchange everything by messages. devices:
 * the device of rank 0 gathers the edges of all ranks; a single rank uses the engine of one device. spread: the devices
 * of all ranks share the work. SPACING 0 is the default. scattered:
 * vertices are renumbered at random, so all but about 1 / RANKS of the edges lead to other ranks. Prints one line of
 * JSON about the run with the least time on rank 0: milliseconds of the stages and of the copies on rank 0, and the
 * bytes per edge and the messages that all ranks sent. */
#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/types.h"
#include "device/open.h"
#include "euler/device_engine.h"
#include "euler/devices/engine.h"
#include "euler/euler.h"
#include "euler/ranks/ranks_engine.h"
#include "euler/verify.h"
#include "generate/generate.h"
#include "harness/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rows {
	uint64_t *begin, *bounds;
	gemp_vertex *target;
	size_t count; /* the rows of this rank */
} rows;

typedef struct pair {
	gemp_vertex from, to;
} pair;

/* A bijection of the numbers below n: a Feistel cipher, repeated until its result is below n. */
static uint64_t renumbered(uint64_t x, uint64_t n)
{
	unsigned half = 1;
	while ((uint64_t)1 << (2 * half) < n)
		half++;
	uint64_t mask = ((uint64_t)1 << half) - 1;
	do
		for (uint64_t round = 0; round < 3; round++)
			x = (x & mask) << half | ((x >> half) ^ (gemp_mix((x & mask) + (round << 40)) & mask));
	while (x >= n);
	return x;
}

/* Collective. Each rank makes a part of the edges and sends each edge to the owner of its source. */
static gemp_code make_part(const gemp_comm *comm, const gemp_eulerian *graph, bool scattered, const uint64_t *bounds,
                           pair **out, size_t *count)
{
	gemp_code code = GEMP_OK;
	uint64_t ranks = (uint64_t)comm->size, rank = (uint64_t)comm->rank, each = graph->edges / ranks + 1;
	uint64_t first = rank * each < graph->edges ? rank * each : graph->edges;
	size_t made = graph->edges - first < each ? graph->edges - first : each, *from = NULL;
	uint64_t(*ends)[2] = NULL;
	pair *pairs = NULL;
	int *owner = NULL;
	GEMP_TRY_DONE(GEMP_NEW(ends, made));
	GEMP_TRY_DONE(GEMP_NEW(pairs, made));
	GEMP_TRY_DONE(GEMP_NEW(owner, made));
	gemp_eulerian_edges(graph, first, made, ends);
	for (size_t i = 0; i < made; i++) {
		for (int e = 0; e < 2 && scattered; e++)
			ends[i][e] = renumbered(ends[i][e], graph->vertices);
		pairs[i] = (pair){ (gemp_vertex)ends[i][0], (gemp_vertex)ends[i][1] };
		while (pairs[i].from >= bounds[owner[i] + 1])
			owner[i]++;
	}
	GEMP_TRY_DONE(gemp_exchange_records(comm, GEMP_OK, pairs, made, sizeof *pairs, owner, (void **)out, &from, NULL));
	*count = from[ranks];
done:
	gemp_free(ends);
	gemp_free(pairs);
	gemp_free(owner);
	gemp_free(from);
	return code;
}

static gemp_code make_rows(rows *r, const gemp_comm *comm, const gemp_eulerian *graph, bool scattered)
{
	gemp_code code = GEMP_OK;
	pair *pairs = NULL;
	size_t count, ranks = (size_t)comm->size;
	GEMP_TRY_DONE(gemp_eulerian_check(graph));
	GEMP_TRY_DONE(GEMP_NEW(r->bounds, ranks + 1));
	for (size_t k = 0; k <= ranks; k++)
		r->bounds[k] = graph->vertices * k / ranks;
	uint64_t low = r->bounds[comm->rank];
	r->count = r->bounds[comm->rank + 1] - low;
	GEMP_TRY_DONE(make_part(comm, graph, scattered, r->bounds, &pairs, &count));
	GEMP_TRY_DONE(GEMP_NEW(r->begin, r->count + 2));
	GEMP_TRY_DONE(GEMP_NEW(r->target, count));
	for (size_t i = 0; i < count; i++)
		r->begin[pairs[i].from - low + 2]++;
	for (size_t v = 0; v < r->count; v++)
		r->begin[v + 1] += r->begin[v];
	for (size_t i = 0; i < count; i++)
		r->target[r->begin[pairs[i].from - low + 1]++] = pairs[i].to;
done:
	gemp_free(pairs);
	return code;
}

static void print(const gemp_comm *comm, const gemp_euler_result *best, const gemp_eulerian *graph, const char *shape)
{
	uint64_t sent[2] = { best->traffic.bytes, best->traffic.messages };
	gemp_comm_sum(comm, sent, 2);
	if (comm->rank)
		return;
	printf("{\"shape\": \"%s\", \"vertices\": %" PRIu64 ", \"edges\": %" PRIu64
	       ", \"ranks\": %d, \"engine\": \"%s\", \"threads\": %u"
	       ", \"apart\": %s, \"circuits\": %" PRIu64 ", \"joins\": %" PRIu64 ", \"splitters\": %" PRIu64,
	       shape, graph->vertices, graph->edges, comm->size, best->engine, gemp_threads(),
	       best->traffic.rounds ? "true" : "false", best->circuits, best->joins, best->splitters);
	printf(", \"rounds\": %" PRIu64 ", \"bytes_an_edge\": %.3f, \"messages\": %" PRIu64 ", \"ms\": {",
	       best->traffic.rounds, (double)sent[0] / (double)graph->edges, sent[1]);
	for (size_t s = 0; s < GEMP_EULER_STAGES; s++)
		printf("\"%s\": %.2f, ", gemp_euler_stage_name[s], 1e3 * best->seconds[s]);
	printf("\"upload\": %.2f, \"download\": %.2f, \"total\": %.2f}}\n", 1e3 * best->upload, 1e3 * best->download,
	       1e3 * best->total);
}

/* device: NULL for the threads of the ranks. */
static gemp_code find(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device, const gemp_euler_edges *edges,
                      const gemp_euler_options *options)
{
	if (!device)
		return gemp_euler_on_ranks(out, comm, edges, options);
	return comm->size > 1 ? gemp_euler_on_devices(out, comm, device, edges, options)
	                      : gemp_euler_on_device(out, device, edges, options);
}

static gemp_code run(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device, const gemp_euler_edges *edges,
                     const gemp_euler_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(find(out, comm, device, edges, options));
	if (out->unbalanced || out->components != 1)
		return gemp_fail(GEMP_EINTERNAL, "no circuit was found");
	GEMP_TRY_DONE(gemp_euler_verify(comm, edges, &out->order));
done:
	return code;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	gemp_device *device = NULL;
	rows r = { 0 };
	gemp_euler_result best = { 0 }, result = { 0 };
	static const char *const shapes[] = { "deep", "shallow", "random" };
	gemp_eulerian graph = { .seed = 1 };
	gemp_euler_options options = { .seed = 1 };
	int shape = 0;
	if (argc < 4)
		return fprintf(
				   stderr,
				   "usage: euler_ranks deep|shallow|random VERTICES EDGES [REPEAT [together|apart|devices|spread [SPACING "
				   "[scattered]]]]\n"),
		       2;
	while (shape < 2 && strcmp(argv[1], shapes[shape]))
		shape++;
	graph.shape = (gemp_eulerian_shape)shape;
	graph.vertices = strtoull(argv[2], NULL, 10);
	graph.edges = strtoull(argv[3], NULL, 10);
	options.spacing = argc > 6 ? (uint32_t)atoi(argv[6]) : 0;
	TEST_LIMIT(euler_separate, argc > 5 && strcmp(argv[5], "apart") == 0);
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	gemp_comm_share_cores(&comm);
	TEST_LIMIT(euler_gathered, argc < 6 || strcmp(argv[5], "spread") != 0);
	if (argc > 5 && (strcmp(argv[5], "devices") == 0 || strcmp(argv[5], "spread") == 0))
		code = gemp_device_open(&device, NULL, comm.node_rank, comm.node_size, 0);
	GEMP_TRY_DONE(gemp_comm_agree(&comm, code));
	code = make_rows(&r, &comm, &graph, argc > 7);
	GEMP_TRY_DONE(gemp_comm_agree(&comm, code));
	gemp_euler_edges edges = { .rank = comm.rank,
		                       .ranks = comm.size,
		                       .vertices = graph.vertices,
		                       .bounds = r.bounds,
		                       .rows = r.count,
		                       .begin = r.begin,
		                       .target = r.target,
		                       .edges = graph.edges,
		                       .closing = GEMP_NO_EDGE,
		                       .path_start = GEMP_NO_VERTEX,
		                       .path_end = GEMP_NO_VERTEX };
	edges.first = gemp_comm_exscan(&comm, r.begin[r.count]);
	for (int i = 0; i < (argc > 4 ? atoi(argv[4]) : 3); i++) {
		GEMP_TRY_DONE(run(&result, &comm, device, &edges, &options));
		uint64_t better = comm.rank == 0 && (i == 0 || result.total < best.total);
		gemp_comm_max(&comm, &better, 1);
		gemp_euler_result *worse = better ? &best : &result;
		gemp_euler_result_free(worse);
		if (better)
			best = result;
		result = (gemp_euler_result){ 0 };
	}
	print(&comm, &best, &graph, shapes[shape]);
done:
	if (code != GEMP_OK && comm.rank == 0)
		fprintf(stderr, "euler_ranks: %s\n", gemp_message());
	gemp_euler_result_free(&best);
	gemp_free(r.begin);
	gemp_free(r.bounds);
	gemp_free(r.target);
	gemp_device_close(device);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return (int)code;
}
