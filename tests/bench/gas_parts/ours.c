/* Measures bfs, sssp, pagerank and spmv of the program. Each application runs b->runs times, and its last answer is
 * checked; for spmv, the answer of an additional product. */
#include "gas_parts/ours.h"

#include "analytics/dense/dense.h"
#include "analytics/dense/pagerank.h"
#include "analytics/dense/spmv.h"
#include "analytics/layout/layout.h"
#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/status.h"
#include "gas_parts/check.h"
#include "gas_parts/in_memory.h"
#include "graph/graph.h"

#include <string.h>

/* A graph of the program and a layout of this graph. */
typedef struct held {
	gemp_shard *graph;
	gemp_layout layout;
} held;

static gemp_code hold(held *h, bench *b, const gemp_layout_options *options, timing *t)
{
	gemp_code code = GEMP_OK;
	*h = (held){ 0 };
	GEMP_TRY_DONE(timing_new(t, b));
	GEMP_TRY_DONE(graph_in_memory(&h->graph, &b->comm, &b->graph, options->weight ? b->weight : NULL));
	GEMP_TRY_DONE(gemp_layout_new(&h->layout, &b->comm, h->graph, options));
	t->layout = h->layout.seconds;
done:
	return code;
}

static void let_go(held *h)
{
	gemp_layout_free(&h->layout);
	gemp_shard_free(h->graph);
}

/* Collective. Gathers own[local vertex] of all ranks to all[id]. Elements have 4 or 8 bytes. */
static gemp_code by_id(const held *h, const bench *b, const void *own, size_t size, void *all)
{
	gemp_code code = GEMP_OK;
	char *rows = NULL;
	void *gathered = NULL;
	size_t *begin = NULL;
	GEMP_TRY_DONE(GEMP_NEW(rows, h->layout.own * size));
	for (uint32_t v = 0; v < h->layout.own; v++)
		memcpy(rows + (h->layout.id[v] - h->graph->first_vertex) * size, (const char *)own + v * size, size);
	GEMP_TRY_DONE(gemp_comm_allgather(&b->comm, GEMP_OK, rows, h->layout.own * size, &gathered, &begin));
	memcpy(all, gathered, b->graph.vertices * size);
done:
	gemp_free(rows);
	gemp_free(gathered);
	gemp_free(begin);
	return code;
}

