#include "match/vertex_counts.h"

#include "match/match_state.h"
#include "match/search/search.h"

/* Local. Reads the counts by id, summed over the devices of this rank. */
static gemp_code read_counts(const gemp_match *m, uint64_t **out)
{
	uint64_t vertices = m->graph->vertex_count;
	GEMP_OWNED uint64_t *more = NULL;
	GEMP_TRY(GEMP_NEW(*out, vertices));
	if (m->interpreter) {
		gemp_interpreter_vertex_counts(m->interpreter, *out);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(more, vertices));
	for (const gemp_search *s = m->search; s; s = s->next) {
		GEMP_TRY(gemp_buffer_read(s->context->device, &s->vertex_counts, 0, vertices * sizeof *more, more));
		for (uint64_t slot = 0; slot < vertices; slot++)
			(*out)[s->order->id_of[slot]] += more[slot];
	}
	return GEMP_OK;
}

/* Every rank counts over all vertices. The counts of all ranks are summed, and each rank returns those of its own
 * vertices. */
gemp_code gemp_match_vertex_counts(gemp_match *m, uint64_t *counts, int *members)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint64_t *by_id = NULL;
	uint64_t times = 1;
	*members = __builtin_popcountll(m->per);
	GEMP_TRY(gemp_comm_agree(m->context->comm, read_counts(m, &by_id)));
	gemp_comm_sum_long(m->context->comm, by_id, m->graph->vertex_count);
	if (m->options.distinct == GEMP_BY_NOTHING && m->plan->broken) {
		times = m->plan->group_order / (uint64_t)*members; /* number of automorphisms that fix the vertex */
		*members = 1;
	}
	for (size_t v = 0; v < m->graph->rows && code == GEMP_OK; v++)
		if (__builtin_mul_overflow(by_id[m->graph->first_vertex + v], times, &counts[v]))
			code = gemp_fail(GEMP_EDATA, "a vertex is in more than 2^64 - 1 embeddings; count with distinct orbit");
	return gemp_comm_agree(m->context->comm, code);
}
