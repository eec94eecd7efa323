#include "transform/conflicts/rounds.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

/* FLAT ARRAYS OF THE UNDECIDED MATCHES */

/* The state while the arrays are filled. */
typedef struct fill_context {
	gemp_conflict_rounds *problem;
	const gemp_conflict_keys *conflict_keys;
	const uint64_t *priority;
} fill_context;

static void fill_range(void *self, size_t range, size_t begin, size_t end)
{
	fill_context *s = self;
	gemp_conflict_rounds *g = s->problem;
	(void)range;
	for (size_t m = begin; m < end; m++) {
		const size_t row = g->rows[m], count = (size_t)(g->offsets[m + 1] - g->offsets[m]);
		g->priority[m] = s->priority[row];
		memcpy(g->keys + g->offsets[m], s->conflict_keys->keys + s->conflict_keys->offsets[row],
		       count * sizeof *g->keys);
	}
}

/* Local. Decided matches are left out. */
gemp_code gemp_conflict_rounds_new(gemp_conflict_rounds *out, const gemp_conflict_keys *conflict_keys,
                                   const uint64_t *priority, const uint8_t *decisions)
{
	fill_context s = { .problem = out, .conflict_keys = conflict_keys, .priority = priority };
	size_t count = 0;
	*out = (gemp_conflict_rounds){ .slots = conflict_keys->slots };
	for (size_t row = 0; row < conflict_keys->matches; row++)
		count += decisions[row] == GEMP_UNDECIDED;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->rows, count), GEMP_ARRAY(out->offsets, count + 1),
	                      GEMP_ARRAY(out->priority, count), GEMP_ARRAY(out->decision, count)));
	for (size_t row = 0; row < conflict_keys->matches; row++) {
		if (decisions[row] != GEMP_UNDECIDED)
			continue;
		size_t m = out->matches++;
		out->rows[m] = row;
		out->offsets[m + 1] = out->offsets[m] + conflict_keys->offsets[row + 1] - conflict_keys->offsets[row];
	}
	GEMP_TRY(GEMP_NEW(out->keys, out->offsets[count]));
	gemp_for_ranges(count, fill_range, &s);
	return GEMP_OK;
}

void gemp_conflict_rounds_free(gemp_conflict_rounds *problem)
{
	gemp_free_all(problem->rows, problem->offsets, problem->keys, problem->priority, problem->decision);
	*problem = (gemp_conflict_rounds){ 0 };
}

/* ROUNDS ON THE HOST */

/* The undecided matches are a list that stream compaction shrinks. */
typedef struct host_rounds {
	gemp_conflict_rounds *problem;
	gemp_slot_table table;
	gemp_conflict_slot *slots; /* [table.count] */
	size_t *undecided;         /* [count] */
	size_t count;
	/* for each range: the number of remaining matches, and the position of the first one */
	size_t kept[GEMP_MAX_RANGES], begin[GEMP_MAX_RANGES];
} host_rounds;

/* If all bytes are 0xFF, every priority is UINT64_MAX. */
static void clear_slots(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	(void)range;
	memset(p->slots + begin, 0xFF, (end - begin) * sizeof *p->slots);
	for (size_t i = begin; i < end; i++)
		p->slots[i].selected = 0;
}

/* Every undecided match enters its priority into its slots. */
static void enter_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	const gemp_conflict_rounds *g = p->problem;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		size_t m = p->undecided[i];
		for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1]; t++)
			gemp_conflict_slot_enter(&p->slots[gemp_conflict_key_slot(g->keys[t])],
			                         gemp_conflict_key_access(g->keys[t]), g->priority[m]);
	}
}