/* Collective. Returns the number of stored edges that leave reached vertices. */
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
	GEMP_TRY_DONE(GEMP_NEW(level, b->graph.vertices));
	GEMP_TRY_DONE(GEMP_NEW(parent, b->graph.vertices));
	GEMP_TRY_DONE(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY_DONE(by_id(h, b, result->level, sizeof *level, level));
	GEMP_TRY_DONE(true_levels(&b->graph, source, right));
	GEMP_TRY_DONE(check_same("bfs", right, level, b->graph.vertices));
	if (!result->parent)
		goto done;
	GEMP_TRY_DONE(by_id(h, b, result->parent, sizeof *parent, parent));
	parent[source] = source;
	GEMP_TRY_DONE(check_parents(&b->graph, source, level, parent));
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
	GEMP_TRY_DONE(gemp_bfs_new(&bfs, &h->layout, b->device, &(gemp_bfs_options){ .any = any }));
	t->prepare = gemp_bfs_prepare_seconds(bfs, &t->build);
	GEMP_TRY_DONE(gemp_bfs_run(bfs, graph_source(&b->graph, 0), &result)); /* warms up */
	for (unsigned run = 0; run < b->runs; run++) {
		source = graph_source(&b->graph, run);
		GEMP_MPI(MPI_Barrier(b->comm.world));
		GEMP_TRY_DONE(gemp_bfs_run(bfs, source, &result));
		t->device[run] = result.cost.device;
		t->exchange[run] = result.cost.exchange;
		t->wall[run] = result.cost.wall + (any ? 0 : result.cost.parents);
		t->edges[run] = edges_reached(h, b, result.level) / 2;
		t->rounds += result.pushes + result.pulls;
		add_traffic(t, &result.cost.traffic);
		if (b->beside)
			beside_run(b->beside, BFS, run, b->rounds);
	}
	if (!b->unchecked)
		GEMP_TRY_DONE(check_bfs(h, b, source, &result));
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
	GEMP_TRY_DONE(hold(&h, b, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT }, &t));
	GEMP_TRY_DONE(time_bfs(&h, b, &t, true));
	GEMP_TRY_DONE(time_bfs(&h, b, &t, false));
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
	GEMP_TRY_DONE(GEMP_NEW(distance, b->graph.vertices));
	GEMP_TRY_DONE(GEMP_NEW(given, b->graph.vertices));
	GEMP_TRY_DONE(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY_DONE(by_id(h, b, result->distance, sizeof *distance, distance));
	for (uint32_t v = 0; v < b->graph.vertices; v++)
		given[v] = distance[v] == GEMP_NO_DISTANCE ? BENCH_FAR : (uint32_t)distance[v];
	GEMP_TRY_DONE(true_distances(&b->graph, b->weight, source, right));
	GEMP_TRY_DONE(check_same("sssp", right, given, b->graph.vertices));
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
	const gemp_sssp_options options = { .any = any, .delta = b->delta, .shape.batch = b->batch };
	GEMP_TRY_DONE(gemp_sssp_new(&sssp, &h->layout, b->device, &options));
	t->prepare = gemp_sssp_prepare_seconds(sssp, &t->build);
	GEMP_TRY_DONE(gemp_sssp_run(sssp, graph_source(&b->graph, 0), &result)); /* warms up */
	for (unsigned run = 0; run < b->runs; run++) {
		source = graph_source(&b->graph, run);
		GEMP_MPI(MPI_Barrier(b->comm.world));
		GEMP_TRY_DONE(gemp_sssp_run(sssp, source, &result));
		t->device[run] = result.cost.device;
		t->exchange[run] = result.cost.exchange;
		t->wall[run] = result.cost.wall + (any ? 0 : result.cost.parents);
		t->edges[run] = (double)b->graph.begin[b->graph.vertices];
		t->rounds += result.cost.rounds;
		t->along += (double)result.cost.edges;
		add_traffic(t, &result.cost.traffic);
		if (b->beside)
			beside_run(b->beside, SSSP, run, b->rounds);
	}
	if (!b->unchecked)
		GEMP_TRY_DONE(check_sssp(h, b, source, &result));
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
	GEMP_TRY_DONE(hold(&h, b,
	                   &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
	                                           .weight = "weight",
	                                           .wanted = GEMP_LAYOUT_LENGTHS },
	                   &t));
	GEMP_TRY_DONE(time_sssp(&h, b, &t, true));
	GEMP_TRY_DONE(time_sssp(&h, b, &t, false));
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
	GEMP_TRY_DONE(GEMP_NEW(all, b->graph.vertices));
	GEMP_TRY_DONE(by_id(h, b, own, sizeof *own, all));
	GEMP_TRY_DONE(check_near(what, right, all, b->graph.vertices, most));
done:
	gemp_free(all);
	return code;
}

static void dense_run(timing *t, const bench *b, unsigned run, const gemp_dense_report *report)
{
	t->wall[run] = report->wall;
	t->device[run] = report->own + report->ghost;
	t->exchange[run] = report->halo + report->agree;
	t->edges[run] = (double)b->graph.begin[b->graph.vertices] * report->rounds;
	t->bytes = (double)report->bytes * report->rounds;
	t->rounds += report->rounds;
	t->prepare = report->prepare;
	t->build = report->build;
	add_traffic(t, &report->traffic);
}

enum { CUTS = GEMP_LAYOUT_ON_GRID + 1 };

static int cuts_of(const bench *b)
{
	return b->grid ? CUTS : 1;
}

typedef struct ranking {
	held h;
	timing t;
	gemp_pagerank *it;
	gemp_pagerank_result result;
} ranking;

static gemp_code new_ranking(ranking *r, bench *b, gemp_layout_cut cut)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(hold(&r->h, b, &(gemp_layout_options){ .parts = GEMP_LAYOUT_IN, .cut = cut }, &r->t));
	GEMP_TRY_DONE(gemp_pagerank_new(&r->it, &r->h.layout, b->device, &(gemp_dense_options){ 0 }));
done:
	return code;
}

static gemp_code rank(ranking *r, const bench *b, uint32_t rounds)
{
	gemp_pagerank_result_free(&r->result);
	GEMP_MPI(MPI_Barrier(b->comm.world));
	return gemp_pagerank_run(r->it, &(gemp_pagerank_params){ .damping = 0.85, .rounds = rounds }, &r->result);
}

static void free_ranking(ranking *r)
{
	gemp_pagerank_result_free(&r->result);
	gemp_pagerank_free(r->it);
	timing_free(&r->t);
	let_go(&r->h);
}

