/* topology [SCALE [EDGES]]: measures the seconds of listing edges, counting degrees, reversing edges and finding
 * components, on the device and on the host's threads. The graph is an R-MAT graph with hubs and shuffled ids, of
 * 2^SCALE (20) vertices. Results of host and device are compared outside of the measured time. The figures stand beside
 * the copy bandwidth and, for 31,406,234 EDGES (the default), the times of prototypes on one NVIDIA H200. Then graphs
 * of 2^8 to at most 2^21 vertices are measured with all copies, to find the size below which the host is faster. */
#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/timer.h"
#include "core/types.h"
#include "device/device.h"
#include "device/open.h"
#include "device/tuning.h"
#include "topology/components.h"
#include "topology/components_device.h"
#include "topology/csr.h"
#include "topology/reverse.h"
#include "topology/vertex_degrees.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 5, PIECES = 512, EXPERIMENT = 31406234 };

static gemp_device *device;
static double copy, host_copy; /* bytes per second of a copy on the device and on the host */

static void need(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "%s\n", gemp_message());
	exit(1);
}

/* THE GRAPH */

typedef struct graph {
	gemp_csr csr;
	unsigned scale;
	uint64_t edges, *begin, *next;
	gemp_vertex *target;
} graph;

static void draw(const graph *g, uint64_t edge, gemp_vertex ends[2])
{
	uint64_t state = gemp_mix(edge + 1);
	gemp_vertex source = 0, target = 0, mask = (gemp_vertex)(((uint64_t)1 << g->scale) - 1);
	for (unsigned bit = 0; bit < g->scale; bit++) {
		double r = gemp_random_unit(&state);
		source = source << 1 | (r >= 0.76);
		target = target << 1 | ((r >= 0.57 && r < 0.76) || r >= 0.95);
	}
	ends[0] = (source * 2654435761u + 12345) & mask; /* an odd factor shuffles the ids */
	ends[1] = (target * 2654435761u + 12345) & mask;
}

static void over_edges(const graph *g, size_t piece, bool put)
{
	uint64_t at = g->edges / PIECES * piece, end = piece + 1 < PIECES ? at + g->edges / PIECES : g->edges;
	for (; at < end; at++) {
		gemp_vertex ends[2];
		draw(g, at, ends);
		uint64_t *cell = put ? &g->next[ends[0]] : &g->begin[ends[0] + 1];
		uint64_t place = atomic_fetch_add_explicit((_Atomic uint64_t *)cell, 1, memory_order_relaxed);
		if (put)
			g->target[place] = ends[1];
	}
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	over_edges(context, piece, false);
}

static void put_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	over_edges(context, piece, true);
}

static void make(graph *g, unsigned scale, uint64_t edges)
{
	size_t rows = (size_t)1 << scale;
	*g = (graph){ .scale = scale, .edges = edges };
	need(GEMP_NEW(g->begin, rows + 1));
	need(GEMP_NEW(g->next, rows));
	need(GEMP_NEW(g->target, edges));
	gemp_parallel_for(PIECES, count_piece, g);
	gemp_prefix_inclusive(g->begin, rows + 1);
	memcpy(g->next, g->begin, rows * sizeof *g->next);
	gemp_parallel_for(PIECES, put_piece, g);
	g->csr = (gemp_csr){ .vertices = rows, .rows = rows, .begin = g->begin, .target = g->target };
}

static void drop(graph *g)
{
	gemp_free(g->begin);
	gemp_free(g->next);
	gemp_free(g->target);
}

/* FIGURES */

typedef struct figure {
	double work, total; /* the least seconds: without copies between host and device, and with them */
} figure;

static void least(figure *f, double work, double since)
{
	double total = gemp_now() - since;
	f->work = work < f->work ? work : f->work;
	f->total = total < f->total ? total : f->total;
}

static figure list_edges(const graph *g, gemp_placement place, int tries, gemp_edge_pair *pairs)
{
	figure f = { 1e9, 1e9 };
	for (int i = 0; i < tries; i++) {
		gemp_edge_pairs_stats figures;
		double since = gemp_now();
		need(gemp_edge_pairs(&g->csr, device, place, pairs, &figures));
		least(&f, figures.seconds, since);
	}
	return f;
}

