#include "gas_parts/ours.h"

#include "core/memory.h"
#include "core/timer.h"
#include "gas/bfs.h"
#include "gas_parts/check.h"
#include "gas_parts/in_memory.h"
#include "gas/pagerank.h"
#include "gas/spmv.h"
#include "gas/sssp.h"

#include <string.h>

/* The graph as the project has it, and a layout of it. */
typedef struct held {
	gemp_graph *graph;
	gemp_gas_layout layout;
} held;

static gemp_code hold(held *h, bench *b, const gemp_gas_layout_options *options, timing *t)
{
	gemp_code code = GEMP_OK;
	*h = (held){ 0 };
	GEMP_TRY(timing_new(t, b));
	GEMP_TRY(graph_in_memory(&h->graph, &b->comm, &b->graph, options->weight ? b->weight : NULL));
	GEMP_TRY(gemp_gas_layout_new(&h->layout, &b->comm, h->graph, options));
	t->layout = h->layout.seconds;
done:
	return code;
}

static void let_go(held *h)
{
	gemp_gas_layout_free(&h->layout);
	gemp_graph_free(h->graph);
}

/* Collective. own[local vertex] of all ranks as all[id]; numbers of 4 or 8 bytes. */
static gemp_code by_id(const held *h, const bench *b, const void *own, size_t size, void *all)
{
	gemp_code code = GEMP_OK;
	char *rows = NULL;
	void *gathered = NULL;
	size_t *begin = NULL;
	GEMP_TRY(GEMP_NEW(rows, h->layout.own * size));
	for (uint32_t v = 0; v < h->layout.own; v++)
		memcpy(rows + (h->layout.id[v] - h->graph->first) * size, (const char *)own + v * size, size);
	GEMP_TRY(gemp_comm_gather_all(&b->comm, rows, h->layout.own * size, &gathered, &begin));
	memcpy(all, gathered, b->graph.vertices * size);
done:
	gemp_free(rows);
	gemp_free(gathered);
	gemp_free(begin);
	return code;
}

/* Collective. Stored edges that leave vertices which are reached. */
static double edges_reached(const held *h, const bench *b, const uint32_t *level)
{
	uint64_t edges = 0;
	for (uint32_t v = 0; v < h->layout.own; v++)
		edges += level[v] == GEMP_NO_LEVEL ? 0 : h->layout.out_degree[v];
	return (double)gemp_comm_sum1(&b->comm, edges);
}

static void add_traffic(timing *t, const gemp_traffic *traffic)
{
	t->traffic.bytes += traffic->bytes;
	t->traffic.messages += traffic->messages;
}

/* BREADTH-FIRST SEARCH */

