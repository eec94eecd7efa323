/* kernel_layout: what the host and the generators of match kernels agree on: the options of a kernel, and the layouts,
 * in words of 32 bits, of items (partial matches that travel or wait), of rows of the result buffer, and of the states
 * of stopped workers.
 */

#ifndef GEMP_MATCH_CODEGEN_KERNEL_LAYOUT_H
#define GEMP_MATCH_CODEGEN_KERNEL_LAYOUT_H

#include "pattern/plan/plan.h"

enum { GEMP_MAX_STAGES = 4096 };

typedef struct gemp_emit_options {
	int lanes;
	bool all_resident;
	bool listed;     /* matches go to the result buffer; else they are counted only */
	bool wide;       /* rows of some view hold 2^32 entries or more */
	bool profile;    /* what passes each step and what it reads is counted */
	uint64_t per;    /* pattern vertices at whose images matches are counted, as bits */
	bool first_only; /* a worker leaves its task with the first result (listed only) */
	bool by_formula; /* matches need not be found one by one, only their number */
	bool marks;      /* the nest of loops has room for marks (match/codegen/adjacency_marks.h) */
	bool sliced;     /* a launch may be at slices of a pivot: parts of the second step's candidates */
	bool loops;      /* a nest of loops (match/codegen/emit_loops.h): all_resident, 1 lane, and no task is split off */
} gemp_emit_options;

/* Layout of what travels and of what is kept, in u32 words. */
typedef struct gemp_item_layout {
	size_t stage_count;
	gemp_plan_stage stages[GEMP_MAX_STAGES];
	uint32_t
		item_words[GEMP_MAX_STAGES]; /* of a task of that stage; 1 for pivots, the given vertices' slots for seeds */
	uint32_t tuple_words;            /* of a match: vertices in the pattern's order, then edges (2 words each) */
	uint32_t state_words;            /* of a worker that stopped in a task */
} gemp_item_layout;

/* Counters of a profile: rows that pass each step, entries that it walks, then lookups that it makes. */
enum { GEMP_MAX_COUNTERS = 3 * GEMP_MAX_STEPS };
static inline size_t gemp_profile_counters(const gemp_plan *plan)
{
	return 3 * plan->step_count;
}

#endif
