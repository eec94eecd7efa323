/* gas_cut: compares two cuts of a graph's edges, by target and in two dimensions: the values that ranks send in an
 * iteration in which every value changes, and the time that layouts take.
 *     gas_cut G.h5                      on one rank, a table: ranks, grid, values of both cuts, and values for each
 * edge
 *     gas_cut G.h5 layout [ATTRIBUTE]   seconds of making layouts, on any number of ranks
 *     gas_cut G.h5 exchange             milliseconds of exchanging the values of both cuts, 4 bytes each
 *
 * `exchange` needs 2 to 14 ranks, an even number, or 16 to 32 ranks, a multiple of 4. In two dimensions an edge u -> v
 * lies on the rank at the grid row of v and the grid column of u. The owner of u sends the value of u to the ranks of
 * its grid column that have edges from u. Each rank of v's grid row that has edges to v sends one partial sum to the
 * owner of v. */
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "graph/graph.h"
#include "io/graph_file/graph_file_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct cut {
	uint64_t vertices, ranks, columns;
	uint64_t *ghosts; /* [vertices] one bit for each rank that has edges from the vertex */
	uint8_t *column,
		/* [vertices] column: bits of the grid rows with edges from the vertex; row: bits of the grid columns with edges
		 * to it */
		*row;
	uint64_t *edges, *grid; /* [ranks] numbers of edges, cut by target and on the grid */
	uint64_t count;
} cut;

static uint64_t owner(const cut *c, uint64_t v)
{
	return v * c->ranks / c->vertices;
}

static void add(cut *c, uint64_t u, uint64_t v)
{
	uint64_t from = owner(c, u), to = owner(c, v), row = to / c->columns, column = from % c->columns;
	c->ghosts[u] |= UINT64_C(1) << to;
	c->column[u] |= (uint8_t)(1u << row);
	c->row[v] |= (uint8_t)(1u << column);
	c->edges[to]++;
	c->grid[row * c->columns + column]++;
	c->count++;
}

static void add_all(cut *c, const gemp_shard *graph)
{
	for (size_t k = 0; k < graph->relation_count; k++) {
		const gemp_relation *relation = &graph->relations[k];
		for (uint64_t u = 0; u < graph->vertex_count; u++)
			for (uint64_t e = relation->out_offsets[u]; e < relation->out_offsets[u + 1]; e++) {
				add(c, u, relation->out_targets[e]);
				if (!relation->directed && relation->out_targets[e] != u)
					add(c, relation->out_targets[e], u);
			}
	}
}

static double imbalance(const uint64_t *edges, uint64_t ranks)
{
	uint64_t most = 0, sum = 0;
	for (uint64_t r = 0; r < ranks; r++) {
		most = edges[r] > most ? edges[r] : most;
		sum += edges[r];
	}
	return (double)most * (double)ranks / (double)sum;
}

static void free_cut(cut *c)
{
	gemp_free(c->ghosts);
	gemp_free(c->column);
	gemp_free(c->row);
	gemp_free(c->edges);
	gemp_free(c->grid);
}

static gemp_code new_cut(cut *c, const gemp_shard *graph, uint64_t rows, uint64_t columns)
{
	gemp_code code = GEMP_OK;
	*c = (cut){ .vertices = graph->vertex_count, .ranks = rows * columns, .columns = columns };
	GEMP_TRY_DONE(GEMP_NEW(c->ghosts, c->vertices));
	GEMP_TRY_DONE(GEMP_NEW(c->column, c->vertices));
	GEMP_TRY_DONE(GEMP_NEW(c->row, c->vertices));
	GEMP_TRY_DONE(GEMP_NEW(c->edges, c->ranks));
	GEMP_TRY_DONE(GEMP_NEW(c->grid, c->ranks));
	add_all(c, graph);
done:
	return code;
}