static figure turn_round(const graph *g, gemp_placement place, int tries, bool edges, gemp_reversed_rows *kept)
{
	figure f = { 1e9, 1e9 };
	for (int i = 0; i < tries; i++) {
		double since = gemp_now();
		if (i)
			gemp_reversed_rows_free(kept);
		need(gemp_reverse(kept, &g->csr, device, place, edges));
		least(&f, kept->seconds, since);
	}
	return f;
}

static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };

static figure count_degrees(const graph *g, gemp_placement place, int tries, gemp_vertex_degrees *kept)
{
	const uint64_t bounds[] = { 0, g->csr.rows };
	figure f = { 1e9, 1e9 };
	for (int i = 0; i < tries; i++) {
		double since = gemp_now();
		if (i)
			gemp_vertex_degrees_free(kept);
		need(gemp_vertex_degrees_new(kept, &alone, device, place, bounds, &g->csr, 1));
		least(&f, kept->seconds, since);
	}
	return f;
}

static figure find_components(const graph *g, gemp_placement place, int tries, bool tree, gemp_components *kept)
{
	const uint64_t bounds[] = { 0, g->csr.rows };
	const gemp_components_options how = { place, tree };
	figure f = { 1e9, 1e9 };
	for (int i = 0; i < tries; i++) {
		double since = gemp_now();
		if (i)
			gemp_components_free(kept);
		need(gemp_components_find(kept, &alone, device, bounds, &g->csr, 1, &how));
		least(&f, kept->seconds, since);
	}
	return f;
}

static void report(const char *what, const graph *g, gemp_placement place, figure f, double bytes, double experiment)
{
	bool there = place == GEMP_PLACE_DEVICE;
	printf("%-22s %-6s %10zu edges %9.3f ms %7.2f G/s %5.1f %% of copy, %9.3f ms with copies", what,
	       there ? "device" : "host", (size_t)g->edges, 1e3 * f.work, 1e-9 * (double)g->edges / f.work,
	       100 * bytes / f.work / (there ? copy : host_copy), 1e3 * f.total);
	if (there && experiment > 0 && g->edges == EXPERIMENT)
		printf("; experiment %.3f ms, ratio %.2f", experiment, 1e3 * f.work / experiment);
	printf("\n");
	fflush(stdout);
}

/* Measures the host and the device, and compares their results. */
static void bench(const graph *g)
{
	double m = (double)g->edges, n = (double)g->csr.rows;
	gemp_edge_pair *pairs[2];
	gemp_reversed_rows turned[2];
	gemp_components found[2];
	gemp_vertex_degrees degrees[2];
	static const gemp_placement places[] = { GEMP_PLACE_HOST, GEMP_PLACE_DEVICE };
	for (int i = 0; i < 2; i++) {
		need(GEMP_NEW(pairs[i], g->edges));
		report("edges", g, places[i], list_edges(g, places[i], TRIES, pairs[i]), 12 * m + 4 * n, 0.171);
	}
	if (memcmp(pairs[0], pairs[1], g->edges * sizeof **pairs) != 0)
		printf("edges: WRONG\n");
	gemp_free(pairs[0]);
	gemp_free(pairs[1]);
	for (int i = 0; i < 2; i++)
		report("degrees", g, places[i], count_degrees(g, places[i], TRIES, &degrees[i]), 4 * m + 4 * n, 0.376);
	if (memcmp(degrees[0].in, degrees[1].in, g->csr.rows * sizeof *degrees[0].in) != 0)
		printf("degrees: WRONG\n");
	gemp_vertex_degrees_free(&degrees[0]);
	gemp_vertex_degrees_free(&degrees[1]);
	for (int edges = 0; edges < 2; edges++) {
		for (int i = 0; i < 2; i++)
			report(edges ? "reverse, numbered" : "reverse", g, places[i],
			       turn_round(g, places[i], TRIES, edges, &turned[i]), 8 * m + 8 * n, edges ? 0 : 1.3);
		if (memcmp(turned[0].source, turned[1].source, g->edges * sizeof *turned[0].source) != 0 ||
		    memcmp(turned[0].begin, turned[1].begin, (g->csr.rows + 1) * sizeof *turned[0].begin) != 0 ||
		    (edges && memcmp(turned[0].edge, turned[1].edge, g->edges * sizeof *turned[0].edge) != 0))
			printf("reverse: WRONG\n");
		gemp_reversed_rows_free(&turned[0]);
		gemp_reversed_rows_free(&turned[1]);
	}
	for (int tree = 0; tree < 2; tree++) {
		for (int i = 0; i < 2; i++)
			report(tree ? "spanning forest" : "components", g, places[i],
			       find_components(g, places[i], TRIES, tree, &found[i]), 4 * m + 8 * n, 0);
		if (memcmp(found[0].component, found[1].component, g->csr.rows * sizeof *found[0].component) != 0 ||
		    found[0].tree_count != found[1].tree_count)
			printf("components: WRONG\n");
		gemp_components_free(&found[0]);
		gemp_components_free(&found[1]);
	}
}

