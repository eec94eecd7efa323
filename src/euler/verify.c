#include "euler/verify.h"

#include "core/bitset.h"
#include "core/threads.h"

#include <assert.h>
#include <stdatomic.h>

/* The check shares no code with the engines except the query for slots. For each place, the rank of the place requests
 * the ends of the edge from the rank of the edge, which marks the edge as visited. A second request for an edge shows a
 * repeated edge, and an edge without a mark is missing in the order. */

/* The ends of an edge, packed into one number for requests. */
typedef union edge_ends {
	struct {
		gemp_vertex source, target;
	};
	uint64_t both;
} edge_ends;

/* The data of a check: arrays by own slot, and the ends of the edges at own places. */
typedef struct verification {
	const gemp_comm *comm;
	const gemp_euler_edges *edges;
	const gemp_euler_order *order;
	gemp_vertex *source;        /* [own slots] */
	uint64_t *visited;          /* [own slots / 64 + 1] a bit for each own slot */
	_Atomic gemp_edge repeated; /* an own slot that was requested twice, or GEMP_NO_EDGE */
	edge_ends *ends;            /* [order->count] ends of the edge at each place */
} verification;

/* Sets the source of each own slot, so a request costs no binary search. */
static void fill_sources(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const verification *v = self;
	const gemp_euler_edges *edges = v->edges;
	for (size_t row = begin; row < end; row++)
		for (uint64_t slot = edges->begin[row]; slot < edges->begin[row + 1]; slot++)
			v->source[slot] = (gemp_vertex)(edges->bounds[edges->rank] + row);
}

/* Request handler: marks a slot as visited and returns its ends. */
static uint64_t mark_seen(void *self, gemp_edge slot)
{
	verification *v = self;
	uint64_t own = slot - v->edges->first;
	if (gemp_bits64_set_atomic(v->visited, own))
		atomic_store(&v->repeated, slot);
	return (edge_ends){ { v->source[own], v->edges->target[own] } }.both;
}

/* Checks that every own slot is visited exactly once, except the closing slot, which must not be in the order. */
static gemp_code check_seen(const verification *v)
{
	const gemp_euler_edges *edges = v->edges;
	uint64_t own = edges->begin[edges->rows];
	if (v->repeated != GEMP_NO_EDGE)
		return gemp_fail(GEMP_EINTERNAL, "--verify: the edge in slot %" PRIu64 " is in the order twice", v->repeated);
	for (uint64_t slot = 0; slot < own; slot++) {
		bool seen = gemp_bits64_test(v->visited, slot), closing = edges->first + slot == edges->closing;
		if (seen == closing)
			return gemp_fail(GEMP_EINTERNAL,
			                 closing ? "--verify: slot %" PRIu64 ", which closes the path, is in the order"
			                         : "--verify: the edge in slot %" PRIu64 " is not in the order",
			                 edges->first + slot);
	}
	return GEMP_OK;
}

/* Local. Checks within this rank that each edge begins where the previous edge ends, and that the sources of the order
 * are the sources of its edges. */
static gemp_code check_steps(const verification *v)
{
	const gemp_euler_order *order = v->order;
	for (size_t i = 0; i < order->count; i++) {
		if (order->source && order->source[i] != v->ends[i].source)
			return gemp_fail(GEMP_EINTERNAL, "--verify: the edge at place %" PRIu64 " begins at vertex %u, not at %u",
			                 order->first + i, v->ends[i].source, order->source[i]);
		if (i && v->ends[i].source != v->ends[i - 1].target)
			return gemp_fail(GEMP_EINTERNAL,
			                 "--verify: the edge at place %" PRIu64 " begins at vertex %u, but the one "
			                 "before ends at %u",
			                 order->first + i, v->ends[i].source, v->ends[i - 1].target);
	}
	return GEMP_OK;
}

/* The first and the last edge in the places of a rank. */
typedef struct boundary {
	uint64_t first_place, count;
	edge_ends first_edge, last_edge;
} boundary;

/* All ranks evaluate the same checks: places are consecutive over the ranks, edges connect across ranks, and the
 * circuit closes or the path has the right ends. */
static gemp_code check_boundaries(const verification *v, const boundary *boundaries)
{
	const gemp_euler_edges *edges = v->edges;
	bool path = edges->path_start != GEMP_NO_VERTEX;
	uint64_t at = 0;
	gemp_vertex start = GEMP_NO_VERTEX, end = GEMP_NO_VERTEX;
	for (int r = 0; r < v->comm->size; r++) {
		const boundary *b = &boundaries[r];
		if (!b->count)
			continue;
		if (b->first_place != at)
			return gemp_fail(GEMP_EINTERNAL, "--verify: rank %d has places from %" PRIu64 " on, not %" PRIu64, r,
			                 b->first_place, at);
		if (at && b->first_edge.source != end)
			return gemp_fail(GEMP_EINTERNAL,
			                 "--verify: the edge at place %" PRIu64 " begins at vertex %u, but the one "
			                 "before ends at %u",
			                 at, b->first_edge.source, end);
		if (!at)
			start = b->first_edge.source;
		end = b->last_edge.target;
		at += b->count;
	}
	if (at != edges->edges - (path && edges->edges))
		return gemp_fail(GEMP_EINTERNAL, "--verify: %" PRIu64 " places for %" PRIu64 " edges", at, edges->edges - path);
	if (at && (path ? start != edges->path_start || end != edges->path_end : start != end))
		return gemp_fail(GEMP_EINTERNAL, "--verify: the order goes from vertex %u to %u", start, end);
	return GEMP_OK;
}

/* Collective. Each rank contributes its first and last edge. */
static gemp_code gather_boundaries(const verification *v)
{
	const gemp_euler_order *order = v->order;
	GEMP_OWNED void *boundaries = NULL;
	GEMP_OWNED size_t *begin = NULL;
	boundary own = { .first_place = order->first, .count = order->count };
	if (order->count) {
		own.first_edge = v->ends[0];
		own.last_edge = v->ends[order->count - 1];
	}
	GEMP_TRY(gemp_comm_allgather(v->comm, GEMP_OK, &own, sizeof own, &boundaries, &begin));
	return check_boundaries(v, boundaries);
}

/* Local. Makes the arrays of a check. */
static gemp_code allocate(verification *v)
{
	uint64_t own = v->edges->begin[v->edges->rows];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(v->source, own), GEMP_ARRAY(v->visited, own / 64 + 1),
	                      GEMP_ARRAY(v->ends, v->order->count)));
	gemp_for_ranges(v->edges->rows, fill_sources, v);
	return GEMP_OK;
}

/* The ranks agree on both local checks before they gather the boundaries. A rank that returned early would leave the
 * other ranks waiting in this collective call. */
gemp_code gemp_euler_verify(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_euler_order *order)
{
	assert(gemp_euler_edges_is_valid(edges));
	gemp_code code = GEMP_OK;
	verification v = { .comm = comm, .edges = edges, .order = order, .repeated = GEMP_NO_EDGE };
	GEMP_TRY_DONE(gemp_comm_agree(comm, allocate(&v)));
	GEMP_TRY_DONE(gemp_euler_query_slots(comm, edges, order->edge, order->count, mark_seen, &v, &v.ends->both));
	code = check_seen(&v);
	GEMP_THEN(check_steps(&v));
	GEMP_TRY_DONE(gemp_comm_agree(comm, code));
	GEMP_TRY_DONE(gather_boundaries(&v));
done:
	gemp_free_all(v.source, v.visited, v.ends);
	return code;
}
