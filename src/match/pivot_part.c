#include "match/pivot_part.h"

#include "core/memory.h"
#include "core/random.h"
#include "match/crew.h"
#include "match/match_parts.h"

#include <string.h>

/* Slots of all pivots, as the search was made with them. */
static gemp_code remember(gemp_match *m)
{
	gemp_code code = GEMP_OK;
	const gemp_search *search = m->search;
	if (m->pivots)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(m->pivots, search->pivots + 1));
	m->pivot_count = search->pivots;
	if (m->pivot_count)
		memcpy(m->pivots, search->pivot_slots, m->pivot_count * sizeof *m->pivots);
done:
	return code;
}

gemp_code gemp_pivot_part_set(gemp_match *m, const gemp_pivot_part *part)
{
	gemp_code code = GEMP_OK;
	gemp_search *search = m->search;
	gemp_vertex *slots = NULL;
	size_t count = 0;
	GEMP_TRY(remember(m));
	GEMP_TRY(GEMP_NEW(slots, m->pivot_count + 1));
	for (size_t i = 0; i < m->pivot_count; i++)
		if (search->order->id_of[m->pivots[i]] % part->of - part->first < part->count)
			slots[count++] = m->pivots[i];
	code = gemp_crew_pivots(search, slots, count);
done:
	gemp_free(slots);
	return code;
}

uint64_t gemp_pivot_plan(const gemp_match *m)
{
	uint64_t hash = gemp_hash(&m->plan->divisor, sizeof m->plan->divisor, m->plan->broken);
	for (size_t s = 0; s < m->plan->step_count; s++) {
		const gemp_step *step = &m->plan->steps[s];
		const uint64_t words[] = { step->kind, (uint64_t)step->vertex, (uint64_t)step->edge, step->less, step->greater,
			step->key_less, step->key_most, step->key_greater, step->key_least, step->edge_less };
		hash = gemp_hash(words, sizeof words, hash);
	}
	return hash;
}

int gemp_pivot_order(const gemp_match *m, int order[GEMP_MAX_PATTERN_VERTICES])
{
	int count = 0;
	for (size_t s = 0; s < m->plan->step_count; s++)
		if (m->plan->steps[s].kind != GEMP_BIND_EDGE)
			order[count++] = m->plan->steps[s].vertex;
	return count;
}

bool gemp_pivot_parts_overlap(const gemp_match *m)
{
	return m->deduplicates;
}
