#include "partition/view_shared.h"

#include "core/memory.h"

#include <string.h>

enum { ALIGNED = 128, PIECE = 1 << 24 };

/* The first ranks of the nodes, among themselves. */
typedef struct nodes {
	int count;
	gemp_comm between; /* size 0 on other ranks */
	int *node_of;      /* [ranks] as between has them */
} nodes;

/* Collective. Of one node nothing has to be known. */
static gemp_code find_nodes(nodes *out, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	int own = 0;
	*out = (nodes){ .count = (int)gemp_comm_sum1(comm, comm->node_rank == 0) };
	if (out->count == 1)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->node_of, (size_t)comm->size)));
	MPI_Comm firsts;
	GEMP_MPI(MPI_Comm_split(comm->world, comm->node_rank == 0 ? 0 : MPI_UNDEFINED, comm->rank, &firsts));
	if (firsts != MPI_COMM_NULL) {
		gemp_comm_new(&out->between, firsts);
		GEMP_MPI(MPI_Comm_free(&firsts));
	}
	own = out->between.rank;
	GEMP_MPI(MPI_Bcast(&own, 1, MPI_INT, 0, comm->node));
	GEMP_MPI(MPI_Allgather(&own, 1, MPI_INT, out->node_of, 1, MPI_INT, comm->world));
done:
	return code;
}

static void forget_nodes(nodes *n)
{
	if (n->between.size)
		gemp_comm_free(&n->between);
	gemp_free(n->node_of);
}

/* Where an array of `size` bytes goes in the block; *end is where the next begins. */
static size_t place(size_t *end, size_t size)
{
	size_t at = *end;
	*end = (at + size + ALIGNED - 1) / ALIGNED * ALIGNED;
	return at;
}

/* Collective. */
static bool make_room(gemp_view *out, const gemp_comm *comm, size_t rows, size_t entries, bool edges)
{
	size_t size = 0;
	size_t begin = place(&size, (rows + 1) * sizeof *out->begin);
	size_t narrow = place(&size, (rows + 1) * sizeof *out->narrow);
	size_t near = place(&size, (entries + 1) * sizeof *out->neighbours);
	size_t numbers = edges ? place(&size, (entries + 1) * sizeof *out->edges) : 0;
	if (!gemp_shared_new(&out->shared, comm, size))
		return false;
	char *bytes = out->shared.bytes;
	out->rows = rows;
	out->begin = (uint64_t *)(void *)(bytes + begin);
	out->narrow = (uint32_t *)(void *)(bytes + narrow);
	out->neighbours = (gemp_vertex *)(void *)(bytes + near);
	out->edges = edges ? (gemp_edge *)(void *)(bytes + numbers) : NULL;
	return true;
}

/* Collective. Sizes of all rows, each from its owner, and then where they begin. */
static void lay_out(gemp_view *out, const nodes *n, const gemp_residency *residency, const gemp_view *own)
{
	uint64_t sum = 0, before, all;
	size_t first, end;
	gemp_shared_part(&out->shared, out->rows + 1, &first, &end);
	memset(out->begin + first, 0, (end - first) * sizeof *out->begin);
	gemp_shared_fence(&out->shared);
	for (size_t r = 0; r < own->rows; r++)
		out->begin[residency->own_slots[r] + 1] = own->begin[r + 1] - own->begin[r];
	gemp_shared_fence(&out->shared);
	for (size_t at = 0; n->between.size && at < out->rows; at += PIECE)
		gemp_comm_sum(&n->between, out->begin + 1 + at, (int)(out->rows - at < PIECE ? out->rows - at : PIECE));
	gemp_shared_fence(&out->shared);
	for (size_t i = first; i < end; i++)
		sum += out->begin[i];
	gemp_shared_sums(&out->shared, &sum, &before, &all, 1);
	for (size_t i = first; i < end; i++) {
		before += out->begin[i];
		out->begin[i] = before;
		out->narrow[i] = (uint32_t)before; /* read where all fit */
	}
	gemp_shared_fence(&out->shared);
}

