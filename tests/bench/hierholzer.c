/* hierholzer: finds an Euler circuit by Hierholzer's method with one thread and without recursion. `gemp-mpi euler` is
 * compared with this program.
 *     hierholzer G.h5 [REPEAT] > REPORT.json
 * Two layouts of the graph are measured. plain: rows, targets, and for each vertex the range of its unused edges.
 * packed: this range lies in front of the vertex's row, and targets are positions of rows, so that a step needs one
 * cache line instead of two; the time includes making this layout.
 *
 * Two numberings of the vertices are measured: that of the file, which is random, and the keys if they are the numbers
 * from 0. A generator gives neighbouring vertices close keys. The memory was written before, and is in huge pages if
 * the system has them. Times are the best of REPEAT runs, from the rows to the order of edges. Each circuit is
 * checked. */
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct csr {
	uint32_t vertices, edges;
	uint32_t *begin, *target;
} csr;

/* An edge on the path from the start to the current vertex, and the edge's source: a vertex, or in the packed layout
 * the position of the vertex's row. */
typedef struct step {
	uint32_t source, slot;
} step;

typedef struct unused {
	uint32_t next, end;
} unused;

typedef struct space {
	unused *row;      /* [vertices] of the plain layout */
	uint32_t *packed; /* [edges + HEAD * vertices] */
	step *trail;      /* [edges] */
	uint32_t *order;  /* [edges] slots */
} space;

enum { HEAD = 3 }; /* words before a packed row: next, end, vertex */

static double processor_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t first_vertex(const csr *g)
{
	uint32_t v = 0;
	while (v < g->vertices && g->begin[v] == g->begin[v + 1])
		v++;
	return v;
}

/* Returns the number of edges that are missing from the order. 0 does not prove that the order is a circuit: is_circuit
 * checks that. */
static uint32_t plain(const csr *g, const space *s)
{
	uint32_t left = g->edges, v = first_vertex(g);
	size_t depth = 0;
	for (uint32_t i = 0; i < g->vertices; i++)
		s->row[i] = (unused){ g->begin[i], g->begin[i + 1] };
	for (;;) {
		if (s->row[v].next < s->row[v].end) {
			uint32_t slot = s->row[v].next++;
			s->trail[depth++] = (step){ v, slot };
			v = g->target[slot];
		} else if (depth > 0) {
			v = s->trail[--depth].source;
			s->order[--left] = s->trail[depth].slot;
		} else {
			return left;
		}
	}
}

static void pack(const csr *g, uint32_t *packed)
{
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t at = g->begin[v] + HEAD * v, count = g->begin[v + 1] - g->begin[v];
		packed[at] = at + HEAD;
		packed[at + 1] = at + HEAD + count;
		packed[at + 2] = v;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t target = g->target[g->begin[v] + i];
			packed[at + HEAD + i] = g->begin[target] + HEAD * target;
		}
	}
}

static uint32_t packed(const csr *g, const space *s)
{
	uint32_t left = g->edges, v = first_vertex(g), *row = s->packed;
	size_t depth = 0;
	pack(g, row);
	v = g->begin[v] + HEAD * v;
	for (;;) {
		if (row[v] < row[v + 1]) {
			uint32_t place = row[v]++;
			s->trail[depth++] = (step){ v, place - HEAD * (row[v + 2] + 1) };
			v = row[place];
		} else if (depth > 0) {
			v = s->trail[--depth].source;
			s->order[--left] = s->trail[depth].slot;
		} else {
			return left;
		}
	}
}

/* True if each slot occurs once and each edge begins where the edge before it ends. Overwrites the trail. */
static bool is_circuit(const csr *g, const space *s)
{
	uint32_t *source = (uint32_t *)s->trail;
	uint8_t *seen = (uint8_t *)(source + g->edges);
	memset(seen, 0, g->edges);
	for (uint32_t v = 0; v < g->vertices; v++)
		for (uint32_t e = g->begin[v]; e < g->begin[v + 1]; e++)
			source[e] = v;
	for (uint32_t i = 0; i < g->edges; i++) {
		uint32_t e = s->order[i], after = s->order[i + 1 < g->edges ? i + 1 : 0];
		if (seen[e]++ || g->target[e] != source[after])
			return false;
	}
	return true;
}

/* new_id[old] is the vertex's key if keys are the numbers from 0; otherwise *new_id is NULL. */
static gemp_code order_of_keys(uint32_t **new_id, gemp_shard *graph)
{
	gemp_code code = gemp_shard_load_keys(graph);
	*new_id = NULL;
	if (code != GEMP_OK || graph->keys.type != GEMP_INTEGER)
		return code;
	code = GEMP_NEW(*new_id, graph->rows);
	for (size_t v = 0; v < graph->rows && code == GEMP_OK && *new_id; v++) {
		int64_t key = gemp_column_get(&graph->keys, v).integer;
		(*new_id)[v] = (uint32_t)key;
		if (key < 0 || (uint64_t)key >= graph->vertex_count) {
			gemp_free(*new_id);
			*new_id = NULL;
		}
	}
	return code;
}