gemp_code ours_pagerank(bench *b)
{
	gemp_code code = GEMP_OK;
	ranking all[CUTS] = { 0 };
	double *right = NULL;
	for (int c = 0; c < cuts_of(b); c++) {
		GEMP_TRY_DONE(new_ranking(&all[c], b, (gemp_layout_cut)c));
		GEMP_TRY_DONE(rank(&all[c], b, 2)); /* warms up */
	}
	for (unsigned run = 0; run < b->runs; run++) {
		for (int c = 0; c < cuts_of(b); c++) {
			GEMP_TRY_DONE(rank(&all[c], b, b->rounds));
			dense_run(&all[c].t, b, run, &all[c].result.report);
		}
		if (b->beside)
			beside_run(b->beside, PAGERANK, run, b->rounds);
	}
	GEMP_TRY_DONE(GEMP_NEW(right, b->graph.vertices));
	if (!b->unchecked)
		GEMP_TRY_DONE(true_ranks(&b->graph, b->rounds, 0.85, right));
	for (int c = 0; c < cuts_of(b); c++) {
		if (!b->unchecked)
			GEMP_TRY_DONE(check_reals(&all[c].h, b, "pagerank", all[c].result.rank, right, 1e-4));
		timing_print(&all[c].t, b, c ? "pagerank, on a grid" : "pagerank");
	}
done:
	gemp_free(right);
	for (int c = 0; c < CUTS; c++)
		free_ranking(&all[c]);
	return code;
}

typedef struct multiplying {
	held h;
	timing t;
	gemp_spmv *it;
	gemp_spmv_result result;
	double *x; /* [own] */
} multiplying;

/* Sets x to the vector that openmp.c multiplies. */
static gemp_code new_multiplying(multiplying *m, bench *b, gemp_layout_cut cut)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(hold(
		&m->h, b,
		&(gemp_layout_options){ .parts = GEMP_LAYOUT_IN, .weight = "weight", .wanted = GEMP_LAYOUT_SINGLE, .cut = cut },
		&m->t));
	GEMP_TRY_DONE(GEMP_NEW(m->x, m->h.layout.own));
	for (uint32_t v = 0; v < m->h.layout.own; v++)
		m->x[v] = 1.0 / (m->h.layout.id[v] % 1000 + 1);
	GEMP_TRY_DONE(gemp_spmv_new(&m->it, &m->h.layout, b->device, &(gemp_dense_options){ 0 }));
done:
	return code;
}

static gemp_code multiply(multiplying *m, const bench *b, uint32_t rounds)
{
	gemp_spmv_result_free(&m->result);
	GEMP_MPI(MPI_Barrier(b->comm.world));
	return gemp_spmv_run(m->it, &(gemp_spmv_params){ .x = m->x, .rounds = rounds }, &m->result);
}

static gemp_code check_product(multiplying *m, const bench *b)
{
	gemp_code code = GEMP_OK;
	double *all = NULL, *right = NULL;
	GEMP_TRY_DONE(multiply(m, b, 1));
	GEMP_TRY_DONE(GEMP_NEW(all, b->graph.vertices));
	GEMP_TRY_DONE(GEMP_NEW(right, b->graph.vertices));
	GEMP_TRY_DONE(by_id(&m->h, b, m->x, sizeof *m->x, all));
	true_product(&b->graph, b->weight, all, right);
	GEMP_TRY_DONE(check_reals(&m->h, b, "spmv", m->result.y, right, 1e-5));
done:
	gemp_free(all);
	gemp_free(right);
	return code;
}

static void free_multiplying(multiplying *m)
{
	gemp_free(m->x);
	gemp_spmv_result_free(&m->result);
	gemp_spmv_free(m->it);
	timing_free(&m->t);
	let_go(&m->h);
}

gemp_code ours_spmv(bench *b)
{
	gemp_code code = GEMP_OK;
	multiplying all[CUTS] = { 0 };
	for (int c = 0; c < cuts_of(b); c++) {
		GEMP_TRY_DONE(new_multiplying(&all[c], b, (gemp_layout_cut)c));
		GEMP_TRY_DONE(multiply(&all[c], b, b->rounds)); /* warms up */
	}
	for (unsigned run = 0; run < b->runs; run++) {
		for (int c = 0; c < cuts_of(b); c++) {
			GEMP_TRY_DONE(multiply(&all[c], b, b->rounds));
			dense_run(&all[c].t, b, run, &all[c].result.report);
		}
		if (b->beside)
			beside_run(b->beside, SPMV, run, b->rounds);
	}
	for (int c = 0; c < cuts_of(b); c++) {
		if (!b->unchecked)
			GEMP_TRY_DONE(check_product(&all[c], b));
		timing_print(&all[c].t, b, c ? "spmv, on a grid" : "spmv");
	}
done:
	for (int c = 0; c < CUTS; c++)
		free_multiplying(&all[c]);
	return code;
}
