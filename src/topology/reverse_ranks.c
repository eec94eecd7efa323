/* Edges to the owners of their targets, in rounds of bounded size, each to its place among those of its source. */
#include "core/memory.h"
#include "core/threads.h"
#include "topology/edge_pairs.h"
#include "topology/reverse_host.h"

#include <string.h>

enum { EDGES_A_PIECE = 1 << 15 };

size_t gemp_reverse_step = (size_t)1 << 22;

typedef struct sending {
	const gemp_comm *comm;
	const uint64_t *bounds;
	const gemp_csr *csr;
	gemp_traffic *traffic;
	uint64_t begin, end;       /* edges of this round */
	gemp_edge_pair *pairs;     /* [step] */
	int *owner;                /* [step] */
	uint64_t *place;           /* [ranks + 1] of the next edge from each rank */
	gemp_vertex *source, *target; /* of edges that came */
} sending;

static void pack_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const sending *s = context;
	uint64_t edge = s->begin + (uint64_t)piece * EDGES_A_PIECE;
	uint64_t end = s->end - edge < EDGES_A_PIECE ? s->end : edge + EDGES_A_PIECE;
	for (size_t row = gemp_csr_row(s->csr, edge); edge < end; edge++) {
		while (edge >= s->csr->begin[row + 1])
			row++;
		gemp_vertex target = s->csr->target[edge];
		s->pairs[edge - s->begin] = (gemp_edge_pair){ s->csr->first + (gemp_vertex)row, target };
		s->owner[edge - s->begin] = (int)gemp_range_of(s->bounds, (size_t)s->comm->size, target);
	}
}

static void pack_round(sending *s, uint64_t round)
{
	uint64_t edges = gemp_csr_edges(s->csr), step = gemp_reverse_step;
	s->begin = round * step < edges ? round * step : edges;
	s->end = edges - s->begin < step ? edges : s->begin + step;
	gemp_parallel_for((size_t)((s->end - s->begin + EDGES_A_PIECE - 1) / EDGES_A_PIECE), pack_piece, s);
}

/* Collective. place[] becomes where the edges of each rank begin. */
static void count_edges(sending *s, uint64_t rounds)
{
	int ranks = s->comm->size;
	uint64_t sum = 0;
	memset(s->place, 0, ((size_t)ranks + 1) * sizeof *s->place);
	for (uint64_t round = 0; round < rounds; round++) {
		pack_round(s, round);
		for (uint64_t i = 0; i < s->end - s->begin; i++)
			s->place[s->owner[i]]++;
	}
	GEMP_MPI(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_UINT64_T, s->place, 1, MPI_UINT64_T, s->comm->world));
	for (int r = 0; r <= ranks; r++) {
		uint64_t count = s->place[r];
		s->place[r] = sum;
		sum += count;
	}
}

/* Collective. */
static gemp_code send_round(sending *s, uint64_t round)
{
	gemp_code code = GEMP_OK;
	void *came = NULL;
	size_t *from = NULL;
	pack_round(s, round);
	GEMP_TRY(gemp_exchange_records(s->comm, s->pairs, (size_t)(s->end - s->begin), sizeof *s->pairs, s->owner,
	                               &came, &from, s->traffic));
	for (int r = 0; r < s->comm->size; r++)
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			const gemp_edge_pair pair = ((const gemp_edge_pair *)came)[i];
			s->source[s->place[r]] = pair.source;
			s->target[s->place[r]++] = pair.target;
		}
done:
	gemp_free(came);
	gemp_free(from);
	return code;
}

gemp_code gemp_reverse_ranks(gemp_reversed *out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                             bool edges)
{
	gemp_code code = GEMP_OK;
	uint64_t all = gemp_csr_edges(csr), rounds = (all + gemp_reverse_step - 1) / gemp_reverse_step;
	uint64_t room = all < gemp_reverse_step ? all : gemp_reverse_step;
	sending s = { .comm = comm, .bounds = bounds, .csr = csr, .traffic = &out->traffic };
	double since = gemp_now();
	*out = (gemp_reversed){ 0 };
	code = GEMP_NEW(s.pairs, room);
	if (code == GEMP_OK)
		code = GEMP_NEW(s.owner, room);
	if (code == GEMP_OK)
		code = GEMP_NEW(s.place, (size_t)comm->size + 1);
	GEMP_TRY(gemp_comm_agree(comm, code));
	count_edges(&s, rounds);
	size_t count = (size_t)s.place[comm->size];
	code = gemp_reversed_new(out, csr->rows, count, edges);
	if (code == GEMP_OK)
		code = GEMP_NEW(s.source, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(s.target, count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_max(comm, &rounds, 1);
	for (uint64_t round = 0; round < rounds; round++)
		GEMP_TRY(send_round(&s, round));
	const gemp_targets came = { csr->first, csr->rows, count, s.target, NULL, s.source };
	GEMP_TRY(gemp_comm_agree(comm, gemp_reverse_on_host(out, &came)));
	out->seconds = gemp_now() - since;
done:
	gemp_free(s.pairs);
	gemp_free(s.owner);
	gemp_free(s.place);
	gemp_free(s.source);
	gemp_free(s.target);
	if (code != GEMP_OK)
		gemp_reversed_free(out);
	return code;
}