static void copy_own(gemp_view *out, const gemp_residency *residency, const gemp_view *own)
{
	for (size_t r = 0; r < own->rows; r++) {
		size_t count = (size_t)(own->begin[r + 1] - own->begin[r]);
		uint64_t to = out->begin[residency->own_slots[r]];
		memcpy(out->neighbours + to, own->neighbours + own->begin[r], count * sizeof *out->neighbours);
		if (own->edges)
			memcpy(out->edges + to, own->edges + own->begin[r], count * sizeof *out->edges);
	}
}

/* BETWEEN NODES. */
typedef struct passing {
	const nodes *nodes;
	const gemp_graph *graph;
	const gemp_order *order;
	const gemp_view *view;
} passing;

static int node_of(const passing *p, size_t slot)
{
	return p->nodes->node_of[gemp_graph_owner(p->graph, p->order->id_of[slot])];
}

/* Collective over the first ranks. Values of `width` bytes in the rows of slots [first, end). */
static gemp_code pass_slots(const passing *p, size_t first, size_t end, char *values, size_t width)
{
	gemp_code code = GEMP_OK;
	char *mine = NULL, *all = NULL;
	size_t *begin = NULL, count = 0;
	const uint64_t *at = p->view->begin;
	const gemp_comm *between = &p->nodes->between;
	GEMP_TRY(gemp_comm_agree(between, GEMP_NEW(mine, (size_t)(at[end] - at[first]) * width)));
	for (size_t s = first; s < end; s++)
		if (node_of(p, s) == between->rank) {
			size_t bytes = (size_t)(at[s + 1] - at[s]) * width;
			memcpy(mine + count, values + at[s] * width, bytes);
			count += bytes;
		}
	GEMP_TRY(gemp_comm_gather_all(between, mine, count, (void **)&all, &begin));
	for (size_t s = first; s < end; s++) {
		size_t bytes = (size_t)(at[s + 1] - at[s]) * width, *from = &begin[node_of(p, s)];
		memcpy(values + at[s] * width, all + *from, bytes);
		*from += bytes;
	}
done:
	gemp_free(mine);
	gemp_free(all);
	gemp_free(begin);
	return code;
}

/* Collective over the first ranks. */
static gemp_code pass(const passing *p)
{
	gemp_code code = GEMP_OK;
	const gemp_view *view = p->view;
	for (size_t first = 0, end; first < view->rows; first = end) {
		for (end = first + 1; end < view->rows && view->begin[end + 1] - view->begin[first] <= gemp_view_piece;)
			end++;
		GEMP_TRY(pass_slots(p, first, end, (char *)view->neighbours, sizeof *view->neighbours));
		if (view->edges)
			GEMP_TRY(pass_slots(p, first, end, (char *)view->edges, sizeof *view->edges));
	}
done:
	return code;
}

gemp_code gemp_view_share(gemp_view *out, bool *shared, const gemp_comm *comm, const gemp_graph *graph,
                          const gemp_order *order, const gemp_residency *residency, const gemp_view *own)
{
	gemp_code code = GEMP_OK;
	nodes n = { 0 };
	uint64_t entries = gemp_comm_sum1(comm, own->begin[own->rows]);
	*shared = make_room(out, comm, (size_t)residency->hot, (size_t)entries, own->edges != NULL);
	if (!*shared)
		return GEMP_OK;
	GEMP_TRY(find_nodes(&n, comm));
	lay_out(out, &n, residency, own);
	copy_own(out, residency, own);
	gemp_shared_fence(&out->shared);
	out->loops = own->loops;
	if (n.count == 1)
		goto done;
	if (n.between.size)
		code = pass(&(passing){ &n, graph, order, out });
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_shared_fence(&out->shared);
done:
	forget_nodes(&n);
	return code;
}
