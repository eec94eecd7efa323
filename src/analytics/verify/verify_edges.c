#include "analytics/verify/verify_edges.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/node_memory.h"
#include "core/threads.h"

#include <inttypes.h>
#include <stdio.h>

enum { CHUNK_ROWS = 4096, REDUCE_NUMBERS = 1 << 24 };

/* Every rank holds the values of all vertices, so the node needs the bytes once for each of its ranks. */
gemp_code gemp_verify_capacity(const gemp_verify_edges *edges, unsigned bytes)
{
	const gemp_comm *comm = edges->comm;
	uint64_t ranks = (uint64_t)comm->node_size, needed = edges->graph->vertex_count * bytes;
	uint64_t limit = gemp_limits_now()->verify_memory, free_bytes = limit ? limit : gemp_memory_available();
	gemp_code code = GEMP_OK;
	if (needed > free_bytes / ranks)
		code = gemp_fail(
			GEMP_ENOMEM,
			"--verify takes %u bytes for each of %" PRIu64 " vertices on every rank: %.3g GB for "
			"the %" PRIu64 " of this node, which has %.3g GB left; run it with fewer ranks a node, or without it",
			bytes, edges->graph->vertex_count, 1e-9 * (double)needed * (double)ranks, ranks, 1e-9 * (double)free_bytes);
	return gemp_comm_agree(comm, code);
}

/* Only the first fault is kept, since a message names one fault. */
void gemp_verify_fault(verify_fault *fault, const char *what, uint64_t a, uint64_t b)
{
	if (atomic_exchange(&fault->taken, true))
		return;
	fault->what = what;
	fault->a = a;
	fault->b = b;
}

/* The lowest rank with a fault sends its vertices to the other ranks, since finding a key is collective. */
gemp_code gemp_verify_agree(const gemp_verify_edges *edges, const verify_fault *fault)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = edges->comm;
	uint64_t failed_rank = fault->what ? (uint64_t)comm->rank : (uint64_t)comm->size, ids[2] = { fault->a, fault->b };
	char a[256], b[256];
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &failed_rank, 1, MPI_UINT64_T, MPI_MIN, comm->world));
	if (failed_rank == (uint64_t)comm->size)
		return GEMP_OK;
	GEMP_MPI(MPI_Bcast(ids, 2, MPI_UINT64_T, (int)failed_rank, comm->world));
	GEMP_TRY(gemp_layout_print_key(comm, edges->graph, ids[0], a, sizeof a));
	GEMP_TRY(gemp_layout_print_key(comm, edges->graph, ids[1], b, sizeof b));
	if (failed_rank == (uint64_t)comm->rank)
		code = gemp_fail(GEMP_EINTERNAL, "--verify: '%s' %s '%s'", a, fault->what, b);
	return gemp_comm_agree(comm, code);
}

typedef struct edge_task {
	const gemp_verify_edges *edges;
	const gemp_relation *relation;
	const gemp_column *weight;
	bool forward, backward;
	gemp_verify_visit *visit;
	void *self;
} edge_task;

/* Visits the edges of a chunk of rows. One thread reports the progress. */
static void visit_rows(void *context, unsigned thread, size_t chunk)
{
	const edge_task *s = context;
	const gemp_shard *graph = s->edges->graph;
	if (thread == 0)
		gemp_progress("verifying", chunk, (graph->rows + CHUNK_ROWS - 1) / CHUNK_ROWS, 0);
	for (size_t row = chunk * CHUNK_ROWS; row < gemp_chunk_end(graph->rows, CHUNK_ROWS, chunk); row++)
		for (uint64_t e = s->relation->out_offsets[row]; e < s->relation->out_offsets[row + 1]; e++) {
			uint64_t source = graph->first_vertex + row, target = s->relation->out_targets[e];
			if (s->forward)
				s->visit(s->self, source, target, s->weight, e);
			if (s->backward && (!s->forward || source != target))
				s->visit(s->self, target, source, s->weight, e);
		}
}

/* Loading is collective. The visits are local, and all threads make them. */
gemp_code gemp_verify_each_edge(const gemp_verify_edges *edges, gemp_verify_visit *visit, void *self)
{
	gemp_shard *graph = edges->graph;
	GEMP_TRY(gemp_shard_load_keys(graph));
	for (size_t k = 0; k < graph->relation_count; k++) {
		const gemp_relation *relation = &graph->relations[k];
		edge_task s = { .edges = edges, .relation = relation, .visit = visit, .self = self };
		if (edges->relations && !edges->relations[k])
			continue;
		GEMP_TRY(gemp_shard_load_relation(graph, k, GEMP_LOAD_OUT | (edges->weight ? GEMP_LOAD_PROPS : 0u)));
		s.weight = edges->weight ? gemp_table_find(&relation->props, edges->weight) : NULL;
		s.forward = !relation->directed || edges->direction != GEMP_AGAINST;
		s.backward = !relation->directed || edges->direction != GEMP_ALONG;
		gemp_parallel_for((graph->rows + CHUNK_ROWS - 1) / CHUNK_ROWS, visit_rows, &s);
	}
	return GEMP_OK;
}

/* Ranks own consecutive ids in ascending order, so the concatenation of their arrays is indexed by id. */
gemp_code gemp_verify_gather(const gemp_verify_edges *edges, const void *own, size_t size, void **all)
{
	GEMP_OWNED size_t *begin = NULL;
	return gemp_comm_allgather(edges->comm, GEMP_OK, own, edges->graph->rows * size, all, &begin);
}

/* MPI counts in 32 bits, so large arrays are reduced in chunks. */
static void reduce(const gemp_comm *comm, void *numbers, uint64_t count, MPI_Datatype type, MPI_Op op)
{
	for (uint64_t at = 0; at < count; at += REDUCE_NUMBERS) {
		int chunk = (int)gemp_min(count - at, REDUCE_NUMBERS);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, (uint64_t *)numbers + at, chunk, type, op, comm->world));
	}
}

void gemp_verify_sum(const gemp_comm *comm, double *sums, uint64_t count)
{
	reduce(comm, sums, count, MPI_DOUBLE, MPI_SUM);
}

void gemp_verify_or(const gemp_comm *comm, uint64_t *words, uint64_t count)
{
	reduce(comm, words, count, MPI_UINT64_T, MPI_BOR);
}
