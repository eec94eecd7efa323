#include "match/rank_share.h"

#include "match/search/load_balancer.h"
#include "match/search/search.h"

/* With a balancer all ranks have the same list of pivots, and a rank counts those that it has taken from the list. */
static uint64_t pivots_of(const gemp_match *m)
{
	size_t pivots;
	if (m->interpreter)
		return gemp_interpreter_tasks(m->interpreter);
	if (m->search->balancer)
		return m->early.all ? 0 : gemp_search_pivots_done(m->search);
	gemp_multi_former_pivots(m->search, &pivots);
	return pivots;
}

/* A plan by two-paths counts each match `divisor` times. */
void gemp_rank_share_add(gemp_match *m, const gemp_run_counts *counts)
{
	gemp_rank_work *share = &m->context->share;
	share->pivots += pivots_of(m);
	share->launches += counts->search.launches;
	share->sent += counts->search.items_sent;
	share->received += counts->search.items_received;
	share->rows_fetched += counts->rows_fetched;
	share->embeddings += counts->embeddings / m->plan->divisor;
	share->matches += counts->matches / m->plan->divisor;
	share->inexact |= counts->inexact;
}

/* The counters of a profile are never cleared, so the reads of earlier runs are subtracted. */
void gemp_rank_share_add_reads(gemp_match *m)
{
	uint64_t reads = 0;
	for (size_t s = 0; s < m->plan->step_count; s++)
		reads += m->step_entries[s] + m->step_lookups[s];
	m->context->share.reads += reads - m->own_reads;
	m->own_reads = reads;
}
