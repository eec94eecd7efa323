#include "euler/balance.h"

#include "core/memory.h"
#include "core/search.h"
#include "topology/components.h"

#include <stdlib.h>

enum { TARGETS_PER_ROUND = 1 << 22 }; /* targets that a rank sends at a time */

/* Collective. Targets of one round go to their owners, who count them. */
static gemp_code count_round(const gemp_comm *comm, const gemp_euler_edges *edges, size_t from, size_t count,
                             int *owner, uint64_t *in)
{
	GEMP_OWNED void *arrived = NULL;
	GEMP_OWNED size_t *begin = NULL;
	for (size_t i = 0; i < count; i++)
		owner[i] = (int)gemp_range_find(edges->bounds, (size_t)edges->ranks, edges->target[from + i]);
	GEMP_PROPAGATE(gemp_exchange_records(comm, GEMP_OK, edges->target + from, count, sizeof *edges->target, owner,
	                                     &arrived, &begin, NULL));
	const gemp_vertex *vertices = arrived;
	for (size_t i = 0; i < begin[edges->ranks]; i++)
		in[vertices[i] - edges->bounds[edges->rank]]++;
	return GEMP_OK;
}

/* Collective. In-degrees of own vertices, in rounds that bound the memory for messages. */
static gemp_code count_in_degrees(const gemp_comm *comm, const gemp_euler_edges *edges, uint64_t **in)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED int *owner = NULL;
	size_t own = edges->begin[edges->rows];
	uint64_t max_count = own;
	code = GEMP_NEW(*in, edges->rows);
	if (code == GEMP_OK && comm->size > 1)
		code = GEMP_NEW(owner, own < TARGETS_PER_ROUND ? own : TARGETS_PER_ROUND);
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	gemp_comm_max(comm, &max_count, 1);
	if (comm->size == 1)
		for (size_t i = 0; i < own; i++)
			(*in)[edges->target[i]]++;
	for (size_t from = 0; from < max_count && comm->size > 1; from += TARGETS_PER_ROUND) {
		size_t left = from < own ? own - from : 0;
		GEMP_PROPAGATE(count_round(comm, edges, from, left < TARGETS_PER_ROUND ? left : TARGETS_PER_ROUND, owner, *in));
	}
	return GEMP_OK;
}

static int compare_keys(const void *a, const void *b)
{
	const gemp_euler_unbalanced *x = a, *y = b;
	return (x->key_rank > y->key_rank) - (x->key_rank < y->key_rank);
}

/* The examples that come first by key on all ranks. */
static gemp_code gather_examples(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_unbalanced *own,
                                 size_t count)
{
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	if (count > GEMP_EULER_SHOWN)
		count = GEMP_EULER_SHOWN;
	GEMP_PROPAGATE(gemp_comm_allgather(comm, GEMP_OK, own, count * sizeof *own, &all, &begin));
	gemp_euler_unbalanced *list = all;
	size_t gathered = begin[comm->size] / sizeof *list;
	if (gathered)
		qsort(list, gathered, sizeof *list, compare_keys);
	out->example_count = gathered < GEMP_EULER_SHOWN ? gathered : GEMP_EULER_SHOWN;
	for (size_t i = 0; i < out->example_count; i++)
		out->examples[i] = list[i];
	return GEMP_OK;
}

/* A path has exactly one vertex with an out-edge too many, its start, and one with an in-edge too many, its end. */
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
		const gemp_euler_unbalanced *one = &out->examples[i];
		if (one->out == one->in + 1)
			out->start = one->vertex;
		else if (one->in == one->out + 1)
			out->end = one->vertex;
	}
	out->path = out->components == 1 && out->start != GEMP_NO_VERTEX && out->end != GEMP_NO_VERTEX;
}

/* This rank's unbalanced vertices, by key. */
static gemp_code list_unbalanced(gemp_euler_balance *out, const gemp_euler_edges *edges, const uint64_t *in,
                                 const uint32_t *key_rank, gemp_euler_unbalanced **list)
{
	size_t capacity = 0;
	for (size_t row = 0; row < edges->rows; row++) {
		uint64_t degree = edges->begin[row + 1] - edges->begin[row];
		gemp_vertex vertex = (gemp_vertex)(edges->bounds[edges->rank] + row);
		if (edges->undirected ? (degree + in[row]) % 2 == 0 : degree == in[row])
			continue;
		GEMP_PROPAGATE(GEMP_RESERVE(*list, capacity, out->unbalanced + 1));
		(*list)[out->unbalanced++] = (gemp_euler_unbalanced){
			.vertex = vertex, .in = in[row], .out = degree, .key_rank = key_rank ? key_rank[row] : vertex
		};
	}
	if (out->unbalanced)
		qsort(*list, out->unbalanced, sizeof **list, compare_keys);
	return GEMP_OK;
}

/* Collective. Only components with edges matter: isolated vertices do not prevent a circuit. */
static gemp_code count_components(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges)
{
	gemp_components found = { 0 };
	const gemp_csr csr = { .vertices = edges->vertices,
		                   .first = (gemp_vertex)edges->bounds[edges->rank],
		                   .rows = edges->rows,
		                   .begin = edges->begin,
		                   .target = edges->target };
	const gemp_components_options how = { .place = GEMP_PLACE_HOST };
	GEMP_PROPAGATE(gemp_components_find(&found, comm, NULL, edges->bounds, &csr, 1, &how));
	out->components = found.with_edges;
	gemp_components_free(&found);
	return GEMP_OK;
}

gemp_code gemp_euler_balance_find(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                  const uint32_t *key_rank)
{
	GEMP_OWNED uint64_t *in = NULL;
	GEMP_OWNED gemp_euler_unbalanced *list = NULL;
	*out = (gemp_euler_balance){ 0 };
	GEMP_PROPAGATE(count_in_degrees(comm, edges, &in));
	GEMP_PROPAGATE(gemp_comm_agree(comm, list_unbalanced(out, edges, in, key_rank, &list)));
	GEMP_PROPAGATE(gather_examples(out, comm, list, out->unbalanced));
	out->unbalanced = gemp_comm_sum1(comm, out->unbalanced);
	GEMP_PROPAGATE(count_components(out, comm, edges));
	classify_path(out, edges->undirected);
	return GEMP_OK;
}
