/* Is there a pair of vertices that a view joins more than once? */
#include "core/memory.h"
#include "core/threads.h"
#include "partition/view.h"

#include <stdatomic.h>

enum { PIECE = 1 << 14 }; /* rows that one thread takes at a time */

typedef struct asking {
	const gemp_graph *graph;
	const gemp_view_key *key;
	const gemp_relation *relation; /* the only one, of an either-way view */
	atomic_bool found;
} asking;

/* Rows by source and by target of one relation without parallel edges, both ascending: a pair that both have is joined
 * in both directions. A loop is in both and is one edge. */
static bool reciprocal(const gemp_relation *relation, size_t v, gemp_vertex self)
{
	const gemp_vertex *out = relation->out + relation->out_begin[v], *in = relation->in + relation->in_begin[v];
	const gemp_vertex *out_end = relation->out + relation->out_begin[v + 1];
	const gemp_vertex *in_end = relation->in + relation->in_begin[v + 1];
	bool found = false;
	while (out < out_end && in < in_end) {
		gemp_vertex a = *out, b = *in;
		found |= a == b && a != self;
		out += a <= b;
		in += b <= a;
	}
	return found;
}

static void ask_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	asking *a = context;
	size_t end = (piece + 1) * PIECE < a->graph->rows ? (piece + 1) * PIECE : a->graph->rows;
	for (size_t v = piece * PIECE; v < end && !atomic_load_explicit(&a->found, memory_order_relaxed); v++)
		if (reciprocal(a->relation, v, (gemp_vertex)(a->graph->first + v)))
			atomic_store_explicit(&a->found, true, memory_order_relaxed);
}

/* One row of several relations. last[u]: 1 + the row that named u last. */
static bool names_twice(const asking *a, size_t v, gemp_vertex *last)
{
	bool out = a->key->direction != GEMP_VIEW_IN, in = a->key->direction != GEMP_VIEW_OUT, twice = false;
	gemp_vertex self = (gemp_vertex)(a->graph->first + v), mark = (gemp_vertex)(v + 1);
	for (size_t r = 0; r < a->graph->relation_count; r++) {
		const gemp_relation *relation = &a->graph->relations[r];
		if (!a->key->relations[r])
			continue;
		for (uint64_t i = out ? relation->out_begin[v] : 0; out && i < relation->out_begin[v + 1]; i++) {
			twice |= last[relation->out[i]] == mark;
			last[relation->out[i]] = mark;
		}
		for (uint64_t i = in ? relation->in_begin[v] : 0; in && i < relation->in_begin[v + 1]; i++) {
			if (out && relation->in[i] == self)
				continue;
			twice |= last[relation->in[i]] == mark;
			last[relation->in[i]] = mark;
		}
	}
	return twice;
}

/* Collective. */
static gemp_code ask_marks(const gemp_comm *comm, asking *a)
{
	gemp_code code = GEMP_OK;
	gemp_vertex *last = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(last, a->graph->vertices)));
	for (size_t v = 0; v < a->graph->rows && !a->found; v++)
		a->found = names_twice(a, v, last);
done:
	gemp_free(last);
	return code;
}

gemp_code gemp_view_parallel(const gemp_comm *comm, gemp_graph *graph, const gemp_view_key *key, bool *parallel)
{
	gemp_code code = GEMP_OK;
	asking a = { .graph = graph, .key = key };
	gemp_relation *one = NULL;
	size_t named = 0, multi = 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		named += key->relations[r];
		multi += key->relations[r] && graph->relations[r].multigraph;
		if (key->relations[r])
			a.relation = one = &graph->relations[r];
	}
	*parallel = !key->simple && multi > 0;
	if (key->simple || multi || (named <= 1 && key->direction != GEMP_VIEW_EITHER))
		return GEMP_OK;
	if (named == 1 && one->reciprocal) {
		*parallel = one->reciprocal > 0;
		return GEMP_OK;
	}
	if (named == 1)
		gemp_parallel_for((graph->rows + PIECE - 1) / PIECE, ask_piece, &a);
	else if (named)
		GEMP_TRY(ask_marks(comm, &a));
	*parallel = gemp_comm_sum1(comm, a.found) > 0;
	if (named == 1)
		one->reciprocal = *parallel ? 1 : -1;
done:
	return code;
}