static gemp_code print_cut(const gemp_shard *graph, uint64_t rows, uint64_t columns)
{
	gemp_code code = GEMP_OK;
	uint64_t one = 0, expand = 0, fold = 0;
	cut c;
	GEMP_TRY_DONE(new_cut(&c, graph, rows, columns));
	for (uint64_t v = 0; v < c.vertices; v++) {
		uint64_t own = owner(&c, v);
		one += (uint64_t)__builtin_popcountll(c.ghosts[v] & ~(UINT64_C(1) << own));
		expand += (uint64_t)__builtin_popcount(c.column[v] & ~(1u << own / columns));
		fold += (uint64_t)__builtin_popcount(c.row[v] & ~(1u << own % columns));
	}
	printf("%3llu  %llux%llu  %11llu %11llu + %9llu  %.4f %.4f  %.2f  %.3f %.3f\n", (unsigned long long)c.ranks,
	       (unsigned long long)rows, (unsigned long long)columns, (unsigned long long)one, (unsigned long long)expand,
	       (unsigned long long)fold, (double)one / (double)c.count, (double)(expand + fold) / (double)c.count,
	       (double)(expand + fold) / (double)one, imbalance(c.edges, c.ranks), imbalance(c.grid, c.ranks));
done:
	free_cut(&c);
	return code;
}

static gemp_code print_cuts(gemp_shard *graph)
{
	static const uint64_t grids[][2] = { { 2, 2 }, { 2, 4 }, { 4, 4 }, { 8, 8 } };
	gemp_code code = GEMP_OK;
	for (size_t k = 0; k < graph->relation_count; k++)
		GEMP_TRY_DONE(gemp_shard_load_relation(graph, k, GEMP_LOAD_OUT));
	printf("ranks grid  by target   expand + fold  an edge: by target, on the grid  ratio  imbalance of both\n");
	for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
		GEMP_TRY_DONE(print_cut(graph, grids[i][0], grids[i][1]));
done:
	return code;
}

enum { MOST_RANKS = 64, EXCHANGES = 3, TIMES = 40 };

/* values[exchange][from][to]: the number of values that rank `from` sends to rank `to`. Exchange 0 is that of the cut
 * by target; 1 sends values along grid columns, and 2 sends partial sums along grid rows. */
typedef struct plan {
	uint64_t values[EXCHANGES][MOST_RANKS][MOST_RANKS];
} plan;

static void make_plan(plan *p, const cut *c)
{
	for (uint64_t v = 0; v < c->vertices; v++) {
		uint64_t own = owner(c, v), row = own / c->columns, column = own % c->columns;
		for (uint64_t r = 0; r < c->ranks; r++) {
			p->values[0][own][r] += r != own && c->ghosts[v] >> r & 1;
			p->values[1][own][r] += r != own && r % c->columns == column && c->column[v] >> r / c->columns & 1;
			p->values[2][r][own] += r != own && r / c->columns == row && c->row[v] >> r % c->columns & 1;
		}
	}
}

static void exchange(const gemp_comm *comm, const plan *p, int which, char *out, char *in)
{
	MPI_Request requests[2 * MOST_RANKS];
	int posted = 0;
	for (int r = 0; r < comm->size; r++) {
		int came = (int)p->values[which][r][comm->rank] * 4;
		if (came)
			GEMP_MPI(MPI_Irecv(in, came, MPI_BYTE, r, GEMP_TAG_HALO, comm->world, &requests[posted++]));
		in += came;
	}
	for (int r = 0; r < comm->size; r++) {
		int size = (int)p->values[which][comm->rank][r] * 4;
		if (size)
			GEMP_MPI(MPI_Isend(out, size, MPI_BYTE, r, GEMP_TAG_HALO, comm->world, &requests[posted++]));
		out += size;
	}
	GEMP_MPI(MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE));
}

static double time_exchanges(const gemp_comm *comm, const plan *p, int first, int end, char *out, char *in)
{
	GEMP_MPI(MPI_Barrier(comm->world));
	double since = gemp_now();
	for (int which = first; which < end; which++)
		exchange(comm, p, which, out, in);
	GEMP_MPI(MPI_Barrier(comm->world));
	return gemp_now() - since;
}