static gemp_code check_bfs(const held *h, const bench *b, uint32_t source, const gemp_bfs_result *result)
{
	gemp_code code = GEMP_OK;
	uint32_t *level = NULL, *parent = NULL, *right = NULL;
	GEMP_TRY(GEMP_NEW(level, b->graph.vertices));
	GEMP_TRY(GEMP_NEW(parent, b->graph.vertices));
	GEMP_TRY(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY(by_id(h, b, result->level, sizeof *level, level));
	GEMP_TRY(by_id(h, b, result->parent, sizeof *parent, parent));
	parent[source] = source;
	GEMP_TRY(true_levels(&b->graph, source, right));
	GEMP_TRY(check_same("bfs", right, level, b->graph.vertices));
	GEMP_TRY(check_parents(&b->graph, source, level, parent));
done:
	gemp_free(level);
	gemp_free(parent);
	gemp_free(right);
	return code;
}

static gemp_code time_bfs(const held *h, bench *b, timing *t, bool any)
{
	gemp_code code = GEMP_OK;
	gemp_bfs *bfs = NULL;
	gemp_bfs_result result = { 0 };
	uint32_t source = 0;
	t->rounds = 0;
	t->along = 0;
	t->traffic = (gemp_traffic){ 0 };
	GEMP_TRY(gemp_bfs_new(&bfs, &h->layout, b->device, &(gemp_bfs_options){ .any = any }));
	t->prepare = gemp_bfs_prepare_seconds(bfs, &t->build);
	GEMP_TRY(gemp_bfs_run(bfs, graph_source(&b->graph, 0), &result)); /* warms up */
	for (unsigned run = 0; run < b->runs; run++) {
		source = graph_source(&b->graph, run);
		GEMP_MPI(MPI_Barrier(b->comm.world));
		GEMP_TRY(gemp_bfs_run(bfs, source, &result));
		t->device[run] = result.cost.device;
		t->wall[run] = result.cost.wall + (any ? 0 : result.cost.settle);
		t->edges[run] = edges_reached(h, b, result.level) / 2;
		t->rounds += result.pushes + result.pulls;
		add_traffic(t, &result.cost.traffic);
		if (b->beside)
			beside_run(b->beside, BFS, run, b->rounds);
	}
	GEMP_TRY(check_bfs(h, b, source, &result));
	timing_print(t, b, any ? "bfs" : "bfs, least parents");
done:
	gemp_bfs_free(bfs);
	return code;
}

gemp_code ours_bfs(bench *b)
{
	gemp_code code = GEMP_OK;
	held h;
	timing t = { 0 };
	GEMP_TRY(hold(&h, b, &(gemp_gas_layout_options){ .parts = GEMP_GAS_IN | GEMP_GAS_OUT }, &t));
	GEMP_TRY(time_bfs(&h, b, &t, true));
	GEMP_TRY(time_bfs(&h, b, &t, false));
done:
	timing_free(&t);
	let_go(&h);
	return code;
}

/* SHORTEST PATHS */

static gemp_code check_sssp(const held *h, const bench *b, uint32_t source, const gemp_sssp_result *result)
{
	gemp_code code = GEMP_OK;
	uint64_t *distance = NULL;
	uint32_t *given = NULL, *right = NULL;
	GEMP_TRY(GEMP_NEW(distance, b->graph.vertices));
	GEMP_TRY(GEMP_NEW(given, b->graph.vertices));
	GEMP_TRY(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY(by_id(h, b, result->distance, sizeof *distance, distance));
	for (uint32_t v = 0; v < b->graph.vertices; v++)
		given[v] = distance[v] == GEMP_NO_DISTANCE ? BENCH_FAR : (uint32_t)distance[v];
	GEMP_TRY(true_distances(&b->graph, b->weight, source, right));
	GEMP_TRY(check_same("sssp", right, given, b->graph.vertices));
done:
	gemp_free(distance);
	gemp_free(given);
	gemp_free(right);
	return code;
}

static gemp_code time_sssp(const held *h, bench *b, timing *t, bool any)
{
	gemp_code code = GEMP_OK;
	gemp_sssp *sssp = NULL;
	gemp_sssp_result result = { 0 };
	uint32_t source = 0;
	t->rounds = 0;
	t->along = 0;
	t->traffic = (gemp_traffic){ 0 };
	GEMP_TRY(gemp_sssp_new(&sssp, &h->layout, b->device, &(gemp_sssp_options){ .any = any, .delta = b->delta }));
	t->prepare = gemp_sssp_prepare_seconds(sssp, &t->build);
	GEMP_TRY(gemp_sssp_run(sssp, graph_source(&b->graph, 0), &result)); /* warms up */
	for (unsigned run = 0; run < b->runs; run++) {
		source = graph_source(&b->graph, run);
		GEMP_MPI(MPI_Barrier(b->comm.world));
		GEMP_TRY(gemp_sssp_run(sssp, source, &result));
		t->device[run] = result.cost.device;
		t->wall[run] = result.cost.wall + (any ? 0 : result.cost.settle);
		t->edges[run] = (double)b->graph.begin[b->graph.vertices];
		t->rounds += result.cost.rounds;
		t->along += (double)result.cost.edges;
		add_traffic(t, &result.cost.traffic);
		if (b->beside)
			beside_run(b->beside, SSSP, run, b->rounds);
	}
	GEMP_TRY(check_sssp(h, b, source, &result));
	timing_print(t, b, any ? "sssp" : "sssp, predecessors");
done:
	gemp_sssp_free(sssp);
	return code;
}

gemp_code ours_sssp(bench *b)
{
	gemp_code code = GEMP_OK;
	held h;
	timing t = { 0 };
	GEMP_TRY(hold(&h, b, &(gemp_gas_layout_options){ .parts = GEMP_GAS_IN | GEMP_GAS_OUT, .weight = "weight",
	                                                 .wanted = GEMP_GAS_LENGTHS }, &t));
	GEMP_TRY(time_sssp(&h, b, &t, true));
	GEMP_TRY(time_sssp(&h, b, &t, false));
done:
	timing_free(&t);
	let_go(&h);
	return code;
}

/* PAGERANK AND PRODUCTS */

static gemp_code check_reals(const held *h, const bench *b, const char *what, const double *own, const double *right,
                             double most)
{
	gemp_code code = GEMP_OK;
	double *all = NULL;
	GEMP_TRY(GEMP_NEW(all, b->graph.vertices));
	GEMP_TRY(by_id(h, b, own, sizeof *own, all));
	GEMP_TRY(check_near(what, right, all, b->graph.vertices, most));
done:
	gemp_free(all);
	return code;
}

static void dense_run(timing *t, const bench *b, unsigned run, const gemp_dense_report *report)
{
	t->wall[run] = report->wall;
	t->device[run] = report->own + report->ghost;
	t->edges[run] = (double)b->graph.begin[b->graph.vertices] * report->rounds;
	t->bytes = (double)report->bytes * report->rounds;
	t->rounds += report->rounds;
	t->prepare = report->prepare;
	t->build = report->build;
	add_traffic(t, &report->traffic);
}

gemp_code ours_pagerank(bench *b)
{
	gemp_code code = GEMP_OK;
	held h;
	timing t = { 0 };
	gemp_pagerank *pagerank = NULL;
	gemp_pagerank_result result = { 0 };
	gemp_pagerank_ask ask = { .damping = 0.85, .rounds = 2 }; /* the first run warms up */
	double *right = NULL;
	GEMP_TRY(hold(&h, b, &(gemp_gas_layout_options){ .parts = GEMP_GAS_IN }, &t));
	GEMP_TRY(gemp_pagerank_new(&pagerank, &h.layout, b->device, &(gemp_dense_options){ 0 }));
	GEMP_TRY(gemp_pagerank_run(pagerank, &ask, &result));
	ask.rounds = b->rounds;
	for (unsigned run = 0; run < b->runs; run++) {
		gemp_pagerank_result_free(&result);
		GEMP_MPI(MPI_Barrier(b->comm.world));
		GEMP_TRY(gemp_pagerank_run(pagerank, &ask, &result));
		dense_run(&t, b, run, &result.report);
		if (b->beside)
			beside_run(b->beside, PAGERANK, run, b->rounds);
	}
	GEMP_TRY(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY(true_ranks(&b->graph, b->rounds, 0.85, right));
	GEMP_TRY(check_reals(&h, b, "pagerank", result.rank, right, 1e-4));
	timing_print(&t, b, "pagerank");
done:
	gemp_free(right);
	gemp_pagerank_result_free(&result);
	gemp_pagerank_free(pagerank);
	timing_free(&t);
	let_go(&h);
	return code;
}

/* x of own vertices: what openmp.c multiplies with. */
static void fill(const held *h, double *x)
{
	for (uint32_t v = 0; v < h->layout.own; v++)
		x[v] = 1.0 / (h->layout.id[v] % 1000 + 1);
}

gemp_code ours_spmv(bench *b)
{
	gemp_code code = GEMP_OK;
	held h;
	timing t = { 0 };
	gemp_spmv *spmv = NULL;
	gemp_spmv_result result = { 0 };
	double *x = NULL, *all = NULL, *right = NULL;
	GEMP_TRY(hold(&h, b, &(gemp_gas_layout_options){ .parts = GEMP_GAS_IN, .weight = "weight",
	                                                 .wanted = GEMP_GAS_SINGLE }, &t));
	GEMP_TRY(GEMP_NEW(x, h.layout.own));
	fill(&h, x);
	GEMP_TRY(gemp_spmv_new(&spmv, &h.layout, b->device, &(gemp_dense_options){ 0 }));
	gemp_spmv_ask ask = { .x = x, .rounds = b->rounds };
	for (unsigned run = 0; run < b->runs + 2; run++) { /* the first warms up, the last, a product, is checked */
		gemp_spmv_result_free(&result);
		ask.rounds = run == b->runs + 1 ? 1 : b->rounds;
				GEMP_MPI(MPI_Barrier(b->comm.world));
		GEMP_TRY(gemp_spmv_run(spmv, &ask, &result));
		if (run > 0 && run <= b->runs)
			dense_run(&t, b, run - 1, &result.report);
		if (b->beside && run > 0 && run <= b->runs)
			beside_run(b->beside, SPMV, run - 1, b->rounds);
	}
	GEMP_TRY(GEMP_NEW(all, b->graph.vertices));
	GEMP_TRY(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY(by_id(&h, b, x, sizeof *x, all));
	true_product(&b->graph, b->weight, all, right);
	GEMP_TRY(check_reals(&h, b, "spmv", result.y, right, 1e-5));
	timing_print(&t, b, "spmv");
done:
	gemp_free(x);
	gemp_free(all);
	gemp_free(right);
	gemp_spmv_result_free(&result);
	gemp_spmv_free(spmv);
	timing_free(&t);
	let_go(&h);
	return code;
}
