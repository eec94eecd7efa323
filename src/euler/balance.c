#include "euler/balance.h"

#include "core/search.h"
#include "topology/components.h"

#include <stdlib.h>

/* Arc 2 s goes along slot s, and arc 2 s + 1 goes against it. An edge has an end at each of its vertices. An end is
 * named by the arc that leaves the vertex there; the opposite arc, x ^ 1, arrives at the vertex. Three exchanges orient
 * the edges. Ends go to the owners of their vertices, which pair them. Successors go to the ranks of their arcs.
 * Directed edges go to the ranks of their sources. */

/* In the first exchange: an end of an edge, sent to the owner of vertex `to`. In the second exchange: the successor of
 * arc `to`. */
typedef struct arc_record {
	uint64_t to, arc;
} arc_record;

/* An edge with its direction, sent to the rank of its source. */
typedef struct directed_edge {
	gemp_vertex source, target;
	uint64_t name; /* as in own_edge[] of gemp_euler_edges, or CLOSING */
} directed_edge;

#define CLOSING UINT64_MAX

typedef struct orientation {
	const gemp_comm *comm;
	const gemp_euler_edges *undirected;
	gemp_euler_edges *out;
	size_t ranks, own_slots;
	uint64_t *arc_bounds; /* [ranks + 1] the first arc of each rank */
	arc_record *records;  /* [record_capacity] at least 2 * own_slots */
	size_t record_capacity;
	int *owner; /* [owner_capacity] the rank to which each record goes */
	size_t owner_capacity;
	gemp_vertex *next; /* [2 * own_slots] the successor of each own arc */
	uint64_t odd;      /* number of vertices of odd degree */
} orientation;

/* Arcs become vertices of a component search, whose ids have 32 bits. */
static gemp_code allocate(orientation *o)
{
	o->ranks = (size_t)o->comm->size;
	o->own_slots = o->undirected->begin[o->undirected->rows];
	if (2 * o->undirected->edges > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EUSAGE, "%" PRIu64 " undirected edges: at most %" PRIu64 " can be given directions",
		                 o->undirected->edges, GEMP_MAX_VERTICES / 2);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(o->arc_bounds, o->ranks + 1), GEMP_ARRAY(o->next, 2 * o->own_slots)));
	GEMP_TRY(GEMP_RESERVE(o->records, o->record_capacity, 2 * o->own_slots + 1));
	return GEMP_RESERVE(o->owner, o->owner_capacity, 2 * o->own_slots + 1);
}

/* SUCCESSORS */

/* Collective. Sends the ends of all edges to the owners of their vertices. */
static gemp_code send_ends(orientation *o, arc_record **ends, size_t *count)
{
	const gemp_euler_edges *undirected = o->undirected;
	void *arrived = NULL;
	GEMP_OWNED size_t *from = NULL;
	for (size_t row = 0; row < undirected->rows; row++)
		for (uint64_t at = undirected->begin[row]; at < undirected->begin[row + 1]; at++) {
			uint64_t arc = 2 * (undirected->first + at);
			o->records[2 * at] = (arc_record){ undirected->bounds[undirected->rank] + row, arc };
			o->owner[2 * at] = undirected->rank;
			o->records[2 * at + 1] = (arc_record){ undirected->target[at], arc + 1 };
			o->owner[2 * at + 1] = (int)gemp_range_find(undirected->bounds, o->ranks, undirected->target[at]);
		}
	GEMP_TRY(gemp_exchange_records(o->comm, GEMP_OK, o->records, 2 * o->own_slots, sizeof *o->records, o->owner,
	                               &arrived, &from, NULL));
	*ends = arrived;
	*count = from[o->ranks];
	return GEMP_OK;
}

/* open[row] is 1 + the end at the vertex that has no partner yet, or 0. Each pair makes two records, one for each
 * direction through the vertex. An end without a partner shows an odd degree. */
