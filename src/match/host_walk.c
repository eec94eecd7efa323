#include "match/host_walk.h"

#include "match/search/search.h"

bool gemp_host_walk_suits(const gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	return m->search && m->search->emit.all_resident && !m->pull && !m->plan->arguments && !o->first_only &&
	       !o->in_parts && !m->per && !o->profile;
}

/* Uses the rows of the search. Returns false if they are only on a device. */
static bool use_rows(gemp_host_walk *h, const gemp_match *m)
{
	const gemp_resident *rows = m->rows;
	h->rows = (gemp_host_rows){ .vertices = m->graph->vertex_count,
		                        .order = &rows->order,
		                        .view_count = rows->view_count };
	for (size_t v = 0; v < rows->view_count; v++) {
		const gemp_view *view = &rows->views[v];
		if (!view->begin || !view->neighbours)
			return false;
		h->rows.views[v] = (gemp_host_view){ .begin = view->begin,
			                                 .neighbours = view->neighbours,
			                                 .edges = view->edges };
	}
	return true;
}

static gemp_code use_candidates(gemp_host_walk *h, const gemp_match *m)
{
	const gemp_candidates *candidates = &m->candidates;
	for (int v = 0; v < m->plan->vertex_count; v++) {
		if (!candidates->bits[v])
			continue;
		GEMP_TRY(GEMP_NEW(h->bits[v], candidates->words + 1));
		gemp_candidates_by_slot(&m->rows->order, candidates->bits[v], h->bits[v], candidates->words);
		h->walk.candidates[v] = h->bits[v];
	}
	return GEMP_OK;
}

gemp_code gemp_host_walk_new(gemp_host_walk *out, const gemp_match *m, bool *there)
{
	*out = (gemp_host_walk){ 0 };
	*there = gemp_comm_sum1(m->context->comm, !use_rows(out, m)) == 0;
	if (!*there)
		return GEMP_OK;
	out->walk = (gemp_walk){ .plan = m->plan,
		                     .rows = &out->rows,
		                     .key_rank = m->pushdown.key_rank,
		                     .alone = true,
		                     .budget = UINT64_MAX,
		                     .deadline = HUGE_VAL };
	return gemp_comm_agree(m->context->comm, use_candidates(out, m));
}

void gemp_host_walk_free(gemp_host_walk *h)
{
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_free(h->bits[v]);
}