static gemp_code time_cuts(const gemp_comm *comm, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	uint64_t rows = comm->size >= 16 ? 4 : 2;
	double best[2] = { 1e9, 1e9 };
	plan *p = NULL;
	char *out = NULL, *in = NULL;
	cut c;
	GEMP_TRY_DONE(new_cut(&c, graph, rows, (uint64_t)comm->size / rows));
	GEMP_TRY_DONE(GEMP_NEW(p, 1));
	make_plan(p, &c);
	GEMP_TRY_DONE(GEMP_NEW(out, c.vertices * 4 * (uint64_t)comm->size));
	GEMP_TRY_DONE(GEMP_NEW(in, c.vertices * 4 * (uint64_t)comm->size));
	for (int i = 0; i < 2 * TIMES; i++) {
		double seconds = i % 2 ? time_exchanges(comm, p, 1, 3, out, in) : time_exchanges(comm, p, 0, 1, out, in);
		best[i % 2] = seconds < best[i % 2] ? seconds : best[i % 2];
	}
	if (comm->rank == 0)
		printf("%d ranks: by target %.3f ms, on a grid of %d rows %.3f ms\n", comm->size, best[0] * 1e3, (int)rows,
		       best[1] * 1e3);
done:
	free_cut(&c);
	gemp_free(p);
	gemp_free(out);
	gemp_free(in);
	return code;
}

/* Collective. Each rank holds the whole graph. */
static gemp_code print_exchanges(const gemp_comm *comm, const char *path)
{
	gemp_code code = GEMP_OK;
	gemp_comm self;
	gemp_shard *graph = NULL;
	gemp_comm_new(&self, MPI_COMM_SELF);
	GEMP_TRY_DONE(gemp_graph_file_open(&graph, &self, path, false));
	for (size_t k = 0; k < graph->relation_count; k++)
		GEMP_TRY_DONE(gemp_shard_load_relation(graph, k, GEMP_LOAD_OUT));
	code = time_cuts(comm, graph);
done:
	gemp_shard_free(graph);
	gemp_comm_free(&self);
	return code;
}

static gemp_code print_layout(const gemp_comm *comm, gemp_shard *graph, const char *name,
                              const gemp_layout_options *options)
{
	gemp_code code = GEMP_OK;
	gemp_layout layout;
	for (int i = 0; i < 3; i++) {
		size_t before = gemp_memory_live();
		clock_t since = clock();
		GEMP_TRY_DONE(gemp_layout_new(&layout, comm, graph, options));
		if (comm->rank == 0)
			printf(
				"%-10s %.3f s, %.0f M edges/s; rank 0: %.3f s of processors, %u own, %u ghosts, %zu MiB, peak %zu MiB\n",
				name, layout.seconds, (double)layout.edges / layout.seconds * 1e-6,
				(double)(clock() - since) / CLOCKS_PER_SEC, layout.own, layout.known - layout.own,
				(gemp_memory_live() - before) >> 20, gemp_memory_peak() >> 20);
		gemp_layout_free(&layout);
	}
done:
	return code;
}

static gemp_code print_layouts(const gemp_comm *comm, gemp_shard *graph, const char *weight)
{
	gemp_code code = GEMP_OK;
	gemp_layout_options options = { .parts = GEMP_LAYOUT_IN };
	GEMP_TRY_DONE(print_layout(comm, graph, "in", &options));
	options.parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT;
	GEMP_TRY_DONE(print_layout(comm, graph, "in, out", &options));
	if (weight) {
		options.weight = weight;
		GEMP_TRY_DONE(print_layout(comm, graph, "weighted", &options));
	}
done:
	return code;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_EUSAGE;
	gemp_comm comm;
	gemp_shard *graph = NULL;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	gemp_comm_share_cores(&comm);
	if (argc > 1)
		code = gemp_graph_file_open(&graph, &comm, argv[1], false);
	if (code == GEMP_OK && argc > 2 && strcmp(argv[2], "exchange") == 0)
		code = print_exchanges(&comm, argv[1]);
	else if (code == GEMP_OK)
		code = argc > 2 ? print_layouts(&comm, graph, argc > 3 ? argv[3] : NULL) : print_cuts(graph);
	if (code != GEMP_OK)
		fprintf(stderr, "gas_cut: %s\n", gemp_message());
	gemp_shard_free(graph);
	gemp_comm_free(&comm);
	MPI_Finalize();
	return code;
}