static gemp_code pair_ends(orientation *o, const arc_record *ends, size_t count, size_t *pairs)
{
	GEMP_OWNED uint64_t *open = NULL;
	*pairs = 0;
	GEMP_TRY(GEMP_NEW(open, o->undirected->rows));
	GEMP_TRY(GEMP_RESERVE(o->records, o->record_capacity, count + 1));
	GEMP_TRY(GEMP_RESERVE(o->owner, o->owner_capacity, count + 1));
	for (size_t i = 0; i < count; i++) {
		uint64_t row = ends[i].to - o->undirected->bounds[o->undirected->rank], x = ends[i].arc, y = open[row] - 1;
		if (!open[row]) {
			open[row] = x + 1;
			continue;
		}
		open[row] = 0;
		o->records[2 * *pairs] = (arc_record){ x ^ 1, y };
		o->records[2 * (*pairs)++ + 1] = (arc_record){ y ^ 1, x };
	}
	for (size_t row = 0; row < o->undirected->rows; row++)
		o->odd += open[row] != 0;
	return GEMP_OK;
}

/* Collective. Sets next[] of own arcs, unless the degree of some vertex is odd. */
static gemp_code link_arcs(orientation *o)
{
	GEMP_OWNED arc_record *ends = NULL;
	GEMP_OWNED void *arrived = NULL;
	size_t count = 0, pairs = 0;
	GEMP_OWNED size_t *from = NULL;
	GEMP_TRY(send_ends(o, &ends, &count));
	GEMP_TRY(gemp_comm_agree(o->comm, pair_ends(o, ends, count, &pairs)));
	o->odd = gemp_comm_sum1(o->comm, o->odd);
	if (o->odd)
		return GEMP_OK;
	for (size_t i = 0; i < 2 * pairs; i++)
		o->owner[i] = (int)gemp_range_find(o->arc_bounds, o->ranks, o->records[i].to);
	GEMP_TRY(gemp_exchange_records(o->comm, GEMP_OK, o->records, 2 * pairs, sizeof *o->records, o->owner, &arrived,
	                               &from, NULL));
	const arc_record *next = arrived;
	for (size_t i = 0; i < from[o->ranks]; i++)
		o->next[next[i].to - o->arc_bounds[o->undirected->rank]] = (gemp_vertex)next[i].arc;
	return GEMP_OK;
}

/* DIRECTIONS */

/* Collective. The circuits of arcs are the components of the graph of successors. The name of a circuit is its smallest
 * arc. */
static gemp_code find_circuits(const orientation *o, gemp_components *arcs)
{
	GEMP_OWNED uint64_t *begin = NULL;
	const gemp_components_options how = { .place = GEMP_PLACE_HOST };
	GEMP_TRY(gemp_comm_agree(o->comm, GEMP_NEW(begin, 2 * o->own_slots + 1)));
	for (size_t arc = 0; arc <= 2 * o->own_slots; arc++)
		begin[arc] = arc;
	const gemp_csr csr = { .vertices = 2 * o->undirected->edges,
		                   .first = (gemp_vertex)(2 * o->undirected->first),
		                   .rows = 2 * o->own_slots,
		                   .begin = begin,
		                   .target = o->next };
	return gemp_components_find(arcs, o->comm, NULL, o->arc_bounds, &csr, 1, &how);
}

/* An edge is two arcs. The arc whose circuit has the smaller name gives the edge its direction. */
static void orient_edges(const orientation *o, const gemp_components *arcs, directed_edge *out, int *owner)
{
	const gemp_euler_edges *undirected = o->undirected;
	for (size_t row = 0; row < undirected->rows; row++)
		for (uint64_t at = undirected->begin[row]; at < undirected->begin[row + 1]; at++) {
			gemp_vertex row_end = (gemp_vertex)(undirected->bounds[undirected->rank] + row),
						target_end = undirected->target[at];
			bool along = arcs->component[2 * at] < arcs->component[2 * at + 1];
			gemp_edge slot = undirected->first + at;
			gemp_euler_edge edge = { 0, slot };
			if (undirected->relation_count)
				edge = gemp_euler_edge_of(undirected, row_end, slot);
			out[at] = (directed_edge){ .source = along ? row_end : target_end,
				                       .target = along ? target_end : row_end,
				                       .name = slot == undirected->closing ? CLOSING : gemp_euler_edge_name(edge) };
			owner[at] = (int)gemp_range_find(undirected->bounds, o->ranks, out[at].source);
		}
}

