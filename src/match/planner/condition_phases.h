/* condition_phases: divides the conditions of a pattern among three phases: before the search (as bitmaps), during the
 * search (pushed down to the step that binds the second vertex), and after the search (match/filter/residual.h).
 *
 * Each condition on one vertex that reads attributes can be tested before or after the search. Under --attributes auto
 * these conditions are open until match/planner/phase_choice.h has chosen. */

#ifndef GEMP_MATCH_PLANNER_CONDITION_PHASES_H
#define GEMP_MATCH_PLANNER_CONDITION_PHASES_H

#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/plan/plan.h"

/* The phase in which a condition on one vertex is tested, and the reason for it, which --explain prints. */
typedef struct gemp_phase_choice {
	const gemp_condition *condition;
	bool before;
	bool open;                      /* --attributes auto, and the condition reads attributes: the costs decide */
	bool decided;                   /* the costs have decided */
	double before_cost, after_cost; /* estimated seconds of work, summed over all ranks; 0: the costs do not decide */
	char reason[160];
} gemp_phase_choice;

typedef struct gemp_condition_phases {
	size_t before_count, after_count;
	size_t certain; /* the first `certain` conditions of `before` are not open and stay there */
	/* conditions on one vertex: on labels always, on ids and attributes unless --attributes after */
	const gemp_condition **before;
	const gemp_condition **after; /* all other conditions; conditions with sub-patterns are always here */
	size_t choice_count;
	gemp_phase_choice *choices; /* [choice_count] in the order of the pattern's conditions */
	/* conditions a <> b between vertices: bit b of unequal[a], and bit a of unequal[b] */
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES];
	uint64_t mentions; /* number of attribute values that the conditions read of each match */
	bool count_loops;  /* degrees in conditions count loops, see gemp_degree_loops */
} gemp_condition_phases;

/* Divides the conditions into `before` and `after`. Open conditions are in `before` until gemp_filter_candidates has
 * chosen. */
gemp_code gemp_phases_new(gemp_condition_phases *out, const gemp_pattern *pattern, const gemp_match_options *options);
void gemp_phases_free(gemp_condition_phases *phases);

/* The number of attributes and keys that an expression mentions. */
uint64_t gemp_phases_mentions(const gemp_expr *expr);

/* Moves a condition from `before` to `after`. */
void gemp_phases_defer(gemp_condition_phases *phases, gemp_phase_choice *choice);

/* Pushdown: conditions on two vertices that the search tests as soon as it has bound the second of them. They are a <>
 * b, a = b, id(a) < id(b) by key ranks, and [NOT] EXISTS of an edge by a lookup in a row. */
typedef struct gemp_pushdown {
	gemp_vertex_tests tests;
	size_t edge_test_count;
	gemp_edge_test *edge_tests; /* [edge_test_count] owned; each `relations` belongs to the pattern */
	uint32_t *key_rank;         /* [vertices] by id, owned; NULL: keys are not compared */
	uint64_t conditions;        /* number of conditions that were removed from phases->after */
} gemp_pushdown;

/* Collective. Moves the conditions that the search can test from phases->after to *out. */
gemp_code gemp_pushdown_new(gemp_pushdown *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                            gemp_condition_phases *phases);
void gemp_pushdown_free(gemp_pushdown *pushdown);

#endif
