#include "match/search/search_state.h"

#include <string.h>

/* Pivots are fewer than the search was made for; seeds have no such bound. */
bool gemp_search_is_valid(const gemp_search *search)
{
	bool pivots = search->plan->arguments || search->pivots <= search->pivot_capacity;
	return pivots && search->range.first + search->range.count <= search->pivots && search->layout.stage_count > 0 &&
	       search->pending.buffer >= -1 && search->pending.buffer < 2 && (unsigned)search->next_buffer < 2;
}

bool gemp_search_balances(const gemp_search *search)
{
	bool alone = search->ranks == 1 && !search->context->other_count && !search->options.leader;
	return search->emit.all_resident && !alone && !search->options.round_entries && !search->plan->arguments;
}

/* Slices of a pivot repeat what is made for the pivot as a whole, such as a table of two-paths, so that the plan must
 * have enough steps beyond; and a plan's last loop does not look after slices. */
bool gemp_search_sliceable(const gemp_search *search)
{
	const gemp_plan *plan = search->plan;
	int second = plan->root + 1, walked = (int)plan->step_count - plan->two_paths - second;
	return gemp_search_balances(search) && !search->options.first_only && walked >= (plan->two_paths ? 3 : 2) &&
	       plan->steps[second].kind == GEMP_EXTEND;
}

void gemp_search_statistics_add(gemp_search_statistics *to, const gemp_search_statistics *from)
{
	to->launches += from->launches;
	to->stage_launches += from->stage_launches;
	to->fill += from->fill;
	to->listing_launches += from->listing_launches;
	to->taken += from->taken;
	to->found_local += from->found_local;
	to->found_crossed += from->found_crossed;
	to->kernel_seconds += from->kernel_seconds;
	to->item_bytes += from->item_bytes;
	to->item_words_bytes += from->item_words_bytes;
	for (size_t s = 0; s < GEMP_MAX_STEPS; s++)
		to->sent[s] += from->sent[s];
}