/* Counting sort of the received edges by source. The count of row r is kept at index r + 2. The last loop advances
 * index r + 1 from the begin of row r to the end of row r, which is the begin of row r + 1. */
static gemp_code make_rows(orientation *o, const directed_edge *edges, size_t count)
{
	gemp_euler_edges *out = o->out;
	const gemp_euler_edges *undirected = o->undirected;
	uint64_t first = undirected->bounds[undirected->rank];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->own_begin, undirected->rows + 2), GEMP_ARRAY(out->own_target, count),
	                      GEMP_ARRAY(out->own_edge, count)));
	for (size_t i = 0; i < count; i++)
		out->own_begin[edges[i].source - first + 2]++;
	for (size_t row = 0; row < undirected->rows; row++)
		out->own_begin[row + 1] += out->own_begin[row];
	for (size_t i = 0; i < count; i++) {
		uint64_t at = out->own_begin[edges[i].source - first + 1]++;
		out->own_target[at] = edges[i].target;
		out->own_edge[at] = edges[i].name;
		if (edges[i].name == CLOSING)
			out->closing = at;
	}
	out->begin = out->own_begin;
	out->target = out->own_target;
	return GEMP_OK;
}

/* Collective. Renumbers slots, since edges may have moved to other ranks. All ranks learn the ends of the closing
 * edge. */
static void number_slots(orientation *o, size_t count)
{
	gemp_euler_edges *out = o->out;
	uint64_t ends[2] = { 0, 0 };
	out->first = gemp_comm_exscan(o->comm, count);
	if (out->closing != GEMP_NO_EDGE) {
		ends[0] = out->target[out->closing] + (uint64_t)1;
		out->closing += out->first;
		ends[1] = gemp_euler_source(out, out->closing) + (uint64_t)1;
	}
	gemp_comm_max(o->comm, ends, 2);
	if (ends[0]) {
		out->path_start = (gemp_vertex)(ends[0] - 1);
		out->path_end = (gemp_vertex)(ends[1] - 1);
	}
}

/* Collective. Chooses the directions of all edges, and makes the rows of the directed edges. */
static gemp_code orient_all(orientation *o)
{
	GEMP_OWNED_BY(gemp_components_free) gemp_components arcs = { 0 };
	GEMP_OWNED directed_edge *edges = NULL;
	GEMP_OWNED void *arrived = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_TRY(find_circuits(o, &arcs));
	GEMP_TRY(gemp_comm_agree(o->comm, GEMP_NEW(edges, o->own_slots)));
	orient_edges(o, &arcs, edges, o->owner);
	GEMP_TRY(
		gemp_exchange_records(o->comm, GEMP_OK, edges, o->own_slots, sizeof *edges, o->owner, &arrived, &from, NULL));
	GEMP_TRY(gemp_comm_agree(o->comm, make_rows(o, arrived, from[o->ranks])));
	number_slots(o, from[o->ranks]);
	return GEMP_OK;
}

/* Odd degrees are no failure: the function then returns GEMP_OK and sets *odd before any edge has a direction. `out` is
 * freed as after a failure. */
