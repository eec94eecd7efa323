/* What a search starts from: all of its pivots or seeds, or those of a round, and the rows that are there for them. */
#include "kernels/abi.h"
#include "match/nested_search.h"
#include "match/search_setup.h"
#include "match/vertex_counts.h"

#include <string.h>

void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count)
{
	search->seeds = (gemp_seeds){ ids, count, count };
	search->pivots = count;
	search->part = (gemp_part){ 0, count };
}

/* A search that its sink has ended early leaves items, workers and credits as they were. */
gemp_code gemp_search_restart(gemp_search *search, bool anew)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = search->context->device;
	for (size_t k = 0; k < search->layout.stage_count; k++) {
		search->work[k].next = search->work[k].count = 0;
		search->work[k].parked = search->work[k].blocked = false;
		for (uint32_t d = 0; d <= search->ranks; d++)
			search->capacity[k * (search->ranks + 1) + d] = gemp_search_credits(search, k, d);
	}
	memset(search->control_words, 0, (GEMP_CONTROL_WORDS + search->areas) * sizeof *search->control_words);
	GEMP_TRY(gemp_buffer_write(device, &search->out_capacity, 0, search->areas * 4, search->capacity));
	GEMP_TRY(gemp_buffer_write(device, &search->control, 0, (GEMP_CONTROL_WORDS + search->areas) * 4,
	                           search->control_words));
	search->pending.buffer = -1;
	for (int b = 0; b < 2; b++) {
		GEMP_TRY(gemp_readback_wait(&search->result[b]));
		GEMP_TRY(gemp_readback_end(&search->result[b], device));
	}
	if (search->emit.per && anew)
		GEMP_TRY(gemp_search_vertex_counts_clear(search));
	search->seeds.next = search->part.first;
	if (search->nested)
		gemp_nested_restart(search->nested, search);
	if (!search->plan->given && (search->nested || !search->deal))
		search->work[0].count = search->part.count;
done:
	return code;
}

/* ROUNDS. */
gemp_code gemp_search_rows(gemp_search *search, gemp_view *views, gemp_part part)
{
	gemp_code code = GEMP_OK;
	size_t bytes;
	search->part = part;
	GEMP_TRY(gemp_search_views(search, views, &bytes));
	if (search->round_bytes < bytes) {
		search->graph_bytes += bytes - search->round_bytes;
		search->round_bytes = bytes;
	}
	if (search->nested)
		gemp_nested_rows(search->nested, search, views);
	if (!search->plan->given)
		code = gemp_search_tasks(search);
done:
	return code;
}

void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count)
{
	GEMP_CHECK(count <= search->pivot_room);
	memcpy(search->pivot_slots, slots, count * sizeof *slots);
	search->pivots = count;
	search->part = (gemp_part){ 0, count };
}

gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits)
{
	size_t bytes = search->candidate_words * sizeof *bits;
	return gemp_buffer_write(search->context->device, &search->candidates, (size_t)vertex * bytes, bytes, bits);
}

gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high)
{
	const uint32_t range[] = { low, high - low };
	return gemp_buffer_write(search->context->device, &search->candidates,
	                         (size_t)vertex * search->candidate_words * sizeof *range, sizeof range, range);
}

gemp_code gemp_search_beside(gemp_search *search)
{
	gemp_beside *beside = &search->beside;
	gemp_code (*work)(void *) = beside->work;
	double began = gemp_now();
	beside->work = NULL;
	gemp_code code = work ? work(beside->self) : GEMP_OK;
	beside->seconds = work ? gemp_now() - began : 0;
	return code;
}
