#include "match/vertex_counts.h"

#include "core/memory.h"
#include "match/match_parts.h"

gemp_code gemp_counted_vertices(uint64_t *out, const gemp_plan *plan, const gemp_symmetry *symmetry, int v)
{
	gemp_code code = GEMP_OK;
	gemp_chain *chain = NULL;
	const int *orbit;
	int base[GEMP_MAX_PATTERN_VERTICES], count = 0;
	*out = UINT64_C(1) << v;
	if (!plan->broken)
		return GEMP_OK;
	base[count++] = v;
	for (int u = 0; u < plan->vertex_count; u++)
		if (u != v)
			base[count++] = u;
	GEMP_TRY(gemp_chain_new(&chain, symmetry, base, (size_t)count));
	size_t size = gemp_chain_orbit(chain, 0, &orbit);
	for (size_t i = 0; i < size; i++)
		*out |= UINT64_C(1) << orbit[i];
done:
	gemp_chain_free(chain);
	return code;
}

gemp_code gemp_search_vertex_counts(gemp_search *search)
{
	size_t bytes = ((size_t)search->vertices + 1) * sizeof(uint64_t);
	gemp_code code = gemp_buffer_new(&search->vertex_counts, search->context->device, bytes, NULL);
	return code == GEMP_OK ? gemp_search_vertex_counts_clear(search) : code;
}

gemp_code gemp_search_vertex_counts_clear(gemp_search *search)
{
	return gemp_buffer_zero(search->context->device, &search->vertex_counts, 0, search->vertex_counts.size);
}

/* Local. By slot, of all devices. */
static gemp_code read_counts(const gemp_match *m, uint64_t **out)
{
	gemp_code code = GEMP_OK;
	uint64_t vertices = m->graph->vertices, *more = NULL;
	GEMP_TRY(GEMP_NEW(*out, vertices));
	GEMP_TRY(GEMP_NEW(more, vertices));
	for (const gemp_search *s = m->search; s; s = s->next) {
		GEMP_TRY(gemp_buffer_read(s->context->device, &s->vertex_counts, 0, vertices * sizeof *more, more));
		for (uint64_t v = 0; v < vertices; v++)
			(*out)[v] += more[v];
	}
done:
	gemp_free(more);
	return code;
}

/* Collective. By slot, of all ranks. */
static gemp_code gather(gemp_match *m, uint64_t **out)
{
	enum { PIECE = 1 << 24 };
	uint64_t vertices = m->graph->vertices;
	gemp_code code = gemp_comm_agree(m->context->comm, read_counts(m, out));
	for (uint64_t at = 0; code == GEMP_OK && at < vertices; at += PIECE)
		gemp_comm_sum(m->context->comm, *out + at, (int)(vertices - at < PIECE ? vertices - at : PIECE));
	return code;
}

gemp_code gemp_match_vertex_counts(gemp_match *m, uint64_t *counts, int *members)
{
	gemp_code code = GEMP_OK;
	uint64_t *by_slot = NULL, times = 1;
	*members = __builtin_popcountll(m->search->emit.per);
	GEMP_TRY(gather(m, &by_slot));
	if (m->options.distinct == GEMP_BY_NOTHING && m->plan->broken) {
		times = m->plan->group_order / (uint64_t)*members; /* automorphisms that keep the vertex */
		*members = 1;
	}
	for (size_t v = 0; v < m->graph->rows && code == GEMP_OK; v++)
		if (__builtin_mul_overflow(by_slot[m->search->order->slot_of[m->graph->first + v]], times, &counts[v]))
			code = gemp_fail(GEMP_EDATA, "a vertex is in more than 2^64 - 1 embeddings; count with --distinct orbit");
	code = gemp_comm_agree(m->context->comm, code);
done:
	gemp_free(by_slot);
	return code;
}