gemp_code gemp_euler_orient(gemp_euler_edges *out, const gemp_comm *comm, const gemp_euler_edges *undirected,
                            gemp_count *odd)
{
	gemp_code code = GEMP_OK;
	orientation o = { .comm = comm, .undirected = undirected, .out = out };
	*odd = 0;
	*out = (gemp_euler_edges){ .rank = undirected->rank,
		                       .ranks = undirected->ranks,
		                       .vertices = undirected->vertices,
		                       .bounds = undirected->bounds,
		                       .rows = undirected->rows,
		                       .edges = undirected->edges,
		                       .closing = GEMP_NO_EDGE,
		                       .path_start = GEMP_NO_VERTEX,
		                       .path_end = GEMP_NO_VERTEX };
	const uint64_t first_arc = 2 * undirected->first;
	GEMP_TRY_DONE(gemp_comm_agree(comm, allocate(&o)));
	GEMP_MPI(MPI_Allgather(&first_arc, 1, MPI_UINT64_T, o.arc_bounds, 1, MPI_UINT64_T, comm->world));
	o.arc_bounds[o.ranks] = 2 * undirected->edges;
	GEMP_TRY_DONE(link_arcs(&o));
	*odd = o.odd;
	if (!o.odd)
		GEMP_TRY_DONE(orient_all(&o));
	code = gemp_comm_agree(comm, gemp_euler_edges_share_relations(out, undirected));
done:
	gemp_free_all(o.arc_bounds, o.records, o.owner, o.next);
	if (code != GEMP_OK || *odd)
		gemp_euler_edges_free(out);
	return code;
}

/* THE REASON WHY THERE IS NO CIRCUIT */

enum { TARGETS_PER_ROUND = 1 << 22 }; /* targets that a rank sends in a round */

/* Collective. Sends the targets of a round to their owners, which count them. */
static gemp_code count_round(const gemp_comm *comm, const gemp_euler_edges *edges, gemp_block_range part, int *owner,
                             uint64_t *in)
{
	GEMP_OWNED void *arrived = NULL;
	GEMP_OWNED size_t *begin = NULL;
	const gemp_vertex *target = edges->target + part.begin;
	size_t count = part.end - part.begin;
	for (size_t i = 0; i < count; i++)
		owner[i] = (int)gemp_range_find(edges->bounds, (size_t)edges->ranks, target[i]);
	GEMP_TRY(gemp_exchange_records(comm, GEMP_OK, target, count, sizeof *target, owner, &arrived, &begin, NULL));
	const gemp_vertex *vertices = arrived;
	for (size_t i = 0; i < begin[edges->ranks]; i++)
		in[vertices[i] - edges->bounds[edges->rank]]++;
	return GEMP_OK;
}

/* Collective. Counts the in-degrees of own vertices, in rounds that bound the memory for messages. */
static gemp_code count_in_degrees(const gemp_comm *comm, const gemp_euler_edges *edges, uint64_t **in)
{
	GEMP_OWNED int *owner = NULL;
	size_t own = edges->begin[edges->rows];
	gemp_code code = GEMP_NEW(*in, edges->rows);
	if (comm->size > 1)
		GEMP_THEN(GEMP_NEW(owner, gemp_min(own, TARGETS_PER_ROUND)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (comm->size == 1) {
		for (size_t i = 0; i < own; i++)
			(*in)[edges->target[i]]++;
		return GEMP_OK;
	}
	uint64_t rounds = gemp_exchange_rounds(comm, own, TARGETS_PER_ROUND);
	for (uint64_t round = 0; round < rounds; round++)
		GEMP_TRY(count_round(comm, edges, gemp_exchange_round(round, own, TARGETS_PER_ROUND), owner, *in));
	return GEMP_OK;
}

static int compare_keys(const void *a, const void *b)
{
	const gemp_euler_unbalanced *x = a, *y = b;
	return (x->key_rank > y->key_rank) - (x->key_rank < y->key_rank);
}

/* Collective. Takes the examples with the smallest keys on all ranks. Each of them is among the first GEMP_EULER_SHOWN
 * examples of its rank. */
static gemp_code gather_examples(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_unbalanced *own,
                                 size_t count)
{
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	count = gemp_min(count, GEMP_EULER_SHOWN);
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, own, count * sizeof *own, &all, &begin));
	gemp_euler_unbalanced *list = all;
	size_t gathered = begin[comm->size] / sizeof *list;
	if (gathered)
		qsort(list, gathered, sizeof *list, compare_keys);
	out->example_count = gemp_min(gathered, GEMP_EULER_SHOWN);
	for (size_t i = 0; i < out->example_count; i++)
		out->examples[i] = list[i];
	return GEMP_OK;
}

