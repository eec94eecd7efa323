/* emit: the text of a match kernel, specialised for a plan. No text of the user's enters it: names are indices, literals
 * are in bitmaps already. */
#ifndef GEMP_MATCH_EMIT_H
#define GEMP_MATCH_EMIT_H

#include "core/text.h"
#include "pattern/plan.h"

enum { GEMP_MAX_STAGES = 4096 };

typedef struct gemp_emit_options {
	int lanes;
	bool all_resident;
	bool listed;        /* matches go to the result buffer; else they are counted only */
	bool wide;          /* rows of some view hold 2^32 entries or more */
	bool profile;       /* what passes each step and what it reads is counted */
	uint64_t per;       /* pattern vertices at whose images matches are counted, as bits */
	bool first_only;    /* a worker leaves its task with the first result (listed only) */
	bool by_formula;    /* matches need not be found one by one, only their number */
	bool marks;         /* the nest of loops has room for marks (match/marks.h) */
	bool sliced;        /* a launch may be at slices of a pivot: parts of the second step's candidates */
	bool loops;         /* a nest of loops (match/emit_loops.h): all_resident, 1 lane, and no task is split off */
} gemp_emit_options;

/* Layout of what travels and of what is kept, in u32 words. */
typedef struct gemp_layout {
	size_t stage_count;
	gemp_stage stages[GEMP_MAX_STAGES];
	uint32_t item_words[GEMP_MAX_STAGES]; /* of a task of that stage; 1 for pivots, the given vertices' slots for seeds */
	uint32_t tuple_words;                 /* of a match: vertices in the pattern's order, then edges (2 words each) */
	uint32_t state_words;                 /* of a worker that stopped in a task */
} gemp_layout;

/* Counters of a profile: rows that pass each step, entries that it walks, then lookups that it makes. */
enum { GEMP_MAX_COUNTERS = 3 * GEMP_MAX_STEPS };
static inline size_t gemp_counters(const gemp_plan *plan)
{
	return 3 * plan->step_count;
}

/* An item: header (bit 0: has crossed ranks), for VERIFY the checks left (2 words), vertices in the order they are bound,
 * edges in the order they are bound (2 words each, low first). */
gemp_code gemp_layout_new(gemp_layout *out, const gemp_plan *plan, const gemp_emit_options *options);

/* Arguments of kernel `match`, in order: params; begin_k, near_k (and edge_k, if edges live) of each view; own, bounds
 * (unless all_resident); id_of (unless all_resident and not listed); key_rank (if keys are compared: by slot); candidates,
 * candidate_words; tasks; out, out_capacity, out_base; state; result (if listed); tables (if the plan counts by two-paths:
 * a u32 a vertex for each worker, all 0 between launches); marks (if there are: GEMP_MARK_BYTES for each worker, the same); passed (if profile: the counters); per (if matches count at vertices: a count a slot); control, with the items in
 * each area of out behind it. `fixed` is the text of match.clh.
 *
 * Results are what sinks take as it is: vertex ids, row by row, of result_capacity rows; from the next even word on edges,
 * row by row. */
void gemp_emit(gemp_text *text, const char *fixed, const gemp_plan *plan, const gemp_layout *layout,
               const gemp_emit_options *options);

#endif