/* Prints milliseconds including copies on host and device, for graphs with 16 edges per vertex. */
static void cross(unsigned scale)
{
	graph g;
	make(&g, scale, (uint64_t)16 << scale);
	printf("%9zu items", (size_t)g.edges + g.csr.rows);
	for (int what = 0; what < 4; what++) {
		static const char *const names[] = { "edges", "reverse", "components", "degrees" };
		double ms[2];
		for (int i = 0; i < 2; i++) {
			gemp_placement place = i ? GEMP_PLACE_DEVICE : GEMP_PLACE_HOST;
			gemp_edge_pair *pairs = NULL;
			gemp_reversed_rows turned = { 0 };
			gemp_components found = { 0 };
			gemp_vertex_degrees degrees = { 0 };
			if (what == 0)
				need(GEMP_NEW(pairs, g.edges));
			ms[i] = 1e3 * (what == 0   ? list_edges(&g, place, TRIES, pairs)
			               : what == 1 ? turn_round(&g, place, TRIES, false, &turned)
			               : what == 2 ? find_components(&g, place, TRIES, false, &found)
			                           : count_degrees(&g, place, TRIES, &degrees))
			                  .total;
			gemp_free(pairs);
			gemp_reversed_rows_free(&turned);
			gemp_components_free(&found);
			gemp_vertex_degrees_free(&degrees);
		}
		printf("   %s host %.3f device %.3f%s", names[what], ms[0], ms[1], ms[1] < ms[0] ? " *" : "");
	}
	printf("\n");
	fflush(stdout);
	drop(&g);
}

static void copy_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	memcpy((char *)context + (piece + PIECES) * 262144, (char *)context + piece * 262144, 262144);
}

static void rate_host(void)
{
	char *bytes = gemp_calloc(2 * PIECES, 262144);
	memset(bytes, 1, (size_t)2 * PIECES * 262144);
	for (int i = 0; i < TRIES; i++) {
		double since = gemp_now(), rate;
		gemp_parallel_for(PIECES, copy_piece, bytes);
		rate = 2.0 * PIECES * 262144 / (gemp_now() - since);
		host_copy = rate > host_copy ? rate : host_copy;
	}
	gemp_free(bytes);
}

int main(int argc, char **argv)
{
	unsigned scale = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	uint64_t edges = argc > 2 ? strtoull(argv[2], NULL, 10) : EXPERIMENT;
	graph g;
	gemp_rates rates;
	MPI_Init(&argc, &argv);
	need(gemp_device_open(&device, NULL, 0, 1, 0));
	need(gemp_device_rates(device, &rates));
	copy = rates.copy;
	rate_host();
	printf("%s: copy %.2f TB/s; host: %u threads, copy %.1f GB/s\n", device->name, 1e-12 * copy, gemp_threads(),
	       1e-9 * host_copy);
	make(&g, scale, edges);
	bench(&g);
	drop(&g);
	for (unsigned s = 8; s <= scale && s <= 21; s++)
		cross(s);
	gemp_device_close(device);
	MPI_Finalize();
	return 0;
}