/* If new_id is NULL, vertices keep their numbers. */
static gemp_code copy_rows(csr *g, const gemp_relation *relation, const uint32_t *new_id)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(GEMP_NEW(g->begin, g->vertices + 1));
	GEMP_TRY_DONE(GEMP_NEW(g->target, g->edges));
	for (uint32_t v = 0; v < g->vertices; v++)
		g->begin[(new_id ? new_id[v] : v) + 1] = (uint32_t)(relation->out_offsets[v + 1] - relation->out_offsets[v]);
	for (uint32_t v = 0; v < g->vertices; v++)
		g->begin[v + 1] += g->begin[v];
	for (uint32_t v = 0; v < g->vertices; v++)
		for (uint64_t e = relation->out_offsets[v], to = g->begin[new_id ? new_id[v] : v];
		     e < relation->out_offsets[v + 1]; e++)
			g->target[to++] = new_id ? new_id[relation->out_targets[e]] : relation->out_targets[e];
done:
	return code;
}

/* by_key->vertices is 0 if keys do not define an order. */
static gemp_code open_graph(csr *g, csr *by_key, const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = NULL;
	uint32_t *new_id = NULL;
	GEMP_TRY_DONE(gemp_graph_file_open(&graph, comm, path, false));
	if (graph->relation_count != 1 || gemp_shard_edges(graph) + HEAD * graph->vertex_count > UINT32_MAX)
		return gemp_fail(GEMP_EDATA, "%s: one type of edges is needed, and edges that 32 bits number", path);
	GEMP_TRY_DONE(gemp_shard_load_relation(graph, 0, GEMP_LOAD_OUT));
	*g = (csr){ .vertices = (uint32_t)graph->vertex_count, .edges = (uint32_t)gemp_shard_edges(graph) };
	*by_key = *g;
	GEMP_TRY_DONE(copy_rows(g, &graph->relations[0], NULL));
	GEMP_TRY_DONE(order_of_keys(&new_id, graph));
	if (new_id)
		GEMP_TRY_DONE(copy_rows(by_key, &graph->relations[0], new_id));
	else
		by_key->vertices = 0;
done:
	gemp_free(new_id);
	gemp_shard_free(graph);
	return code;
}

static gemp_code make_space(space *s, const csr *g)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(GEMP_NEW(s->row, g->vertices));
	GEMP_TRY_DONE(GEMP_NEW(s->packed, (size_t)g->edges + HEAD * (size_t)g->vertices));
	GEMP_TRY_DONE(GEMP_NEW(s->trail, g->edges));
	GEMP_TRY_DONE(GEMP_NEW(s->order, g->edges));
	memset(s->row, 1, g->vertices * sizeof *s->row);
	memset(s->packed, 1, ((size_t)g->edges + HEAD * (size_t)g->vertices) * sizeof *s->packed);
	memset(s->trail, 1, g->edges * sizeof *s->trail);
	memset(s->order, 1, g->edges * sizeof *s->order);
done:
	return code;
}

typedef struct timing {
	double wall, processor;
} timing;

/* The best of several runs. Returns false if there is no circuit. */
static bool measure(timing *best, uint32_t (*find)(const csr *, const space *), const csr *g, const space *s,
                    int repeat)
{
	*best = (timing){ 1e9, 1e9 };
	for (int run = 0; run < repeat; run++) {
		double processor = processor_seconds(), wall = gemp_now();
		uint32_t left = find(g, s);
		wall = gemp_now() - wall;
		processor = processor_seconds() - processor;
		best->wall = wall < best->wall ? wall : best->wall;
		best->processor = processor < best->processor ? processor : best->processor;
		if (left || !is_circuit(g, s))
			return false;
	}
	return true;
}

/* Measures both layouts and prints the times as a field of a JSON object. */
static gemp_code report(const char *name, const csr *g, const space *s, int repeat)
{
	timing by_plain, by_packed;
	if (!measure(&by_plain, plain, g, s, repeat) || !measure(&by_packed, packed, g, s, repeat))
		return gemp_fail(GEMP_EDATA, "has no Euler circuit");
	printf(", \"%s\": {\"plain\": {\"seconds\": %.6f, \"processor\": %.6f}, \"packed\": {\"seconds\": %.6f, "
	       "\"processor\": %.6f}}",
	       name, by_plain.wall, by_plain.processor, by_packed.wall, by_packed.processor);
	return GEMP_OK;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	gemp_comm comm;
	csr g = { 0 }, by_key = { 0 };
	space s = { 0 };
	int repeat = argc > 2 ? atoi(argv[2]) : 3;
	if (argc < 2 || repeat < 1)
		return fprintf(stderr, "usage: hierholzer G.h5 [REPEAT]\n"), GEMP_EUSAGE;
	GEMP_MPI(MPI_Init(&argc, &argv));
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	GEMP_TRY_DONE(open_graph(&g, &by_key, &comm, argv[1]));
	GEMP_TRY_DONE(make_space(&s, &g));
	printf("{\"vertices\": %" PRIu32 ", \"edges\": %" PRIu32, g.vertices, g.edges);
	GEMP_TRY_DONE(report("file", &g, &s, repeat));
	if (by_key.vertices)
		GEMP_TRY_DONE(report("keys", &by_key, &s, repeat));
	printf("}\n");
done:
	if (code != GEMP_OK)
		fprintf(stderr, "hierholzer: %s: %s\n", argv[1], gemp_message());
	void *const blocks[] = { g.begin, g.target, by_key.begin, by_key.target, s.row, s.packed, s.trail, s.order };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		gemp_free(blocks[i]);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return (int)code;
}