/* A path has exactly two unbalanced vertices. The start has one out-edge more than in-edges, and the end has one
 * in-edge more. With undirected edges the path may go in either direction. */
static void classify_path(gemp_euler_balance *out, bool undirected)
{
	out->start = out->end = GEMP_NO_VERTEX;
	if (undirected && out->unbalanced == 2) {
		out->start = out->examples[0].vertex;
		out->end = out->examples[1].vertex;
		out->path = out->components == 1;
		return;
	}
	for (size_t i = 0; i < out->example_count && out->unbalanced == 2; i++) {
		const gemp_euler_unbalanced *example = &out->examples[i];
		if (example->out == example->in + 1)
			out->start = example->vertex;
		else if (example->in == example->out + 1)
			out->end = example->vertex;
	}
	out->path = out->components == 1 && out->start != GEMP_NO_VERTEX && out->end != GEMP_NO_VERTEX;
}

/* Lists this rank's unbalanced vertices by key. */
static gemp_code list_unbalanced(gemp_euler_balance *out, const gemp_euler_edges *edges, const uint64_t *in,
                                 const uint32_t *key_rank, gemp_euler_unbalanced **list)
{
	size_t capacity = 0;
	for (size_t row = 0; row < edges->rows; row++) {
		uint64_t degree = edges->begin[row + 1] - edges->begin[row];
		gemp_vertex vertex = (gemp_vertex)(edges->bounds[edges->rank] + row);
		if (edges->undirected ? (degree + in[row]) % 2 == 0 : degree == in[row])
			continue;
		GEMP_TRY(GEMP_RESERVE(*list, capacity, out->unbalanced + 1));
		(*list)[out->unbalanced++] = (gemp_euler_unbalanced){
			.vertex = vertex, .in = in[row], .out = degree, .key_rank = key_rank ? key_rank[row] : vertex
		};
	}
	if (out->unbalanced)
		qsort(*list, out->unbalanced, sizeof **list, compare_keys);
	return GEMP_OK;
}

/* Collective. Counts only components with edges, since isolated vertices do not prevent a circuit. */
static gemp_code count_components(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges)
{
	GEMP_OWNED_BY(gemp_components_free) gemp_components found = { 0 };
	const gemp_csr csr = { .vertices = edges->vertices,
		                   .first = (gemp_vertex)edges->bounds[edges->rank],
		                   .rows = edges->rows,
		                   .begin = edges->begin,
		                   .target = edges->target };
	const gemp_components_options how = { .place = GEMP_PLACE_HOST };
	GEMP_TRY(gemp_components_find(&found, comm, NULL, edges->bounds, &csr, 1, &how));
	out->components = found.with_edges;
	return GEMP_OK;
}

/* out->unbalanced is first the number on this rank, which gather_examples needs. Then it becomes the sum over all
 * ranks. */
gemp_code gemp_euler_balance_find(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                  const uint32_t *key_rank)
{
	GEMP_OWNED uint64_t *in = NULL;
	GEMP_OWNED gemp_euler_unbalanced *list = NULL;
	*out = (gemp_euler_balance){ 0 };
	GEMP_TRY(count_in_degrees(comm, edges, &in));
	GEMP_TRY(gemp_comm_agree(comm, list_unbalanced(out, edges, in, key_rank, &list)));
	GEMP_TRY(gather_examples(out, comm, list, out->unbalanced));
	out->unbalanced = gemp_comm_sum1(comm, out->unbalanced);
	GEMP_TRY(count_components(out, comm, edges));
	classify_path(out, edges->undirected);
	return GEMP_OK;
}
