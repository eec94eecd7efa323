/* The rounds of a search on several ranks (frontier.h). A round has the launches of the search, then one exchange: the
 * vertices that the launches have put into frontiers, with their values, and the counters, which the device's control
 * buffer holds. All ranks apply the same rule to the same sums, so no further message decides about the next round. */

#include "analytics/traversal/frontier.h"

#include "core/log.h"
#include "core/timer.h"

/* Collective. Waits for the launches and sends values of the changed vertices to the ranks that have them as ghosts,
 * together with the counters of this rank. Then all ranks apply the rule to the same sums. *mine: this rank's code. It
 * may become a failure after the ranks have agreed, and the ranks then agree on it in the next round. */
static gemp_code exchange_frontier(gemp_frontier *f, const gemp_frontier_search *search, gemp_code *mine, bool counted,
                                   double *exchange)
{
	const gemp_buffer *frontier = &f->bitmap[f->current % GEMP_FRONTIER_BITMAPS];
	const gemp_buffer *changed = search->changed ? search->changed(search->self) : frontier;
	uint64_t sums[] = { 0, 0, 0, 0 }, greatest = 0;
	uint64_t counters[GAS_CONTROL] = { 0 };
	const gemp_halo_carried read = { &f->control, GAS_CONTROL, counters };
	const gemp_halo_carried write = { &f->control, GAS_CONTROL, f->state };
	/* both calls wait for the launches */
	const bool set = !counted || search->marked >> f->state[GAS_MODE] & 1;
	gemp_code code = search->marked ? gemp_halo_begin_marked(search->halo, set ? NULL : changed, counted ? &read : NULL)
	                                : gemp_halo_begin(search->halo, search->values, changed, counted ? &read : NULL);
	if (*mine == GEMP_OK)
		*mine = code;
	if (counted) {
		memcpy(&f->state[GAS_SUMS], &counters[GAS_SUMS], (GAS_CONTROL - GAS_SUMS) * sizeof *counters);
		memcpy(sums, &f->state[GAS_SUMS], 3 * sizeof *sums);
		sums[3] = f->state[GAS_OVERFLOW] != 0;
		greatest = f->state[GAS_LEAST];
	}
	double since = gemp_now();
	GEMP_TRY(gemp_halo_round(search->halo, *mine, sums, 4, &greatest, 1));
	if (counted) {
		memcpy(&f->state[GAS_SUMS], sums, 3 * sizeof *sums);
		f->state[GAS_OVERFLOW] = sums[3] != 0; /* the value 2 would mean a lost vertex (gas_frontier_abi.h) */
		f->state[GAS_LEAST] = greatest;
		search->rule(f->state);
		gemp_progress("searching, rounds so far", f->state[GAS_ROUND], 0, 0);
		memset(&f->state[GAS_SUMS], 0, (GAS_RULED - GAS_SUMS) * sizeof *f->state);
		f->state[GAS_COUNTED] = 0;
	}
	code = gemp_halo_end(search->halo, search->values, frontier, counted ? &write : NULL);
	*exchange += gemp_now() - since;
	if (*mine == GEMP_OK)
		*mine = code;
	return GEMP_OK;
}

/* A rank that has failed goes on exchanging until all ranks have agreed on the failure. If the search reports which
 * vertices have changed, the source is among them in the first round, so no exchange comes before it. */
gemp_code gemp_frontier_run_ranks(gemp_frontier *f, const gemp_frontier_search *search, gemp_code mine,
                                  double *exchange)
{
	if (!search->changed)
		GEMP_TRY(exchange_frontier(f, search, &mine, false, exchange));
	while (f->state[GAS_MODE]) {
		if (mine == GEMP_OK)
			mine = search->launch(search->self);
		f->current++;
		GEMP_TRY(exchange_frontier(f, search, &mine, true, exchange));
	}
	return gemp_comm_agree(f->layout->comm, mine);
}