/* A match is rejected if a slot rejects it. Otherwise it is undecided if a slot is undecided about it. */
static gemp_match_decision evaluate(const host_rounds *p, size_t m)
{
	const gemp_conflict_rounds *g = p->problem;
	gemp_match_decision decision = GEMP_SELECTED;
	for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1] && decision != GEMP_REJECTED; t++) {
		const gemp_conflict_slot *slot = &p->slots[gemp_conflict_key_slot(g->keys[t])];
		gemp_match_decision of_slot = gemp_conflict_slot_evaluate(slot, gemp_conflict_key_access(g->keys[t]),
		                                                          g->priority[m]);
		decision = of_slot == GEMP_SELECTED ? decision : of_slot;
	}
	return decision;
}

/* This loop only writes decisions. The slots that it reads were written by the previous loop. */
static void evaluate_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		p->problem->decision[p->undecided[i]] = (uint8_t)evaluate(p, p->undecided[i]);
}

/* Selected matches occupy their slots. The priorities of undecided matches are cleared for the next round. Matches that
 * remain undecided move to the front of their range; host_round closes the gaps between ranges. */
static void update_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	const gemp_conflict_rounds *g = p->problem;
	size_t kept = begin;
	for (size_t i = begin; i < end; i++) {
		size_t m = p->undecided[i];
		for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1] && g->decision[m] != GEMP_REJECTED; t++) {
			gemp_conflict_slot *slot = &p->slots[gemp_conflict_key_slot(g->keys[t])];
			if (g->decision[m] == GEMP_SELECTED)
				gemp_conflict_slot_select(slot, gemp_conflict_key_access(g->keys[t]));
			else
				gemp_conflict_slot_clear(slot);
		}
		if (g->decision[m] == GEMP_UNDECIDED)
			p->undecided[kept++] = m;
	}
	/* host_round closes the gaps in the order of ranges, so the list remains ascending. */
	p->begin[range] = begin;
	p->kept[range] = kept - begin;
}

/* A round has three loops, since each loop reads slots or decisions that the previous loop may write for any match. */
static void host_round(host_rounds *p)
{
	size_t ranges = gemp_range_count(p->count), count = 0;
	gemp_for_ranges(p->count, enter_range, p);
	gemp_for_ranges(p->count, evaluate_range, p);
	gemp_for_ranges(p->count, update_range, p);
	for (size_t r = 0; r < ranges; r++) {
		memmove(p->undecided + count, p->undecided + p->begin[r], p->kept[r] * sizeof *p->undecided);
		count += p->kept[r];
	}
	p->count = count;
}

/* Renumbers the slots of keys to indices of the table, so that the rounds can index arrays. */
static void number_range(void *self, size_t range, size_t begin, size_t end)
{
	host_rounds *p = self;
	uint64_t *keys = p->problem->keys;
	(void)range;
	for (size_t t = begin; t < end; t++)
		keys[t] = gemp_conflict_key(gemp_slot_table_index(&p->table, gemp_conflict_key_slot(keys[t])),
		                            gemp_conflict_key_access(keys[t]));
}

gemp_code gemp_conflict_rounds_host(gemp_conflict_rounds *problem, uint64_t *rounds)
{
	const size_t keys = problem->offsets[problem->matches];
	GEMP_OWNED gemp_conflict_slot *slots = NULL;
	GEMP_OWNED size_t *undecided = NULL;
	GEMP_OWNED_BY(gemp_slot_table_free) gemp_slot_table table = { 0 };
	GEMP_TRY(gemp_slot_table_new(&table, problem->slots, keys, sizeof *slots));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(slots, table.count), GEMP_ARRAY(undecided, problem->matches)));
	host_rounds p = {
		.problem = problem, .table = table, .slots = slots, .undecided = undecided, .count = problem->matches
	};
	gemp_for_ranges(keys, number_range, &p);
	gemp_for_ranges(table.count, clear_slots, &p);
	for (size_t m = 0; m < problem->matches; m++)
		p.undecided[m] = m;
	for (*rounds = 0; p.count; ++*rounds)
		host_round(&p);
	return GEMP_OK;
}
